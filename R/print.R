# How fits print.

#' @export
format.buffet_fit <- function(x, ...) describe_fit(x, disagreement(x))

#' A fit in a few lines
#' @param found From disagreement(), which computes the Rhat of every scalar.
#' @noRd
describe_fit <- function(fit, found) {
  c(
    describe_data(fit), describe_prior(fit), describe_method(fit), describe_result(fit, found),
    describe_agreement(fit, found)
  )
}

#' The kind of model and the size of its data
#' @noRd
describe_data <- function(fit) UseMethod("describe_data")

#' The prior of the features
#' @noRd
describe_prior <- function(fit) UseMethod("describe_prior")

#' @exportS3Method
#' @noRd
describe_prior.buffet_fit <- function(fit) {
  lines <- format(fit$model$prior)
  paste0(c("Prior: ", rep("       ", length(lines) - 1)), lines)
}

#' How it was fitted
#' @noRd
describe_method <- function(fit) UseMethod("describe_method")

#' @exportS3Method
#' @noRd
describe_method.fit_mcmc <- function(fit) paste("Method:", format(fit$method))

#' What was found
#' @noRd
describe_result <- function(fit, found) UseMethod("describe_result")

#' @exportS3Method
#' @noRd
describe_result.fit_mcmc <- function(fit, found) {
  c(describe_model_size("Features:", fit, "n_features", found), describe_explosion(fit))
}

#' What to do where there are more features than anybody can read: over 30, a third of the rows, or
#' twice the columns
#' @noRd
describe_explosion <- function(fit) {
  most <- max(3, min(30, n_rows(fit) / 3, 2 * ncol(fit$model$data$x)))
  if (point_size(fit) <= most || !is.null(known_features(fit$model$prior))) return(NULL)
  remedy <- fewer_features(fit)
  if (is.null(remedy)) return(NULL)
  paste0("Too many features to interpret. Try ", paste(remedy, collapse = " or "), ".")
}

#' What gives a model fewer features, as code; NULL: nothing is known
#' @noRd
fewer_features <- function(fit) UseMethod("fewer_features")

#' @exportS3Method
#' @noRd
fewer_features.buffet_fit <- function(fit) NULL

#' @noRd
describe_matrix <- function(x) {
  missing <- prod(dim(x)) - count_observed(x)
  entries <- if (missing == 1) "entry" else "entries"
  paste0(describe_size(x), if (missing > 0) sprintf(" (%.0f %s missing)", missing, entries))
}

#' The most frequent values of a scalar that says how large the model is, in the draws that the
#' point estimate may be one of; where none has half of them, the interval that most are in
#' @param found From disagreement().
#' @noRd
describe_model_size <- function(title, fit, name, found) {
  trusted <- trusted_draws(fit, found)
  n <- scalar(fit, name)[trusted]
  of <- c("of the draws", if (length(trusted) < length(fit$draws)) "in the best chain")
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

#' The most frequent counts with their posterior probabilities, unless these round to 0 %
#' @noRd
describe_counts <- function(n) {
  share <- sort(table(n) / length(n), decreasing = TRUE)
  share <- share[round(100 * share) > 0]
  shown <- share[seq_len(min(4, length(share)))]
  text <- sprintf("%s (%.0f %%)", names(shown), 100 * shown)
  paste0(paste(text, collapse = ", "), if (length(share) > 4) ", ...")
}

#' @export
print.buffet_fit <- function(x, ...) {
  cat(format(x), sep = "\n")
  sizes <- colSums(features(x))
  if (length(sizes) == 0) cat(describe_none(x), "\n", sep = "")
  if (length(sizes) > 0) {
    shown <- first_of(sizes, names(sizes))
    side <- sub("^(.)", "\\U\\1", feature_side(x), perl = TRUE)
    cat_wrapped(paste0(side, "s that hold each feature of the point estimate: "), shown)
  }
  invisible(x)
}

no_feature_text <- "The point estimate has no feature."

#' The same, with the share of the draws that have some, unless it rounds to 0 %
#' @noRd
describe_none <- function(fit) {
  some <- mean(unclass(fit$draws)$sizes > 0)
  if (round(100 * some) == 0) return(no_feature_text)
  sub(".", sprintf(", but %.0f %% of the draws have at least one.", 100 * some), no_feature_text,
    fixed = TRUE
  )
}

#' The first ten of some values, the last followed by the names of all
#' @noRd
first_of <- function(values, names) {
  shown <- c(utils::head(values, 10), if (length(values) > 10) "...")
  of <- paste(shorten(unique(names[c(1, length(names))]), 20), collapse = " to ")
  shown[length(shown)] <- sprintf("%s (%s)", shown[length(shown)], of)
  shown
}

#' Items after a title, in lines of at most 80 characters
#' @noRd
cat_wrapped <- function(title, items) {
  cat(strwrap(paste0(title, paste(items, collapse = ", ")), 81, exdent = 2), sep = "\n")
}
