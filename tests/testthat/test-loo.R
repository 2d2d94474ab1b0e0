# Functions that users of brms, rstanarm and posterior expect.

test_that("posterior's counts of iterations, chains and draws are correct for a fit", {
  for (fit in sampled_kinds()) {
    draws <- as_draws_array(fit)
    expect_identical(ndraws(fit), posterior::ndraws(draws))
    expect_identical(nchains(fit), posterior::nchains(draws))
    expect_identical(niterations(fit), posterior::niterations(draws))
    expect_identical(variables(fit), posterior::variables(draws))
  }
  for (count in list(ndraws, nchains, niterations, variables)) {
    expect_error(count(icm_fit()), "^`x` must be a fit by sampling, not one by method_icm")
  }
})

test_that("posterior_interval() agrees with tidy()", {
  for (fit in sampled_kinds()) {
    interval <- posterior_interval(fit, prob = 0.8)
    table <- tidy(fit, "scalars", conf.level = 0.8)
    expect_identical(dimnames(interval), list(table$term, c("10%", "90%")))
    expect_equal(unname(interval), cbind(table$conf.low, table$conf.high))
  }
  expect_identical(colnames(posterior_interval(small_fit())), c("5%", "95%"))
  expect_error(posterior_interval(small_fit(), prob = 1), "^`prob` must")
  expect_error(posterior_interval(icm_fit()), "^`object` must be a fit by sampling")
})

test_that("loo() and waic() pass log_lik() and the efficiencies of the chains to loo", {
  skip_if_not_installed("loo")
  # None of these results depends on new random draws.
  for (kind in c("nonnegative", "choice", "mixed", "logistic", "nmf")[sized(1:3, 1:5)]) {
    fit <- kinds_of_fits()[[kind]]
    pointwise <- if (kind == "choice") log_lik(fit) else log_lik(fit, ndraws = ndraws(fit))
    chain <- rep(1:2, each = niterations(fit))
    r_eff <- loo::relative_eff(exp(pointwise), chain_id = chain)
    by_hand <- suppressWarnings(loo::loo(pointwise, r_eff = r_eff))
    ours <- suppressWarnings(loo::loo(fit))
    expect_s3_class(ours, "psis_loo")
    expect_identical(ours$estimates, by_hand$estimates)
    expect_identical(ours$diagnostics, by_hand$diagnostics)
    expect_false(isTRUE(all.equal(r_eff, rep(1, length(r_eff)))))
    expect_identical(
      suppressWarnings(loo::waic(fit))$estimates, suppressWarnings(loo::waic(pointwise))$estimates
    )
  }
  fit <- kinds_of_fits()$nonnegative
  by_row <- suppressWarnings(loo::loo(fit, by = "row"))
  expect_identical(nrow(by_row$pointwise), nobs(fit))
  expect_identical(dim(suppressWarnings(loo::loo(fit, ndraws = 21))), c(20L, 720L))
  expect_error(loo::loo(fit, ndraws = 1000), "^`ndraws` must be from 4 to 100, not 1000\\.$")
  expect_error(loo::loo(fit, by = "chain"), "^`by` must")
  for (point in list(icm_fit(), kinds_of_fits()$meibp)) {
    for (criterion in list(loo::loo, loo::waic)) {
      form <- "^`x` must be a fit by sampling, .*: compare fits with `compare_heldout\\("
      expect_error(criterion(point), form)
    }
  }
})

test_that("posterior_epred() has the shape of posterior_predict(), and its mean is fitted()", {
  for (kind in setdiff(names(kinds_of_fits()), c("choice", "mixed", "topics"))) {
    fit <- kinds_of_fits()[[kind]]
    set.seed(1)
    n <- most_draws(fit, 100)
    expected <- posterior_epred(fit, ndraws = n)
    predicted <- posterior_predict(fit, ndraws = n)
    expect_identical(dim(expected), dim(predicted))
    expect_identical(dimnames(expected), dimnames(predicted))
    # The standard error of each mean is computed from the spread of the draws. Because the draws
    # are autocorrelated, the bound is generous.
    error <- apply(expected, 2:3, mean) - fitted(fit)
    spread <- mean(apply(expected, 2:3, stats::sd))
    expect_lt(sqrt(mean(error^2)), 0.5 * spread + 1e-8)
    if (kind != "icm") expect_gt(spread, 0.01)
    expect_lt(mean(apply(expected, 2:3, stats::var)), mean(apply(predicted, 2:3, stats::var)))
  }
  expect_error(posterior_epred(small_fit(), ndraws = 0), "^`ndraws` must")
  expect_error(posterior_epred(small_fit(), newdata = 1), "^`newdata` must be a numeric matrix")
})

test_that("posterior_epred() works for choices, documents and data frames", {
  fit <- kinds_of_fits()$choice
  expected <- posterior_epred(fit)
  expect_identical(dimnames(expected), dimnames(posterior_predict(fit)))
  expect_equal(unname(colMeans(expected)), augment(fit)$.fitted * augment(fit)$n)
  fit <- kinds_of_fits()$topics
  expected <- withr::with_seed(1, posterior_epred(fit))
  expect_identical(dim(expected), dim(posterior_predict(fit)))
  expect_equal(apply(expected, 1:2, sum), matrix(20, ndraws(fit), nobs(fit)), ignore_attr = TRUE)
  expect_gt(stats::cor(as.vector(colMeans(expected)), as.vector(fitted(fit))), 0.95)
  fit <- best_chain(kinds_of_fits()$mixed)
  expected <- posterior_epred(fit, ndraws = ndraws(fit))
  species <- paste("Species", levels(iris$Species), sep = ": ")
  expect_identical(dimnames(expected)[[3]], c(names(iris)[1:4], species))
  means <- apply(expected, 2:3, mean)
  expect_equal(means[, species], predict(fit, type = "prob")$Species, ignore_attr = TRUE)
  # Numbers with skewed logarithms are gaussian. For lognormal numbers, each draw is a median.
  families <- vapply(fit$internal$model$data$columns, `[[`, "", "family")[1:4]
  for (j in 1:4) {
    log_normal <- families[j] == "lognormal"
    of_draws <- if (log_normal) exp(colMeans(log(expected[, , j]))) else means[, j]
    expect_equal(of_draws, fitted(fit)[[j]], ignore_attr = TRUE)
  }
})

test_that("autoplot() is the same as plot()", {
  picture <- ggplot2::autoplot(small_fit(), type = "loadings")
  expect_s3_class(picture, "ggplot")
  expect_identical(picture$labels, plot(small_fit(), "loadings")$labels)
  expect_error(ggplot2::autoplot(small_fit(), type = "nonsense"), "^`type` must")
})

test_that("pp_check() shows the observed entries and their replicates", {
  skip_if_not_installed("bayesplot")
  kinds <- kinds_of_fits()
  x <- replace(small_data(), 2, NA)
  fit <- quick_fit(x, method = method_gibbs(chains = 1, iter = 100, cores = 1))
  with_seed <- function(code) withr::with_seed(1, code)
  observed <- which(!is.na(x))
  replicates <- with_seed(matrix(posterior_predict(fit, ndraws = 20), 20)[, observed])
  ours <- with_seed(bayesplot::pp_check(fit, ndraws = 20))
  expect_identical(ours$data, bayesplot::ppc_dens_overlay(x[observed], replicates)$data)
  of_p <- bayesplot::pp_check(fit, "intervals", ndraws = 20, column = "p")
  expect_identical(of_p$data$y_obs, unname(x[-2, "p"]))
  mixed <- bayesplot::pp_check(kinds$mixed, "bars", column = "Species")
  expect_identical(mixed$data$y_obs, rep(10L, 3))
  for (fit in kinds[setdiff(names(kinds), c("mixed", "choice"))]) {
    expect_s3_class(bayesplot::pp_check(fit, ndraws = 5), "ggplot")
  }
  choices <- bayesplot::pp_check(kinds$choice, "intervals")
  expect_identical(choices$data$y_obs, as.double(augment(kinds$choice)$wins))
  expect_error(bayesplot::pp_check(fit, "nonsense"), "^`type` must")
  expect_error(bayesplot::pp_check(kinds$icm, column = 99), "^`column` must be")
  expect_error(bayesplot::pp_check(kinds$choice, column = 1), "^`column` must be NULL")
})

test_that("pp_check() names categories and the two values of binary columns", {
  skip_if_not_installed("bayesplot")
  axis <- function(fit, ...) axis_labels(bayesplot::pp_check(fit, ndraws = 5, ...), "x")
  mixed <- mixed_fit()
  expect_identical(axis(mixed, column = "town"), c("Rome", "Oslo", "Lima"))
  expect_identical(axis(mixed, column = "grade"), c("low", "mid", "high"))
  expect_identical(axis(mixed, column = "member"), c("FALSE", "TRUE"))
  # Each bar is at the position given by the number of its category.
  bars <- bayesplot::pp_check(mixed, column = "town", ndraws = 5)
  counts <- table(mixed_frame()$town[-3])
  expect_identical(bars$data$y_obs[order(bars$data$x)], as.vector(counts))
  codes <- data.frame(scale = rep(c(2, 3, 5), 8), x = 1:24 / 7)
  of_codes <- suppressMessages(quick_mixed(codes, method = method_gibbs(chains = 1, iter = 20)))
  expect_identical(axis(of_codes, column = "scale"), c("2", "3", "5"))
  answers <- data.frame(a = factor(rep(c("no", "yes"), 6)), b = rep(c(TRUE, FALSE), each = 6))
  logistic <- quick_logistic(answers, method = method_gibbs(chains = 1, iter = 20))
  expect_identical(axis(logistic, column = "a"), c("no", "yes"))
  expect_identical(axis(logistic, column = 2), c("FALSE", "TRUE"))
  expect_identical(axis(logistic), c("0", "1"))
  expect_identical(axis(small_logistic()), c("0", "1"))
})

test_that("pp_check() draws densities if the replicates of zeros and ones are normal", {
  skip_if_not_installed("bayesplot")
  binary <- matrix(rep(c(0, 1, 1, 0, 1), 8), 10)
  fit <- quick_fit(binary, method = method_gibbs(chains = 1, iter = 20))
  expect_true("density" %in% names(build_plot(bayesplot::pp_check(fit, ndraws = 5))$data[[1]]))
})

test_that("bayesplot accepts the draws as a plain array", {
  fit <- kinds_of_fits()$gaussian
  draws <- as.array(fit)
  expect_identical(dim(draws), dim(posterior::as_draws_array(fit)))
  expect_identical(dimnames(draws)$variable, posterior::variables(fit))
  expect_identical(as.vector(draws[, 2, "alpha"]), as.vector(as_draws(fit)[, 2, "alpha"]))
  skip_if_not_installed("bayesplot")
  expect_s3_class(bayesplot::mcmc_trace(fit, pars = "alpha"), "ggplot")
})

test_that("words that do not occur in a document are not entries for loo() and waic()", {
  skip_if_not_installed("loo")
  d <- withr::with_seed(1, sim_topics(8, 12, alpha = 2, gamma = 2, lengths = 10)$dtm)
  fit <- fit_topics(d, method = method_gibbs(2, 200, thin = 1), seed = 1, verbose = FALSE)
  pointwise <- log_lik(fit)
  expect_true(any(colSums(pointwise != 0) == 0))
  warned <- 0
  estimate <- withCallingHandlers(
    suppressMessages(loo::loo(fit)),
    warning = function(w) {
      warned <<- warned + 1
      invokeRestart("muffleWarning")
    }
  )
  expect_lte(warned, 2)
  expect_identical(nrow(estimate$pointwise), length(d@x))
  expect_equal(
    estimate$estimates["elpd_loo", "Estimate"],
    suppressWarnings(loo::loo(pointwise[, colSums(pointwise != 0) > 0]))$estimates[1, 1]
  )
  expect_identical(nrow(suppressWarnings(loo::waic(fit))$pointwise), length(d@x))
})
