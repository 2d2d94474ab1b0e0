#include "point/variational/gaussian_joint_factor.h"
#include "point/variational/variational_run.h"
#include "point_glue.h"

using namespace buffet;

namespace {

FiniteProbabilities::Spec as_probabilities(const Rcpp::List& x, const FiniteProbabilities*) {
  return {as_hyper(x["alpha"]), x["concentration"], x["features"]};
}

StickProbabilities::Spec as_probabilities(const Rcpp::List& x, const StickProbabilities*) {
  return {as_hyper(x["alpha"]), x["features"]};
}

VariationalPlan as_variational_plan(const Rcpp::List& x) {
  return {x["max_features"], x["tol"], x["restarts"], x["threads"], x["only_growing"]};
}

template <class Loading>
void add_loadings(Rcpp::List& out, const GaussianFactor<Loading>& q) {
  out["mean"] = Rcpp::wrap(q.mean());
  out["location"] = Rcpp::wrap(q.location());
  out["scale"] = Rcpp::wrap(q.scale());
}

template <class Loading>
void add_loadings(Rcpp::List& out, const GaussianJointFactor<Loading>& q) {
  std::vector<int> of(q.columns());
  for (int d = 0; d < q.columns(); ++d) of[d] = q.covariance_of(d) + 1;
  out["mean"] = Rcpp::wrap(q.mean());
  out["covariance"] = Rcpp::wrap(q.covariances());
  out["covariance_of"] = Rcpp::wrap(of);
}

template <class State>
Rcpp::List from_run(VariationalRun<State>& run) {
  const State& best = run.best().result();
  const auto& q = best.factor();
  Rcpp::List out = Rcpp::List::create(
      Rcpp::Named("finished") = run.finished(), Rcpp::Named("state") = Rcpp::wrap(to_bytes(run)),
      Rcpp::Named("probabilities") = Rcpp::wrap(Eigen::MatrixXd(best.z.on.transpose())),
      Rcpp::Named("log_odds") = Rcpp::wrap(best.log_odds()), Rcpp::Named("bound") = best.bound(),
      Rcpp::Named("trace") = Rcpp::wrap(run.best().trace()),
      Rcpp::Named("tau_x") = from_factor(q.tau_x()), Rcpp::Named("tau_a") = from_factor(q.tau_a()),
      Rcpp::Named("alpha") = from_factor(best.probabilities().alpha()),
      Rcpp::Named("residual") = q.residual());
  add_loadings(out, q);
  return out;
}

template <class Probabilities, class Factor>
Rcpp::List run_variational(const AscentData& data, const Rcpp::List& model, const Rcpp::List& plan,
                           const Rcpp::List& watch) {
  using State = Variational<Probabilities, Factor>;
  const Probabilities* kind = nullptr;
  VariationalRun<State> run(data, as_variational_plan(plan),
                            {as_probabilities(model["probabilities"], kind),
                             {as_hyper(model["sigma_x"]), as_hyper(model["sigma_a"])}});
  run.start(as_start(plan, data.rows()));
  run_to_end(run, plan, watch, [](const VariationalRun<State>& run) {
    const State& best = run.best().result();
    return from_progress({run.done(), true, best.z.size(), best.bound()});
  });
  return from_run(run);
}

template <class Loading>
Rcpp::List run_loadings(const AscentData& data, const Rcpp::List& model, const Rcpp::List& plan,
                        const Rcpp::List& watch) {
  using Independent = GaussianFactor<Loading>;
  const std::string form = model["form"];
  if (form == "finite")
    return run_variational<FiniteProbabilities, Independent>(data, model, plan, watch);
  if (form == "infinite")
    return run_variational<StickProbabilities, Independent>(data, model, plan, watch);
  if (form != "joint") Rcpp::stop("unknown form");
  return run_variational<FiniteProbabilities, GaussianJointFactor<Loading>>(data, model, plan,
                                                                            watch);
}

}  // namespace

// x as for meibp_cpp. model: probabilities (alpha, concentration, features), sigma_x, sigma_a,
// form, loadings; plan: max_features, tol, threads, restarts, only_growing, seed, features (where
// to start from, or NULL), sigma (where sigma_x and sigma_a start, or NA), state (raw or NULL);
// watch as for meibp_cpp.
// [[Rcpp::export]]
Rcpp::List variational_cpp(Rcpp::RObject x, Rcpp::List model, Rcpp::List plan, Rcpp::List watch) {
  const RSource rows(x);
  const AscentData data(rows.source(), rows.columns());
  const auto run = as_named<decltype(&run_loadings<UntruncatedNormal>)>(
      model["loadings"], {{"normal", run_loadings<UntruncatedNormal>},
                          {"nonnegative", run_loadings<NonnegativeNormal>}});
  return run(data, model, plan, watch);
}
