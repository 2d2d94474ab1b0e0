# Starts of chains of fit_gaussian().

#' @exportS3Method
check_starts.gaussian_model <- function(model, init, method) {
  x <- model$data$x
  sigma <- model$sigma
  learned <- c(learned_by(model$prior), vapply(sigma, is_learned, NA))
  starts <- check_init(init, nrow(x), learned, model$prior, method)
  fits <- rep_len(are_fits(init), length(starts))
  starts[fits] <- lapply(starts[fits], within_reach, sigma)
  rms <- root_mean_square(centred(model$data))
  for (start in starts[!fits]) check_start_values(start$values, sigma, rms)
  starts
}

# Adapts a fit with nonnegative loadings, which can have less noise than normal ones allow
within_reach <- function(start, sigma) {
  values <- start$values
  size <- function(name) if (is_learned(sigma[[name]])) values[[name]] else min(sigma[[name]])
  if (is.na(size("sigma_x")) || is.na(size("sigma_a"))) return(start)
  least <- 2e-3 * size("sigma_a")
  if (size("sigma_x") >= least) return(start)
  if (is_learned(sigma$sigma_x)) {
    start$values[["sigma_x"]] <- least
  } else {
    start$values[["sigma_a"]] <- size("sigma_x") / 2e-3
  }
  start
}

# Refuses starting values that chains cannot leave
check_start_values <- function(values, sigma, rms) {
  if (all(is.na(values[c("sigma_x", "sigma_a")]))) return(invisible())
  size <- function(name) if (is_learned(sigma[[name]])) values[[name]] else min(sigma[[name]])
  if (isTRUE(size("sigma_x") < 1e-3 * size("sigma_a"))) {
    must <- sprintf("have a `sigma_x` of at least a thousandth of `sigma_a` (%g)", size("sigma_a"))
    stop_argument("init", must, size("sigma_x"))
  }
  larger <- max(size("sigma_x"), size("sigma_a"))
  if (isTRUE(larger < 0.1 * rms)) {
    least <- "at least a tenth of the data's root mean square"
    must <- sprintf("have a `sigma_x` or a `sigma_a` of %s (%.3g)", least, rms)
    stop_argument("init", must, was = sprintf("%.3g and %.3g", size("sigma_x"), size("sigma_a")))
  }
  for (name in c("sigma_x", "sigma_a")) {
    if (isTRUE(values[[name]] < 1e-4 * rms)) {
      must <- sprintf("be at least 1e-4 of the data's root mean square (%.3g)", rms)
      stop_argument(sprintf("init$%s", name), must, values[[name]])
    }
  }
}
