#include "nmf/nmf.h"

#include "core/log_sum.h"
#include "gibbs/run.h"
#include "new_rows.h"
#include "nmf/icm.h"
#include "nmf/nmf_gibbs.h"
#include "point_glue.h"

using namespace buffet;

namespace {

/// Columns of a matrix or dgCMatrix.
GaussianData columns_of(const Rcpp::RObject& x) {
  if (!x.isS4()) return GaussianData(Rcpp::as<Eigen::Map<Eigen::MatrixXd>>(x), false);
  return GaussianData(GaussianData::Sparse(as_sparse(x)), false);
}

NmfData as_nmf_data(const Rcpp::RObject& x) {
  return {NmfSide(as_data(x, false)), NmfSide(columns_of(x))};
}

NmfModel as_nmf_model(const Rcpp::List& x) {
  return {x["rank"], as_hyper(x["sigma_x"]), x["rate_w"], x["rate_a"]};
}

/// weights (N x R), loadings (R x D) and sigma_x, as far as they are given.
NmfStart as_nmf_start(const Rcpp::List& x) {
  const auto has = [&](const char* name) { return x.containsElementNamed(name); };
  NmfStart start;
  if (has("weights")) start.w = Rcpp::as<Eigen::MatrixXd>(x["weights"]).transpose();
  if (has("loadings")) start.a = Rcpp::as<Eigen::MatrixXd>(x["loadings"]);
  if (has("sigma_x")) start.sigma_x = x["sigma_x"];
  return start;
}

Rcpp::List from_icm(IcmRun& run) {
  const IcmRun::Ascent& best = run.best();
  const Nmf& state = best.state;
  return Rcpp::List::create(
      Rcpp::Named("finished") = run.finished(), Rcpp::Named("state") = Rcpp::wrap(to_bytes(run)),
      Rcpp::Named("loadings") = Rcpp::wrap(state.loadings()),
      Rcpp::Named("sigma_x") = state.sigma_x(), Rcpp::Named("log_lik") = state.log_lik(),
      Rcpp::Named("log_joint") = best.objective(), Rcpp::Named("trace") = Rcpp::wrap(best.trace),
      Rcpp::Named("converged") = best.converged);
}

}  // namespace

// x: matrix or dgCMatrix; model: rank, sigma_x, rate_w, rate_a; plan: as in run_chains(), where
// init has any of weights, loadings, sigma_x; watch: as in Watch.
// [[Rcpp::export]]
Rcpp::List nmf_gibbs_cpp(Rcpp::RObject x, Rcpp::List model, Rcpp::List plan, Rcpp::List watch) {
  const NmfData data = as_nmf_data(x);
  const NmfModel factors = as_nmf_model(model);
  const auto make = [&](const Rcpp::List& init, Rng rng, const Plan& of) {
    NmfGibbs chain(data, factors, std::move(rng));
    chain.likelihood.start(as_nmf_start(init), chain.rng);
    return std::make_unique<Run<NmfGibbs>>(std::move(chain), of);
  };
  return run_chains(make, plan, watch);
}

// plan: tol, iter, restarts, cores, seed, init, state (raw or NULL); watch: stop and report,
// functions; save, a function or NULL; seconds between saves.
// [[Rcpp::export]]
Rcpp::List nmf_icm_cpp(Rcpp::RObject x, Rcpp::List model, Rcpp::List plan, Rcpp::List watch) {
  const NmfData data = as_nmf_data(x);
  IcmRun run(Nmf(data, as_nmf_model(model)),
             {plan["tol"], plan["iter"], plan["restarts"], plan["cores"]},
             as_nmf_start(plan["init"]), static_cast<std::uint64_t>(Rcpp::as<int>(plan["seed"])));
  run_to_end(run, plan, watch, [](const IcmRun& run) {
    return Rcpp::List::create(Rcpp::Named("done") = run.done(),
                              Rcpp::Named("log_joint") = run.best().objective());
  });
  return from_icm(run);
}

namespace {

/// The factors and noise of every draw of a fit. fit: loadings, of every draw, one after the other,
/// with (D + N) rows; columns, D; sigma_x, one per draw.
struct NmfDraws {
  explicit NmfDraws(const Rcpp::List& fit)
      : loadings(Rcpp::as<Eigen::Map<Eigen::MatrixXd>>(fit["loadings"])),
        sigma(Rcpp::as<Eigen::VectorXd>(fit["sigma_x"])),
        columns(fit["columns"]) {
    check_kept(sigma.size() > 0, "number");
    check_kept(all_positive(sigma), "standard deviations");
    check_kept(loadings.cols() % sigma.size() == 0 && columns >= 0 && columns <= loadings.rows() &&
                   loadings.allFinite(),
               "loadings");
  }

  int size() const { return static_cast<int>(sigma.size()); }
  Eigen::Index rank() const { return loadings.cols() / size(); }
  /// Both factors in one draw, R x (D + N).
  Eigen::MatrixXd both(int draw) const {
    return loadings.middleCols(draw * rank(), rank()).transpose();
  }

  Eigen::Map<Eigen::MatrixXd> loadings;
  Eigen::VectorXd sigma;
  int columns;
};

}  // namespace

// Mean over draws of W A, N x D. loadings: the loadings of all draws, one after the other, with (D
// + N) rows.
// [[Rcpp::export]]
Eigen::MatrixXd nmf_fitted_cpp(Eigen::Map<Eigen::MatrixXd> loadings, int columns, int draws) {
  check_kept(columns >= 0 && columns <= loadings.rows(), "loadings");
  return loadings.bottomRows(loadings.rows() - columns) * loadings.topRows(columns).transpose() /
         draws;
}

// Log of the mean over draws of the density of `values` at these places (two columns: 0-based rows
// and columns). fit: as in NmfDraws.
// [[Rcpp::export]]
Eigen::VectorXd nmf_heldout_cpp(Rcpp::List fit, Eigen::MatrixXi places, Eigen::VectorXd values) {
  const NmfDraws draws(fit);
  const auto rows = draws.loadings.rows() - draws.columns;
  check_fit(places.rows() == values.size() && places.cols() == 2 && (places.array() >= 0).all() &&
                (places.col(0).array() < rows).all() &&
                (places.col(1).array() < draws.columns).all(),
            "data");
  std::vector<LogSum> sums(values.size());
  for (int draw = 0; draw < draws.size(); ++draw) {
    Rcpp::checkUserInterrupt();
    const Eigen::MatrixXd both = draws.both(draw);
    const double sigma = draws.sigma(draw);
    for (Eigen::Index n = 0; n < values.size(); ++n) {
      const double mean = both.col(draws.columns + places(n, 0)).dot(both.col(places(n, 1)));
      const double gap = (values(n) - mean) / sigma;
      sums[n].add(-0.5 * (gap * gap + std::log(2 * M_PI)) - std::log(sigma));
    }
  }
  for (Eigen::Index n = 0; n < values.size(); ++n) values(n) = sums[n].log_mean(draws.size());
  return values;
}

// Weights (R x rows, given the last draw) and means of the response (D x rows, given each draw) of
// new rows, which are the rows of x. fit: as in NmfDraws, with rate_w and the number of draws of
// the weights to average, or 0 for their modes; plan: threads, and the arguments of RowNumbers.
// [[Rcpp::export]]
Rcpp::List nmf_new_rows_cpp(Eigen::MatrixXd x, Rcpp::List fit, Rcpp::List plan) {
  const NmfDraws draws(fit);
  check_fit(draws.columns == x.cols(), "columns");
  const double rate = fit["rate_w"];
  const int averaged = fit["averaged"];
  const RowNumbers numbers(x.transpose(), plan);
  std::vector<NmfSide> rows;
  for (Eigen::Index i = 0; i < x.rows(); ++i)
    rows.emplace_back(GaussianData::from_rows(x.row(i), false));
  Eigen::MatrixXd weights(draws.rank(), x.rows());
  Eigen::MatrixXd response = Eigen::MatrixXd::Zero(x.cols(), x.rows());
  for (int draw = 0; draw < draws.size(); ++draw) {
    Rcpp::checkUserInterrupt();
    const Eigen::MatrixXd a = draws.both(draw).leftCols(x.cols());
    const double precision = 1 / (draws.sigma(draw) * draws.sigma(draw));
    for_new_rows(x.rows(), plan, [&](Eigen::Index i) {
      Rng rng = numbers.of(i, draw);
      weights.col(i) = weights_given({rows[i], a, precision, rate}, averaged, rng, no_check);
    });
    response.noalias() += a.transpose() * weights;
  }
  return Rcpp::List::create(Rcpp::Named("weights") = weights,
                            Rcpp::Named("response") = response / draws.size());
}
