#include <testthat/vendor/catch.h>

#include <array>
#include <cmath>
#include <vector>

#include "draws.h"
#include "enumerate.h"
#include "gibbs/disjoint.h"
#include "gibbs/separate.h"
#include "moves.h"
#include "nonnegative_integral.h"
#include "quadrature.h"
#include "scale.h"
#include "statistics.h"

using buffet::LoadingSums;
using buffet::NonnegativeLoadings;
using buffet::SeparateShare;
using buffet::SplitMergeDisjoint;
using namespace test;

namespace {

const Scales sigma{0.8, 1.3};

/// What rows with so many values of one column leave for a feature.
LoadingSums sums_of(const std::vector<double>& rest) {
  LoadingSums sums = LoadingSums::none(1);
  for (double r : rest)
    sums = sums + LoadingSums{Eigen::ArrayXd::Ones(1), Eigen::ArrayXd::Constant(1, r)};
  return sums;
}

/// Of f(loading) times what these values say of it, over its law a priori.
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

/// The law of a loading given these values.
Moments law_given(const std::vector<double>& rest) {
  const double total = expected(rest, [](double) { return 1.0; });
  const double mean = expected(rest, [](double a) { return a; }) / total;
  const double square = expected(rest, [](double a) { return a * a; }) / total;
  return Moments(mean, square - mean * mean);
}

}  // namespace

TEST_CASE("evidences and draws of nonnegative loadings given some rows are those of quadrature") {
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

/// What moves of features could spoil.
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

/// Features, loadings and data are drawn from the model, so that the first two have the posterior
/// given the third, which moves are to leave.
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

TEST_CASE("splits and merges of disjoint features leave the posterior as it is") {
  for (const PriorCase& prior : cases_of<NonnegativeChain>()) {
    check_moves<SplitMergeDisjoint, NonnegativeChain>(prior, 0);
    check_moves<SplitMergeDisjoint, NonnegativeChain>(prior, 0.3);
  }
}

TEST_CASE("splits and merges of disjoint features leave the posterior with sticks as it is") {
  for (const PriorCase& prior : cases_of<NonnegativeSliceChain>())
    check_moves<SplitMergeDisjoint, NonnegativeSliceChain>(prior, 0.3);
}

TEST_CASE("proposals of overlapping loadings have weights whose mean is the evidence") {
  Rng rng(365);
  const NonnegativeLoadings law{sigma.x * sigma.x, 1 / (sigma.a * sigma.a)};
  for (int n = 0; n < 8; ++n) {
    std::array<std::vector<double>, 3> values;  // of rows with the first, the second, and both
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

TEST_CASE("common rows that become a feature of their own leave the posterior as it is") {
  for (const PriorCase& prior : cases_of<NonnegativeChain>()) {
    check_moves<SeparateShare, NonnegativeChain>(prior, 0);
    check_moves<SeparateShare, NonnegativeChain>(prior, 0.3);
  }
}

TEST_CASE("common rows that become a feature leave the posterior with sticks as it is") {
  for (const PriorCase& prior : cases_of<NonnegativeSliceChain>())
    check_moves<SeparateShare, NonnegativeSliceChain>(prior, 0.3);
}

namespace {

/// A chain on four rows of one column, from these features.
struct FourRows {
  std::vector<double> values{1.5, 2.1, 0.9, 1.2};
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

TEST_CASE("merged features have the law of their loadings given the rows of both") {
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

TEST_CASE("halves of a feature have the law of their loadings given their rows") {
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
