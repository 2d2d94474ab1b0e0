#include <memory>

#include "cluster_glue.h"
#include "core/fitted.h"
#include "point/meibp/meibp_run.h"
#include "point_glue.h"

using namespace buffet;

namespace {

RowRule as_rule(const std::string& name) {
  if (name == "climb") return RowRule::climb;
  if (name == "local") return RowRule::local;
  if (name == "double_greedy") return RowRule::double_greedy;
  Rcpp::stop("unknown search");
}

MeibpPlan as_meibp_plan(const Rcpp::List& x) {
  const bool by_rows = Rcpp::as<std::string>(x["update"]) == "row";
  return {x["max_features"], x["tol"], as_rule(x["search"]), by_rows, x["cores"], x["restarts"]};
}

Rcpp::List from_run(const MeibpRun& run, const std::vector<unsigned char>& state) {
  Rcpp::List out = Rcpp::List::create(Rcpp::Named("finished") = run.finished(),
                                      Rcpp::Named("state") = Rcpp::wrap(state));
  if (!run.has_all_rows()) return out;
  const Meibp& best = run.best().result();
  const Meibp::Factor& q = best.factor();
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

/// Maximisation-expectation as run by one worker of a cluster, or by a single process.
class MeibpProgram {
 public:
  using Run = MeibpRun;

  MeibpProgram(const Rcpp::List& model, const Rcpp::List& plan)
      : model_{as_spec(model["prior"]), {as_hyper(model["sigma_x"]), as_hyper(model["sigma_a"])}},
        plan_(as_meibp_plan(plan)) {}

  std::unique_ptr<Run> make(const AscentData& data, const GaussianData* whole) const {
    return std::make_unique<Run>(data, whole, plan_, model_);
  }
  static Progress describe(const Run& run) {
    const Meibp& best = run.best().result();
    return {run.done(), run.has_all_rows(), best.z.size(), best.bound()};
  }
  static Rcpp::List result(const Run& run, const std::vector<unsigned char>& state) {
    return from_run(run, state);
  }

 private:
  MeibpRun::Model model_;
  MeibpPlan plan_;
};

}  // namespace

// x: matrix, dgCMatrix or list(read, sizes, columns): blocks of rows, where read(b) returns block
// b. model: prior, sigma_x, sigma_a; plan: max_features, tol, search, update, cores, restarts,
// seed, features (initial, or NULL), sigma (initial sigma_x and sigma_a, or NA), state (raw or
// NULL); watch: stop and report (functions), save (a function or NULL), seconds between saves.
// [[Rcpp::export]]
Rcpp::List meibp_cpp(Rcpp::RObject x, Rcpp::List model, Rcpp::List plan, Rcpp::List watch) {
  return run_alone(MeibpProgram(model, plan), x, plan, watch);
}

// meibp_cpp() as run by one worker of a cluster: x has its own rows, and share says which rows
// these are.
// [[Rcpp::export]]
SEXP meibp_member_cpp(Rcpp::RObject x, Rcpp::List model, Rcpp::List plan, Rcpp::List share) {
  return open_member(MeibpProgram(model, plan), x, plan, share);
}

// Features (rows x K) and means of the response (D x rows) of new rows, which are the rows of x,
// given a fit: mean and variance (D x K) of the loadings, counts, rows, tau_x, tau_a, prior (with
// alpha fixed).
// [[Rcpp::export]]
Rcpp::List meibp_new_rows_cpp(Eigen::MatrixXd x, Rcpp::List fit) {
  const GaussianData whole = GaussianData::from_rows(x, false);
  const AscentData data(Source(whole), whole.columns());
  const Eigen::MatrixXd mean = fit["mean"], variance = fit["variance"];
  const Hyper tau_x = Hyper::fixed(fit["tau_x"]), tau_a = Hyper::fixed(fit["tau_a"]);
  const int rows = fit["rows"];
  const auto counts = Rcpp::as<std::vector<int>>(fit["counts"]);
  check_fit(mean.rows() == whole.columns(), "mean");
  check_fit(variance.rows() == mean.rows() && variance.cols() == mean.cols(), "variances");
  check_counts(counts, mean.cols(), rows);
  Meibp state(data, MeibpPlan(), Exchangeable(rows + 1, as_spec(fit["prior"])), {tau_x, tau_a});
  Rng rng(1);
  state.place({mean, variance, tau_x.value, tau_a.value, counts}, rng,
              [] { Rcpp::checkUserInterrupt(); });
  Eigen::MatrixXd response = Eigen::MatrixXd::Zero(mean.rows(), data.rows());
  add_fitted(state.z, mean, response);
  return Rcpp::List::create(Rcpp::Named("features") = from_features(state.z),
                            Rcpp::Named("response") = response);
}
