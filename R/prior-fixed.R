#' Known features
#'
#' For [fit_choice()] and [fit_logistic()], which then learn the weights of these features alone.
#'
#' Of choices, with one feature of each item alone, this is the model of Bradley, Terry and Luce,
#' with features that form a tree the preference tree of Tversky and Sattath (1979), otherwise
#' elimination by given aspects. An item all of whose aspects another has too is chosen over it by
#' lapses alone: with `epsilon = 0` counts that say otherwise are refused. Of binary data it is a
#' logistic regression of every column on the features.
#'
#' @param z Matrix of zeros and ones with a row per row of the data (of choices per item) and a
#'   column per feature. Rows are named as those, or without names and in their order: numeric,
#'   integer or logical matrix, data frame, or sparse matrix of the Matrix package. Columns without
#'   a one are left out; the others keep their order and, where they have any, their names, in
#'   [features()] and all that is told of them.
#' @return An object of class `prior_fixed`, for the `prior` argument of [fit_choice()],
#'   [fit_logistic()] and [fit_mixed()] (other fits do not take it), with methods for `format()`,
#'   `print()` and [simulate()][simulate.buffet_prior].
#' @references
#' Tversky, A. and Sattath, S. (1979). Preference trees. *Psychological Review* 86, 542-573.
#' @seealso [fit_choice()], [fit_logistic()]
#' @examples
#' prior_fixed(diag(9)) # Bradley-Terry-Luce for nine items
#'
#' # a preference tree: one aspect of each person and one of each profession
#' professions <- kronecker(diag(3), rep(1, 3))
#' tree <- prior_fixed(cbind(diag(9), professions))
#' fit <- fit_choice(celebrities, prior = tree, method = method_gibbs(2, 1000), seed = 1)
#' round(loadings_of(fit), 3)
#' @export
prior_fixed <- function(z) {
  z <- used_columns(check_binary_matrix(z))
  names <- colnames(z)[nzchar(colnames(z))]
  if (anyDuplicated(names)) {
    was <- sprintf("two named \"%s\"", names[anyDuplicated(names)])
    stop_argument("z", "have columns of different names", was = was)
  }
  structure(list(z = z), class = c("prior_fixed", "buffet_prior"))
}

#' Names of the features that a prior knows, f1, f2, ... where they have none; NULL if it knows none
#' @param prior NULL where a model has none.
#' @noRd
known_names <- function(prior) {
  z <- if (!is.null(prior)) known_features(prior)
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
#' @noRd
prior_spec.prior_fixed <- function(prior, names = NULL) new_prior_spec("fixed")

#' @exportS3Method
#' @noRd
prior_hyperparameters.prior_fixed <- function(prior) list()

#' @exportS3Method
#' @noRd
known_features.prior_fixed <- function(prior) prior$z

#' @exportS3Method
#' @noRd
check_new_rows.prior_fixed <- function(prior, newdata) {
  stop_argument("newdata", "be NULL: the features of new rows are not known", newdata)
}

#' @exportS3Method
#' @noRd
draw_features.prior_fixed <- function(prior, rows) {
  if (!is.null(rows) && check_count(rows, "rows") != nrow(prior$z)) {
    stop_argument("rows", sprintf("be %d, the rows of `z`", nrow(prior$z)), rows)
  }
  prior$z
}

#' @exportS3Method
#' @noRd
prior_n_features.prior_fixed <- function(prior, rows, n) as.numeric(n == ncol(prior$z))

#' @exportS3Method
#' @noRd
#' @srrstats {BS2.1} Known features must have a row per row of the data; check_start_features() asks
#'   it of `init`, check_newdata() columns of new rows.
match_prior.prior_fixed <- function(prior, x, row = "row of the data") {
  z <- prior$z
  if (nrow(z) != nrow(x)) stop_argument("z", sprintf("have a row per %s (%d)", row, nrow(x)), z)
  if (is.null(rownames(z)) || is.null(rownames(x))) return(prior)
  lost <- setdiff(rownames(x), rownames(z))
  if (length(lost) > 0) {
    must <- sprintf("have a row named as every %s, or no row names", row)
    stop_argument("z", must, was = sprintf("one without \"%s\"", lost[1]))
  }
  prior$z <- z[rownames(x), , drop = FALSE]
  prior
}
