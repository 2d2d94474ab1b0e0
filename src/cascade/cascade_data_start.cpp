#include "cascade_data_start.h"

#include <algorithm>
#include <cmath>

#include "cascade_parameters.h"
#include "cascade_start.h"

namespace buffet {

namespace {

struct Size {
  double rows, columns, observed;  ///< the share of entries that are observed
};

/// Counts the squared singular values that exceed the limit for noise alone (Marchenko & Pastur
/// 1967), given in decreasing order. The noise variance is estimated from the other values. Filled
/// entries have no residual.
struct NoiseEdge {
  int components = 0;
  double variance = 0, square = 0;  ///< noise variance; largest squared singular value of noise
                                    ///< alone

  NoiseEdge(const Eigen::VectorXd& squares, const Size& size, int most) {
    for (int before = -1; before < components;) {
      before = components;
      variance = squares.tail(squares.size() - components).sum() /
                 (size.observed * (size.rows - components) * (size.columns - components));
      square = variance * std::pow(std::sqrt(size.rows) + std::sqrt(size.columns), 2);
      const double rounding = 1e-12 * squares(0);
      while (components < most && squares(components) > square + rounding) ++components;
    }
  }
};

/// For large data, a thousand rows are enough to find the components.
Eigen::MatrixXd some_rows(const Eigen::MatrixXd& x) {
  constexpr Eigen::Index most = 1000;
  if (x.rows() <= most || x.cols() <= most) return x;
  Eigen::MatrixXd some(most, x.cols());
  for (Eigen::Index n = 0; n < most; ++n) some.row(n) = x.row(n * x.rows() / most);
  return some;
}

}  // namespace

SparseComponents::SparseComponents(const Eigen::MatrixXd& x, int most, const Check& check)
    : filled(x), means(x.cols()) {
  const Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic> missing = x.array().isNaN();
  for (Eigen::Index k = 0; k < x.cols(); ++k) {
    const auto seen = static_cast<double>(x.rows() - missing.col(k).count());
    filled.col(k) = missing.col(k).select(0, x.col(k));
    means(k) = filled.col(k).sum() / std::max(1.0, seen);
  }
  const auto count = static_cast<double>(missing.count());
  observed_ = std::max(1.0, x.size() - count) / std::max<double>(1, x.size());
  filled = missing.select(means.replicate(x.rows(), 1), x);
  for (int rounds = missing.any() ? 8 : 1; rounds > 0; --rounds) {
    check();
    means = filled.colwise().mean();
    filled = missing.select(set(most).rowwise() + means, x);
  }
  turn(check);
  lean();
}

Eigen::MatrixXd SparseComponents::set(int most) {
  const Eigen::MatrixXd centered = filled.rowwise() - means;
  const Eigen::MatrixXd some = some_rows(centered);
  const bool tall = some.rows() > some.cols();
  Eigen::MatrixXd gram;
  if (tall)
    gram.noalias() = some.transpose() * some;
  else
    gram.noalias() = some * some.transpose();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solved(gram);
  const Eigen::VectorXd squares = solved.eigenvalues().reverse().cwiseMax(0);
  const auto rows = static_cast<double>(some.rows());
  const NoiseEdge edge(squares, {rows, static_cast<double>(some.cols()), observed_},
                       std::min(most, static_cast<int>(squares.size()) / 2));
  const Eigen::MatrixXd vectors =
      solved.eigenvectors().rightCols(edge.components).rowwise().reverse();
  const Eigen::VectorXd roots = (squares.head(edge.components) / rows).cwiseSqrt();
  if (tall)
    loadings = vectors * roots.asDiagonal();
  else
    loadings = some.transpose() * vectors / std::sqrt(rows);
  scores = centered * loadings * roots.cwiseAbs2().cwiseInverse().asDiagonal();
  noise = edge.variance;
  const Eigen::VectorXd kept = 1 - edge.square / squares.head(edge.components).array();
  return scores * kept.asDiagonal() * loadings.transpose();
}

void SparseComponents::turn(const Check& check) {
  bool turned = true;
  for (int rounds = 0; turned && rounds < 30; ++rounds) {
    turned = false;
    for (int b = 1; b < loadings.cols(); ++b) {
      check();
      for (int a = 0; a < b; ++a) turned |= turn(a, b);
    }
  }
}

bool SparseComponents::turn(int a, int b) {
  const Eigen::ArrayXd l = loadings.col(a), m = loadings.col(b);
  const Eigen::ArrayXd u = l.square() - m.square(), v = 2 * l * m;
  const auto columns = static_cast<double>(l.size());
  const double sine = 2 * ((u * v).sum() - u.sum() * v.sum() / columns);
  const double cosine =
      u.square().sum() - v.square().sum() - (u.sum() * u.sum() - v.sum() * v.sum()) / columns;
  const double angle = std::atan2(sine, cosine) / 4;
  if (std::abs(angle) < 1e-4) return false;
  const double c = std::cos(angle), s = std::sin(angle);
  loadings.col(a) = c * l + s * m;
  loadings.col(b) = c * m - s * l;
  const Eigen::VectorXd f = scores.col(a), g = scores.col(b);
  scores.col(a) = c * f + s * g;
  scores.col(b) = c * g - s * f;
  return true;
}

void SparseComponents::lean() {
  if (loadings.cols() == 0) return;
  const Eigen::MatrixXd simple = loadings.cwiseProduct(loadings.cwiseAbs());
  Eigen::MatrixXd change =
      (loadings.transpose() * loadings).ldlt().solve(loadings.transpose() * simple);
  const Eigen::FullPivLU<Eigen::MatrixXd> factors(change);
  if (!factors.isInvertible()) return;
  const Eigen::MatrixXd inverse = factors.inverse();
  const Eigen::VectorXd sd = inverse.rowwise().norm();
  loadings = loadings * change * sd.asDiagonal();
  scores = scores * inverse.transpose() * sd.cwiseInverse().asDiagonal();
}

void CascadeDataStart::operator()(const Check& check) {
  find(check);
  std::vector<int> widths;
  for (const SparseComponents& components : found_)
    widths.push_back(static_cast<int>(components.scores.cols()));
  CascadeStart(cascade_, widths, 1, rng_)();
  for (std::size_t m = 0; m < found_.size(); ++m) set_layer(static_cast<int>(m));
  CascadeParameters(cascade_, rng_).update();
}

void CascadeDataStart::find(const Check& check) {
  const CascadeModel& model = cascade_.model;
  int most = std::min(model.max_features, model.max_units), room = model.max_units;
  Eigen::MatrixXd x = cascade_.data->x;
  for (int m = 0; m < model.max_layers; ++m) {
    SparseComponents components(x, most, check);
    if (components.scores.cols() == 0) return;
    x = components.scores;
    most = room -= static_cast<int>(x.cols());
    found_.push_back(std::move(components));
  }
}

void CascadeDataStart::set_layer(int m) {
  const SparseComponents& components = found_[m];
  CascadeLayer& layer = cascade_.layers[m];
  layer.bias = components.means.transpose();
  layer.precision.setConstant(1 / std::max(components.noise, 1 / cascade_.model.max_precision));
  set_edges(m);
  cascade_.layers[m + 1].x = components.scores;
  cascade_.layers[m + 1].u = squash(components.scores);
  if (m > 0) return;
  for (const auto& [n, k] : cascade_.data->missing) layer.x(n, k) = components.filled(n, k);
}

void CascadeDataStart::set_edges(int m) {
  // Scores have variance 1, and activations are less than half as large.
  constexpr double weight = 2.2;
  const SparseComponents& components = found_[m];
  const double sd = std::sqrt(components.noise / static_cast<double>(cascade_.rows()));
  CascadeLayer& layer = cascade_.layers[m];
  for (int j = 0; j < layer.parents(); ++j) {
    const Eigen::VectorXd loadings = components.loadings.col(j);
    const double least = std::min(3 * sd, loadings.cwiseAbs().maxCoeff());
    for (int k = 0; k < layer.units(); ++k)
      if (std::abs(loadings(k)) >= least)
        layer.set_edge(j, k, weight * loadings(k));
      else
        layer.clear_edge(j, k);
  }
}

}  // namespace buffet
