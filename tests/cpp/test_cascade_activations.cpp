#include <algorithm>
#include <vector>

#include "cascade/cascade_fold.h"
#include "cascade_exact.h"

using buffet::ActivationLaw;
using buffet::CascadeParents;
using buffet::ChildrenTerms;
using namespace test;

namespace {

const ActivationSampler samplers[] = {ActivationSampler::slice, ActivationSampler::multiple_try,
                                      ActivationSampler::elliptical};

/// Two units with given values and two parents, which have no parents themselves.
struct TwoUnits {
  CascadeData data;
  Cascade cascade;

  TwoUnits() : data(Eigen::MatrixXd(2, 2)), cascade(data, CascadeModel()) {
    cascade.layers[0].x << 1.3, -0.4, -2, 0.8;
    cascade.layers[0].bias << 0.3, -0.6;
    cascade.layers[0].precision << 2.4, 5;
    for (int j = 0; j < 2; ++j) {
      const Eigen::VectorXd none = Eigen::VectorXd::Zero(2);
      cascade.add_unit(1, {j == 0 ? 0.4 : -1.1, j == 0 ? 0.7 : 0.3, none, none, {}});
      cascade.layers[0].set_edge(j, 0, j == 0 ? 1.4 : -2);
      cascade.layers[0].set_edge(j, 1, j == 0 ? -0.8 : 1.7);
    }
  }
};

/// Means over a grid of the two activations of a row, for 1, u_0, u_1, u_0 u_1, x_0, and x_1
/// squared.
Eigen::ArrayXd sum_over_two(NaiveCascade cascade, int n) {
  Eigen::ArrayXd sum = Eigen::ArrayXd::Zero(6);
  for (double a = -9; a < 9; a += 0.04)
    for (double b = -14; b < 14; b += 0.06) {
      cascade.layers[1].x(n, 0) = a;
      cascade.layers[1].x(n, 1) = b;
      const double p = std::exp(log_values(cascade, 0) + log_values(cascade, 1));
      const double u = std::tanh(a / 2), v = std::tanh(b / 2);
      Eigen::ArrayXd values(6);
      values << 1, u, v, u * v, a, b * b;
      sum += p * values;
    }
  return sum / sum(0);
}

/// A distribution on a grid; draws are made from its quantiles.
class OnGrid {
 public:
  explicit OnGrid(const ActivationLaw& law) {
    for (int n = 0; n <= cells; ++n) {
      // If the children pull, the distribution is also within a few of their widths.
      at_.push_back(-30 + 60.0 * n / cells);
      total_ += std::exp(law.log_density(at_.back()) - law.log_density(law.mean));
      below_.push_back(total_);
    }
  }
  /// Linear between points of the grid.
  double quantile(double p) const {
    const double level = p * total_;
    const auto n = std::lower_bound(below_.begin(), below_.end(), level) - below_.begin();
    if (n == 0) return at_[0];
    const double part = (level - below_[n - 1]) / (below_[n] - below_[n - 1]);
    return at_[n - 1] + part * (at_[n] - at_[n - 1]) + 0.5 * (at_[1] - at_[0]);
  }

 private:
  static constexpr int cells = 600000;
  std::vector<double> at_, below_;
  double total_ = 0;
};

/// Checks that draws from the distribution still have it after some steps, and that some draws have
/// moved.
void check_left_alone(const ActivationLaw& law, ActivationSampler sampler) {
  INFO("mean " << law.mean << ", precision " << law.precision << ", weight " << law.weight
               << ", pull " << law.pull << ", sampler " << static_cast<int>(sampler));
  const OnGrid exact(law);
  const int draws = scaled(40000), cells = 20;
  std::vector<double> edges, observed(cells, 0), expected(cells, draws / double(cells));
  for (int c = 1; c < cells; ++c) edges.push_back(exact.quantile(c / double(cells)));
  Rng rng(731);
  int moved = 0;
  for (int n = 0; n < draws; ++n) {
    double x = exact.quantile(rng.uniform());
    const double from = x;
    for (int t = 0; t < 3; ++t) x = draw_activation(x, law, sampler, rng);
    moved += x != from;
    ++observed[std::upper_bound(edges.begin(), edges.end(), x) - edges.begin()];
  }
  CHECK(chi_squared_p(observed, expected) > 1e-5);
  CHECK(moved > draws / 50);
}

}  // namespace

TEST_CASE("steps of an activation leave its law invariant", "[cascade]") {
  const std::vector<ActivationLaw> laws = {{0.3, 1.2, 0.1, 0.2},  // nearly normal
                                           {0, 0.7, 60, 25},      // children dominate
                                           {-0.5, 2, 400, -90},
                                           {1, 0.3, 6, 30},    // at the limit of their effect
                                           {-8, 0.3, 0, 9.5},  // two modes
                                           {0, 0.05, 30, 2}};
  for (const ActivationLaw& law : laws)
    for (const auto sampler : samplers) check_left_alone(law, sampler);
}

TEST_CASE("the mean response is accurate with five points", "[cascade]") {
  // The largest error for each standard deviation of the noise.
  const std::vector<std::pair<double, double>> errors = {{0.1, 1e-12}, {0.3, 1e-8}, {0.5, 1e-6},
                                                         {1, 2e-4},    {1.5, 3e-3}, {2, 1e-2}};
  for (const auto& [sd, error] : errors)
    for (double y = -6; y < 6; y += 0.25) {
      const auto density = [](long double z) { return std::exp(-z * z / 2) / std::sqrt(2 * M_PI); };
      const double exact = static_cast<double>(
          integral([&, sd = sd](long double z) { return density(z) * std::tanh((y + sd * z) / 2); },
                   -12, 12));
      Eigen::MatrixXd at(2, 2);
      at << 0.4, y, -y, 1;
      const Eigen::MatrixXd mean =
          buffet::mean_response(at, Eigen::Vector2d(1 / (sd * sd), 1 / (sd * sd)));
      CHECK(std::abs(mean(0, 1) - exact) < error);
      CHECK(std::abs(mean(1, 0) + exact) < error);
    }
  const Eigen::MatrixXd of_columns =
      buffet::mean_response(Eigen::MatrixXd::Constant(1, 2, 1), Eigen::Vector2d(1, 1e8));
  CHECK(of_columns(0, 1) == Approx(std::tanh(0.5)));
  CHECK(of_columns(0, 0) < of_columns(0, 1) - 0.03);
}

TEST_CASE("an activation's law agrees with the joint law of all variables", "[cascade]") {
  Rng rng(729);
  for (int t = 0; t < 60; ++t) {
    RandomCascade random(rng, 2);
    for (int m : {1, 2}) {
      NaiveCascade& at = random.drawn;
      const ChildrenTerms children(random.cascade->layers[m - 1]);
      const int n = rng.below(7), k = rng.below(at.layers[m].units());
      const double from = at.layers[m].x(n, k), to = from + rng.normal();
      const Eigen::VectorXd u = random.cascade->layers[m].u.row(n);
      const double weight = children.quadratic(k, k);
      const double pull = children.linear(n, k) - children.quadratic.col(k).dot(u) + weight * u(k);
      const ActivationLaw law{at.mean(m, n, k), at.layers[m].precision(k), weight, pull};
      const double before = log_joint(at, random.problem.model, *random.data);
      at.layers[m].x(n, k) = to;
      const double change = log_joint(at, random.problem.model, *random.data) - before;
      CHECK(law.log_density(to) - law.log_density(from) == Approx(change).epsilon(1e-8));
      at.layers[m].x(n, k) = from;
    }
  }
}

TEST_CASE("activations of two units have the law of an integral over both", "[cascade]") {
  for (const auto sampler :
       {ActivationSampler::slice, ActivationSampler::multiple_try, ActivationSampler::elliptical}) {
    TwoUnits two;
    two.cascade.model.sampler = sampler;
    const NaiveCascade start = naive(two.cascade);
    const ChildrenTerms children(two.cascade.layers[0]);
    const int sweeps = scaled(60000);
    std::vector<BatchMean> seen(10, BatchMean(sweeps, 200));
    Rng rng(730);
    for (int t = 0; t < sweeps; ++t) {
      buffet::CascadeActivations(two.cascade, rng).visit_layer(1, children, [] {});
      const CascadeLayer& layer = two.cascade.layers[1];
      for (int n : {0, 1}) {
        BatchMean* of_row = &seen[5 * n];
        of_row[0].add(layer.u(n, 0));
        of_row[1].add(layer.u(n, 1));
        of_row[2].add(layer.u(n, 0) * layer.u(n, 1));
        of_row[3].add(layer.x(n, 0));
        of_row[4].add(layer.x(n, 1) * layer.x(n, 1));
      }
    }
    demand_consistent(two.cascade);
    for (int n : {0, 1}) {
      const Eigen::ArrayXd exact = sum_over_two(start, n);
      for (int q = 0; q < 5; ++q) {
        INFO("row " << n << ", quantity " << q << " is " << exact(q + 1) << ", sampled "
                    << seen[5 * n + q].value());
        CHECK(std::abs(seen[5 * n + q].z(exact(q + 1))) < 4.5);
      }
    }
  }
}

TEST_CASE("the frequency of an edge to a parent with other children agrees with its odds",
          "[cascade]") {
  TwoUnits two;
  CascadeLayer& visible = two.cascade.layers[0];
  Rng rng(728);
  buffet::CascadeActivations(two.cascade, rng).visit_layer(1, ChildrenTerms(visible), [] {});
  visible.set_edge(1, 0, 0);
  visible.clear_edge(1, 1);
  NaiveCascade drawn = naive(two.cascade);
  const NaiveEdge exact = integrate_edge(visible.of_weights, visible.precision(0),
                                         activations(drawn, 1, 0), residual(drawn, 0, 0, 0));
  // One of the other two units has the first parent, and neither has the second.
  const double odds = 1 / two.cascade.concentration * std::exp(exact.log_ratio);
  Mean there;
  Moments weights(exact.mean, 1 / exact.precision);
  for (int t = 0; t < scaled(40000); ++t) {
    CascadeParents(two.cascade, 0, rng).visit_edges(0);
    there.add(visible.has(0, 0));
    if (visible.has(0, 0)) weights.add(visible.weights(0, 0));
    CHECK(visible.has(1, 0));
  }
  INFO("is " << odds / (1 + odds) << ", sampled " << there.value());
  CHECK(std::abs(z_score(there.value() - odds / (1 + odds), there.variance())) < 4.5);
  CHECK(weights.largest_z() < 4.5);
}

TEST_CASE("two edges of a unit are present together as often as their posterior implies",
          "[cascade]") {
  TwoUnits two;
  CascadeLayer& visible = two.cascade.layers[0];
  two.cascade.layers[1].x << 1.5, 1.1, -2.1, -2.4;  // each parent can explain it
  two.cascade.layers[1].u = (0.5 * two.cascade.layers[1].x.array()).tanh().matrix();
  visible.of_weights = {0.4, 0.6};
  two.cascade.concentration = 1.6;
  visible.precision(0) = 1;
  const Eigen::MatrixXd u = two.cascade.layers[1].u;
  const Eigen::VectorXd e = visible.x.col(0).array() - visible.bias(0);
  std::vector<double> exact(4);
  double total = 0;
  for (int set = 0; set < 4; ++set) {
    Eigen::VectorXd gap = e;
    Eigen::MatrixXd covariance = Eigen::MatrixXd::Identity(2, 2) / visible.precision(0);
    exact[set] = 1;
    for (int j = 0; j < 2; ++j)
      if (set >> j & 1) {
        gap -= 0.4 * u.col(j);
        covariance += u.col(j) * u.col(j).transpose() / 0.6;
        exact[set] /= 1.6;  // prior odds: one of the two units has it
      }
    exact[set] *=
        std::exp(-0.5 * gap.dot(covariance.inverse() * gap)) / std::sqrt(covariance.determinant());
    total += exact[set];
  }
  Rng rng(733);
  const int sweeps = scaled(shorter(100000));
  std::vector<BatchMean> seen(4, BatchMean(sweeps, 200));
  for (int t = 0; t < sweeps; ++t) {
    CascadeParents(two.cascade, 0, rng).visit_edges(0);
    const int now = visible.has(0, 0) + 2 * visible.has(1, 0);
    for (int set = 0; set < 4; ++set) seen[set].add(set == now);
  }
  for (int set = 0; set < 4; ++set) {
    INFO("set " << set << " is " << exact[set] / total << ", sampled " << seen[set].value());
    CHECK(exact[set] / total > 0.01);
    CHECK(std::abs(seen[set].z(exact[set] / total)) < 4.5);
  }
}
