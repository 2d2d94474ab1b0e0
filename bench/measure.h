#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>
#include <vector>

namespace bench {

/// Processor time, which is disturbed less than elapsed time by other programs on the machine.
inline double seconds_used() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

template <class Work>
double seconds_of(Work work, int calls = 1) {
  const double started = seconds_used();
  for (int n = 0; n < calls; ++n) work();
  return (seconds_used() - started) / calls;
}

/// Number of calls that take at least 20 ms in total.
template <class Work>
int enough_calls(Work work) {
  int calls = 1;
  while (seconds_of(work, calls) * calls < 0.02) calls *= 2;
  return calls;
}

struct Spread {
  double least, lower, median, upper, most;
};

inline Spread spread(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto quantile = [&](double p) {
    const double at = p * (values.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const auto above = std::min(below + 1, values.size() - 1);
    return values[below] + (at - below) * (values[above] - values[below]);
  };
  return {values.front(), quantile(0.25), quantile(0.5), quantile(0.75), values.back()};
}

/// Seconds per call of several workloads, measured in turns, so that a change in the machine's
/// speed affects all of them: result[work][repeat].
inline std::vector<std::vector<double>> seconds_in_turns(
    const std::vector<std::function<void()>>& works, int repeats) {
  std::vector<int> calls;
  for (const auto& work : works) calls.push_back(enough_calls(work));
  std::vector<std::vector<double>> seconds(works.size());
  for (int n = 0; n < repeats; ++n)
    for (std::size_t w = 0; w < works.size(); ++w)
      seconds[w].push_back(seconds_of(works[w], calls[w]));
  return seconds;
}

inline std::vector<double> ratios(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> ratio(a.size());
  std::transform(a.begin(), a.end(), b.begin(), ratio.begin(), std::divides<>());
  return ratio;
}

/// Least-squares slope of the logarithms.
template <class Size>
double slope(const std::vector<Size>& sizes, const std::vector<double>& seconds) {
  Eigen::MatrixXd design(sizes.size(), 2);
  Eigen::VectorXd log_seconds(sizes.size());
  for (std::size_t n = 0; n < sizes.size(); ++n) {
    design.row(n) << 1, std::log(sizes[n]);
    log_seconds(n) = std::log(seconds[n]);
  }
  return design.colPivHouseholderQr().solve(log_seconds)(1);
}

/// The unavoidable work: a single product of an N x D and a D x K matrix, on one thread.
class Product {
 public:
  Product(const Eigen::MatrixXd& x, int features)
      : x_(x), loadings_(Eigen::MatrixXd::Random(x.rows(), features)), out_(x.cols(), features) {}
  void operator()() { out_.noalias() = x_.transpose() * loadings_; }

 private:
  const Eigen::MatrixXd& x_;
  Eigen::MatrixXd loadings_, out_;
};

}  // namespace bench
