#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/archive.h"
#include "core/check.h"
#include "core/rng.h"
#include "soft_birth.h"
#include "variational.h"

namespace buffet {

struct VariationalPlan {
  int max_features = 20;
  double tol = 1e-4;  ///< smaller relative changes in the bound over five iterations are ignored
  int restarts = 1;
  int threads = 1;
  bool only_growing = false;
};

/// Mean-field inference from a single start. There are two kinds of start. Annealed: begins with
/// max_features random features and a floor under the noise that falls from the size of the data
/// (Doshi-Velez et al. 2009). Growing: adds features one by one from the residuals as long as the
/// bound rises (Ding et al. 2010).
template <class State>
class SoftAscent {
 public:
  struct Kind {
    int annealing;  ///< number of annealed iterations at the beginning
    bool grows;
  };
  static constexpr Kind annealed() { return {100, false}; }
  static constexpr Kind plain() { return {0, false}; }
  static constexpr Kind growing() { return {0, true}; }

  /// `state` must be settled.
  SoftAscent(State state, Rng rng, Kind kind, const VariationalPlan& plan)
      : kind_(kind), plan_(plan), now_(std::move(state)), rng_(rng) {
    growing_ = kind_.grows;
    if (growing_) kept_ = now_;
    before_ = now_.bound();
  }

  bool finished() const { return finished_; }
  int done() const { return done_; }
  const State& result() const { return kept_ ? *kept_ : now_; }
  /// The bound of result() after every iteration, except annealed ones.
  const std::vector<double>& trace() const { return trace_; }

  /// One iteration. `check` may throw; the iteration is then undone.
  void step(const Check& check) {
    State next = now_;
    next.factor().limit_precision(most_precision());
    next.iterate(check, searching_ && age_ % block() == 0);
    now_ = std::move(next);
    if (done_++ < kind_.annealing) return;
    if (kept_ && now_.bound() > kept_->bound()) kept_ = now_;
    trace_.push_back(result().bound());
    if (++age_ % block() == 0) judge();
  }

  void archive(Archive& a) {
    a(now_);
    if (kept_) a(*kept_);
    a(rng_);
    for (int* value : {&done_, &age_, &failures_}) a(*value);
    for (bool* value : {&growing_, &searching_, &finished_}) a(*value);
    a(before_);
    a(mark_);
    a.check(!growing_ || kept_, "how it grows");
    a(trace_);
  }

 private:
  static constexpr int patience = 3;

  /// Number of iterations after which progress is judged: few while features are added, but more
  /// for a new feature, which has to settle.
  int block() const { return growing_ ? (age_ < 4 ? 4 : 1) : 5; }

  /// The noise sd is at least rms F^(-t/T). F is 10 or, if sigma_x is fixed, the value with which
  /// this floor ends at sigma_x.
  double most_precision() const {
    if (done_ >= kind_.annealing) return std::numeric_limits<double>::infinity();
    const GammaFactor& tau = now_.factor().tau_x();
    const double rms = now_.data().root_mean_square();
    const double factor = tau.learned() ? 10 : std::max(1.0, rms * std::sqrt(tau.prior().value));
    const double floor = rms * std::pow(factor, -double(done_) / kind_.annealing);
    return 1 / (floor * floor);
  }

  double least_change(double bound) const {
    return plan_.tol * size_in_units_of(now_.data(), bound);
  }

  /// After a block of iterations without gain, the next block begins with a search of the rows; if
  /// that block gains nothing either, the ascent ends.
  void judge() {
    // False if the gain is NaN.
    const bool settled = !(now_.bound() - mark_ > least_change(now_.bound()));
    mark_ = now_.bound();
    if (settled && searching_) {
      finished_ = !growing_;
      if (growing_) grow();
      return;
    }
    searching_ = settled;
  }

  /// Adds a feature if the last one raised the bound, or if few attempts have failed so far.
  void grow() {
    const bool gained = kept_->bound() > before_ + least_change(before_);
    failures_ = gained ? 0 : failures_ + 1;
    const int most = std::min(plan_.max_features, now_.probabilities().most_features());
    growing_ = failures_ < patience && kept_->z.size() < most;
    now_ = *kept_;
    before_ = now_.bound();
    mark_ = -std::numeric_limits<double>::infinity();
    searching_ = false;
    age_ = 0;
    if (!growing_) return;
    rng_.begin(done_);
    const Eigen::VectorXd loading = SoftBirth(now_, rng_).loading(rng_);
    now_.add(Eigen::VectorXd::Constant(now_.z.rows(), 0.5), loading);
  }

  Kind kind_;
  VariationalPlan plan_;
  State now_;
  std::optional<State> kept_;  ///< best state so far of a growing ascent
  Rng rng_;
  int done_ = 0, age_ = 0, failures_ = 0;
  bool growing_;
  bool searching_ = false;  ///< true if the current block begins with a search of the rows
  bool finished_ = false;
  double before_;  ///< bound when the last feature was added
  double mark_ = -std::numeric_limits<double>::infinity();  ///< bound after the last block
  std::vector<double> trace_;
};

}  // namespace buffet
