#pragma once

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "beam.h"
#include "core/archive.h"
#include "core/check.h"
#include "gaussian/gaussian_scales.h"
#include "gaussian_groups.h"

namespace buffet {

/// Logs of the precisions 1/sigma_x^2 and 1/sigma_a^2.
struct LogPrecisions {
  double x = 0, a = 0;

  double variance() const { return std::exp(-x); }
  double rho() const { return std::exp(a - x); }

  void archive(Archive& archive) {
    archive(x);
    archive(a);
  }
};

/// log P([Z]) + log p(X | Z) plus the log prior densities of the logs of the precisions, as a
/// function of these logs.
class BeamJoint {
 public:
  BeamJoint(const GroupedData& data, const Exchangeable& prior, const Precisions& tau,
            const Features& z);

  double operator()(LogPrecisions at) const;

  /// Maximises over each learned precision in turn.
  LogPrecisions best_from(LogPrecisions at) const;

 private:
  static constexpr double reach = 3;
  static constexpr double most = 13.8;  ///< sigma_x is at least a thousandth of sigma_a

  LogPrecisions better(LogPrecisions at, double LogPrecisions::*which,
                       std::pair<double, double> ends) const;

  GaussianSpectra spectra_;
  Precisions tau_;
  double log_prior_;
};

/// Alternates beam searches with maximisation over the precisions given the features found, from
/// several starts; the best result is kept.
class BeamRun {
 public:
  struct Model {
    Exchangeable::Spec prior;
    Precisions tau;
  };

  /// `starts`: initial values of the precisions.
  BeamRun(const GroupedData& data, Model model, BeamPlan plan, std::vector<LogPrecisions> starts);

  /// Initial values of the precisions. If the noise is learned, its share of the size of the data
  /// differs between starts; given values are used as they are (NaN if not given).
  static std::vector<LogPrecisions> starts(double rms, const Precisions& tau, LogPrecisions given);

  bool finished() const { return start_ == static_cast<int>(starts_.size()); }
  bool has_result() const { return !trace_.empty(); }
  int done() const { return static_cast<int>(trace_.size()); }
  const Features& best() const { return best_; }
  LogPrecisions precisions() const { return best_at_; }
  double log_joint() const { return best_value_; }
  /// The best score so far, after every search.
  const std::vector<double>& trace() const { return trace_; }

  /// One search. If `check` throws, the search is undone.
  void step(const Check& check);

  void archive(Archive& a) {
    a(start_);
    a.check(start_ >= 0 && start_ <= static_cast<int>(starts_.size()), "the number of starts");
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

  void next_start();

  const GroupedData& data_;
  Model model_;
  BeamPlan plan_;
  std::vector<LogPrecisions> starts_;
  int start_ = 0, round_ = 0;
  LogPrecisions at_;
  double value_ = none;  ///< best result from the current start
  Features best_;
  LogPrecisions best_at_;
  double best_value_ = none;
  std::vector<double> trace_;
};

}  // namespace buffet
