# done: The result of run_to_end(), whose element `chains` has list(scalars, sizes, bits, loadings,
# bytes, byte_counts, state, failure, regrouped, moves) for each chain.
# planned: Number of sweeps in the whole run, even if it was interrupted during warm-up.
new_fit_mcmc <- function(done, run, planned = run$method$iter) {
  model <- run$model
  method <- run$method
  chains <- drop_failed(done$chains, run)
  counts <- vapply(chains, function(chain) length(chain$sizes), 1L)
  warn_if_interrupted(counts, run, done$file)
  chains <- chains[counts > 0]
  method$chains <- length(chains)
  # The draws do not depend on these arguments.
  method[c("cores", "refresh")] <- NULL
  kept <- min(counts[counts > 0])
  # Number of sweeps that all chains have finished. Chains that stopped within a sweep do not record
  # this sweep.
  drawn <- (method$warmup %/% method$thin + kept) * method$thin
  made <- max(as.integer(drawn), min(sweeps_of_chains(chains)))
  if (made < planned && method$max_iter == planned) method$max_iter <- made
  method$iter <- made
  parts <- lapply(chains, split_chain, kept, model)
  stored <- function(what) unlist(lapply(parts, function(part) part$kept[[what]]))
  rows <- model$traits$rows
  draws <- new_feature_draws(
    rows$n, stored("sizes"), stored("bits"), rows$names,
    if (!is.null(model$prior$z)) known_names(model$prior$z)
  )
  # Convert log densities to the original units of the data.
  scalars <- lapply(c(FALSE, TRUE), function(warmup) {
    out <- scalar_array(chains, kept, warmup)
    densities <- c("log_lik", "log_joint")
    out[, , densities] <- out[, , densities] + model$traits$log_unit
    out
  })
  fit <- new_fit(model, method, "fit_mcmc", done$seed, draws,
    scalars = scalars[[1]], warmup_scalars = scalars[[2]], draws_loadings = stored("loadings"),
    draws_bytes = stored("bytes"), byte_counts = stored("byte_counts"),
    chains = lapply(parts, `[[`, "further")
  )
  if (made < planned) fit$internal$planned <- planned
  log_joint <- scalar(fit, "log_joint")
  fit$internal$point <- if (inherits(fit, "fit_nmf")) {
    which.max(log_joint)
  } else if (inherits(fit, "fit_cascade")) {
    usual <- usual_draws(fit, trusted_draws(fit))
    usual[which.max(log_joint[usual])]
  } else {
    medoid_of(fit, trusted_draws(fit))
  }
  fit$draws <- as_draws(fit)
  with_estimates(fit)
}

# A fit without its call, data and arguments, which fit_model() adds, and without its estimates,
# which with_estimates() adds
# kind: "fit_mcmc" or "fit_point".
# feature_draws,...: The draws of Z, and the elements of `internal`.
new_fit <- function(model, method, kind, seed, feature_draws, ...) {
  structure(
    list(
      call = NULL, seed = seed, draws = NULL, features = NULL, loadings = NULL,
      feature_draws = feature_draws, prior = model$prior, method = method, data = NULL,
      args = NULL, version = utils::packageVersion("buffet"),
      internal = list(format = fit_format, model = model, ...)
    ),
    class = c(fit_class(model), kind, "buffet_fit")
  )
}

# The data in the form that the core uses
model_data <- function(fit) {
  check_format(fit)
  fit$internal$model$data$x
}

# Version number of the format of a fit. Other versions of the package can read the fit if they use
# the same number.
fit_format <- 2L

# The elements that functions read, some of which can be NULL. update() also reads the call, the
# data and the arguments; the other elements are for users only.
read_elements <- c("internal", "features", "loadings", "feature_draws", "prior", "method", "seed")

# Stops if this version cannot read a fit, because an element was removed or the format differs
check_format <- function(fit) {
  lost <- setdiff(read_elements, names(fit))
  if (length(lost) > 0) {
    abort("the fit has no element `", lost[1], "`: it was removed after the fit was made.")
  }
  if (identical(fit$internal$format, fit_format)) return(invisible())
  by <- if (inherits(fit$version, "package_version")) paste(" by buffet", fit$version)
  abort("the fit", by, " has a format that this version cannot read: run it again.")
}

# Adds the point estimates of the features (NULL for fit_nmf()) and of the loadings
with_estimates <- function(fit) {
  point <- fit$internal$point
  fit["features"] <- list(
    if (!inherits(fit, "fit_nmf")) as_estimate(fit$feature_draws[[point]], fit)
  )
  # If the loadings need an additional chain, an interrupt during it must not lose the draws.
  fit["loadings"] <- list(tryCatch(mean_loadings(fit), interrupt = function(i) NULL))
  fit$internal$shares <- tryCatch(matched_shares(fit), interrupt = function(i) NULL)
  fit
}

# Converts a draw, or a matrix with labels, to the form that features() returns. If document lengths
# are given, the rows of empty documents are NA.
as_estimate <- function(z, fit) {
  if (inherits(fit, "fit_topics")) {
    if (fit$internal$model$lengths == "given") z[empty_documents(model_data(fit)), ] <- NA
    colnames(z) <- topic_names(ncol(z))
  }
  if (traits_of(fit)$complements) z <- label_features(coded_like(z), rownames(z))
  z
}

# Copies the call, data and arguments of another fit
made_as <- function(fit, other) {
  kept <- c("call", "data", "args")
  fit[kept] <- unclass(other)[kept]
  fit
}

stop_no_fit <- function(x) stop_argument("fit", "be a fit by a fit_*() function", x)

# The draws that can be the point estimate: all draws, or, if the chains are separated, the draws of
# the best chain
# found: The result of disagreement().
trusted_draws <- function(fit, found = disagreement(fit)) {
  all <- seq_along(fit$feature_draws)
  if (!isTRUE(found$apart)) return(all)
  kept <- dim(fit$internal$scalars)[1]
  (found$best - 1) * kept + seq_len(kept)
}

# Medoid among the draws with the modal number of features. At most 1000 evenly spaced draws are
# compared, or fewer if many features make comparisons slow, because interrupted fits must return
# within a second.
medoid_of <- function(fit, which) {
  which <- usual_draws(fit, which)
  fields <- unclass(fit$feature_draws)
  cost <- max(1, mean(fields$sizes[which]))^2 * ceiling(fields$rows / 64)
  most <- max(50, min(1000, floor(sqrt(4e8 / cost))))
  some <- evenly_spaced(which, most)
  draws <- unclass(select_draws(fit$feature_draws, some))
  as.integer(some[medoid_cpp(draws, traits_of(fit)$complements)])
}

# At most `most` evenly spaced draws
evenly_spaced <- function(which, most) {
  which[unique(round(seq(1, length(which), length.out = min(most, length(which)))))]
}

# The draws with the modal size of the model (the smallest mode, if there are several). The size is
# the number of layers of a cascade. In other models it is the number of common factors, if any, and
# then the number of features.
usual_draws <- function(fit, which) {
  sizes <- if (inherits(fit, "fit_cascade")) {
    list(scalar(fit, "n_layers"))
  } else {
    c(
      if (inherits(fit, "fit_factor")) list(scalar(fit, "n_common")),
      list(unclass(fit$feature_draws)$sizes)
    )
  }
  for (n in sizes) {
    found <- table(n[which])
    which <- which[n[which] == as.numeric(names(found)[which.max(found)])]
  }
  which
}

drop_failed <- function(chains, run) {
  failures <- vapply(chains, function(chain) chain$failure, "")
  failed <- nzchar(failures)
  if (!any(failed)) return(chains)
  short <- is_out_of_memory(failures)
  if (any(short)) failures[short] <- out_of_memory(run$model, run$method)
  if (all(failed)) abort(failures[1])
  for (chain in which(failed)) {
    text <- "chain %d failed and is left out of the fit: %s"
    warning(sprintf(text, chain, failures[chain]), call. = FALSE)
  }
  chains[!failed]
}

how_to_resume <- function(file) {
  if (is.null(file)) return("")
  "; the same call with the same `file` resumes the run"
}

# counts: Number of draws in each chain. They include draws from the warm-up only if the run was
# interrupted there.
warn_if_interrupted <- function(counts, run, file, resume = how_to_resume(file)) {
  empty <- sum(counts == 0)
  if (empty == length(counts)) abort("interrupted before any draw was saved", resume, ".")
  if (empty > 0) {
    text <- "interrupted before any draw of %d of %d chains was saved: the fit does not include %s"
    them <- if (empty == 1) "it" else "them"
    warning(sprintf(text, empty, length(counts), them), resume, ".", call. = FALSE)
  }
  kept <- min(counts[counts > 0])
  planned <- planned_draws(run$method)
  if (is.null(run$warmup) && kept >= planned) return(invisible())
  text <- sprintf("interrupted: the fit has %d of %d draws per chain", kept, planned)
  if (!is.null(run$warmup)) {
    text <- "interrupted in the warm-up: the fit has the draws of its sweeps %d to %d"
    thin <- run$method$thin
    from <- run$method$warmup
    text <- sprintf(text, from + 1L, (from %/% thin + kept) * thin)
  }
  warning(text, resume, ".", call. = FALSE)
}

# An array, iterations x chains x variables
scalar_array <- function(chains, kept, warmup) {
  records <- vapply(chains, function(chain) ncol(chain$scalars), 1L)
  early <- records - vapply(chains, function(chain) length(chain$sizes), 1L)
  from <- if (warmup) early - min(early) else early
  count <- if (warmup) min(early) else kept
  names <- rownames(chains[[1]]$scalars)
  array(
    unlist(lapply(seq_along(names), function(v) {
      Map(function(chain, skip) chain$scalars[v, skip + seq_len(count)], chains, from)
    })),
    c(count, length(chains), length(names)), list(NULL, NULL, names)
  )
}

# Names of the scalars to show: all except a concentration fixed at 1, the scale of biases that the
# model lacks, and scalars of cascades that are fixed, or of layers without units in any draw
scalar_names <- function(fit) {
  model <- fit$internal$model
  by_bits <- inherits(fit, c("fit_logistic", "fit_mixed"))
  setdiff(dimnames(fit$internal$scalars)[[3]], c(
    if (identical(model$prior$concentration, 1)) "concentration",
    if (by_bits && isFALSE(model$bias)) "sigma_b",
    if (inherits(fit, "fit_cascade")) hidden_layers(fit)
  ))
}

# The saved draws of a scalar, in the order of `feature_draws()`
scalar <- function(fit, name) as.vector(fit$internal$scalars[, , name])

#' @importFrom stats nobs
#' @export
nobs.buffet_fit <- function(object, ...) {
  check_format(object)
  n_rows(object)
}

# Number of rows of Z
n_rows <- function(fit) nrow(model_data(fit))

#' Priors of a fit
#'
#' @param object A fit by any `fit_*()` function.
#' @param ... Ignored.
#' @return A data frame with a row per parameter and the columns `parameter`, `prior` (its prior as
#'   text, or the number at which it is fixed) and `learned` (flag). The first row, `features`, is
#'   the prior over feature matrices; [fit_nmf()] has `weights` and `loadings` instead. Priors that
#'   are scaled by the data are shown with the rates that were used. Further rows are the priors of
#'   weights, loadings, biases and parameters of columns, and `max_features` if it limits the number
#'   of features.
#' @examples
#' fit <- fit_gaussian(sim_images(30), sigma_x = 0.5, method = method_gibbs(1, 100), seed = 1)
#' prior_summary(fit) # sigma_x is fixed; the rate of sigma_a is the variance of the images
#' @export
prior_summary.buffet_fit <- function(object, ...) {
  check_format(object)
  model <- object$internal$model
  biases <- inherits(object, "fit_logistic") && !isFALSE(model$bias)
  hyper <- c(
    prior_hyperparameters(model$prior), model$sigma, if (biases) list(sigma_b = model$bias),
    if (inherits(object, "fit_topics")) unclass(model)[c("gamma", "eta")],
    if (inherits(object, "fit_choice")) unclass(model)[c("weights", "epsilon")]
  )
  learned <- vapply(hyper, is_learned, NA)
  notes <- prior_notes(object)[names(hyper)]
  text <- paste0(
    vapply(hyper, describe_hyper, ""),
    ifelse(learned & startsWith(names(hyper), "sigma_"), " on 1/sigma^2", ""),
    ifelse(is.na(notes), "", notes)
  )
  most <- object$method$max_features
  out <- rbind(
    prior_row("features", format(model$prior)[1], is.null(model$prior$z)),
    prior_row(names(hyper), text, unname(learned)), further_priors(object),
    if (!is.null(most)) prior_row("max_features", format(most), FALSE)
  )
  rownames(out) <- NULL
  out
}

prior_row <- function(parameter, prior, learned = TRUE) {
  data.frame(parameter = parameter, prior = prior, learned = rep_len(learned, length(parameter)))
}

# Notes on priors, by parameter: what each prior applies to, and its range
prior_notes <- function(fit) {
  model <- fit$internal$model
  if (inherits(fit, c("fit_logistic", "fit_mixed"))) {
    range <- sprintf(", sigma within [%s, %s]", logistic_sigmas[1], logistic_sigmas[2])
    sigmas <- Filter(is_learned, c(model$sigma, list(sigma_b = model$bias)))
    return(stats::setNames(rep(range, length(sigmas)), names(sigmas)))
  }
  if (!inherits(fit, c("fit_gaussian", "fit_factor"))) return(NULL)
  # The bound is least_rho of src/gaussian/gaussian_scales.h.
  bounded <- inherits(fit, "fit_gaussian") && model$loadings == "normal" &&
    is_learned(model$sigma$sigma_x)
  by_feature <- identical(model$scales, "feature")
  c(
    sigma_x = paste0(
      if (model$noise == "column") " of each column",
      if (bounded) ", sigma_x at least sigma_a / 1000"
    ),
    sigma_a = if (by_feature) sprintf(", times %s of each feature", format(gamma_prior(1, 1)))
  )
}

# Rows of prior_summary() for parameters other than hyperparameters, such as loadings, biases and
# parameters of columns
further_priors <- function(fit) UseMethod("further_priors")

#' @exportS3Method
further_priors.buffet_fit <- function(fit) NULL

describe_hyper <- function(hyper) {
  if (is_learned(hyper)) return(format(hyper))
  paste(unique(format(range(hyper), digits = 4, trim = TRUE)), collapse = " to ")
}
