#pragma once

#include <cmath>
#include <vector>

#include "core/slice.h"
#include "core/special.h"
#include "topic_counts.h"

namespace bench {

/// Log probability of the words given their topics, as a function of eta alone, for which it is
/// sufficient to know how often each count occurs.
class EtaLikelihood {
 public:
  explicit EtaLikelihood(const TopicCounts& counts) : words_(counts.corpus().words) {
    for (int k = 0; k < counts.slots(); ++k)
      if (counts.total(k) > 0) totals_.push_back(counts.total(k));
    for (int w = 0; w < words_; ++w)
      for (int k = 0; k < counts.slots(); ++k)
        count(static_cast<std::size_t>(counts.words()(k, w)));
  }

  double operator()(double eta) const {
    using buffet::log_gamma;
    double log_density = static_cast<double>(totals_.size()) * log_gamma(words_ * eta);
    for (double total : totals_) log_density -= log_gamma(words_ * eta + total);
    for (std::size_t n = 1; n < times_.size(); ++n)
      if (times_[n] > 0) log_density += times_[n] * (log_gamma(eta + n) - log_gamma(eta));
    return log_density;
  }

 private:
  void count(std::size_t n) {
    if (n >= times_.size()) times_.resize(n + 1);
    ++times_[n];
  }

  int words_;
  std::vector<double> totals_;
  std::vector<int> times_;
};

/// One slice step of log(eta) under a Gamma(1, 1) prior.
inline void draw_eta(TopicCounts& counts, buffet::Rng& rng) {
  const EtaLikelihood likelihood(counts);
  const auto log_density = [&](double log_eta) {
    const double eta = std::exp(log_eta);
    return log_eta - eta + likelihood(eta);
  };
  counts.set_eta(std::exp(buffet::slice_sample(std::log(counts.eta()), log_density, 0.5, rng)));
}

}  // namespace bench
