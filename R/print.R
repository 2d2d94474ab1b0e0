#' @export
format.buffet_fit <- function(x, ...) {
  check_format(x)
  describe_fit(x, disagreement(x))
}

# found: From disagreement(), which computes the Rhat of every scalar.
describe_fit <- function(fit, found) {
  c(
    describe_data(fit), describe_prior(fit), describe_method(fit), describe_result(fit, found),
    describe_agreement(fit, found)
  )
}

describe_data <- function(fit) UseMethod("describe_data")

describe_prior <- function(fit) {
  model <- fit$internal$model
  if (inherits(fit, "fit_nmf")) {
    text <- "Prior: weights ~ %s, loadings ~ %s"
    return(sprintf(text, format_rate(model$rate_w), format_rate(model$rate_a)))
  }
  lines <- format(model$prior)
  paste0(c("Prior: ", rep("       ", length(lines) - 1)), lines)
}

describe_method <- function(fit) {
  paste0("Method: ", format(fit$method), if (isFALSE(fit$internal$finished)) " (interrupted)")
}

describe_result <- function(fit, found) UseMethod("describe_result")

#' @exportS3Method
describe_result.fit_mcmc <- function(fit, found) {
  c(describe_model_size("Features:", fit, "n_features", found), describe_explosion(fit))
}

# Advice if there are too many features: over 30, a third of the rows, or twice the columns
describe_explosion <- function(fit) {
  most <- max(3, min(30, n_rows(fit) / 3, 2 * ncol(model_data(fit))))
  if (point_size(fit) <= most || !is.null(fit$prior$z)) return(NULL)
  remedy <- fewer_features(fit)
  if (is.null(remedy)) return(NULL)
  paste0("Too many features to interpret. Try ", paste(remedy, collapse = " or "), ".")
}

# Code that gives a model fewer features; NULL if none is known
# Surplus features represent noise that differs between columns, or properties that vary in degree.
fewer_features <- function(fit) {
  if (!inherits(fit, "fit_gaussian")) return(NULL)
  other <- other_noise(fit)
  c(
    if (!is.null(other)) sprintf("`%s`", other) else "`max_features`",
    if (!isS4(model_data(fit))) "`fit_factor()`"
  )
}

describe_matrix <- function(x) {
  missing <- prod(dim(x)) - count_observed(x)
  entries <- if (missing == 1) "entry" else "entries"
  paste0(describe_size(x), if (missing > 0) sprintf(" (%.0f %s missing)", missing, entries))
}

# The most frequent sizes of the model among the draws of the point estimate; if none has half of
# the draws, an interval
# found: From disagreement().
describe_model_size <- function(title, fit, name, found) {
  trusted <- trusted_draws(fit, found)
  n <- scalar(fit, name)[trusted]
  of <- c("of the draws", if (length(trusted) < length(fit$feature_draws)) "in the best chain")
  told <- if (max(table(n)) >= length(n) / 2) c(describe_counts(n), of) else describe_flat(n, of)
  strwrap(paste(c(title, told), collapse = " "), 81, exdent = 2)
}

describe_flat <- function(n, of) {
  ends <- stats::quantile(n, c(0.05, 0.95), type = 1)
  most <- sort(table(n) / length(n), decreasing = TRUE)[1]
  among <- paste(of, collapse = " ")
  told <- "%.0f to %.0f in 90 %% %s, most often %s (%.0f %%)"
  sprintf(told, ends[1], ends[2], among, names(most), 100 * most)
}

# The most frequent counts with their posterior probabilities, unless these round to 0 %
describe_counts <- function(n) {
  share <- sort(table(n) / length(n), decreasing = TRUE)
  share <- share[round(100 * share) > 0]
  shown <- share[seq_len(min(4, length(share)))]
  text <- sprintf("%s (%.0f %%)", names(shown), 100 * shown)
  paste0(paste(text, collapse = ", "), if (length(share) > 4) ", ...")
}

#' @importFrom utils str
#' @export
str.buffet_fit <- function(object, ...) {
  str(unclass(object), max.level = 1, give.attr = FALSE, ...)
}

#' @export
print.buffet_fit <- function(x, ...) {
  cat(format(x), sep = "\n")
  sizes <- colSums(x$features)
  if (length(sizes) == 0) cat(describe_none(x), "\n", sep = "")
  if (length(sizes) > 0) {
    shown <- first_of(sizes, names(sizes))
    side <- sub("^(.)", "\\U\\1", traits_of(x)$side, perl = TRUE)
    cat_wrapped(paste0(side, "s that hold each feature of the point estimate: "), shown)
  }
  invisible(x)
}

no_feature_text <- "The point estimate has no feature."

describe_none <- function(fit) {
  some <- mean(unclass(fit$feature_draws)$sizes > 0)
  if (round(100 * some) == 0) return(no_feature_text)
  sub(".", sprintf(", but %.0f %% of the draws have at least one.", 100 * some), no_feature_text,
    fixed = TRUE
  )
}

first_of <- function(values, names) {
  shown <- c(utils::head(values, 10), if (length(values) > 10) "...")
  of <- paste(shorten(unique(names[c(1, length(names))]), 20), collapse = " to ")
  shown[length(shown)] <- sprintf("%s (%s)", shown[length(shown)], of)
  shown
}

cat_wrapped <- function(title, items) {
  cat(strwrap(paste0(title, paste(items, collapse = ", ")), 81, exdent = 2), sep = "\n")
}
