# Features and their complements. With a bias, a row that has the complement of a feature is one
# that does not have the feature: the bias changes by its weights, and the weights change their
# signs, so both make the same likelihood.

#' Are a feature and its complement the same? They are if every linear predictor has a bias. Known
#' features stay as they are given
#' @noRd
has_complements <- function(model) UseMethod("has_complements")

#' @exportS3Method
#' @noRd
has_complements.buffet_model <- function(model) FALSE

#' @exportS3Method
#' @noRd
has_complements.logistic_model <- function(model) {
  has_bias(model) && is.null(known_features(model$prior))
}

#' @exportS3Method
#' @noRd
has_complements.mixed_model <- function(model) {
  model$bias && is.null(known_features(model$prior))
}

#' Each feature of a matrix, or its complement: what is nearer to a feature of another matrix, or
#' what fewer rows have if neither is near
#' @noRd
coded_like <- function(z, like = z[, 0, drop = FALSE]) flip_columns(z, complements_cpp(z, like))

flip_columns <- function(z, which) {
  z[, which] <- 1L - z[, which]
  z
}
