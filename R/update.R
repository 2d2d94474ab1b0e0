#' Run a fit longer, or again with other arguments
#'
#' Continues the chains of a fit by sampling. If an argument changes the model or the chains, the
#' model is refitted from the start, with a message.
#'
#' ## Continuing chains
#' `iter`, `chains`, `cores`, `refresh`, `verbose`, `file` and `cl` do not change the existing
#' chains. If `chains` is more than the fit has, new ones are started and run as long as the others;
#' they start like the chains of a fit without `init`, and are never restarted from another chain.
#' Without `iter` the chains of the fit keep their length.
#'
#' All draws are kept, and the run is not extended automatically. If you extend a fit until its
#' draws pass a check, you select draws that happen to pass; this matters less in longer runs. See
#' [convergence].
#'
#' ## Refitting from the start
#' All other arguments of the call that made the fit, and of its method, can also be changed. Pass
#' other data as `newdata` or `data`, or by the name of the argument in `fit_*()`. Arguments that
#' are not given keep their values, including the seed. The exception is `init`, which a fit does
#' not store: chains start as they do by default. Each chain first makes as many sweeps as the fit
#' made in total; if `iter` is given, the warm-up is half of it.
#'
#' The data are stored in the fit. For [row_blocks()] only what is needed to read them is stored, so
#' the data must remain available.
#'
#' @param object A fit. A fit by optimisation cannot be continued: it is always refitted, and `iter`
#'   and `chains` are only for another `method`.
#' @param iter (positive integer) Total number of sweeps of each chain, as in [method_gibbs()]: at
#'   least as many as its chains have made (fewer than planned if the fit was interrupted). The
#'   warm-up stays as it was. `iter` can be omitted if another argument is given.
#' @param chains (positive integer or `NULL`) Number of chains. If it is smaller than in the fit,
#'   the first ones are kept; if it is larger, new ones are added. `NULL`: as many as the fit has.
#' @param verbose,file,cl As in [fit_gaussian()]. `file` must not be the file with which `object`
#'   was made: it stores the run of this call.
#' @param cores,refresh As in [method_gibbs()].
#' @param ... Arguments of the call that made the fit, or of its method, by name. Any other argument
#'   is an error.
#' @return A fit of the same class. If chains were continued and the run was not extended (see
#'   [method_gibbs()]), it has the draws of a run of `iter` sweeps from the beginning. If the model
#'   was refitted, it has the draws of `fit_*()` with the same arguments and seed.
#' @examples
#' set.seed(1)
#' fit <- fit_gaussian(sim_images(30), method = method_gibbs(chains = 2, iter = 100), seed = 1)
#' longer <- update(fit, iter = 400)
#' # Rhat is closer to 1
#' glance(fit)$rhat_max
#' glance(longer)$rhat_max
#' # with another prior, the model is refitted from the start
#' update(fit, prior = prior_ibp(alpha = 2), iter = 800, thin = 2)
#' @importFrom stats update
#' @export
update.fit_mcmc <- function(object, iter, verbose = TRUE, file = NULL,
                            cores = getOption("mc.cores", 1L), cl = NULL, chains = NULL,
                            refresh = NULL, ...) {
  if (...length() > 0) {
    of_chains <- c(
      iter = !missing(iter), cores = !missing(cores), cl = !missing(cl),
      chains = !is.null(chains), refresh = !missing(refresh)
    )
    asked <- mget(names(which(of_chains)))
    run <- c(list(verbose = verbose, file = file), asked)
    return(fit_again(object, rlang::enquos(...), run))
  }
  check_format(object)
  if (nargs() == 1) {
    abort_argument(
      "`iter` or another argument must be given: `iter` is the total number of sweeps; any ",
      "argument of ", fit_class(object$internal$model), "() refits the model."
    )
  }
  before <- continued_chains(object)
  if (!is.null(chains)) before <- before[seq_len(check_count(chains, "chains"))]
  method <- object$method
  method$iter <- check_more(iter, object, before)
  method$max_iter <- method$iter
  method$chains <- length(before)
  method$cores <- check_count(cores, "cores")
  if (!is.null(refresh)) method$refresh <- check_count(refresh, "refresh", 0)
  check_flag(verbose, "verbose")
  if (!is.null(file)) file <- check_file(file)
  model <- object$internal$model
  control <- list(
    seed = object$seed, search = model$traits$searches, own_starts = FALSE,
    cl = if (!is.null(cl)) check_cluster(cl, method)
  )
  # The chains continue from their current states.
  run <- new_run(method, model, check_starts(model, NULL, method), control)
  fit <- new_fit_mcmc(run_to_end(run, run_sweeps, file, verbose, before), run)
  with_warning(made_as(fit, object))
}

#' @rdname update.fit_mcmc
#' @export
update.fit_point <- function(object, verbose = TRUE, file = NULL, ...) {
  if (nargs() == 1) {
    abort("give an argument to change: a fit by ", way_of(object$method), " cannot be run longer.")
  }
  changes <- rlang::enquos(...)
  of_chains <- intersect(c("iter", "chains"), names(changes))
  if (!"method" %in% names(changes) && length(of_chains) > 0) {
    text <- "`%1$s` must be left out: a fit by %2$s has no chains. "
    cure <- "For chains pass `method = method_gibbs(%1$s = )`."
    abort_argument(sprintf(paste0(text, cure), of_chains[1], name_of(object$method)))
  }
  fit_again(object, changes, list(verbose = verbose, file = file))
}

check_more <- function(iter, fit, chains) {
  chains <- Filter(Negate(is.null), chains)
  if (is_stopped_within_sweep(chains)) {
    within <- "`object` was interrupted within a sweep and cannot be continued; "
    abort(within, "run it again with a `file`.")
  }
  done <- max(sweeps_of_chains(chains))
  if (missing(iter)) return(done)
  iter <- check_count(iter, "iter")
  if (iter < done) {
    must <- sprintf("be at least %d, the number of sweeps in the fit", done)
    stop_argument("iter", must, iter)
  }
  iter
}

# True if a chain stopped within a sweep, and therefore has no state from which it could continue
is_stopped_within_sweep <- function(chains) {
  any(vapply(chains, function(chain) length(chain$state) == 0, NA))
}

continued_chains <- function(fit) {
  check_format(fit)
  found <- fit$internal
  kept <- dim(found$scalars)[1]
  ends <- cumsum(c(0, loading_counts(found$model, unclass(fit$feature_draws)$sizes)))
  lapply(seq_along(found$chains), function(c) {
    chain <- found$chains[[c]]
    of_chain <- (c - 1) * kept + seq_len(kept)
    draws <- unclass(fit$feature_draws[of_chain])
    from <- ends[(c - 1) * kept + 1]
    own <- if (length(found$draws_loadings)) {
      found$draws_loadings[from + seq_len(ends[c * kept + 1] - from)]
    }
    counts <- if (length(found$byte_counts)) found$byte_counts[of_chain]
    list(
      scalars = chain$scalars, sizes = c(draws$sizes, chain$sizes),
      bits = c(draws$bits, chain$bits), loadings = c(own, chain$loadings),
      bytes = c(select_bytes(fit, of_chain), chain$bytes),
      byte_counts = c(counts, chain$byte_counts), state = chain$state, failure = "",
      regrouped = chain$regrouped, moves = chain$moves
    )
  })
}

# quosures: Arguments of the fit that change.
# run: Arguments of the run that change, by name.
fit_again <- function(fit, quosures, run) {
  check_format(fit)
  by <- fit_class(fit$internal$model)
  make <- get(by, mode = "function")
  data <- names(formals(make))[1]
  quosures <- name_changes(quosures, by, data)
  changes <- evaluate_changes(fit, quosures, data)
  given <- c(run, changes)
  own <- given[names(given) %in% names(formals(make))]
  of_method <- given[setdiff(names(given), names(own))]
  method <- if (is.null(own$method)) as_given(fit) else check_method(own$method)
  unknown <- setdiff(names(of_method), names(formals(class(method)[1])))
  if (length(unknown) > 0) {
    known <- c(names(formals(make)), names(formals(class(method)[1])))
    stop_extra(unknown[1], sprintf("%s() or %s", by, name_of(method)), known)
  }
  arguments <- c(stats::setNames(list(fit$data), data), fit$args, list(seed = fit$seed))
  arguments[names(own)] <- own
  if (data %in% names(own) && is.numeric(fit$args$weights) && !"weights" %in% names(own)) {
    abort_argument(
      "`weights` must be given with new data: the weights of the fit belong to its rows."
    )
  }
  if (is.null(arguments$weights)) arguments$weights <- NULL
  arguments$method <- change_method(method, of_method)
  if (check_flag(run$verbose, "verbose") && length(changes) > 0) {
    message("Refitting from the start with new ", enumerate(sprintf("`%s`", names(changes))), ".")
  }
  again <- do.call(make, arguments, quote = TRUE)
  of_make <- quosures[names(quosures) %in% names(formals(make))]
  again$call <- change_call(fit, of_make, arguments$method)
  again
}

# The call that reproduces a refit
# given: Quosures of the changed arguments.
# method: The method of the refit.
change_call <- function(fit, given, method) {
  # The refit does not use the start of the earlier fit.
  fit$call$init <- NULL
  call <- rlang::call_modify(fit$call, !!!lapply(given, rlang::quo_get_expr))
  method <- method_call(method)
  if (identical(method, method_call(fit$args$method %||% fit$method))) return(call)
  rlang::call_modify(call, method = method)
}

# The call that makes a method, without arguments that have their default values
method_call <- function(method) {
  usual <- do.call(class(method)[1], list())
  if (samples(method) && !is.null(method$iter)) {
    method <- choose_length(method)
    usual$iter <- method$iter
    usual <- choose_length(usual)
    usual$iter <- NULL
  }
  fields <- method_arguments(method)
  changed <- !mapply(identical, fields, unclass(usual)[names(fields)])
  rlang::call2(class(method)[1], !!!fields[changed])
}

# Evaluates the changed arguments; as in fit_mixed(), `weights` may name a column of the data
evaluate_changes <- function(fit, quosures, data) {
  by_rows <- inherits(fit, c("fit_mixed", "fit_logistic")) && "weights" %in% names(quosures)
  changes <- lapply(quosures[setdiff(names(quosures), if (by_rows) "weights")], rlang::eval_tidy)
  if (!by_rows) return(changes)
  c(changes, list(weights = evaluate_weights(quosures$weights, changes[[data]] %||% fit$data)))
}

# Names the changes as in the call. The data may also be given by a name that other packages use.
name_changes <- function(changes, by, data) {
  names <- names(changes) %||% rep("", length(changes))
  if (!all(nzchar(names))) {
    abort_argument("Further arguments must be named, as in ", by, "() or its method.")
  }
  others <- names %in% c("newdata", "data")
  of_data <- names[others | names == data]
  if (length(of_data) > 1) {
    stop_argument(data, "be given once", was = enumerate(sprintf("`%s`", of_data)))
  }
  stats::setNames(changes, replace(names, others, data))
}

# The method of the fit, with the sampler and the moves as given rather than chosen by the model
as_given <- function(fit) {
  method <- fit$method
  chosen <- c("sampler", "moves")
  if (samples(method)) method[chosen] <- unclass(fit$args$method)[chosen]
  method
}

# A method with changed arguments, which are checked as in a direct call. If the length of the
# chains changes, the default warm-up changes as well.
change_method <- function(method, changes) {
  if ("iter" %in% names(changes)) method[c("warmup", "max_iter", "max_time")] <- NULL
  fields <- method_arguments(method)
  fields[names(changes)] <- changes
  do.call(class(method)[1], fields, quote = TRUE)
}
