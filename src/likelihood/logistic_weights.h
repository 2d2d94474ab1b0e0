#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <utility>
#include <vector>

#include "binary_data.h"
#include "core/bits.h"
#include "core/features.h"
#include "core/log_sum.h"
#include "core/logistic_normal.h"
#include "core/normal_vector.h"
#include "core/rng.h"
#include "core/slice.h"
#include "logistic_scales.h"

namespace buffet {

/// Multiplies all weights and sigma_a by one factor: given the weights, which are many, sigma_a
/// hardly moves.
class CommonScale {
 public:
  struct Weights {
    const Eigen::VectorXd& bias;
    const Eigen::MatrixXd& w;  ///< D x K
  };

  CommonScale(const Features& z, const BinaryData& data, const Weights& weights)
      : of_bias_(data.columns() * z.rows()), of_features_(of_bias_.size()) {
    for (int i = 0; i < z.rows(); ++i) {
      const Eigen::ArrayXd signs = data.signs(i).template cast<double>();
      Eigen::ArrayXd sum = Eigen::ArrayXd::Zero(data.columns());
      for (int k = 0; k < z.size(); ++k)
        if (z.at(i, k)) sum += weights.w.col(k).array();
      of_bias_.segment(i * data.columns(), data.columns()) = signs * weights.bias.array();
      of_features_.segment(i * data.columns(), data.columns()) = signs * sum;
    }
  }

  /// Draws the factor and multiplies sigma_a by it; the caller multiplies the weights.
  double draw(LogisticScales& scales, Rng& rng) const {
    const double before = scales.a.value;
    const auto precision = [&](double log_scale) { return before * std::exp(-2 * log_scale); };
    const auto log_density = [&](double log_scale) {
      return scales.log_density_of_a(precision(log_scale)) + log_lik(std::exp(log_scale));
    };
    const double log_scale = slice_within(0, log_density, 1, rng);
    scales.a.value = precision(log_scale);
    return std::exp(log_scale);
  }

 private:
  /// Log likelihood up to a constant: missing entries count as log(1/2).
  double log_lik(double scale) const {
    const Eigen::ArrayXd terms = 1 + (-of_bias_ - scale * of_features_).exp();
    return -sum_of_logs(terms);
  }

  Eigen::ArrayXd of_bias_, of_features_;  ///< contributions to the log odds of every observed entry
};

/// The rows with a feature or the bias, as a list and as bits.
struct Holder {
  std::vector<int> rows;
  Bits bits;

  explicit Holder(Bits column) : bits(std::move(column)) {
    bits.for_each([&](int i) { rows.push_back(i); });
  }
};

/// The rows with each feature, and all rows for the bias.
struct Holders {
  std::vector<Holder> of;
  Holder all;

  explicit Holders(const Features& z) : all(complement(Bits(z.rows()), z.rows())) {
    for (int k = 0; k < z.size(); ++k) of.emplace_back(z.column(k));
  }
};

/// One column of binary data given Z, whose weights are drawn one by one. e = exp(log odds) for
/// every row, 0 if the entry is missing.
class LogisticColumn {
 public:
  LogisticColumn(const BinaryData& data, int j)
      : ones_(data.ones_in(j)), hidden_(data.hidden_in(j)) {}

  /// Recomputes from scratch.
  template <class Weights>
  void set(const Holders& holders, double bias, const Weights& weights) {
    set_log_odds(holders, bias, weights);
    set_odds();
  }
  template <class Weights>
  double log_lik(const Holders& holders, double bias, const Weights& weights) {
    set_log_odds(holders, bias, weights);
    double gain = 0;
    ones_.for_each([&](int i) { gain += e_(i); });
    set_odds();
    return gain - sum_of_logs(1 + e_);
  }

  /// Slice sampling of a weight, N(0, 1 / precision), of a feature with these rows, within six
  /// standard deviations of a posterior to which every row contributes a precision of 0.12, half of
  /// the maximum.
  void draw(double& weight, double precision, const Holder& holder, Rng& rng) {
    const std::vector<int>& rows = holder.rows;
    held_.resize(rows.size());
    for (std::size_t n = 0; n < rows.size(); ++n) held_(n) = e_(rows[n]);
    const double ones = ones_.count_shared(holder.bits);
    const auto log_density = [&](double w) {
      return ones * (w - weight) - sum_of_logs(1 + held_ * std::exp(w - weight)) -
             0.5 * precision * w * w;
    };
    const double width = 6 / std::sqrt(precision + 0.12 * double(rows.size()));
    const double drawn = slice_within(weight, log_density, width, rng);
    const double factor = std::exp(drawn - weight);
    for (std::size_t n = 0; n < rows.size(); ++n) e_(rows[n]) = held_(n) * factor;
    weight = drawn;
  }

 private:
  template <class Weights>
  void set_log_odds(const Holders& holders, double bias, const Weights& weights) {
    e_.setConstant(static_cast<Eigen::Index>(holders.all.rows.size()), bias);
    for (std::size_t k = 0; k < holders.of.size(); ++k)
      for (int i : holders.of[k].rows) e_(i) += weights(k);
  }
  void set_odds() {
    e_ = e_.exp();
    for (int i : hidden_) e_(i) = 0;
  }

  const Bits& ones_;
  const std::vector<int>& hidden_;
  Eigen::ArrayXd e_, held_;
};

/// A row's singletons with their weights integrated out: the likelihood depends only on the sum of
/// the weights in each column, N(0, own / precision). psi are the log odds of the row without
/// singletons; signs are the observed entries, as in BinaryData.
class LogisticOwn {
 public:
  /// Precision of a single weight.
  void set_precision(double precision) {
    if (precision != precision_) tables_.clear();
    precision_ = precision;
  }

  /// Log likelihood of the row with one or more singletons.
  template <class Signs>
  double log_evidence(int own, const Eigen::ArrayXd& psi, const Signs& signs) {
    for (int q = static_cast<int>(tables_.size()) + 1; q <= own; ++q)
      tables_.emplace_back(q / precision_);
    LogisticNormalTable& table = tables_[own - 1];
    double sum = 0;
    for (int j = 0; j < psi.size(); ++j)
      if (signs(j) != 0) sum += table(signs(j) * psi(j));
    return sum;
  }

  /// The weights drawn from their posterior, D x own: the sum is drawn column by column; given the
  /// sum, the weights are normal around equal parts of it.
  template <class Signs>
  Eigen::MatrixXd draw(int own, const Eigen::ArrayXd& psi, const Signs& signs, Rng& rng) const {
    Eigen::MatrixXd w = normal_matrix(psi.size(), own, 1 / std::sqrt(precision_), rng);
    if (own == 0) return w;
    for (int j = 0; j < psi.size(); ++j) {
      if (signs(j) == 0) continue;
      const LogisticNormal posterior(signs(j) * psi(j), own / precision_);
      const double total = signs(j) * posterior.draw(rng) - psi(j);
      w.row(j).array() += (total - w.row(j).sum()) / own;
    }
    return w;
  }

 private:
  double precision_ = 1;
  std::vector<LogisticNormalTable> tables_;  ///< indexed by the number of features minus one
};

/// Posterior mode of bias and weights given Z, found by Newton's method for each column, and
/// Laplace's approximation to the evidence at the mode.
class LogisticMode {
 public:
  LogisticMode(const Features& z, const BinaryData& data, const LogisticScales& scales)
      : data_(data), first_(scales.bias ? 1 : 0), rows_(z.rows()) {
    const int size = z.size() + first_;
    precision_.setConstant(size, scales.a.value);
    if (first_ > 0) precision_(0) = scales.b.value;
    for (int i = 0; i < z.rows(); ++i) {
      if (first_ > 0) rows_[i].push_back(0);
      for (int k = 0; k < z.size(); ++k)
        if (z.at(i, k)) rows_[i].push_back(k + first_);
    }
    mode_.setZero(size, data.columns());
    if (first_ > 0) mode_.row(0) = data.log_odds().cwiseMax(-5.0).cwiseMin(5.0);
    for (int j = 0; j < data.columns(); ++j) climb(j);
  }

  Eigen::MatrixXd weights() const { return mode_.bottomRows(mode_.rows() - first_).transpose(); }
  Eigen::VectorXd bias() const {
    return first_ > 0 ? Eigen::VectorXd(mode_.row(0)) : Eigen::VectorXd::Zero(mode_.cols());
  }
  double log_evidence() const { return log_evidence_; }

 private:
  /// Log posterior density of one column's bias and weights, with its derivatives, without
  /// normalising constants.
  struct Curve {
    double height;
    Eigen::VectorXd slope;
    Eigen::MatrixXd bend;
  };

  Curve curve(int j, const Eigen::VectorXd& w) const {
    Curve c{-0.5 * w.dot(precision_.cwiseProduct(w)), -precision_.cwiseProduct(w),
            precision_.asDiagonal()};
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const int sign = data_.sign(static_cast<int>(i), j);
      if (sign == 0) continue;
      double psi = 0;
      for (int k : rows_[i]) psi += w(k);
      const double p = sigmoid(psi), residual = (sign > 0 ? 1 : 0) - p;
      c.height += log_sigmoid(sign * psi);
      for (int k : rows_[i]) {
        c.slope(k) += residual;
        for (int l : rows_[i]) c.bend(k, l) += p * (1 - p);
      }
    }
    return c;
  }

  /// Newton steps, which are halved while the density falls.
  void climb(int j) {
    Eigen::VectorXd w = mode_.col(j);
    Curve here = curve(j, w);
    for (int n = 0; n < 50; ++n) {
      const Eigen::VectorXd step = here.bend.llt().solve(here.slope);
      if (!(step.dot(here.slope) > 1e-10)) break;
      double by = 1;
      Curve there = curve(j, w + step);
      while (there.height < here.height && by > 1e-6) there = curve(j, w + (by /= 2) * step);
      w += by * step;
      here = std::move(there);
    }
    mode_.col(j) = w;
    const Eigen::LLT<Eigen::MatrixXd> llt(here.bend);
    log_evidence_ += here.height + 0.5 * precision_.array().log().sum() -
                     llt.matrixLLT().diagonal().array().log().sum();
  }

  const BinaryData& data_;
  int first_;  ///< index of the first weight
  std::vector<std::vector<int>> rows_;
  Eigen::VectorXd precision_;
  Eigen::MatrixXd mode_;
  double log_evidence_ = 0;
};

}  // namespace buffet
