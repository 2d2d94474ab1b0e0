#pragma once

#include <RcppEigen.h>

#include <atomic>
#include <chrono>
#include <limits>
#include <optional>
#include <thread>
#include <vector>

#include "core/archive.h"
#include "glue.h"
#include "point/factor/ascent_data.h"
#include "point/factor/loadings_factor.h"
#include "row_source.h"

/// Conversions between R and the core that are shared by all fits by optimisation.

namespace buffet {

inline Rcpp::NumericVector from_factor(const GammaFactor& factor) {
  return Rcpp::NumericVector::create(
      Rcpp::Named("mean") = factor.mean(), Rcpp::Named("mean_log") = factor.mean_log(),
      Rcpp::Named("shape") = factor.learned() ? factor.shape() : NA_REAL,
      Rcpp::Named("rate") = factor.learned() ? factor.rate() : NA_REAL);
}

/// Throws an error unless the covariances of loadings with these means (D x K), and the indices
/// (from 0) of each column's covariance, have the required sizes.
inline void check_covariances(const std::vector<Eigen::MatrixXd>& covariances,
                              const std::vector<int>& of, const Eigen::MatrixXd& mean) {
  check_fit(static_cast<Eigen::Index>(of.size()) == mean.rows(), "covariances");
  check_below(of, static_cast<int>(covariances.size()), "covariances");
  for (const Eigen::MatrixXd& m : covariances)
    check_fit(m.rows() == mean.cols() && m.cols() == mean.cols(), "covariances");
}

/// Throws an error unless every feature has a count, which is at most the number of rows.
inline void check_counts(const std::vector<int>& counts, Eigen::Index features, int rows) {
  check_fit(rows >= 1 && rows < std::numeric_limits<int>::max(), "rows");
  check_fit(static_cast<Eigen::Index>(counts.size()) == features, "features");
  check_below(counts, rows + 1, "features");
}

/// plan: seed, features (initial features, or NULL), sigma (initial sigma_x and sigma_a, or NA).
inline AscentStart as_start(const Rcpp::List& plan, int rows) {
  const Rcpp::NumericVector sigma = plan["sigma"];
  const Rcpp::RObject features = plan["features"];
  return {
      Rf_isNull(features) ? Features(rows) : as_features(Rcpp::as<Rcpp::IntegerMatrix>(features)),
      static_cast<std::uint64_t>(Rcpp::as<int>(plan["seed"])), 1 / (sigma[0] * sigma[0]),
      1 / (sigma[1] * sigma[1])};
}

/// Polls R for interrupts, on R's thread and at most twenty times a second, and notifies all
/// threads.
class Guard {
 public:
  explicit Guard(const Rcpp::Function& stop) : stop_(stop), home_(std::this_thread::get_id()) {}

  void operator()() {
    if (std::this_thread::get_id() == home_ &&
        Clock::now() - asked_ > std::chrono::milliseconds(50)) {
      if (Rcpp::as<bool>(stop_())) stopping_ = true;
      asked_ = Clock::now();
    }
    if (stopping_) throw Stopped();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Rcpp::Function stop_;
  std::thread::id home_;
  std::atomic<bool> stopping_{false};
  Clock::time_point asked_ = Clock::now();
};

/// The progress of a run as reported to R.
struct Progress {
  int done;       ///< number of steps
  bool all_rows;  ///< true once the run searches all rows
  int features;
  double bound;
};
inline Rcpp::List from_progress(const Progress& at) {
  return Rcpp::List::create(Rcpp::Named("done") = at.done, Rcpp::Named("all_rows") = at.all_rows,
                            Rcpp::Named("features") = at.features, Rcpp::Named("bound") = at.bound);
}

/// Runs to the end, or until R is interrupted. plan: state (raw or NULL) to resume from; watch:
/// stop and report (functions), save (a function or NULL), seconds between saves. The result of
/// describe(run) is reported after every step.
template <class Run, class Describe>
void run_to_end(Run& run, const Rcpp::List& plan, const Rcpp::List& watch, Describe describe) {
  if (!Rf_isNull(plan["state"])) from_bytes(as_bytes(plan["state"]), run);
  using Clock = std::chrono::steady_clock;
  const Rcpp::Function report = watch["report"], stop = watch["stop"];
  const Rcpp::RObject save = watch["save"];
  const std::chrono::duration<double> seconds(Rcpp::as<double>(watch["seconds"]));
  Guard guard(stop);
  auto saved = Clock::now();
  try {
    while (!run.finished()) {
      run.step([&] { guard(); });
      report(describe(run));
      if (!Rf_isNull(save) && Clock::now() - saved > seconds) {
        const Rcpp::Function save_state(save);
        save_state(Rcpp::wrap(to_bytes(run)));
        saved = Clock::now();
      }
    }
  } catch (const Stopped&) {  // the run is in its state before the interrupted step
  }
}

}  // namespace buffet
