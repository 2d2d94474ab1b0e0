#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <utility>
#include <vector>

#include "binary_data.h"
#include "core/bits.h"
#include "core/features.h"
#include "core/rng.h"
#include "core/slice.h"
#include "core/sum_of_logs.h"

namespace buffet {

/// Rows that have something, as a list and as bits.
struct Holder {
  std::vector<int> rows;
  Bits bits;

  explicit Holder(Bits column) : bits(std::move(column)) {
    bits.for_each([&](int i) { rows.push_back(i); });
  }
};

/// Those that have each feature, and all of them for the bias.
struct Holders {
  std::vector<Holder> of;
  Holder all;

  explicit Holders(const Features& z) : all(complement(Bits(z.rows()), z.rows())) {
    for (int k = 0; k < z.size(); ++k) of.emplace_back(z.column(k));
  }
};

/// One column of binary data given Z, its weights drawn one by one. e = exp(log odds) of every row,
/// 0 where the entry is missing.
class LogisticColumn {
 public:
  LogisticColumn(const BinaryData& data, int j)
      : ones_(data.ones_in(j)), hidden_(data.hidden_in(j)) {}

  /// From scratch.
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

  /// Slice sampling of a weight, N(0, 1 / precision), that these rows have, within six standard
  /// deviations of a posterior to which every row adds 0.12, half of the most it can.
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

}  // namespace buffet
