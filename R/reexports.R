#' @importFrom posterior as_draws
#' @export
posterior::as_draws
#' @importFrom posterior as_draws_array
#' @export
posterior::as_draws_array
#' @importFrom posterior as_draws_df
#' @export
posterior::as_draws_df
#' @importFrom posterior as_draws_list
#' @export
posterior::as_draws_list
#' @importFrom posterior as_draws_matrix
#' @export
posterior::as_draws_matrix
#' @importFrom posterior as_draws_rvars
#' @export
posterior::as_draws_rvars
#' @importFrom generics augment
#' @export
generics::augment
#' @importFrom generics glance
#' @export
generics::glance
#' @importFrom generics tidy
#' @export
generics::tidy
#' @importFrom rstantools log_lik
#' @export
rstantools::log_lik
#' @importFrom rstantools posterior_predict
#' @export
rstantools::posterior_predict
#' @importFrom rstantools prior_summary
#' @export
rstantools::prior_summary
#' @importFrom posterior nchains
#' @export
posterior::nchains
#' The page ?ndraws is about the argument of that name, and says that this is posterior's.
#' @importFrom posterior ndraws
#' @export
#' @noRd
posterior::ndraws
#' @importFrom posterior niterations
#' @export
posterior::niterations
#' @importFrom posterior variables
#' @export
posterior::variables
#' @importFrom rstantools posterior_epred
#' @export
rstantools::posterior_epred
#' @importFrom rstantools posterior_interval
#' @export
rstantools::posterior_interval
#' @importFrom rstantools predictive_interval
#' @export
rstantools::predictive_interval
#' @importFrom rstantools bayes_R2
#' @export
rstantools::bayes_R2
