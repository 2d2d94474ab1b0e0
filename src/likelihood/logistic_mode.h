#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <utility>
#include <vector>

#include "binary_data.h"
#include "core/features.h"
#include "core/logistic_normal.h"
#include "logistic_scales.h"

namespace buffet {

/// Bias and weights of highest posterior density given Z, column by column by Newton's method, and
/// Laplace's approximation of the evidence there.
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
  /// Log posterior density of one column's bias and weights, with its derivatives; the constants
  /// that depend on them left out.
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

  /// Newton steps, halved where they lead down.
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
