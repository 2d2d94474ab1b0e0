test_that("printing a fit or its summary takes at most 20 lines of 80 characters", {
  many <- withr::with_seed(1, draw_gaussian(diag(30), 40, 0.1, 1))
  fits <- c(all_fits(), list(many = quick_fit(
    many, sigma_x = 0.1, prior = prior_ibp(30, concentration = gamma_prior(1, 1), discount = 0.1),
    init = diag(30), method = method_gibbs(chains = 1, iter = 20)
  )))
  for (fit in fits) {
    shown <- capture.output(print(fit))
    expect_lte(length(shown), 20)
    expect_lte(max(nchar(shown)), 80)
    expect_identical(shown[seq_along(format(fit))], format(fit))
    summarised <- suppressWarnings(capture.output(print(summary(fit))))
    expect_lte(length(summarised), 20)
    expect_lte(max(nchar(summarised)), 80)
  }
  long <- format(method_gibbs(chains = 10, iter = 1e5, thin = 10, sampler = "uncollapsed"))
  expect_lte(nchar(long), 80 - nchar("Method: "))
})

test_that("a printed fit shows its size, prior, method and sizes of features", {
  shown <- paste(capture.output(print(small_fit())), collapse = "\n")
  said <- c(
    "8 rows and 3 columns", "Z ~ IBP(alpha)", "alpha ~ Gamma(shape = 1, rate = 1)",
    "2 chains of 600 sweeps (300 warm-up)",
    paste(colSums(features(small_fit())), collapse = ", ")
  )
  for (text in said) expect_match(shown, text, fixed = TRUE)
  capture.output(expect_invisible(print(small_fit())))
  n <- scalars_of(small_fit())[, "n_features"]
  mode <- names(which.max(table(n)))
  share <- sprintf("Features: %s (%.0f %%)", mode, 100 * mean(n == mode))
  expect_match(shown, share, fixed = TRUE)
})

test_that("the table in the summary is computed from the draws", {
  s <- suppressWarnings(summary(small_fit()))
  draws <- scalars_of(small_fit())[, s$table$variable]
  expect_equal(as.numeric(s$table$mean), unname(colMeans(draws)))
  expect_equal(as.numeric(s$table$sd), unname(apply(draws, 2, sd)))
  expect_equal(as.numeric(s$table$q50), unname(apply(draws, 2, median)))
  rhat <- vapply(s$table$variable, function(v) {
    posterior::rhat(posterior::extract_variable_matrix(as_draws(small_fit()), v))
  }, 0)
  expect_equal(as.numeric(s$table$rhat), unname(rhat))
  z <- feature_draws(small_fit())
  shared <- lapply(1:2, function(chain) {
    Reduce(`+`, lapply(300 * (chain - 1) + 1:300, function(i) tcrossprod(z[[i]]))) / 300
  })
  expect_equal(s$between_chains, max(abs(shared[[1]] - shared[[2]])))
})

test_that("scalars that never change are reported as constant and have no diagnostics", {
  s <- suppressWarnings(summary(finite_fit()))
  expect_setequal(s$names_constant, c("alpha", "sigma_x"))
  expect_false(any(c("alpha", "sigma_x") %in% s$table$variable))
  shown <- capture.output(print(s))
  expect_match(
    shown, "Constant in all draws: alpha = 1.5, sigma_x = 0.4", fixed = TRUE, all = FALSE
  )
  expect_no_warning(empty <- summary(empty_fit()))
  expect_identical(nrow(empty$table), 0L)
  expect_match(capture.output(print(empty)), "n_features = 0", all = FALSE)
})

test_that("draws have the variables of the model in all formats", {
  always <- c("n_features", "n_ones", "alpha", "sigma_x", "sigma_a", "log_lik", "log_joint")
  expect_setequal(posterior::variables(as_draws(small_fit())), always)
  expect_setequal(posterior::variables(as_draws(wide_fit())), c(always, "concentration"))
  expect_setequal(posterior::variables(as_draws(finite_fit())), c(always, "concentration"))
  array <- as_draws_array(small_fit())
  expect_identical(dim(array), c(300L, 2L, 7L))
  expect_equal(posterior::as_draws_array(as_draws_df(small_fit())), array)
  expect_equal(posterior::as_draws_array(as_draws_matrix(small_fit())), array, ignore_attr = TRUE)
  expect_equal(posterior::as_draws_array(as_draws_list(small_fit())), array)
  expect_equal(posterior::as_draws_array(as_draws_rvars(small_fit())), array)
  expect_true(all(is.finite(array)))
})

test_that("coda receives the same numbers with their sweeps", {
  skip_if_not_installed("coda")
  list <- coda::as.mcmc.list(finite_fit())
  expect_identical(coda::nchain(list), 2L)
  expect_equal(as.numeric(stats::time(list)), seq(152, 300, 2))
  expect_equal(as.matrix(list), scalars_of(finite_fit()), ignore_attr = TRUE)
  expect_identical(coda::varnames(list), posterior::variables(as_draws(finite_fit())))
})

test_that("features are labelled by decreasing size, and rows keep the names in the data", {
  for (fit in all_fits()) {
    z <- features(fit)
    expect_type(z, "integer")
    expect_true(all(z %in% 0:1))
    expect_false(is.unsorted(-colSums(z)))
    expect_gte(min(colSums(z), Inf), 1)
    if (ncol(z) > 0) expect_identical(colnames(z), paste0("f", seq_len(ncol(z))))
    expect_identical(rownames(z), rownames(fitted(fit)))
    expect_identical(dim(z), c(nobs(fit), nrow(loadings_of(fit))))
  }
  expect_identical(rownames(features(small_fit())), paste0("row", 1:8))
})

test_that("features() is the medoid of the draws with the same number of features", {
  for (fit in all_fits()) {
    draws <- feature_draws(fit)
    n <- scalars_of(fit)[, "n_features"]
    usual <- which(n == as.numeric(names(which.max(table(n)))))
    shared <- vapply(usual, function(i) as.vector(tcrossprod(draws[[i]])), numeric(nobs(fit)^2))
    total <- function(s) sum((shared - as.vector(s))^2)
    totals <- apply(shared, 2, total)
    expect_identical(ncol(features(fit)), as.integer(n[usual[1]]))
    expect_equal(total(tcrossprod(features(fit))), min(totals))
  }
})

test_that("the features in every draw agree with the scalars of the draw", {
  for (fit in all_fits()) {
    z <- feature_draws(fit)
    s <- scalars_of(fit)
    expect_length(z, nrow(s))
    sizes <- vapply(seq_along(z), function(i) c(ncol(z[[i]]), sum(z[[i]])), c(0, 0))
    expect_equal(t(sizes), s[, c("n_features", "n_ones")], ignore_attr = TRUE)
  }
  expect_error(z[[length(z) + 1]], "`i` must be at most")
  expect_match(format(feature_draws(small_fit())), "^600 draws of a binary matrix with 8 rows")
  one <- format(feature_draws(small_fit())[1])
  expect_match(one, "^1 draw of a binary matrix with 8 rows and [0-9]+ features? \\(")
  single <- new_feature_draws(8L, c(1L, 1L), raw(16), NULL)
  expect_match(format(single), "^2 draws of a binary matrix with 8 rows and 1 feature \\(")
  expect_match(format(single[integer()]), "^0 draws of a binary matrix with 8 rows \\(0 bytes\\)$")
})

test_that("saved draws take one bit per entry: 4000 draws of 1000 x 10 take less than 10 MB", {
  z <- withr::with_seed(1, matrix(stats::rbinom(1e4, 1, 0.5), 1000))
  x <- withr::with_seed(1, draw_gaussian(z, 2, 1, 1))
  fit <- quick_fit(
    x, sigma_x = 1, sigma_a = 1, prior = prior_beta_bernoulli(10, 10), init = z,
    method = method_gibbs(chains = 4, iter = 25, warmup = 0)
  )
  expect_gt(min(scalars_of(fit)[, "n_features"]), 9)
  # The data as given and the data inside the model must be the same object.
  own <- unclass(fit)[names(fit) != "data"]
  expect_lt(as.numeric(object.size(own)), 10e6 * 100 / 4000 + 8 * length(x))
})

test_that("loadings and logLik() agree with the draw that is the point estimate", {
  for (case in fits_with_data()) {
    fit <- case$fit
    s <- scalars_of(fit)[fit$internal$point, ]
    expected <- naive_loadings(case$x, features(fit), s[["sigma_x"]], s[["sigma_a"]])
    expect_equal(loadings_of(fit), expected, ignore_attr = TRUE)
    names <- list(colnames(features(fit)), colnames(fitted(fit)))
    expect_identical(dimnames(loadings_of(fit)), names)
    expect_equal(as.numeric(logLik(fit)), s[["log_lik"]])
  }
  expect_identical(attr(logLik(small_fit()), "nobs"), 8L)
})

test_that("coassignment is the mean number of shared features over draws", {
  for (fit in all_fits()) {
    z <- feature_draws(fit)
    mean <- Reduce(`+`, lapply(seq_along(z), function(i) tcrossprod(z[[i]]))) / length(z)
    expect_equal(unname(coassignment(fit)), unname(mean))
  }
  expect_identical(dimnames(coassignment(small_fit())), rep(list(paste0("row", 1:8)), 2))
})

test_that("log_lik and log_joint of every draw agree with their formulas", {
  for (f in 1:3) {
    x <- fits_with_data()[[f]]$x
    fit <- fits_with_data()[[f]]$fit
    s <- as.data.frame(scalars_of(fit))
    z <- feature_draws(fit)
    # This is the rate of the default prior.
    s2 <- stats::var(as.vector(x))
    log_prior <- function(z, d) {
      if (f == 3) {
        return(dgamma(d$concentration, 3, 3, log = TRUE) + dgamma(d$sigma_a^-2, 1, s2, log = TRUE) +
          dbeta_bernoulli(z, 1.5, d$concentration, n_features = 4, log = TRUE))
      }
      taus <- sum(dgamma(c(d$sigma_x, d$sigma_a)^-2, 1, s2, log = TRUE))
      if (f == 1) {
        return(taus + dgamma(d$alpha, 1, 1, log = TRUE) + dibp(z, d$alpha, log = TRUE))
      }
      taus + dgamma(d$alpha, 2, 3, log = TRUE) + dgamma(d$concentration, 2, 2, log = TRUE) +
        dibp(z, d$alpha, d$concentration, log = TRUE)
    }
    for (i in seq(1, length(z), 7)) {
      log_lik <- naive_log_lik(x, z[[i]], s$sigma_x[i], s$sigma_a[i])
      expect_equal(s$log_lik[i], log_lik)
      expect_equal(s$log_joint[i], log_lik + log_prior(z[[i]], s[i, ]))
    }
  }
})

test_that("a summary does not depend on how R is set to print numbers", {
  fit <- quick_fit(matrix(rnorm(40), 10), method = method_gibbs(chains = 2, iter = 40))
  as_usual <- suppressWarnings(summary(fit))
  withr::local_options(scipen = -10)
  expect_identical(suppressWarnings(summary(fit))$table, as_usual$table)
})

test_that("prior_summary() lists learned parameters with their priors, and fixed parameters", {
  p <- prior_summary(finite_fit())
  expect_identical(
    p$parameter, c("features", "alpha", "concentration", "sigma_x", "sigma_a", "loadings")
  )
  expect_identical(p$learned, c(TRUE, FALSE, TRUE, FALSE, TRUE, TRUE))
  rate <- format(stats::var(as.vector(scale(small_data(), scale = FALSE))), digits = 4)
  expect_identical(p$prior[2:6], c(
    "1.5", "Gamma(shape = 3, rate = 3)", "0.4",
    sprintf("Gamma(shape = 1, rate = %s) on 1/sigma^2", rate), "N(0, sigma_a^2)"
  ))
  expect_match(p$prior[1], "beta-Bernoulli(n_features = 4", fixed = TRUE)
})
