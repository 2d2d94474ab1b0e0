#pragma once

#include <cmath>
#include <memory>

#include "normal_family.h"

namespace buffet {

/// Positive numbers y of which x = (log y - center) / scale is normal. The response is the mean of
/// y.
class LogNormalFamily : public NormalFamily {
 public:
  LogNormalFamily(const Hyper& tau, double center, double scale)
      : NormalFamily(tau), center_(center), scale_(scale) {}
  std::unique_ptr<Family> clone() const override {
    return std::make_unique<LogNormalFamily>(*this);
  }

  void respond(const double* eta, double* mean) const override {
    double sigma;
    get(&sigma);
    *mean = std::exp(center_ + scale_ * *eta + 0.5 * scale_ * scale_ * sigma * sigma);
  }

 private:
  double center_, scale_;
};

}  // namespace buffet
