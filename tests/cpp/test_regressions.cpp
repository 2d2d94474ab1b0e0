#include "draws.h"
#include "gaussian_case.h"
#include "gibbs/halves.h"
#include "regression/regression_rows.h"
#include "regression/regressions.h"
#include "scale.h"
#include "statistics.h"

using buffet::RegressionData;
using buffet::RegressionFactor;
using buffet::RegressionPrior;
using buffet::RegressionRows;
using buffet::Regressions;
using buffet::RegressionStatistics;
using namespace test;

namespace {

/// Regressions on random features, with some missing entries.
struct RegressionCase {
  Features z;
  RegressionData data;
  RegressionPrior prior;

  static RegressionCase random(Rng& rng, int least = 0) {
    const int rows = 1 + rng.below(9), columns = 1 + rng.below(rng.bernoulli(0.2) ? 50 : 5);
    RegressionCase c{random_features(rows, least + rng.below(6), rng),
                     {Eigen::MatrixXd::Zero(columns, rows), Eigen::MatrixXd::Zero(columns, rows)},
                     {0.1 + 2 * rng.uniform()}};
    c.prior.has_bias = rng.bernoulli(0.5);
    if (c.prior.has_bias) c.prior.bias = 0.1 + 2 * rng.uniform();
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) {
        if (rng.bernoulli(0.2)) continue;
        c.data.omega(j, i) = 0.02 + 0.5 * rng.uniform();
        c.data.kappa(j, i) = rng.bernoulli(0.5) ? 0.5 : -0.5;
      }
    return c;
  }

  /// Design matrix, with the bias as the first column.
  Eigen::MatrixXd design(const Features& of) const {
    const Eigen::MatrixXd on = dense(of);
    if (!prior.has_bias) return on;
    Eigen::MatrixXd all(on.rows(), on.cols() + 1);
    all << Eigen::VectorXd::Ones(on.rows()), on;
    return all;
  }
  Eigen::VectorXd precisions(int size) const {
    Eigen::VectorXd p = Eigen::VectorXd::Constant(size, prior.weight);
    if (prior.has_bias) p(0) = prior.bias;
    return p;
  }
  double log_evidence(const Features& of) const;
};

/// Log of the normal integral of exp(kappa' psi - psi' diag(omega) psi / 2), psi = S w: the
/// marginal normal log density of kappa / omega minus the log density with psi = 0.
double log_normal_ratio(const Eigen::MatrixXd& s, const Eigen::VectorXd& omega,
                        const Eigen::VectorXd& kappa, const Eigen::VectorXd& precisions) {
  Eigen::MatrixXd covariance = s * precisions.cwiseInverse().asDiagonal() * s.transpose();
  std::vector<int> have;
  for (int i = 0; i < omega.size(); ++i)
    if (omega(i) > 0) have.push_back(i);
  const int n = static_cast<int>(have.size());
  Eigen::MatrixXd marginal(n, n);
  Eigen::VectorXd value(n);
  double log_ratio = 0;
  for (int a = 0; a < n; ++a) {
    for (int b = 0; b < n; ++b) marginal(a, b) = covariance(have[a], have[b]);
    const double o = omega(have[a]);
    marginal(a, a) += 1 / o;
    value(a) = kappa(have[a]) / o;
    log_ratio += 0.5 * o * value(a) * value(a) - 0.5 * std::log(o);
  }
  if (n == 0) return 0;
  const double log_det = std::log(marginal.determinant());
  return log_ratio - 0.5 * log_det - 0.5 * value.dot(marginal.inverse() * value);
}

double RegressionCase::log_evidence(const Features& of) const {
  const Eigen::MatrixXd s = design(of);
  double sum = 0;
  for (int j = 0; j < data.width(); ++j)
    sum += log_normal_ratio(s, data.omega.row(j).transpose(), data.kappa.row(j).transpose(),
                            precisions(static_cast<int>(s.cols())));
  return sum;
}

/// Mean and covariance of the bias and weights of column j.
struct Law {
  Eigen::VectorXd mean;
  Eigen::MatrixXd covariance;
};
Law weights_of(const RegressionCase& c, const Features& z, int j) {
  const Eigen::MatrixXd s = c.design(z), omega = c.data.omega.row(j).asDiagonal();
  const Eigen::MatrixXd prior = c.precisions(static_cast<int>(s.cols())).asDiagonal();
  const Eigen::MatrixXd covariance = (s.transpose() * omega * s + prior).inverse();
  return {covariance * s.transpose() * c.data.kappa.row(j).transpose(), covariance};
}

bool same_statistics(const RegressionStatistics& a, const RegressionStatistics& b) {
  bool same = a.size() == b.size();
  for (int k = 0; same && k < a.size(); ++k) {
    same = a.h(k).isApprox(b.h(k), 1e-12) || (a.h(k) - b.h(k)).abs().maxCoeff() < 1e-12;
    for (int l = 0; same && l < a.size(); ++l)
      same = (a.lambda(k, l) - b.lambda(k, l)).abs().maxCoeff() < 1e-12;
  }
  return same;
}

}  // namespace

TEST_CASE("statistics of regressions updated column by column equal recomputed ones") {
  Rng rng(341);
  for (int n = 0; n < 200; ++n) {
    RegressionCase c = RegressionCase::random(rng);
    RegressionStatistics s(c.z, c.data, c.prior.has_bias);
    for (int step = 0; step < 12; ++step) {
      const buffet::Bits column = random_features(c.z.rows(), 1, rng).column(0);
      const int what = rng.below(3);
      if (what == 0) {
        c.z.add(column);
        s.add_column(c.z, c.data);
      } else if (c.z.size() > 0) {
        const int k = rng.below(c.z.size());
        if (what == 1) {
          c.z.replace(k, column);
          s.set_column(k, c.z, c.data);
        } else {
          c.z.drop(k);
          s.drop(k);
        }
      }
      REQUIRE(same_statistics(s, RegressionStatistics(c.z, c.data, c.prior.has_bias)));
    }
  }
}

TEST_CASE("evidences of regressions and their ratios agree with marginal normals") {
  Rng rng(342);
  for (int n = 0; n < 200; ++n) {
    const RegressionCase c = RegressionCase::random(rng, 1);
    Regressions r(c.z, c.data, c.prior);
    const double here = c.log_evidence(c.z);
    check_close(r.current_log_lik(), here, std::abs(here));
    const int k = rng.below(c.z.size());
    buffet::Bits column = random_features(c.z.rows(), 1, rng).column(0);
    if (n % 4 == 0 && c.z.count(k) < c.z.rows()) column = complement(c.z.column(k), c.z.rows());
    Features other = c.z;
    other.replace(k, column);
    const double there = c.log_evidence(other);
    check_close(r.log_ratio_replaced(k, column, c.z), there - here, std::abs(here));
    Features fewer = c.z, more = c.z;
    fewer.drop(k);
    more.add(column);
    check_close(r.log_ratio_dropped(k), c.log_evidence(fewer) - here, std::abs(here));
    check_close(r.log_ratio_added(column, c.z), c.log_evidence(more) - here, std::abs(here));
    r.accept(RegressionStatistics(other, c.data, c.prior.has_bias));
    check_close(r.current_log_lik(), there, std::abs(here));
    check_close(r.log_lik(RegressionStatistics(c.z, c.data, c.prior.has_bias)), here,
                std::abs(here));
  }
}

TEST_CASE("means of regressions solve the normal equations") {
  Rng rng(343);
  for (int n = 0; n < 100; ++n) {
    const RegressionCase c = RegressionCase::random(rng);
    const Eigen::ArrayXXd mean = Regressions(c.z, c.data, c.prior).factor().mean();
    REQUIRE(mean.rows() == c.data.width());  // the size is right even without features
    for (int j = 0; j < c.data.width(); ++j) {
      const Law law = weights_of(c, c.z, j);
      for (int k = 0; k < mean.cols(); ++k) check_close(mean(j, k), law.mean(k));
    }
  }
}

TEST_CASE("weights of regressions are drawn from their normal posteriors") {
  Rng rng(344);
  for (int n = 0; n < 4; ++n) {
    RegressionCase c = RegressionCase::random(rng, 2);
    c.prior.has_bias = n % 2 == 0;
    c.prior.bias = 0.8;
    const RegressionFactor factor = Regressions(c.z, c.data, c.prior).factor();
    const int j = rng.below(c.data.width());
    const Law law = weights_of(c, c.z, j);
    std::vector<Moments> single, sums;
    for (int k = 0; k < law.mean.size(); ++k) {
      single.emplace_back(law.mean(k), law.covariance(k, k));
      sums.emplace_back(law.mean(0) - law.mean(k), law.covariance(0, 0) + law.covariance(k, k) -
                                                       2 * law.covariance(0, k) + (k == 0));
    }
    for (int t = 0; t < scaled(20000); ++t) {
      const Eigen::ArrayXXd w = factor.draw(rng);
      for (int k = 0; k < w.cols(); ++k) {
        single[k].add(w(j, k));
        sums[k].add(w(j, 0) - w(j, k));
      }
    }
    for (const Moments& m : single) CHECK(m.largest_z() < 4.5);
    for (std::size_t k = 1; k < sums.size(); ++k) CHECK(sums[k].largest_z() < 4.5);
  }
}

TEST_CASE("covariances of weights of regressions are inverses of their precisions") {
  Rng rng(347);
  for (int n = 0; n < 100; ++n) {
    const RegressionCase c = RegressionCase::random(rng);
    const buffet::PairArrays all = Regressions(c.z, c.data, c.prior).factor().covariances();
    for (int j = 0; j < c.data.width(); ++j) {
      const Eigen::MatrixXd covariance = weights_of(c, c.z, j).covariance;
      REQUIRE(all.size() == covariance.rows());
      for (int k = 0; k < all.size(); ++k)
        for (int l = 0; l < all.size(); ++l) check_close(all.of(k, l)(j), covariance(k, l));
    }
  }
}

namespace {

void check_bits_of_row(const RegressionCase& c, const RegressionRows& rows, int i) {
  const double here = c.log_evidence(c.z);
  for (int k = 0; k < c.z.size(); ++k) {
    if (c.z.is_own(i, k)) continue;
    Features other = c.z;
    other.flip(i, k);
    const double by = c.z.at(i, k) ? -1 : 1;
    check_close(rows.log_ratio(k), by * (c.log_evidence(other) - here), std::abs(here));
  }
}

double log_poisson_ratio(int j) {
  return std::log(1.5 / (j + 1));
}

/// Adds singletons to row i.
void give_own(Features& z, int i, int own) {
  for (int n = 0; n < own; ++n) z.add_own(i);
}

}  // namespace

TEST_CASE("bits of rows with weights integrated out have ratios of marginal normals") {
  Rng rng(348);
  for (int n = 0; n < 200; ++n) {
    RegressionCase c = RegressionCase::random(rng);
    RegressionRows rows(Regressions(c.z, c.data, c.prior));
    for (int visit = 0; visit < 6; ++visit) {
      const int i = rng.below(c.z.rows());
      rows.enter(c.z, i);
      check_bits_of_row(c, rows, i);
      for (int flips = 0; flips < 3 && c.z.size() > 0; ++flips) {
        const int k = rng.below(c.z.size());
        if (c.z.is_own(i, k)) continue;
        c.z.flip(i, k);
        rows.flip(k);
        check_bits_of_row(c, rows, i);
      }
      rows.leave(c.z, rows.draw_own(log_poisson_ratio, rng));
    }
  }
}

TEST_CASE("numbers of singletons of rows with weights integrated out have their law") {
  Rng rng(349);
  for (int n = 0; n < 4; ++n) {
    RegressionCase c = RegressionCase::random(rng, 1);
    c.data.omega *= 8;
    c.data.kappa *= 3;
    const int i = rng.below(c.z.rows());
    give_own(c.z, i, 2);
    Features without = c.z;
    for (int k = without.size() - 1; k >= 0; --k)
      if (without.is_own(i, k)) without.drop(k);

    std::vector<double> expected(9), observed(9, 0.0);
    double total = 0, log_prior = 0;
    for (int own = 0; own < 9; ++own) {
      Features z = without;
      give_own(z, i, own);
      total += expected[own] = std::exp(log_prior + c.log_evidence(z));
      log_prior += log_poisson_ratio(own);
    }
    const int draws = scaled(20000);
    for (double& e : expected) e *= draws / total;

    RegressionRows entered(Regressions(c.z, c.data, c.prior));
    entered.enter(c.z, i);
    for (int t = 0; t < draws; ++t) {
      RegressionRows rows = entered;
      ++observed[std::min(rows.draw_own(log_poisson_ratio, rng), 8)];
    }
    INFO("case " << n);
    CHECK(chi_squared_p(observed, expected) > 1e-5);
  }
}

namespace {

/// The halves that a row in state s has.
Eigen::RowVector2d state(int s) {
  return {s != 1 ? 1.0 : 0.0, s != 0 ? 1.0 : 0.0};
}

void check_differences(const std::array<double, 3>& densities,
                       const std::array<double, 3>& expected) {
  for (int s = 1; s < 3; ++s)
    check_close(densities[s] - densities[0], expected[s] - expected[0], std::abs(expected[0]));
}

}  // namespace

TEST_CASE("row densities of many regressions stay within the range of doubles") {
  const int columns = 500;
  for (double omega : {1e-3, 1e3}) {
    const Eigen::ArrayXd all = Eigen::ArrayXd::Constant(columns, omega);
    const buffet::RegressionObservation observed{all, 0.3 * all};
    const Eigen::ArrayXd mean = Eigen::ArrayXd::Constant(columns, 0.1);
    const buffet::OwnRegressionDensity density{observed, mean, mean, 0.7};
    // Log density of 0.3 under N(0.1, 1 / omega + variance), minus its log density under N(0, 1 /
    // omega).
    const auto exact = [&](double variance) {
      const double v = 1 / omega + variance;
      return columns * (-0.5 * std::log(omega * v) - 0.5 * 0.04 / v + 0.5 * omega * 0.09);
    };
    CHECK(observed.log_density(mean, mean) == Approx(exact(0.1)));
    for (int own : {0, 1, 5}) CHECK(density(own) == Approx(exact(0.1 + 0.7 * own)));
    // No gain in density may exceed the gain in fit alone.
    for (int own : {1, 5}) {
      const double before = 1 + omega * (0.1 + 0.7 * (own - 1)), after = before + omega * 0.7;
      CHECK(density.most_gain(own) ==
            Approx(columns * 0.5 * omega * 0.04 * (1 / before - 1 / after)));
      CHECK(density(own) - density(own - 1) < density.most_gain(own));
    }
  }
}

TEST_CASE("rows in halves of a regression have their predictive densities") {
  Rng rng(345);
  for (int n = 0; n < 100; ++n) {
    const RegressionCase c = RegressionCase::random(rng, 1);
    const Regressions r(c.z, c.data, c.prior);
    const int m = rng.below(c.z.size()), first = c.prior.has_bias ? 1 : 0;
    auto halves = buffet::halves_of(m, c.z, r);
    Eigen::MatrixXd rest = c.design(c.z);
    rest.col(first + m).setZero();
    Eigen::MatrixXd s(0, 2);
    std::vector<int> learned;
    for (int visit = 0; visit < 5; ++visit) {
      const int i = visit % c.z.rows();
      learned.push_back(i);
      s.conservativeResize(visit + 1, 2);
      std::array<double, 3> expected{};
      for (int t = 0; t < 3; ++t) {
        s.row(visit) = state(t);
        for (int j = 0; j < c.data.width(); ++j) {
          const Eigen::VectorXd mu = weights_of(c, c.z, j).mean;
          Eigen::VectorXd omega(visit + 1), kappa(visit + 1);
          for (int v = 0; v <= visit; ++v) {
            omega(v) = c.data.omega(j, learned[v]);
            kappa(v) = c.data.kappa(j, learned[v]) - omega(v) * rest.row(learned[v]).dot(mu);
          }
          expected[t] +=
              log_normal_ratio(s, omega, kappa, Eigen::VectorXd::Constant(2, c.prior.weight));
        }
      }
      check_differences(halves.log_densities(i), expected);
      const int t = rng.below(3);
      s.row(visit) = state(t);
      halves.learn(t);
    }
  }
}

TEST_CASE("rows in halves of a linear-Gaussian feature have their predictive densities") {
  Rng rng(346);
  const Scales sigma{0.7, 1.4};
  for (int n = 0; n < 100; ++n) {
    const int rows = 2 + rng.below(7), columns = 1 + rng.below(5);
    GaussianCase g(rows, columns, sigma, rng, false);
    const Features z = random_features(rows, 1 + rng.below(4), rng);
    g.likelihood.reset(z);
    const int m = rng.below(z.size());
    Eigen::MatrixXd rest = dense(z);
    const Eigen::MatrixXd precision =
        rest.transpose() * rest +
        Eigen::MatrixXd::Identity(z.size(), z.size()) * (sigma.x * sigma.x / (sigma.a * sigma.a));
    const Eigen::MatrixXd mu = precision.inverse() * rest.transpose() * g.x;
    rest.col(m).setZero();
    auto halves = buffet::halves_of(m, z, g.likelihood);
    Eigen::MatrixXd s(0, 2), e(0, columns);
    for (int i = 0; i < rows; ++i) {
      s.conservativeResize(i + 1, 2);
      e.conservativeResize(i + 1, columns);
      e.row(i) = g.x.row(i) - rest.row(i) * mu;
      std::array<double, 3> expected{};
      for (int t = 0; t < 3; ++t) {
        s.row(i) = state(t);
        expected[t] = log_lik(s, e, sigma);
      }
      check_differences(halves.log_densities(i), expected);
      const int t = rng.below(3);
      s.row(i) = state(t);
      halves.learn(t);
    }
  }
}
