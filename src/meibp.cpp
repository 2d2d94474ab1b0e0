#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

#include "gaussian_glue.h"
#include "glue.h"
#include "inference/meibp_run.h"
#include "likelihood/gaussian_factor_predict.h"

using namespace buffet;

namespace {

using Maximisation = MeibpRun<Exchangeable>;

/// Data in memory, or blocks of rows that an R function gives.
class RSource {
 public:
  explicit RSource(const Rcpp::RObject& x) {
    if (x.isS4() || Rf_isMatrix(x)) {
      whole_.emplace(as_data(x, false));
      columns_ = whole_->columns();
      source_.emplace(*whole_);
      return;
    }
    const Rcpp::List blocks(x);
    const Rcpp::Function read = blocks["read"];
    columns_ = blocks["columns"];
    source_.emplace(Rcpp::as<std::vector<int>>(blocks["sizes"]),
                    [read](int b) { return as_data(read(b + 1), false); });
  }
  RSource(const RSource&) = delete;  // source_ points to whole_

  const Source& source() const { return *source_; }
  const GaussianData* whole() const { return whole_ ? &*whole_ : nullptr; }
  int columns() const { return columns_; }

 private:
  std::optional<GaussianData> whole_;
  std::optional<Source> source_;
  int columns_;
};

RowRule as_rule(const std::string& name) {
  if (name == "climb") return RowRule::climb;
  if (name == "local") return RowRule::local;
  if (name == "double_greedy") return RowRule::double_greedy;
  Rcpp::stop("unknown search");
}

MeibpPlan as_meibp_plan(const Rcpp::List& x) {
  return {x["max_features"], x["tol"], as_rule(x["search"]), x["threads"]};
}

Maximisation::Start as_start(const Rcpp::List& plan, int rows) {
  const Rcpp::NumericVector sigma = plan["sigma"];
  const Rcpp::RObject features = plan["features"];
  return {
      Rf_isNull(features) ? Features(rows) : as_features(Rcpp::as<Rcpp::IntegerMatrix>(features)),
      plan["restarts"], static_cast<std::uint64_t>(Rcpp::as<int>(plan["seed"])),
      1 / (sigma[0] * sigma[0]), 1 / (sigma[1] * sigma[1])};
}

Rcpp::NumericVector from_factor(const GammaFactor& factor) {
  return Rcpp::NumericVector::create(
      Rcpp::Named("mean") = factor.mean(), Rcpp::Named("mean_log") = factor.mean_log(),
      Rcpp::Named("shape") = factor.learned() ? factor.shape() : NA_REAL,
      Rcpp::Named("rate") = factor.learned() ? factor.rate() : NA_REAL);
}

Rcpp::List from_run(Maximisation& run) {
  Rcpp::List out = Rcpp::List::create(Rcpp::Named("finished") = run.finished(),
                                      Rcpp::Named("state") = Rcpp::wrap(to_bytes(run)));
  if (!run.has_all_rows()) return out;
  const Maximisation::State& best = run.best().result();
  const GaussianFactor& q = best.factor();
  out["features"] = from_features(best.z);
  out["bound"] = best.bound();
  out["trace"] = Rcpp::wrap(run.best().trace());
  out["mean"] = Rcpp::wrap(q.mean());
  out["location"] = Rcpp::wrap(q.location());
  out["scale"] = Rcpp::wrap(q.scale());
  out["tau_x"] = from_factor(q.tau_x());
  out["tau_a"] = from_factor(q.tau_a());
  out["alpha"] = from_factor(best.alpha());
  out["residual"] = q.residual();
  return out;
}

/// Asks R about interrupts, from R's thread and twenty times a second at most; tells all threads.
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

}  // namespace

// x: matrix, dgCMatrix or list(read, sizes, columns): blocks of rows, read(b) gives block b. model:
// prior, sigma_x, sigma_a; plan: max_features, tol, search, threads, restarts, seed, features
// (where to start from, or NULL), sigma (where sigma_x and sigma_a start, or NA), state (raw or
// NULL); watch: stop and report, functions, save, a function or NULL, seconds from one saving to
// the next.
// [[Rcpp::export]]
Rcpp::List meibp_cpp(Rcpp::RObject x, Rcpp::List model, Rcpp::List plan, Rcpp::List watch) {
  const RSource rows(x);
  const MeibpData data(rows.source(), rows.columns());
  Maximisation run(
      data, rows.whole(), as_meibp_plan(plan),
      {as_spec(model["prior"]), {as_hyper(model["sigma_x"]), as_hyper(model["sigma_a"])}});
  run.start(as_start(plan, data.rows()));
  if (!Rf_isNull(plan["state"])) from_bytes(as_bytes(plan["state"]), run);

  using Clock = std::chrono::steady_clock;
  const Rcpp::Function report = watch["report"];
  const Rcpp::RObject save = watch["save"];
  const std::chrono::duration<double> seconds(Rcpp::as<double>(watch["seconds"]));
  const Rcpp::Function stop = watch["stop"];
  Guard guard(stop);
  auto saved = Clock::now();
  try {
    while (!run.finished()) {
      run.step([&] { guard(); });
      const auto& best = run.best().result();
      report(run.done(), run.has_all_rows(), best.z.size(), best.bound());
      if (!Rf_isNull(save) && Clock::now() - saved > seconds) {
        const Rcpp::Function save_state(save);
        save_state(Rcpp::wrap(to_bytes(run)));
        saved = Clock::now();
      }
    }
  } catch (const Stopped&) {  // the run is where it was before it was stopped
  }
  return from_run(run);
}

// Features (rows x K) and means of the response (D x rows) of new rows, one a row of x, given a
// fit: mean and variance (D x K) of the loadings, counts, rows, tau_x, tau_a, prior (its alpha
// fixed).
// [[Rcpp::export]]
Rcpp::List meibp_new_rows_cpp(Eigen::MatrixXd x, Rcpp::List fit) {
  const GaussianData whole = GaussianData::from_rows(x, false);
  const MeibpData data(Source(whole), whole.columns());
  const Eigen::MatrixXd mean = fit["mean"], variance = fit["variance"];
  const Hyper tau_x = Hyper::fixed(fit["tau_x"]), tau_a = Hyper::fixed(fit["tau_a"]);
  const int rows = fit["rows"];
  Meibp<Exchangeable> state(data, MeibpPlan(), Exchangeable(rows + 1, as_spec(fit["prior"])),
                            {tau_x, tau_a});
  Rng rng(1);
  state.place({mean, variance, tau_x.value, tau_a.value, Rcpp::as<std::vector<int>>(fit["counts"])},
              rng, [] { Rcpp::checkUserInterrupt(); });
  Eigen::MatrixXd response = Eigen::MatrixXd::Zero(mean.rows(), data.rows());
  for (int k = 0; k < state.z.size(); ++k)
    state.z.column(k).for_each([&](int i) { response.col(i) += mean.col(k); });
  return Rcpp::List::create(Rcpp::Named("features") = from_features(state.z),
                            Rcpp::Named("response") = response);
}

// Log density of `values` at these (0-based) rows and columns. fit: features (rows x K), location
// and scale (D x K), variance of the noise.
// [[Rcpp::export]]
Eigen::VectorXd meibp_heldout_cpp(Rcpp::List fit, std::vector<int> rows, std::vector<int> columns,
                                  Eigen::VectorXd values) {
  const Rcpp::IntegerMatrix z = fit["features"];
  const NonnegativeFit known{fit["location"], fit["scale"], fit["variance"]};
  std::vector<std::vector<int>> held(z.nrow());
  for (int k = 0; k < z.ncol(); ++k)
    for (int i = 0; i < z.nrow(); ++i)
      if (z(i, k)) held[i].push_back(k);
  Eigen::VectorXd out(values.size());
  for (int n = 0; n < values.size(); ++n) {
    if (n % 10000 == 0) Rcpp::checkUserInterrupt();
    out(n) = log_density(known, held[rows[n]], columns[n], values(n));
  }
  return out;
}

// Mean and variance of normals truncated to [0, inf).
// [[Rcpp::export]]
Rcpp::List nonnegative_moments_cpp(Eigen::MatrixXd location, Eigen::MatrixXd scale) {
  Eigen::MatrixXd mean = location, variance = location;
  for (Eigen::Index n = 0; n < location.size(); ++n) {
    const NonnegativeNormal a(location(n), scale(n));
    mean(n) = a.mean();
    variance(n) = a.variance();
  }
  return Rcpp::List::create(Rcpp::Named("mean") = mean, Rcpp::Named("variance") = variance);
}

// Draws of normals truncated to [0, inf).
// [[Rcpp::export]]
Eigen::MatrixXd nonnegative_draw_cpp(Eigen::MatrixXd location, Eigen::MatrixXd scale, int seed) {
  Rng rng(seed, 1000);
  Eigen::MatrixXd draw = location;
  for (Eigen::Index n = 0; n < draw.size(); ++n)
    draw(n) = draw_nonnegative_normal(location(n), scale(n), rng);
  return draw;
}
