# Data frames completed by draws of their missing entries: multiple imputations.

#' Completed data frames
#'
#' Multiple imputations: copies of the data of a fit in which every missing entry is drawn from its
#' posterior predictive distribution.
#'
#' @details
#' The copies come from posterior draws that are evenly spaced over all chains. The entries that a
#' row lacks are drawn together, given the features and weights of one draw, so that a copy is a
#' draw from their joint distribution. What was observed is exactly as it was given, and so are
#' names and the classes of columns. Where all observed numbers of a column are whole those that are
#' drawn are rounded, log-normal ones to at least 1, and integers stay integers. Columns that
#' [fit_mixed()] left out come back as they were, with what they lack.
#'
#' Other packages take the copies up. With mice,
#' ```
#' imputed <- mice::as.mids(complete(fit, 20, "long"))
#' mice::pool(with(imputed, lm(y ~ x)))
#' ```
#' pools analyses by Rubin's rules. More copies cost next to nothing, and make pooled intervals
#' steadier: as many as there are per cent of rows with missing entries, and not less than 20, is a
#' common rule. They can be no better than the chains that they come from; see
#' [summary()][summary.fit_mcmc].
#'
#' This generic is the package's own. Its method is that of `tidyr::complete()` too, which mice also
#' has, so it does not matter which of the packages was attached last: fits of buffet are completed
#' by any, and what is no fit goes on to `tidyr::complete()` where tidyr is installed.
#'
#' @param data A fit by [fit_mixed()].
#' @param m (positive integer) How many copies, at most the number of draws.
#' @param format (string) `"list"`: a list of `m` data frames; `"long"`: one data frame, first the
#'   data as they were, then the copies one after the other, after two columns that say which,
#'   `.imp` (0 for the data, 1 to `m`), and of which row, `.id` (its name or number).
#' @param seed (whole number or `NULL`) The same copies come with the same seed; `NULL`: that of the
#'   fit, so that every call gives the same.
#' @param ... Of `complete()` what its methods take; otherwise must be empty.
#' @return A list of data frames, or a data frame: plain ones, also where a tibble or data.table was
#'   given, that share no memory with the fit.
#' @seealso [predict.fit_mixed()], whose data frame has the most probable values.
#' @examples
#' # daily air quality of New York, some days without ozone or sun
#' fit <- fit_mixed(airquality[1:4], method = method_gibbs(chains = 1, iter = 300), seed = 1)
#' completed <- complete(fit, 5)
#' head(completed[[1]])
#' vapply(completed, function(data) mean(data$Ozone), 0)
#' table(complete(fit, 5, "long")$.imp)
#' @export
complete <- function(data, ...) UseMethod("complete")

#' @export
complete.default <- function(data, ...) {
  if (!is_completed_by_tidyr(data)) stop_argument("data", "be a fit by fit_mixed()", data)
  tidyr::complete(data, ...)
}

#' Has tidyr's generic a method for it? Without one it would come back to the default above.
#' @noRd
is_completed_by_tidyr <- function(data) {
  if (!requireNamespace("tidyr", quietly = TRUE)) return(FALSE)
  has_method <- function(class) {
    !is.null(utils::getS3method("complete", class, optional = TRUE, envir = asNamespace("tidyr")))
  }
  any(vapply(class(data), has_method, NA))
}

#' @rdname complete
#' @rawNamespace S3method(tidyr::complete,fit_mixed)
#' @export
#' @srrstats {G2.14c} Missing entries are imputed by the model: complete(), and predict() of other
#'   fits.
complete.fit_mixed <- function(data, m = 5, format = c("list", "long"), seed = NULL, ...) {
  check_no_more(...)
  format <- check_choice(format, c("list", "long"), "format")
  copies <- completed_frames(data, check_count(m, "m"), check_seed(seed) %||% data$seed)
  if (format == "list") return(copies)
  frame <- data$model$data$frame
  clash <- intersect(names(frame), c(".imp", ".id"))
  if (length(clash) > 0) {
    must <- sprintf("be \"list\" where the data have a column \"%s\"", clash[1])
    stop_argument("format", must, format)
  }
  id <- if (.row_names_info(frame) > 0) rownames(frame) else seq_len(nrow(frame))
  all <- lapply(c(list(frame), copies), as.data.frame, optional = TRUE)
  imp <- data.frame(.imp = rep(0:m, each = nrow(frame)), .id = rep(id, m + 1))
  cbind(imp, do.call(rbind, c(all, make.row.names = FALSE)))
}

completed_frames <- function(fit, m, seed) {
  draws <- length(fit$draws)
  if (m > draws) {
    stop_argument("m", sprintf("be at most %d, the number of draws", draws), m)
  }
  # The middles of m equal parts of the draws.
  which <- ceiling((seq_len(m) - 0.5) * draws / m)
  x <- fit$model$data$x
  drawn <- t(mixed_simulate_cpp(mixed_draws(fit, which), seed))
  lapply(seq_len(m), function(copy) {
    at <- (copy - 1) * nrow(x) + seq_len(nrow(x))
    complete_frame(fit$model$data, drawn[at, , drop = FALSE])
  })
}

#' @param drawn Numbers of the core, N x D.
#' @noRd
complete_frame <- function(data, drawn) {
  frame <- own_frame(data$frame)
  for (j in seq_along(data$columns)) {
    column <- data$columns[[j]]
    lacking <- which(is.na(data$x[, j]))
    if (length(lacking) == 0) next
    values <- draw_column(column, drawn[lacking, j])
    text <- is.factor(values) || is.character(frame[[column$name]])
    frame[[column$name]][lacking] <- if (text) as.character(values) else values
  }
  frame
}
