#' Inference by Gibbs sampling
#'
#' Sets how chains are run: their number, their length and their sampler. The result is for the
#' argument `method` of a `fit_*()` function.
#'
#' @details
#' ## How long does it take?
#' By default (`iter = NULL`) 4 chains make 2000 t sweeps each, half of them warm-up, and keep every
#' t-th, so a fit has 4000 draws. If these draws of Z and of the loadings need more than 10 MB, only
#' every second, third and so on is kept, but at least 500 of them; `print()` shows the `thin` that
#' results. With E the number of entries of the data, t is 5000 / E, rounded
#' down, but at least 1 and at most 10: the sweeps of small data are quick but mix no better. E
#' counts
#'
#' | model | E |
#' |---|---|
#' | [fit_gaussian()] | the entries; with nonnegative loadings a quarter of them |
#' | [fit_logistic()] | a quarter of the entries |
#' | [fit_mixed()] | twice the entries |
#' | [fit_factor()] | a fifth of the entries |
#' | [fit_choice()] | the entries of the square matrix of counts |
#' | [fit_topics()] | the tokens |
#'
#' The chains of [fit_nmf()] and [fit_cascade()] make 2000 sweeps if `iter` is `NULL`. (Without
#' `method`, [fit_cascade()] makes 500.)
#'
#' If `iter` is not given and the chains do not agree in the warm-up, the run is extended, to at
#' most 8 times its length and within `max_time`, a minute by default; see [convergence]. `print()`
#' shows how many sweeps were made. The pages of the `fit_*()` functions have measured times.
#'
#' @section The plain Gibbs sampler:
#' `moves = 0` leaves out what this package adds to the published samplers. A sweep then visits the
#' rows and draws one entry of Z after the other, then the number of features that only this row
#' has. After that it draws the loadings or weights, if they are kept, and the hyperparameters, each
#' given everything else. ([fit_mixed()] visits rows given the auxiliary variables of the columns,
#' once with all weights integrated out and once given the weights.) Entries are not drawn jointly,
#' and whole features are not moved. Chains start from one random feature or from `init`, without a
#' search, and stuck chains are not restarted.
#'
#' The posterior is the same. Use it to repeat what papers report, or to see the effect of the extra
#' moves. On most data its chains agree much later or not at all. With the sampler `"parallel"`,
#' `moves = 0` draws entries one by one instead of several jointly. The samplers of [fit_nmf()] and
#' [fit_cascade()] have no extra moves; there 0 only turns off restarts. In [fit_topics()] 0 changes
#' neither the start nor restarts.
#'
#' @param chains (positive integer) Number of chains, 4 by default. Each chain has its own random
#'   numbers and its own starting point.
#' @param iter (positive integer or `NULL`) Number of sweeps of each chain, including the warm-up. A
#'   sweep visits every entry of Z, moves whole features and updates everything else that is
#'   learned. `NULL`, the default, is 2000, or more for small data; see above.
#' @param warmup (non-negative integer less than `iter`, or `NULL`) Number of sweeps at the
#'   beginning that are not kept. `NULL`, the default, is half of `iter`, rounded down.
#' @param thin (positive integer or `NULL`) Every `thin`-th sweep is kept. `NULL`, the default,
#'   keeps every sweep if `iter` is given, and otherwise every t-th, or fewer for large fits; see
#'   above.
#' @param cores (positive integer) Number of threads that run the chains, by default the option
#'   `mc.cores`, or 1. The result does not depend on it. With 1, chains run where `future::plan()`
#'   says, if a plan was set; see [distributed].
#' @param sampler (string or `NULL`) Name of the [sampler][samplers]. `NULL`, the default, is the
#'   first that the list shows for the model:
#'   * [fit_gaussian()]: `"collapsed"` (normal loadings only), `"uncollapsed"`, `"slice"`,
#'     `"parallel"`;
#'   * [fit_logistic()]: `"uncollapsed"`, `"neal"`;
#'   * [fit_cascade()]: `"slice"`, `"multiple_try"`, `"elliptical"`;
#'   * [fit_topics()]: `"collapsed"`; all others: `"uncollapsed"`.
#'
#'   [prior_pibp()] and [prior_attraction()] exclude `"slice"` and `"parallel"`; `noise = "column"`
#'   has only `"uncollapsed"`. With `cl` or [row_blocks()] the default is `"parallel"`.
#' @param refresh (non-negative integer or `NULL`) The progress bar is updated after this many
#'   sweeps. `NULL`, the default, is a hundredth of `iter`; 0 shows no bar.
#' @param max_features (positive integer or `NULL`) Largest number of features that chains may have.
#'   The posterior is then conditional on there being no more, as in the truncated samplers of Reed
#'   and Ghahramani (2013). It limits the cost of a sweep for data that no number of features
#'   explains entirely. The features of new rows in `predict()` are not limited. `NULL`, the
#'   default, is no limit beyond the limit of the prior.
#' @param moves (non-negative integer or `NULL`) 0 leaves out the extra moves of this package; see
#'   The plain Gibbs sampler. `NULL`, the default, includes them; other numbers are an error. In
#'   [fit_topics()] it is the number of Metropolis proposals per sweep for the set of topics of each
#'   document, and `NULL` is 1.
#' @param restart_stuck (flag) Should chains that are far below the best chain restart from its
#'   state, once in each warm-up? `TRUE` by default; see [convergence].
#' @param regroup Deprecated; use `restart_stuck`.
#' @param max_iter (positive integer of at least `iter`, or `NULL`) The run is extended to at most
#'   this many sweeps if the chains do not agree in the warm-up, which must then have at least one
#'   sweep. `NULL`, the default, is `iter` if it is given; see [convergence].
#' @param max_time (positive number or `NULL`) The run is not extended if the extended run would
#'   take more seconds of processor time than this, summed over the threads of this
#'   process and of its child processes. It does not shorten the first run. `NULL`, the default,
#'   is 60 if neither `iter` nor `max_iter` is given, and no limit otherwise. If the limit stops an
#'   extension, the length of the run depends on the machine.
#' @return An object of class `method_gibbs`, for the argument `method` of a `fit_*()` function. It
#'   has methods for `format()` and `print()`.
#' @references Reed, C. and Ghahramani, Z. (2013). Scaling the Indian buffet process via submodular
#'   maximization. *ICML*. <https://arxiv.org/abs/1304.3285>
#' @seealso [convergence], [samplers], [seeds], [checkpoints]
#' @examples
#' method_gibbs(chains = 2, iter = 500)
#' set.seed(1)
#' x <- sim_images(30)
#' # at most two features, where the images have four
#' fit <- fit_gaussian(x, method = method_gibbs(2, 300, max_features = 2), seed = 1)
#' fit
#' # the sampler as published, without the extra moves: it needs longer
#' plain <- fit_gaussian(x, method = method_gibbs(2, 3000, moves = 0), seed = 1)
#' plot(plain, "trace")
#' # exactly 40 sweeps, which end with a warning: the chains do not agree
#' fixed <- fit_gaussian(x, method = method_gibbs(2, iter = 40), seed = 3)
#' # up to 640 sweeps if the chains do not agree in the warm-up
#' until <- fit_gaussian(x, method = method_gibbs(2, iter = 40, max_iter = 640), seed = 3)
#' c(fixed = glance(fixed)$rhat_max, until = glance(until)$rhat_max)
#' @export
method_gibbs <- function(chains = 4, iter = NULL, warmup = NULL, thin = NULL,
                         cores = getOption("mc.cores", 1L), sampler = NULL, refresh = NULL,
                         max_features = NULL, moves = NULL, restart_stuck = TRUE, max_iter = NULL,
                         max_time = NULL, regroup = lifecycle::deprecated()) {
  if (lifecycle::is_present(regroup)) {
    lifecycle::deprecate_soft("0.8.0", "method_gibbs(regroup)", "method_gibbs(restart_stuck)")
    restart_stuck <- regroup
  }
  method <- structure(
    list(
      chains = check_count(chains, "chains"),
      iter = if (!is.null(iter)) check_count(iter, "iter"),
      warmup = if (!is.null(warmup)) check_count(warmup, "warmup", lower = 0),
      thin = if (!is.null(thin)) check_count(thin, "thin"),
      cores = check_count(cores, "cores"),
      sampler = if (!is.null(sampler)) {
        check_choice(check_string(sampler, "sampler"), all_samplers, "sampler")
      },
      refresh = if (!is.null(refresh)) check_count(refresh, "refresh", 0),
      max_features = if (!is.null(max_features)) check_count(max_features, "max_features"),
      moves = if (!is.null(moves)) check_count(moves, "moves", 0),
      restart_stuck = check_flag(restart_stuck, "restart_stuck"),
      max_iter = if (!is.null(max_iter)) check_count(max_iter, "max_iter"),
      max_time = if (is.null(max_time) || identical(max_time, Inf)) {
        max_time
      } else {
        check_positive(max_time, "max_time")
      }
    ),
    class = c("method_gibbs", "buffet_method")
  )
  if (!is.null(iter)) choose_length(method)
  method
}

all_samplers <- c(
  "collapsed", "uncollapsed", "slice", "parallel", "neal", "multiple_try", "elliptical"
)

# Completes the length of the chains where it is not given
# length: The default, list(times, most), from length_for().
choose_length <- function(method, length) {
  is_default <- is.null(method$iter) && is.null(method$max_iter)
  method$max_time <- method$max_time %||% if (is_default) 60 else Inf
  method$thins <- method$thins %||% (is.null(method$iter) && is.null(method$thin))
  if (is.null(method$iter)) {
    method$thin <- method$thin %||% length$times
    method$iter <- 2000L * length$times
    if (is.null(method$max_iter)) {
      most <- if (identical(method$warmup, 0L)) 1L else length$most
      method$max_iter <- most * method$iter
    }
  }
  method$thin <- method$thin %||% 1L
  method$max_iter <- method$max_iter %||% method$iter
  method$warmup <- method$warmup %||% (method$iter %/% 2L)
  method$doublings <- 0L
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

planned_draws <- function(method) method$iter %/% method$thin - method$warmup %/% method$thin

#' @export
format.method_gibbs <- function(x, ...) {
  length <- if (is.null(x$iter)) {
    paste0(
      "2000 sweeps, more for small data",
      if (!is.null(x$warmup)) sprintf(" (%d warm-up)", x$warmup),
      if (!is.null(x$thin)) sprintf(", thin %d", x$thin)
    )
  } else {
    chosen <- choose_length(x)
    paste0(
      sprintf("%s (%d warm-up)", counted(chosen$iter, "sweep"), chosen$warmup),
      if (chosen$thin > 1) sprintf(", thin %d", chosen$thin)
    )
  }
  extended <- is.null(x$doublings) && !is.null(x$max_iter)
  paste0(
    x$sampler %||% "default", " Gibbs: ", counted(x$chains, "chain"), " of ", length,
    if (!is.null(x$max_features)) paste0(", at most ", counted(x$max_features, "feature")),
    if (!is.null(x$moves)) paste(",", if (x$moves == 0) "no moves" else counted(x$moves, "move")),
    if (!x$restart_stuck) ", stuck chains not restarted",
    if (extended) sprintf(", extended to at most %d if the chains do not agree", x$max_iter)
  )
}

#' @exportS3Method
check_model.method_gibbs <- function(method, model) {
  traits <- model$traits
  method <- choose_length(method, length_for(traits$entries))
  if (is.null(traits$moves) && !is.null(method$moves) && method$moves != 0) {
    stop_argument("moves", "be 0 or NULL: only fit_topics() has a number of them", method$moves)
  }
  method["moves"] <- list(method$moves %||% traits$moves)
  sampler <- method$sampler %||% traits$samplers[1]
  if (!sampler %in% traits$samplers) {
    known <- paste(encodeString(traits$samplers, quote = "\""), collapse = ", ")
    be <- if (length(traits$samplers) == 1) "be" else "be one of"
    stop_argument("sampler", paste(be, known, "for this likelihood and prior"), sampler)
  }
  # These samplers store a probability per feature, used or not.
  n <- model$prior$n_features %||% 0
  if (sampler %in% c("slice", "parallel") && n > 1e5) {
    stop_argument("n_features", sprintf("be at most 100000 for sampler = \"%s\"", sampler), n)
  }
  method$sampler <- sampler
  method
}

#' @exportS3Method
# Runs chains, and doubles the warm-up until they agree. The saved draws are made afterwards.
fit_by.method_gibbs <- function(method, model, starts, control) {
  opened <- open_run(new_run(method, model, starts, control), control$file)
  run <- opened$run
  chains <- opened$chains
  before <- NULL
  begun <- proc.time()
  first <- min(sweeps_of_chains(chains))
  repeat {
    done <- run_once(run, chains, control)
    if (!isTRUE(done$too_short)) break
    took <- proc.time() - begun
    longer <- double_length(run$method)
    share <- (longer$iter - first) / max(1L, run$method$warmup - first)
    may_extend <- share * processor_time(took) <= run$method$max_time
    if (control$verbose) {
      message(describe_extension(longer, may_extend, (share - 1) * took[["elapsed"]]))
    }
    chains <- lapply(done$chains, without_draws, run$method, times = if (may_extend) 2L else 1L)
    if (may_extend) run$method <- longer else run$extends <- FALSE
    before <- done
  }
  if (!is.null(before) && !has_draws(done)) done <- before
  done <- limit_size(done)
  with_warning(new_fit_mcmc(done, done$run, run$method$iter))
}

# Bytes of the draws of Z and loadings above which a run of default length is thinned, and the
# number of draws that are kept at least
draws_limit <- list(bytes = 1e7, least = 500)

# Keeps every n-th draw if the draws need too much memory. The result is that of a run with a larger
# `thin`
limit_size <- function(done) {
  method <- done$run$method
  chains <- Filter(Negate(has_failed), done$chains)
  bytes <- sum(vapply(chains, function(chain) {
    sum(as.double(utils::object.size(chain[c("bits", "loadings", "bytes")])))
  }, 0))
  draws <- sum(lengths(lapply(chains, `[[`, "sizes")))
  times <- as.integer(min(ceiling(bytes / draws_limit$bytes), draws %/% draws_limit$least))
  # Draws of a warm-up are all kept.
  if (!method$thins || times <= 1 || !is.null(done$run$warmup)) return(done)
  done$chains <- lapply(done$chains, thin_chain, times, method, done$run$model)
  done$run$method$thin <- times * method$thin
  done
}

thin_chain <- function(chain, times, method, model) {
  if (has_failed(chain)) return(chain)
  sizes <- chain$sizes
  last <- method$warmup %/% method$thin + length(sizes)
  kept <- is_nth(length(sizes), last, times)
  select <- function(values, counts) if (length(values) > 0) values[rep(kept, counts)] else values
  chain$scalars <- chain$scalars[, is_nth(ncol(chain$scalars), last, times), drop = FALSE]
  chain$bits <- select(chain$bits, bytes_of(sizes, model$traits$rows$n))
  chain$loadings <- select(chain$loadings, loading_counts(model, sizes))
  chain$bytes <- select(chain$bytes, chain$byte_counts)
  chain$byte_counts <- select(chain$byte_counts, 1)
  chain$sizes <- sizes[kept]
  chain
}

# Processor seconds, including child processes (NA on Windows)
processor_time <- function(took) sum(took[-3], na.rm = TRUE)

# True for the plain Gibbs sampler, without extra moves
is_bare <- function(method, model) is.null(model$traits$moves) && identical(method$moves, 0L)
