#pragma once

#include "gaussian_glue.h"
#include "gibbs/gibbs.h"
#include "glue.h"

/// How chains of linear-Gaussian models begin and are run.

namespace buffet {

/// Starting point of a chain: `features` (or NULL: one random feature) and what is given of alpha,
/// concentration, sigma_x, sigma_a in `values` (NA: the default).
template <class Chain>
void start(Chain& chain, const Rcpp::List& init) {
  const int rows = chain.z.rows();
  chain.restart(Rf_isNull(init["features"])
                    ? one_feature(rows, 0.5, chain.rng)
                    : as_features(Rcpp::as<Rcpp::IntegerMatrix>(init["features"])));
  const Rcpp::NumericVector values = init["values"];
  const auto given = [&](int k, double otherwise) {
    return ISNAN(values[k]) ? otherwise : values[k];
  };
  const double sigma_x = given(2, chain.likelihood.sigma_x());
  const double sigma_a = given(3, chain.likelihood.sigma_a());
  chain.prior.set(given(0, chain.prior.alpha()), given(1, chain.prior.concentration()));
  chain.likelihood.set_precisions(1 / (sigma_x * sigma_x), 1 / (sigma_a * sigma_a));
  chain.reset();
}

/// How chains are run: as gaussian_gibbs_cpp has it.
struct GaussianCall {
  const Rcpp::List& model;
  const Rcpp::List& plan;
  Watch watch;
};

template <class Prior, class Likelihood>
Rcpp::List sample(const Prior& prior, const Likelihood& likelihood, const GaussianCall& call) {
  using Chain = Gibbs<Prior, Likelihood>;
  const Chain first(Features(likelihood.data().rows()), prior, likelihood, Rng(0));
  return run_chains(first, start<Chain>, call.plan, call.watch);
}

}  // namespace buffet
