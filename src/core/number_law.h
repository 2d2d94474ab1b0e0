#pragma once

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "rng.h"

namespace buffet {

/// A distribution on 0, 1, ..., given by log P(j + 1) - log P(j), which decreases in j.
class NumberLaw {
 public:
  static constexpr int too_many = 10000;

  /// Stops when the remaining probability is below rounding error.
  template <class LogRatio>
  void set(LogRatio log_ratio) {
    weights_.assign(1, 1.0);
    total_ = 1;
    double ratio = 1;
    for (int j = 0; ratio > 0.5 || weights_.back() > 1e-18 * total_; ++j) {
      if (j > too_many)
        throw std::runtime_error(
            "a row asks for more than 10000 features of its own: `alpha` is far too large.");
      ratio = std::exp(log_ratio(j));
      if (total_ > 1e200) rescale(1e-200);
      weights_.push_back(weights_.back() * ratio);
      total_ += weights_.back();
    }
  }

  int draw(Rng& rng) const {
    double rest = rng.uniform() * total_;
    const int last = static_cast<int>(weights_.size()) - 1;
    for (int j = 0; j < last; ++j)
      if ((rest -= weights_[j]) < 0) return j;
    return last;
  }

 private:
  void rescale(double factor) {
    for (double& w : weights_) w *= factor;
    total_ *= factor;
  }

  std::vector<double> weights_;
  double total_ = 1;
};

}  // namespace buffet
