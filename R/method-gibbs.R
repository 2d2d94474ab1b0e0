#' Inference by Gibbs sampling
#'
#' Sets how chains are run: their number, their length and their sampler. The result is for the
#' argument `method` of a `fit_*()` function.
#'
#' @details
#' ## Length of chains
#' By default (`iter = NULL`) the chains of [fit_gaussian()], [fit_logistic()], [fit_mixed()],
#' [fit_factor()] and [fit_choice()] are longer for small data, whose sweeps are quick but mix no
#' better. Let E be the number of entries of the data. Chains make 2000 t sweeps and keep every
#' t-th, where t is 5000 / E, rounded down, but at least 1 and at most 10. A chain therefore always
#' keeps 1000 draws. Some models count entries differently:
#'
#' | model | E |
#' |---|---|
#' | [fit_gaussian()] with nonnegative loadings, [fit_logistic()] | a quarter of the entries |
#' | [fit_mixed()] | twice the entries |
#' | [fit_factor()] | a fifth of the entries |
#' | [fit_choice()] | the entries of the square matrix of counts |
#'
#' The chains of [fit_nmf()], [fit_topics()] and [fit_cascade()] make 2000 sweeps if `iter` is
#' `NULL`. (Without `method`, [fit_cascade()] makes 500.)
#'
#' ## Extension of chains
#' How many sweeps are enough depends on the data. At the end of the warm-up, the chains are
#' compared by the draws from its last two fifths. If an Rhat is above 1.1 there, or there are fewer
#' than 4 draws, the run is doubled: its warm-up, the sweeps after it, and the distance between
#' draws, so that the number of kept draws stays the same. This is repeated until the chains agree
#' or `max_iter` leaves no room for another doubling. Then the reported draws are made, as many as
#' planned, and all of them are kept. The limit of 1.1 is higher than the usual 1.05 because fewer
#' draws are compared.
#'
#' The rule guarantees that the reported draws play no part in the decision to extend the run and so
#' are not selected by it: given the states of the chains at the end of the warm-up, they are the
#' draws of a run of fixed length. It does not guarantee that the warm-up was long enough. If the
#' largest Rhat of the reported draws is above 1.05, the fit comes with a warning of class
#' `buffet_rhat_warning` that says what to do. This check is not a reason to discard draws. If a run
#' is extended, by `update(fit, iter = )` or by hand, until its own draws pass a check, that check
#' selects the draws. The resulting error decreases as the run becomes longer.
#'
#' A single chain, which cannot be compared, and chains without a warm-up are not extended.
#'
#' By default `max_iter` is 8 times the first number of sweeps if E (see above) is at most 100,000
#' and the draws have at most 30 features on average. With more features sweeps are slow, and in
#' none of the data sets on which we tried this did chains agree after 8 times as many sweeps.
#' Chains are not extended by default if `iter` is given, nor in [fit_nmf()], [fit_topics()] and
#' [fit_cascade()]. `print()` shows how many sweeps were made.
#'
#' If a run that may be extended is interrupted in its warm-up, a warning is given, and the fit has
#' the draws made so far in the last two fifths of the warm-up or, if there are none, those of the
#' warm-up before its last extension. After the warm-up it has the reported draws made so far. With
#' a `file`, the same call resumes the run, and the result is the same as without the interrupt.
#'
#' ## Regrouping of chains
#' A chain can be stuck for good in a mode far below the others. Chains are therefore compared once
#' during the warm-up, if it has at least 700 sweeps. After three fifths of the warm-up, the mean
#' log joint of each chain over the last tenth of the warm-up is compared with that of the best
#' chain. A chain that is more than two standard deviations (within chains) below continues from the
#' state of the best chain, with its own random numbers. `print()` and `summary()` say how many
#' chains did. This is repeated in every extended warm-up, but never afterwards.
#'
#' Rhat then says how well the chains mix within the mode that they share. It does not show modes
#' that only the abandoned chains had found. With `regroup = FALSE`, or if `init` is given, chains
#' stay independent throughout.
#'
#' ## The bare sampler
#' `moves = 0` leaves out what this package adds to the samplers of the papers. A sweep then visits
#' the rows. It draws one entry of the feature matrix after the other, then the number of features
#' that only this row has. After that it draws the loadings or weights, if they are kept, and the
#' hyperparameters, each given everything else. (In [fit_mixed()] rows are visited given the
#' auxiliary variables of the columns, once with all weights integrated out and once given the
#' weights.) Entries are not drawn jointly, and whole features are not moved. Chains start from one
#' random feature or from `init`, without a search, and are not regrouped.
#'
#' The posterior is the same. Use the bare sampler to repeat what papers report, or to see the
#' effect of the additional moves. On most data its chains agree much later or not at all. They are
#' extended like others if `iter` is not given. With the sampler `"parallel"`, `moves = 0` draws
#' entries one by one instead of several jointly. The samplers of [fit_nmf()] and [fit_cascade()]
#' have no such moves, so that 0 only turns off regrouping. In [fit_topics()] `moves` counts moves
#' of another kind, and 0 changes neither the start nor regrouping.
#'
#' @param chains (positive integer) Number of chains, 4 by default. Each chain has its own random
#'   numbers and its own starting point.
#' @param iter (positive integer or `NULL`) Number of sweeps of each chain, including the warm-up. A
#'   sweep visits every entry of the feature matrix, moves whole features and updates everything
#'   else that is learned. `NULL`, the default, is 2000, or more for small data; see Length of
#'   chains.
#' @param warmup (non-negative integer less than `iter`, or `NULL`) Number of sweeps at the
#'   beginning that are not kept. `NULL`, the default, is half of `iter`, rounded down.
#' @param thin (positive integer or `NULL`) Every `thin`-th sweep is kept. `NULL`, the default,
#'   keeps every sweep if `iter` is given; otherwise see Length of chains.
#' @param cores (positive integer) Number of threads that run the chains, by default the option
#'   `mc.cores`, or 1. The result does not depend on it. With 1, chains run where `future::plan()`
#'   says, if a plan was set, possibly on other machines; see [distributed].
#' @param sampler (string or `NULL`) Name of the sampler. `NULL`, the default, is the first that the
#'   list shows for the model:
#'   * for [fit_gaussian()] with normal loadings: `"collapsed"`, `"uncollapsed"`, `"slice"`,
#'     `"parallel"`;
#'   * for [fit_gaussian()] with nonnegative loadings: `"uncollapsed"`, `"slice"`, `"parallel"`;
#'   * for [fit_logistic()]: `"uncollapsed"`, `"neal"`;
#'   * for [fit_mixed()], [fit_factor()], [fit_choice()], [fit_nmf()]: `"uncollapsed"`;
#'   * for [fit_topics()]: `"collapsed"`;
#'   * for [fit_cascade()]: `"slice"`, `"multiple_try"`, `"elliptical"`.
#'
#'   With [prior_pibp()] there is neither `"slice"` nor `"parallel"`. With `noise = "column"` there
#'   is only `"uncollapsed"`. With `cl` or [row_blocks()] the default is `"parallel"`.
#' @param refresh (non-negative integer or `NULL`) The progress bar is updated after this many
#'   sweeps. `NULL`, the default, is a hundredth of `iter`; 0 shows no bar.
#' @param max_features (positive integer or `NULL`) Largest number of features that chains may have.
#'   The posterior is then conditional on there being no more: moves to more features are rejected,
#'   and everything else, including the updates of `alpha`, is unchanged. These are the truncated
#'   samplers that Reed and Ghahramani (2013) compare. They limit the cost of a sweep, which can be
#'   necessary for real data that no number of features explains entirely. The features of new rows
#'   in `predict()` are not limited. `NULL`, the default, sets no limit beyond that of the prior.
#' @param moves (non-negative integer or `NULL`) 0 leaves out the moves that this package adds to
#'   the published samplers; see The bare sampler. `NULL`, the default, includes them; other numbers
#'   are an error. In [fit_topics()] it is the number of Metropolis proposals per sweep for the set
#'   of topics of each document, and `NULL` is 1.
#' @param regroup (flag) Should chains that are far below the best chain continue from its state,
#'   once during the warm-up and again each time it is extended? `TRUE` by default; see Regrouping
#'   of chains.
#' @param max_iter (positive integer of at least `iter`, or `NULL`) The run is extended to at most
#'   this many sweeps if the chains do not agree in the warm-up, which must then have at least one
#'   sweep. `NULL`, the default, is `iter` if it is given; otherwise see Extension of chains.
#' @return An object of class `method_gibbs`, for the argument `method` of [fit_gaussian()],
#'   [fit_logistic()], [fit_mixed()], [fit_factor()], [fit_choice()], [fit_nmf()], [fit_topics()]
#'   and [fit_cascade()]. It has methods for `format()` and `print()`.
#' @references Reed, C. and Ghahramani, Z. (2013). Scaling the Indian buffet process via submodular
#'   maximization. *ICML*. <https://arxiv.org/abs/1304.3285>
#' @examples
#' method_gibbs(chains = 2, iter = 500)
#' set.seed(1)
#' x <- block_images(30)
#' # at most two features, where the images have four
#' fit <- fit_gaussian(x, method = method_gibbs(2, 300, max_features = 2), seed = 1)
#' fit
#' # the sampler as published, without the moves that this package adds: it needs longer
#' bare <- fit_gaussian(x, method = method_gibbs(2, 3000, moves = 0), seed = 1)
#' bare
#' # exactly 40 sweeps, which end with a warning: the chains do not agree
#' fixed <- fit_gaussian(x, method = method_gibbs(2, iter = 40), seed = 3)
#' # up to 640 sweeps if the chains do not agree in the warm-up
#' until <- fit_gaussian(x, method = method_gibbs(2, iter = 40, max_iter = 640), seed = 3)
#' glance(fixed)$rhat_max
#' glance(until)$rhat_max
#' until
#' @export
method_gibbs <- function(chains = 4, iter = NULL, warmup = NULL, thin = NULL,
                         cores = getOption("mc.cores", 1L), sampler = NULL, refresh = NULL,
                         max_features = NULL, moves = NULL, regroup = TRUE, max_iter = NULL) {
  method <- structure(
    list(
      chains = check_count(chains, "chains"),
      iter = if (!is.null(iter)) check_count(iter, "iter"),
      warmup = if (!is.null(warmup)) check_count(warmup, "warmup", lower = 0),
      thin = if (!is.null(thin)) check_count(thin, "thin"),
      cores = check_count(cores, "cores"),
      sampler = if (!is.null(sampler)) check_string(sampler, "sampler"),
      refresh = if (!is.null(refresh)) check_count(refresh, "refresh", 0),
      max_features = if (!is.null(max_features)) check_count(max_features, "max_features"),
      moves = if (!is.null(moves)) check_count(moves, "moves", 0),
      regroup = check_flag(regroup, "regroup"),
      max_iter = if (!is.null(max_iter)) check_count(max_iter, "max_iter")
    ),
    class = c("method_gibbs", "buffet_method")
  )
  if (!is.null(iter)) choose_length(method)
  method
}

# Sets how long the chains are
# length: The result of length_for() for the model.
choose_length <- function(method, length) {
  if (is.null(method$iter)) method <- choose_default(method, length)
  method$thin <- method$thin %||% 1L
  method$max_iter <- method$max_iter %||% method$iter
  method$goes_on_with <- method$goes_on_with %||% Inf
  method$warmup <- method$warmup %||% (method$iter %/% 2L)
  method$doublings <- 0L
  check_length(method)
}

choose_default <- function(method, length) {
  method$thin <- method$thin %||% length$times
  method$iter <- 2000L * length$times
  if (is.null(method$max_iter)) {
    most <- if (identical(method$warmup, 0L)) 1L else length$most
    method$max_iter <- most * method$iter
    method$goes_on_with <- 30
  }
  method
}

check_length <- function(method) {
  if (method$warmup >= method$iter) {
    stop_argument("warmup", sprintf("be less than `iter` (%d)", method$iter), method$warmup)
  }
  if (planned_draws(method) == 0) {
    stop_argument("thin", "leave at least one sweep after the warm-up", method$thin)
  }
  if (method$max_iter < method$iter) {
    must <- sprintf("be at least the sweeps that chains begin with (%d)", method$iter)
    stop_argument("max_iter", must, method$max_iter)
  }
  if (method$warmup == 0 && method$max_iter > method$iter) {
    stop_argument("warmup", "be at least 1 if `max_iter` lets the run be extended", 0)
  }
  method
}

# How many draws of a chain are kept
planned_draws <- function(method) method$iter %/% method$thin - method$warmup %/% method$thin

#' @export
format.method_gibbs <- function(x, ...) {
  sprintf(
    "%s Gibbs: %s of %s%s%s%s%s",
    x$sampler %||% "default", counted(x$chains, "chain"), format_length(x),
    if (is.null(x$max_features)) "" else paste0(", at most ", counted(x$max_features, "feature")),
    if (!is.null(x$moves)) format_moves(x$moves) else "",
    if (!x$regroup) ", not regrouped" else "",
    if (is.null(x$doublings) && !is.null(x$max_iter)) format_most(x$max_iter) else ""
  )
}

format_moves <- function(moves) {
  if (moves == 0) return(", no moves")
  paste0(", ", counted(moves, "move"))
}

format_most <- function(max_iter) sprintf(", or up to %d if they do not agree", max_iter)

format_length <- function(method) {
  if (is.null(method$iter)) {
    return(sprintf(
      "2000 sweeps, more for small data%s%s",
      if (is.null(method$warmup)) "" else sprintf(" (%d warm-up)", method$warmup),
      if (is.null(method$thin)) "" else sprintf(", thin %d", method$thin)
    ))
  }
  method <- choose_length(method)
  sprintf(
    "%s (%d warm-up)%s", counted(method$iter, "sweep"), method$warmup,
    if (method$thin > 1) sprintf(", thin %d", method$thin) else ""
  )
}

#' @exportS3Method
check_model.method_gibbs <- function(method, model) {
  method <- choose_length(method, length_for(model$traits$entries))
  choose_sampler(choose_moves(method, model), model)
}

#' @exportS3Method
fit_by.method_gibbs <- function(method, model, starts, control) {
  opened <- open_run(new_run(method, model, starts, control), control$file)
  with_warning(run_extended(opened, control))
}
