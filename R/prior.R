#' Learn a hyperparameter under a gamma prior
#'
#' A *hyperparameter* is a parameter of a prior distribution. Wherever a model has one, a number
#' fixes it and a `gamma_prior()` learns it with everything else. For `alpha` and
#' `concentration` the prior is on the parameter itself, for `sigma_x` and `sigma_a`, and for the
#' `bias` of [fit_logistic()], on the precision 1/sigma^2. It is also the prior of the `weights` of
#' [fit_choice()], each of them.
#'
#' @param shape,rate One positive number each. The mean is `shape / rate`, the variance
#'   `shape / rate^2`.
#' @return An object of class `gamma_prior`.
#' @seealso [prior_ibp()], [prior_pibp()], [prior_beta_bernoulli()].
#' @examples
#' gamma_prior(2, 1)
#' prior_ibp(alpha = gamma_prior(2, 1))
#' @export
gamma_prior <- function(shape, rate) {
  new_gamma_prior(check_positive(shape, "shape"), check_positive(rate, "rate"))
}

new_gamma_prior <- function(shape, rate) {
  structure(list(shape = shape, rate = rate), class = "gamma_prior")
}

#' @export
format.gamma_prior <- function(x, ...) {
  sprintf("Gamma(shape = %s, rate = %s)", short(x$shape), short(x$rate))
}

#' @export
print.gamma_prior <- function(x, ...) {
  cat(format(x), "\n", sep = "")
  invisible(x)
}

#' The Indian buffet process as a prior over features
#'
#' A prior on binary matrices with one row per object and as many columns, called *features*, as the
#' data ask for.
#'
#' As a buffet: rows are customers who arrive one after the other, features are dishes. Customer n
#' takes a dish that m earlier customers took with probability (m - d) / (n - 1 + c), and then
#' Poisson(alpha G(1 + c) G(n - 1 + c + d) / (G(n + c) G(c + d))) new ones, where G is the gamma
#' function, c the `concentration` and d the `discount`. With the default c = 1 and d = 0 this is
#' m / n and Poisson(alpha / n), the process of Griffiths and Ghahramani; d = 0 is the two-parameter
#' process (old dish m / (n - 1 + c), new ones Poisson(alpha c / (n - 1 + c))); d > 0 gives the
#' number of features a power law in the number of rows. The order of the rows does not matter.
#' Every row has Poisson(alpha) features.
#'
#' @param alpha Mean number of features in a row: one positive number, or a [gamma_prior()] to learn
#'   it (default `gamma_prior(1, 1)`).
#' @param concentration One number above `-discount` (default 1), or a [gamma_prior()] to learn it.
#'   Small values make rows share their features, large ones keep them apart.
#' @param discount One number in \[0, 1) (default 0).
#' @return An object of class `prior_ibp`, for the `prior` argument of the `fit_*()` functions, with
#'   methods for `format()`, `print()` and [simulate()][simulate.buffet_prior].
#' @references
#' Griffiths, T. L. and Ghahramani, Z. (2011). The Indian buffet process: an introduction and
#' review. *Journal of Machine Learning Research* 12, 1185-1224, sections 4 and 7.1.
#'
#' Ghahramani, Z., Griffiths, T. L. and Sollich, P. (2007). Bayesian nonparametric latent feature
#' models. *Bayesian Statistics* 8, 201-226.
#'
#' Teh, Y. W. and Gorur, D. (2009). Indian buffet processes with power-law behavior. *Advances in
#' Neural Information Processing Systems* 22.
#' @seealso [ribp()] and [dibp()] for the distribution itself, [prior_pibp()] for rows on a tree,
#'   [prior_beta_bernoulli()] for a fixed number of features, [prior_fixed()] for known ones.
#' @examples
#' prior_ibp()
#' prior_ibp(alpha = 2, concentration = gamma_prior(1, 1), discount = 0.25)
#' simulate(prior_ibp(alpha = 2), rows = 4, seed = 1)
#' @export
prior_ibp <- function(alpha = gamma_prior(1, 1), concentration = 1, discount = 0) {
  alpha <- check_hyper(alpha, "alpha")
  discount <- check_discount(discount)
  new_prior_ibp(alpha, check_concentration(concentration, discount, learnable = TRUE), discount)
}

new_prior_ibp <- function(alpha, concentration, discount) {
  structure(
    list(alpha = alpha, concentration = concentration, discount = discount),
    class = c("prior_ibp", "buffet_prior")
  )
}

check_discount <- function(discount) check_number(discount, "discount", 0, 1, "[)")

check_concentration <- function(x, discount, learnable = FALSE) {
  if (learnable && inherits(x, "gamma_prior")) return(x)
  if (is_scalar_number(x) && x > -discount) return(as.double(x))
  must <- paste("be one number above", format(-discount))
  stop_argument("concentration", if (learnable) paste(must, "or a gamma_prior()") else must, x)
}

#' A finite number of features: the beta-Bernoulli prior
#'
#' `n_features` features, each with its own probability pi_k ~ Beta(alpha c / K, c), where K is
#' `n_features` and c the `concentration`; z_ik ~ Bernoulli(pi_k). As K grows this becomes the
#' Indian buffet process, [prior_ibp()].
#'
#' @param n_features The number of features, empty ones included: one whole number of at least 1.
#' @param alpha One positive number, or a [gamma_prior()] to learn it (default `gamma_prior(1, 1)`).
#'   Every row has alpha / (1 + alpha / K) features on average, alpha for many features.
#' @param concentration One positive number (default 1), or a [gamma_prior()] to learn it.
#' @return An object of class `prior_beta_bernoulli`, for the `prior` argument of the `fit_*()`
#'   functions, with methods for `format()`, `print()` and [simulate()][simulate.buffet_prior].
#' @references
#' Griffiths, T. L. and Ghahramani, Z. (2011). The Indian buffet process: an introduction and
#' review. *Journal of Machine Learning Research* 12, 1185-1224, sections 2 and 7.1.
#' @seealso [rbeta_bernoulli()] and [dbeta_bernoulli()] for the distribution itself.
#' @examples
#' prior_beta_bernoulli(10)
#' simulate(prior_beta_bernoulli(3, alpha = 2), rows = 4, seed = 1)
#' @export
prior_beta_bernoulli <- function(n_features, alpha = gamma_prior(1, 1), concentration = 1) {
  new_prior_beta_bernoulli(
    check_count(n_features, "n_features"),
    check_hyper(alpha, "alpha"),
    check_hyper(concentration, "concentration")
  )
}

new_prior_beta_bernoulli <- function(n_features, alpha, concentration) {
  structure(
    list(n_features = n_features, alpha = alpha, concentration = concentration),
    class = c("prior_beta_bernoulli", "buffet_prior")
  )
}

#' @export
format.prior_ibp <- function(x, ...) {
  with_default <- c(concentration = 1, discount = 0)
  shown <- Filter(\(name) !identical(x[[name]], with_default[[name]]), names(with_default))
  format_prior("IBP", unclass(x)[c("alpha", shown)])
}

#' @export
format.prior_beta_bernoulli <- function(x, ...) format_prior("beta-Bernoulli", unclass(x))

#' One line for the features, one for every hyperparameter that is learned
#' @noRd
format_prior <- function(law, parameters) {
  learned <- vapply(parameters, inherits, NA, what = "gamma_prior")
  values <- vapply(parameters, \(p) if (is.numeric(p)) short(p) else "", "")
  arguments <- ifelse(learned, names(parameters), paste(names(parameters), "=", values))
  hyper <- vapply(parameters[learned], format, "")
  c(
    sprintf("Z ~ %s(%s)", law, paste(arguments, collapse = ", ")),
    sprintf("%s ~ %s", names(hyper), hyper)
  )
}

short <- function(x) format(x, digits = 4)

#' @export
print.buffet_prior <- function(x, ...) {
  cat(format(x), sep = "\n")
  invisible(x)
}

check_prior <- function(prior) {
  if (!inherits(prior, "buffet_prior")) {
    stop_argument("prior", "be made by a prior_*() function", prior)
  }
  prior
}

#' A prior as the plain list that the compiled core reads
#'
#' @param rows Number of rows of the data.
#' @param names Their names, or NULL.
#' @return A list with `kind`. For the exchangeable priors `alpha` and `concentration`, each a list
#'   of `value`, `learned`, `shape` and `rate`, then `discount` and `n_features`, 0 if unbounded; on
#'   a tree `alpha`, `tree` as tree_spec() has it and `sampled`: are the probabilities drawn on few
#'   rows too? All have `max_features`, which a method may lower.
#' @noRd
prior_spec <- function(prior, rows, names = NULL) UseMethod("prior_spec")

#' @exportS3Method
#' @noRd
prior_spec.prior_ibp <- function(prior, rows, names = NULL) {
  exchangeable_spec(prior, discount = prior$discount, n_features = 0L)
}

#' @exportS3Method
#' @noRd
prior_spec.prior_beta_bernoulli <- function(prior, rows, names = NULL) {
  exchangeable_spec(prior, discount = 0, n_features = prior$n_features)
}

exchangeable_spec <- function(prior, discount, n_features) {
  list(
    kind = "exchangeable", alpha = hyper_spec(prior$alpha),
    concentration = hyper_spec(prior$concentration),
    discount = discount, n_features = n_features, max_features = .Machine$integer.max
  )
}

#' The prior of a model, with no more features than a method has room for
#' @noRd
limited_prior_spec <- function(model, method) {
  x <- model$data$x
  spec <- prior_spec(model$prior, nrow(x), rownames(x))
  spec$max_features <- method$max_features %||% spec$max_features
  spec
}

hyper_spec <- function(hyper) {
  learned <- inherits(hyper, "gamma_prior")
  if (!learned) return(list(value = hyper, learned = FALSE, shape = 1, rate = 1))
  list(value = 1, learned = TRUE, shape = hyper$shape, rate = hyper$rate)
}
