#' Inference by Gibbs sampling
#'
#' Describes how chains are run: how many, how long, which sampler. Give it to `method` of a
#' `fit_*()` function.
#'
#' @details
#' ## How long chains are
#' By default the chains of [fit_gaussian()], [fit_logistic()], [fit_mixed()], [fit_factor()] and
#' [fit_choice()] are longer where the data are small, because sweeps are quick there and mix no
#' better: with E entries (or pairs of items) they make t x 2000 sweeps and keep every t-th, where
#' t is 5000 / E, at least 1 and at most 10. For [fit_logistic()] and nonnegative loadings E is a
#' quarter of the entries, for [fit_mixed()] twice them, for [fit_factor()] a fifth. Hence they
#' keep 1000 draws in any case. All other chains make 2000 sweeps.
#'
#' ## Chains that go on
#' How many sweeps are enough is known only afterwards. Where chains have made `iter` sweeps and
#' an Rhat is above 1.05, they go on to twice as many: all that they have done becomes warm-up,
#' and the draws that are kept lie so far apart that they are as many as before. This is repeated
#' as long as they do not agree and `max_iter` allows it. By default they may go on to 8 times
#' `iter` where E, the entries as counted there, is at most 100,000 and the mean number of features
#' at most 30: with more features sweeps are slow, and in none of the data sets that this was tried
#' on did chains agree after 8 times as many. Where `iter` is given they do not go on. `print()` tells how many
#' sweeps were made. An interrupt while they go on leaves the fit of the sweeps before, unless the
#' run was taken up from a `file` since: then it leaves the draws since the last doubling.
#'
#' ## Chains that meet
#' A chain can be caught in a mode far below the others, for good. When three fifths of a warm-up
#' of at least 700 sweeps are done, the mean log joint of each chain over the last tenth of the
#' warm-up is therefore compared with that of the best chain. A chain that is more than two
#' standard deviations (within chains) below goes on from the state of the best one, with random
#' numbers of its own; `print()` and `summary()` say how many chains did. The same happens before
#' chains go on, where the means are of all draws. Rhat then says how well the chains mix within
#' the mode that they share. It is silent about modes that only the abandoned chains had found:
#' with `regroup = FALSE`, or where `init` is given, chains stay independent throughout.
#'
#' ## The bare sampler
#' `moves = 0` leaves out of a sweep what this package adds to the samplers of the papers. What is
#' left visits the rows, drawing one entry of the feature matrix after the other and then how many
#' features the row alone has, and draws the loadings or weights where they are kept and the
#' hyperparameters, each given all else. (With [fit_mixed()] rows are visited given the auxiliary
#' variables of its columns, once with all weights integrated out, once given these.) There are no
#' draws of several entries at once and no moves of whole features; chains begin at one random
#' feature, or at `init`, make no search for a start and do not meet. The posterior is the same. It
#' is there to repeat what papers report, and to see what the moves bring: on most data chains of
#' the bare sampler agree much later, or not at all. They go on as others do where `iter` is not
#' given; what helps then is to leave `moves = 0` out. With the sampler `"parallel"` single entries
#' are drawn instead of several at once. The samplers of [fit_nmf()] and [fit_cascade()] have no such
#' moves: there 0 only keeps chains from meeting. In [fit_topics()], where `moves` counts moves of
#' another kind, 0 changes neither the start nor the meeting.
#'
#' @param chains (positive integer) Number of chains. Each has its own stream of random numbers and
#'   its own starting point.
#' @param iter (positive integer or `NULL`) Sweeps of each chain, warm-up included. One sweep visits
#'   every entry of the feature matrix once, and makes the moves of whole features and
#'   hyperparameters. `NULL`: 2000, or more where the data are small, see below.
#' @param warmup (non-negative integer, less than `iter`, or `NULL`) Sweeps at the beginning that
#'   are not kept. `NULL`: half of `iter`, rounded down.
#' @param thin (positive integer or `NULL`) Every `thin`-th sweep is kept. `NULL`: every one where
#'   `iter` is given, otherwise see below.
#' @param cores (positive integer) Threads that run the chains. The result does not depend on it.
#'   With 1, chains run where `future::plan()` says if a plan has been set, on other machines, too:
#'   see [distributed].
#' @param sampler (string or `NULL`) `NULL` is the likelihood's default. [fit_gaussian()] has
#'   `"collapsed"` (normal loadings only), `"uncollapsed"`, and `"slice"` and `"parallel"` (not with
#'   [prior_pibp()]); see there. With `cl` or [row_blocks()] its default is `"parallel"`.
#'   [fit_logistic()] has `"uncollapsed"` and `"neal"`, [fit_choice()] `"uncollapsed"`,
#'   [fit_topics()] `"collapsed"`, [fit_cascade()] `"slice"`, `"multiple_try"` and `"elliptical"`.
#' @param refresh (non-negative integer or `NULL`) The progress bar is redrawn after this many more
#'   sweeps; `NULL`: after a hundredth of `iter`; 0 shows none.
#' @param max_features (positive integer or `NULL`) Most features that the chains may have. The
#'   posterior is then that given that there are no more: every move to more is refused, and all
#'   else, the draws of `alpha` among it, stays as it is. These are the truncated samplers that Reed
#'   and Ghahramani (2013) compare; a sweep costs no more than that many features ask for, which
#'   with real data, that no number of features explains entirely, can be what keeps a chain within
#'   reach. What new rows have besides, in `predict()`, is not limited. `NULL`: as many as the prior
#'   has.
#' @param moves (non-negative integer or `NULL`) 0: the sampler as published, without the moves that
#'   this package adds to it, see below. `NULL`: with them. In [fit_topics()] the number of
#'   Metropolis moves of every document's set of topics a sweep; `NULL` is 1 there.
#' @param regroup (flag) Should chains whose log joint is far below that of the best chain be
#'   restarted from its state, once during the warm-up and again each time that chains are
#'   extended? See below.
#' @param max_iter (positive integer, at least `iter`, or `NULL`) Chains that do not agree go on,
#'   to at most this many sweeps. `NULL`: `iter` where it is given, otherwise see below.
#' @return An object of class `method_gibbs`, for the `method` argument of [fit_gaussian()],
#'   [fit_logistic()], [fit_mixed()], [fit_factor()], [fit_choice()], [fit_nmf()], [fit_topics()]
#'   and [fit_cascade()].
#' @references
#' Reed, C. and Ghahramani, Z. (2013). Scaling the Indian buffet process via submodular
#' maximization. *ICML*. <https://arxiv.org/abs/1304.3285>
#' @examples
#' method_gibbs(chains = 2, iter = 500)
#' method_gibbs(max_features = 10)
#'
#' # as many sweeps as are given, whether chains agree or not, or more as long as they do not
#' x <- block_images(30)
#' fixed <- fit_gaussian(x, method = method_gibbs(2, iter = 50), seed = 1)
#' until <- fit_gaussian(x, method = method_gibbs(2, iter = 50, max_iter = 400), seed = 1)
#' glance(fixed)$rhat_max
#' glance(until)$rhat_max
#' until
#' @export
#' @srrstats {G2.0a, G2.1a} Every argument says how many values of which type it takes, here and in
#'   `?fit_gaussian` in brackets.
#' @srrstats {BS1.3} All parameters of the computation, `init` and `seed` in `?fit_gaussian`.
#' @srrstats {BS1.4} `max_iter` is the limit up to which chains go on until Rhat is below 1.05; the
#'   examples are with and without it.
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

#' How long the chains are
#' @param length What length_of() says of the model.
#' @noRd
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
    method$max_iter <- length$most * method$iter
    method$goes_on_with <- 30
  }
  method
}

#' @srrstats {BS2.6} Warm-up, thinning and lengths must leave draws; counts end at the largest
#'   integer.
#' @noRd
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
  method
}

#' How many draws of a chain are kept
#' @noRd
planned_draws <- function(method) method$iter %/% method$thin - method$warmup %/% method$thin

#' @export
format.method_gibbs <- function(x, ...) {
  sprintf(
    "%s Gibbs: %d chain%s of %s%s%s%s%s",
    x$sampler %||% "default", x$chains, if (x$chains == 1) "" else "s", format_length(x),
    if (!is.null(x$max_features)) sprintf(", at most %d features", x$max_features) else "",
    if (!is.null(x$moves)) format_moves(x$moves) else "",
    if (!x$regroup) ", not regrouped" else "",
    if (is.null(x$doublings) && !is.null(x$max_iter)) format_most(x$max_iter) else ""
  )
}

format_moves <- function(moves) {
  if (moves == 0) return(", no moves")
  sprintf(", %d move%s", moves, if (moves == 1) "" else "s")
}

format_most <- function(max_iter) sprintf(", or up to %d where they do not agree", max_iter)

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
    "%d sweeps (%d warm-up)%s", method$iter, method$warmup,
    if (method$thin > 1) sprintf(", thin %d", method$thin) else ""
  )
}

#' @exportS3Method
#' @noRd
samples.method_gibbs <- function(method) TRUE

#' @exportS3Method
#' @noRd
sharing_rows.method_gibbs <- function(method, model) {
  if (!"parallel" %in% samplers_of(model)) {
    must <- "be NULL with prior_pibp() or `noise = \"column\"`, whose rows are not shared"
    stop_argument("cl", must, was = "a cluster")
  }
  method$sampler <- method$sampler %||% "parallel"
  method
}

#' @exportS3Method
#' @noRd
shares_rows.method_gibbs <- function(method) identical(method$sampler, "parallel")

#' @exportS3Method
#' @noRd
reads_blocks.method_gibbs <- function(method) identical(method$sampler %||% "parallel", "parallel")

#' @exportS3Method
#' @noRd
check_model.method_gibbs <- function(method, model) {
  choose_sampler(choose_moves(choose_length(method, length_of(model)), model), model)
}

choose_moves <- function(method, model) {
  default <- moves_of(model)
  if (is.null(default) && !is.null(method$moves) && method$moves != 0) {
    stop_argument("moves", "be 0 or NULL: only fit_topics() has a number of them", method$moves)
  }
  method["moves"] <- list(method$moves %||% default)
  method
}

#' Does the sampler make none of the moves that this package adds?
#' @noRd
is_bare <- function(method, model) is.null(moves_of(model)) && identical(method$moves, 0L)

#' The sampler that a model will use, by name
#' @noRd
choose_sampler <- function(method, model) {
  samplers <- samplers_of(model)
  sampler <- method$sampler %||% samplers[1]
  if (!sampler %in% samplers) {
    known <- paste(encodeString(samplers, quote = "\""), collapse = ", ")
    must <- if (length(samplers) == 1) paste("be", known) else paste("be one of", known)
    stop_argument("sampler", paste(must, "for this likelihood and prior"), sampler)
  }
  method$sampler <- sampler
  method
}

#' @exportS3Method
#' @noRd
fit_by.method_gibbs <- function(method, model, starts, control) {
  advance_run <- function(run, chains) {
    advance(run, chains, run_sweeps, control$file, control$verbose)
  }
  opened <- open_run(new_run(method, model, starts, control), control$file)
  go_on(advance_run(opened$run, opened$chains), advance_run, control$verbose)
}
