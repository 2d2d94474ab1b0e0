# Do the chains of a fit agree, and what can be done where they do not?

# The Rhat above which chains do not agree, and that at the end of a warm-up, where fewer draws are
# compared
most_rhat <- c(reported = 1.05, warmup = 1.1)

# Where the chains do not agree
# rhat: Of every scalar, from scalar_rhats().
# Returns `NULL` where they do, of one chain, and of a point. Where they do not, a list: `rhat`,
#   those above 1.05 by name, the largest first; `best`, the chain with the highest mean log joint;
#   `lead`, how much higher that is than the lowest; `apart`: is that more than two standard
#   deviations within chains?
disagreement <- function(fit, rhat = scalar_rhats(fit)) {
  if (inherits(fit, "fit_point")) return(NULL)
  rhat <- sort(rhat[rhat > most_rhat[["reported"]]], decreasing = TRUE)
  if (length(rhat) == 0) return(NULL)
  means <- mean_log_joints(fit)
  lead <- max(means) - min(means)
  apart <- lead > 2 * deviation_within(fit)
  list(rhat = rhat, best = which.max(means), lead = lead, apart = apart)
}

# Rhat of every scalar, by name
scalar_rhats <- function(fit) {
  vapply(scalar_names(fit), function(name) rhat_of(chain_values(fit, name)), 0)
}

# Kept draws of a scalar, draws x chains
chain_values <- function(fit, name) {
  matrix(fit$internal$scalars[, , name], dim(fit$internal$scalars)[1], dim(fit$internal$scalars)[2])
}

mean_log_joints <- function(fit) colMeans(chain_values(fit, "log_joint"))

# Standard deviation of the log joint within chains
deviation_within <- function(fit) {
  sqrt(mean(apply(chain_values(fit, "log_joint"), 2, stats::var)))
}

# Rhat; NA of one chain, of fewer draws than two for each of its halves, and where all draws are
# equal. Infinite where chains are stuck at different values, of which posterior says NA if there
# are two
rhat_of <- function(values) {
  if (ncol(values) == 1 || nrow(values) < 4) return(NA_real_)
  each <- apply(values, 2, function(v) length(unique(v)))
  if (all(each == 1) && length(unique(values[1, ])) > 1) return(Inf)
  posterior::rhat(values)
}

# What differs between chains, in one sentence: what is plain to all first
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

# Rhat as text: with two decimals, with three where two would hide that it is above 1.05. How far it
# is above 10 says nothing
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

# Chains of the bare sampler need the moves that they lack. Of others those that are merely slow
# need time, others a start in common or another model
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

# The argument that gives a model noise under which its chains may agree; NULL: there is none
other_noise <- function(fit) {
  model <- fit$internal$model
  ours <- inherits(fit, "fit_gaussian") && samples(fit$method) &&
    fit$method$sampler %in% c("collapsed", "uncollapsed")
  if (ours && model$noise == "common" && model$loadings == "normal" && !isS4(model$data$x)) {
    "noise = \"column\""
  }
}

# Whether the chains agree, where there is something to say about it
describe_agreement <- function(fit, found) {
  if (inherits(fit, "fit_point")) return(NULL)
  if (is.null(found)) return(describe_regrouped(fit))
  text <- c(describe_difference(found), describe_best_chain(found), advise(fit, found))
  c(describe_regrouped(fit), wrap_code(paste(text, collapse = " ")))
}

# How many chains of those that met in the warm-up went on from the best
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

# Lines of at most 80 characters, broken where there is no code. Neither has a tilde
wrap_code <- function(text) {
  parts <- strsplit(text, "`", fixed = TRUE)[[1]]
  code <- seq_along(parts) %% 2 == 0
  parts[code] <- gsub(" ", "~", parts[code], fixed = TRUE)
  lines <- strwrap(paste(parts, collapse = "`"), 81, exdent = 2)
  gsub("~", " ", lines, fixed = TRUE)
}

# Warns, once a run has ended and where it is summarised, that its chains do not agree
# advice: What to do, where nothing else says it.
warn_of_difference <- function(found, advice = NULL) {
  if (is.null(found)) return(invisible())
  text <- paste(c(describe_difference(found), advice), collapse = " ")
  warning(warningCondition(text, class = "buffet_rhat_warning"))
}

# A fit by chains, with a warning where they do not agree; those that were interrupted have one
with_warning <- function(fit) {
  if (nrow(fit$internal$scalars) < planned_draws(fit$method)) return(fit)
  found <- disagreement(fit)
  warn_of_difference(found, advise(fit, found))
  fit
}
