#' Draw feature matrices from a prior
#'
#' `simulate()` shows what a prior expects before there are data.
#'
#' @param object A prior: [prior_ibp()], [prior_beta_bernoulli()], [prior_pibp()], [prior_fixed()]
#'   or [prior_cascade()].
#' @param nsim (positive integer) Number of matrices (default 1).
#' @param seed (whole number or `NULL`) Seed of this call, after which R's generator is restored.
#'   `NULL`, the default, uses R's generator as it is. As in [stats::simulate()].
#' @param rows (positive integer or `NULL`) Number of rows; of [prior_cascade()], the number of
#'   visible units. [prior_pibp()] and [prior_fixed()] know their rows, and `NULL` (default)
#'   suffices for them; the other priors need a number.
#' @param ... Ignored.
#' @return A list of `nsim` integer matrices of zeros and ones with `rows` rows. Attributes `alpha`
#'   and `concentration` of each matrix are the values that it was drawn with, where the prior has
#'   them; a hyperparameter with a [gamma_prior()] is drawn anew for every matrix. Matrices from
#'   [prior_ibp()] have their columns in order of appearance, those from [prior_beta_bernoulli()]
#'   keep their empty columns, and those from [prior_fixed()] are all the same. For
#'   [prior_cascade()] the list has networks, as [rcascade()] returns them. Attribute `seed` of the
#'   list is the state of the generator before the first draw, or `seed`.
#' @examples
#' z <- simulate(prior_ibp(), nsim = 100, seed = 1, rows = 5)
#' # how many features five rows have under this prior
#' table(vapply(z, ncol, 1))
#' # a larger alpha gives more of them
#' cor(vapply(z, attr, 1, "alpha"), vapply(z, ncol, 1))
#' @importFrom stats simulate
#' @export
simulate.buffet_prior <- function(object, nsim = 1, seed = NULL, rows = NULL, ...) {
  nsim <- check_count(nsim, "nsim")
  seed <- check_seed(seed)
  seeded(seed, lapply(seq_len(nsim), \(i) draw_features(object, rows)))
}

# One matrix from a prior, for simulate()
draw_features <- function(prior, rows) UseMethod("draw_features")

draw_hyper <- function(hyper) {
  if (!is_learned(hyper)) return(hyper)
  draw <- stats::rgamma(1, hyper$shape, hyper$rate)
  min(max(draw, held_range[1]), held_range[2])
}

# Evaluate `code` as stats::simulate() would, with its attribute "seed"
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
