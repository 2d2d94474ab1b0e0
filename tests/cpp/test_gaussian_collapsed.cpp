#include <testthat/vendor/catch.h>

#include "gaussian_case.h"

using namespace test;

namespace {

/// Visits a random row and flips some bits that other rows also have; checks are made in between.
void check_visit(GaussianCase& g, Features& z, Rng& rng) {
  const int i = rng.below(z.rows());
  g.likelihood.enter(z, i);
  check_row(g, z, i);
  for (int n = 0; n < 3; ++n) {
    const int k = rng.below(z.size());
    if (z.is_own(i, k)) continue;
    z.flip(i, k);
    g.likelihood.flip(k);
    check_row(g, z, i);
  }
  g.likelihood.leave(z, rng.below(3));
  g.likelihood.refresh(z);
  check_close(g.likelihood.log_lik(z), g.naive_log_lik(z));
}

void check_random_states(int columns, Scales sigma, bool rotate = true) {
  Rng rng(61, columns);
  for (int n = 0; n < 50; ++n) {
    const int rows = 3 + rng.below(8);
    GaussianCase g(rows, columns, sigma, rng, rotate);
    Features z = random_features(rows, 1 + rng.below(6), rng);
    g.likelihood.reset(z);
    check_close(g.likelihood.log_lik(z), g.naive_log_lik(z));
    for (int visit = 0; visit < 4 && z.size() > 0; ++visit) check_visit(g, z, rng);
  }
}

}  // namespace

TEST_CASE(
    "ratios of bits equal differences of the likelihood, including after flips during a visit") {
  check_random_states(4, {0.6, 1.7});
}

TEST_CASE("ratios are right with more columns than rows, rotated or plain") {
  check_random_states(25, {0.6, 1.7}, true);
  check_random_states(25, {0.6, 1.7}, false);
}

TEST_CASE("rotated data have the likelihood of the original data, even if rows repeat") {
  Rng rng(62);
  for (int n = 0; n < 50; ++n) {
    const int rows = 2 + rng.below(7);
    Eigen::MatrixXd x = draw_normal(rows, 30, 1.3, rng);
    if (n % 2) x.row(0) = x.row(rows - 1);
    GaussianCase rotated(x, {0.6, 1.7}), plain(x, {0.6, 1.7}, false);
    CHECK(rotated.data.width() == rows);
    CHECK(plain.data.width() == 30);
    CHECK(rotated.data.columns() == 30);
    check_close(rotated.data.root_mean_square(), plain.data.root_mean_square());
    const Features z = random_features(rows, 4, rng);
    rotated.likelihood.reset(z);
    plain.likelihood.reset(z);
    check_close(rotated.likelihood.log_lik(z), plain.likelihood.log_lik(z));
    check_close(rotated.likelihood.log_lik(z), rotated.naive_log_lik(z));
  }
}

TEST_CASE("without features, the likelihood is the likelihood of pure noise") {
  Rng rng(63);
  GaussianCase g(5, 3, {0.6, 1.7}, rng);
  const Features z(5);
  g.likelihood.reset(z);
  check_close(g.likelihood.log_lik(z), g.naive_log_lik(z));
}

namespace {

/// True if the other rows determine the features that row i shares.
bool told_apart(const Features& z, int i) {
  Eigen::MatrixXd others(z.rows(), 0);
  for (int k = 0; k < z.size(); ++k) {
    if (z.is_own(i, k)) continue;
    others.conservativeResize(z.rows(), others.cols() + 1);
    others.rightCols(1) = dense(z).col(k);
  }
  others.row(i).setZero();
  return others.cols() == 0 || Eigen::FullPivLU<Eigen::MatrixXd>(others).rank() == others.cols();
}

}  // namespace

// For a row with a singleton, 1 - z M z' is about rho = 1e-8 here; below 1e-7, the row is removed
// by recomputing from scratch. The terms are of the order of the data divided by the noise
// variance, and the condition number is 1/rho. If the other rows do not determine the features, M
// itself is of order 1/rho and no digit is accurate; such states are not tried here.
TEST_CASE("ratios are right if a single row determines a feature and the noise is tiny") {
  Rng rng(64);
  const Scales sigma{2e-4, 2};
  int tried = 0;
  while (tried < 50) {
    GaussianCase g(6, 4, sigma, rng);
    const double margin = 1e-8 * g.x.squaredNorm() / (sigma.x * sigma.x);
    Features z = random_features(6, 3, rng);
    z.add_own(2);
    if (!told_apart(z, 2)) continue;
    ++tried;
    g.likelihood.reset(z);
    g.likelihood.enter(z, 2);
    for (int visit = 0; visit < 3; ++visit) {
      for (int k = 0; k < z.size(); ++k)
        CHECK(g.likelihood.log_ratio(k) ==
              Approx(g.naive_log_ratio(z, 2, k)).epsilon(1e-8).margin(margin));
      const int k = rng.below(3);
      if (z.is_own(2, k)) continue;
      z.flip(2, k);
      g.likelihood.flip(k);
    }
    g.likelihood.leave(z, 1);
    g.likelihood.refresh(z);
    CHECK(g.likelihood.log_lik(z) == Approx(g.naive_log_lik(z)).epsilon(1e-8).margin(margin));
  }
}

TEST_CASE("ratios are right for equal and dependent features if the noise sd is 0.01") {
  Rng rng(71);
  const Scales sigma{2e-2, 2};
  for (int n = 0; n < 100; ++n) {
    GaussianCase g(6, 4, sigma, rng);
    const double margin = 1e-7 * g.x.squaredNorm() / (sigma.x * sigma.x);
    Features z = random_features(6, 2, rng);
    z.add(z.column(0));
    z.add_own(2);
    z.add_own(2);
    g.likelihood.reset(z);
    g.likelihood.enter(z, 2);
    for (int k = 0; k < z.size(); ++k)
      CHECK(g.likelihood.log_ratio(k) ==
            Approx(g.naive_log_ratio(z, 2, k)).epsilon(1e-8).margin(margin));
  }
}

TEST_CASE("many visits without a refresh leave the same state as a fresh start") {
  Rng rng(65);
  GaussianCase g(12, 4, {0.6, 1.7}, rng);
  Features z = random_features(12, 4, rng);
  g.likelihood.reset(z);
  for (int visit = 0; visit < 500; ++visit) {
    const int i = rng.below(12);
    g.likelihood.enter(z, i);
    for (int k = 0; k < z.size(); ++k)
      if (!z.is_own(i, k) && rng.bernoulli(0.3)) {
        z.flip(i, k);
        g.likelihood.flip(k);
      }
    g.likelihood.leave(z, z.size() < 6 ? rng.below(3) : 0);
  }
  REQUIRE(z.size() > 2);
  check_row((g.likelihood.enter(z, 3), g), z, 3);
  buffet::GaussianCollapsed fresh(g.data, g.likelihood.precisions());
  fresh.reset(z);
  fresh.enter(z, 3);
  for (int k = 0; k < z.size(); ++k)
    CHECK(g.likelihood.log_ratio(k) == Approx(fresh.log_ratio(k)).epsilon(1e-9));
  CHECK((g.likelihood.loadings() - fresh.loadings()).norm() < 1e-10 * fresh.loadings().norm());
}

TEST_CASE("ratios of replaced columns equal differences of the likelihood") {
  Rng rng(72);
  for (int n = 0; n < 200; ++n) {
    const int rows = 3 + rng.below(8);
    GaussianCase g(rows, 4, {0.6, 1.7}, rng);
    const Features z = random_features(rows, 1 + rng.below(7), rng);
    Features proposal = z;
    const int k = rng.below(z.size());
    const buffet::Bits column = random_features(rows, 1, rng).column(0);
    proposal.replace(k, column);
    g.likelihood.reset(z);
    const double before = g.naive_log_lik(z);
    check_close(g.likelihood.log_ratio_replaced(k, column, z), g.naive_log_lik(proposal) - before,
                std::abs(before));
  }
}

TEST_CASE("loadings are their posterior mean given Z") {
  Rng rng(66);
  GaussianCase g(8, 3, {0.6, 1.7}, rng);
  const Features z = random_features(8, 3, rng);
  g.likelihood.reset(z);
  const Eigen::MatrixXd d = dense(z);
  Eigen::MatrixXd precision = d.transpose() * d / 0.36;
  precision.diagonal().array() += 1 / (1.7 * 1.7);
  const Eigen::MatrixXd mean = precision.inverse() * d.transpose() * g.x / 0.36;
  CHECK((g.likelihood.loadings() - mean.transpose()).norm() < 1e-10);
}

TEST_CASE("the likelihood uses changed precisions and a noise floor") {
  Rng rng(67);
  GaussianCase g(8, 3, {0.6, 1.7}, rng);
  const Features z = random_features(8, 3, rng);
  g.likelihood.set_precisions(1 / 0.81, 1 / 1.21);
  g.likelihood.reset(z);
  check_close(g.likelihood.log_lik(z), log_lik(dense(z), g.x, {0.9, 1.1}));
  g.likelihood.anneal(0);
  const double rms = std::sqrt(g.x.squaredNorm() / g.x.size());
  check_close(g.likelihood.log_lik(z), log_lik(dense(z), g.x, {std::max(rms, 0.9), 1.1}));
  g.likelihood.anneal(1);
  check_close(g.likelihood.log_lik(z), log_lik(dense(z), g.x, {0.9, 1.1}));
}

TEST_CASE("the likelihood from eigenvalues equals the likelihood") {
  Rng rng(68);
  for (int n = 0; n < 50; ++n) {
    GaussianCase g(7, 4, {0.6, 1.7}, rng);
    const Features z = random_features(7, rng.below(12), rng);
    g.likelihood.reset(z);
    const buffet::GaussianScales scales(buffet::DataSize::of(g.data, 4), g.likelihood.precisions());
    check_close(
        scales.log_lik(buffet::Spectrum(z, g.likelihood.statistics(), g.likelihood.completed())),
        g.naive_log_lik(z));
  }
}

TEST_CASE("rounding errors that a huge entry leaves in P are removed at the hundredth sweep") {
  Rng rng(72);
  Eigen::MatrixXd x = draw_normal(6, 3, 1, rng);
  x(2, 1) = 1e8;
  GaussianCase g(x, {1e8, 1e8}, false), fresh(x, {1e8, 1e8}, false);
  Features z = random_features(6, 3, rng);
  g.likelihood.reset(z);
  bool drifted = false;
  for (int sweep = 1; sweep <= 100; ++sweep) {
    g.likelihood.enter(z, 2);
    for (int k = 0; k < z.size(); ++k) {
      if (z.is_own(2, k)) continue;
      z.flip(2, k);
      g.likelihood.flip(k);
    }
    g.likelihood.leave(z, 0);
    g.likelihood.refresh(z);
    fresh.likelihood.reset(z);
    drifted |= g.likelihood.statistics().p != fresh.likelihood.statistics().p;
  }
  CHECK(drifted);
  CHECK(g.likelihood.statistics().p == fresh.likelihood.statistics().p);
}
