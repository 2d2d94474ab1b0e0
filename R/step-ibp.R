#' Latent binary features as a step of a recipe
#'
#' A step of package recipes, by which predictors are replaced by the features that rows hold, or
#' joined by them, as by the components of [recipes::step_pca()]. It is unsupervised. How many
#' features there are is learned.
#'
#' @details
#' [recipes::prep()] fits the model to the selected columns of the training set;
#' [recipes::bake()] adds a column for each feature of the point estimate, [features()], with the
#' probability that the row has this feature, given its observed entries and the draw that
#' `features()` shows: `predict(fit, newdata, type = "features")`, see
#' [predict()][predict.buffet_fit].
#'
#' ## Rows of the training set
#' They are baked as new rows are, and `bake(new_data = NULL)` gives what `bake()` of the training
#' set does. What is fitted to the features of the training set then finds numbers of the same kind
#' in new rows. These probabilities are not `features(fit)` itself, whose entries are 0 and 1, but
#' close to it in most rows where the data leave little doubt; the rows of the training set have had
#' their part in the loadings by which they are judged.
#'
#' A row is always baked alike, whichever rows stand beside it. Random numbers come from the seed of
#' the fit, and R's generator stays as it is.
#'
#' ## Columns
#' * `"gaussian"` takes numbers, and has `scale = TRUE`, so that columns may have different units.
#'   Where they have one, and 0 is what a row without features has, `options = list(scale = FALSE)`
#'   can find fewer and clearer features.
#' * `"logistic"` takes zeros and ones, logicals and factors of two levels.
#' * `"mixed"` takes all that [fit_mixed()] does. Categories that the training set did not have
#'   count as missing, with a warning.
#'
#' Entries may be missing, of the training set as of new rows: no step of imputation is needed
#' before. Errors about entries are those of the fitting function, which calls the columns `x`, `y`
#' or `data`. Where no column is selected the step does nothing, and where no feature is found it
#' leaves the columns, with a warning.
#'
#' Features that few rows have are columns of few entries far from 0, which
#' [recipes::step_nzv()] removes. The fit is `prepped$steps[[i]]$res`, of which everything can be
#' asked that [buffet_fit] lists; look at it before relying on its features, which can differ
#' between chains and between seeds. A warning of `prep()` says so where its chains do not agree.
#'
#' ## Tidying
#' `tidy()` of the trained step is a tibble with the loadings, [loadings_of()], a row a
#' column of the data and feature: `terms`, `value`, `component` (the feature, as `bake()` calls
#' it) and `id`. They are in the units of the columns; of columns with categories fitted by
#' `"mixed"`, `terms` are `"column: category"`.
#'
#' ## Case weights
#' The models have no case weights. Where the data have some they are ignored, as `print()` says.
#'
#' ## Tuning
#' There is nothing to tune: `tunable()` has no row for this step.
#'
#' @param recipe A recipe.
#' @param ... Selectors of the columns, see [recipes::selections].
#' @param role (string) Role of the new columns.
#' @param trained Set by `prep()`.
#' @param model What is fitted: `"gaussian"` (default), `"logistic"` or `"mixed"`, or the fitting
#'   function of one of these, [fit_gaussian()], [fit_logistic()] or [fit_mixed()].
#' @param prior [prior_ibp()] (default) or [prior_beta_bernoulli()]: a prior that says what features
#'   new rows have.
#' @param method A method of the fitting function, such as [method_gibbs()] (default).
#' @param options A named list of other arguments of the fitting function, such as `list(noise =
#'   "column")`; `scale = TRUE` of `fit_gaussian()` and `verbose = FALSE` of all are the step's.
#' @param seed (whole number or `NULL`) Seed of the fit. `NULL`: drawn from R's generator by
#'   `prep()`, so that `set.seed()` before governs.
#' @param threshold (number in (0, 1) or `NULL`) Features are 1 where their probability is above it,
#'   otherwise 0; `NULL` (default): the probabilities themselves.
#' @param res,columns Set by `prep()`: the fit, and the names of the selected columns.
#' @param prefix (string) The new columns are called by it and a number: `feature1`, `feature2`, ...
#'   (`feature01` where there are 10 or more), by decreasing size. Data with such a column are an
#'   error.
#' @param keep_original_cols (flag) Keep the selected columns?
#' @param skip (flag) Leave the step out when new data are baked?
#' @param id (string) The step's own name.
#' @return The recipe with the step added. Errors are one line that names the argument.
#' @seealso `vignette("data-frames")`, where a regression on features is compared with others.
#' @examplesIf requireNamespace("recipes", quietly = TRUE)
#' library(recipes, warn.conflicts = FALSE)
#' set.seed(1)
#' images <- block_images(130)
#' # what is to be predicted depends on two pictures together
#' dose <- 2 * attr(images, "features")[, 1] * attr(images, "features")[, 2] + rnorm(130, sd = 0.5)
#' data <- data.frame(images, dose)
#' train <- data[1:100, ]
#' test <- data[-(1:100), ]
#' found <- recipe(dose ~ ., train) |>
#'   step_ibp(all_predictors(),
#'     options = list(scale = FALSE), method = method_gibbs(chains = 1, iter = 500), seed = 1
#'   ) |>
#'   prep()
#' found
#' bake(found, new_data = NULL)
#' tidy(found, number = 1)
#' fit <- lm(dose ~ .^2, bake(found, new_data = NULL))
#' cor(predict(fit, bake(found, new_data = test)), test$dose)
#' # the pixels themselves
#' cor(predict(lm(dose ~ ., train), test), test$dose)
#'
#' # all kinds of columns, some entries missing, features as zeros and ones beside the columns
#' some <- prostate[1:100, c("status", "age", "stage", "hx", "ap", "bm")]
#' recipe(status ~ ., some) |>
#'   step_ibp(all_predictors(),
#'     model = "mixed", method = method_gibbs(chains = 1, iter = 100), seed = 1,
#'     threshold = 0.5, keep_original_cols = TRUE
#'   ) |>
#'   prep() |>
#'   bake(new_data = NULL)
#' @export
step_ibp <- function(recipe, ..., role = "predictor", trained = FALSE,
                     model = c("gaussian", "logistic", "mixed"), prior = prior_ibp(),
                     method = method_gibbs(), options = list(), seed = NULL, threshold = NULL,
                     res = NULL, columns = NULL, prefix = "feature", keep_original_cols = FALSE,
                     skip = FALSE, id = recipes::rand_id("ibp")) {
  rlang::check_installed("recipes", "for step_ibp().")
  if (!inherits(recipe, "recipe")) stop_argument("recipe", "be a recipe()", recipe)
  model <- check_step_model(model)
  if (!is.null(threshold)) threshold <- check_number(threshold, "threshold", 0, 1, "()")
  recipes::add_step(recipe, recipes::step("ibp",
    terms = rlang::enquos(...), role = role, trained = trained, model = model,
    prior = check_step_prior(prior), method = check_method(method),
    options = check_step_options(options, model), seed = check_seed(seed), threshold = threshold,
    res = res, columns = columns, prefix = check_string(prefix, "prefix"),
    keep_original_cols = check_flag(keep_original_cols, "keep_original_cols"),
    skip = check_flag(skip, "skip"), id = check_string(id, "id"), case_weights = NULL
  ))
}

#' The fitting functions by the names of their models
#' @noRd
recipe_fits <- function() list(gaussian = fit_gaussian, logistic = fit_logistic, mixed = fit_mixed)

check_step_model <- function(model) {
  fits <- recipe_fits()
  if (!is.function(model)) return(check_choice(model, names(fits), "model"))
  same <- vapply(fits, identical, NA, model)
  if (!any(same)) {
    must <- "be fit_gaussian(), fit_logistic() or fit_mixed() if it is a function"
    stop_argument("model", must, was = "another")
  }
  names(fits)[same]
}

check_step_prior <- function(prior) {
  if (is_exchangeable(check_prior(prior))) return(prior)
  must <- "be prior_ibp() or prior_beta_bernoulli(), which say what features new rows have"
  stop_argument("prior", must, prior)
}

#' Arguments of the fitting function that the step does not have itself
#' @noRd
check_step_options <- function(options, model) {
  if (!(is.list(options) && rlang::is_dictionaryish(options))) {
    stop_argument("options", "be a list whose elements have unique names", options)
  }
  known <- setdiff(names(formals(recipe_fits()[[model]]))[-1], c("prior", "method", "seed", "..."))
  unknown <- setdiff(names(options), known)
  if (length(unknown) > 0) {
    quoted <- paste(encodeString(known, quote = "\""), collapse = ", ")
    stop_argument("options", paste("have elements named", quoted), unknown[1])
  }
  options
}
