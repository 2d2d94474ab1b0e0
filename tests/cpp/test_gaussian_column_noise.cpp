#include <testthat/vendor/catch.h>

#include <cmath>
#include <vector>

#include "core/archive.h"
#include "explicit_case.h"

using buffet::GaussianColumnNoise;
using namespace test;

namespace {

Scales random_scales(int columns, Rng& rng) {
  Scales sigma{1, 1.7};
  for (int d = 0; d < columns; ++d) sigma.columns.push_back(0.3 + 2 * rng.uniform());
  return sigma;
}

using NoisyCase = ExplicitCase<GaussianColumnNoise>;

const Scales unequal{1, 1.7, {0.4, 1.1, 0.8}};

}  // namespace

TEST_CASE("ratios given loadings weight every column by its own noise") {
  for (double missing : {0.0, 0.3}) check_ratios<GaussianColumnNoise>(missing, random_scales);
}
TEST_CASE("numbers of singletons have their weights if each column has its own noise") {
  check_own_numbers<GaussianColumnNoise>(unequal);
}
TEST_CASE("loadings of singletons have their law if each column has its own noise") {
  check_own_loadings<GaussianColumnNoise>(unequal);
}

TEST_CASE("a bound on the gain from one more singleton decreases, and is never below the gain") {
  Rng rng(233);
  for (int n = 0; n < 50; ++n) {
    buffet::OwnColumnDensity density;
    density.set(draw_normal(4, 1, 1.5, rng).array().square());
    density.enter(draw_normal(4, 1, 5 * rng.uniform(), rng).array().square());
    for (int j = 1; j < 20; ++j) {
      CHECK(density.most_gain(j) >= density(j) - density(j - 1));
      if (j > 1) CHECK(density.most_gain(j) <= density.most_gain(j - 1));
    }
  }
}

TEST_CASE("the likelihood of the observed entries integrates out the loadings") {
  Rng rng(234);
  for (int n = 0; n < 60; ++n) {
    const int rows = 2 + rng.below(7), columns = 1 + rng.below(5);
    const Features z = random_features(rows, rng.below(5), rng);
    NoisyCase c(with_missing(draw_normal(rows, columns, 1.6, rng), n % 2 * 0.3, rng),
                random_scales(columns, rng));
    check_close(c.likelihood.log_lik(z), log_lik(dense(z), c.x, c.sigma));
  }
}

TEST_CASE("chains start at the loadings' posterior mean, and saved draws begin with the noise") {
  Rng rng(235);
  Features z = random_features(6, 3, rng);
  NoisyCase c(with_missing(draw_normal(6, 4, 1.6, rng), 0.2, rng), random_scales(4, rng));
  std::vector<std::vector<Moments>> moments;
  c.likelihood.reset(z);
  const Eigen::MatrixXd kept = c.likelihood.loadings();
  for (int d = 0; d < 4; ++d) CHECK(kept(d, 0) == Approx(c.sigma.noise(d)));
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(3, 4), squares = sum;
  const int draws = scaled(20000);
  for (int n = 0; n < draws; ++n) {
    const Eigen::MatrixXd a = draw_loadings(dense(z), c.x, c.sigma, rng);
    sum += a;
    squares += a.cwiseAbs2();
  }
  for (int d = 0; d < 4; ++d)
    for (int k = 0; k < 3; ++k) {
      const double mean = sum(k, d) / draws, variance = squares(k, d) / draws - mean * mean;
      CHECK(std::abs(z_score(mean - kept(d, k + 1), variance / draws)) < 4.5);
    }
}

TEST_CASE("the noise of each column is drawn from its law given the loadings") {
  const OneShared<GaussianColumnNoise> s(unequal);
  GaussianColumnNoise likelihood(s.data, {Hyper::gamma(4.2, 1.7), Hyper::gamma(5.1, 3.3)});
  likelihood.reset(s.z);
  std::vector<Moments> precisions;
  for (int d = 0; d < 3; ++d) {
    double shape = 4.2, rate = 1.7;
    for (int i = 0; i < 3; ++i) {
      if (std::isnan(s.x(i, d))) continue;
      shape += 0.5;
      rate += 0.5 * std::pow(s.x(i, d) - s.loading(d), 2);
    }
    precisions.emplace_back(shape / rate, shape / (rate * rate));
  }
  const double shape = 5.1 + 1.5, rate = 3.3 + 0.5 * s.loading.squaredNorm();
  Moments of_loadings(shape / rate, shape / (rate * rate));
  Rng rng(236);
  for (int n = 0; n < scaled(50000); ++n) {
    likelihood.set_weights(s.loading);
    likelihood.update(s.z, rng);
    for (int d = 0; d < 3; ++d) precisions[d].add(likelihood.precisions().x()(d));
    of_loadings.add(std::pow(likelihood.sigma_a(), -2));
  }
  for (const Moments& m : precisions) CHECK(m.largest_z() < 4.5);
  CHECK(of_loadings.largest_z() < 4.5);
  CHECK((likelihood.weights() - s.loading).norm() < 1e-12);
  CHECK(likelihood.loadings().cols() == 2);
}

TEST_CASE("a search has noise floors in proportion to the columns, but none at its end") {
  Rng rng(237);
  Eigen::MatrixXd x = draw_normal(40, 3, 1, rng);
  x.col(1) *= 10;
  const Features z = random_features(40, 2, rng);
  NoisyCase c(x, {1, 1.7, {0.05, 0.5, 0.05}});
  const auto sigmas = [&] { return c.likelihood.precisions().sigmas(); };
  c.likelihood.reset(z);
  const Eigen::MatrixXd before = c.likelihood.weights();
  c.likelihood.anneal(0);
  CHECK(sigmas()(0) == Approx(std::sqrt(x.col(0).squaredNorm() / 40)));
  CHECK(sigmas()(1) == Approx(std::sqrt(x.col(1).squaredNorm() / 40)));
  CHECK((c.likelihood.weights() - before).norm() < 1e-12);
  NoisyCase read(x, c.sigma);
  read.likelihood.reset(z);
  from_bytes(to_bytes(c.likelihood), read.likelihood);
  CHECK((read.likelihood.precisions().sigmas() == sigmas()).all());
  c.likelihood.anneal(1);
  for (int d = 0; d < 3; ++d) CHECK(sigmas()(d) == Approx(c.sigma.noise(d)));
  GaussianColumnNoise learned(c.data, {Hyper::gamma(1, 1), Hyper::gamma(1, 1)});
  learned.restart();
  learned.reset(z);
  learned.anneal(0.375);
  for (int n = 0; n < 20; ++n) learned.update(z, rng);
  const Eigen::ArrayXd floors = learned.precisions().sigmas();
  CHECK(floors(0) >= 0.999 * std::sqrt(x.col(0).squaredNorm() / 400));
  CHECK(floors(1) >= 0.999 * std::sqrt(x.col(1).squaredNorm() / 400));
}
