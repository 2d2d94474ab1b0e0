#include <stdexcept>

#include "cascade/cascade_data_start.h"
#include "cascade_exact.h"

using buffet::CascadeDataStart;
using buffet::CascadeDensity;
using buffet::no_check;
using buffet::SparseComponents;
using namespace test;

namespace {

/// Data from factors, each with loadings on a third of the columns, plus noise. A share `shared` of
/// the deviation is common to all factors.
struct FactorData {
  Eigen::MatrixXd factors, loadings, signal, x;

  FactorData(int rows, int columns, int number, double shared, Rng& rng, double noise = 0.3)
      : factors(draw_normal(rows, number, std::sqrt(1 - shared * shared), rng)),
        loadings(draw_normal(number, columns, 1, rng)) {
    factors.colwise() += draw_normal(rows, 1, shared, rng).col(0);
    for (Eigen::Index n = 0; n < loadings.size(); ++n)
      if (!rng.bernoulli(1 / 3.0)) loadings(n) = 0;
    signal = (factors * loadings).array() + 0.7;
    x = signal + draw_normal(rows, columns, noise, rng);
  }

  /// For each factor, the largest correlation with any score; returns the smallest of these.
  double worst_found(const SparseComponents& components) const {
    return matched(standardised(components.scores), standardised(factors));
  }

 private:
  static Eigen::MatrixXd standardised(const Eigen::MatrixXd& m) {
    Eigen::MatrixXd s = m.rowwise() - m.colwise().mean();
    for (Eigen::Index k = 0; k < s.cols(); ++k) s.col(k).normalize();
    return s;
  }
  static double matched(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
    return (a.transpose() * b).cwiseAbs().colwise().maxCoeff().minCoeff();
  }
};

double root_mean_square(const Eigen::MatrixXd& m) {
  return std::sqrt(m.squaredNorm() / static_cast<double>(m.size()));
}

/// A network with layers of 4, 16 and 60 units, from the top. Each child has one parent, and
/// sometimes more.
CascadeData network_data(Rng& rng) {
  Eigen::MatrixXd above = draw_normal(400, 4, 1.5, rng);
  for (const int units : {16, 60}) {
    Eigen::MatrixXd w = Eigen::MatrixXd::Zero(above.cols(), units);
    for (int k = 0; k < units; ++k)
      for (int j = 0; j < w.rows(); ++j)
        if (j == k % w.rows() || rng.bernoulli(0.1)) w(j, k) = rng.bernoulli(0.5) ? 1.5 : -1.5;
    above = (0.5 * above.array()).tanh().matrix() * w + draw_normal(400, units, 0.4, rng);
  }
  return CascadeData(above);
}

}  // namespace

TEST_CASE("sparse components match the components of the signal in number and direction",
          "[cascade]") {
  Rng rng(901);
  for (const auto& [rows, columns] : {std::pair(300, 80), std::pair(80, 300)}) {
    const FactorData data(rows, columns, 6, 0, rng);
    const SparseComponents found(data.x, 50, no_check);
    REQUIRE(found.scores.cols() == 6);
    CHECK(data.worst_found(found) > 0.94);
    CHECK(found.noise == Approx(0.09).epsilon(0.03));
    const Eigen::MatrixXd fitted =
        (found.scores * found.loadings.transpose()).rowwise() + found.means;
    CHECK(root_mean_square(fitted - data.signal) < 0.12);
    // The best approximation with this number of components, whose scores have variance 1.
    const Eigen::MatrixXd centered = data.x.rowwise() - data.x.colwise().mean();
    Eigen::MatrixXd gram = centered.transpose() * centered;
    if (rows < columns) gram = centered * centered.transpose();
    const Eigen::VectorXd squares =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(gram, Eigen::EigenvaluesOnly).eigenvalues();
    CHECK((data.x - fitted).squaredNorm() ==
          Approx(squares.head(squares.size() - 6).sum()).epsilon(1e-8));
    for (int k = 0; k < 6; ++k) CHECK(found.scores.col(k).squaredNorm() == Approx(rows));
    CHECK(SparseComponents(data.x, 4, no_check).scores.cols() == 4);
  }
}

TEST_CASE("sparse components may be correlated", "[cascade]") {
  Rng rng(902);
  const FactorData data(500, 200, 5, 0.6, rng);
  const SparseComponents found(data.x, 50, no_check);
  REQUIRE(found.scores.cols() == 5);
  CHECK(data.worst_found(found) > 0.9);
  const Eigen::MatrixXd products = found.scores.transpose() * found.scores / 500;
  const double among = (products.cwiseAbs().sum() - products.trace()) / 20;
  CHECK(among > 0.1);
  CHECK(among < 0.5);
}

TEST_CASE("sparse components are found with missing entries", "[cascade]") {
  Rng rng(903);
  const FactorData data(300, 60, 4, 0, rng);
  Eigen::MatrixXd holes = data.x;
  for (Eigen::Index n = 0; n < holes.size(); ++n)
    if (rng.bernoulli(0.2)) holes(n) = std::nan("");
  const SparseComponents found(holes, 50, no_check);
  CHECK(found.scores.cols() >= 4);
  CHECK(found.scores.cols() <= 5);
  double squares = 0, missing = 0;
  for (Eigen::Index n = 0; n < holes.size(); ++n)
    if (std::isnan(holes(n))) {
      squares += std::pow(found.filled(n) - data.signal(n), 2);
      ++missing;
    } else {
      CHECK(found.filled(n) == holes(n));
    }
  CHECK(std::sqrt(squares / missing) < 0.25);
}

TEST_CASE("sparse components of large data are found from some of the rows", "[cascade]") {
  Rng rng(904);
  FactorData data(1200, 1010, 3, 0, rng);
  // Only the last rows have the first factor.
  data.x.topRows(1000) -= data.factors.col(0).head(1000) * data.loadings.row(0);
  const SparseComponents found(data.x, 50, no_check);
  REQUIRE(found.scores.cols() == 3);
  CHECK(found.scores.rows() == 1200);
  data.factors.col(0).head(1000).setZero();
  CHECK(data.worst_found(found) > 0.97);
}

TEST_CASE("no component is found in pure noise or in almost no data", "[cascade]") {
  Rng rng(905);
  const auto number = [](const Eigen::MatrixXd& x) {
    const SparseComponents found(x, 50, no_check);
    CHECK(found.filled.allFinite());
    CHECK((std::isfinite(found.noise) && found.noise >= 0));
    return found.scores.cols();
  };
  CHECK(number(draw_normal(200, 100, 1, rng)) <= 1);
  for (const auto& [rows, columns] : {std::pair(1, 9), std::pair(9, 1), std::pair(1, 1)})
    CHECK(number(draw_normal(rows, columns, 1, rng)) == 0);
  CHECK(number(Eigen::MatrixXd::Constant(20, 10, 3)) == 0);
  CHECK(number(Eigen::MatrixXd::Constant(20, 10, std::nan(""))) == 0);
  CHECK(number(FactorData(40, 30, 3, 0, rng, 0).x) == 3);
  CHECK_THROWS_AS(
      SparseComponents(draw_normal(9, 9, 1, rng), 9, [] { throw std::logic_error(""); }),
      std::logic_error);
}

TEST_CASE("an initial state has the units of the network that generated the data", "[cascade]") {
  Rng rng(906);
  const CascadeData data = network_data(rng);
  Cascade cascade(data, CascadeModel());
  CascadeDataStart(cascade, rng)(no_check);
  const NaiveCascade started = naive(cascade);
  CHECK(started.layers[1].units() == 16);
  CHECK(started.layers[2].units() >= 2);
  CHECK(started.layers[2].units() <= 6);
  CHECK(started.layers[0].z.sum() > 130);
  CHECK(started.layers[0].z.sum() < 700);
  // The noise has a standard deviation of 0.4.
  CHECK(root_mean_square(data.x - cascade.means(0)) < 0.5);
  CHECK(started.layers[0].precision.minCoeff() > 4);
  CHECK(root_mean_square(cascade.layers[1].x - cascade.means(1)) < 0.8);
  CHECK(std::isfinite(CascadeDensity(cascade).log_joint()));
}

TEST_CASE("an initial state suggested by the data is within the limits", "[cascade]") {
  Rng rng(907);
  const CascadeData data = network_data(rng);
  const auto widths = [&](int layers, int units, int features) {
    CascadeModel model;
    model.max_layers = layers;
    model.max_units = units;
    model.max_features = features;
    Cascade cascade(data, model);
    CascadeDataStart(cascade, rng)(no_check);
    const NaiveCascade started = naive(cascade);
    CHECK(started.hidden_units() <= units);
    return std::pair(started.layers[1].units(), started.depth());
  };
  CHECK(widths(1, 2000, 2000) == std::pair(16, 1));
  CHECK(widths(50, 2000, 7).first == 7);
  CHECK(widths(50, 5, 2000) == std::pair(5, 1));
  CHECK(widths(50, 17, 2000) == std::pair(16, 2));
}

TEST_CASE("an initial state suggested by the data fills in missing entries", "[cascade]") {
  Rng rng(908);
  const CascadeData whole = network_data(rng);
  Eigen::MatrixXd x = whole.x;
  for (int n = 0; n < 400; ++n) x(n, (7 * n) % 60) = std::nan("");
  const CascadeData data(x);
  Cascade cascade(data, CascadeModel());
  CascadeDataStart(cascade, rng)(no_check);
  double squares = 0;
  for (const auto& [n, k] : data.missing)
    squares += std::pow(cascade.layers[0].x(n, k) - whole.x(n, k), 2);
  CHECK(std::sqrt(squares / 400) < 0.7);
}
