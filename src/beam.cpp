#include "point/beam/beam_new_row.h"
#include "point/beam/beam_run.h"
#include "point_glue.h"

using namespace buffet;

namespace {

/// A hyperparameter fixed at its estimate, in the format used for fits by optimisation.
Rcpp::NumericVector from_point(double value) {
  return from_factor(GammaFactor(Hyper::fixed(value)));
}

/// The posterior of alpha given the number of features, a gamma distribution.
Rcpp::NumericVector alpha_given(int features, const Exchangeable& prior) {
  GammaFactor factor(prior.spec().alpha);
  factor.update(features, prior.expected_features());
  return from_factor(factor);
}

int as_width(double width) {
  return std::isinf(width) ? RowBeam::no_limit : static_cast<int>(width);
}

/// -2 log sigma, or NaN if sigma is NaN.
double log_precision(double sigma) {
  return ISNAN(sigma) ? std::nan("") : -2 * std::log(sigma);
}

/// Throws an error unless the parts of a fit have the sizes that its features and columns require.
void check_known(const BeamFit& fit, Eigen::Index columns) {
  const auto size = fit.mean.cols();
  check_fit(fit.mean.rows() == columns, "mean");
  check_covariances(fit.covariance, fit.of, fit.mean);
  check_counts(fit.counts, size, fit.rows);
}

Rcpp::List from_run(BeamRun& run, const GroupedData& data, const BeamRun::Model& model) {
  Rcpp::List out = Rcpp::List::create(Rcpp::Named("finished") = run.finished(),
                                      Rcpp::Named("state") = Rcpp::wrap(to_bytes(run)));
  if (!run.has_result()) return out;
  const Features& z = run.best();
  const LogPrecisions tau = run.precisions();
  const GaussianSpectra spectra(data, z);
  std::vector<Eigen::MatrixXd> covariances = spectra.inverses(tau.rho());
  for (Eigen::MatrixXd& m : covariances) m *= tau.variance();
  std::vector<int> of(data.data().columns());
  for (int g = 0; g < data.size(); ++g)
    for (int d : data.columns(g)) of[d] = g + 1;
  out["features"] = from_features(z);
  out["bound"] = run.log_joint();
  out["trace"] = Rcpp::wrap(run.trace());
  out["mean"] = Rcpp::wrap(spectra.mean(data, tau.rho()));
  out["covariance"] = Rcpp::wrap(covariances);
  out["covariance_of"] = Rcpp::wrap(of);
  out["tau_x"] = from_point(std::exp(tau.x));
  out["tau_a"] = from_point(std::exp(tau.a));
  out["alpha"] = alpha_given(z.size(), Exchangeable(data.rows(), model.prior));
  return out;
}

}  // namespace

// x: matrix or dgCMatrix; model: prior, sigma_x, sigma_a; plan: width (Inf: no limit),
// max_features, lookahead, sigma (initial sigma_x and sigma_a, or NA), state (raw or NULL); watch:
// as in meibp_cpp.
// [[Rcpp::export]]
Rcpp::List beam_cpp(Rcpp::RObject x, Rcpp::List model, Rcpp::List plan, Rcpp::List watch) {
  const GaussianData rotated = as_data(x, true), whole = as_data(x, false);
  const GroupedData data(rotated), given(whole);
  const BeamRun::Model prior{as_spec(model["prior"]),
                             {as_hyper(model["sigma_x"]), as_hyper(model["sigma_a"])}};
  const Rcpp::NumericVector sigma = plan["sigma"];
  BeamRun run(data, prior, {as_width(plan["width"]), plan["max_features"], plan["lookahead"]},
              BeamRun::starts(whole.root_mean_square(), prior.tau,
                              {log_precision(sigma[0]), log_precision(sigma[1])}));
  run_to_end(run, plan, watch, [](const BeamRun& run) {
    return from_progress({run.done(), true, run.best().size(), run.log_joint()});
  });
  return from_run(run, given, prior);
}

// The most probable features (rows x K) of new rows, which are the rows of x. fit: mean (D x K),
// covariance and covariance_of as in point_heldout_cpp, variance of the noise, sigma_a, counts,
// rows, prior for one more row.
// [[Rcpp::export]]
Rcpp::IntegerMatrix beam_new_rows_cpp(Eigen::MatrixXd x, Rcpp::List fit) {
  BeamFit known{Rcpp::as<Eigen::MatrixXd>(fit["mean"]),
                Rcpp::as<std::vector<Eigen::MatrixXd>>(fit["covariance"]),
                Rcpp::as<std::vector<int>>(fit["covariance_of"]),
                fit["variance"],
                1,
                Rcpp::as<std::vector<int>>(fit["counts"]),
                fit["rows"]};
  for (int& g : known.of) --g;
  check_known(known, x.cols());
  const double sigma_a = fit["sigma_a"];
  known.rho = known.variance / (sigma_a * sigma_a);
  const Sequential prior(as_spec(fit["prior"]), known.rows + 1);
  Rcpp::IntegerMatrix on(x.rows(), known.mean.cols());
  for (int i = 0; i < x.rows(); ++i) {
    Rcpp::checkUserInterrupt();
    const std::vector<int> held = most_probable(x.row(i), known, prior);
    std::copy(held.begin(), held.end(), on.row(i).begin());
  }
  return on;
}
