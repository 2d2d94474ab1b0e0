#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/features.h"
#include "core/normal_vector.h"
#include "core/rng.h"
#include "gaussian_data.h"

namespace buffet {

/// The principal components of centred data that exceed the noise: their variance is above the
/// limit for noise alone (Marchenko & Pastur 1967). With few columns, if no component exceeds the
/// noise, its level cannot be estimated; all components are then taken, because features are
/// detected by non-normality.
class LeadingComponents {
 public:
  /// By subspace iteration; finds at most `most` components.
  LeadingComponents(const Completed& x, int most, Rng& rng) : x_(&x), rows_(x.data().rows()) {
    const Eigen::VectorXd each = Eigen::VectorXd::Ones(rows_);
    mean_ = x.product(each) / rows_;
    const int size = std::min({most, rows_ - 1, x.data().width()});
    Eigen::MatrixXd directions = product(normal_matrix(rows_, size, 1, rng));
    for (int n = 0; n < iterations; ++n) directions = product(scores(orthonormal(directions)));
    directions = orthonormal(directions);
    const Eigen::MatrixXd along = scores(directions);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(along.transpose() * along);
    const Eigen::VectorXd squares = eigen.eigenvalues().reverse().cwiseMax(0.0);
    int kept = above_noise(squares);
    if (kept == 0 && columns() <= few_columns) kept = not_rounding(squares);
    directions_ = directions * eigen.eigenvectors().rowwise().reverse().leftCols(kept);
    scores_ = along * eigen.eigenvectors().rowwise().reverse().leftCols(kept);
    squares_ = squares.head(kept);
  }

  int rows() const { return rows_; }
  int columns() const { return x_->data().columns(); }
  int size() const { return static_cast<int>(squares_.size()); }
  const Eigen::VectorXd& mean() const { return mean_; }
  double noise_variance() const { return noise_; }
  const Eigen::MatrixXd& scores() const { return scores_; }  ///< rows x size
  /// Uncorrelated scores with variance 1.
  Eigen::MatrixXd whitened() const {
    return scores_ * (squares_ / rows_).cwiseSqrt().cwiseInverse().asDiagonal();
  }
  /// The value of one entry fitted by the components, each shrunk according to how far it exceeds
  /// the noise. Without shrinkage, components near the limit would be sustained by the values that
  /// fill missing entries.
  double fitted(int i, int d) const {
    const Eigen::RowVectorXd weights =
        (1 - edge_ * noise_ * rows_ / squares_.array()).cwiseMax(0.0);
    return mean_(d) + (directions_.row(d).array() * weights.array() * scores_.row(i).array()).sum();
  }
  /// Centred data times the columns of v.
  Eigen::MatrixXd product(const Eigen::MatrixXd& v) const {
    return x_->product(v) - mean_ * v.colwise().sum();
  }

 private:
  static constexpr int iterations = 8, few_columns = 8;

  Eigen::MatrixXd scores(const Eigen::MatrixXd& directions) const {
    Eigen::MatrixXd scores(rows_, directions.cols());
    for (int k = 0; k < directions.cols(); ++k)
      scores.col(k) = x_->scores(directions.col(k)).array() - mean_.dot(directions.col(k));
    return scores;
  }

  static Eigen::MatrixXd orthonormal(const Eigen::MatrixXd& m) {
    return Eigen::HouseholderQR<Eigen::MatrixXd>(m).householderQ() *
           Eigen::MatrixXd::Identity(m.rows(), m.cols());
  }

  /// Number of components that exceed the noise, which is estimated from the others.
  int above_noise(const Eigen::VectorXd& squares) {
    const double columns = this->columns();
    edge_ = std::pow(1 + std::sqrt(columns / rows_), 2);
    double rest = x_->total() - rows_ * mean_.squaredNorm();
    int count = 0;
    for (; count < squares.size(); ++count) {
      const double freedom = (columns - count) * (rows_ - 1 - count);
      if (freedom <= 0 || !(squares(count) > rounding())) break;
      noise_ = std::max(0.0, rest / freedom);
      if (squares(count) / rows_ <= 1.02 * edge_ * noise_) break;
      rest -= squares(count);
    }
    return count;
  }

  int not_rounding(const Eigen::VectorXd& squares) const {
    return static_cast<int>((squares.array() > rounding()).count());
  }
  double rounding() const { return 1e-12 * x_->total(); }

  const Completed* x_;
  int rows_;
  Eigen::VectorXd mean_, squares_;
  Eigen::MatrixXd directions_, scores_;
  double noise_ = 0, edge_ = 1;  ///< the limit is in units of the noise
};

/// The gradient of the sum of skewness^2 / 12 + kurtosis^2 / 48 of the columns of whitened * turn.
inline Eigen::MatrixXd ascent_of_negentropy(const Eigen::MatrixXd& whitened,
                                            const Eigen::MatrixXd& turn) {
  const double rows = whitened.rows();
  const Eigen::ArrayXXd sources = whitened * turn, squares = sources.square();
  const Eigen::MatrixXd third = whitened.transpose() * squares.matrix() / rows;
  const Eigen::MatrixXd fourth =
      whitened.transpose() * (squares * sources).matrix() / rows - 3 * turn;
  const Eigen::VectorXd skewness = turn.cwiseProduct(third).colwise().sum();
  const Eigen::VectorXd kurtosis = turn.cwiseProduct(fourth).colwise().sum();
  return third * (skewness / 2).asDiagonal() + fourth * (kurtosis / 6).asDiagonal();
}

/// Rotates uncorrelated columns with variance 1 to maximise non-normality: symmetric FastICA
/// (Hyvarinen & Oja 1997), which climbs the sum of skewness^2 / 12 + kurtosis^2 / 48, approximately
/// the negentropy. A feature shared by half of the rows has no skewness, and one shared by .21 or
/// .79 of them has no excess kurtosis, but every feature has one or the other.
inline Eigen::MatrixXd independent(const Eigen::MatrixXd& whitened, Rng& rng) {
  const auto size = whitened.cols();
  const auto symmetric = [](const Eigen::MatrixXd& m) -> Eigen::MatrixXd {
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(m, Eigen::ComputeThinU | Eigen::ComputeThinV);
    return svd.matrixU() * svd.matrixV().transpose();
  };
  Eigen::MatrixXd turn = symmetric(normal_matrix(size, size, 1, rng));
  for (int n = 0; n < 100; ++n) {
    const Eigen::MatrixXd next = symmetric(ascent_of_negentropy(whitened, turn));
    const double change =
        (1 - next.cwiseProduct(turn).colwise().sum().array().abs()).abs().maxCoeff();
    turn = next;
    if (change < 1e-6) break;
  }
  return whitened * turn;
}

/// The rows above the midpoint between two means.
inline Bits upper_side(const Eigen::VectorXd& values) {
  double middle = 0.5 * (values.minCoeff() + values.maxCoeff());
  for (int n = 0; n < 20; ++n) {
    const auto above = (values.array() > middle).cast<double>();
    const double count = above.sum(), sum = (above * values.array()).sum();
    const double rest = values.size() - count;
    if (count == 0 || rest == 0) break;
    middle = 0.5 * (sum / count + (values.sum() - sum) / rest);
  }
  Bits side(static_cast<int>(values.size()));
  for (int i = 0; i < values.size(); ++i)
    if (values(i) > middle) side.set(i);
  return side;
}

/// Replaces components by their complements so that, if possible, the features explain the mean of
/// the data without a feature that all rows have; otherwise that feature is added.
inline Features turned_on(std::vector<Bits> columns, const LeadingComponents& leading) {
  const int rows = leading.rows(), size = static_cast<int>(columns.size());
  Eigen::MatrixXd centred(rows, size);
  Eigen::VectorXd share(size);
  for (int k = 0; k < size; ++k) {
    share(k) = columns[k].count() / double(rows);
    for (int i = 0; i < rows; ++i) centred(i, k) = columns[k].at(i) - share(k);
  }
  const Eigen::MatrixXd gram = centred.transpose() * centred;
  Eigen::MatrixXd loadings = gram.ldlt().solve(leading.product(centred).transpose()).transpose();
  const Eigen::VectorXd in_mean = loadings.colPivHouseholderQr().solve(leading.mean());
  Features z(rows);
  Eigen::VectorXd rest = leading.mean();
  for (int k = 0; k < size; ++k) {
    const bool other = in_mean(k) < share(k) - 0.5;
    rest -= (other ? share(k) - 1 : share(k)) * loadings.col(k);
    z.add(other ? complement(columns[k], rows) : std::move(columns[k]));
  }
  double uncertainty = 1;  // uncertainty of the rest, relative to the uncertainty of a mean
  for (int k = 0; k < size; ++k) uncertainty += z.count(k) / (rows - double(z.count(k)));
  const double by_chance = leading.noise_variance() * leading.columns() * uncertainty / rows;
  if (rest.squaredNorm() > 2 * by_chance) z.add(complement(Bits(rows), rows));
  return z;
}

/// Sets every missing entry of the data to value(i, d).
template <class Value>
void complete(Completed& x, Value value) {
  for (int i = 0; i < x.data().rows(); ++i) {
    int h = 0;
    x.data().for_hidden(i, [&](int d) { x.hidden(i)(h++) = value(i, d); });
  }
}

/// The leading components of data whose missing entries they complete, starting from column means.
inline LeadingComponents complete_by_components(Completed& x, int most, Rng& rng) {
  constexpr int rounds = 8;
  const GaussianData& data = x.data();
  if (data.complete()) return LeadingComponents(x, most, rng);
  const Eigen::VectorXd sum = data.product(Eigen::VectorXd::Ones(data.rows()));
  Eigen::VectorXd count = Eigen::VectorXd::Constant(data.width(), data.rows());
  for (int i = 0; i < data.rows(); ++i) data.for_hidden(i, [&](int d) { --count(d); });
  complete(x, [&](int, int d) { return sum(d) / std::max(count(d), 1.0); });
  for (int n = 0; n < rounds; ++n) {
    const LeadingComponents leading(x, most, rng);
    complete(x, [&](int i, int d) { return leading.fitted(i, d); });
  }
  return LeadingComponents(x, most, rng);
}

/// Features suggested by the data: their independent components that exceed the noise, each
/// thresholded. Missing entries are completed along the way. With many columns, there are no
/// features if no component exceeds the noise. There are at most `most` features, plus one that all
/// rows may have.
inline Features independent_components(Completed& x, Rng& rng, int most = 64) {
  const int rows = x.data().rows();
  if (rows < 3) return Features(rows);
  const LeadingComponents leading = complete_by_components(x, most, rng);
  std::vector<Bits> columns;
  if (leading.size() > 0) {
    const Eigen::MatrixXd sources = independent(leading.whitened(), rng);
    for (int k = 0; k < sources.cols(); ++k) {
      Bits side = upper_side(sources.col(k));
      if (side.count() > 0 && side.count() < rows) columns.push_back(std::move(side));
    }
  }
  return columns.empty() ? Features(rows) : turned_on(std::move(columns), leading);
}

}  // namespace buffet
