#' Latent binary features as a recipe step
#'
#' A step of package recipes that replaces predictors with the features of the rows, like
#' [recipes::step_pca()], which uses components. See `vignette("data-frames")`.
#'
#' [recipes::prep()] fits the model to the selected columns of the training set. [recipes::bake()]
#' adds a column for each feature of the point estimate, [features()], with the probability that the
#' row has the feature given its observed entries: `predict(fit, newdata, type = "features")`, see
#' [predict()][predict.buffet_fit]. Rows of the training set are baked like new rows, so their
#' values are probabilities, not the zeros and ones of `features(fit)`. A row gets the same result
#' whichever other rows are baked with it.
#'
#' `model = "gaussian"` takes numbers, with `scale = TRUE`; `"logistic"` takes zeros and ones,
#' logicals and factors with two levels; `"mixed"` takes all columns that [fit_mixed()] accepts, and
#' categories that do not occur in the training set count as missing, with a warning. Entries may be
#' missing. If no feature is found, the columns are left unchanged, with a warning. Case weights are
#' ignored. The fit is `prepped$steps[[i]]$res`; `tidy()` returns its loadings.
#'
#' @param recipe A recipe.
#' @param ... Selectors of columns, see [recipes::selections].
#' @param role,prefix (strings) Role of the new columns, and prefix of their names.
#' @param trained,res,columns Set by `prep()`.
#' @param model (string) `"gaussian"` (default), `"logistic"` or `"mixed"`: which of
#'   [fit_gaussian()], [fit_logistic()] and [fit_mixed()] is called.
#' @param prior [prior_ibp()] (default) or [prior_beta_bernoulli()].
#' @param method A method of the fitting function, such as [method_gibbs()] (default).
#' @param options (named list) Further arguments of the fitting function.
#' @param seed (whole number or `NULL`) Seed of the fit; `NULL`: drawn from R's generator.
#' @param threshold (number in (0, 1) or `NULL`) Features are 1 if their probability is above it,
#'   otherwise 0; `NULL` (default): the probabilities.
#' @param keep_original_cols,skip (flags) Keep the selected columns? Leave the step out when new
#'   data are baked?
#' @param id (string) Identifier of the step.
#' @return The recipe with the step added.
#' @examplesIf requireNamespace("recipes", quietly = TRUE)
#' library(recipes, warn.conflicts = FALSE)
#' train <- prostate[1:150, c("status", "age", "stage", "hx", "ap", "bm")]
#' found <- recipe(status ~ ., train) |>
#'   step_ibp(all_predictors(),
#'     model = "mixed", method = method_gibbs(chains = 1, iter = 100), seed = 1
#'   ) |>
#'   prep()
#' bake(found, new_data = prostate[151:153, ])
#' tidy(found, number = 1)
#' @export
step_ibp <- function(recipe, ..., role = "predictor", trained = FALSE,
                     model = c("gaussian", "logistic", "mixed"), prior = prior_ibp(),
                     method = method_gibbs(), options = list(), seed = NULL, threshold = NULL,
                     res = NULL, columns = NULL, prefix = "feature", keep_original_cols = FALSE,
                     skip = FALSE, id = recipes::rand_id("ibp")) {
  rlang::check_installed("recipes", "for step_ibp().")
  if (!inherits(recipe, "recipe")) stop_argument("recipe", "be a recipe()", recipe)
  if (!is_exchangeable(check_prior(prior))) {
    stop_argument("prior", "be prior_ibp() or prior_beta_bernoulli(), which allow new rows", prior)
  }
  if (!is.null(threshold)) threshold <- check_number(threshold, "threshold", 0, 1, "()")
  if (!(is.list(options) && rlang::is_dictionaryish(options))) {
    stop_argument("options", "be a list whose elements have unique names", options)
  }
  recipes::add_step(recipe, recipes::step("ibp",
    terms = rlang::enquos(...), role = role, trained = trained,
    model = check_choice(model, c("gaussian", "logistic", "mixed"), "model"), prior = prior,
    method = check_method(method), options = options, seed = check_seed(seed),
    threshold = threshold, res = res, columns = columns, prefix = check_string(prefix, "prefix"),
    keep_original_cols = check_flag(keep_original_cols, "keep_original_cols"),
    skip = check_flag(skip, "skip"), id = check_string(id, "id"), case_weights = NULL
  ))
}

#' @exportS3Method recipes::prep
prep.step_ibp <- function(x, training, info = NULL, ...) {
  columns <- unname(recipes::recipes_eval_select(x$terms, training, info))
  if (!is.null(recipes::get_case_weights(info, training))) x$case_weights <- FALSE
  other <- which(!vapply(training[columns], is.numeric, NA))
  if (x$model == "gaussian" && length(other) > 0) {
    was <- describe_other_column(training[[columns[other[1]]]], columns[other[1]])
    must <- "be \"mixed\" in step_ibp() if not all columns are numbers"
    stop_argument("model", must, was = paste("\"gaussian\" for", was))
  }
  if (length(columns) > 0) {
    fit <- switch(x$model, gaussian = fit_gaussian, logistic = fit_logistic, mixed = fit_mixed)
    own <- c(list(verbose = FALSE), if (x$model == "gaussian") list(scale = TRUE))
    given <- list(
      as.data.frame(training[columns]), prior = x$prior, method = x$method, seed = x$seed
    )
    x$res <- do.call(fit, c(given, utils::modifyList(own, x$options)), quote = TRUE)
    if (ncol(x$res$features) == 0) {
      warning("step_ibp() found no feature and leaves the columns as they are.", call. = FALSE)
    }
  }
  x$columns <- columns
  x$trained <- TRUE
  x
}

#' @exportS3Method recipes::bake
bake.step_ibp <- function(object, new_data, ...) {
  recipes::check_new_data(object$columns, object, new_data)
  names <- added_columns(object)
  if (length(names) == 0) return(new_data)
  rows <- as.data.frame(new_data[object$columns])
  # Recipes convert text to factors in training, but older versions do not convert it when baking.
  text <- vapply(rows, is.character, NA)
  rows[text] <- lapply(rows[text], factor)
  for (column in object$res$internal$model$data$columns) {
    values <- rows[[column$name]]
    # Categories that are absent from the training set are treated as missing.
    unknown <- if (is.factor(values)) setdiff(levels(droplevels(values)), column$levels)
    if (length(unknown) == 0) next
    text <- "step_ibp() treats categories of \"%s\" that it was not trained on as missing: %s."
    categories <- paste(encodeString(unknown, quote = "\""), collapse = ", ")
    warning(sprintf(text, column$name, categories), call. = FALSE)
    rows[[column$name]] <- replace(values, values %in% unknown, NA)
  }
  found <- matrix(0, 0, length(names))
  if (nrow(rows) > 0) found <- predict(object$res, rows, type = "features")
  if (!is.null(object$threshold)) found <- 1L * (found > object$threshold)
  new_data[names] <- recipes::check_name(as.data.frame(found), new_data, object, names)
  if (object$keep_original_cols) return(new_data)
  new_data[setdiff(names(new_data), object$columns)]
}

added_columns <- function(step) {
  count <- if (is.null(step$res)) 0 else ncol(step$res$features)
  if (count == 0) character() else recipes::names0(count, step$prefix)
}

#' @export
print.step_ibp <- function(x, width = max(20, getOption("width") - 35), ...) {
  title <- if (x$trained) counted(length(added_columns(x)), "IBP feature") else "IBP features"
  title <- paste(title, "from ")
  recipes::print_step(x$columns, x$terms, x$trained, title, width, case_weights = x$case_weights)
  invisible(x)
}

#' @export
tidy.step_ibp <- function(x, ...) {
  if (!x$trained) {
    terms <- recipes::sel2char(x$terms)
    return(tibble::tibble(terms, value = NA_real_, component = NA_character_, id = x$id))
  }
  a <- if (is.null(x$res)) matrix(0, 0, 0) else loadings_of(x$res)
  tibble::tibble(
    terms = rep(as.character(colnames(a)), each = nrow(a)), value = as.vector(a),
    component = rep(added_columns(x), ncol(a)), id = rep(x$id, length(a))
  )
}

#' @exportS3Method generics::required_pkgs
required_pkgs.step_ibp <- function(x, ...) "buffet"
