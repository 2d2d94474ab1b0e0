#include <testthat/vendor/catch.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "missing.h"
#include "point/factor/gaussian_residual.h"

using buffet::AscentData;
using buffet::GaussianData;
using buffet::Residual;
using namespace test;

namespace {

/// Random data, features and loadings; their residual is available as an operator and as a matrix.
struct ResidualCase {
  Eigen::MatrixXd x, a;  ///< N x D, D x K
  GaussianData whole;
  AscentData data;  ///< in blocks of four rows
  Features z;
  Residual residual;
  Eigen::MatrixXd matrix, seen;  ///< X - ZE, 0 at missing entries; 1 at observed ones

  ResidualCase(int rows, int columns, bool sparse, Rng& rng)
      : x(hide_some(draw_normal(rows, columns, 1.2, rng), rng)),
        a(draw_normal(columns, 3, 1, rng).cwiseAbs()),
        whole(rows_of(x, 0, rows, sparse)),
        data(buffet::Source(whole, 4, 0), columns),
        z(random_features(rows, 3, rng)),
        residual(whole, data, z, a) {
    matrix = zero_missing(x - dense(z) * a.transpose());
    seen = x.unaryExpr([](double v) { return std::isnan(v) ? 0.0 : 1.0; });
  }
  ResidualCase(const ResidualCase&) = delete;
};

void check_close(const Eigen::MatrixXd& value, const Eigen::MatrixXd& expected) {
  REQUIRE(value.rows() == expected.rows());
  REQUIRE(value.cols() == expected.cols());
  CHECK((value - expected).norm() <= 1e-12 * (1 + expected.norm()));
}

/// A selection of rows, either distinct and in order, or in any order and with repeats.
std::vector<int> draw_rows(int rows, bool distinct, Rng& rng) {
  std::vector<int> drawn;
  for (int n = 0; n < rows; ++n) {
    if (distinct && rng.bernoulli(0.6)) drawn.push_back(n);
    if (!distinct) drawn.push_back(rng.below(rows));
  }
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

}  // namespace

TEST_CASE("functions of the residual agree with the matrix X - ZE, with 0 for missing entries") {
  Rng rng(321);
  for (int n = 0; n < 300; ++n) {
    const int rows = 1 + rng.below(10), columns = 1 + rng.below(6);
    const ResidualCase c(rows, columns, n % 2, rng);
    const std::vector<int> drawn = draw_rows(rows, n % 3, rng);
    const auto count = static_cast<int>(drawn.size());
    Eigen::MatrixXd some(count, columns), seen(count, columns);
    for (int m = 0; m < count; ++m) {
      some.row(m) = c.matrix.row(drawn[m]);
      seen.row(m) = c.seen.row(drawn[m]);
    }
    const Eigen::MatrixXd v = draw_normal(columns, 1 + rng.below(3), 1, rng);
    Eigen::MatrixXd weights = draw_normal(count, 1 + rng.below(3), 1, rng);
    for (int m = 0; m < weights.size(); ++m)
      if (rng.bernoulli(0.3)) weights(m) = 0;
    check_close(c.residual.scores(drawn, v), some * v);
    check_close(c.residual.sums(drawn, weights), some.transpose() * weights);
    check_close(c.residual.observed(drawn, weights), seen.transpose() * weights);
    for (int i = 0; i < rows; ++i)
      check_close(c.residual.squares({i}, v), c.seen.row(i) * v.cwiseAbs2());
  }
}

TEST_CASE("without features, the residual equals the data") {
  Rng rng(322);
  const Eigen::MatrixXd x = hide_some(draw_normal(7, 4, 1, rng), rng);
  const GaussianData whole = rows_of(x, 0, 7);
  const AscentData data(buffet::Source(whole), 4);
  const Features z(7);
  const Eigen::MatrixXd a(4, 0), v = draw_normal(4, 2, 1, rng);
  const Residual residual(whole, data, z, a);
  const std::vector<int> all{0, 1, 2, 3, 4, 5, 6};
  check_close(residual.scores(all, v), zero_missing(x) * v);
  const Eigen::MatrixXd weights = draw_normal(7, 2, 1, rng);
  check_close(residual.sums(all, weights), zero_missing(x).transpose() * weights);
}
