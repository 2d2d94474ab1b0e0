#' Starting points of the chains, one list(features, values) a chain
#'
#' Known features are where chains start and stay.
#'
#' @param learned Is each hyperparameter that a start can give learned? By name.
#' @noRd
check_init <- function(init, rows, learned, prior, method) {
  most <- if (inherits(method, "method_gibbs")) method$max_features
  if (inherits(prior, "prior_fixed")) {
    check_room(most, prior)
    if (!is.null(init)) stop_argument("init", "be NULL where features are known", init)
    values <- stats::setNames(rep(NA_real_, length(learned)), names(learned))
    return(list(list(features = prior$z, values = values)))
  }
  chains <- method$chains %||% 1
  starts <- rep_len(split_init(init, chains, names(which(learned))), chains)
  starts <- lapply(starts, check_start, rows = rows, learned = learned, prior = prior)
  for (start in starts) check_start_size(start$features, most, "as `max_features` says")
  starts
}

check_room <- function(most, prior) {
  if (is.null(most) || ncol(prior$z) <= most) return(invisible())
  must <- sprintf("be at least %d, the number of known features", ncol(prior$z))
  stop_argument("max_features", must, most)
}

check_start_size <- function(z, most, why) {
  if (is.null(z) || is.null(most) || sum(colSums(z) > 0) <= most) return(invisible())
  stop_argument("init", sprintf("have at most %d features, %s", most, why), z)
}

check_gaussian_init <- function(init, x, sigma, prior, method) {
  learned <- c(
    learned_by(prior), sigma_x = is_learned(sigma$sigma_x), sigma_a = is_learned(sigma$sigma_a)
  )
  starts <- check_init(init, nrow(x), learned, prior, method)
  if (inherits(init, "buffet_fit")) return(lapply(starts, within_reach, sigma))
  for (start in starts) check_start_values(start$values, sigma, root_mean_square(x))
  starts
}

#' Which hyperparameters a prior learns
#' @noRd
learned_by <- function(prior) {
  c(alpha = is_learned(prior$alpha), concentration = is_learned(prior$concentration))
}

#' A fit with nonnegative loadings can have less noise than chains with normal ones may start from
#' @noRd
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

check_start_alpha <- function(values) {
  if (isTRUE(values[["alpha"]] > 1000)) {
    stop_argument("init$alpha", "be at most 1000", values[["alpha"]])
  }
}

#' Starting values from which chains can leave
#' @noRd
check_start_values <- function(values, sigma, rms) {
  check_start_alpha(values)
  if (all(is.na(values[c("sigma_x", "sigma_a")]))) return(invisible())
  size <- function(name) if (is_learned(sigma[[name]])) values[[name]] else min(sigma[[name]])
  if (isTRUE(size("sigma_x") < 1e-3 * size("sigma_a"))) {
    must <- sprintf("have a `sigma_x` of at least a thousandth of `sigma_a` (%g)", size("sigma_a"))
    stop_argument("init", must, size("sigma_x"))
  }
  for (name in c("sigma_x", "sigma_a")) {
    if (isTRUE(values[[name]] < 1e-4 * rms)) {
      must <- sprintf("be at least 1e-4 of the data's root mean square (%.3g)", rms)
      stop_argument(sprintf("init$%s", name), must, values[[name]])
    }
  }
}

is_learned <- function(hyper) inherits(hyper, "gamma_prior")

#' One element a chain, or one for all
#' @param learned Names of the hyperparameters that an earlier fit can hand on.
#' @noRd
split_init <- function(init, chains, learned) {
  if (is.null(init)) return(list(NULL))
  if (inherits(init, "fit_nmf")) {
    stop_argument("init", "be a fit of binary features", was = "one by fit_nmf()")
  }
  if (inherits(init, "buffet_fit")) return(last_draws(init, learned))
  one_for_all <- !is.list(init) || is.data.frame(init) || !is.null(names(init))
  if (one_for_all) return(list(init))
  if (length(init) != chains) {
    was <- sprintf("a list of %d", length(init))
    stop_argument("init", sprintf("have one element a chain (%d)", chains), was = was)
  }
  init
}

last_draws <- function(fit, learned) {
  last <- dim(fit$scalars)[1]
  learned <- intersect(learned, scalar_names(fit))
  lapply(seq_len(dim(fit$scalars)[2]), function(chain) {
    values <- as.list(fit$scalars[last, chain, learned, drop = TRUE])
    c(list(features = fit$draws[[last * chain]]), stats::setNames(values, learned))
  })
}

check_start <- function(start, rows, learned, prior) {
  values <- stats::setNames(rep(NA_real_, length(learned)), names(learned))
  if (is.null(start)) return(list(features = NULL, values = values))
  if (!is.list(start) || is.data.frame(start)) start <- list(features = start)
  unknown <- setdiff(names(start), c("features", names(learned)))
  if (length(unknown) > 0 || is.null(names(start))) {
    known <- paste0("`", c("features", names(learned)), "`", collapse = ", ")
    was <- if (length(unknown)) sprintf("`%s`", unknown[1]) else "an unnamed list"
    stop_argument("init", paste("have elements named", known), was = was)
  }
  for (name in intersect(names(start), names(learned))) {
    if (!learned[[name]]) {
      stop_argument("init", sprintf("not give `%s`, which is fixed", name), start[[name]])
    }
    values[[name]] <- check_positive(start[[name]], sprintf("init$%s", name))
  }
  list(features = check_start_features(start$features, rows, prior), values = values)
}

check_start_features <- function(z, rows, prior) {
  if (is.null(z)) return(NULL)
  z <- check_binary_matrix(z, "init")
  if (nrow(z) != rows) {
    stop_argument("init", sprintf("have a row per row of the data (%d)", rows), z)
  }
  check_start_size(z, prior$n_features, "as the prior does")
  z
}
