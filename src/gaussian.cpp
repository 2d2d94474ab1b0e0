#include "glue.h"
#include "inference/gibbs.h"
#include "likelihood/gaussian_collapsed.h"
#include "likelihood/gaussian_predict.h"

using namespace buffet;

namespace {

Precisions as_precisions(const Rcpp::List& x) {
  return {as_hyper(x["sigma_x"]), as_hyper(x["sigma_a"])};
}

/// Starting point of a chain: `features` (or NULL: one random feature) and what is given of alpha,
/// concentration, sigma_x, sigma_a in `values` (NA: the default).
template <class Chain>
void start(Chain& chain, const Rcpp::List& init) {
  const int rows = chain.z.rows();
  chain.restart(Rf_isNull(init["features"])
                    ? one_feature(rows, chain.rng)
                    : as_features(Rcpp::as<Rcpp::IntegerMatrix>(init["features"])));
  const Rcpp::NumericVector values = init["values"];
  const auto given = [&](int k, double otherwise) {
    return ISNAN(values[k]) ? otherwise : values[k];
  };
  const double sigma_x = given(2, chain.likelihood.sigma_x());
  const double sigma_a = given(3, chain.likelihood.sigma_a());
  chain.prior.set(given(0, chain.prior.alpha()), given(1, chain.prior.concentration()));
  chain.likelihood.set_precisions(1 / (sigma_x * sigma_x), 1 / (sigma_a * sigma_a));
  chain.likelihood.reset(chain.z);
}

template <class Prior>
Rcpp::List sample(const Gibbs<Prior, GaussianCollapsed>& fresh, const Rcpp::List& plan,
                  Watch watch) {
  using Chain = Gibbs<Prior, GaussianCollapsed>;
  const int chains = plan["chains"], seed = plan["seed"];
  const Rcpp::List init = plan["init"];
  std::vector<Chain> states(chains, fresh);
  for (int c = 0; c < chains; ++c) {
    states[c].rng = Rng(seed, c);
    start(states[c], init[c]);
  }
  std::vector<Trace> traces(chains);
  const Plan each = as_plan(plan);
  run_chains(
      chains, plan["cores"], [&](int c, auto report) { run(states[c], each, traces[c], report); },
      watch);
  Rcpp::List out;
  for (const Trace& trace : traces) out.push_back(from_trace(trace, Chain::scalar_names()));
  return out;
}

}  // namespace

// x: one observation a row; model: prior, sigma_x, sigma_a; plan: chains, cores, seed, init and
// what Plan has.
// [[Rcpp::export]]
Rcpp::List gaussian_gibbs_cpp(Eigen::Map<Eigen::MatrixXd> x, Rcpp::List model, Rcpp::List plan,
                              Rcpp::Function report) {
  const GaussianData data = GaussianData::from_rows(x);
  return std::visit(
      [&](const auto& prior) {
        const GaussianCollapsed likelihood(data, as_precisions(model));
        return sample(Gibbs(Features(data.rows()), prior, likelihood, Rng(0)), plan, Watch(report));
      },
      as_prior(model["prior"], data.rows()));
}

// Mean over draws of Z E[A | Z, X]; x: one observation a column; sigma: one draw a column.
// [[Rcpp::export]]
Eigen::MatrixXd gaussian_fitted_cpp(Eigen::MatrixXd x, Rcpp::List draws, Eigen::MatrixXd sigma) {
  const RDraws d(draws);
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(x.rows(), x.cols());
  for (int draw = 0; draw < d->size(); ++draw) {
    Rcpp::checkUserInterrupt();
    const Features z = (*d)[draw];
    add_fitted(z, LoadingsPosterior(z, x, sigma(0, draw), sigma(1, draw)), sum);
  }
  return sum / d->size();
}

// Mean over draws of E[z A | x_new, Z, X], and the mean features of the new rows given the last
// draw. fit: x (one observation a column), draws, prior and parameters (sigma_x, sigma_a, alpha,
// concentration; one draw a column); rows: one new observation a column.
// [[Rcpp::export]]
Rcpp::List gaussian_new_rows_cpp(Rcpp::List fit, Eigen::MatrixXd rows, int sweeps, int seed) {
  const RDraws draws(Rcpp::as<Rcpp::List>(fit["draws"]));
  const Eigen::MatrixXd x = fit["x"], parameters = fit["parameters"];
  Exchangeable prior(draws->rows() + 1, as_spec(fit["prior"]));
  Rng rng(seed, 1000);
  Eigen::MatrixXd response = Eigen::MatrixXd::Zero(rows.rows(), rows.cols()), features;
  for (int draw = 0; draw < draws->size(); ++draw) {
    Rcpp::checkUserInterrupt();
    const Features z = (*draws)[draw];
    const LoadingsPosterior loadings(z, x, parameters(0, draw), parameters(1, draw));
    prior.set(parameters(2, draw), parameters(3, draw));
    const NewRowSampler<Exchangeable> sample_row{loadings, z, prior, sweeps};
    features = Eigen::MatrixXd::Zero(z.size(), rows.cols());
    for (int i = 0; i < rows.cols(); ++i) {
      const NewRowMeans means = sample_row(rows.col(i), rng);
      response.col(i) += means.response;
      features.col(i) = means.features;
    }
  }
  return Rcpp::List::create(Rcpp::Named("response") = response / draws->size(),
                            Rcpp::Named("features") = features);
}
