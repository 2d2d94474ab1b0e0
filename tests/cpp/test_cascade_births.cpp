#include <vector>

#include "cascade_exact.h"
#include "laws.h"

using buffet::CascadeBirths;
using buffet::CascadeSprout;
using namespace test;

namespace {

/// Values of grafted units, standardised by their prior.
struct Standardised {
  Moments bias = Moments(0, 1), noise = Moments(0, 1), weights = Moments(0, 1);
  Moments precision;

  Standardised(double shape, double rate) : precision(shape / rate, shape / (rate * rate)) {}

  /// Adds unit k of layer m.
  void add(const NaiveCascade& cascade, int m, int k) {
    const NaiveLayer& layer = cascade.layers[m];
    const double nu = layer.precision(k);
    bias.add((layer.bias(k) - layer.of_biases.mean) * std::sqrt(layer.of_biases.precision));
    precision.add(nu);
    for (int n = 0; n < cascade.rows(); ++n)
      noise.add((layer.x(n, k) - cascade.mean(m, n, k)) * std::sqrt(nu));
    for (int j = 0; j < layer.parents(); ++j)
      if (layer.z(k, j))
        weights.add((layer.w(k, j) - layer.of_weights.mean) *
                    std::sqrt(layer.of_weights.precision));
  }
  void check() const {
    CHECK(bias.largest_z() < 4.5);
    CHECK(precision.largest_z() < 4.5);
    CHECK(noise.largest_z() < 4.5);
    CHECK(weights.largest_z() < 4.5);
  }
};

/// A network for births: layers with these widths, the visible one first, and edges with
/// probability 0.6.
struct Ground {
  CascadeData data;
  Cascade cascade;

  Ground(const std::vector<int>& widths, Rng& rng, double deep = 0.9)
      : data(draw_normal(4, widths[0], 1.5, rng)), cascade(data, CascadeModel()) {
    cascade.concentration = 0.7;
    cascade.model.noise_shape = 3;
    for (std::size_t m = 1; m < widths.size(); ++m)
      for (int k = 0; k < widths[m]; ++k) {
        const Eigen::VectorXd x = draw_normal(4, 1, 1, rng);
        cascade.add_unit(static_cast<int>(m),
                         {rng.normal(), 2, x, (0.5 * x.array()).tanh().matrix(), {}});
      }
    for (int m = 0; m <= cascade.model.max_layers; ++m) {
      CascadeLayer& layer = cascade.layers[m];
      layer.alpha = m <= 2 ? deep : 0.3;
      layer.noise_rate = 1.7;
      layer.of_weights = {0.4, 0.8};
      layer.of_biases = {-0.3, 1.6};
      for (int j = 0; j < layer.parents(); ++j)
        for (int k = 0; k < layer.units(); ++k)
          if (k == j % layer.units() || rng.bernoulli(0.6)) layer.set_edge(j, k, rng.normal());
    }
    demand_consistent(cascade);
  }

  /// The cascade, with a sprout in layer 1 that is a parent of the first visible unit.
  Cascade grafted(Rng& rng) const {
    Cascade with = cascade;
    const CascadeSprout sprout(with, 1, rng);
    demand(sprout.fits(), "there is room");
    sprout.graft(with);
    const CascadeLayer& layer = with.layers[1];
    const Eigen::VectorXd u = layer.u.col(layer.units() - 1);
    demand(u == sprout.activations(1), "activations of the sprout");
    with.layers[0].set_edge(layer.units() - 1, 0, 1);
    return with;
  }
};

}  // namespace

TEST_CASE("a sprout is the last customer of its layer", "[cascade]") {
  Rng rng(771);
  const Ground ground({3, 3, 4, 2}, rng);
  const int draws = scaled(30000);
  const NaiveCascade before = naive(ground.cascade);
  std::vector<Mean> chosen(4);
  Count fresh("new parents", poisson(0.9 * 0.7 / (3 + 0.7)), draws);
  Standardised values(3, 1.7);
  for (int t = 0; t < draws; ++t) {
    const NaiveCascade after = naive(ground.grafted(rng));
    REQUIRE(after.layers[1].units() == 4);
    const Eigen::MatrixXi& z = after.layers[1].z;
    for (int j = 0; j < 4; ++j) chosen[j].add(z(3, j));
    fresh.add(static_cast<int>(z.cols()) - 4);
    CHECK((z.topLeftCorner(3, 4) == before.layers[1].z));
    values.add(after, 1, 3);
  }
  for (int j = 0; j < 4; ++j) {
    const double truth = before.layers[1].z.col(j).sum() / (3 + 0.7);
    CHECK(std::abs(z_score(chosen[j].value() - truth, chosen[j].variance())) < 4.5);
  }
  fresh.check();
  values.check();
}

TEST_CASE("a sprout's ancestors enter one at a time", "[cascade]") {
  Rng rng(772);
  const Ground ground({3}, rng, 1.2);
  const double c = 0.7;
  const int draws = scaled(60000);
  Count parents("parents", poisson(1.2), draws);
  // Numbers of parents that one or both of two new parents have.
  Mean single, both;
  Standardised above(3, 1.7), top(3, 1.7);
  for (int t = 0; t < draws; ++t) {
    const NaiveCascade after = naive(ground.grafted(rng));
    const int units = after.layers[2].units();
    parents.add(units);
    for (int k = 0; k < units; ++k) above.add(after, 2, k);
    for (int k = 0; k < after.layers[3].units(); ++k) top.add(after, 3, k);
    if (units != 2) continue;
    const Eigen::MatrixXi& z = after.layers[2].z;
    int shared = 0;
    for (int j = 0; j < z.cols(); ++j) shared += z.col(j).sum() == 2;
    both.add(shared);
    single.add(static_cast<double>(z.cols()) - shared);
  }
  parents.check();
  above.check();
  top.check();
  const double of_both = 1.2 * c / (c * (1 + c)), of_one = 2 * 1.2 * c / (1 + c);
  CHECK(std::abs(z_score(both.value() - of_both, both.variance())) < 4.5);
  CHECK(std::abs(z_score(single.value() - of_one, single.variance())) < 4.5);
}

TEST_CASE("a sprout is grafted next to other units in several layers", "[cascade]") {
  Rng rng(773);
  const Ground ground({3, 2, 1, 1}, rng, 1.6);
  const int draws = scaled(60000);
  // New units join the single unit of layer 2: compares how many of them have its parent.
  Mean first, second, gap;
  for (int t = 0; t < draws; ++t) {
    const NaiveCascade after = naive(ground.grafted(rng));
    const Eigen::MatrixXi& z = after.layers[2].z;
    if (z.rows() < 3) continue;
    first.add(z(1, 0));
    second.add(z(2, 0));
    // The parents of the second new unit, given the first.
    gap.add(z(2, 0) - (1.0 + z(1, 0)) / (2 + 0.7));
  }
  CHECK(std::abs(z_score(first.value() - 1 / 1.7, first.variance())) < 4.5);
  CHECK(std::abs(z_score(second.value() - 1 / 1.7, second.variance())) < 4.5);
  CHECK(std::abs(z_score(gap.value(), gap.variance())) < 4.5);
}

TEST_CASE("the weight of a newborn parent has its posterior", "[cascade]") {
  Rng rng(774);
  const Ground ground({2, 2}, rng);
  Moments weights(0, 1);
  int born = 0;
  for (int t = 0; t < scaled(40000); ++t) {
    Cascade cascade = ground.cascade;
    CascadeBirths(cascade, rng).visit(0, 1);
    const NaiveCascade now = naive(cascade);
    const int last = now.layers[1].units() - 1;
    if (last != 2) continue;
    ++born;
    const NaiveEdge exact = integrate_edge(now.layers[0].of_weights, now.layers[0].precision(1),
                                           activations(now, 1, last), residual(now, 0, 1, last));
    weights.add((now.layers[0].w(1, last) - exact.mean) * std::sqrt(exact.precision));
  }
  CHECK(born > scaled(40000) / 100);
  CHECK(weights.largest_z() < 4.5);
}
