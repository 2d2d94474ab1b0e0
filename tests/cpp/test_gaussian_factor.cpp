#include <testthat/vendor/catch.h>

#include <cmath>
#include <vector>

#include "missing.h"
#include "point/factor/gaussian_factor.h"
#include "quadrature.h"

using buffet::GaussianData;
using buffet::GaussianFactor;
using buffet::Masks;
using namespace test;

namespace {

/// Data with nine rows, features, and the factor given them.
struct FactorCase {
  Features z;
  Eigen::MatrixXd x;  ///< N x D
  GaussianData data;
  Masks masks;
  GaussianFactor<buffet::NonnegativeNormal> factor;

  FactorCase(int columns, bool learned, bool complete, Rng& rng)
      : z(random_features(9, 3, rng)),
        x(draw(z, columns, complete, rng)),
        data(rows_of(x, 0, 9)),
        masks(9, columns),
        factor(masks_of_data(), columns,
               {learned ? Hyper::gamma(1.3, 0.7) : Hyper::fixed(2.1),
                learned ? Hyper::gamma(1.6, 0.9) : Hyper::fixed(0.6)}) {
    factor.start_precisions(1.9, 0.7);
    const Eigen::MatrixXd sums = zero_missing(x).transpose() * dense(z);
    for (int k = 0; k < 3; ++k) factor.append(sums.col(k), Eigen::VectorXd::Ones(columns));
  }
  FactorCase(const FactorCase&) = delete;

  static Eigen::MatrixXd draw(const Features& z, int columns, bool complete, Rng& rng) {
    const Eigen::MatrixXd a = draw_normal(3, columns, 1.4, rng).cwiseAbs();
    const Eigen::MatrixXd x = dense(z) * a + draw_normal(9, columns, 0.6, rng);
    return complete ? x : hide_some(x, rng);
  }
  buffet::HeldCounts held() const {
    return {z.rows(), shared_counts(z),
            [this](int g) { return hidden_counts(z, masks.groups()[g].hidden); }};
  }
  double cells() const { return double(x.size()) - masks.count_hidden(); }
  double mean(int d, int k) const {
    return truncated(factor.location()(d, k), factor.scale()(d, k)).mean;
  }

 private:
  const Masks& masks_of_data() {
    masks.add(data);
    masks.finish();
    return masks;
  }
};

}  // namespace

TEST_CASE("after all passes every loading has the factor of equations 13 to 17") {
  Rng rng(341);
  for (int n = 0; n < 30; ++n) {
    // More than 128 columns are processed in parts.
    FactorCase c(n < 28 ? 1 + rng.below(6) : 140, false, n % 2, rng);
    c.factor.update(c.held(), c.data.total(), {2000, 0, 0}, 1 + n % 3);
    for (int d = 0; d < c.factor.columns(); ++d)
      for (int k = 0; k < 3; ++k) {
        double count = 0, sum = 0;
        for (int i = 0; i < 9; ++i) {
          if (!c.z.at(i, k) || std::isnan(c.x(i, d))) continue;
          ++count;
          sum += c.x(i, d);
          for (int l = 0; l < 3; ++l)
            if (l != k && c.z.at(i, l)) sum -= c.mean(d, l);
        }
        const double precision = 2.1 * count + 0.6;
        CHECK(c.factor.location()(d, k) ==
              Approx(2.1 * sum / precision).epsilon(1e-8).margin(1e-8));
        CHECK(c.factor.scale()(d, k) == Approx(1 / std::sqrt(precision)));
      }
  }
}

TEST_CASE("residual, second moments and entropies agree with the factors and give the precisions") {
  Rng rng(342);
  for (int n = 0; n < 30; ++n) {
    FactorCase c(1 + rng.below(6), true, n % 2, rng);
    c.factor.update(c.held(), c.data.total(), {1 + n % 3, 0, 0}, 1);
    const int columns = c.factor.columns();
    double residual = 0, all = 0;
    for (int i = 0; i < 9; ++i)
      for (int d = 0; d < columns; ++d) {
        if (std::isnan(c.x(i, d))) continue;
        double gap = c.x(i, d);
        for (int k = 0; k < 3; ++k)
          if (c.z.at(i, k)) {
            const Truncated a = truncated(c.factor.location()(d, k), c.factor.scale()(d, k));
            gap -= a.mean;
            residual += a.variance;
          }
        residual += gap * gap;
      }
    CHECK(c.factor.residual() == Approx(residual).epsilon(1e-10));
    for (int k = 0; k < 3; ++k) {
      double second = 0, entropy = 0;
      for (int d = 0; d < columns; ++d) {
        const Truncated a = truncated(c.factor.location()(d, k), c.factor.scale()(d, k));
        CHECK(c.factor.mean()(d, k) == Approx(a.mean));
        CHECK(c.factor.variance()(d, k) == Approx(a.variance));
        second += a.mean * a.mean + a.variance;
        entropy += a.entropy;
      }
      CHECK(c.factor.entropy(k) == Approx(entropy).margin(1e-10));
      all += second;
    }
    const auto &x = c.factor.tau_x(), &a = c.factor.tau_a();
    CHECK(x.shape() == Approx(1.3 + 0.5 * c.cells()));
    CHECK(x.rate() == Approx(0.7 + 0.5 * residual));
    CHECK(a.shape() == Approx(1.6 + 0.5 * 3 * columns));
    CHECK(a.rate() == Approx(0.9 + 0.5 * all));
  }
}

TEST_CASE("columns of a factor follow the features when they move") {
  Rng rng(343);
  FactorCase c(4, false, true, rng);
  c.factor.update(c.held(), c.data.total(), {5, 0, 0}, 1);
  const GaussianFactor<buffet::NonnegativeNormal> before = c.factor;
  c.factor.drop(0);
  for (const auto& [now, then] : {std::pair(0, 2), std::pair(1, 1)}) {
    CHECK(c.factor.sums().col(now) == before.sums().col(then));
    CHECK(c.factor.mean().col(now) == before.mean().col(then));
    CHECK(c.factor.variance().col(now) == before.variance().col(then));
    CHECK(c.factor.log_own(now) == before.log_own(then));
  }
  c.factor.append(Eigen::Vector4d(1, 2, 3, 4), Eigen::Vector4d(5, 6, 7, 8));
  CHECK(c.factor.mean().cols() == 3);
  CHECK(c.factor.sums().col(2) == Eigen::VectorXd(Eigen::Vector4d(1, 2, 3, 4)));
  CHECK(c.factor.mean().col(2) == Eigen::VectorXd(Eigen::Vector4d(5, 6, 7, 8)));
}
