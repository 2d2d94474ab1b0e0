#pragma once

#include <cmath>

#include "../meibp.h"

namespace bench {

/// The searches of buffet::RowState with the same steps. They count the gains that are evaluated
/// and the gains that are updated by a flip. For rows without singletons.
class CountedState {
 public:
  explicit CountedState(const buffet::RowProblem& problem) : p_(problem), state_(problem) {
    state_.set([](int) { return false; });
  }

  double updates() const { return updates_; }
  double value() const { return state_.value(); }
  bool on(int k) const { return state_.on(k); }

  /// Starts from a set, which this state reaches by flips.
  template <class F>
  void set(F is_on) {
    state_.set([](int) { return false; });
    for (int k = 0; k < p_.size(); ++k)
      if (is_on(k)) flip(k);
  }

  /// `top`: the set at which there is nothing to gain, if it is known.
  void climb(const CountedState* top = nullptr) {
    while (best_flip() || (!(top && is_at(*top)) && best_swap())) {
    }
  }

  /// The local search without the complement, as in the program by the authors of the paper.
  void local() {
    int first = 0;
    for (int k = 0; k < p_.size(); ++k)
      if (gain(k) > state_.gain(first)) first = k;
    flip(first);
    do {
      while (best_flip_among(false)) {
      }
    } while (best_flip_among(true));
  }

 private:
  static constexpr double least_gain = 1e-9, tolerance = 0.01;

  double gain(int k) {
    ++updates_;
    return state_.gain(k);
  }
  void flip(int k) {
    updates_ += p_.size();
    state_.flip(k);
  }

  bool best_flip() {
    return best_of([](int) { return true; }, least_gain);
  }
  bool best_flip_among(bool on) {
    const double size = p_.size();
    return best_of([&](int k) { return state_.on(k) == on; },
                   least_gain + tolerance / (size * size) * std::abs(value()));
  }

  template <class F>
  bool best_of(F may_flip, double most) {
    int best = -1;
    for (int k = 0; k < p_.size(); ++k) {
      if (!may_flip(k)) continue;
      if (const double g = gain(k); g > most) {
        most = g;
        best = k;
      }
    }
    if (best >= 0) flip(best);
    return best >= 0;
  }

  bool is_at(const CountedState& other) const {
    for (int k = 0; k < p_.size(); ++k)
      if (on(k) != other.on(k)) return false;
    return true;
  }

  bool best_swap() {
    int out = -1, in = -1;
    double most = least_gain;
    for (int k = 0; k < p_.size(); ++k) {
      if (!on(k)) continue;
      for (int l = 0; l < p_.size(); ++l) {
        const double g = gain(l) + state_.gain(k) + p_.weights(k, l);
        if (!on(l) && g > most) {
          most = g;
          out = k;
          in = l;
        }
      }
    }
    if (out < 0) return false;
    flip(out);
    flip(in);
    return true;
  }

  const buffet::RowProblem& p_;
  buffet::RowState state_;
  double updates_ = 0;
};

}  // namespace bench
