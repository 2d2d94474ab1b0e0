# Fits to choices: published values, special cases, seeds and starts.

professions <- outer(rep(1:3, each = 3), 1:3, `==`) + 0L
preference_tree <- cbind(diag(9), professions)

#' Log likelihood of the saturated model
saturated <- local({
  at <- judged(celebrities)
  sum(stats::dbinom(celebrities[at], 234, celebrities[at] / 234, log = TRUE))
})

#' The maximum likelihood estimate of the weights of known features, starting from a fit's last draw
maximise <- function(fit) {
  last <- utils::tail(choice_draws(fit), 1)[[1]]
  fn <- function(log_w) {
    p <- naive_choice(last$z, exp(log_w), fit$internal$model$epsilon)
    -sum(naive_choice_log_lik(celebrities, p))
  }
  control <- list(maxit = 500, reltol = 1e-12)
  best <- stats::optim(log(last$w), fn, method = "BFGS", control = control)
  list(z = last$z, w = exp(best$par) / sum(exp(best$par)))
}

#' The fit with a single draw, which has these weights
with_weights <- function(fit, w) {
  fit$feature_draws <- fit$feature_draws[1]
  fit$internal$draws_loadings <- w
  fit
}

g2 <- function(log_lik) 2 * (saturated - log_lik)

long <- method_gibbs(chains = 2, iter = sized(2500, 6000), warmup = 500)
btl <- quick_choice(prior = prior_fixed(diag(9)), epsilon = 0, method = long)
preference <- quick_choice(prior = prior_fixed(preference_tree), epsilon = 0, method = long)

test_that("the maximum likelihood of the Bradley-Terry-Luce model has the published value", {
  best <- maximise(btl)
  at_best <- with_weights(btl, best$w)
  expect_lt(abs(g2(sum(log_lik(at_best))) - 78.217), 1e-3)
  w <- c(0.2287, 0.1403, 0.1099, 0.0721, 0.0442, 0.0748, 0.0606, 0.1133, 0.1560)
  expect_lt(max(abs(drop(best$z %*% best$w) - w)), 6e-5)
  # The draws come close to the maximum, but none exceeds it.
  draws <- scalars_of(btl)[, "log_lik"]
  expect_lt(max(draws), sum(log_lik(at_best)) + 1e-9)
  expect_gt(max(draws), sum(log_lik(at_best)) - 1)
  # Minus twice the log likelihood ratio is chi-square with 8 degrees of freedom.
  expect_lt(abs(2 * (sum(log_lik(at_best)) - mean(draws)) - 8), 0.5)
  expect_lt(max(abs(drop(features(btl) %*% loadings_of(btl)) - w)), 0.003)
})

test_that("the maximum likelihood of the preference tree has the published value", {
  best <- maximise(preference)
  at_best <- with_weights(preference, best$w)
  expect_lt(abs(g2(sum(log_lik(at_best))) - 30.166), 1e-3)
  own <- colSums(best$z) == 1
  w <- c(0.2269, 0.1229, 0.0891, 0.0409, 0.0165, 0.0407, 0.0372, 0.0945, 0.1452)
  expect_lt(max(abs(drop(best$z[, own] %*% best$w[own]) - w)), 3e-4)
  shared <- best$z[c(1, 4, 7), !own] %*% best$w[!own]
  expect_lt(max(abs(shared - c(0.0727, 0.0556, 0.0578))), 3e-4)
  draws <- scalars_of(preference)[, "log_lik"]
  expect_lt(max(draws), sum(log_lik(at_best)) + 1e-9)
  expect_gt(max(draws), sum(log_lik(at_best)) - 2)
  expect_identical(unname(features(preference)[, 10:12]), professions)
})

test_that("weights match their exact posterior if there is only one pair", {
  skip_if_quick()
  # w1 / (w1 + w2) ~ Beta(shape, shape) a priori; the first item won three times and lost once.
  wins <- matrix(c(0, 1, 3, 0), 2)
  for (shape in c(0.5, 1, 4)) {
    fit <- quick_choice(
      wins, weights = gamma_prior(shape, 2), epsilon = 0, prior = prior_fixed(diag(2)),
      method = method_gibbs(chains = 1, iter = 12000, warmup = 200, thin = 2)
    )
    p <- apply(naive_choices(fit), 3, \(p) p[1, 2])
    law <- c(shape + 3, shape + 1)
    mean <- law[1] / sum(law)
    replicates <- batch_means(cbind(p, p^2))
    expect_replicates(replicates, c(mean, mean * (law[1] + 1) / (sum(law) + 1)))
    # No choice depends on the sum of the weights, so it keeps its prior.
    total <- vapply(choice_draws(fit), \(d) sum(d$w), 0)
    expect_gt(stats::ks.test(total, "pgamma", 2 * shape, 2)$p.value, 1e-4)
  }
})

test_that("the rate of the prior of the weights affects neither choices nor features", {
  # The rates are powers of 2, and there are few sweeps, so rounding errors do not grow.
  fits <- lapply(2^c(0, -20, 20), function(rate) {
    quick_choice(
      weights = gamma_prior(1, rate), prior = prior_pibp(celebrity_tree),
      method = method_gibbs(chains = 2, iter = 100)
    )
  })
  for (fit in fits[-1]) {
    expect_identical(as.list(feature_draws(fit)), as.list(feature_draws(fits[[1]])))
    expect_equal(predict(fit), predict(fits[[1]]))
  }
})

test_that("\"fit\" shows observed shares against predicted shares with their intervals", {
  fit <- holes_choice()
  set.seed(1)
  p <- plot(fit, "fit")
  frame <- augment(fit)
  expect_equal(p$data$predicted, frame$.fitted)
  expect_equal(p$data$observed, frame$wins / frame$n)
  set.seed(1)
  draws <- t(posterior_predict(fit)) / frame$n
  expect_equal(p$data$lower, unname(apply(draws, 1, stats::quantile, 0.05)))
  expect_equal(p$data$upper, unname(apply(draws, 1, stats::quantile, 0.95)))
  inside <- p$data$observed >= p$data$lower & p$data$observed <= p$data$upper
  expect_gt(mean(inside), 0.8)
})

test_that("plots of items show their worth with 95 % intervals, the highest at the top", {
  for (fit in choice_fits()) {
    p <- plot(fit)
    worth <- apply(naive_choices(fit), c(1, 3), mean, na.rm = TRUE)
    order <- order(-rowMeans(worth))
    names <- rownames(features(fit)) %||% as.character(seq_len(nrow(worth)))
    expect_identical(p$data$item, names[order])
    expect_identical(axis_labels(p, "y"), names[order])
    expect_equal(p$data$estimate, rowMeans(worth)[order])
    ends <- apply(worth[order, ], 1, stats::quantile, c(0.025, 0.975))
    expect_equal(p$data$conf.low, unname(ends[1, ]))
    expect_equal(p$data$conf.high, unname(ends[2, ]))
  }
})

test_that("names alternate between the two sides if there are many items", {
  names <- sprintf("item %d", 1:60)
  wins <- outer(60:1, 1:60, function(a, b) 1 + (a > b))
  fit <- quick_choice(
    matrix(wins, 60, dimnames = list(names, names)),
    method = method_gibbs(chains = 1, iter = 10)
  )
  p <- plot(fit)
  of_side <- function(side) {
    labels <- build_plot(p)$layout$panel_params[[1]][[side]]$get_labels()
    labels[!is.na(labels)]
  }
  expect_setequal(of_side("y"), p$data$item[seq(1, 60, 2)])
  expect_setequal(of_side("y.sec"), p$data$item[seq(2, 60, 2)])
})

test_that("\"weights\" shows the shares in summary(), the largest at the top", {
  fit <- tree_choice()
  p <- plot(fit, "weights")
  table <- suppressWarnings(summary(fit, aspects = nrow(p$data)))$aspects
  expect_identical(as.character(p$data$items), table$items)
  expect_equal(p$data$share, table$share)
  expect_equal(p$data$q95, table$q95)
  expect_identical(levels(p$data$items), rev(table$items))
})

test_that("\"n_features\" shows the prior given by the tree", {
  data <- plot(tree_choice(), "n_features")$data
  rate <- digamma(7) - digamma(1)
  prior <- data[data$law == "prior", ]
  expect_equal(prior$probability, stats::dnbinom(prior$n, 1, 1 / (1 + rate)))
})

test_that("\"tree\" has tips next to their rows, and features on branches above their items", {
  fit <- tree_choice()
  p <- plot(fit, "tree")
  z <- features(fit)
  tree <- check_tree(celebrity_tree)
  told <- which(colSums(z) < 9)
  # A feature's number is shown once for each maximal subtree whose items all have the feature.
  tops <- function(on) {
    inside <- vapply(split(on, rep(1:3, each = 3)), sum, 0)
    sum(ifelse(inside == 3, 1, inside))
  }
  expected <- vapply(told, \(k) tops(z[, k]), 0)
  labels <- unlist(lapply(p$layers, function(layer) {
    if (inherits(layer$geom, "GeomLabel")) strsplit(layer$data$label, "[ \n]")
  }))
  # Runs of consecutive numbers are abbreviated, such as 4-6.
  labels <- unlist(lapply(strsplit(labels, "-"), \(ends) seq(ends[1], ends[length(ends)])))
  expect_equal(as.vector(table(factor(labels, told))), unname(expected))
  names <- axis_labels(p, "y")
  cells <- Filter(\(layer) inherits(layer$geom, "GeomTile"), p$layers)[[1]]$data
  held <- tapply(cells$value, cells$row, sum)
  expect_setequal(names, rownames(celebrities))
  expect_equal(as.vector(held), unname(rowSums(z[names, told])))
})
