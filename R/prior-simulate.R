#' Draw feature matrices from a prior
#'
#' @param object A prior: [prior_ibp()], [prior_beta_bernoulli()], ...
#' @param nsim Number of matrices: one whole number of at least 1 (default 1).
#' @param seed `NULL` (default) to go on with R's random numbers as they are, or one whole number
#'   for [set.seed()], after which R's generator is put back where it was. As in
#'   [stats::simulate()].
#' @param rows Number of rows: one whole number of at least 1. Not needed for priors that know their
#'   rows, [prior_pibp()] and [prior_fixed()].
#' @param ... Not used.
#' @return A list of `nsim` integer matrices of zeros and ones with `rows` rows. Attributes `alpha`
#'   and `concentration` of each are the values it was drawn with: a hyperparameter with a
#'   [gamma_prior()] is drawn anew for every matrix. Matrices from [prior_ibp()] have their columns
#'   in order of appearance, those from [prior_beta_bernoulli()] keep their empty columns. Attribute
#'   `seed` of the list is the state of the generator before the first draw, or `seed`.
#' @examples
#' z <- simulate(prior_ibp(), nsim = 100, seed = 1, rows = 5)
#' mean(vapply(z, ncol, 1))
#' attr(z[[1]], "alpha")
#' @importFrom stats simulate
#' @export
simulate.buffet_prior <- function(object, nsim = 1, seed = NULL, rows = NULL, ...) {
  nsim <- check_count(nsim, "nsim")
  seed <- check_seed(seed)
  seeded(seed, lapply(seq_len(nsim), \(i) draw_features(object, rows)))
}

#' One matrix from a prior; what a new prior needs for simulate()
#' @noRd
#' @srrstats {PD3.1} In part: simulate() takes the distribution as an object; in R's manner each has
#'   a function to draw and one for probabilities.
draw_features <- function(prior, rows) UseMethod("draw_features")

draw_hyper <- function(hyper) {
  if (!is_learned(hyper)) return(hyper)
  draw <- stats::rgamma(1, hyper$shape, hyper$rate)
  # Extreme shapes and rates leave the range of doubles, which no hyperparameter may.
  min(max(draw, .Machine$double.xmin), .Machine$double.xmax)
}

#' Evaluate `code` as stats::simulate() would, with its attribute "seed"
#' @noRd
seeded <- function(seed, code) {
  if (!exists(".Random.seed", envir = globalenv(), inherits = FALSE)) stats::runif(1)
  before <- get(".Random.seed", envir = globalenv())
  state <- before
  if (!is.null(seed)) {
    on.exit(assign(".Random.seed", before, envir = globalenv()))
    set.seed(seed)
    state <- structure(seed, kind = as.list(RNGkind()))
  }
  structure(code, seed = state)
}
