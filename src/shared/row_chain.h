#pragma once

#include <cmath>
#include <functional>
#include <vector>

#include "core/features.h"
#include "core/rng.h"
#include "gibbs/sweep.h"
#include "prior/exchangeable.h"
#include "row_by_scores.h"

namespace buffet {

/// An exchangeable prior with the probabilities of the features in use: given these, rows are
/// independent of each other. Singletons can also be treated with their probabilities integrated
/// out; the rows' numbers of singletons are then independent as well.
class KnownProbabilities : public Exchangeable {
 public:
  using Exchangeable::Exchangeable;

  /// Draws the probabilities given Z: mu_k ~ Beta(m_k + a, N - m_k + b).
  void draw(const Features& z, Rng& rng) {
    log_odds_.clear();
    for (int k = 0; k < z.size(); ++k)
      log_odds_.push_back(rng.log_gamma_draw(z.count(k) + shape_on()) -
                          rng.log_gamma_draw(rows() - z.count(k) + shape_off()));
  }
  /// Sets the probabilities to the shares of rows in a sample of `seen` rows.
  void estimate(const Features& z, int seen) {
    log_odds_.clear();
    for (int k = 0; k < z.size(); ++k)
      log_odds_.push_back(std::log((z.count(k) + 0.5) / (seen - z.count(k) + 0.5)));
  }

  double log_odds(const Features&, int, int k) const { return log_odds_[k]; }

  /// Log of P(j + 1) / P(j) as a function of row i and its number j of singletons, if `shared`
  /// features have several rows. In the infinite models, these numbers are Poisson. In the finite
  /// model, the columns without rows are divided among the rows at random; given this division, the
  /// numbers are binomial. counts() returns the current number for every row.
  template <class Counts>
  std::function<double(int, int)> own_log_ratio(int shared, Counts counts, Rng& rng) const {
    const double log_rate = log_own_ratio(0, 0, 0);
    if (!finite()) return [=](int, int j) { return log_rate - std::log(j + 1.0); };
    std::vector<int> places = counts();
    int empty = spec().n_features - shared;
    for (int own : places) empty -= own;
    for (; empty > 0; --empty) ++places[rng.below(rows())];
    const double log_odds = log_rate - std::log(double(spec().n_features) / rows());
    return [=](int i, int j) { return log_odds + std::log((places[i] - j) / (j + 1.0)); };
  }

 private:
  std::vector<double> log_odds_;
};

/// The quantities on which the bits of a row depend, given loadings and probabilities.
struct RowChain {
  Features& z;  ///< the worker's own part
  KnownProbabilities& prior;
  RowByScores& likelihood;
  Rng& rng;
  bool bare = false;  ///< do not update several bits jointly
};

/// Draws those bits of row i that are in `free`, which is in random order.
inline void draw_free_bits(int i, const std::vector<int>& free, RowChain& chain) {
  if (chain.bare) {
    for (int k : free) draw_bit(i, k, chain);
    return;
  }
  thread_local std::vector<int> waiting;
  waiting = free;
  while (!waiting.empty()) draw_block(i, take_block(waiting, chain.likelihood), chain);
}

}  // namespace buffet
