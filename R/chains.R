# Diagnostics of the agreement between the chains of a fit, and advice if they disagree.

# Largest Rhat at which chains count as agreeing. It is higher at the end of a warm-up, where fewer
# draws are compared.
most_rhat <- c(reported = 1.05, warmup = 1.1)

# Smallest effective sample size: an absolute number for a reported mean, and a share of the draws
# for a warm-up
least_ess <- c(reported = 400, warmup = 0.025)

# Describes how the chains disagree.
# rhat: Rhat of every scalar, from scalar_rhats().
# Returns `NULL` if the chains agree, if there is only one chain, or for a fit by optimisation.
# Otherwise returns a list: `rhat`, the values above 1.05 in decreasing order; `best`, the chain
# with the highest mean log joint; `lead`, the difference between its mean log joint and the lowest
# mean; and `apart`, true if `lead` is more than two within-chain standard deviations.
disagreement <- function(fit, rhat = scalar_rhats(fit)) {
  if (inherits(fit, "fit_point")) return(NULL)
  rhat <- sort(rhat[rhat > most_rhat[["reported"]]], decreasing = TRUE)
  if (length(rhat) == 0) return(NULL)
  means <- mean_log_joints(fit)
  lead <- max(means) - min(means)
  within <- sqrt(mean(apply(chain_values(fit, "log_joint"), 2, stats::var)))
  list(rhat = rhat, best = which.max(means), lead = lead, apart = lead > 2 * within)
}

scalar_rhats <- function(fit) {
  vapply(scalar_names(fit), function(name) rhat_of(chain_values(fit, name)), 0)
}

# Bulk effective sample sizes, NA for scalars whose draws are all equal or fewer than four. The
# warning that posterior gives when it caps a size is suppressed, because a capped size is far above
# all limits.
scalar_ess <- function(fit) {
  suppressWarnings(
    vapply(scalar_names(fit), function(name) posterior::ess_bulk(chain_values(fit, name)), 0)
  )
}

# Saved draws of a scalar as a matrix, draws x chains
chain_values <- function(fit, name) {
  matrix(fit$internal$scalars[, , name], dim(fit$internal$scalars)[1], dim(fit$internal$scalars)[2])
}

mean_log_joints <- function(fit) colMeans(chain_values(fit, "log_joint"))

# Rhat, or NA for one chain, for fewer than four draws, and if all draws are equal. It is infinite
# if every chain is stuck at one value and the values differ; posterior can return NA in this case.
rhat_of <- function(values) {
  if (ncol(values) == 1 || nrow(values) < 4) return(NA_real_)
  each <- apply(values, 2, function(v) length(unique(v)))
  if (all(each == 1) && length(unique(values[1, ])) > 1) return(Inf)
  posterior::rhat(values)
}

# Lists at most four scalars by their plain names, the most familiar first
# of: A named number for each scalar; if `told`, the names are followed by the numbers in brackets.
enumerate_scalars <- function(of, told = FALSE) {
  plain <- c(
    n_features = "the number of features", n_layers = "the number of layers",
    sigma_x = "the noise", log_joint = "the log joint"
  )
  first <- intersect(names(plain), names(of))
  shown <- c(plain[first], stats::setNames(nm = setdiff(names(of), first)))
  if (told) shown[] <- sprintf("%s (%.0f)", shown, of[names(shown)])
  if (length(shown) > 4) shown <- c(shown[1:3], sprintf("%d more", length(shown) - 3))
  enumerate(shown)
}

# A sentence that names the scalars on which the chains disagree
describe_difference <- function(found) {
  worst <- found$rhat[[1]]
  sprintf(
    "The chains %s %s (Rhat %s%s, above %s).",
    if (found$apart) "are separated in" else "do not yet agree on", enumerate_scalars(found$rhat),
    if (worst > 10) "" else "up to ", format_rhat(worst),
    most_rhat[["reported"]]
  )
}

# Rhat with two decimals, or with three if rounding to two would hide that it is above 1.05
format_rhat <- function(rhat) {
  known <- !is.na(rhat)
  most <- most_rhat[["reported"]]
  hidden <- known & rhat > most & round(rhat, 2) <= most
  ifelse(known & rhat > 10, "> 10", fixed(rhat, ifelse(hidden, 3, 2)))
}

enumerate <- function(items) paste(cli::ansi_collapse(items, last = " and "))

# Text for warnings and print(): how the chains differ, and what to do about each cause
describe_cause <- function(fit, found) {
  starts <- is.null(fit$prior$z)
  advice <- if (starts && is_bare(fit$method, fit$internal$model)) {
    "Turn the extra moves on: `update(fit, moves = NULL)`."
  } else {
    separated <- if (found$apart && starts) advise_separated(fit)
    c(sprintf("Run longer: `update(fit, iter = %.0f)`.", 2 * fit$method$iter), separated)
  }
  best <- if (found$apart) {
    lead <- format(signif(found$lead, 3), scientific = FALSE)
    text <- "Chain %d has the highest log joint, on average %s nats above the lowest chain."
    sprintf(text, found$best, lead)
  }
  paste(c(describe_difference(found), best, advice), collapse = " ")
}

advise_separated <- function(fit) {
  other <- other_noise(fit)
  paste0(
    "If that does not help, restart all chains from the best one: ",
    "`update(fit, init = best_chain(fit))` (agreement is then weaker evidence)",
    if (!is.null(other)) sprintf(", or change the model: `update(fit, %s)`", other), "."
  )
}

# The argument that selects another noise model, under which chains may agree, or NULL
other_noise <- function(fit) {
  model <- fit$internal$model
  ours <- inherits(fit, "fit_gaussian") && samples(fit$method) &&
    fit$method$sampler %in% c("collapsed", "uncollapsed")
  if (ours && model$noise == "common" && model$loadings == "normal" && !isS4(model$data$x) &&
    ncol(model$data$x) > 1) {
    "noise = \"column\""
  }
}

# For chains that agree, or for a single chain: names the scalars with few effective draws, and the
# number of sweeps that may be enough.
# rhat: Rhat of every scalar, from scalar_rhats().
describe_settled <- function(fit, rhat) {
  rhat <- max(-Inf, rhat, na.rm = TRUE)
  ess <- scalar_ess(fit)
  ess <- ess[!is.na(ess)]
  if (length(ess) == 0) return(NULL)
  agree <- if (is.finite(rhat)) sprintf("The chains agree (Rhat at most %s", format_rhat(rhat))
  few <- sort(ess[ess < least_ess[["reported"]]])
  if (length(few) == 0) {
    enough <- sprintf("at least %.0f effective draws", min(ess))
    if (is.null(agree)) return(paste0("One chain with ", enough, "."))
    return(paste0(agree, "; ", enough, ")."))
  }
  longer <- 2^ceiling(log2(least_ess[["reported"]] / few[[1]])) * fit$method$iter
  wrap_code(paste0(
    if (is.null(agree)) "One chain with" else paste0(agree, "), but there are"),
    " few effective draws of ", enumerate_scalars(few, told = TRUE), ". ",
    sprintf("Run longer: `update(fit, iter = %.0f)`.", longer)
  ))
}

describe_restarted <- function(fit) {
  restarted <- vapply(fit$internal$chains, function(chain) isTRUE(chain$regrouped), NA)
  if (!any(restarted) || length(restarted) == 1) return(NULL)
  # When a warm-up is extended, a different chain can be restarted each time.
  if (all(restarted)) {
    return("Every chain was restarted from a better one during warm-up.")
  }
  sprintf(
    "%d of %d chains %s restarted from a better one during warm-up.", sum(restarted),
    length(restarted), if (sum(restarted) == 1) "was" else "were"
  )
}

# The width to pass to strwrap(), which makes lines shorter than this argument
text_width <- function() getOption("width") + 1

# Wraps text at the option `width` without breaking lines within code. Texts contain no tilde.
wrap_code <- function(text) {
  parts <- strsplit(text, "`", fixed = TRUE)[[1]]
  code <- seq_along(parts) %% 2 == 0
  parts[code] <- gsub(" ", "~", parts[code], fixed = TRUE)
  gsub("~", " ", wrap_text(paste(parts, collapse = "`")), fixed = TRUE)
}

# Wraps text at the option `width` without breaking lines before a per-cent sign
wrap_text <- function(text) {
  lines <- strwrap(gsub(" %", "~%", text, fixed = TRUE), text_width(), exdent = 2)
  gsub("~%", " %", lines, fixed = TRUE)
}

warn_of_difference <- function(fit, found = disagreement(fit)) {
  if (is.null(found)) return(invisible())
  warning(warningCondition(describe_cause(fit, found), class = "buffet_rhat_warning"))
}

# Warns if the chains of a completed run disagree; an interrupted run gives its own warning
with_warning <- function(fit) {
  if (is.null(fit$internal$planned)) warn_of_difference(fit)
  fit
}

# Runs chains until the end of the run, the end of a warm-up in which they do not agree, or an
# interrupt
run_once <- function(run, chains, control) {
  method <- run$method
  report <- reporter(method, control$verbose)
  sweep <- function(run, chains) advance(run, chains, run_sweeps, control$file, report)
  may_extend <- method$chains > 1 && method$warmup > 0 && method$iter <= method$max_iter %/% 2L &&
    !isFALSE(run$extends)
  if (!may_extend || any(sweeps_of_chains(chains) > method$warmup)) return(sweep(run, chains))
  # The draws in the last two fifths of the warm-up, after the restart of stuck chains, are kept to
  # decide whether the warm-up is long enough.
  part <- run
  part$warmup <- part$method$iter <- method$warmup
  part$method$warmup <- method$warmup %/% 5L * 3L
  warm <- sweep(part, chains)
  alive <- Filter(Negate(has_failed), warm$chains)
  if (length(alive) == 0 || min(sweeps_of_chains(alive)) < method$warmup) return(warm)
  warm$too_short <- must_extend(part, alive)
  if (warm$too_short) return(warm)
  done <- sweep(run, lapply(warm$chains, without_draws, method))
  if (has_draws(done)) done else warm
}

# True if the warm-up that has just ended is too short. Only the warm-up determines whether the run
# is doubled, so doubling does not select among saved draws.
must_extend <- function(run, chains) {
  # Chains read from a file may no longer have the draws of their warm-up.
  n <- min(vapply(chains, function(chain) ncol(chain$scalars), 1L), planned_draws(run$method))
  if (n < 4) return(TRUE)
  scalars <- scalar_array(lapply(chains, replace, "sizes", list(integer(n))), n, warmup = FALSE)
  fit <- new_fit(run$model, run$method, "fit_mcmc", NULL, NULL, scalars = scalars)
  any(scalar_rhats(fit) > most_rhat[["warmup"]], na.rm = TRUE) ||
    any(scalar_ess(fit) < least_ess[["warmup"]] * prod(dim(scalars)[1:2]), na.rm = TRUE)
}

double_length <- function(method) {
  lengths <- c("iter", "warmup", "thin")
  method[lengths] <- lapply(method[lengths], function(n) 2L * n)
  method$doublings <- method$doublings + 1L
  method
}

# Drops the draws of a chain's warm-up, and keeps every `times`-th value of its scalars. Returns
# NULL for a failed chain, which then starts again and fails again.
without_draws <- function(chain, method, times = 1L) {
  if (has_failed(chain)) return(NULL)
  none <- c("sizes", "bits", "loadings", "bytes", "byte_counts")
  chain[none] <- lapply(chain[none], `[`, 0)
  last <- sweeps_of_chains(list(chain)) %/% method$thin
  chain$scalars <- chain$scalars[, is_nth(ncol(chain$scalars), last, times), drop = FALSE]
  chain
}

# True for every `times`-th of the n consecutive records that end with record number `last`
is_nth <- function(n, last, times) (last - rev(seq_len(n)) + 1L) %% times == 0

has_failed <- function(chain) nzchar(chain$failure)

has_draws <- function(done) {
  any(vapply(done$chains, function(chain) length(chain$sizes) > 0 || has_failed(chain), NA))
}

# Message at the end of a warm-up that is too short.
# longer: The method with twice as many sweeps.
# left: Estimated time, in seconds, for the rest of the extended run.
describe_extension <- function(longer, may_extend, left) {
  text <- sprintf("The chains have not settled after %d sweeps of warm-up", longer$warmup %/% 2L)
  if (!may_extend) return(sprintf("%s: extending it would exceed `max_time`.", text))
  to <- ": extending it to %d of %d sweeps (about %s more)."
  sprintf(paste0(text, to), longer$warmup, longer$iter, format_time(left))
}

# Number of sweeps that each chain has completed: the first integer of its state, or 0 if it has no
# state
sweeps_of_chains <- function(chains) {
  vapply(chains, function(chain) {
    if (length(chain$state) > 0) readBin(chain$state, "integer") else 0L
  }, 0L)
}

format_time <- function(seconds) {
  unit <- findInterval(seconds, c(90, 5400)) + 1
  sprintf("%.0f %s", ceiling(seconds / c(1, 60, 3600)[unit]), c("s", "min", "h")[unit])
}

#' The best chain of a fit
#'
#' If the chains of a fit are stuck in different modes, `best_chain()` picks the chain whose draws
#' have the highest mean `log_joint`. All chains of another run can start from it.
#'
#' If one chain has found what the others have missed, all of them can continue from there. If they
#' then agree, this is no evidence of convergence: chains that start in the same mode agree with
#' each other by construction, whether or not there are other modes. If there are, the intervals of
#' such a fit are too narrow. When you report its results, say that the chains had a common start.
#' The mode with the higher density need not have the larger posterior mass.
#'
#' @param fit A fit by sampling, that is, with [method_gibbs()]. A fit by optimisation raises an
#'   error.
#' @return A fit of the same class that contains only this chain. If it is passed as `init` to the
#'   same `fit_*()` function, all chains start at its last draw (for [fit_nmf()] at its most
#'   probable draw): at the features of that draw and at every learned value that `init` can set.
#'   Fits with known features ([prior_fixed()]) cannot be used in this way, because they do not
#'   accept `init`.
#' @seealso [summary()][summary.fit_mcmc], which reports whether the chains agree; [plot(fit,
#'   "chains")][plot.buffet_fit], which shows where they differ; [update()][update.fit_mcmc], for
#'   chains that are merely slow.
#' @examples
#' # the warning and print() say that the chains are separated and which one is best
#' fit <- fit_gaussian(scale(iris[, 1:4]), method = method_gibbs(chains = 4, iter = 200), seed = 1)
#' fit
#' # which features each chain has found; the chain with the best mean log joint is at the top
#' plot(fit, "chains")
#' # start all chains where the best chain ended; in practice, also run them longer
#' update(fit, init = best_chain(fit), seed = 2)
#' @export
best_chain <- function(fit) {
  if (inherits(fit, "fit_point")) stop_no_sampling(fit, "fit")
  if (!inherits(fit, "fit_mcmc")) stop_no_fit(fit)
  best <- continued_chains(fit)[which.max(mean_log_joints(fit))]
  of_one <- list(model = fit$internal$model, method = fit$method)
  made_as(new_fit_mcmc(list(chains = best, seed = fit$seed), of_one), fit)
}

#' Acceptance rates of the extra moves of a fit
#'
#' Besides drawing the entries of the feature matrix Z row by row, sweeps propose to change whole
#' features. `acceptance()` returns how often each of these moves was tried and accepted in the
#' sweeps after the warm-up. A move that is hardly ever accepted does not help the chains to mix.
#'
#' An attempt counts as accepted if it changes the features or, in `rotation`, only their loadings.
#' The moves are:
#'
#' * `exclusive-or` ([fit_gaussian()] with normal loadings, [fit_logistic()], [fit_mixed()]): one
#'   feature is replaced by its exclusive-or with another.
#' * `split-merge` (the same fits, and [fit_gaussian()] with nonnegative loadings): a feature is
#'   split in two, or two are merged. With nonnegative loadings, no row has both of these features.
#' * `separate-share` ([fit_gaussian()] with nonnegative loadings, or with at most 20 rows): the
#'   rows that have both features of a pair get their own feature instead, or the reverse.
#' * `duplicate-unite` ([fit_gaussian()] with nonnegative loadings and at most 20 rows): a feature
#'   is split into two with the same rows, whose loadings add up to the original ones, or the
#'   reverse.
#' * `birth-death` ([fit_gaussian()] with `noise = "column"`, [fit_logistic()], [fit_mixed()],
#'   [fit_choice()]): a feature drawn from the prior is added, or one is removed.
#' * `complement` ([fit_logistic()] and [fit_mixed()] with biases): a feature is replaced by its
#'   complement.
#' * `entries` ([fit_factor()]): an entry of Z is redrawn with the loadings of its feature, or of
#'   all features, integrated out.
#' * `rotation` ([fit_factor()] with normal weights): the loadings of two features are rotated.
#' * `exchange` ([fit_choice()]): an item exchanges its own weight for a feature that other items
#'   have, or the reverse.
#' * `unite-divide` ([fit_choice()]): two features without common items become one, or the reverse.
#' * `copies` and `held by all` ([fit_choice()]): the number of features with exactly the same
#'   items, or with all items, is redrawn.
#' * `topics` ([fit_topics()]): the set of topics of a document changes.
#'
#' There are no extra moves in plain Gibbs samplers (`method_gibbs(moves = 0)`), with known features
#' ([prior_fixed()]), in the samplers `"neal"` and `"parallel"`, and in [fit_nmf()] and
#' [fit_cascade()].
#'
#' The counts include the sweeps of [update()][update.fit_mcmc] and of resumed runs. They do not
#' include the warm-up, so they are 0 if the run was interrupted during the warm-up.
#'
#' @param fit A fit by sampling, that is, with [method_gibbs()]. A fit by optimisation raises an
#'   error.
#' @return A tibble with a row per chain and move, in the order of a sweep, and the columns `chain`,
#'   `move`, `tried`, `accepted` and `share`, which is `accepted / tried`, or `NA` if the move was
#'   never tried. It has no rows if there are no extra moves.
#' @seealso [summary()][summary.fit_mcmc], which names moves that were tried at least 1,000 times
#'   and never accepted; [convergence]; [samplers]
#' @examples
#' set.seed(1)
#' fit <- fit_gaussian(sim_images(30), method = method_gibbs(chains = 2, iter = 1000), seed = 1)
#' acceptance(fit)
#' @export
acceptance <- function(fit) {
  if (inherits(fit, "fit_point")) stop_no_sampling(fit, "fit")
  if (!inherits(fit, "fit_mcmc")) stop_no_fit(fit)
  check_format(fit)
  of_chains <- lapply(fit$internal$chains, `[[`, "moves")
  moves <- do.call(rbind, of_chains)
  tried <- moves[, 1]
  tibble::tibble(
    chain = rep(seq_along(of_chains), vapply(of_chains, nrow, 1L)),
    move = rownames(moves) %||% character(), tried = unname(tried), accepted = unname(moves[, 2]),
    share = unname(ifelse(tried > 0, moves[, 2] / tried, NA_real_))
  )
}

# A sentence about moves that were tried at least 1,000 times and never accepted, or NULL if there
# are no such moves
describe_never_accepted <- function(fit) {
  moves <- acceptance(fit)
  total <- function(counts) tapply(counts, factor(moves$move, unique(moves$move)), sum)
  tried <- total(moves$tried)
  never <- tried[tried >= 1000 & total(moves$accepted) == 0]
  if (length(never) == 0) return(NULL)
  shown <- enumerate(sprintf("%s (%.0f tries)", names(never), never))
  sprintf("Moves that were never accepted: %s; see `acceptance()`.", shown)
}
