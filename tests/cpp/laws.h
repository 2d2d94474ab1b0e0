#pragma once

#include <testthat/vendor/catch.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "statistics.h"

namespace test {

/// A distribution on 0, 1, ..., given by its first few probabilities.
using Law = std::vector<double>;

inline Law poisson(double rate) {
  Law law(40);
  for (int j = 0; j < 40; ++j) law[j] = std::exp(j * std::log(rate) - rate - std::lgamma(j + 1.0));
  return law;
}

inline Law binomial(int n, double p) {
  Law law(40, 0);
  for (int j = 0; j <= n; ++j)
    law[j] = std::exp(std::lgamma(n + 1.0) - std::lgamma(j + 1.0) - std::lgamma(n - j + 1.0) +
                      j * std::log(p) + (n - j) * std::log1p(-p));
  return law;
}

/// Compares a series of integers with a distribution.
class Count {
 public:
  Count(std::string name, Law law, int steps)
      : name_(std::move(name)), law_(std::move(law)), seen_(6, BatchMean(steps, 200)) {}

  void add(int value) {
    for (int j = 0; j < 6; ++j) seen_[j].add(value == j);
  }

  void check() const {
    for (int j = 0; j < 6; ++j) {
      if (law_[j] < 0.003) continue;
      INFO("P(" << name_ << " = " << j << ") is " << law_[j]);
      const double z = seen_[j].z(law_[j]);
      CHECK(std::abs(z) < 4.5);
    }
  }

 private:
  std::string name_;
  Law law_;
  std::vector<BatchMean> seen_;
};

}  // namespace test
