#' @export
format.buffet_fit <- function(x, ...) {
  check_format(x)
  if (inherits(x, "fit_point")) return(describe_fit(x, NULL))
  rhat <- scalar_rhats(x)
  found <- disagreement(x, rhat)
  c(describe_fit(x, found), if (is.null(found)) describe_settled(x, rhat))
}

# found: The result of disagreement(), which computes the Rhat of every scalar.
describe_fit <- function(fit, found, cause = !is.null(found)) {
  model <- fit$internal$model
  prior <- if (inherits(fit, "fit_nmf")) {
    rates <- c(format_rate(model$rate_w), format_rate(model$rate_a))
    paste0("Prior: weights ~ ", rates[1], ", loadings ~ ", rates[2])
  } else {
    lines <- format(model$prior)
    paste0(c("Prior: ", rep("       ", length(lines) - 1)), lines)
  }
  interrupted <- if (isFALSE(fit$internal$finished)) " (interrupted)"
  method <- paste0("Method: ", format(fit$method), interrupted)
  c(
    describe_data(fit), prior, method, describe_interrupt(fit), describe_result(fit, found),
    describe_restarted(fit), if (cause) wrap_code(describe_cause(fit, found))
  )
}

describe_interrupt <- function(fit) {
  planned <- fit$internal$planned
  if (is.null(planned)) return(NULL)
  next_step <- if (is_stopped_within_sweep(fit$internal$chains)) {
    "Run it again with a `file`, from which it can be resumed."
  } else {
    sprintf("To complete the run: `update(fit, iter = %d)`.", planned)
  }
  text <- sprintf("Interrupted after %d of %d sweeps.", fit$method$iter, planned)
  wrap_code(paste(text, next_step))
}

describe_data <- function(fit) UseMethod("describe_data")

describe_result <- function(fit, found) UseMethod("describe_result")

#' @exportS3Method
describe_result.fit_mcmc <- function(fit, found) {
  c(describe_model_size("Features:", fit, "n_features", found), describe_misfit(fit, found))
}

# Thresholds that indicate a property that varies in degree, which can be divided into binary
# features in many ways. In such cases, the point estimate has as many features as the data have
# columns (and more than `few`), or its features differ from draw to draw: no feature occurs in a
# share `draws` of the draws, or fewer than half of the features do. The latter condition ignores
# features that occur in few draws and in few rows (fewer than `rows`, or less than a share `rare`),
# because their number depends mostly on the prior.
misfit <- c(few = 3, draws = 0.9, rows = 3, rare = 0.05)

# A sentence that describes such a misfit and suggests what to try, or NULL
describe_misfit <- function(fit, found = NULL) {
  n <- point_size(fit)
  if (n < 2 || !is.null(fit$prior$z) || inherits(fit, "fit_choice")) return(NULL)
  columns <- ncol(model_data(fit))
  reason <- if (n > misfit[["few"]] && n >= columns) {
    sprintf("%d features for %d column%s", n, columns, if (columns == 1) "" else "s")
  } else {
    describe_changing(fit, found)
  }
  if (is.null(reason)) return(NULL)
  other <- by_degrees(fit)
  text <- "Presence or absence may not describe these data well (%s)%s."
  wrap_code(sprintf(text, reason, if (is.null(other)) "" else paste(": try", other)))
}

describe_changing <- function(fit, found) {
  shares <- chain_shares(fit)
  if (is.null(shares)) return(NULL)
  if (!is.null(found)) shares <- shares[, found$best, drop = FALSE]
  recurs <- rowMeans(shares) >= misfit[["draws"]]
  small <- colSums(fit$features) < max(misfit[["rows"]], misfit[["rare"]] * nrow(fit$features))
  if (any(recurs) && sum(recurs) >= sum(recurs | !small) / 2) return(NULL)
  text <- "features in at least %.0f %% of the draws: %d of %d"
  sprintf(text, 100 * misfit[["draws"]], sum(recurs), length(recurs))
}

# Suggests models for properties that vary in degree, or fewer features; NULL for categories alone
by_degrees <- function(fit) {
  x <- model_data(fit)
  model <- fit$internal$model
  if (inherits(fit, "fit_logistic")) return("`fit_factor()` with `families = \"ordinal\"`")
  if (inherits(fit, "fit_mixed")) {
    numeric <- vapply(model$data$columns, function(column) is.null(column$levels), NA)
    return(if (any(numeric)) "`fit_factor()`")
  }
  # These models accept neither sparse matrices nor row_blocks().
  if (!is.matrix(x)) return("`max_features`")
  if (model$loadings == "nonnegative") return("`fit_nmf()`")
  other <- other_noise(fit)
  paste0("`fit_factor()`", if (!is.null(other)) sprintf(" or `%s`", other))
}

describe_matrix <- function(x) {
  missing <- prod(dim(x)) - count_observed(x)
  entries <- if (missing == 1) "entry" else "entries"
  paste0(describe_size(x), if (missing > 0) sprintf(" (%.0f %s missing)", missing, entries))
}

# The most frequent sizes of the model among the draws that can be the point estimate. If no size
# has half of the draws, an interval is given.
describe_model_size <- function(title, fit, name, found) {
  trusted <- trusted_draws(fit, found)
  n <- scalar(fit, name)[trusted]
  of <- c("of the draws", if (length(trusted) < length(fit$feature_draws)) "in the best chain")
  told <- if (max(table(n)) >= length(n) / 2) {
    c(describe_counts(n), of)
  } else {
    ends <- size_interval(n)
    most <- sort(table(n) / length(n), decreasing = TRUE)[1]
    text <- "%.0f to %.0f in 90 %% %s, most often %s (%.0f %%)"
    sprintf(text, ends[1], ends[2], paste(of, collapse = " "), names(most), 100 * most)
  }
  wrap_text(paste(c(title, told), collapse = " "))
}

size_interval <- function(n) stats::quantile(n, c(0.05, 0.95), type = 1, names = FALSE)

# The most frequent counts with their posterior probabilities, omitting those that round to 0 %
describe_counts <- function(n) {
  share <- sort(table(n) / length(n), decreasing = TRUE)
  share <- share[round(100 * share) > 0]
  shown <- share[seq_len(min(4, length(share)))]
  text <- sprintf("%s (%.0f %%)", names(shown), 100 * shown)
  paste0(paste(text, collapse = ", "), if (length(share) > 4) ", ...")
}

#' @importFrom utils str
#' @export
str.buffet_fit <- function(object, max.level = NA, give.attr = FALSE, nest.lev = 0, ...) {
  # When a list contains the fit, str() passes on the `max.level` of the list, which is `NA`.
  if (missing(max.level) || (is.na(max.level) && nest.lev > 0)) max.level <- nest.lev + 1
  str(unclass(object), max.level = max.level, give.attr = give.attr, nest.lev = nest.lev, ...)
}

#' @export
print.buffet_fit <- function(x, ...) {
  cat(format(x), sep = "\n")
  sizes <- colSums(x$features)
  if (length(sizes) == 0) cat(describe_none(x), "\n", sep = "")
  if (length(sizes) > 0) {
    shown <- first_of(sizes, names(sizes))
    side <- sub("^(.)", "\\U\\1", traits_of(x)$side, perl = TRUE)
    cat_wrapped(paste0(side, "s that have each feature of the point estimate: "), shown)
    print_stability(x)
  }
  invisible(x)
}

print_stability <- function(fit) {
  found <- stability(fit)
  if (is.null(found)) return(invisible())
  few <- utils::head(which(found$chains > 0 & found$chains < nchains(fit)), 5)
  missing <- sprintf("%s in %d", colnames(fit$features)[few], found$chains[few])
  shown <- toString(first_of(whole_per_cent(found$stability)))
  if (length(few) > 0) {
    shown <- sprintf("%s (%s of %d chains)", shown, toString(missing), nchains(fit))
  }
  cat_wrapped("Share of the draws that have it: ", shown)
  print_still(fit)
}

# A note if no chain changed Z after the warm-up, judging by the numbers of features and ones
print_still <- function(fit) {
  counts <- intersect(c("n_features", "n_ones"), dimnames(fit$internal$scalars)[[3]])
  of_chains <- fit$internal$scalars[, , counts, drop = FALSE]
  if (dim(of_chains)[1] < 4 || length(counts) < 2) return(invisible())
  if (!all(apply(of_chains, 2:3, function(n) all(n == n[1])))) return(invisible())
  cat(wrap_code(paste(
    "Z is the same in all draws of each chain: either it is certain, or the chains are stuck.",
    "Compare with a fit that has a different `seed`."
  )), sep = "\n")
}

no_feature_text <- "The point estimate has no feature."

describe_none <- function(fit) {
  some <- mean(unclass(fit$feature_draws)$sizes > 0)
  if (round(100 * some) == 0) return(no_feature_text)
  sub(".", sprintf(", but %.0f %% of the draws have at least one.", 100 * some), no_feature_text,
    fixed = TRUE
  )
}

first_of <- function(values, names = NULL) {
  shown <- c(utils::head(values, 10), if (length(values) > 10) "...")
  if (is.null(names)) return(shown)
  of <- paste(shorten(unique(names[c(1, length(names))]), 20), collapse = " to ")
  shown[length(shown)] <- sprintf("%s (%s)", shown[length(shown)], of)
  shown
}

cat_wrapped <- function(title, items) {
  cat(wrap_text(paste0(title, paste(items, collapse = ", "))), sep = "\n")
}

#' Posterior summary and diagnostics
#'
#' Summarises the draws of the scalars of a fit, such as the number of features, and reports whether
#' the chains agree.
#'
#' @param object A fit by sampling, that is, with [method_gibbs()].
#' @param ... Must be empty.
#' @return An object of class `summary_fit_mcmc`, a list that is printed in at most 20 lines (a few
#'   more for a fit by [fit_mixed()] with many families). Its elements are:
#'   * `table`: a tibble with a row per scalar. Its columns are `variable`, `mean`, `sd`, the
#'     quantiles `q5`, `q50` and `q95`, `rhat` (rank-normalised split Rhat), `ess_bulk` and
#'     `ess_tail` (effective sample sizes; Vehtari et al. 2021). A fit by [fit_cascade()] has only
#'     the scalars of layers 0 to 2; [tidy()][tidy.fit_cascade] has all layers.
#'   * `constant`: the values of the scalars that never changed, for which diagnostics are
#'     undefined; `names_constant` has their names.
#'   * `between_chains`: how much the chains differ in the features that rows share. It is the
#'     largest difference between two chains in the mean number of features that a pair of rows
#'     shares, over at most 200 evenly spaced rows, as [coassignment()] counts them. It is `NA` for
#'     a single chain, and for [fit_nmf()] and [fit_cascade()].
#'   * `never_accepted`: a sentence that names the moves that were tried at least 1,000 times and
#'     never accepted, or `NULL`; see [acceptance()].
#'
#'   A fit by [fit_choice()] also has two tibbles:
#'   * `aspects` has a row per set of items, with the largest share first. `items` has their names,
#'     separated by commas. `probability` is the posterior probability that some feature has exactly
#'     these items. `share` is the posterior mean of the share of the sum of all weights that the
#'     features of these items have; it is 0 in draws without such a feature. `q5` and `q95` are the
#'     ends of its central 90 % interval. Features that all items have do not count in these shares,
#'     because no choice depends on them.
#'   * `worth` has a row per item, as `tidy(object, "worth")` returns it.
#'
#' An Rhat above 1.05 gives a warning of class `buffet_rhat_warning`, which says how the chains
#' differ and what to do; see [convergence].
#' @details
#' The worth of item i among n items is the probability that it is chosen over another item that is
#' picked at random,
#' \deqn{\frac{1}{n - 1} \sum_{j \ne i} P(i \mbox{ is chosen over } j),}{
#' 1 / (n - 1) sum over j other than i of P(i is chosen over j),}
#' with the probabilities of [predict()][predict.fit_choice], lapses included. It is between 0 and
#' 1, and its mean over the items is 1/2. Unlike a sum of weights, it is the same for all weights
#' and features that give the same choice probabilities.
#' @seealso [best_chain()]; [summary.fit_point()] for fits by optimisation.
#' @inherit convergence references
#' @examples
#' set.seed(1)
#' fit <- fit_gaussian(sim_images(30), method = method_gibbs(chains = 2, iter = 1000), seed = 1)
#' # the images were simulated with four features and noise of 0.5 (sigma_x)
#' summary(fit)
#' # among the largest are aspects of the politicians (LBJ, HW, CDG) and the film stars (BB, ET, SL)
#' fit <- fit_choice(celebrities, method = method_gibbs(chains = 1, iter = 3000), seed = 1)
#' summary(fit, aspects = 20)$aspects
#' @export
summary.fit_mcmc <- function(object, ...) {
  check_no_more(...)
  draws <- as_draws(object)
  constant <- apply(draws, 3, function(v) all(v == v[1]))
  table <- summary_table(
    draws, "mean", "sd", ~ posterior::quantile2(.x, c(0.05, 0.5, 0.95)), "rhat", "ess_bulk",
    "ess_tail"
  )
  rhat <- scalar_rhats(object)
  table$rhat <- unname(rhat[table$variable])
  table <- table[!constant, ]
  found <- disagreement(object, rhat)
  warn_of_difference(object, found)
  structure(
    list(
      header = describe_fit(object, found, cause = FALSE), table = table,
      constant = draws[1, 1, constant, drop = TRUE], names_constant = names(which(constant)),
      between_chains = between_chains(object), side = traits_of(object)$side,
      never_accepted = describe_never_accepted(object)
    ),
    class = "summary_fit_mcmc"
  )
}

# Like posterior::summarise_draws(), but columns are plain numeric vectors, to which round() can be
# applied, and there are no notes about capped effective sample sizes
summary_table <- function(draws, ...) {
  # The names of quantiles depend on the option `scipen`.
  before <- options(scipen = 0)
  on.exit(options(before))
  muffle <- function(restart) {
    function(note) {
      if (grepl("ESS has been capped", conditionMessage(note))) invokeRestart(restart)
    }
  }
  table <- withCallingHandlers(posterior::summarise_draws(draws, ...),
    warning = muffle("muffleWarning"), message = muffle("muffleMessage")
  )
  numbers <- vapply(table, is.numeric, NA)
  table[numbers] <- lapply(table[numbers], function(v) as.double(unclass(v)))
  table
}

# Largest difference between chains in the mean of ZZ', or NA if no rows are compared
between_chains <- function(fit) {
  chains <- dim(fit$internal$scalars)[2]
  if (chains < 2 || inherits(fit, c("fit_nmf", "fit_cascade"))) return(NA_real_)
  kept <- dim(fit$internal$scalars)[1]
  n <- traits_of(fit)$rows$n
  rows <- unique(round(seq(1, n, length.out = min(200, n))))
  shared <- lapply(seq_len(chains), function(chain) {
    coassignment_of(fit, select_draws(fit$feature_draws, (chain - 1) * kept + seq_len(kept)), rows)
  })
  max(do.call(pmax, shared) - do.call(pmin, shared))
}

title_of_scalars <- "Posterior of each scalar (q5 to q95: 90 % interval; log densities in nats):"

#' @export
print.summary_fit_mcmc <- function(x, ...) {
  cat(x$header, title_of_scalars, sep = "\n")
  table <- as.data.frame(x$table)
  estimates <- c("mean", "sd", "q5", "q50", "q95")
  # The standard deviation has two significant digits.
  decimals <- pmin(pmax(1 - floor(log10(table$sd)), 0), 6)
  table[estimates] <- lapply(table[estimates], fixed, decimals = decimals)
  table$rhat <- format_rhat(table$rhat)
  table[c("ess_bulk", "ess_tail")] <- lapply(table[c("ess_bulk", "ess_tail")], fixed, decimals = 0)
  # For a cascade, drop the scalars of layer 2 if there would be more than twenty lines.
  if (length(x$header) + 2 + nrow(table) > 20) table <- table[!grepl("_2$", table$variable), ]
  if (nrow(table) > 0) print(table, row.names = FALSE)
  if (length(x$constant) > 0) {
    values <- sprintf("%s = %s", x$names_constant, vapply(x$constant, format, "", digits = 4))
    cat_wrapped("Constant in all draws: ", values)
  }
  if (!is.na(x$between_chains)) {
    text <- "Largest difference between chains in features that two %ss share: %.2f"
    cat(strwrap(sprintf(text, x$side, x$between_chains), text_width(), exdent = 2), sep = "\n")
  }
  if (!is.null(x$never_accepted)) cat(wrap_code(x$never_accepted), sep = "\n")
  invisible(x)
}

fixed <- function(x, decimals) sprintf("%.*f", as.integer(decimals), x)
