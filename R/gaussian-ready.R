# The last checks and messages of fit_gaussian() before a run.

# Messages about columns with unequal scales or large means
tell_scale <- function(model) {
  x <- centred(model$data)
  if (is_in_blocks(x) || isS4(x)) return(invisible())
  sds <- column_sds(x)
  varied <- sds[!is.na(sds) & sds > 0]
  if (length(varied) == 0) return(invisible())
  told <- tell_unequal_columns(varied) %||%
    if (may_be_centred(model)) tell_far_columns(colMeans(x, na.rm = TRUE), varied)
  if (!is.null(told)) message(told)
}

tell_unequal_columns <- function(sds) {
  if (max(sds) <= 10 * min(sds)) return(NULL)
  sprintf(paste(
    "Columns have standard deviations from %.3g to %.3g, and the features are those of the",
    "largest: `scale = TRUE` gives all columns the same weight."
  ), min(sds), max(sds))
}

tell_far_columns <- function(means, sds) {
  distance <- sqrt(mean(means^2, na.rm = TRUE))
  size <- sqrt(mean(sds^2))
  if (distance < 3 * size) return(NULL)
  sprintf(paste(
    "Columns have means of about %.3g and standard deviations of about %.3g, and features that",
    "every row has explain the means: `center = TRUE` subtracts them."
  ), distance, size)
}

may_be_centred <- function(model) model$loadings == "normal" && is.null(model$given$center)

# Noise around 0 is negative half of the time, but small compared with the signal.
warn_of_negative <- function(x, instead) {
  if (!is.matrix(x)) return(invisible())
  share <- sum(x[which(x < 0)]^2) / max(sum(x^2, na.rm = TRUE), .Machine$double.xmin)
  if (share <= 1 / 3) return(invisible())
  warning(sprintf(paste(
    "%.0f %% of the sum of squares of `x` is negative, which nonnegative loadings explain as",
    "noise. %s explains both signs."
  ), 100 * share, instead), call. = FALSE)
}

# Fixed standard deviations must be able to explain the data in double precision
# Data much larger than both would need an impossible number of features. Too little noise is a
# problem only if loadings are integrated out.
#' @exportS3Method
check_ready.gaussian_model <- function(model) {
  tell_scale(model)
  tell_constant_scaled(model)
  if (model$loadings == "nonnegative") {
    warn_of_negative(centred(model$data), "`loadings = \"normal\"`")
  }
  sigma <- model$sigma
  fixed <- vapply(sigma, is.numeric, NA)
  if (!all(fixed)) return(invisible())
  least <- min(sigma$sigma_x)
  if (model$loadings == "normal" && least < 1e-3 * sigma$sigma_a) {
    must <- sprintf("be at least a thousandth of `sigma_a` (%g)", sigma$sigma_a)
    stop_argument("sigma_x", must, least)
  }
  size <- root_mean_square(centred(model$data))
  if (size^2 > max(sigma$sigma_x)^2 + 1000 * sigma$sigma_a^2) {
    must <- sprintf("fit data with root mean square %.3g (more than 1000 features)", size)
    stop_argument("sigma_a", must, sigma$sigma_a)
  }
}
