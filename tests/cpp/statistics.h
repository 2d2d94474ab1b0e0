#pragma once

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <limits>
#include <vector>

namespace test {

struct Statistic {
  const char* name;
  double value;
};

inline double z_score(double difference, double variance) {
  if (variance > 0) return difference / std::sqrt(variance);
  return std::abs(difference) < 1e-9 ? 0 : std::numeric_limits<double>::infinity();
}

/// Two-sided p-value.
inline double normal_p(double z) {
  return std::erfc(std::abs(z) / std::sqrt(2.0));
}

/// Mean of a series and the variance of that mean.
class Mean {
 public:
  void add(double v) {
    ++n_;
    const double delta = v - mean_;
    mean_ += delta / n_;
    squares_ += delta * (v - mean_);
  }
  double value() const { return mean_; }
  double variance() const { return n_ > 1 ? squares_ / (n_ - 1.0) / n_ : 0; }

 private:
  int n_ = 0;
  double mean_ = 0, squares_ = 0;
};

/// Tests whether independent draws have this mean and variance.
class Moments {
 public:
  Moments(double mean, double variance) : mean_(mean), variance_(variance) {}

  void add(double v) {
    first_.add(v - mean_);
    second_.add((v - mean_) * (v - mean_) - variance_);
  }
  double largest_z() const {
    return std::max(std::abs(z_score(first_.value(), first_.variance())),
                    std::abs(z_score(second_.value(), second_.variance())));
  }

 private:
  double mean_, variance_;
  Mean first_, second_;
};

/// Mean of an autocorrelated series, whose variance is estimated from batch means.
class BatchMean {
 public:
  BatchMean(int length, int batches) : batch_(std::max(1, length / batches)) {}

  void add(double v) {
    sum_ += v;
    if (++in_batch_ < batch_) return;
    means_.add(sum_ / batch_);
    in_batch_ = 0;
    sum_ = 0;
  }
  double value() const { return means_.value(); }
  double variance() const { return means_.variance(); }
  double z(double truth) const { return z_score(value() - truth, variance()); }

 private:
  int batch_, in_batch_ = 0;
  double sum_ = 0;
  Mean means_;
};

/// p-value for observed counts given expected ones; cells with expected counts below `least` are
/// pooled.
inline double chi_squared_p(const std::vector<double>& observed,
                            const std::vector<double>& expected, double least = 20) {
  double statistic = 0, rest_observed = 0, rest_expected = 0;
  int cells = 0;
  const auto add = [&](double o, double e) {
    statistic += (o - e) * (o - e) / e;
    ++cells;
  };
  for (std::size_t n = 0; n < observed.size(); ++n) {
    if (expected[n] >= least) {
      add(observed[n], expected[n]);
    } else {
      rest_observed += observed[n];
      rest_expected += expected[n];
    }
  }
  if (rest_expected >= least) add(rest_observed, rest_expected);
  if (cells < 2) return 1;
  return boost::math::cdf(
      boost::math::complement(boost::math::chi_squared(cells - 1.0), statistic));
}

/// p-value for two lists of counts from the same distribution.
inline double chi_squared_two_sample_p(const std::vector<double>& a, const std::vector<double>& b) {
  double total_a = 0, total_b = 0;
  for (double v : a) total_a += v;
  for (double v : b) total_b += v;
  double statistic = 0, rest_a = 0, rest_b = 0;
  int cells = 0;
  const auto add = [&](double x, double y) {
    const double d = std::sqrt(total_b / total_a) * x - std::sqrt(total_a / total_b) * y;
    statistic += d * d / (x + y);
    ++cells;
  };
  for (std::size_t n = 0; n < a.size(); ++n) {
    if (a[n] + b[n] >= 40) {
      add(a[n], b[n]);
    } else {
      rest_a += a[n];
      rest_b += b[n];
    }
  }
  if (rest_a + rest_b >= 40) add(rest_a, rest_b);
  if (cells < 2) return 1;
  return boost::math::cdf(
      boost::math::complement(boost::math::chi_squared(cells - 1.0), statistic));
}

}  // namespace test
