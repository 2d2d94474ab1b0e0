#include <algorithm>
#include <map>
#include <vector>

#include "cascade_exact.h"
#include "log_normal.h"

using namespace test;

namespace {

/// The parents of two visible units, as sorted numbers from 1 to 3.
using Structure = std::vector<int>;

const double none = std::nan("");

/// A prior under which the values are almost known.
NormalGamma known(double mean, double precision) {
  return {mean, 1e8, 1e8, 1e8 / precision};
}

/// One hidden layer with at most two units; only the structure and values are unknown.
CascadeModel known_model(ActivationSampler sampler) {
  CascadeModel model;
  model.alpha = Hyper::fixed(1.1);
  model.alpha_deep = Hyper::fixed(0.5);
  model.concentration = Hyper::fixed(0.8);
  model.weights = known(0.9, 0.3);
  model.biases = known(-0.2, 0.9);
  model.noise_shape = 3;
  model.noise_rate = Hyper::fixed(1.4);
  model.max_layers = 1;
  model.max_units = 2;
  model.sampler = sampler;
  return model;
}

std::vector<Structure> all_structures() {
  std::vector<Structure> all = {{}};
  for (int a = 1; a <= 3; ++a) {
    all.push_back({a});
    for (int b = a; b <= 3; ++b) all.push_back({a, b});
  }
  return all;
}

/// Prior probability of a structure without units above the hidden ones.
double prior_probability(const Structure& structure, const CascadeModel& model) {
  const int size = static_cast<int>(structure.size());
  Eigen::MatrixXi z(2, size);
  for (int j = 0; j < size; ++j)
    for (int i = 0; i < 2; ++i) z(i, j) = structure[j] >> i & 1;
  const double c = model.concentration.value;
  const double orders = size == 2 && structure[0] != structure[1] ? 1 : std::tgamma(size + 1.0);
  return std::exp(log_columns(z, model.alpha.value, c) +
                  log_columns(Eigen::MatrixXi(size, 0), model.alpha_deep.value, c)) /
         orders;
}

/// Density of the observed values of a unit with parents u, with bias and weights integrated out.
double evidence(const Eigen::VectorXd& x, const Eigen::MatrixXd& u, double nu) {
  Eigen::MatrixXd covariance = u * u.transpose() / 0.3;
  covariance.array() += 1 / 0.9;
  covariance.diagonal().array() += 1 / nu;
  return std::exp(log_normal((x.array() + 0.2).matrix() - 0.9 * u.rowwise().sum(), covariance));
}

/// Posterior probabilities of structures, estimated from prior draws of hidden activations.
class Exact {
 public:
  Exact(const Eigen::MatrixXd& x, const CascadeModel& model, int draws) : draws_(draws) {
    Rng rng(751);
    const auto structures = all_structures();
    const auto size = static_cast<Eigen::Index>(structures.size());
    mean_ = Eigen::VectorXd::Zero(size);
    squares_ = Eigen::MatrixXd::Zero(size, size);
    Eigen::VectorXd prior(size), weights(size);
    for (Eigen::Index s = 0; s < size; ++s) prior(s) = prior_probability(structures[s], model);
    for (int r = 0; r < draws; ++r) {
      const Eigen::MatrixXd of_units = evidences(x, model, rng);
      for (Eigen::Index s = 0; s < size; ++s) {
        weights(s) = prior(s);
        for (int k = 0; k < 2; ++k) weights(s) *= of_units(k, parents(structures[s], k));
      }
      mean_ += weights / draws;
      squares_ += weights * weights.transpose() / draws;
    }
  }

  double probability(int s) const { return mean_(s) / mean_.sum(); }
  double variance(int s) const {
    const double p = probability(s), total = mean_.sum();
    const double gap = squares_(s, s) - 2 * p * squares_.row(s).sum() + p * p * squares_.sum();
    return gap / (total * total * draws_);
  }

 private:
  /// Which of the two hidden units are parents of the visible unit, as bits.
  static int parents(const Structure& structure, int k) {
    int set = 0;
    for (std::size_t j = 0; j < structure.size(); ++j)
      if (structure[j] >> k & 1) set |= 1 << j;
    return set;
  }

  /// Evidence for the two visible units, given each set of parents.
  static Eigen::MatrixXd evidences(const Eigen::MatrixXd& x, const CascadeModel& model, Rng& rng) {
    const auto draw_precision = [&] {
      return rng.gamma(model.noise_shape, model.noise_rate.value);
    };
    Eigen::MatrixXd u(x.rows(), 2), all(2, 4);
    for (int j = 0; j < 2; ++j) {
      const double bias = -0.2 + rng.normal() / std::sqrt(0.9), nu = draw_precision();
      for (int n = 0; n < x.rows(); ++n)
        u(n, j) = std::tanh((bias + rng.normal() / std::sqrt(nu)) / 2);
    }
    for (int k = 0; k < 2; ++k) {
      const double nu = draw_precision();
      all(k, 0) = evidence(x.col(k), u.leftCols(0).eval(), nu);
      all(k, 1) = evidence(x.col(k), u.leftCols(1), nu);
      all(k, 2) = evidence(x.col(k), u.rightCols(1), nu);
      all(k, 3) = evidence(x.col(k), u, nu);
    }
    return all;
  }

  int draws_;
  Eigen::VectorXd mean_;
  Eigen::MatrixXd squares_;
};

Structure structure_of(const Features& z) {
  Structure structure;
  for (int j = 0; j < z.size(); ++j) structure.push_back(z.at(0, j) + 2 * z.at(1, j));
  std::sort(structure.begin(), structure.end());
  return structure;
}

void check_posterior(const Eigen::MatrixXd& x, ActivationSampler sampler) {
  const CascadeModel model = known_model(sampler);
  const Exact exact(x, model, scaled(shorter(150000)));
  const auto structures = all_structures();
  const int sweeps = scaled(shorter(200000));
  std::vector<BatchMean> seen(structures.size(), BatchMean(sweeps, 200));
  const CascadeData data(x);
  CascadeChain chain(data, model, Rng(752));
  for (int t = -100; t < sweeps; ++t) {
    chain.sweep([] {});
    const Structure now = structure_of(chain.z);
    for (std::size_t s = 0; s < structures.size() && t >= 0; ++s) seen[s].add(now == structures[s]);
  }
  int likely = 0;
  for (std::size_t s = 0; s < structures.size(); ++s) {
    const double p = exact.probability(static_cast<int>(s));
    INFO("structure " << s << " has probability " << p << ", sampled " << seen[s].value());
    const double z =
        z_score(seen[s].value() - p, seen[s].variance() + exact.variance(static_cast<int>(s)));
    CHECK(std::abs(z) < 4.5);
    likely += p > 0.02;
  }
  CHECK(likely >= 6);
}

}  // namespace

TEST_CASE("structures of two units are visited in proportion to their probabilities", "[cascade]") {
  Eigen::MatrixXd x(3, 2);
  x << 2.6, -2.1, -2.4, 1.9, 0.4, 2.2;
  check_posterior(x, ActivationSampler::slice);
  check_posterior(x, ActivationSampler::multiple_try);
}

TEST_CASE("structures are visited in proportion to their probabilities with missing entries",
          "[cascade]") {
  Eigen::MatrixXd x(4, 2);
  x << 2.6, none, -2.4, 1.9, none, 2.2, 3.1, -1.7;
  check_posterior(x, ActivationSampler::slice);
}
