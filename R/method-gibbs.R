#' Inference by Gibbs sampling
#'
#' Specifies how chains are run: their number, length and sampler. By default, 4 chains make 2000
#' sweeps each, or more for small data; half of the sweeps are warm-up.
#'
#' ## Default length
#' Chains make 2000 t sweeps and keep every t-th, where t is 5000 / E, rounded down, but at least 1
#' and at most 10, and E is the number of entries of the data: sweeps are quick for small data but
#' mix no better. For [fit_gaussian()] with nonnegative loadings and for [fit_logistic()], E is a
#' quarter of the number of entries; for [fit_factor()] it is a fifth of this number, for
#' [fit_mixed()] twice this number, and for [fit_topics()] the number of tokens. The length is not
#' adapted for [fit_nmf()] and [fit_cascade()]. [fit_factor()] with [families][factor_families]
#' keeps at most every eighth sweep.
#'
#' If `iter` is not given, E is at most 100,000 and the chains do not agree in the warm-up, the run
#' is extended, to at most 8 times its length and within `max_time`; see [convergence]. If `thin` is
#' not given either and the draws of Z and of the loadings need more than 10 MB, fewer of them are
#' kept, but at least 500. `print()` shows the resulting length and thinning.
#'
#' ## The plain Gibbs sampler
#' `moves = 0` leaves out what this package adds to the published samplers: entries of Z are not
#' drawn jointly, whole features are not moved, chains start from one random feature or from `init`,
#' and stuck chains are not restarted. The posterior is the same. Use it to reproduce the results of
#' papers, or to see the effect of the extra moves. On most data its chains agree much later or not
#' at all.
#'
#' @param chains (positive integer) Number of chains, 4 by default.
#' @param iter (positive integer or `NULL`) Number of sweeps of each chain, including the warm-up.
#'   `NULL`, the default, is 2000, or more for small data; see Details.
#' @param warmup (non-negative integer less than `iter`, or `NULL`) Number of sweeps at the
#'   beginning that are not kept, by default half of `iter`.
#' @param thin (positive integer or `NULL`) Every `thin`-th sweep is kept. `NULL`, the default, is 1
#'   if `iter` is given; see Details.
#' @param cores (positive integer) Number of threads, by default the option `mc.cores` or 1. The
#'   result does not depend on it. See [distributed] for other machines.
#' @param sampler (string or `NULL`) Name of the [sampler][samplers]. `NULL`, the default, is the
#'   default of the model, or `"parallel"` with `cl` or [row_blocks()].
#' @param refresh (non-negative integer or `NULL`) Sweeps between updates of the progress bar; 0
#'   hides it.
#' @param max_features (positive integer or `NULL`) Largest number of features. The posterior is
#'   then conditional on this limit. A limit keeps sweeps fast for data that no number of features
#'   explains entirely.
#' @param moves (non-negative integer or `NULL`) 0 leaves out the extra moves; see Details. `NULL`,
#'   the default, includes them. In [fit_topics()] it is the number of Metropolis proposals per
#'   document and sweep, 1 by default.
#' @param restart_stuck (flag) Restart stuck chains from the state of the best chain? `TRUE` by
#'   default; see [convergence].
#' @param regroup Deprecated; use `restart_stuck`.
#' @param max_iter (positive integer of at least `iter`, or `NULL`) The largest number of sweeps to
#'   which the run is extended if the chains do not agree in the warm-up; by default `iter` if it is
#'   given.
#' @param max_time (positive number or `NULL`) The run is not extended if it would take more seconds
#'   of processor time than this. `NULL`, the default, is 60 if neither `iter` nor `max_iter` is
#'   given, and no limit otherwise.
#' @return An object of class `method_gibbs`, for the argument `method` of a `fit_*()` function.
#' @seealso [convergence], [samplers], [seeds], [checkpoints]
#' @examples
#' method_gibbs(chains = 2, iter = 500)
#' # at most three features
#' fit_gaussian(scale(USArrests), method = method_gibbs(2, 1000, max_features = 3), seed = 1)
#' # exactly 40 sweeps, which end with a warning: the chains do not agree
#' images <- sim_images(30)
#' fixed <- fit_gaussian(images, method = method_gibbs(2, iter = 40), seed = 3)
#' # up to 640 sweeps if the chains do not agree in the warm-up
#' until <- fit_gaussian(images, method = method_gibbs(2, iter = 40, max_iter = 640), seed = 3)
#' c(fixed = glance(fixed)$rhat_max, until = glance(until)$rhat_max)
#' @export
method_gibbs <- function(chains = 4, iter = NULL, warmup = NULL, thin = NULL,
                         cores = getOption("mc.cores", 1L), sampler = NULL, refresh = NULL,
                         max_features = NULL, moves = NULL, restart_stuck = TRUE, max_iter = NULL,
                         max_time = NULL, regroup = lifecycle::deprecated()) {
  if (lifecycle::is_present(regroup)) {
    lifecycle::deprecate_soft("1.0.0", "method_gibbs(regroup)", "method_gibbs(restart_stuck)")
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

# Sets the length of the chains if it was not given
# length: The default length, list(times, most), from length_for().
# thin: The smallest default value of `thin`.
choose_length <- function(method, length, thin = 1L) {
  is_default <- is.null(method$iter) && is.null(method$max_iter)
  method$max_time <- method$max_time %||% if (is_default) 60 else Inf
  method$thins <- method$thins %||% (is.null(method$iter) && is.null(method$thin))
  if (is.null(method$iter)) {
    method$thin <- method$thin %||% max(length$times, thin)
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
    must <- sprintf("be at least the initial number of sweeps (%d)", method$iter)
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
  method <- choose_length(method, length_for(traits$entries), traits$thin)
  if (is.null(traits$moves) && !is.null(method$moves) && method$moves != 0) {
    stop_argument("moves", "be 0 or NULL: only fit_topics() accepts a number", method$moves)
  }
  method["moves"] <- list(method$moves %||% traits$moves)
  sampler <- method$sampler %||% traits$samplers[1]
  if (!sampler %in% traits$samplers) {
    known <- paste(encodeString(traits$samplers, quote = "\""), collapse = ", ")
    be <- if (length(traits$samplers) == 1) "be" else "be one of"
    stop_argument("sampler", paste(be, known, "for this likelihood and prior"), sampler)
  }
  # These samplers store a probability for every feature, used or not.
  n <- model$prior$n_features %||% 0
  if (sampler %in% c("slice", "parallel") && n > 1e5) {
    stop_argument("n_features", sprintf("be at most 100000 for sampler = \"%s\"", sampler), n)
  }
  method$sampler <- sampler
  method
}

#' @exportS3Method
# Runs the chains, doubles the warm-up until they agree, and only then makes the saved draws
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

# If the draws of Z and loadings exceed `bytes`, a run of default length is thinned, but not to
# fewer than `least` saved draws
draws_limit <- list(bytes = 1e7, least = 500)

# Thins the draws if they need too much memory. The result is the same as from a run with a larger
# `thin`.
limit_size <- function(done) {
  method <- done$run$method
  chains <- Filter(Negate(has_failed), done$chains)
  bytes <- sum(vapply(chains, function(chain) {
    sum(as.double(utils::object.size(chain[c("bits", "loadings", "bytes")])))
  }, 0))
  draws <- sum(lengths(lapply(chains, `[[`, "sizes")))
  times <- as.integer(min(ceiling(bytes / draws_limit$bytes), draws %/% draws_limit$least))
  # The draws of a warm-up are never thinned.
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

# Processor time in seconds, including child processes (NA on Windows)
processor_time <- function(took) sum(took[-3], na.rm = TRUE)

# True for the plain Gibbs sampler without extra moves
is_bare <- function(method, model) is.null(model$traits$moves) && identical(method$moves, 0L)
