# Functions of a fit to choices, compared with plain R code for the features and weights of its
# draws.

pair_labels <- function(fit) {
  at <- judged(model_data(fit))
  names <- rownames(model_data(fit)) %||% seq_len(nrow(model_data(fit)))
  paste(names[at[, 1]], names[at[, 2]], sep = "-")
}

#' Probabilities of the judged pairs, as a matrix, draws x pairs
judged_draws <- function(fit) {
  p <- naive_choices(fit)
  t(apply(p, 3, function(p) p[judged(model_data(fit))]))
}

test_that("predictions are the means of the choice rule over the draws", {
  for (fit in choice_fits()) {
    expected <- apply(naive_choices(fit), 1:2, mean)
    expect_equal(predict(fit), expected, ignore_attr = TRUE, tolerance = 1e-12)
    expect_identical(dimnames(predict(fit)), dimnames(model_data(fit)))
    expect_identical(unname(diag(predict(fit))), rep(NA_real_, nrow(expected)))
    expect_identical(fitted(fit), predict(fit))
    expect_identical(predict(fit, type = "features"), features(fit))
  }
})

test_that("items whose names are numbers are matched by name, not by position", {
  rows <- data.frame(winner = c(3, 3, 3, 2), loser = c(1, 2, 1, 1), n = c(50, 30, 20, 40))
  fit <- quick_choice(rows, method = method_gibbs(1, 50))
  p <- predict(fit)
  expect_identical(rownames(p), c("3", "2", "1"))
  for (new in list(data.frame(item1 = 1, item2 = 3), data.frame(item1 = "1", item2 = "3"))) {
    expect_identical(predict(fit, new), p["1", "3"], ignore_attr = TRUE)
  }
  expect_error(predict(fit, data.frame(item1 = 1, item2 = 4)), "must have items of the data")
})

test_that("pairs can be given by name or number, and predictions have intervals", {
  fit <- tree_choice()
  p <- naive_choices(fit)
  items <- rownames(celebrities)
  pairs <- data.frame(item1 = c("SL", "LBJ", "LBJ"), item2 = c("LBJ", "SL", "CDG"))
  at <- cbind(match(pairs$item1, items), match(pairs$item2, items))
  expect_equal(predict(fit, pairs), predict(fit)[at])
  numbers <- data.frame(item1 = at[, 1], item2 = at[, 2])
  for (form in list(numbers, transform(pairs, item1 = factor(item1)), pairs[2:1])) {
    expect_identical(predict(fit, form), predict(fit, pairs))
  }
  frame <- predict(fit, pairs, interval = "credible", level = 0.8)
  expect_identical(as.data.frame(frame[1:2]), pairs)
  expect_equal(frame$.fitted, predict(fit, pairs))
  draws <- vapply(1:3, \(i) p[at[i, 1], at[i, 2], ], p[1, 2, ])
  expect_equal(frame$.lower, apply(draws, 2, stats::quantile, 0.1), ignore_attr = TRUE)
  expect_equal(frame$.upper, apply(draws, 2, stats::quantile, 0.9), ignore_attr = TRUE)
  every <- predict(fit, interval = "credible", level = 0.8)
  expect_identical(dim(every), c(36L, 5L))
  expect_equal(every$.fitted, predict(fit)[cbind(every$item1, every$item2)])
  expect_identical(nrow(predict(fit, pairs[0, ], interval = "credible", level = 0.8)), 0L)
  # If items have no names, they are numbered.
  items <- predict(finite_choice(), interval = "credible")$item1
  expect_identical(items[1:5], c("2", "3", "4", "5", "3"))
})

test_that("pointwise log likelihoods are binomial and add up to the draws of log_lik", {
  for (fit in choice_fits()) {
    wins <- model_data(fit)
    at <- judged(wins)
    expected <- t(apply(judged_draws(fit), 1, function(p) {
      stats::dbinom(wins[at], wins[at] + wins[at[, 2:1]], p, log = TRUE)
    }))
    l <- log_lik(fit)
    expect_equal(l, expected, ignore_attr = TRUE, tolerance = 1e-10)
    expect_identical(dimnames(l), list(NULL, pair_labels(fit)))
    expect_equal(unname(rowSums(l)), unname(scalars_of(fit)[, "log_lik"]), tolerance = 1e-10)
    expect_identical(log_lik(fit, ndraws = 3), l[round(seq(1, nrow(l), length.out = 3)), ])
    expect_identical(nobs(fit), nrow(at))
    point <- logLik(fit)
    expect_identical(attr(point, "nobs"), nrow(at))
    same <- vapply(as.list(feature_draws(fit)), identical, NA, features(fit))
    expect_true(as.numeric(point) %in% scalars_of(fit)[same, "log_lik"])
  }
})

test_that("log_joint is the log likelihood plus log densities of everything that is learned", {
  log_hyper <- function(fit) {
    s <- scalars_of(fit)
    prior <- fit$internal$model$prior
    of <- function(name) {
      h <- prior[[name]]
      if (inherits(h, "gamma_prior")) stats::dgamma(s[, name], h$shape, h$rate, log = TRUE) else 0
    }
    of("alpha") + of("concentration")
  }
  log_class <- list(
    tree = \(z, s) dpibp(z, celebrity_tree, s["alpha"], log = TRUE), fixed = \(z, s) 0,
    holes = \(z, s) dibp(z, s["alpha"], s["concentration"], log = TRUE),
    finite = \(z, s) dbeta_bernoulli(z, s["alpha"], n_features = 6, log = TRUE)
  )
  fits <- choice_fits()
  for (name in names(fits)) {
    fit <- fits[[name]]
    s <- scalars_of(fit)
    which <- c(1, 50, 111)
    draws <- choice_draws(fit)[which]
    of_weights <- fit$internal$model$weights
    weights <- vapply(draws, \(d) {
      sum(stats::dgamma(d$w, of_weights$shape, of_weights$rate, log = TRUE))
    }, 0)
    z <- lapply(which, \(i) feature_draws(fit)[[i]])
    prior <- vapply(seq_along(which), \(i) log_class[[name]](z[[i]], s[which[i], ]), 0)
    expected <- s[which, "log_lik"] + weights + prior + (0 * s[, 1] + log_hyper(fit))[which]
    expect_equal(s[which, "log_joint"], expected, ignore_attr = TRUE, tolerance = 1e-8)
  }
})

test_that("replicated choices are binomial with the data's numbers of judgements", {
  for (fit in choice_fits()[c("holes", "finite")]) {
    p <- judged_draws(fit)
    at <- judged(model_data(fit))
    n <- model_data(fit)[at] + model_data(fit)[at[, 2:1]]
    set.seed(1)
    draws <- posterior_predict(fit)
    expect_identical(dim(draws), dim(p))
    expect_identical(colnames(draws), pair_labels(fit))
    expect_true(all(draws >= 0 & draws %% 1 == 0) && all(t(draws) <= n))
    # Given p, the counts are independent with mean n p and variance n p (1 - p).
    z <- (t(draws) - n * t(p)) / sqrt(n * t(p * (1 - p)))
    expect_lt(max(abs(rowMeans(z))) * sqrt(ncol(z)), 4.5)
    expect_lt(abs(mean(z^2) - 1), 0.05)
    expect_identical(dim(posterior_predict(fit, ndraws = 5)), c(5L, ncol(p)))
  }
})

test_that("densities of left-out pairs are means over draws of binomial probabilities", {
  fit <- holes_choice()
  p <- naive_choices(fit)
  pairs <- rbind(c(2, 1), c(9, 7))
  expected <- apply(pairs, 1, function(pair) {
    log(mean(stats::dbinom(celebrities[pair[1], pair[2]], 234, p[pair[1], pair[2], ])))
  })
  names <- c("HW-LBJ", "SL-BB")
  expect_equal(heldout_density(fit, celebrities), stats::setNames(expected, names))
  frame <- expand.grid(winner = rownames(celebrities), loser = rownames(celebrities))
  frame$n <- as.vector(celebrities)
  expect_equal(
    heldout_density(fit, frame[frame$winner != frame$loser, ]), stats::setNames(expected, names)
  )
  one <- replace(celebrities, cbind(1:2, 2:1), NA)
  expect_equal(heldout_density(fit, one)[[1]], NA_real_)
  expect_equal(heldout_density(fit, one)[[2]], expected[2])
  expect_error(heldout_density(fit), "^`actual` must be given: the full counts\\.$")
  expect_error(
    heldout_density(tree_choice(), celebrities),
    "^`fit` must be a fit to data with pairs left out\\.$"
  )
})

test_that("residuals and augment() return observed minus predicted shares", {
  for (fit in choice_fits()) {
    wins <- model_data(fit)
    share <- wins / (wins + t(wins))
    share[is.nan(share)] <- NA
    expect_equal(residuals(fit), share - predict(fit))
    at <- judged(wins)
    frame <- augment(fit)
    expect_identical(paste(frame$item1, frame$item2, sep = "-"), pair_labels(fit))
    expect_equal(frame$wins, wins[at])
    expect_equal(frame$n, wins[at] + wins[at[, 2:1]])
    expect_equal(frame$.fitted, predict(fit)[at])
    expect_equal(frame$.resid, frame$wins / frame$n - frame$.fitted)
  }
})

test_that("shares of aspects agree with features that have the same items", {
  for (fit in choice_fits()[c("tree", "finite")]) {
    table <- suppressWarnings(summary(fit, aspects = 6))$aspects
    expect_identical(nrow(table), 6L)
    expect_false(is.unsorted(rev(table$share)))
    names <- rownames(model_data(fit)) %||% seq_len(nrow(model_data(fit)))
    shares <- vapply(table$items, function(items) {
      vapply(choice_draws(fit), function(d) {
        told <- colSums(d$z) < nrow(d$z)
        same <- apply(d$z, 2, \(on) paste(names[on == 1], collapse = ", ")) == items
        sum(d$w[same & told]) / sum(d$w[told])
      }, 0)
    }, numeric(length(feature_draws(fit))))
    expect_equal(table$share, unname(colMeans(shares)))
    expect_equal(table$probability, unname(colMeans(shares > 0)))
    expect_equal(table$q5, unname(apply(shares, 2, stats::quantile, 0.05)))
    expect_equal(table$q95, unname(apply(shares, 2, stats::quantile, 0.95)))
  }
})

test_that("pairs that were left out and never judged are not scored", {
  wins <- celebrities[1:4, 1:4]
  holes <- wins
  for (pair in list(c(1, 2), c(1, 3), c(4, 2))) holes[rbind(pair, rev(pair))] <- NA
  fit <- quick_choice(holes, method = method_gibbs(1, 20))
  all <- heldout_density(fit, wins)
  expect_length(all, 3)
  wins[rbind(c(1, 3), c(3, 1))] <- 0
  wins[rbind(c(4, 2), c(2, 4))] <- NA
  left <- heldout_density(fit, wins)
  expect_named(left, names(all)[c(1, 3)])
  expect_identical(left, c(all[1], replace(all[3], 1, NA)))
  wins[rbind(c(1, 2), c(2, 1), c(4, 2), c(2, 4))] <- 0
  expect_error(heldout_density(fit, wins),
    "^`actual` must have a judgement of at least one pair that was left out, not none\\.$"
  )
})
