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
Rcpp::List sample(const GaussianData& data, const Prior& prior, const Precisions& precisions,
                  const Rcpp::List& plan, const Rcpp::List& init, int seed, Watch watch) {
  using Chain = Gibbs<Prior, GaussianCollapsed>;
  const int chains = plan["chains"];
  std::vector<Chain> states;
  for (int c = 0; c < chains; ++c) {
    states.emplace_back(Features(data.rows()), prior, GaussianCollapsed(data, precisions),
                        Rng(seed, c));
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

// x: one observation a column.
// [[Rcpp::export]]
Rcpp::List gaussian_gibbs_cpp(Eigen::MatrixXd x, Rcpp::List prior, Rcpp::List sigma,
                              Rcpp::List plan, Rcpp::List init, int seed, Rcpp::Function report) {
  const GaussianData data(std::move(x));
  return std::visit(
      [&](const auto& p) {
        return sample(data, p, as_precisions(sigma), plan, init, seed, Watch(report));
      },
      as_prior(prior, data.rows()));
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

// Mean over draws of E[z A | x_new, Z, X] and of the new rows' features. x, rows: one observation a
// column; parameters: sigma_x, sigma_a, alpha, concentration, one draw a column. The features are
// labelled as in the last draw.
// [[Rcpp::export]]
Rcpp::List gaussian_new_rows_cpp(Eigen::MatrixXd x, Eigen::MatrixXd rows, Rcpp::List draws,
                                 Eigen::MatrixXd parameters, Rcpp::List prior, int sweeps,
                                 int seed) {
  const RDraws d(draws);
  Rng rng(seed, 1000);
  Eigen::MatrixXd response = Eigen::MatrixXd::Zero(rows.rows(), rows.cols()), features;
  for (int draw = 0; draw < d->size(); ++draw) {
    Rcpp::checkUserInterrupt();
    const Features z = (*d)[draw];
    const LoadingsPosterior loadings(z, x, parameters(0, draw), parameters(1, draw));
    Exchangeable prior_of_new(z.rows() + 1, as_spec(prior));
    prior_of_new.set(parameters(2, draw), parameters(3, draw));
    features = Eigen::MatrixXd::Zero(z.size(), rows.cols());
    for (int i = 0; i < rows.cols(); ++i) {
      const NewRowMeans means = sample_new_row(loadings, rows.col(i), z, prior_of_new, sweeps, rng);
      response.col(i) += means.response;
      features.col(i) = means.features;
    }
  }
  return Rcpp::List::create(Rcpp::Named("response") = response / d->size(),
                            Rcpp::Named("features") = features);
}
