#' buffet: Indian buffet process latent feature models
#'
#' A model is *data + a prior over features + a likelihood + a method*: the prior is made by a
#' `prior_*()` function, the likelihood is the `fit_*()` function that is called, the method is made
#' by a `method_*()` function. Start with [fit_gaussian()], for rows of numbers, [fit_logistic()], for
#' rows of zeros and ones, [fit_mixed()], for data frames of numbers, counts and categories,
#' [fit_factor()], where features act by degrees or columns belong to factors, or [fit_choice()], for
#' choices between two things; [fit_nmf()] is the parametric model to compare
#' with. [buffet_fit] says what a fit can be asked.
#'
#' @section Terms:
#' * A **feature** is a property that a row of the data has or has not; the binary matrix `Z` says
#'   which rows have which features.
#' * The **loadings** `A` say what a feature does to the data: the data are `Z A` plus noise. Of binary
#'   data they are called **weights**, and add to the log odds of a 1; its log odds in rows without
#'   features are the **bias** of a column. In a model of choices features are called **aspects**,
#'   and each has a **weight**.
#' * A **hyperparameter** is a parameter of a prior, such as `alpha`, which governs how many
#'   features there are, or of the noise. A number fixes it, [gamma_prior()] learns it.
#'
#' @keywords internal
#' @useDynLib buffet, .registration = TRUE
#' @importFrom Rcpp evalCpp
#' @importFrom rlang .data
"_PACKAGE"
