# Returns the starting points, with one list(features, values) per chain, or with a single one if
# features are known, which chains never leave
# sigma: Standard deviations or their priors, by name.
check_init <- function(init, rows, sigma, prior, method) {
  learned <- vapply(c(prior_hyperparameters(prior), sigma), is_learned, NA)
  unknown <- stats::setNames(rep(NA_real_, length(learned)), names(learned))
  most <- if (samples(method)) method$max_features
  known <- prior$z
  if (!is.null(known)) {
    if (!is.null(most) && ncol(known) > most) {
      must <- sprintf("be at least %d, the number of known features", ncol(known))
      stop_argument("max_features", must, most)
    }
    if (!is.null(init)) stop_argument("init", "be NULL if features are known", init)
    return(list(list(features = known, values = unknown)))
  }
  chains <- method$chains %||% 1
  if (is.null(init)) return(rep(list(list(features = NULL, values = unknown)), chains))
  starts <- rep_len(split_init(init, chains, names(which(learned))), chains)
  starts <- lapply(starts, check_start, rows = rows, learned = learned, prior = prior)
  for (start in starts[!rep_len(are_fits(init), chains)]) check_start_alpha(start$values)
  for (start in starts) check_start_size(start$features, most, "the limit `max_features`")
  starts
}

check_start_size <- function(z, most, why) {
  if (is.null(z) || is.null(most) || sum(colSums(z) > 0) <= most) return(invisible())
  stop_argument("init", sprintf("have at most %s, %s", counted(most, "feature"), why), z)
}

# With alpha above 100, every row would draw too many features in the first sweeps.
check_start_alpha <- function(values) {
  if (isTRUE(values["alpha"] > 100)) {
    stop_argument("init$alpha", "be at most 100", values[["alpha"]])
  }
}

# Splits `init` into one element per chain, or a single element that all chains share
# learned: Names of the hyperparameters that an earlier fit can provide.
split_init <- function(init, chains, learned) {
  if (inherits(init, "buffet_fit")) return(last_draws(init, learned))
  one_for_all <- !is.list(init) || is.data.frame(init) || !is.null(names(init))
  if (one_for_all) return(list(init))
  if (length(init) != chains) {
    was <- sprintf("a list of %d", length(init))
    stop_argument("init", sprintf("have one element per chain (%d)", chains), was = was)
  }
  fits <- are_fits(init)
  init[fits] <- Map(function(fit, chain) {
    rep_len(last_draws(fit, learned), chain)[[chain]]
  }, init[fits], which(fits))
  init
}

are_fits <- function(init) {
  one <- inherits(init, "buffet_fit") || !is.list(init) || length(init) == 0
  if (one) inherits(init, "buffet_fit") else vapply(init, inherits, NA, "buffet_fit")
}

last_draws <- function(fit, learned) {
  if (inherits(fit, "fit_nmf")) {
    stop_argument("init", "be a fit of binary features", was = "one by fit_nmf()")
  }
  last <- dim(fit$internal$scalars)[1]
  learned <- intersect(learned, scalar_names(fit))
  lapply(seq_len(dim(fit$internal$scalars)[2]), function(chain) {
    values <- as.list(fit$internal$scalars[last, chain, learned, drop = TRUE])
    c(list(features = fit$feature_draws[[last * chain]]), stats::setNames(values, learned))
  })
}

check_same_size <- function(init, model) {
  if (identical(dim(model_data(init)), dim(model$data$x))) return(invisible())
  must <- paste("be a fit to data of", describe_size(model$data$x))
  stop_argument("init", must, was = paste("one to", describe_size(model_data(init))))
}

# Positions of the last draw of each chain among all draws
last_of_chains <- function(fit) dim(fit$internal$scalars)[1] * seq_len(dim(fit$internal$scalars)[2])

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
    argument <- sprintf("init$%s", name)
    x <- check_positive(start[[name]], argument)
    # Scales have the range that their arguments allow, other hyperparameters the range of the core.
    range <- if (startsWith(name, "sigma")) c(1e-100, 1e100) else held_range
    values[[name]] <- check_sigma(x, argument, range)
  }
  z <- start$features
  if (!is.null(z)) {
    # The size is checked before a sparse matrix becomes dense.
    if (is_table_like(z) && nrow(z) != rows) {
      must <- sprintf("have a row per row of Z (%d)", rows)
      stop_argument("init", must, was = describe_size(z))
    }
    z <- check_binary_matrix(z, "init")
    check_start_size(z, prior$n_features, "as the prior does")
    z <- used_columns(z)
  }
  list(features = z, values = values)
}
