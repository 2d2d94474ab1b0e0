#include "gibbs/logistic_predict.h"
#include "gibbs/new_row.h"
#include "logistic_case.h"
#include "quadrature.h"
#include "scale.h"
#include "statistics.h"

using namespace test;

namespace {

/// Log posterior density of bias and weights of column j, up to terms that do not depend on Z.
double log_density(const LogisticCase& s, int j, const Eigen::VectorXd& w, double b) {
  double sum = 0;
  const Eigen::MatrixXd z = dense(s.z);
  for (int i = 0; i < z.rows(); ++i)
    sum += log_prob_entry(s.y(i, j), b + (z.cols() > 0 ? z.row(i).dot(w) : 0.0));
  for (int k = 0; k < w.size(); ++k) sum -= 0.5 * w(k) * w(k) / (s.sigma_a * s.sigma_a);
  return sum - 0.5 * b * b / (s.sigma_b * s.sigma_b);
}

}  // namespace

TEST_CASE("no step from the mode of the weights increases the density") {
  Rng rng(376);
  for (int n = 0; n < 60; ++n) {
    const LogisticCase s = LogisticCase::random(rng);
    const buffet::LogisticMode mode(s.z, s.data, s.scales());
    REQUIRE(mode.weights().cols() == s.z.size());
    for (int j = 0; j < s.y.cols(); ++j) {
      const Eigen::VectorXd w = mode.weights().row(j).transpose();
      const double b = mode.bias()(j), here = log_density(s, j, w, b), h = 1e-4;
      const auto slope = [&](double up, double down) { return (up - down) / (2 * h); };
      for (int k = 0; k < w.size(); ++k) {
        const Eigen::VectorXd e = h * Eigen::VectorXd::Unit(w.size(), k);
        CHECK(std::abs(slope(log_density(s, j, w + e, b), log_density(s, j, w - e, b))) < 1e-4);
        CHECK(log_density(s, j, w + 100 * e, b) < here);
      }
      if (!s.bias) CHECK(b == 0);
      if (s.bias)
        CHECK(std::abs(slope(log_density(s, j, w, b + h), log_density(s, j, w, b - h))) < 1e-4);
    }
  }
}

TEST_CASE("Laplace's evidence is close to quadrature for one feature and many rows") {
  Rng rng(377);
  for (double sigma_a : {0.3, 1.1, 2.5}) {
    const int rows = 60;
    Eigen::MatrixXd on = Eigen::MatrixXd::Zero(rows, 1);
    on.topRows(40).setOnes();
    const Eigen::MatrixXd y = draw_binary(0.7 * on, rng);
    const LogisticCase s{false, sigma_a, 1, from_dense(on), {}, {}, y, as_binary(y)};
    const buffet::LogisticMode mode(s.z, s.data, s.scales());
    const double w0 = mode.weights()(0, 0);
    const auto at = [&](double w) { return log_density(s, 0, Eigen::VectorXd::Constant(1, w), 0); };
    const double peak = at(w0);
    const double mass =
        double(integral([&](long double w) { return std::exp(at(double(w)) - peak); }, -8, 8, 64));
    const double exact = peak + std::log(mass / (sigma_a * std::sqrt(2 * M_PI)));
    CHECK(std::abs(mode.log_evidence() - exact) < 0.02);
    const double h = 1e-3, bend = -(at(w0 + h) - 2 * peak + at(w0 - h)) / (h * h);
    const double laplace = peak - 0.5 * std::log(bend) - std::log(sigma_a);
    CHECK(mode.log_evidence() == Approx(laplace).epsilon(1e-6));
  }
}

// Sums over the features and singletons of the new row, whose third entry is missing.
TEST_CASE("probabilities of a new row are a weighted sum over all its features") {
  const int rows = 3;
  Eigen::MatrixXd w(3, 2);
  w << 1.7, -0.8, -1.2, 0.4, 0.9, 1.5;
  const Features z = from_dense((Eigen::MatrixXd(3, 2) << 1, 0, 1, 1, 0, 1).finished());
  const Eigen::Vector3d b(0.3, -0.4, 0.1), y(1, 0, NAN);
  const double sigma = 1.6, rate = 0.8;
  const Exchangeable prior(rows + 1, {Hyper::fixed(rate * (rows + 1))});
  double total = 0, sum = 0, first = 0;
  for (int h = 0; h < 4; ++h)
    for (int own = 0; own < 9; ++own) {
      double weight = std::exp(own * std::log(rate) - std::lgamma(own + 1.0)), p = 0;
      for (int k = 0; k < 2; ++k) weight *= h >> k & 1 ? z.count(k) : rows + 1 - z.count(k);
      for (int j = 0; j < 3; ++j) {
        const double psi = b(j) + (h & 1) * w(j, 0) + (h >> 1) * w(j, 1),
                     sd = sigma * std::sqrt(own);
        const auto mean = [&](double of) {
          if (own == 0) return std::exp(log_prob_entry(of, psi));
          return double(integral(
              [&](long double t) {
                return std::exp(-0.5L * t * t / (sd * sd) + log_prob_entry(of, psi + t)) /
                       (sd * std::sqrt(2 * M_PI));
              },
              -10 * sd, 10 * sd, 24));
        };
        if (j < 2) weight *= mean(y(j));
        if (j == 2) p = mean(1);
      }
      total += weight;
      sum += weight * p;
      first += weight * (h & 1);
    }
  BinaryData::Signs signs(3, 1);
  signs << 1, -1, 0;
  const BinaryData none = as_binary(Eigen::MatrixXd::Constant(3, 3, NAN));
  Logistic given(none, fixed_scales(sigma, 1, true));
  given.set_weights(w, b);
  Rng rng(378);
  Mean response, bit;
  for (int n = 0; n < scaled(400, 4); ++n) {
    const buffet::NewRowSampler<Exchangeable> sampler{z, prior, 100};
    const auto means = sampler.sample(buffet::NewBinaryRow(signs.col(0), given), rng);
    response.add(means.response(2));
    bit.add(means.features(0));
  }
  CHECK(std::abs(z_score(response.value() - sum / total, response.variance())) < 4.5);
  CHECK(std::abs(z_score(bit.value() - first / total, bit.variance())) < 4.5);
}

namespace {

/// Checks the Polya-Gamma variables of a state: their means, and which entries have them.
void check_augmented(const LogisticCase& s, Rng& rng) {
  const Logistic likelihood = s.likelihood();
  const Eigen::MatrixXd psi = log_odds(dense(s.z), s.w, s.b);
  const int draws = 300;
  Mean share;
  for (int t = 0; t < draws; ++t) {
    const buffet::RegressionData data = likelihood.augment(s.z, rng);
    double drawn = 0, expected = 0;
    for (int i = 0; i < psi.rows(); ++i)
      for (int j = 0; j < psi.cols(); ++j) {
        const double y = s.y(i, j);
        CHECK(data.kappa(j, i) == (std::isnan(y) ? 0 : y - 0.5));
        if (std::isnan(y)) CHECK(data.omega(j, i) == 0);
        if (std::isnan(y)) continue;
        drawn += data.omega(j, i);
        expected += buffet::PolyaGamma::means(Eigen::ArrayXd::Constant(1, psi(i, j)))(0);
      }
    share.add(drawn - expected);
  }
  CHECK(std::abs(z_score(share.value(), share.variance())) < 4.5);
}

}  // namespace

TEST_CASE("Polya-Gamma variables match the log odds, and are absent for missing entries") {
  Rng rng(347);
  for (int n = 0; n < 30; ++n) check_augmented(LogisticCase::random(rng), rng);
}
