#include "cluster_glue.h"
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
  return {x["max_features"], x["tol"], x["restarts"], x["cores"], x["only_growing"]};
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
Rcpp::List from_run(const VariationalRun<State>& run, const std::vector<unsigned char>& state) {
  const State& best = run.best().result();
  const auto& q = best.factor();
  Rcpp::List out = Rcpp::List::create(
      Rcpp::Named("finished") = run.finished(), Rcpp::Named("state") = Rcpp::wrap(state),
      Rcpp::Named("probabilities") = Rcpp::wrap(Eigen::MatrixXd(best.z.on.transpose())),
      Rcpp::Named("log_odds") = Rcpp::wrap(best.log_odds()), Rcpp::Named("bound") = best.bound(),
      Rcpp::Named("trace") = Rcpp::wrap(run.best().trace()),
      Rcpp::Named("tau_x") = from_factor(q.tau_x()), Rcpp::Named("tau_a") = from_factor(q.tau_a()),
      Rcpp::Named("alpha") = from_factor(best.probabilities().alpha()),
      Rcpp::Named("residual") = q.residual());
  add_loadings(out, q);
  return out;
}

/// Mean-field inference as run by one worker of a cluster, or by a single process.
template <class State>
class VariationalProgram {
 public:
  using Run = VariationalRun<State>;

  VariationalProgram(const Rcpp::List& model, const Rcpp::List& plan)
      : plan_(as_variational_plan(plan)),
        model_{as_probabilities(model["probabilities"],
                                static_cast<const typename State::Probabilities*>(nullptr)),
               {as_hyper(model["sigma_x"]), as_hyper(model["sigma_a"])}} {}

  std::unique_ptr<Run> make(const AscentData& data, const GaussianData*) const {
    return std::make_unique<Run>(data, plan_, model_);
  }
  static Progress describe(const Run& run) {
    const State& best = run.best().result();
    return {run.done(), true, best.z.size(), best.bound()};
  }
  static Rcpp::List result(const Run& run, const std::vector<unsigned char>& state) {
    return from_run(run, state);
  }

 private:
  VariationalPlan plan_;
  typename State::Model model_;
};

/// Calls use(program) with the program for the model.
template <class Loading, class Use>
SEXP with_form(const Rcpp::List& model, const Rcpp::List& plan, Use use) {
  using Independent = GaussianFactor<Loading>;
  using Joint = GaussianJointFactor<Loading>;
  const std::string form = model["form"];
  if (form == "finite")
    return use(VariationalProgram<Variational<FiniteProbabilities, Independent>>(model, plan));
  if (form == "infinite")
    return use(VariationalProgram<Variational<StickProbabilities, Independent>>(model, plan));
  if (form != "joint") Rcpp::stop("unknown form");
  return use(VariationalProgram<Variational<FiniteProbabilities, Joint>>(model, plan));
}

template <class Use>
SEXP with_program(const Rcpp::List& model, const Rcpp::List& plan, Use use) {
  const std::string loadings = model["loadings"];
  if (loadings == "normal") return with_form<UntruncatedNormal>(model, plan, use);
  if (loadings != "nonnegative") Rcpp::stop("unknown loadings");
  return with_form<NonnegativeNormal>(model, plan, use);
}

}  // namespace

// x: as in meibp_cpp. model: probabilities (alpha, concentration, features), sigma_x, sigma_a,
// form, loadings; plan: max_features, tol, cores, restarts, only_growing, seed, features (initial,
// or NULL), sigma (initial sigma_x and sigma_a, or NA), state (raw or NULL); watch: as in
// meibp_cpp.
// [[Rcpp::export]]
Rcpp::List variational_cpp(Rcpp::RObject x, Rcpp::List model, Rcpp::List plan, Rcpp::List watch) {
  return with_program(
      model, plan, [&](const auto& program) -> SEXP { return run_alone(program, x, plan, watch); });
}

// variational_cpp() as run by one worker of a cluster: x has its own rows, and share says which
// rows these are.
// [[Rcpp::export]]
SEXP variational_member_cpp(Rcpp::RObject x, Rcpp::List model, Rcpp::List plan, Rcpp::List share) {
  return with_program(model, plan, [&](const auto& program) -> SEXP {
    return open_member(program, x, plan, share);
  });
}
