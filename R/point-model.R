# Methods of fit_gaussian() that do not sample: their requirements, and how they are run.

# Checks the requirements of methods of fit_gaussian() that do not sample: the prior must be an IBP
# or a beta-Bernoulli prior with a fixed concentration
# loadings: For a method that estimates Z itself, the only kind of loadings that it supports. Such a
# method needs a closed form for alpha, which exists only under infinite priors.
check_gaussian <- function(model, method, loadings = NULL) {
  if (!inherits(model, "gaussian_model")) refuse_method(model, method)
  prior <- model$prior
  by <- name_of(method)
  if (!is.null(loadings) && model$loadings != loadings) {
    stop_argument("loadings", sprintf("be \"%s\" for %s", loadings, by), model$loadings)
  }
  if (!has_closed_forms(prior)) {
    was <- if (is.null(prior$tree)) describe_value(prior) else "one on a tree"
    stop_argument("prior", paste("be exchangeable for", by), was = was)
  }
  if (is_learned(prior$concentration)) {
    stop_argument("concentration", paste("be one number for", by), prior$concentration)
  }
  if (!is.null(loadings) && !is.null(prior$n_features) && is_learned(prior$alpha)) {
    must <- sprintf("be one number for %s with prior_beta_bernoulli()", by)
    stop_argument("alpha", must, prior$alpha)
  }
}

point_model <- function(model) {
  c(list(prior = model$prior_spec), lapply(model$sigma, precision_spec))
}

# core: See run_to_end().
# first: What a run must complete before there is a fit, for use in errors.
fit_factorised <- function(method, model, starts, control, core, first) {
  run <- new_run(method, model, starts, control)
  done <- run_to_end(run, core, control$file, control$verbose)
  if (is.null(done$result$features) && is.null(done$result$probabilities)) {
    abort("interrupted before ", first, how_to_resume(done$file), ".")
  }
  if (control$own_starts) done <- from_halves(done, method, model, control, core)
  method["cores"] <- NULL
  check_objective(done, method)
  fit <- new_factorised(done$result, model, method, done$seed)
  if (scalar(fit, "n_features") == 0) {
    warning(
      "no features were found: according to the bound, noise alone explains `x` better. ",
      if (is_scaled(model)) "A" else "`scale = TRUE`, a",
      " smaller fixed `sigma_x` or method_gibbs() may find some.",
      call. = FALSE
    )
  }
  fit
}

# If a method finds no features, it tries again with two: the rows on either side of the mean along
# the first principal component. The lower bound with one feature may be higher than with none, even
# if the bound with two features is higher still.
from_halves <- function(done, method, model, control, core) {
  x <- centred(model$data)
  raw <- done$result$features %||% (done$result$probabilities > 0.5)
  none <- !any(raw > 0) && done$result$finished
  if (!none || !is.matrix(x) || nrow(x) < 2 || !isTRUE(method$max_features >= 2)) return(done)
  # Replace missing entries by column means.
  x <- sweep(x, 2, colMeans(x, na.rm = TRUE))
  x[is.na(x)] <- 0
  above <- svd(x, nu = 1, nv = 0)$u[, 1] > 0
  starts <- check_starts(model, cbind(above, !above) + 0, method)
  control[c("own_starts", "search")] <- FALSE
  control["file"] <- list(NULL)
  again <- run_to_end(new_run(method, model, starts, control), core, NULL, control$verbose)
  if (isTRUE(again$result$bound > done$result$bound)) done$result <- again$result
  done
}

# Warns about an interrupt, and stops if a corrupted saved state leads to an objective that is not
# finite
check_objective <- function(done, method) {
  if (!done$result$finished) {
    why <- "interrupted: the fit is the best point so far"
    warning(why, how_to_resume(done$file), ".", call. = FALSE)
    return(invisible())
  }
  name <- name_objective(method)
  if (!is.nan(done$result[[names(name)]])) return(invisible())
  abort(
    "the ", tolower(name), " is not a number: a saved state is damaged, or values of the data are ",
    "too large or too small."
  )
}

# Fits of linear-Gaussian models by optimisation. They have one point estimate of Z, or the
# probabilities of its entries, and a variational posterior of the loadings and gamma factors of the
# hyperparameters.
# result: From the core: Z (`features`) or the probabilities of its entries, and the posterior of
# the loadings. The posterior has the element `mean` and, for independent normals, which are
# truncated if loadings are nonnegative, `location` and `scale` (D x K). Otherwise it has
# `covariance`, a list of matrices, and the number of each column's element in this list.
new_factorised <- function(result, model, method, seed) {
  x <- model$data$x
  raw <- result$features %||% (result$probabilities > 0.5) + 0L
  used <- which(colSums(raw) > 0)
  z <- label_features(raw[, used, drop = FALSE], rownames(x))
  # Put empty features last.
  order <- c(used[match_columns(z, raw[, used, drop = FALSE])], setdiff(seq_len(ncol(raw)), used))
  some <- function(m) if (!is.null(m)) m[, order, drop = FALSE]
  factors <- result[c("alpha", "tau_x", "tau_a")]
  size <- function(tau) unname(1 / sqrt(tau[["mean"]]))
  values <- c(
    n_features = ncol(z), n_ones = sum(z), alpha = factors$alpha[["mean"]],
    concentration = model$prior$concentration, sigma_x = size(factors$tau_x),
    sigma_a = size(factors$tau_a), bound = result$bound + model$traits$log_unit
  )
  draws <- new_feature_draws(nrow(x), ncol(z), pack_bits(z), rownames(x))
  with_estimates(new_fit(
    model, method, "fit_point", seed, draws, point = 1L,
    scalars = array(values, c(1, 1, length(values)), list(NULL, NULL, names(values))),
    probabilities = some(result$probabilities), log_odds = result$log_odds[order],
    factors = factors,
    # The trace starts when there are at most max_features features.
    trace = result$trace[is.finite(result$trace)] + model$traits$log_unit,
    residual = result$residual, finished = result$finished, mean = some(result$mean),
    location = some(result$location), scale = some(result$scale),
    covariance = lapply(result$covariance, function(v) v[order, order, drop = FALSE]),
    covariance_of = result$covariance_of
  ))
}

# Expected features of every row, N x K: Z, or the probabilities of its entries
# The probabilities also cover features whose probability is at most 1/2 in every row.
expected_features <- function(fit) fit$internal$probabilities %||% fit$features

pack_bits <- function(z) {
  filled <- matrix(FALSE, 64 * ceiling(nrow(z) / 64), ncol(z))
  filled[seq_len(nrow(z)), ] <- z == 1
  packBits(as.vector(filled))
}

point_loadings <- function(fit) {
  z <- fit$features
  found <- fit$internal
  labelled <- function(m) {
    out <- t(m)[seq_len(ncol(z)), , drop = FALSE]
    dimnames(out) <- list(colnames(z), colnames(model_data(fit)))
    out
  }
  if (found$model$loadings == "nonnegative" && !is.null(found$location)) {
    return(structure(labelled(found$mean),
      location = labelled(found$location), scale = labelled(found$scale)
    ))
  }
  structure(labelled(found$mean), sd = labelled(sqrt(loading_variances(fit))))
}

loading_variances <- function(fit) {
  found <- fit$internal
  if (is.null(found$location)) {
    return(do.call(rbind, lapply(found$covariance, diag))[found$covariance_of, , drop = FALSE])
  }
  if (found$model$loadings == "normal") return(found$scale^2)
  nonnegative_moments_cpp(found$location, found$scale)$variance
}

known_loadings <- function(fit) {
  found <- fit$internal
  joint <- is.null(found$location)
  list(
    mean = found$mean, variances = if (!joint) loading_variances(fit),
    covariance = if (joint) found$covariance, covariance_of = found$covariance_of,
    variance = scalar(fit, "sigma_x")^2
  )
}

# Features and expected data of new rows
# rows: New rows in the units of the model.
# Returns list(features, probabilities, response): rows x features of `features(fit)`, rows x
# features that have loadings, and rows x D.
point_rows <- function(method, fit, rows) UseMethod("point_rows")

#' @exportS3Method
new_response.fit_point <- function(fit, rows, which) {
  point_rows(fit$method, fit, in_model_units(fit, rows))$response
}

draw_point_loadings <- function(found, seed) {
  if (is.null(found$location)) {
    # Draw normal loadings, which are correlated within a column.
    return(seeded(seed, {
      if (ncol(found$mean) > 0) {
        roots <- lapply(found$covariance, chol)
        noise <- matrix(stats::rnorm(length(found$mean)), nrow(found$mean))
        for (d in seq_len(nrow(noise))) noise[d, ] <- noise[d, ] %*% roots[[found$covariance_of[d]]]
        found$mean + noise
      } else {
        found$mean
      }
    }))
  }
  if (found$model$loadings == "nonnegative") {
    return(nonnegative_draw_cpp(found$location, found$scale, seed))
  }
  seeded(seed, found$location + found$scale * stats::rnorm(length(found$scale)))
}

#' @exportS3Method
check_model.method_meibp <- function(method, model) {
  check_gaussian(model, method, "nonnegative")
  # Above this limit, doubles cannot resolve the number of rows that have a feature.
  bounded <- c(if (!is.null(model$prior$n_features)) "alpha", "concentration")
  for (name in bounded) {
    value <- model$prior[[name]]
    if (value > 1e10) stop_argument(name, "be at most 1e10 for method_meibp()", value)
  }
  method
}

#' @exportS3Method
fit_by.method_meibp <- function(method, model, starts, control) {
  core <- function(run, plan, watch) {
    work <- list(data = run$model$data, model = point_model(run$model), plan = plan)
    run_on_rows(meibp_cpp, meibp_member_cpp, work, watch, control$cl)
  }
  fit_factorised(method, model, starts, control, core, "all rows were searched")
}

#' @exportS3Method
point_rows.method_meibp <- function(method, fit, rows) {
  known <- fit$internal
  prior <- known$model$prior_spec
  prior$alpha <- hyper_spec(scalar(fit, "alpha"))
  found <- meibp_new_rows_cpp(rows, list(
    mean = known$mean, variance = loading_variances(fit), tau_x = known$factors$tau_x[["mean"]],
    tau_a = known$factors$tau_a[["mean"]], counts = unname(colSums(fit$features)),
    rows = nobs(fit), prior = prior
  ))
  z <- found$features
  list(features = z, probabilities = z, response = t(found$response))
}

#' @exportS3Method
check_model.method_soft <- function(method, model) {
  check_gaussian(model, method)
  prior <- model$prior
  by <- name_of(method)
  if (isTRUE(prior$discount > 0)) stop_argument("discount", paste("be 0 for", by), prior$discount)
  if (identical(method$form, "infinite")) {
    if (!is.null(prior$n_features)) {
      stop_argument("form", "be \"finite\" for prior_beta_bernoulli()", "infinite")
    }
    if (prior$concentration != 1) {
      must <- "be 1 for method_variational() with form \"infinite\""
      stop_argument("concentration", must, prior$concentration)
    }
  }
  if (is_learned(prior$alpha) && prior$concentration != 1) {
    must <- paste("be one number for", by, "if `concentration` is not 1")
    stop_argument("alpha", must, prior$alpha)
  }
  if (prior$concentration > 1e10) {
    stop_argument("concentration", paste("be at most 1e10 for", by), prior$concentration)
  }
  method
}

#' @exportS3Method
fit_by.method_soft <- function(method, model, starts, control) {
  method$restarts <- method$restarts %||% if (prod(dim(model$data$x)) <= 1000) 10L else 1L
  prior <- model$prior
  probabilities <- list(
    alpha = hyper_spec(prior$alpha), concentration = prior$concentration,
    features = prior$n_features %||% method$max_features
  )
  spec <- c(
    list(form = method$form %||% "joint", loadings = model$loadings, probabilities = probabilities),
    lapply(model$sigma, precision_spec)
  )
  core <- function(run, plan, watch) {
    # Power EP adds features one at a time.
    plan$only_growing <- inherits(run$method, "method_power_ep")
    work <- list(data = run$model$data, model = spec, plan = plan)
    run_on_rows(variational_cpp, variational_member_cpp, work, watch, control$cl)
  }
  fit_factorised(method, model, starts, control, core, "the first step was done")
}

#' @exportS3Method
point_rows.method_soft <- function(method, fit, rows) {
  p <- variational_new_rows_cpp(rows, fit$internal$log_odds, known_loadings(fit))
  list(
    features = p[, seq_len(ncol(fit$features)), drop = FALSE], probabilities = p,
    response = tcrossprod(p, fit$internal$mean)
  )
}

#' @exportS3Method
check_model.method_beam <- function(method, model) {
  check_gaussian(model, method, "normal")
  method
}

#' @exportS3Method
fit_by.method_beam <- function(method, model, starts, control) {
  core <- function(run, plan, watch) {
    beam_cpp(centred(run$model$data), point_model(run$model), plan, watch)
  }
  fit_factorised(method, model, starts, control, core, "the first search was done")
}

#' @exportS3Method
point_rows.method_beam <- function(method, fit, rows) {
  z <- beam_new_rows_cpp(rows, c(known_loadings(fit), list(
    sigma_a = scalar(fit, "sigma_a"), counts = unname(colSums(fit$features)), rows = nobs(fit),
    prior = fit$internal$model$prior_spec
  )))
  list(features = z, probabilities = z, response = tcrossprod(z, fit$internal$mean))
}
