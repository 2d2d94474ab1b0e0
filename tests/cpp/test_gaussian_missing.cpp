#include <testthat/vendor/catch.h>

#include <limits>

#include "gaussian_case.h"
#include "scale.h"
#include "statistics.h"

using namespace test;

namespace {

/// A third of the entries are missing, and in some cases a whole row or column.
Eigen::MatrixXd incomplete_data(int rows, int columns, Rng& rng) {
  Eigen::MatrixXd x = draw_data(random_features(rows, 3, rng), columns, {0.7, 1.4}, rng);
  x = with_missing(x, 1 / 3.0, rng);
  if (rng.bernoulli(0.3)) x.row(rng.below(rows)).setConstant(std::nan(""));
  if (rng.bernoulli(0.3)) x.col(rng.below(columns)).setConstant(std::nan(""));
  return x;
}

/// Fills missing entries with arbitrary values.
void fill_in(GaussianCase& g, const Features& z, Rng& rng) {
  for (int i = 0; i < z.rows(); ++i)
    g.likelihood.completed().hidden(i) = draw_normal(g.data.hidden_count(i), 1, 1.3, rng);
  g.likelihood.reset(z);
}

/// log P(j + 1) - log P(j) for a Poisson variable.
double poisson_ratio(int j) {
  return std::log(0.9 / (j + 1));
}

/// Checks that P, M and G, on which all ratios depend, equal the values in a new likelihood.
void check_fresh(const GaussianCase& g, const Features& z, double margin = 1e-9) {
  buffet::GaussianCollapsed fresh(g.data, g.likelihood.precisions());
  fresh.completed() = g.likelihood.completed();
  fresh.reset(z);
  CHECK((g.likelihood.statistics().p - fresh.statistics().p).norm() < 1e-10 * (1 + g.data.total()));
  for (int i = 0; i < z.rows(); ++i) {
    buffet::GaussianCollapsed kept = g.likelihood, other = fresh;
    kept.enter(z, i);
    other.enter(z, i);
    for (int k = 0; k < z.size(); ++k)
      CHECK(kept.log_ratio(k) == Approx(other.log_ratio(k)).epsilon(1e-9).margin(margin));
  }
}

/// A visit as in a sweep, or a visit that draws nothing, with checks at every step.
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
  const bool draws = rng.bernoulli(0.7);
  g.likelihood.leave(z,
                     draws ? g.likelihood.draw_own(poisson_ratio, rng) : g.likelihood.own_count());
  check_fresh(g, z);
  g.likelihood.refresh(z);
  check_close(g.likelihood.log_lik(z), g.naive_log_lik(z));
  check_close(g.likelihood.log_lik(g.likelihood.statistics()),
              log_lik(dense(z), g.seen_from(-1), g.sigma));
}

/// The law of the missing entry (i, d) given z and the other rows in column d.
Moments law_of_entry(const GaussianCase& g, const Features& z, int i, int d) {
  const Eigen::MatrixXd on = dense(z);
  Eigen::MatrixXd covariance = std::pow(g.sigma.a, 2) * on * on.transpose();
  covariance.diagonal().array() += std::pow(g.sigma.x, 2);
  Eigen::VectorXd shared = covariance.col(i), values = g.seen_from(i).col(d);
  shared(i) = values(i) = 0;
  Eigen::MatrixXd others = covariance;
  others.row(i).setZero();
  others.col(i).setZero();
  others(i, i) = 1;
  const Eigen::VectorXd weights = others.inverse() * shared;
  return {weights.dot(values), covariance(i, i) - weights.dot(shared)};
}

}  // namespace

TEST_CASE(
    "ratios integrate out the row's missing entries, and a visit leaves the state of a reset") {
  Rng rng(171);
  for (int n = 0; n < 150; ++n) {
    const int rows = 3 + rng.below(7);
    GaussianCase g(incomplete_data(rows, 1 + rng.below(5), rng), {0.6, 1.7});
    Features z = random_features(rows, 1 + rng.below(5), rng);
    fill_in(g, z, rng);
    check_close(g.likelihood.log_lik(z), g.naive_log_lik(z));
    for (int visit = 0; visit < 4 && z.size() > 0; ++visit) check_visit(g, z, rng);
  }
}

// Without the row, M is of the order of sigma_a^2/sigma_x^2, so the row is removed by recomputing
// from scratch.
TEST_CASE("ratios integrate out missing entries of a row that alone determines a feature") {
  Rng rng(172);
  const Scales sigma{1e-2, 2};
  for (int n = 0; n < 50; ++n) {
    GaussianCase g(with_missing(draw_normal(6, 4, 1.5, rng), 0.3, rng), sigma);
    Features z = random_features(6, 2, rng);
    z.add_own(2);
    fill_in(g, z, rng);
    const double margin = 1e-7 * g.seen_from(-1).squaredNorm() / std::pow(sigma.x, 2);
    g.likelihood.enter(z, 2);
    for (int k = 0; k < z.size(); ++k)
      CHECK(g.likelihood.log_ratio(k) ==
            Approx(g.naive_log_ratio(z, 2, k)).epsilon(1e-8).margin(margin));
    g.likelihood.leave(z, g.likelihood.draw_own(poisson_ratio, rng));
    check_fresh(g, z, margin);
  }
}

TEST_CASE("missing entries have their law given the other rows and the features of their row") {
  const double none = std::nan("");
  Rng rng(173);
  Eigen::MatrixXd x = draw_normal(5, 4, 1.5, rng), matrix(5, 3);
  x(2, 0) = x(2, 3) = x(0, 0) = none;
  matrix << 1, 0, 1, 0, 1, 0, 1, 1, 0, 1, 0, 0, 1, 1, 1;
  for (int own : {0, 2}) {
    INFO(own << " features that only the row has");
    GaussianCase g(x, {0.6, 1.7});
    Features z = from_dense(matrix);
    fill_in(g, z, rng);
    Features known = z;
    for (int j = 0; j < own; ++j) known.add_own(2);
    Moments first = law_of_entry(g, known, 2, 0), last = law_of_entry(g, known, 2, 3);
    const double seen = g.seen_from(-1)(0, 0);
    const auto exactly = [&](int j) {
      return j < own ? 500.0 : -std::numeric_limits<double>::infinity();
    };
    for (int n = 0; n < scaled(20000); ++n) {
      g.likelihood.enter(z, 2);
      g.likelihood.leave(z, g.likelihood.draw_own(exactly, rng));
      g.likelihood.refresh(z);
      REQUIRE(z.size() == 3 + own);
      first.add(g.likelihood.completed().hidden(2)(0));
      last.add(g.likelihood.completed().hidden(2)(1));
    }
    CHECK(first.largest_z() < 4.5);
    CHECK(last.largest_z() < 4.5);
    CHECK(g.seen_from(-1)(0, 0) == seen);
  }
}

TEST_CASE("ratios of replaced columns agree with the completed data") {
  Rng rng(174);
  for (int n = 0; n < 100; ++n) {
    GaussianCase g(incomplete_data(6, 3, rng), {0.6, 1.7});
    const Features z = random_features(6, 1 + rng.below(5), rng);
    fill_in(g, z, rng);
    const Eigen::MatrixXd seen = g.seen_from(-1);
    Features proposal = z;
    const int k = rng.below(z.size());
    proposal.replace(k, random_features(6, 1, rng).column(0));
    const double before = log_lik(dense(z), seen, g.sigma);
    check_close(g.likelihood.log_ratio_replaced(k, proposal.column(k), z),
                log_lik(dense(proposal), seen, g.sigma) - before, std::abs(before));
  }
}

TEST_CASE("data with no observed entries carry no information") {
  GaussianCase g(Eigen::MatrixXd::Constant(4, 2, std::nan("")), {0.6, 1.7});
  Rng rng(175);
  Features z = random_features(4, 3, rng);
  fill_in(g, z, rng);
  CHECK(g.likelihood.log_lik(z) == Approx(0).margin(1e-12));
  CHECK(g.data.observed() == 0);
  check_row((g.likelihood.enter(z, 1), g), z, 1);
  for (int k = 0; k < 3; ++k) CHECK(g.likelihood.log_ratio(k) == Approx(0).margin(1e-12));
}
