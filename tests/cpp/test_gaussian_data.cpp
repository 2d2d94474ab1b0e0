#include <testthat/vendor/catch.h>

#include <vector>

#include "gaussian_case.h"

using buffet::Completed;
using buffet::GaussianData;
using namespace test;

namespace {

/// D x N. Half of the entries are 0, and some of these are stored explicitly; a tenth of the
/// entries or none are missing.
struct BothForms {
  Eigen::MatrixXd x;
  GaussianData::Sparse sparse;

  BothForms(int columns, int rows, bool complete, Rng& rng)
      : x(draw_normal(columns, rows, 1.4, rng)), sparse(columns, rows) {
    std::vector<Eigen::Triplet<double>> entries;
    for (int i = 0; i < rows; ++i)
      for (int d = 0; d < columns; ++d) {
        if (rng.bernoulli(0.5)) x(d, i) = 0;
        if (!complete && rng.bernoulli(0.1)) x(d, i) = std::nan("");
        if (x(d, i) != 0 || rng.bernoulli(0.1)) entries.emplace_back(d, i, x(d, i));
      }
    sparse.setFromTriplets(entries.begin(), entries.end());
  }
};

void check_close(const Eigen::MatrixXd& value, const Eigen::MatrixXd& expected) {
  REQUIRE(value.rows() == expected.rows());
  REQUIRE(value.cols() == expected.cols());
  CHECK((value - expected).norm() <= 1e-12 * (1 + expected.norm()));
}

/// Checks that all functions of the data agree with x (D x N, NaN for missing), with missing
/// entries filled in.
void check_data(const GaussianData& data, const Eigen::MatrixXd& x, Rng& rng) {
  const int rows = static_cast<int>(x.cols()), columns = static_cast<int>(x.rows());
  Completed completed(data);
  Eigen::MatrixXd full = x, zero = x;
  int hidden = 0;
  for (int i = 0; i < rows; ++i) {
    std::vector<int> at, told;
    for (int d = 0; d < columns; ++d)
      if (std::isnan(x(d, i))) {
        const double value = rng.normal();
        completed.hidden(i)(at.size()) = full(d, i) = value;
        zero(d, i) = 0;
        at.push_back(d);
      }
    data.for_hidden(i, [&](int d) { told.push_back(d); });
    hidden += static_cast<int>(at.size());
    CHECK(told == at);
    CHECK(data.hidden_count(i) == static_cast<int>(at.size()));
    CHECK(data.observed(i) == columns - static_cast<int>(at.size()));
  }
  CHECK(data.rows() == rows);
  CHECK(data.columns() == columns);
  CHECK(data.width() == columns);
  CHECK(data.complete() == (hidden == 0));
  CHECK(data.observed() == x.size() - hidden);
  CHECK(data.total() == Approx(zero.squaredNorm()));
  CHECK(completed.total() == Approx(full.squaredNorm()));
  CHECK(data.root_mean_square() == Approx(std::sqrt(zero.squaredNorm() / (x.size() - hidden))));

  const Eigen::MatrixXd p = draw_normal(columns, 3, 1, rng), v = draw_normal(rows, 2, 1, rng);
  check_close(data.product(v), zero * v);
  check_close(completed.product(v), full * v);
  check_close(data.scores(p.col(0)), zero.transpose() * p.col(0));
  check_close(completed.scores(p.col(0)), full.transpose() * p.col(0));
  buffet::Bits some(rows);
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(columns);
  for (int i = 0; i < rows; ++i) {
    CHECK(data.square(i) == Approx(zero.col(i).squaredNorm()));
    CHECK(completed.square(i) == Approx(full.col(i).squaredNorm()));
    check_close(data.times(p, i), p.transpose() * zero.col(i));
    check_close(completed.times(p, i), p.transpose() * full.col(i));
    check_close(completed.row(i), full.col(i));
    Eigen::VectorXd to = p.col(1);
    data.add(i, -0.7, to);
    check_close(to, p.col(1) - 0.7 * zero.col(i));
    if (i % 2) continue;
    some.set(i);
    sum += full.col(i);
  }
  check_close(completed.sum(some), sum);
}

}  // namespace

TEST_CASE("data agree with the matrix, dense or sparse, complete or not") {
  Rng rng(181);
  for (int n = 0; n < 60; ++n) {
    const BothForms both(1 + rng.below(7), 1 + rng.below(9), n % 2 == 0, rng);
    check_data(GaussianData(both.x, false), both.x, rng);
    check_data(GaussianData(both.sparse, false), both.x, rng);
    check_data(GaussianData::from_rows(both.x.transpose(), false), both.x, rng);
  }
}

TEST_CASE("complete data with more columns than rows are rotated, others are not") {
  Rng rng(182);
  for (bool complete : {true, false})
    for (int columns : {4, 12}) {
      const BothForms both(columns, 5, complete, rng);
      const int width = complete ? std::min(columns, 5) : columns;
      for (const GaussianData& data : {GaussianData(both.x), GaussianData(both.sparse),
                                       GaussianData::from_rows(both.x.transpose())}) {
        CHECK(data.columns() == columns);
        CHECK(data.width() == width);
        if (!complete) continue;
        const Eigen::MatrixXd held = data.product(Eigen::MatrixXd::Identity(5, 5));
        check_close(held.transpose() * held, both.x.transpose() * both.x);
        CHECK(data.total() == Approx(both.x.squaredNorm()));
      }
    }
}

TEST_CASE("sparse data give the same ratios, draws and likelihoods as dense data") {
  for (bool complete : {true, false}) {
    Rng rng(183), first(184), second(184);
    const BothForms both(4, 8, complete, rng);
    const GaussianData dense_data(both.x), sparse_data(both.sparse);
    const buffet::Precisions precisions = fixed_precisions({0.6, 1.7});
    buffet::GaussianCollapsed dense(dense_data, precisions), sparse(sparse_data, precisions);
    Features z = random_features(8, 3, rng), copy = z;
    dense.reset(z);
    sparse.reset(copy);
    for (int visit = 0; visit < 50; ++visit) {
      const int i = rng.below(8), k = z.size() > 0 ? rng.below(z.size()) : 0;
      dense.enter(z, i);
      sparse.enter(copy, i);
      for (int l = 0; l < z.size(); ++l)
        CHECK(dense.log_ratio(l) == Approx(sparse.log_ratio(l)).margin(1e-9));
      if (z.size() > 0 && !z.is_own(i, k)) {
        z.flip(i, k);
        copy.flip(i, k);
        dense.flip(k);
        sparse.flip(k);
      }
      const auto ratio = [](int j) { return std::log(0.5 / (j + 1)); };
      dense.leave(z, dense.draw_own(ratio, first));
      sparse.leave(copy, sparse.draw_own(ratio, second));
      dense.refresh(z);
      sparse.refresh(copy);
      REQUIRE(z.size() == copy.size());
      CHECK(dense.log_lik(z) == Approx(sparse.log_lik(copy)));
      CHECK((dense.loadings() - sparse.loadings()).norm() < 1e-9);
    }
  }
}
