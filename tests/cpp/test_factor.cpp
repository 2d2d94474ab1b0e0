#include <testthat/vendor/catch.h>

#include <cmath>
#include <vector>

#include "factor_joint.h"
#include "log_normal.h"
#include "quadrature.h"
#include "scale.h"

using namespace test;
using buffet::CountWeight;
using buffet::FactorNoise;
using buffet::LaplaceWeight;
using buffet::NonnegativeWeight;
using buffet::NormalWeight;
using buffet::SweptRegression;
using buffet::WeightsJointly;
using buffet::WeightsSingly;

namespace {

/// E[f(v) exp(u v - lambda v^2 / 2)] under a law, by quadrature.
template <class Law, class F>
long double expected(long double u, long double lambda, F f) {
  const auto weighted = [&](long double v) {
    return f(v) * std::exp(u * v - 0.5L * lambda * v * v + Law::log_density(double(v)));
  };
  if (!Law::scales) {
    long double sum = 0;
    for (int v = 1; v < 400; ++v) sum += weighted(v);
    return sum;
  }
  const long double above = integral(weighted, 0, 60, 200);
  if (Law::log_density(-1) == Law::log_density(1) && !std::is_same_v<Law, NonnegativeWeight>)
    return above + integral(weighted, -60, 0, 200);
  return above;
}

/// Compares means under the law, and draws given u and lambda, with quadrature.
template <class Law>
void check_law() {
  Rng rng(401);
  for (double u : {-3.0, -0.4, 0.0, 1.1, 4.0, 9.0})
    for (double lambda : {0.3, 1.0, 6.0}) {
      INFO("u " << u << ", lambda " << lambda);
      const auto one = [](long double) { return 1.0L; };
      const long double total = expected<Law>(u, lambda, one);
      CHECK(Law::log_mean(u, lambda) == Approx(double(std::log(total))).epsilon(1e-9).margin(1e-9));
      const double mean = double(expected<Law>(u, lambda, [](long double v) { return v; }) / total);
      const double square =
          double(expected<Law>(u, lambda, [](long double v) { return v * v; }) / total);
      if (square - mean * mean < 1e-3) continue;  // counts that are 1 in all draws
      Moments moments(mean, square - mean * mean);
      for (int n = 0; n < scaled(20000); ++n) moments.add(Law::draw_given(u, lambda, rng));
      CHECK(moments.largest_z() < 4.5);
    }
  Mean size;
  for (int n = 0; n < scaled(20000); ++n) size.add(std::abs(Law::draw(rng)));
  const double mean = double(expected<Law>(0, 0, [](long double v) { return std::abs(v); }));
  CHECK(std::abs(z_score(size.value() - mean, size.variance())) < 4.5);
}

/// Random weighted features, with the data as a chain sees them.
template <class Likelihood, class Law>
struct FactorCase {
  FactorModel<Law> model;
  FactorJoint joint;
  buffet::GaussianData data;
  Likelihood likelihood;

  FactorCase(NoiseOf noise, bool hides, Rng& rng)
      : model{prior_cases()[0], 5, 4, noise, hides, hides},
        joint(with_features(model, rng)),
        data(Eigen::MatrixXd(shown(model, joint.x).transpose()), false),
        likelihood(data, {5, 4, noise, Hyper::fixed(1)}, {Hyper::fixed(1), hides}) {
    likelihood.set(joint.a.transpose(), joint.v);
    likelihood.set_precisions(joint.noise, 1 / (joint.sigma_a * joint.sigma_a));
    likelihood.set_local_precisions(joint.local);
  }
  FactorCase(const FactorCase&) = delete;

  static FactorJoint with_features(const FactorModel<Law>& model, Rng& rng) {
    for (;;) {
      FactorJoint joint = model.draw(rng);
      if (joint.z.size() > 1 && joint.z.size() < 6) return joint;
    }
  }
  Eigen::VectorXd row(int i) const {
    Eigen::VectorXd x = joint.x.row(i);
    for (int d = 0; d < model.columns; ++d)
      if (model.is_hidden(i, d)) x(d) = NAN;
    return x;
  }
  Eigen::MatrixXd noise_of(int i) const {
    Eigen::VectorXd variances(model.columns);
    for (int d = 0; d < model.columns; ++d) variances(d) = 1 / model.precision(joint, i, d);
    return variances.asDiagonal();
  }
};

template <class F>
void for_kinds_of_noise(F f) {
  for (NoiseOf noise : {NoiseOf::all, NoiseOf::row, NoiseOf::column})
    for (bool hides : {false, true}) f(noise, hides);
}

}  // namespace

TEST_CASE("laws of weights have the means and draws of their densities") {
  check_law<NormalWeight>();
  check_law<NonnegativeWeight>();
  check_law<LaplaceWeight>();
  check_law<CountWeight>();
}

TEST_CASE("variables added and removed by sweeps have the ratios and weights of the regression") {
  Rng rng(402);
  for (int n = 0; n < 30; ++n) {
    const int size = 1 + rng.below(6), rows = 7;
    const Eigen::MatrixXd a = draw_normal(rows, size, 1.3, rng), y = draw_normal(rows, 1, 2, rng);
    SweptRegression swept;
    swept.set(a.transpose() * a, a.transpose() * y);
    std::vector<char> in(size, 0);
    const auto log_density = [&](const std::vector<char>& of) {
      Eigen::MatrixXd covariance = Eigen::MatrixXd::Identity(rows, rows);
      for (int k = 0; k < size; ++k)
        if (of[k]) covariance += a.col(k) * a.col(k).transpose();
      return log_normal(y, covariance);
    };
    for (int t = 0; t < 20; ++t) {
      for (int k = 0; k < size; ++k) {
        auto on = in, off = in;
        on[k] = 1;
        off[k] = 0;
        CHECK(swept.log_ratio(k, in[k]) ==
              Approx(log_density(on) - log_density(off)).epsilon(1e-8).margin(1e-8));
      }
      const int k = rng.below(size);
      swept.flip(k, in[k]);
      in[k] = !in[k];
      std::vector<int> active;
      for (int l = 0; l < size; ++l)
        if (in[l]) active.push_back(l);
      const auto count = static_cast<int>(active.size());
      Eigen::MatrixXd kept(rows, count);
      for (int l = 0; l < count; ++l) kept.col(l) = a.col(active[l]);
      const Eigen::MatrixXd inverse =
          (kept.transpose() * kept + Eigen::MatrixXd::Identity(count, count)).inverse();
      const Eigen::VectorXd mean = inverse * (kept.transpose() * y);
      for (int l = 0; l < count; ++l) {
        CHECK(swept.mean(active[l]) == Approx(mean(l)).margin(1e-9));
        CHECK(swept.covariance(active[l], active[0]) == Approx(inverse(l, 0)).margin(1e-9));
      }
    }
  }
}

TEST_CASE("bits with normal weights have the ratios of rows with all weights integrated out") {
  Rng rng(403);
  for_kinds_of_noise([&](NoiseOf noise, bool hides) {
    for (int n = 0; n < 10; ++n) {
      FactorCase<WeightsJointly, NormalWeight> c(noise, hides, rng);
      const int i = rng.below(5);
      const auto log_density = [&](int k, bool on) {
        Eigen::MatrixXd covariance = c.noise_of(i);
        for (int l = 0; l < c.joint.z.size(); ++l)
          if (l == k ? on : c.joint.z.at(i, l))
            covariance += c.joint.a.row(l).transpose() * c.joint.a.row(l);
        return log_normal(c.row(i), covariance);
      };
      c.likelihood.enter(c.joint.z, i);
      for (int k = 0; k < c.joint.z.size(); ++k)
        CHECK(c.likelihood.log_ratio(k) ==
              Approx(log_density(k, true) - log_density(k, false)).epsilon(1e-8).margin(1e-8));
    }
  });
}

TEST_CASE("bits drawn one by one have the ratios of rows with the bit's weight integrated out") {
  Rng rng(404);
  for_kinds_of_noise([&](NoiseOf noise, bool hides) {
    for (int n = 0; n < 10; ++n) {
      FactorCase<WeightsSingly<LaplaceWeight>, LaplaceWeight> c(noise, hides, rng);
      const int i = rng.below(5);
      c.likelihood.enter(c.joint.z, i);
      for (int k = 0; k < c.joint.z.size(); ++k) {
        const Eigen::VectorXd a = c.joint.a.row(k);
        Eigen::VectorXd rest = c.row(i);
        for (int l = 0; l < c.joint.z.size(); ++l)
          if (l != k) rest -= c.joint.v(i, l) * c.joint.a.row(l).transpose();
        long double u = 0, lambda = 0;
        for (int d = 0; d < 4; ++d)
          if (!std::isnan(rest(d))) {
            u += rest(d) * a(d) / c.noise_of(i)(d, d);
            lambda += a(d) * a(d) / c.noise_of(i)(d, d);
          }
        const long double ratio =
            expected<LaplaceWeight>(u, lambda, [](long double) { return 1.0L; });
        CHECK(c.likelihood.log_ratio(k) ==
              Approx(double(std::log(ratio))).epsilon(1e-6).margin(1e-6));
      }
    }
  });
}

TEST_CASE("the log likelihood of columns integrates out their loadings") {
  Rng rng(405);
  for_kinds_of_noise([&](NoiseOf noise, bool hides) {
    for (int n = 0; n < 10; ++n) {
      FactorCase<WeightsJointly, NormalWeight> c(noise, hides, rng);
      const Eigen::MatrixXd scaled = c.joint.v * c.model.sds(c.joint).asDiagonal();
      double sum = 0;
      for (int d = 0; d < 4; ++d) {
        Eigen::VectorXd x(5), variances(5);
        for (int i = 0; i < 5; ++i) {
          x(i) = c.row(i)(d);
          variances(i) = 1 / c.model.precision(c.joint, i, d);
        }
        Eigen::MatrixXd covariance = variances.asDiagonal();
        covariance += scaled * scaled.transpose();
        sum += log_normal(x, covariance);
      }
      CHECK(c.likelihood.log_lik(c.joint.z) == Approx(sum).epsilon(1e-9));
    }
  });
}

TEST_CASE("initial weights follow the rows of the features and the support of the law") {
  Rng rng(406);
  for (int n = 0; n < 20; ++n) {
    FactorCase<WeightsSingly<CountWeight>, CountWeight> c(NoiseOf::row, n % 2 == 0, rng);
    c.likelihood.reset(c.joint.z);
    const Eigen::MatrixXd& v = c.likelihood.weights();
    for (int k = 0; k < c.joint.z.size(); ++k)
      for (int i = 0; i < 5; ++i) {
        CHECK((v(i, k) != 0) == c.joint.z.at(i, k));
        CHECK(v(i, k) == std::round(v(i, k)));
        CHECK(v(i, k) >= 0);
      }
  }
  // Without noise, a single feature is recovered up to its scale.
  const Eigen::MatrixXd a = draw_normal(1, 6, 1, rng);
  Eigen::MatrixXd v(5, 1);
  v << 1.4, 0, 0.8, -0.5, 1.1;
  const buffet::GaussianData data(Eigen::MatrixXd((v * a).transpose()), false);
  Eigen::MatrixXd on = Eigen::MatrixXd::Ones(5, 1);
  on(1) = 0;
  const Eigen::MatrixXd found = buffet::weights_of_rank_one<NormalWeight>(from_dense(on), data);
  for (int i = 0; i < 5; ++i) CHECK(found(i, 0) == Approx(v(i) * 2 / v.norm()).margin(1e-9));
}

TEST_CASE("a feature with a share of the variance below rounding can be replaced by noise") {
  Rng rng(407);
  FactorNoise noise(1, 3, NoiseOf::row, Hyper::gamma(1, 1));
  const buffet::LoadingScales scales(Hyper::fixed(1), false);
  buffet::NoiseOrFeature<NormalWeight> exchange(noise, 0, scales);
  // Births are practically impossible, deaths practically certain.
  for (double size : {1e-1, 1e-8, 1e-10, 1e-100}) {
    std::vector<buffet::OwnWeight> own{{size, 1}};
    for (int n = 0; n < 10; ++n)
      exchange.move(
          own, [](int) { return -600.0; }, rng);
    CHECK(own.empty());
  }
}
