#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "measure.h"
#include "table.h"

namespace bench {

/// Sweeps of a converged chain, in runs of twenty. Up to one in ten sweeps moves whole features, so
/// each run has two cycles of such moves.
template <class Settled>
class Sweeps {
 public:
  static constexpr int each = 20;

  template <class... Arguments>
  explicit Sweeps(Arguments&&... arguments)
      : settled_(std::make_unique<Settled>(std::forward<Arguments>(arguments)...)) {}
  void operator()() {
    for (int n = 0; n < each; ++n) {
      settled_->chain.sweep();
      features_ += settled_->chain.z.size();
    }
    sweeps_ += each;
  }
  double mean_features() const { return features_ / sweeps_; }

  /// A statistic of the seconds that calls took.
  static Spread per_sweep(std::vector<double> seconds) {
    for (double& s : seconds) s /= each;
    return spread(seconds);
  }

 private:
  std::unique_ptr<Settled> settled_;
  double features_ = 0, sweeps_ = 0;
};

/// Growth of the time per sweep: for every size, the mean number of features, the median of the
/// seconds per sweep, and all of them as a table cell.
struct SweepGrowth {
  std::vector<double> features, seconds;
  std::string points;
};

/// Growth over these sizes, whose chains are measured in turns.
template <class Sweeps>
SweepGrowth growth_of(const std::vector<int>& sizes, std::vector<std::unique_ptr<Sweeps>> made,
                      int repeats) {
  std::vector<std::function<void()>> works;
  for (const auto& sweeps : made) works.push_back([work = sweeps.get()] { (*work)(); });
  const auto seconds = seconds_in_turns(works, repeats);
  SweepGrowth growth;
  for (std::size_t n = 0; n < made.size(); ++n) {
    growth.features.push_back(made[n]->mean_features());
    growth.seconds.push_back(Sweeps::per_sweep(seconds[n]).median);
    growth.points += text("%s%d (%.1f): %.3g", n > 0 ? "; " : "", sizes[n], growth.features[n],
                          growth.seconds[n] * 1e3);
  }
  return growth;
}

}  // namespace bench
