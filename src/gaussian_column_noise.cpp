#include "likelihood/gaussian_column_noise.h"

#include "gaussian_run.h"

using namespace buffet;

namespace {

/// sigma_x: the prior of the precisions of all columns, or what fixes them, one value for all or
/// one each.
GaussianColumnNoise as_likelihood(const GaussianData& data, const Rcpp::List& model) {
  const Rcpp::List x = model["sigma_x"];
  const Eigen::ArrayXd values = Rcpp::as<Eigen::ArrayXd>(x["value"]);
  const Precisions precisions{{values(0), x["learned"], x["shape"], x["rate"]},
                              as_hyper(model["sigma_a"])};
  GaussianColumnNoise likelihood(data, precisions);
  if (values.size() > 1) likelihood.set_precisions(values, precisions.a.value);
  return likelihood;
}

}  // namespace

// x: one observation a row; model: prior, sigma_x, sigma_a; plan and watch: as gaussian_gibbs_cpp
// has them.
// [[Rcpp::export]]
Rcpp::List gaussian_column_noise_gibbs_cpp(Rcpp::RObject x, Rcpp::List model, Rcpp::List plan,
                                           Rcpp::List watch) {
  const GaussianData data = as_data(x, false);
  const GaussianCall call{model, plan, Watch(watch)};
  return std::visit(
      [&](const auto& prior) -> Rcpp::List {
        if constexpr (std::is_same_v<std::decay_t<decltype(prior)>, Fixed>)
          Rcpp::stop("prior_fixed() is not for this likelihood");
        else
          return sample(prior, as_likelihood(data, model), call);
      },
      as_prior(model["prior"], data.rows()));
}
