#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/normal_vector.h"
#include "core/rng.h"
#include "gaussian/gaussian_data.h"

namespace buffet {

/// For every column, the rows with a missing entry.
using HiddenRows = std::vector<std::vector<int>>;

inline HiddenRows hidden_rows(const GaussianData& data) {
  HiddenRows rows(data.width());
  for (int i = 0; i < data.rows(); ++i) data.for_hidden(i, [&](int d) { rows[d].push_back(i); });
  return rows;
}

/// Rows whose entries have different precisions. Each row has a column of factors, which are 0 for
/// missing entries.
struct EntryWeights {
  std::vector<int> rows;
  Eigen::MatrixXd factors;

  /// The index of row i among the rows with weights, or -1.
  int find(int i) const {
    const auto at = std::find(rows.begin(), rows.end(), i);
    return at == rows.end() ? -1 : static_cast<int>(at - rows.begin());
  }
};

/// Precisions of the entries of the data: rows(i) columns(j) for entry (i, j), times its weight if
/// row i has weights.
struct EntryPrecisions {
  Eigen::ArrayXd rows, columns;
  EntryWeights weights = {};

  bool has_weights(int i) const { return weights.find(i) >= 0; }
  /// Precisions of the entries of row i; 0 if an entry is missing.
  Eigen::ArrayXd of_row(const GaussianData& data, int i) const {
    Eigen::ArrayXd of = rows(i) * columns;
    const int n = weights.find(i);
    if (n >= 0) of *= weights.factors.col(n).array();
    data.for_hidden(i, [&](int d) { of(d) = 0; });
    return of;
  }
};

/// The columns of X as regressions on V. Row i of V has the weights of the features that row i has,
/// each times the standard deviation of the feature's loadings, so the coefficients are N(0, 1).
/// Columns without missing entries share the eigenvectors of one matrix whatever their precisions
/// are, unless rows have weights.
class LoadingsGivenWeights {
 public:
  LoadingsGivenWeights(const GaussianData& data, Eigen::MatrixXd v, const EntryPrecisions& noise,
                       const HiddenRows& hidden)
      : data_(data), v_(std::move(v)), noise_(noise), hidden_(hidden) {
    Eigen::MatrixXd weighted = noise.rows.matrix().asDiagonal() * v_;
    for (int i : noise.weights.rows) weighted.row(i).setZero();
    with_x_ = data.product(weighted);
    gram_.noalias() = v_.transpose() * weighted;
    for (std::size_t n = 0; n < noise.weights.rows.size(); ++n) {
      const int i = noise.weights.rows[n];
      Eigen::VectorXd x = Eigen::VectorXd::Zero(data.width());
      data.add(i, noise.rows(i), x);
      with_x_ += noise.weights.factors.col(n).cwiseProduct(x) * v_.row(i);
    }
    if (v_.cols() > 0) eigen_.compute(gram_);
  }

  /// A draw of the loadings, D x K.
  Eigen::MatrixXd draw(Rng& rng) const {
    return solve(normal_matrix(with_x_.rows(), with_x_.cols(), 1, rng));
  }
  /// The mean of the loadings.
  Eigen::MatrixXd mean() const {
    return solve(Eigen::MatrixXd::Zero(with_x_.rows(), with_x_.cols()));
  }

  /// log p(X | V) of the observed entries, with the loadings integrated out.
  double log_lik() const {
    double sum = 0;
    for (int i = 0; i < data_.rows(); ++i) {
      const double row = noise_.rows(i);
      const auto log_of = [&](int j) { return std::log(row * noise_.columns(j) / (2 * M_PI)); };
      data_.for_entries(i, [&](int j, double x) {
        // Missing entries are stored as 0, then visited as NaN.
        sum +=
            std::isnan(x) ? -0.5 * log_of(j) : 0.5 * (log_of(j) - row * noise_.columns(j) * x * x);
      });
    }
    if (with_x_.cols() == 0) return sum;
    const Eigen::ArrayXXd turned = with_x_ * eigen_.eigenvectors();
    for (int j = 0; j < with_x_.rows(); ++j) {
      const double precision = noise_.columns(j);
      if (shares(j)) {
        const Eigen::ArrayXd spread = 1 + precision * values();
        const double fit = (turned.row(j).transpose().square() / spread).sum();
        sum += 0.5 * (precision * precision * fit - spread.log().sum());
      } else {
        const Eigen::LLT<Eigen::MatrixXd> llt(precision_of(j));
        const Eigen::VectorXd half = llt.matrixL().solve(precision * with_x_.row(j).transpose());
        sum += 0.5 * half.squaredNorm() - llt.matrixLLT().diagonal().array().log().sum();
      }
    }
    return sum;
  }

 private:
  Eigen::ArrayXd values() const { return eigen_.eigenvalues().cwiseMax(0.0).array(); }

  /// The posterior mean plus the symmetric root of the posterior covariance times `noise`: unlike
  /// the eigenvectors, this is continuous in the products of the data.
  Eigen::MatrixXd solve(const Eigen::MatrixXd& noise) const {
    if (with_x_.cols() == 0) return with_x_;
    Eigen::ArrayXXd turned = with_x_ * eigen_.eigenvectors();
    const Eigen::ArrayXXd turned_noise = noise * eigen_.eigenvectors();
    const Eigen::ArrayXd values = this->values();
    for (int k = 0; k < turned.cols(); ++k) {
      const Eigen::ArrayXd spread = 1 + noise_.columns * values(k);
      turned.col(k) = noise_.columns * turned.col(k) / spread + turned_noise.col(k) / spread.sqrt();
    }
    Eigen::MatrixXd a = turned.matrix() * eigen_.eigenvectors().transpose();
    for (int j = 0; j < a.rows(); ++j) {
      if (shares(j)) continue;
      const Eigen::LLT<Eigen::MatrixXd> llt(precision_of(j));
      a.row(j) = llt.solve(noise_.columns(j) * with_x_.row(j).transpose()).transpose() +
                 llt.matrixU().solve(noise.row(j).transpose()).transpose();
    }
    return a;
  }

  /// True if gram_ applies to the column.
  bool shares(int j) const { return hidden_[j].empty() && noise_.weights.rows.empty(); }
  /// The posterior precision of the loadings of a column.
  Eigen::MatrixXd precision_of(int j) const {
    Eigen::MatrixXd precision = gram_;
    for (std::size_t n = 0; n < noise_.weights.rows.size(); ++n) {
      const int i = noise_.weights.rows[n];
      const Eigen::VectorXd weights = v_.row(i);
      precision.noalias() +=
          noise_.weights.factors(j, n) * noise_.rows(i) * weights * weights.transpose();
    }
    for (int i : hidden_[j]) {
      if (noise_.has_weights(i)) continue;
      const Eigen::VectorXd weights = v_.row(i);
      precision.noalias() -= noise_.rows(i) * weights * weights.transpose();
    }
    precision *= noise_.columns(j);
    precision.diagonal().array() += 1;
    return precision;
  }

  const GaussianData& data_;
  Eigen::MatrixXd v_;
  const EntryPrecisions& noise_;
  const HiddenRows& hidden_;
  Eigen::MatrixXd with_x_, gram_;  ///< X' T V, D x K, and V' T V
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen_;
};

}  // namespace buffet
