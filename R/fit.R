# The fit that a run leaves.

#' @param done From run_to_end(): one list(scalars, sizes, bits, loadings, bytes, byte_counts,
#'   state, failure) a chain.
#' @noRd
new_fit_mcmc <- function(done, run) {
  model <- run$model
  method <- run$method
  chains <- drop_failed(done$chains, run)
  chains <- drop_empty(chains, done$file)
  method$chains <- length(chains)
  counts <- vapply(chains, function(chain) length(chain$sizes), 1L)
  warn_if_interrupted(counts, run, done$file)
  # The draws do not depend on these.
  method[c("cores", "refresh")] <- NULL
  kept <- min(counts)
  rows <- feature_rows(model)
  draws <- new_feature_draws(
    rows$n, unlist(lapply(chains, function(chain) chain$sizes[seq_len(kept)])),
    unlist(lapply(chains, kept_bits, kept, rows$n)), rows$names, known_names(model$prior)
  )
  fit <- new_fit(model, method, "fit_mcmc",
    scalars = in_data_units(scalar_array(chains, kept, warmup = FALSE), model),
    warmup_scalars = in_data_units(scalar_array(chains, kept, warmup = TRUE), model),
    draws = draws, draws_loadings = unlist(lapply(chains, kept_loadings, kept, model)),
    draws_bytes = unlist(lapply(chains, kept_bytes, kept)),
    byte_counts = unlist(lapply(chains, function(chain) utils::head(chain$byte_counts, kept))),
    chains = lapply(chains, beyond, kept, model), seed = done$seed
  )
  fit$point <- point_draw(fit)
  fit
}

#' @param kind "fit_mcmc" or "fit_point".
#' @noRd
new_fit <- function(model, method, kind, ...) {
  version <- package_version(getNamespaceVersion("buffet"))
  structure(
    list(model = model, method = method, ..., version = version),
    class = c(fit_class(model), kind, "buffet_fit")
  )
}

#' Stop because what is asked is not a fit
#' @noRd
stop_no_fit <- function(x) stop_argument("fit", "be a fit by a fit_*() function", x)

#' The draw that is the point estimate
#' @noRd
point_draw <- function(fit) UseMethod("point_draw")

#' @exportS3Method
#' @noRd
point_draw.fit_mcmc <- function(fit) medoid_of(fit, trusted_draws(fit))

#' Draws that the point estimate may be one of: all, or those of the best chain where chains are
#' apart
#' @param found From disagreement().
#' @noRd
trusted_draws <- function(fit, found = disagreement(fit)) {
  all <- seq_along(fit$draws)
  if (!isTRUE(found$apart)) return(all)
  kept <- dim(fit$scalars)[1]
  (found$best - 1) * kept + seq_len(kept)
}

#' Of some draws, the one nearest to the others among those that have as many features as most have
#' @noRd
medoid_of <- function(fit, which) {
  some <- candidates(fit$draws, usual_draws(fit, which))
  as.integer(some[medoid_cpp(unclass(select_draws(fit$draws, some)), has_complements(fit$model))])
}

#' Those of some draws that have as many features as most of them have
#' @noRd
usual_draws <- function(fit, which) {
  for (n in model_sizes(fit)) which <- which[n[which] == most_frequent(n[which])]
  which
}

#' The numbers that say how large the model is in each draw, in the order in which they matter
#' @noRd
model_sizes <- function(fit) UseMethod("model_sizes")

#' @exportS3Method
#' @noRd
model_sizes.buffet_fit <- function(fit) list(unclass(fit$draws)$sizes)

#' The smallest of those that are found most often
#' @noRd
most_frequent <- function(n) {
  found <- table(n)
  as.numeric(names(found)[which.max(found)])
}

#' Chains that failed say so and are left out
#' @noRd
drop_failed <- function(chains, run) {
  failures <- vapply(chains, function(chain) chain$failure, "")
  short <- is_out_of_memory(failures)
  failures[short] <- out_of_memory(run$model, run$method)
  failed <- nzchar(failures)
  if (all(failed)) stop(failures[1], call. = FALSE)
  for (chain in which(failed)) {
    text <- "chain %d failed and is left out of the fit: %s"
    warning(sprintf(text, chain, failures[chain]), call. = FALSE)
  }
  chains[!failed]
}

#' Chains without a draw are left out, with a warning
#' @noRd
drop_empty <- function(chains, file) {
  empty <- vapply(chains, function(chain) length(chain$sizes) == 0, NA)
  if (all(empty)) {
    stop("interrupted before any draw was kept", how_to_resume(file), ".", call. = FALSE)
  }
  if (any(empty)) {
    text <- "interrupted before any draw of %d of %d chains was kept: the fit does not include %s"
    them <- if (sum(empty) == 1) "it" else "them"
    warning(
      sprintf(text, sum(empty), length(empty), them), how_to_resume(file), ".", call. = FALSE
    )
  }
  chains[!empty]
}

how_to_resume <- function(file) {
  if (is.null(file)) return("")
  "; the same call with the same `file` resumes the run"
}

#' A run has a fit of its warm-up only if it was interrupted there
#' @noRd
warn_if_interrupted <- function(counts, run, file) {
  planned <- planned_draws(run$method)
  if (!is.null(run$warmup)) {
    text <- "interrupted in the warm-up: the fit has the draws of its sweeps %d to %d"
    thin <- run$method$thin
    from <- run$method$warmup
    text <- sprintf(text, from + 1L, (from %/% thin + min(counts)) * thin)
  } else if (min(counts) < planned) {
    text <- sprintf("interrupted: the fit has %d of %d draws per chain", min(counts), planned)
  } else {
    return(invisible())
  }
  warning(text, how_to_resume(file), ".", call. = FALSE)
}

#' Recorded scalars as an array of iterations x chains x variables
#' @noRd
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

#' Log densities of the data as they were given, where the core has others
#' @noRd
in_data_units <- function(scalars, model) {
  log_densities <- c("log_lik", "log_joint")
  scalars[, , log_densities] <- scalars[, , log_densities] + log_unit(model)
  scalars
}

#' What the log density of the observed entries as they were given has more than that of the numbers
#' that the core has
#' @noRd
log_unit <- function(model) UseMethod("log_unit")

#' @exportS3Method
#' @noRd
log_unit.buffet_model <- function(model) 0

#' Those of some draws among which the point estimate is sought: at most 1000, evenly spaced, fewer
#' where many features make comparing them slow: interrupted fits must return within a second
#' @noRd
candidates <- function(draws, which) {
  fields <- unclass(draws)
  cost <- max(1, mean(fields$sizes[which]))^2 * ceiling(fields$rows / 64)
  most <- max(50, min(1000, floor(sqrt(4e8 / cost))))
  which[unique(round(seq(1, length(which), length.out = min(most, length(which)))))]
}

#' Names of the scalars that the model has
#' @noRd
scalar_names <- function(fit) setdiff(dimnames(fit$scalars)[[3]], hidden_scalars(fit))

#' Scalars that are recorded and not shown
#' @noRd
hidden_scalars <- function(fit) UseMethod("hidden_scalars")

#' @exportS3Method
#' @noRd
hidden_scalars.buffet_fit <- function(fit) hidden_hyperparameters(fit$model$prior)

#' A scalar's kept draws, in the order of `feature_draws()`
#' @noRd
scalar <- function(fit, name) as.vector(fit$scalars[, , name])

#' @importFrom stats nobs
#' @export
nobs.buffet_fit <- function(object, ...) n_rows(object)

#' Rows of Z
#' @noRd
n_rows <- function(fit) nrow(fit$model$data$x)

#' Priors of a fit
#'
#' @param object A fit by any `fit_*()` function.
#' @param ... Ignored.
#' @return A data frame with a row per parameter and the columns `parameter`, `prior` (its prior as
#'   text, or the number at which it is fixed) and `learned` (flag). The first row, `features`, is
#'   the prior over feature matrices; [fit_nmf()] has `weights` and `loadings` instead. Priors that
#'   are scaled by the data are shown with the rates that were used. Further rows are the priors of
#'   weights, loadings, biases and parameters of columns, and `max_features` if it limits the
#'   features.
#' @examples
#' fit <- fit_gaussian(block_images(30), sigma_x = 0.5, method = method_gibbs(1, 100), seed = 1)
#' prior_summary(fit) # sigma_x is fixed; the rate of sigma_a is the variance of the images
#' @importFrom rstantools prior_summary
#' @export
prior_summary.buffet_fit <- function(object, ...) {
  prior <- object$model$prior
  hyper <- c(prior_hyperparameters(prior), likelihood_parameters(object))
  learned <- vapply(hyper, is_learned, NA)
  notes <- prior_notes(object)[names(hyper)]
  text <- paste0(
    vapply(hyper, describe_hyper, ""),
    ifelse(learned & startsWith(names(hyper), "sigma_"), " on 1/sigma^2", ""),
    ifelse(is.na(notes), "", notes)
  )
  first <- prior_row("features", format(prior)[1], is.null(known_features(prior)))
  rbind(
    first, prior_row(names(hyper), text, unname(learned)), further_priors(object),
    limit_row(object$method$max_features)
  )
}

#' Rows of prior_summary()
#' @noRd
prior_row <- function(parameter, prior, learned = TRUE) {
  data.frame(parameter = parameter, prior = prior, learned = rep_len(learned, length(parameter)))
}

limit_row <- function(max_features) {
  if (!is.null(max_features)) prior_row("max_features", format(max_features), FALSE)
}

#' What the text of a prior says after its law, by the name of the parameter: whose it is, and its
#' range
#' @noRd
prior_notes <- function(fit) UseMethod("prior_notes")

#' @exportS3Method
#' @noRd
prior_notes.buffet_fit <- function(fit) NULL

#' Rows of prior_summary() for what is no hyperparameter: loadings, biases, and parameters of
#' columns
#' @noRd
further_priors <- function(fit) UseMethod("further_priors")

#' @exportS3Method
#' @noRd
further_priors.buffet_fit <- function(fit) NULL

#' A prior, a number, or the range of several
#' @noRd
describe_hyper <- function(hyper) {
  if (is_learned(hyper)) return(format(hyper))
  paste(unique(format(range(hyper), digits = 4, trim = TRUE)), collapse = " to ")
}

#' The parameters of a likelihood: numbers, or the priors of what is learned
#' @noRd
likelihood_parameters <- function(fit) UseMethod("likelihood_parameters")
