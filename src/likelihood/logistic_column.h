#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "../core/features.h"
#include "../core/rng.h"
#include "../core/sum_of_logs.h"
#include "../inference/slice.h"
#include "binary_data.h"

namespace buffet {

/// The rows that have each feature, and all of them for the bias.
struct Holders {
  std::vector<std::vector<int>> of;
  std::vector<int> all;

  explicit Holders(const Features& z) : of(z.size()) {
    for (int k = 0; k < z.size(); ++k) z.column(k).for_each([&](int i) { of[k].push_back(i); });
    for (int i = 0; i < z.rows(); ++i) all.push_back(i);
  }
};

/// One column of binary data given Z, its weights drawn one by one. e = exp(log odds) of every row,
/// 0 where the entry is missing.
class LogisticColumn {
 public:
  LogisticColumn(const BinaryData& data, int j) : signs_(data.column(j)) {}

  /// From scratch.
  template <class Weights>
  void set(const Holders& holders, double bias, const Weights& weights) {
    e_.setConstant(signs_.size(), bias);
    for (std::size_t k = 0; k < holders.of.size(); ++k)
      for (int i : holders.of[k]) e_(i) += weights(k);
    gain_ = (signs_.array() > 0).select(e_.array(), 0.0).sum();
    e_ = e_.array().exp();
    for (int i = 0; i < e_.size(); ++i)
      if (signs_(i) == 0) e_(i) = 0;
  }
  double log_lik() const { return gain_ - sum_of_logs(1 + e_.array()); }

  /// Slice sampling of a weight, N(0, 1 / precision), that these rows have, within six standard
  /// deviations of a posterior to which every row adds 0.12, half of the most it can.
  void draw(double& weight, double precision, const std::vector<int>& rows, Rng& rng) {
    held_.resize(rows.size());
    double ones = 0;
    for (std::size_t n = 0; n < rows.size(); ++n) {
      held_(n) = e_(rows[n]);
      ones += signs_(rows[n]) > 0;
    }
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
  Eigen::Matrix<signed char, Eigen::Dynamic, 1> signs_;
  Eigen::VectorXd e_;
  Eigen::ArrayXd held_;
  double gain_ = 0;
};

}  // namespace buffet
