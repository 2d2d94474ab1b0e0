# Methods of fit_gaussian() that do not sample: requirements, and the run.

check_gaussian <- function(model, method) {
  if (!inherits(model, "gaussian_model")) refuse_method(model, method)
}

# The prior must be an IBP or a beta-Bernoulli prior, with a fixed concentration
# by: The call that made the method.
check_exchangeable <- function(prior, by) {
  if (!is_exchangeable(prior)) {
    was <- if (is.null(prior$tree)) describe_value(prior) else "one on a tree"
    stop_argument("prior", paste("be exchangeable for", by), was = was)
  }
  if (prior_spec(prior)$kind != "exchangeable") {
    stop_argument("prior", paste("be a prior_ibp() or prior_beta_bernoulli() for", by), prior)
  }
  if (is_learned(prior$concentration)) {
    stop_argument("concentration", paste("be one number for", by), prior$concentration)
  }
}

# alpha can be integrated out only under infinite priors
check_finite_alpha <- function(prior, by) {
  if (!is.null(prior$n_features) && is_learned(prior$alpha)) {
    must <- sprintf("be one number for %s with prior_beta_bernoulli()", by)
    stop_argument("alpha", must, prior$alpha)
  }
}

point_model <- function(model) {
  c(list(prior = model$prior_spec), lapply(model$sigma, precision_spec))
}

# core: As run_to_end() calls it.
# first: What must be done before there is a fit, for errors.
fit_factorised <- function(method, model, starts, control, core, first) {
  run <- new_run(method, model, starts, control)
  done <- run_to_end(run, core, control$file, control$verbose)
  if (is.null(done$result$features) && is.null(done$result$probabilities)) {
    abort("interrupted before ", first, how_to_resume(done$file), ".")
  }
  if (control$own_starts) done <- from_halves(done, method, model, control, core)
  method["threads"] <- NULL
  fit <- finish_point(done, model, method)
  warn_of_no_features(fit)
  fit
}

# A method that found no features tries again from two: the rows on either side of the mean along
# the first principal component. One feature may have a lower bound than none even if two have a
# higher one
from_halves <- function(done, method, model, control, core) {
  x <- centred(model$data)
  none <- count_features(done$result) == 0 && done$result$finished
  if (!none || !is.matrix(x) || nrow(x) < 2 || !takes_features(method)) return(done)
  starts <- check_starts(model, principal_halves(x), method)
  control[c("own_starts", "search")] <- FALSE
  control["file"] <- list(NULL)
  again <- run_to_end(new_run(method, model, starts, control), core, NULL, control$verbose)
  if (!isTRUE(again$result$bound > done$result$bound)) return(done)
  done$result <- again$result
  done
}

count_features <- function(result) {
  raw <- result$features %||% (result$probabilities > 0.5)
  sum(colSums(raw) > 0)
}

takes_features <- function(method) !is.null(method$max_features) && method$max_features >= 2

# Rows on either side of the mean along the first principal component; missing entries are means
principal_halves <- function(x) {
  x <- sweep(x, 2, colMeans(x, na.rm = TRUE))
  x[is.na(x)] <- 0
  above <- svd(x, nu = 1, nv = 0)$u[, 1] > 0
  cbind(above, !above) + 0
}

warn_of_no_features <- function(fit) {
  if (scalar(fit, "n_features") > 0) return(invisible())
  warning(
    "no features were found: by the bound, noise alone explains `x` better. ",
    if (is_scaled(fit$internal$model)) "A" else "`scale = TRUE`, a",
    " smaller fixed `sigma_x` or method_gibbs() may find some.",
    call. = FALSE
  )
}

# An altered saved state can lead to an objective that is not finite
check_objective <- function(result, method) {
  name <- name_objective(method)
  if (!result$finished || !is.nan(result[[names(name)]])) return(invisible())
  abort(
    "the ", tolower(name), " came to no number: a saved state is damaged, or values of the data ",
    "are too large or too small."
  )
}

finish_point <- function(done, model, method) {
  check_objective(done$result, method)
  if (!done$result$finished) {
    warning(
      "interrupted: the fit is the best point so far", how_to_resume(done$file), ".", call. = FALSE
    )
  }
  new_factorised(done$result, model, method, done$seed)
}
