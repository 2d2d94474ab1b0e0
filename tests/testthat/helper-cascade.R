# Belief networks computed from their definition, and the saved draws of fits, decoded independently
# of the package.

#' Calls fit_cascade() for a short run, without messages
quick_cascade <- function(x, ..., method = brief_cascade(), seed = 1) {
  fit_cascade(x, ..., method = method, seed = seed, verbose = FALSE)
}
brief_cascade <- function(chains = 1, iter = 40, thin = 4, ...) {
  method_gibbs(chains, iter, thin = thin, ...)
}

#' A network of eight visible units, three in layer 1 and one in layer 2
known_network <- function() {
  w <- rbind(c(2, 2, 1.5, 0, 0, 0, 0, 0), c(0, 0, 1.5, -2, 2, 0, 0, 0), c(0, 0, 0, 0, 0, 2, 2, -2))
  list(
    list(bias = c(0, 0.5, 0, 0, -0.5, 0, 0.3, 0), precision = rep(c(10, 20), 4), w = w),
    list(bias = c(0, 0.5, -0.5), precision = rep(0.2, 3), w = rbind(c(3, -3, 0))),
    list(bias = 0, precision = 0.3, w = matrix(0, 0, 1))
  )
}

#' Activations of the visible units in the rows of a network, generated from the top layer down
naive_fantasies <- function(layers, rows, noise = TRUE) {
  u <- matrix(0, rows, 0)
  for (m in rev(seq_along(layers))) {
    layer <- layers[[m]]
    x <- u %*% layer$w + rep(layer$bias, each = rows)
    noisy <- m > 1 || noise
    if (noisy) x <- x + stats::rnorm(length(x), sd = rep(1 / sqrt(layer$precision), each = rows))
    u <- tanh(x / 2)
  }
  u
}

#' Data from 2 to 5, with names
cascade_data <- function(rows = 80) {
  u <- withr::with_seed(51, naive_fantasies(known_network(), rows))
  dimnames(u) <- list(paste0("row", seq_len(rows)), letters[1:8])
  3.5 + 1.5 * u
}
cascade_holes <- function() {
  x <- with_holes(unname(cascade_data(40)), 30, seed = 8)
  x[3, ] <- NA
  x[, 6] <- NA
  x
}

cascade_fit <- function() {
  once("cascade", quick_cascade(
    cascade_data(), init = init_cascade(c(6, 2)), method = brief_cascade(2, 400, 10)
  ))
}
cascade_gaps <- function() {
  once("cascade gaps", quick_cascade(
    cascade_holes(), prior = prior_cascade(2, 0.8, gamma_prior(2, 2)),
    range = c(1, 6), init = init_cascade(c(4, 2, 1)), method = brief_cascade(2, 100, 5)
  ))
}
#' A fit under a prior that allows no hidden unit
cascade_bare <- function() {
  once("cascade bare", quick_cascade(
    cascade_data(20), prior = prior_cascade(1e-9), init = init_cascade(integer()),
    method = brief_cascade(2)
  ))
}
cascade_fits <- function() list(known = cascade_fit(), gaps = cascade_gaps(), bare = cascade_bare())

#' A draw as it is saved, starting from the visible layer: bias, precision, z and w (parents x
#' units) and, for hidden layers, x (rows x units)
naive_cascade <- function(fit, draw) {
  ends <- cumsum(fit$internal$byte_counts)
  bytes <- as.integer(fit$internal$draws_bytes)
  at <- ends[draw] - fit$internal$byte_counts[draw]
  number <- function() {
    n <- 0
    for (place in 0:4) {
      at <<- at + 1
      n <- n + bytes[at] %% 128 * 128^place
      if (bytes[at] < 128) return(n)
    }
  }
  reals <- function(n) {
    at <<- at + 4 * n
    readBin(as.raw(bytes[at - 4 * n + seq_len(4 * n)]), "numeric", n, size = 4)
  }
  layers <- lapply(seq_len(number() + 1), function(m) {
    lapply(seq_len(number()), function(k) {
      unit <- list(law = reals(2), parents = integer(), weights = double())
      last <- 1
      for (edge in seq_len(number())) {
        last <- last + number()
        unit$parents[edge] <- last
        unit$weights[edge] <- reals(1)
      }
      unit
    })
  })
  out <- lapply(seq_along(layers), function(m) {
    above <- if (m < length(layers)) length(layers[[m + 1]]) else 0
    spread <- function(unit, values) replace(numeric(above), unit$parents, values)
    columns <- function(of) matrix(unlist(lapply(layers[[m]], of)), above, length(layers[[m]]))
    list(
      bias = vapply(layers[[m]], \(unit) unit$law[1], 0),
      precision = vapply(layers[[m]], \(unit) unit$law[2], 0),
      z = columns(\(unit) spread(unit, 1)), w = columns(\(unit) spread(unit, unit$weights))
    )
  })
  rows <- nrow(model_data(fit))
  for (m in seq_along(out)[-1]) out[[m]]$x <- matrix(reals(rows * length(out[[m]]$bias)), rows)
  stopifnot(at == ends[draw])
  out
}

#' Means of the pre-activations of layer m (0 is the visible layer), given the activations above
naive_means <- function(layers, m, rows) {
  layer <- layers[[m + 1]]
  y <- matrix(layer$bias, rows, length(layer$bias), byrow = TRUE)
  if (nrow(layer$w) == 0) y else y + tanh(layers[[m + 2]]$x / 2) %*% layer$w
}

#' Pre-activations of data, and the factor by which their density is multiplied
naive_pre <- function(v, range) {
  u <- 0.98 * (2 * v - range[1] - range[2]) / (range[2] - range[1])
  log((1 + u) / (1 - u))
}
naive_slope <- function(v, range) {
  step <- 1e-6 * (range[2] - range[1])
  (naive_pre(v + step, range) - naive_pre(v - step, range)) / (2 * step)
}
naive_back <- function(u, range) mean(range) + u * (range[2] - range[1]) / (2 * 0.98)

#' E tanh((y + e) / 2), e ~ N(0, 1 / precision of the column), by Gauss-Hermite quadrature with five
#' points, which are the eigenvalues of the polynomials' recurrence matrix
naive_squash <- function(y, precision) {
  recurrence <- matrix(0, 5, 5)
  recurrence[cbind(1:4, 2:5)] <- recurrence[cbind(2:5, 1:4)] <- sqrt(1:4)
  rule <- eigen(recurrence, symmetric = TRUE)
  parts <- lapply(1:5, function(i) {
    rule$vectors[1, i]^2 * tanh((y + rep(rule$values[i] / sqrt(precision), each = nrow(y))) / 2)
  })
  Reduce(`+`, parts)
}

#' Posterior mean response of one new row of pre-activations, in which NA is missing. The network
#' has one hidden unit, or two hidden units and one above them. Computed by sums over a grid.
naive_completion <- function(layers, x, points = 200) {
  hidden <- sum(lengths(lapply(layers[-1], `[[`, "bias")))
  grid <- expand.grid(rep(list(seq(-9, 9, length.out = points)), hidden))
  state <- layers
  from <- 0
  log_p <- 0
  for (m in seq_along(layers)[-1]) {
    units <- length(layers[[m]]$bias)
    state[[m]]$x <- as.matrix(grid[, from + seq_len(units), drop = FALSE])
    from <- from + units
  }
  for (m in seq_along(layers)) {
    y <- naive_means(state, m - 1, nrow(grid))
    at <- if (m == 1) matrix(x, nrow(grid), length(x), byrow = TRUE) else state[[m]]$x
    sd <- rep(1 / sqrt(layers[[m]]$precision), each = nrow(grid))
    log_p <- log_p + rowSums(stats::dnorm(at, y, sd, log = TRUE), na.rm = TRUE)
  }
  p <- exp(log_p - max(log_p))
  response <- naive_squash(naive_means(state, 0, nrow(grid)), layers[[1]]$precision)
  colSums(p * response) / sum(p)
}

#' Expects all functions of a fit to return finite numbers
expect_usable_cascade <- function(fit, pictures = TRUE) {
  x <- model_data(fit)
  seen <- !is.na(x)
  suppressWarnings(utils::capture.output(print(fit), print(summary(fit)), print(glance(fit))))
  values <- list(
    as_draws(fit), features(fit), coassignment(fit), fitted(fit), residuals(fit)[seen],
    posterior_predict(fit, ndraws = 2), log_lik(fit, "row", ndraws = 2), logLik(fit),
    simulate(fit, seed = 1)[[1]], simulate(fit, seed = 1, noise = FALSE)[[1]], loadings_of(fit),
    predict(fit), predict(fit, x, ndraws = 2, sweeps = 4), suppressWarnings(tidy(fit)$estimate),
    tidy(fit, "edges")$weight
  )
  if (!all(seen)) {
    filled <- replace(x, !seen, fitted(fit)[!seen])
    values <- c(values, list(heldout_density(fit, filled)))
  }
  for (value in values) expect_true(all(is.finite(value)))
  expect_identical(nrow(augment(fit)), nrow(x))
  expect_identical(dim(features(fit)), c(ncol(x), nrow(loadings_of(fit))))
  if (!pictures) return(invisible())
  shown <- c("network", "trace", "fit")
  if (nrow(loadings_of(fit)) > 0) shown <- c(shown, "loadings", "widths")
  for (type in shown) build_plot(plot(fit, type))
}
