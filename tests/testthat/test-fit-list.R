# A fit is a list, and R's own functions treat it like any other list.

elements <- c(
  "call", "seed", "draws", "features", "loadings", "feature_draws", "prior", "method", "data",
  "args", "version", "internal"
)

test_that("a fit has the elements listed on its help page, with the values of the functions", {
  for (fit in kinds_of_fits()) {
    expect_identical(names(fit), elements)
    expect_identical(getCall(fit), fit$call)
    expect_identical(fit[["seed"]], 1L)
    expect_identical(fit$loadings, loadings_of(fit))
    expect_identical(stats::loadings(fit), loadings_of(fit))
    expect_identical(coef(fit), loadings_of(fit))
    if (!inherits(fit, "fit_nmf")) {
      expect_identical(fit$features, suppressMessages(features(fit)))
      expect_identical(fit$feature_draws, feature_draws(fit))
    }
    if (inherits(fit, "fit_mcmc")) {
      expect_identical(fit$draws, posterior::as_draws_array(fit))
    } else {
      expect_null(fit$draws)
    }
    expect_s3_class(fit$version, "package_version")
  }
  fit <- small_fit()
  expect_identical(fit$method$chains, 2L)
  expect_identical(fit$call[[1]], quote(fit_gaussian))
  expect_error(coef(fit, 2), "^An unnamed argument is unused: coef\\(\\) has no more")
})

test_that("printed loadings of factors say how to rotate them, and that code works", {
  fit <- quick_factor(scale(datasets::swiss))
  a <- stats::loadings(fit)
  printed <- utils::capture.output(print(a))
  expect_match(utils::tail(printed, 1), "^Factors x columns .* `varimax\\(t\\(loadings\\(fit")
  rotated <- stats::varimax(t(a))$loadings
  # Rotations do not change communalities.
  expect_equal(rowSums(unclass(rotated)^2), colSums(a^2), ignore_attr = TRUE)
  for (other in list(t(a), weights_of(fit))) {
    printed <- utils::capture.output(print(other))
    expect_no_match(utils::tail(printed, 1), "varimax")
  }
})

test_that("the data and the arguments of a fit reproduce it", {
  x <- data.frame(u = c(1, 2, NA, 4), v = c(2, 1, 0, 1))
  fit <- quick_fit(x, scale = TRUE, sigma_a = 2)
  expect_identical(fit$data, x)
  expect_identical(fit$args[c("scale", "sigma_a")], list(scale = TRUE, sigma_a = 2))
  again <- do.call(fit_gaussian, c(list(fit$data, seed = fit$seed, verbose = FALSE), fit$args))
  expect_identical(again$feature_draws, fit$feature_draws)
  expect_identical(again$draws, fit$draws)
  other <- suppressMessages(update(fit, sigma_a = 3, thin = 2))
  expect_identical(other$call$sigma_a, 3)
  expect_identical(other$args$sigma_a, 3)
  expect_identical(other$method$thin, 2L)
})

test_that("fits can be put in lists and tibbles, mapped over, and changed like other lists", {
  fit <- small_fit()
  expect_length(c(list(fit), list(fit)), 2)
  expect_identical(lapply(list(fit, fit), nobs), list(8L, 8L))
  expect_identical(lapply(fit, identity)$seed, fit$seed)
  table <- tibble::tibble(fit = list(fit, fit))
  expect_identical(table$fit[[2]], fit)
  expect_output(print(table), "2 .* 1")
  fit$note <- "mine"
  expect_identical(features(fit), features(small_fit()))
  expect_output(print(fit), "Gaussian")
  skip_if_not_installed("purrr")
  # This package is not even a suggested dependency.
  purrr <- getNamespace("purrr")
  expect_identical(purrr$pluck(fit, "method", "iter"), fit$method$iter)
  expect_identical(purrr$map(list(fit, fit), nobs), list(8L, 8L))
})

test_that("the str() output of a fit is short", {
  for (fit in kinds_of_fits()) {
    shown <- capture.output(str(fit))
    expect_lte(length(shown), 13)
    expect_lte(max(nchar(shown)), 200)
  }
})

test_that("str() accepts its usual arguments, and shows a fit in a list as it does alone", {
  fit <- small_fit()
  alone <- capture.output(str(fit))
  expect_identical(capture.output(str(fit, max.level = 1)), alone)
  expect_length(grep("^List|^ [$]", capture.output(str(fit, max.level = 2))), length(fit) + 1)
  expect_gt(length(capture.output(str(fit, 2))), length(alone) + 10)
  expect_match(capture.output(str(fit, 0)), "^List of 12$")
  nested <- capture.output(str(list(a = fit, list(b = fit)), give.attr = FALSE))
  shown <- sub("^( |[.])*[$]", "$", nested)
  expect_identical(sum(startsWith(shown, "$ call")), 2L)
  expect_length(nested, 2 * length(alone) + 2)
})

test_that("if a fit lacks an element that functions need, an error names the element", {
  for (name in c("internal", "features", "loadings", "feature_draws", "prior", "method", "seed")) {
    fit <- small_fit()
    fit[[name]] <- NULL
    for (call in list(print, summary, coassignment, sigma, fitted, update)) {
      expect_error(call(fit), sprintf("^the fit has no element `%s`: it was removed", name))
    }
  }
  # The other elements are not needed.
  fit <- small_fit()
  fit[c("draws", "version")] <- NULL
  expect_identical(fitted(fit), fitted(small_fit()))
  expect_identical(as_draws(fit), as_draws(small_fit()))
})

test_that("saved fits can be read without attaching buffet, but not if they have another format", {
  file <- withr::local_tempfile(fileext = ".rds")
  saveRDS(small_fit(), file)
  code <- sprintf("f <- readRDS('%s'); cat(f$seed, class(f$draws)[1], dim(f$features))", file)
  out <- system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", "-e", shQuote(code)),
    stdout = TRUE, stderr = TRUE
  )
  expect_identical(out, paste(c(1, "draws_array", dim(small_fit()$features)), collapse = " "))
  old <- small_fit()
  old$version <- package_version("0.5")
  expect_output(print(old), "Gaussian")
  old$internal$format <- 0L
  form <- "^the fit by buffet 0.5 has a format that this version cannot read: run it again"
  longer <- function(fit) update(fit, iter = 1000)
  for (call in list(print, summary, features, predict, fitted, loadings_of, glance, longer)) {
    expect_error(call(old), form)
  }
  expect_error(print(structure(list(), class = class(old))), "^the fit has no element `internal`")
})

test_that("sigma() is the posterior mean of the noise if there is any", {
  for (fit in kinds_of_fits()) {
    if (inherits(fit, c("fit_logistic", "fit_mixed", "fit_choice", "fit_topics", "fit_cascade"))) {
      expect_error(sigma(fit), "^`object` must be a fit with noise `sigma_x`, .*, not one by fit_")
    } else {
      table <- tidy(fit, "scalars")
      expect_equal(sigma(fit), table$estimate[table$term == "sigma_x"])
    }
  }
})

test_that("other generics raise a one-line error that names the function to use instead", {
  compared <- "`compare_heldout(fit1, fit2, actual = x)`"
  instead <- list(
    AIC = compared, BIC = compared, deviance = "compare_heldout()", df.residual = compared,
    anova = compared, confint = "posterior_interval", weights = "weights_of",
    formula = "features", terms = "features", model.frame = "features",
    model.matrix = "features"
  )
  for (fit in kinds_of_fits()) {
    for (name in names(instead)) {
      error <- expect_error(match.fun(name)(fit), sprintf("^%s\\(\\) is not defined", name))
      expect_match(conditionMessage(error), instead[[name]], fixed = TRUE)
      expect_no_match(conditionMessage(error), "\n")
    }
    expect_error(
      graphics::image(fit), "^image\\(\\) is not defined [^\n]*: plot\\(\\)"
    )
    if (!inherits(fit, "fit_factor")) expect_error(vcov(fit), "fit_factor")
    for (newdata in list(NULL, matrix(0, 1, 2))) {
      expect_error(
        rstantools::posterior_linpred(fit, newdata = newdata),
        "^posterior_linpred\\(\\) is not defined for buffet fits: posterior_epred\\(\\)[^\n]*$"
      )
      expect_error(
        rstantools::predictive_error(fit, newdata = newdata),
        "^predictive_error\\(\\) is not defined for buffet fits: residuals\\(\\)[^\n]*$"
      )
    }
    expect_error(
      log_lik(fit, newdata = matrix(0, 1, 2)),
      "^`newdata` must be left out: [^\n]*; heldout_density\\(\\)[^\n]*$"
    )
  }
})

test_that("as.matrix(), as.data.frame() and as.mcmc() return the draws of the scalars", {
  for (fit in kinds_of_fits()) {
    if (inherits(fit, "fit_point")) {
      for (call in list(as.matrix, as.data.frame, data.frame)) {
        expect_error(call(fit), "^`x` must be a fit by sampling, not one by")
      }
      next
    }
    draws <- posterior::as_draws_matrix(fit)
    expect_identical(class(as.matrix(fit)), c("matrix", "array"))
    expect_equal(as.matrix(fit), draws, ignore_attr = TRUE)
    expect_identical(colnames(as.matrix(fit)), posterior::variables(draws))
    frame <- as.data.frame(fit)
    expect_identical(class(frame), "data.frame")
    expect_identical(as.matrix(frame), as.matrix(fit))
    expect_identical(tibble::as_tibble(fit), tibble::as_tibble(frame))
  }
})

test_that("coda::as.mcmc() accepts one chain, and names the function for several chains", {
  skip_if_not_installed("coda")
  several <- "^`x` must be .*coda::as.mcmc.list\\(\\) .*, not one of 2\\.$"
  expect_error(coda::as.mcmc(small_fit()), several)
  one <- best_chain(small_fit())
  expect_identical(coda::as.mcmc(one), coda::as.mcmc.list(one)[[1]])
  expect_error(coda::as.mcmc(icm_fit()), "must be a fit by sampling")
})
