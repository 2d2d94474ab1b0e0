# Agreement of the chains of a fit, and advice if they disagree.

# Largest Rhat of chains that agree; higher at the end of a warm-up, where fewer draws are compared
most_rhat <- c(reported = 1.05, warmup = 1.1)

# How the chains disagree
# rhat: Of every scalar, from scalar_rhats().
# Returns `NULL` if they agree, for one chain and for a point. Otherwise a list: `rhat`, the values
# above 1.05, the largest first; `best`, the chain with the highest mean log joint; `lead`, its
# distance from the lowest; `apart`, true if that is more than two standard deviations within
# chains.
disagreement <- function(fit, rhat = scalar_rhats(fit)) {
  if (inherits(fit, "fit_point")) return(NULL)
  rhat <- sort(rhat[rhat > most_rhat[["reported"]]], decreasing = TRUE)
  if (length(rhat) == 0) return(NULL)
  means <- mean_log_joints(fit)
  lead <- max(means) - min(means)
  apart <- lead > 2 * deviation_within(fit)
  list(rhat = rhat, best = which.max(means), lead = lead, apart = apart)
}

scalar_rhats <- function(fit) {
  vapply(scalar_names(fit), function(name) rhat_of(chain_values(fit, name)), 0)
}

# Kept draws of a scalar, draws x chains
chain_values <- function(fit, name) {
  matrix(fit$internal$scalars[, , name], dim(fit$internal$scalars)[1], dim(fit$internal$scalars)[2])
}

mean_log_joints <- function(fit) colMeans(chain_values(fit, "log_joint"))

deviation_within <- function(fit) {
  sqrt(mean(apply(chain_values(fit, "log_joint"), 2, stats::var)))
}

# Rhat; NA for one chain, for fewer than four draws, and if all draws are equal. Infinite if chains
# are stuck at different values (NA in posterior if there are two values)
rhat_of <- function(values) {
  if (ncol(values) == 1 || nrow(values) < 4) return(NA_real_)
  each <- apply(values, 2, function(v) length(unique(v)))
  if (all(each == 1) && length(unique(values[1, ])) > 1) return(Inf)
  posterior::rhat(values)
}

# The scalars in which chains differ, the most familiar first, as a sentence
describe_difference <- function(found) {
  plain <- c(
    n_features = "number of features", n_layers = "number of layers", sigma_x = "noise",
    log_joint = "log joint"
  )
  differ <- names(found$rhat)
  first <- intersect(names(plain), differ)
  shown <- c(plain[first], setdiff(differ, first))
  if (length(shown) > 4) shown <- c(shown[1:3], sprintf("%d more", length(shown) - 3))
  worst <- found$rhat[[1]]
  sprintf(
    "The chains %s %s (Rhat %s%s, above %s).",
    if (found$apart) "are apart in" else "do not yet agree on", enumerate(shown),
    if (worst > 10) "" else "up to ", format_rhat(worst),
    most_rhat[["reported"]]
  )
}

# Rhat with two decimals, or three if two would hide that it is above 1.05
format_rhat <- function(rhat) {
  known <- !is.na(rhat)
  most <- most_rhat[["reported"]]
  hidden <- known & rhat > most & round(rhat, 2) <= most
  ifelse(known & rhat > 10, "> 10", fixed(rhat, ifelse(hidden, 3, 2)))
}

enumerate <- function(items) {
  last <- length(items)
  if (last == 1) return(items)
  paste(paste(items[-last], collapse = ", "), "and", items[last])
}

describe_best_chain <- function(found) {
  lead <- format(signif(found$lead, 3), scientific = FALSE)
  sprintf("Chain %d is best: mean log joint %s nats above the worst.", found$best, lead)
}

# Chains of the plain Gibbs sampler need the extra moves, slow chains more sweeps, and chains in
# different modes a common start or another model
advise <- function(fit, found) {
  starts <- is.null(fit$prior$z)
  if (starts && is_bare(fit$method, fit$internal$model)) {
    return("Run them without `moves = 0`: `update(fit, moves = NULL)`.")
  }
  if (!found$apart || !starts) {
    return(sprintf("Run them longer: `update(fit, iter = %.0f)`.", 2 * fit$method$iter))
  }
  other <- other_noise(fit)
  paste0(
    "Start all there: `update(fit, init = best_chain(fit))`, though agreement then proves less",
    if (!is.null(other)) sprintf("; or try `update(fit, %s)`", other), "."
  )
}

# The argument for another noise model under which chains may agree, or NULL
other_noise <- function(fit) {
  model <- fit$internal$model
  ours <- inherits(fit, "fit_gaussian") && samples(fit$method) &&
    fit$method$sampler %in% c("collapsed", "uncollapsed")
  if (ours && model$noise == "common" && model$loadings == "normal" && !isS4(model$data$x)) {
    "noise = \"column\""
  }
}

describe_agreement <- function(fit, found) {
  if (inherits(fit, "fit_point")) return(NULL)
  if (is.null(found)) return(describe_regrouped(fit))
  text <- c(describe_difference(found), describe_best_chain(found), advise(fit, found))
  c(describe_regrouped(fit), wrap_code(paste(text, collapse = " ")))
}

describe_regrouped <- function(fit) {
  regrouped <- vapply(fit$internal$chains, function(chain) isTRUE(chain$regrouped), NA)
  if (!any(regrouped) || length(regrouped) == 1) return(NULL)
  sprintf(
    if (sum(regrouped) == 1) {
      "During warm-up, %d of %d chains was far below the best and restarted from its state."
    } else {
      "During warm-up, %d of %d chains were far below the best and restarted from its state."
    }, sum(regrouped), length(regrouped)
  )
}

# Lines of at most 80 characters, not broken within code. Texts contain no tilde
wrap_code <- function(text) {
  parts <- strsplit(text, "`", fixed = TRUE)[[1]]
  code <- seq_along(parts) %% 2 == 0
  parts[code] <- gsub(" ", "~", parts[code], fixed = TRUE)
  lines <- strwrap(paste(parts, collapse = "`"), 81, exdent = 2)
  gsub("~", " ", lines, fixed = TRUE)
}

warn_of_difference <- function(found, advice = NULL) {
  if (is.null(found)) return(invisible())
  text <- paste(c(describe_difference(found), advice), collapse = " ")
  warning(warningCondition(text, class = "buffet_rhat_warning"))
}

# Warns if the chains of a completed run disagree; an interrupted run has its own warning
with_warning <- function(fit) {
  if (nrow(fit$internal$scalars) < planned_draws(fit$method)) return(fit)
  found <- disagreement(fit)
  warn_of_difference(found, advise(fit, found))
  fit
}
