# Models that the tab "Your data" offers.

#' Models by the function that fits them, the likeliest first: `why` it is apt, and `check`, which
#' stops where data are not for it
#' @noRd
demo_models <- function() {
  list(
    fit_choice = list(
      why = "columns winner and loser: each item has aspects, and those it has alone decide.",
      check = function(data) check_wins(data)
    ),
    fit_logistic = list(
      why = "zeros and ones: features add to the log odds of a 1.",
      check = function(data) check_responses(data)
    ),
    fit_topics = list(
      why = "counts: rows are documents, columns are words, features are topics.",
      check = check_demo_counts
    ),
    fit_factor = list(
      why = "numbers: rows have factors by degrees, and columns load on few of them.",
      check = function(data) check_data_matrix(data, "data")
    ),
    fit_gaussian = list(
      why = "numbers: rows have features or not, and each adds its loadings.",
      check = function(data) check_data_matrix(data, "data")
    ),
    fit_mixed = list(
      why = "numbers, counts and categories side by side: each column has its own family.",
      check = function(data) mixed_data(data, NULL)
    )
  )
}

#' Ten columns and more of whole numbers that are not all zeros and ones may be counts of words
#' @noRd
check_demo_counts <- function(data) {
  x <- check_data_matrix(data, "data")
  if (ncol(x) < 10 || anyNA(x) || !is_all_whole(x) || all(x %in% 0:1)) {
    stop_argument("data", "be counts in ten columns or more", was = "others")
  }
  check_dtm(x)
}

#' Names of the models that are apt for data
#' @noRd
apt_models <- function(data) {
  apt <- vapply(demo_models(), function(model) {
    found <- or_problem(suppressWarnings(suppressMessages(model$check(data))))
    !is_problem(found)
  }, NA)
  names(which(apt))
}

#' Why no model is apt: what the one that takes most says, NULL if it takes the data
#' @noRd
why_no_model <- function(data) {
  found <- or_problem(suppressMessages(demo_models()$fit_mixed$check(data)))
  if (is_problem(found)) as.character(found)
}

#' A model that is apt for data
#' @noRd
check_demo_model <- function(model, data) {
  apt <- apt_models(data)
  if (length(apt) == 0) stop(why_no_model(data), call. = FALSE)
  check_choice(model, apt, "model")
}

#' The call that fits `data`
#' @noRd
fit_demo_call <- function(model, data, chains, iter, seed) {
  # As double numbers, which are shown without an L.
  chains <- as.double(check_count(chains, "chains"))
  iter <- as.double(check_count(iter, "iterations", 10))
  seed <- as.double(check_seed(seed))
  method <- rlang::call2("method_gibbs", chains = chains, iter = iter)
  scaled <- model %in% c("fit_factor", "fit_gaussian") && differ_in_scale(data)
  rlang::call2(model, quote(data), !!!if (scaled) list(scale = TRUE),
    method = method, seed = seed
  )
}

#' Have columns units so different, or so far from 1, that they are better scaled?
#' @noRd
differ_in_scale <- function(data) {
  sds <- column_sds(as.matrix(data))
  sds <- sds[!is.na(sds) & sds > 0]
  length(sds) > 0 && (max(sds) > 3 * min(sds) || max(sds) > 10 || min(sds) < 0.1)
}

#' The code that does what the page does, as lines
#' @noRd
demo_code <- function(source, columns, call, type) {
  c(
    "library(buffet)", lines_of(rlang::expr(data <- !!source$code)),
    if (!setequal(columns, names(source$data))) lines_of(rlang::expr(data <- data[c(!!!columns)])),
    lines_of(rlang::expr(fit <- !!call)), "fit", "summary(fit)",
    lines_of(rlang::expr(plot(fit, !!type))), "write.csv(features(fit), \"features.csv\")"
  )
}

lines_of <- function(call) rlang::expr_deparse(call, width = 80)

#' Pictures that a fit has
#' @noRd
demo_plot_types <- function(fit) {
  method <- utils::getS3method("plot", class(fit)[1], optional = TRUE) %||% plot.buffet_fit
  alone <- if (dim(fit$scalars)[2] == 1) "chains"
  setdiff(eval(formals(method)$type), c(without_types(fit), alone))
}
