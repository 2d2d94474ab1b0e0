#' Known features
#'
#' Tells a fit which rows have which features. The fit then learns only the weights of these
#' features.
#'
#' @details
#' For [fit_choice()] the features decide which model of choice this is. With one feature per item,
#' which only this item has, it is the model of Bradley, Terry and Luce. With features that form a
#' tree it is the preference tree of Tversky and Sattath (1979). Otherwise it is elimination by
#' given aspects. An item all of whose aspects another item has too is chosen over that item only by
#' a lapse. With `epsilon = 0`, counts that say otherwise are refused.
#'
#' [fit_logistic()] becomes a Bayesian logistic regression of every column on the features, and
#' [fit_mixed()] a regression of every column by its family.
#'
#' @param z (numeric, integer or logical matrix, data frame, or sparse matrix of the Matrix package)
#'   The features: zeros and ones with a row per row of the data (for choices, per item) and a
#'   column per feature. Rows are matched to the rows of the data by name if both have names,
#'   otherwise by position. Columns without a one are left out. The others keep their order and
#'   their names; columns without a name are called `f1`, `f2`, ... by their position. Names must
#'   differ.
#' @return An object of class `prior_fixed`, for the `prior` argument of [fit_choice()],
#'   [fit_logistic()] and [fit_mixed()]; other fits refuse it. It has methods for `format()`,
#'   `print()` and [simulate()][simulate.buffet_prior], which returns copies of `z`.
#' @references
#' Tversky, A. and Sattath, S. (1979). Preference trees. *Psychological Review* 86, 542-573.
#' @seealso [fit_choice()], [fit_logistic()], [fit_mixed()]
#' @examples
#' prior_fixed(diag(9)) # Bradley-Terry-Luce for nine items
#'
#' # a preference tree: one aspect of each person and one of each profession
#' professions <- kronecker(diag(3), rep(1, 3))
#' colnames(professions) <- c("politician", "athlete", "film star")
#' people <- diag(9)
#' colnames(people) <- rownames(celebrities)
#' tree <- prior_fixed(cbind(people, professions))
#' fit <- fit_choice(celebrities, prior = tree, method = method_gibbs(2, 1000), seed = 1)
#' # the share of each aspect in the sum of all weights: what decides, the person or the profession?
#' round(loadings_of(fit), 3)
#' @export
prior_fixed <- function(z) {
  check_given(z, "z")
  z <- used_columns(check_binary_matrix(z))
  names <- colnames(z)[nzchar(colnames(z))]
  if (anyDuplicated(names)) {
    was <- sprintf("two named \"%s\"", names[anyDuplicated(names)])
    stop_argument("z", "have unique column names", was = was)
  }
  structure(list(z = z), class = c("prior_fixed", "buffet_prior"))
}

# Names of known features, by default f1, f2, ...; NULL without known features

known_names <- function(prior) {
  z <- if (!is.null(prior)) prior$z
  if (is.null(z)) return(NULL)
  names <- paste0("f", seq_len(ncol(z)), recycle0 = TRUE)
  given <- which(nzchar(colnames(z)))
  names[given] <- colnames(z)[given]
  make.unique(names)
}

#' @export
format.prior_fixed <- function(x, ...) {
  sprintf("Z known: %d feature%s", ncol(x$z), if (ncol(x$z) == 1) "" else "s")
}

#' @exportS3Method
prior_spec.prior_fixed <- function(prior, names = NULL) new_prior_spec("fixed")

#' @exportS3Method
prior_hyperparameters.prior_fixed <- function(prior) list()

#' @exportS3Method
draw_features.prior_fixed <- function(prior, rows) {
  if (!is.null(rows) && check_count(rows, "rows") != nrow(prior$z)) {
    stop_argument("rows", sprintf("be %d, the rows of `z`", nrow(prior$z)), rows)
  }
  prior$z
}

#' @exportS3Method
prior_n_features.prior_fixed <- function(prior, rows, n) as.numeric(n == ncol(prior$z))
