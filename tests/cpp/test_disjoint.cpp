#include <testthat/vendor/catch.h>

#include <array>
#include <cmath>
#include <vector>

#include "draws.h"
#include "enumerate.h"
#include "gibbs/disjoint.h"
#include "gibbs/duplicate.h"
#include "gibbs/separate.h"
#include "moves.h"
#include "nonnegative_integral.h"
#include "quadrature.h"
#include "scale.h"
#include "statistics.h"

using buffet::DuplicateUnite;
using buffet::LoadingSums;
using buffet::NonnegativeLoadings;
using buffet::SeparateShare;
using buffet::SplitMergeDisjoint;
using namespace test;

namespace {

const Scales sigma{0.8, 1.3};

/// Statistics for a feature whose rows have these residuals in one column.
LoadingSums sums_of(const std::vector<double>& rest) {
  LoadingSums sums = LoadingSums::none(1);
  for (double r : rest)
    sums = sums + LoadingSums{Eigen::ArrayXd::Ones(1), Eigen::ArrayXd::Constant(1, r)};
  return sums;
}

/// Integral of f(loading) times the likelihood of these values, over the prior of the loading.
template <class F>
double expected(const std::vector<double>& rest, F f) {
  return double(integral(
      [&](long double a) {
        long double log_density = std::log(2.0L) - 0.5L * a * a / (sigma.a * sigma.a) -
                                  std::log(sigma.a * std::sqrt(2 * M_PIl));
        for (double r : rest)
          log_density += 0.5L * (r * r - (r - a) * (r - a)) / (sigma.x * sigma.x);
        return f(double(a)) * std::exp(log_density);
      },
      0, 14, 64));
}

/// The moments of a loading given these values.
Moments law_given(const std::vector<double>& rest) {
  const double total = expected(rest, [](double) { return 1.0; });
  const double mean = expected(rest, [](double a) { return a; }) / total;
  const double square = expected(rest, [](double a) { return a * a; }) / total;
  return Moments(mean, square - mean * mean);
}

}  // namespace

TEST_CASE("evidences and draws of nonnegative loadings given some rows agree with quadrature") {
  Rng rng(361);
  const NonnegativeLoadings law{sigma.x * sigma.x, 1 / (sigma.a * sigma.a)};
  for (int n = 0; n < 20; ++n) {
    std::vector<double> rest(rng.below(5));
    for (double& r : rest) r = 0.7 + 1.5 * rng.normal();
    const LoadingSums sums = sums_of(rest);
    const double total = expected(rest, [](double) { return 1.0; });
    CHECK(law.log_evidence(sums) == Approx(std::log(total)).margin(1e-8));
    Moments drawn = law_given(rest);
    for (int t = 0; t < scaled(5000); ++t) drawn.add(law.draw(sums, rng)(0));
    CHECK(drawn.largest_z() < 4.5);
  }
}

namespace {

/// Quantities that incorrect moves could bias.
std::vector<double> statistics_of(const Features& z, const Eigen::MatrixXd& a) {
  double disjoint = 0, squares = 0, common = 0, of_large = 0;
  for (int k = 0; k < z.size(); ++k) {
    squares += z.count(k) * z.count(k);
    if (z.count(k) > 2) of_large += a.col(k).sum();
    for (int l = 0; l < k; ++l) {
      disjoint += z.column(k).count_shared(z.column(l)) == 0;
      common += a.col(k).dot(a.col(l));
    }
  }
  return {double(z.size()),  double(z.size() == 2),
          double(z.total()), squares,
          disjoint,          a.sum(),
          a.squaredNorm(),   common,
          of_large};
}

/// Features, loadings and data are drawn from the model, so features and loadings have their
/// posterior given the data, which the moves must leave invariant.
template <class Move, class C>
void check_moves(const PriorCase& prior, double missing) {
  INFO(Move::name << ", " << prior.name << ", missing: " << missing);
  Rng rng(362);
  const int rows = 6, columns = 2;
  std::vector<Mean> changes(9);
  int moved = 0, replicates = scaled(shorter(10000, 20));
  for (int n = 0; n < replicates; ++n) {
    Features z = draw_features(rows, prior.parameters, rng);
    const Eigen::MatrixXd a = draw_normal(z.size(), columns, sigma.a, rng).cwiseAbs();
    Eigen::MatrixXd x = draw_noise(rows, columns, sigma, rng);
    if (z.size() > 0) x += dense(z) * a;
    const buffet::GaussianData data(Eigen::MatrixXd(with_missing(x, missing, rng).transpose()),
                                    false);
    C chain(z, {rows, prior.spec()}, {data, fixed_precisions(sigma)}, Rng(363, n));
    chain.likelihood.set_loadings(a.transpose());
    const auto before = statistics_of(z, a.transpose());
    for (int t = 0; t < 6; ++t) Move::run(chain);
    const auto after = statistics_of(chain.z, chain.likelihood.loadings());
    moved += chain.z.size() != z.size();
    for (std::size_t q = 0; q < changes.size(); ++q) changes[q].add(after[q] - before[q]);
  }
  CHECK(moved > replicates / 40);
  for (std::size_t q = 0; q < changes.size(); ++q) {
    INFO("quantity " << q << " changes by " << changes[q].value());
    CHECK(std::abs(z_score(changes[q].value(), changes[q].variance())) < 4.5);
  }
}

}  // namespace

TEST_CASE("splits and merges of disjoint features leave the posterior invariant") {
  for (const PriorCase& prior : cases_of<NonnegativeChain>()) {
    check_moves<SplitMergeDisjoint, NonnegativeChain>(prior, 0);
    check_moves<SplitMergeDisjoint, NonnegativeChain>(prior, 0.3);
  }
}

TEST_CASE("splits and merges of disjoint features leave the posterior with sticks invariant") {
  for (const PriorCase& prior : cases_of<NonnegativeSliceChain>())
    check_moves<SplitMergeDisjoint, NonnegativeSliceChain>(prior, 0.3);
}

TEST_CASE("importance weights of proposed overlapping loadings have the evidence as their mean") {
  Rng rng(365);
  const NonnegativeLoadings law{sigma.x * sigma.x, 1 / (sigma.a * sigma.a)};
  for (int n = 0; n < 8; ++n) {
    std::array<std::vector<double>, 3> values;  // values of rows with the first, the second, and
                                                // both
    for (auto& of : values) of.resize(1 + rng.below(3));
    const auto rows = static_cast<int>(values[0].size() + values[1].size() + values[2].size());
    Eigen::MatrixXd z = Eigen::MatrixXd::Zero(rows, 2);
    Eigen::VectorXd x(rows);
    int i = 0;
    for (int s = 0; s < 3; ++s)
      for (double& value : values[s]) {
        z(i, 0) = s != 1;
        z(i, 1) = s != 0;
        x(i++) = value = (s == 2 ? 2 : 1) + 1.5 * rng.normal();
      }
    const double log_evidence = log_nonnegative_integral(z, x, sigma) -
                                log_nonnegative_integral(Eigen::MatrixXd(rows, 0), x, sigma);
    const buffet::OverlappingLoadings loadings(
        law, {sums_of(values[0]), sums_of(values[1]), sums_of(values[2])});
    Mean weight;
    for (int t = 0; t < scaled(20000); ++t)
      weight.add(std::exp(loadings.log_importance(loadings.draw(rng)[0]) - log_evidence));
    CHECK(std::abs(z_score(weight.value() - 1, weight.variance())) < 4.5);
    CHECK(weight.variance() * scaled(20000) < 0.5);
  }
}

TEST_CASE("giving common rows their own feature leaves the posterior invariant") {
  for (const PriorCase& prior : cases_of<NonnegativeChain>()) {
    check_moves<SeparateShare, NonnegativeChain>(prior, 0);
    check_moves<SeparateShare, NonnegativeChain>(prior, 0.3);
  }
}

TEST_CASE("giving common rows their own feature leaves the posterior with sticks invariant") {
  for (const PriorCase& prior : cases_of<NonnegativeSliceChain>())
    check_moves<SeparateShare, NonnegativeSliceChain>(prior, 0.3);
}

TEST_CASE("duplicating and uniting features leaves the posterior invariant") {
  for (const PriorCase& prior : cases_of<NonnegativeChain>())
    check_moves<DuplicateUnite, NonnegativeChain>(prior, 0.3);
  for (const PriorCase& prior : cases_of<NonnegativeSliceChain>())
    check_moves<DuplicateUnite, NonnegativeSliceChain>(prior, 0);
}

namespace {

/// A chain with four rows and one column that starts from these features.
struct FourRows {
  std::vector<double> values{2.2, 0.3, 1.2, 1.5};
  buffet::GaussianData data{Eigen::MatrixXd(Eigen::Map<Eigen::MatrixXd>(values.data(), 1, 4)),
                            false};
  NonnegativeChain chain{
      Features(4), {4, prior_cases()[0].spec()}, {data, fixed_precisions(sigma)}, Rng(364)};

  void start(const Eigen::MatrixXd& matrix) {
    chain.z = from_dense(matrix);
    chain.reset();
  }
};

}  // namespace

TEST_CASE("loadings of merged features have their law given the rows of both") {
  FourRows s;
  Eigen::MatrixXd matrix(4, 2);
  matrix << 1, 0, 1, 0, 0, 1, 0, 1;
  Moments merged = law_given(s.values);
  for (int n = 0; n < scaled(5000); ++n) {
    s.start(matrix);
    while (s.chain.z.size() == 2) merge_disjoint(s.chain);
    merged.add(s.chain.likelihood.loadings()(0, 0));
  }
  CHECK(merged.largest_z() < 4.5);
}

TEST_CASE("loadings of halves of a feature have their law given their rows") {
  FourRows s;
  Moments half = law_given({s.values[0], s.values[1]});
  for (int found = 0; found < scaled(5000);) {
    s.start(Eigen::MatrixXd::Ones(4, 1));
    while (s.chain.z.size() == 1) split_disjoint(s.chain);
    for (int k = 0; k < 2; ++k) {
      const auto& z = s.chain.z;
      if (z.count(k) != 2 || !z.at(0, k) || !z.at(1, k)) continue;
      half.add(s.chain.likelihood.loadings()(0, k));
      ++found;
    }
  }
  CHECK(half.largest_z() < 4.5);
}

namespace {

/// Three disjoint features, with rows {0}, {1} and {2, 3}.
Eigen::MatrixXd three_apart() {
  Eigen::MatrixXd matrix(4, 3);
  matrix << 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1;
  return matrix;
}

/// Two features that overlap in the rows of feature c of three_apart(); each of them also has the
/// rows of one of the other two.
Eigen::MatrixXd sharing(int c) {
  const Eigen::MatrixXd apart = three_apart();
  Eigen::MatrixXd matrix(4, 2);
  matrix << apart.col((c + 1) % 3) + apart.col(c), apart.col((c + 2) % 3) + apart.col(c);
  return matrix;
}

/// The first row that has both features, or 3 if there are three features.
int state_of(const Features& z) {
  if (z.size() == 3) return 3;
  const auto has_both = [&](int i) { return z.at(i, 0) && z.at(i, 1); };
  return has_both(0) ? 0 : has_both(1) ? 1 : 2;
}

}  // namespace

TEST_CASE("moves of common rows have the posterior of the states that they reach") {
  FourRows s;
  const Eigen::VectorXd x = Eigen::Map<Eigen::VectorXd>(s.values.data(), 4);
  const PriorCase prior = prior_cases()[0];
  const auto log_prior = [&](const Eigen::MatrixXd& z) {
    std::vector<int> counts;
    for (int k = 0; k < z.cols(); ++k) counts.push_back(static_cast<int>(z.col(k).sum()));
    return log_prob(counts, 4, prior.parameters) + std::lgamma(z.cols() + 1.0);
  };
  std::vector<double> exact;
  for (int c = 0; c < 3; ++c)
    exact.push_back(log_prior(sharing(c)) + log_nonnegative_integral(sharing(c), x, sigma));
  exact.push_back(log_prior(three_apart()));
  for (const Eigen::VectorXd& rows :
       {Eigen::VectorXd(x.head(1)), Eigen::VectorXd(x.segment(1, 1)), Eigen::VectorXd(x.tail(2))})
    exact.back() += log_nonnegative_integral(Eigen::MatrixXd::Ones(rows.size(), 1), rows, sigma);
  double total = 0;
  for (double& p : exact) total += p = std::exp(p);
  s.start(three_apart());
  const int steps = scaled(100000);
  std::vector<BatchMean> found(4, BatchMean(steps, 100));
  for (int t = 0; t < steps; ++t) {
    SeparateShare::run(s.chain);
    s.chain.likelihood.update(s.chain.z, s.chain.rng);
    for (int n = 0; n < 4; ++n) found[n].add(state_of(s.chain.z) == n);
  }
  for (int n = 0; n < 4; ++n) {
    INFO("state " << n << " has " << exact[n] / total << ", found " << found[n].value());
    CHECK(exact[n] / total > 0.02);
    CHECK(std::abs(z_score(found[n].value() - exact[n] / total, found[n].variance())) < 4.5);
  }
}

TEST_CASE("loadings of a feature of common rows have their law given these rows") {
  FourRows s;
  Moments common = law_given({s.values[2], s.values[3]}), first = law_given({s.values[0]});
  for (int n = 0; n < scaled(5000); ++n) {
    s.start(sharing(2));
    while (s.chain.z.size() == 2) separate(s.chain);
    for (int k = 0; k < 3; ++k) {
      const double loading = s.chain.likelihood.loadings()(0, k);
      if (s.chain.z.count(k) == 2) common.add(loading);
      if (s.chain.z.at(0, k)) first.add(loading);
    }
  }
  CHECK(common.largest_z() < 4.5);
  CHECK(first.largest_z() < 4.5);
}

TEST_CASE("the number of features with the same rows has its exact posterior") {
  FourRows s;
  const Eigen::VectorXd x = Eigen::Map<Eigen::VectorXd>(s.values.data(), 4);
  PriorCase prior = prior_cases()[0];
  prior.parameters.alpha = 4;
  prior.max_features = 3;
  std::array<double, 3> exact;
  double total = 0;
  for (int k = 1; k <= 3; ++k) {
    const double log_prior = log_prob(std::vector<int>(k, 4), 4, prior.parameters);
    total += exact[k - 1] =
        std::exp(log_prior + log_nonnegative_integral(Eigen::MatrixXd::Ones(4, k), x, sigma));
  }
  s.chain.prior = prior.fixed(4);
  s.start(Eigen::MatrixXd::Ones(4, 1));
  const int steps = scaled(100000);
  std::vector<BatchMean> found(3, BatchMean(steps, 100));
  for (int t = 0; t < steps; ++t) {
    DuplicateUnite::run(s.chain);
    s.chain.likelihood.update(s.chain.z, s.chain.rng);
    for (int k = 1; k <= 3; ++k) found[k - 1].add(s.chain.z.size() == k);
  }
  for (int k = 1; k <= 3; ++k) {
    INFO(k << " features have " << exact[k - 1] / total << ", found " << found[k - 1].value());
    CHECK(exact[k - 1] / total > 0.02);
    CHECK(std::abs(found[k - 1].z(exact[k - 1] / total)) < 4.5);
  }
}

TEST_CASE("parts of a loading have their law given their sum") {
  FourRows s;
  const double sum = 2.6;
  const auto moment = [&](double power) {
    const auto density = [&](long double a) {
      const long double other = sum - a;
      return std::pow(a, power) * std::exp(-0.5L * (a * a + other * other) / (sigma.a * sigma.a));
    };
    return double(integral(density, 0, sum));
  };
  const double mean = moment(1) / moment(0);
  Moments part(mean, moment(2) / moment(0) - mean * mean);
  for (int n = 0; n < scaled(5000); ++n) {
    s.start(Eigen::MatrixXd::Ones(4, 1));
    s.chain.likelihood.set_loadings(Eigen::MatrixXd::Constant(1, 1, sum));
    while (s.chain.z.size() == 1) duplicate_or_unite(s.chain);
    const auto& loadings = s.chain.likelihood.loadings();
    CHECK(loadings.sum() == Approx(sum));
    part.add(loadings(0, n % 2));
  }
  CHECK(part.largest_z() < 4.5);
}
