#include <testthat/vendor/catch.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "core/normal_vector.h"
#include "gaussian/gaussian_data.h"
#include "gaussian/independent_components.h"

using buffet::Bits;
using buffet::Completed;
using buffet::Features;
using buffet::GaussianData;
using buffet::Rng;

namespace {

struct Made {
  Features z;
  Eigen::MatrixXd x;  ///< one observation per column
};

/// Loadings N(mean, 1), noise with sd `sigma`.
Made make(int rows, int columns, const std::vector<double>& shares, double mean, double sigma,
          Rng& rng) {
  Made made{Features(rows), buffet::normal_matrix(columns, rows, sigma, rng)};
  for (double share : shares) {
    Bits column(rows);
    for (int i = 0; i < rows; ++i)
      if (rng.bernoulli(share)) column.set(i);
    const Eigen::VectorXd loading = buffet::normal_vector(columns, 1, rng).array() + mean;
    column.for_each([&](int i) { made.x.col(i) += loading; });
    made.z.add(std::move(column));
  }
  return made;
}

/// True if the column is among the features, up to differences in at most `but` rows.
bool has(const Features& z, const Bits& column, int but = 0) {
  for (int k = 0; k < z.size(); ++k) {
    Bits differs = z.column(k);
    differs ^= column;
    if (differs.count() <= but) return true;
  }
  return false;
}

Features found(const GaussianData& data, Rng& rng) {
  Completed x(data);
  return buffet::independent_components(x, rng);
}

bool same_features(const Features& found, const Features& truth, int but = 0) {
  if (found.size() != truth.size()) return false;
  for (int k = 0; k < truth.size(); ++k)
    if (!has(found, truth.column(k), but)) return false;
  return true;
}

}  // namespace

TEST_CASE("the features of the model are found in data, and no others") {
  Rng rng(301);
  for (double mean : {0.0, 0.5, 2.0}) {
    const Made made = make(400, 30, {0.3, 0.4, 0.5, 0.45, 0.6}, mean, 0.3, rng);
    CHECK(same_features(found(GaussianData(made.x), rng), made.z));
  }
}

TEST_CASE("features without excess kurtosis, and features without skewness, are found") {
  Rng rng(308);
  for (double share : {0.21, 0.5}) {
    const Made made = make(600, 40, std::vector<double>(6, share), 0, 0.5, rng);
    CHECK(same_features(found(GaussianData(made.x), rng), made.z));
  }
}

TEST_CASE("features are found in data with more columns than rows, rotated, sparse or neither") {
  Rng rng(302);
  const Made made = make(150, 400, {0.4, 0.5, 0.4}, 0, 1, rng);
  CHECK(same_features(found(GaussianData(made.x), rng), made.z));
  CHECK(same_features(found(GaussianData(made.x, false), rng), made.z));
  const Eigen::SparseMatrix<double> sparse = made.x.sparseView();
  CHECK(same_features(found(GaussianData(sparse, false), rng), made.z));
}

TEST_CASE("features are found if a fifth of the entries are missing, and entries are completed") {
  Rng rng(303);
  Made made = make(300, 40, {0.4, 0.5, 0.4, 0.5}, 1, 0.3, rng);
  const Eigen::MatrixXd whole = made.x;
  for (int n = 0; n < made.x.size(); ++n)
    if (rng.bernoulli(0.2)) made.x(n) = std::numeric_limits<double>::quiet_NaN();
  const GaussianData data(made.x);
  Completed x(data);
  CHECK(same_features(buffet::independent_components(x, rng), made.z, 3));
  double error = 0, squares = 0;
  x.for_all_hidden([&](int i, int d, double value) {
    error += std::pow(value - whole(d, i), 2);
    squares += std::pow(whole(d, i), 2);
  });
  CHECK(std::sqrt(error / data.hidden_count()) < 0.4);  // the noise has sd .3
  CHECK(squares / data.hidden_count() > 2);
}

TEST_CASE("a feature that all rows have is added if the others do not explain the mean") {
  Rng rng(304);
  Made made = make(300, 30, {0.4, 0.5, 0.3}, 0, 0.3, rng);
  made.x.colwise() += Eigen::VectorXd(buffet::normal_vector(30, 2, rng));
  const Features z = found(GaussianData(made.x), rng);
  CHECK(z.size() == 4);
  int on_everywhere = 0;
  for (int k = 0; k < z.size(); ++k) on_everywhere += z.count(k) == 300;
  CHECK(on_everywhere == 1);
  for (int k = 0; k < made.z.size(); ++k)
    CHECK((has(z, made.z.column(k)) || has(z, complement(made.z.column(k), 300))));
}

TEST_CASE("features are found in two columns, neither of which exceeds the noise") {
  Rng rng(309);
  const Made made = make(60, 2, {0.5, 0.4}, 0, 0, rng);
  Eigen::MatrixXd x = buffet::normal_matrix(2, 60, 0.1, rng);
  for (int k = 0; k < 2; ++k) made.z.column(k).for_each([&](int i) { x(k, i) += 1; });
  x.colwise() -= Eigen::VectorXd(x.rowwise().mean());
  x.array().colwise() /= x.rowwise().norm().array();
  const Features z = found(GaussianData(x), rng);
  for (int k = 0; k < 2; ++k)
    CHECK((has(z, made.z.column(k)) || has(z, complement(made.z.column(k), 60))));
}

TEST_CASE("no component is found in pure noise, in constant data or in two rows") {
  Rng rng(305);
  for (int columns : {9, 50, 300}) {
    const Eigen::MatrixXd x = buffet::normal_matrix(columns, 200, 1, rng);
    CHECK(found(GaussianData(x), rng).size() <= 2);
    const buffet::GaussianData data(x);
    CHECK(buffet::LeadingComponents(Completed(data), 64, rng).size() <= 1);
  }
  CHECK(found(GaussianData(Eigen::MatrixXd::Zero(4, 20)), rng).size() == 0);
  CHECK(found(GaussianData(Eigen::MatrixXd::Identity(4, 2)), rng).size() == 0);
}

TEST_CASE("data that are almost entirely missing are completed with finite numbers") {
  Rng rng(308);
  for (int n = 0; n < 20; ++n) {
    Eigen::MatrixXd x = buffet::normal_matrix(3, 40, 1, rng);
    x.rightCols(39).setConstant(std::numeric_limits<double>::quiet_NaN());
    const GaussianData data(x);
    Completed completed(data);
    CHECK(buffet::independent_components(completed, rng).size() == 0);
    CHECK((completed.row(7) - x.col(0)).norm() < 1e-12);
  }
}

TEST_CASE("data without noise have no more components than their rank") {
  Rng rng(309);
  const Made made = make(60, 10, {0.4, 0.5, 0.3}, 1, 0, rng);
  const GaussianData data(made.x);
  CHECK(buffet::LeadingComponents(Completed(data), 64, rng).size() == 3);
  CHECK(same_features(found(data, rng), made.z));
}

TEST_CASE("leading components agree with a singular value decomposition") {
  Rng rng(306);
  const Made made = make(100, 12, {0.4, 0.5, 0.3}, 1, 0.2, rng);
  const GaussianData data(made.x);
  const Completed x(data);
  const buffet::LeadingComponents leading(x, 64, rng);
  const Eigen::VectorXd mean = made.x.rowwise().mean();
  const Eigen::MatrixXd centred = made.x.colwise() - mean;
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(centred, Eigen::ComputeThinU | Eigen::ComputeThinV);
  REQUIRE(leading.size() == 3);
  for (int k = 0; k < 3; ++k) {
    const Eigen::VectorXd score = svd.matrixV().col(k) * svd.singularValues()(k);
    const double cosine = score.normalized().dot(leading.scores().col(k).normalized());
    CHECK(std::abs(cosine) > 1 - 1e-6);
    CHECK(std::abs(leading.scores().col(k).norm() / score.norm() - 1) < 1e-6);
  }
  const Eigen::MatrixXd rest = centred - svd.matrixU().leftCols(3) *
                                             svd.singularValues().head(3).asDiagonal() *
                                             svd.matrixV().leftCols(3).transpose();
  // Divided by the degrees of freedom that remain after a fit of rank 3.
  const double noise = rest.squaredNorm() / (9 * 96);
  CHECK(std::abs(leading.noise_variance() / noise - 1) < 1e-5);
  // The limit for noise alone is subtracted from each.
  const double edge = std::pow(1 + std::sqrt(12.0 / 100), 2) * noise * 100;
  double fitted = mean(5);
  for (int k = 0; k < 3; ++k) {
    const double size = svd.singularValues()(k);
    fitted += svd.matrixU()(5, k) * svd.matrixV()(7, k) * (size - edge / size);
  }
  CHECK(std::abs(leading.fitted(7, 5) - fitted) < 1e-5);
}

TEST_CASE("independent columns stay uncorrelated") {
  Rng rng(307);
  const Made made = make(200, 12, {0.4, 0.5, 0.3}, 1, 0.2, rng);
  const GaussianData data(made.x);
  const buffet::LeadingComponents leading(Completed(data), 64, rng);
  const Eigen::MatrixXd whitened = leading.whitened();
  const Eigen::MatrixXd sources = buffet::independent(whitened, rng);
  const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(3, 3);
  CHECK((whitened.transpose() * whitened / 200 - one).norm() < 1e-8);
  CHECK((sources.transpose() * sources / 200 - one).norm() < 1e-8);
}
