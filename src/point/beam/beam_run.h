#pragma once

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "beam.h"
#include "gaussian_spectra.h"
#include "likelihood/gaussian_scales.h"

namespace buffet {

/// Logs of the precisions 1/sigma_x^2 and 1/sigma_a^2.
struct LogPrecisions {
  double x = 0, a = 0;

  double variance() const { return std::exp(-x); }
  double rho() const { return std::exp(a - x); }

  template <class Archive>
  void archive(Archive& archive) {
    archive(x);
    archive(a);
  }
};

/// log P([Z]) + log p(X | Z) + the log prior densities of the logs of the precisions, as their
/// function.
class BeamJoint {
 public:
  BeamJoint(const GroupedData& data, const Exchangeable& prior, const Precisions& tau,
            const Features& z)
      : spectra_(data, z),
        tau_(tau),
        log_prior_(prior.log_evidence(z) + log_factorial(z.size()) - z.log_repeats(log_factorial)) {
  }

  double operator()(LogPrecisions at) const {
    return log_prior_ + spectra_.log_lik(at.variance(), at.rho()) +
           tau_.x.log_prior_of_log(std::exp(at.x)) + tau_.a.log_prior_of_log(std::exp(at.a));
  }

  /// Climbs along those that are learned by turns.
  LogPrecisions best_from(LogPrecisions at) const {
    for (int round = 0; round < 100; ++round) {
      const double before = (*this)(at);
      if (tau_.x.learned)
        at = better(at, &LogPrecisions::x, {at.x - reach, std::min(at.x + reach, at.a + most)});
      if (tau_.a.learned)
        at = better(at, &LogPrecisions::a, {std::max(at.a - reach, at.x - most), at.a + reach});
      if (!((*this)(at) > before + 1e-9)) break;
    }
    return at;
  }

 private:
  static constexpr double reach = 3;
  static constexpr double most = 13.8;  ///< sigma_x is a thousandth of sigma_a at least

  LogPrecisions better(LogPrecisions at, double LogPrecisions::*which,
                       std::pair<double, double> ends) const {
    const auto minus = [&](double value) {
      LogPrecisions other = at;
      other.*which = value;
      return -(*this)(other);
    };
    const auto [value, least] =
        boost::math::tools::brent_find_minima(minus, ends.first, ends.second, 30);
    if (-least > (*this)(at)) at.*which = value;
    return at;
  }

  GaussianSpectra spectra_;
  Precisions tau_;
  double log_prior_;
};

/// Beam searches and the most probable precisions given what they find, by turns, from some starts;
/// the best is kept.
class BeamRun {
 public:
  struct Model {
    Exchangeable::Spec prior;
    Precisions tau;
  };

  /// `starts`: of the precisions.
  BeamRun(const GroupedData& data, Model model, BeamPlan plan, std::vector<LogPrecisions> starts)
      : data_(data),
        model_(std::move(model)),
        plan_(plan),
        starts_(std::move(starts)),
        at_(starts_.front()),
        best_(data.rows()) {}

  /// From noise of these shares of the size of the data where it is learned, or from what is given
  /// (NaN where it is not).
  static std::vector<LogPrecisions> starts(double rms, const Precisions& tau, LogPrecisions given) {
    std::vector<LogPrecisions> starts;
    const double size = rms > 0 ? -2 * std::log(rms) : 0;
    for (double share : {0.5, 0.25, 0.125}) {
      LogPrecisions at{tau.x.learned ? size - 2 * std::log(share) : std::log(tau.x.value),
                       tau.a.learned ? size : std::log(tau.a.value)};
      if (!std::isnan(given.x)) at.x = given.x;
      if (!std::isnan(given.a)) at.a = given.a;
      if (tau.x.learned) at.x = std::min(at.x, at.a + 13);
      if (tau.a.learned) at.a = std::max(at.a, at.x - 13);
      starts.push_back(at);
      if (!tau.x.learned || !std::isnan(given.x)) break;
    }
    return starts;
  }

  bool finished() const { return start_ == static_cast<int>(starts_.size()); }
  bool has_result() const { return !trace_.empty(); }
  int done() const { return static_cast<int>(trace_.size()); }
  const Features& best() const { return best_; }
  LogPrecisions precisions() const { return best_at_; }
  double log_joint() const { return best_value_; }
  /// The best so far after every search.
  const std::vector<double>& trace() const { return trace_; }

  /// One search. `check` may throw, and there was none.
  template <class Check>
  void step(Check check) {
    Beam beam({data_, Sequential(model_.prior, data_.rows()), at_.variance(), at_.rho()}, plan_);
    while (!beam.finished()) beam.step(check);
    Features z = beam.matrix(beam.best());
    const BeamJoint joint(data_, Exchangeable(data_.rows(), model_.prior), model_.tau, z);
    at_ = joint.best_from(at_);
    const double value = joint(at_);
    const bool learned = model_.tau.x.learned || model_.tau.a.learned;
    const bool rises = value > value_ + 1e-8 * std::abs(value);
    value_ = std::max(value_, value);
    if (value > best_value_ || !has_result()) {
      best_ = std::move(z);
      best_at_ = at_;
      best_value_ = value;
    }
    trace_.push_back(best_value_);
    if (!learned || !rises || ++round_ == most_rounds) next_start();
  }

  template <class Archive>
  void archive(Archive& a) {
    a(start_);
    a(round_);
    a(at_);
    a(value_);
    a(best_);
    a(best_at_);
    a(best_value_);
    a(trace_);
  }

 private:
  static constexpr int most_rounds = 10;
  static constexpr double none = -std::numeric_limits<double>::infinity();

  void next_start() {
    ++start_;
    round_ = 0;
    value_ = none;
    if (!finished()) at_ = starts_[start_];
  }

  const GroupedData& data_;
  Model model_;
  BeamPlan plan_;
  std::vector<LogPrecisions> starts_;
  int start_ = 0, round_ = 0;
  LogPrecisions at_;
  double value_ = none;  ///< the best from this start
  Features best_;
  LogPrecisions best_at_;
  double best_value_ = none;
  std::vector<double> trace_;
};

}  // namespace buffet
