#include "factor/factor_runs.h"
#include "gaussian_glue.h"
#include "glue.h"

using namespace buffet;

namespace {

/// Whose weights are sparse decides which side of the data the features are of.
GaussianData as_factor_data(const Rcpp::RObject& x, bool of_columns) {
  const auto values = Rcpp::as<Eigen::Map<Eigen::MatrixXd>>(x);
  return of_columns ? GaussianData(values, false) : GaussianData::from_rows(values, false);
}

/// sigma_x: the prior of the precisions, or what fixes them, one value for all columns of the data
/// or one each.
FactorNoise as_factor_noise(const GaussianData& data, const Rcpp::List& model) {
  const Rcpp::List x = model["sigma_x"];
  const auto values = Rcpp::as<Eigen::ArrayXd>(x["value"]);
  const bool of_columns = model["of_columns"], common = model["common_noise"];
  const NoiseOf of = common ? NoiseOf::all : of_columns ? NoiseOf::row : NoiseOf::column;
  FactorNoise noise(data.rows(), data.width(), of,
                    {values(0), x["learned"], x["shape"], x["rate"]});
  if (values.size() > 1) noise.set(values);
  return noise;
}

}  // namespace

// x: one observation a row; model: of_columns (are the features those of the columns of x?), prior,
// weights, common_noise, sigma_x, sigma_a; plan and watch: as run_chains() has them.
// [[Rcpp::export]]
Rcpp::List factor_gibbs_cpp(Rcpp::RObject x, Rcpp::List model, Rcpp::List plan, Rcpp::List watch) {
  const auto law = as_named<WeightLaw>(model["weights"], {{"normal", WeightLaw::normal},
                                                          {"nonnegative", WeightLaw::nonnegative},
                                                          {"laplace", WeightLaw::laplace},
                                                          {"counts", WeightLaw::counts}});
  const GaussianData data = as_factor_data(x, model["of_columns"]);
  const AnyPrior prior = as_prior(model["prior"], data.rows());
  const RunMaker make =
      factor_runs(prior, data, as_factor_noise(data, model), as_hyper(model["sigma_a"]), law);
  return run_chains(from_start(make, watch), plan, watch);
}
