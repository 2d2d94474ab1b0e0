# What the generics of R say of a fit, asked from outside of the package.

#' Evaluates code where users have it
as_user <- function(code, ...) {
  eval(substitute(code), list2env(list(...), new.env(parent = globalenv())))
}

#' The fields that a fit has inside
fields_of <- function(fit) names(unclass(fit))

test_that("no element of a fit is in reach, by any operator or function that takes lists apart", {
  for (fit in kinds_of_fits()) {
    for (name in fields_of(fit)) {
      refused <- sprintf("^a fit has no element \"%s\": read it with functions", name)
      expect_error(as_user(fit[[name]], fit = fit, name = name), refused)
      expect_error(as_user(getElement(fit, name), fit = fit, name = name), refused)
      call <- as.call(list(as.name("$"), as.name("fit"), as.name(name)))
      expect_error(as_user(eval(call), fit = fit, call = call), refused)
    }
    expect_error(as_user(fit[[1]], fit = fit), "no element 1:")
    expect_error(as_user(fit$mod, fit = fit), "no element \"mod\"")
    expect_identical(as_user(names(fit), fit = fit), "loadings")
    expect_length(fit, 1)
  }
  fit <- small_fit()
  takers <- list(
    c = \(x) c(x, x), rep = \(x) rep(x, 2), rev = rev, head = head, tail = tail, t = t,
    "[" = \(x) x[1], as.list = as.list, as.list = \(x) lapply(x, identity),
    as.list = \(x) sapply(x, identity), as.vector = matrix, as.vector = as.vector,
    unique = unique, with = \(x) with(x, model), sort = sort, order = order,
    split = \(x) split(x, 1)
  )
  for (i in seq_along(takers)) {
    name <- names(takers)[i]
    expect_error(takers[[i]](fit), "does not work on a fit, which is one object", fixed = TRUE)
    expect_error(takers[[i]](fit), name, fixed = TRUE)
  }
})

test_that("what R does not let a class refuse is named in the help", {
  fit <- small_fit()
  expect_help("buffet_fit", "unlist(fit) is the name of its class")
  expect_identical(unlist(fit), "<fit_gaussian>")
  open <- list(
    "for (part in fit)" = \(x) for (part in x) break, "unlist(list(fit))" = \(x) unlist(list(x)),
    "unclass()" = unclass, "rapply()" = \(x) rapply(x, length),
    "attr(fit, \"note\") <- 1" = \(x) attr(x, "note") <- 1
  )
  for (name in names(open)) {
    expect_error(open[[name]](fit), NA)
    expect_help("buffet_fit", name)
  }
  expect_help("buffet_fit", "without the package a fit prints as a list")
})

test_that("the package reads parts, wherever its code runs", {
  expect_identical(small_fit()$method$chains, 2L)
  expect_identical(lapply(list(small_fit()), \(fit) fit$method$chains), list(2L))
  expect_identical(small_fit()[["method"]]$chains, 2L)
})

test_that("str() is a line, and lists and data frames of fits can be looked at", {
  for (fit in kinds_of_fits()) {
    shown <- capture.output(str(fit))
    expect_length(shown, 1)
    expect_match(shown, paste0("^ ", class(fit)[1], ": "))
    expect_length(capture.output(str(list(a = 1, fit = fit))), 3)
    expect_output(print(tibble::tibble(fit = list(fit, fit))), "2 .* 1")
    expect_false(is.na(fit))
    expect_identical(all.equal(fit, fit), TRUE)
  }
  other <- small_fit()
  other$seed <- 0L
  expect_match(all.equal(small_fit(), other), "seed")
})

test_that("coef() and loadings() are the loadings", {
  for (fit in kinds_of_fits()) {
    expect_identical(coef(fit), loadings_of(fit))
    expect_identical(stats::loadings(fit), loadings_of(fit))
    expect_identical(as_user(fit$loadings, fit = fit), loadings_of(fit))
    expect_identical(as_user(fit[["loadings"]], fit = fit), loadings_of(fit))
  }
  expect_error(coef(small_fit(), 2), "must be left out")
})

test_that("sigma() is the posterior mean of the noise, where there is one", {
  for (fit in kinds_of_fits()) {
    if (inherits(fit, c("fit_logistic", "fit_mixed", "fit_choice", "fit_topics", "fit_cascade"))) {
      expect_error(sigma(fit), "^`object` must be a fit with noise `sigma_x`, .*, not one by fit_")
    } else {
      table <- tidy(fit, "scalars")
      expect_equal(sigma(fit), table$estimate[table$term == "sigma_x"])
    }
  }
})

test_that("other generics refuse in one line that says what to call", {
  instead <- list(
    AIC = "loo::loo", BIC = "loo::loo", deviance = "log_lik", df.residual = "loo::loo",
    anova = "loo::loo", confint = "posterior_interval", weights = "weights_of",
    formula = "features", terms = "features", model.frame = "features", model.matrix = "features",
    mean = "tidy", range = "as.matrix", max = "as.matrix", median = "summary", quantile = "summary"
  )
  for (fit in kinds_of_fits()) {
    for (name in names(instead)) {
      error <- expect_error(match.fun(name)(fit), sprintf("^%s\\(\\) has no answer", name))
      expect_match(conditionMessage(error), instead[[name]], fixed = TRUE)
      expect_no_match(conditionMessage(error), "\n")
    }
    expect_error(
      as_user(graphics::image(fit), fit = fit), "^image\\(\\) has no answer [^\n]*: plot\\(\\)"
    )
    if (!inherits(fit, "fit_factor")) expect_error(vcov(fit), "fit_factor")
    for (newdata in list(NULL, matrix(0, 1, 2))) {
      expect_error(
        rstantools::posterior_linpred(fit, newdata = newdata),
        "^posterior_linpred\\(\\) has no answer for a fit by buffet: posterior_epred\\(\\)[^\n]*$"
      )
      expect_error(
        rstantools::predictive_error(fit, newdata = newdata),
        "^predictive_error\\(\\) has no answer for a fit by buffet: residuals\\(\\)[^\n]*$"
      )
    }
    expect_error(
      log_lik(fit, newdata = matrix(0, 1, 2)),
      "^`newdata` must be left out: [^\n]*; heldout_density\\(\\)[^\n]*$"
    )
  }
})

test_that("as.matrix(), as.data.frame() and as.mcmc() have the draws of scalars", {
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

test_that("coda::as.mcmc() answers for one chain, and says what answers for several", {
  skip_if_not_installed("coda")
  several <- "^`x` must be .*coda::as.mcmc.list\\(\\) .*, not one of 2\\.$"
  expect_error(coda::as.mcmc(small_fit()), several)
  one <- best_chain(small_fit())
  expect_identical(coda::as.mcmc(one), coda::as.mcmc.list(one)[[1]])
  expect_error(coda::as.mcmc(icm_fit()), "must be a fit by sampling")
})

test_that("data frames show a column of fits", {
  fits <- all_fits()[1:2]
  frame <- data.frame(k = 1:2)
  frame$fit <- unname(fits)
  shown <- paste(capture.output(print(frame)), collapse = " ")
  # Base R shortens what is in lists.
  for (fit in fits) expect_match(shown, substr(sprintf("<%s>", class(fit)[1]), 1, 8), fixed = TRUE)
  expect_identical(paste(fits[[1]]), sprintf("<%s>", class(fits[[1]])[1]))
})

test_that("a fit is not changed from outside, by any operator, and the package still can", {
  fit <- small_fit()
  unchanged <- "^a fit cannot be changed: update\\(\\) refits it with other arguments"
  expect_error(as_user(fit$note <- 1, fit = fit), unchanged)
  expect_error(as_user(fit$seed <- 1L, fit = fit), unchanged)
  expect_error(as_user(fit[["x"]] <- 1, fit = fit), unchanged)
  expect_error(as_user(fit["x"] <- 1, fit = fit), unchanged)
  expect_error(as_user(names(fit) <- "a", fit = fit), unchanged)
  expect_error(as_user(utils::modifyList(fit, list(a = 1)), fit = fit), unchanged)
  other <- fit
  other$seed <- 7L
  other[["method"]]$iter <- 5L
  expect_identical(list(other$seed, other$method$iter), list(7L, 5L))
  expect_s3_class(other, class(fit), exact = TRUE)
})

test_that("fits are not bound to rows or columns, nor mapped over by purrr", {
  fit <- small_fit()
  for (bind in list(rbind, cbind)) {
    expect_error(bind(fit, fit), "bind\\(\\) does not work on a fit, which is one object")
    expect_error(bind(list(fit), fit), "bind\\(\\) does not work on a fit, which is one object")
  }
  skip_if_not_installed("purrr")
  # Not a dependency, not even a suggested one.
  map <- getExportedValue("purrr", "map")
  expect_error(map(fit, identity), "^map\\(\\) does not work on a fit, which is one object")
  expect_identical(map(list(fit, fit), nobs), list(8L, 8L))
})

test_that("tibbles show a column of fits by their class", {
  shown <- capture.output(print(tibble::tibble(fit = list(small_fit(), small_fit()))))
  expect_match(shown[4:5], "<ft_gssn>|<fit_gaussian>|<fit_gss>", all = TRUE)
})

test_that("fits without parts say so, whatever is asked of them", {
  text <- "^the fit has no parts: it must be made by a fit_\\*\\(\\) function, not by hand\\.$"
  for (middle in list(NULL, "fit_mcmc")) {
    fit <- structure(list(), class = c("fit_gaussian", middle, "buffet_fit"))
    for (verb in c(summary, print, features, predict, fitted, loadings_of, feature_draws, glance)) {
      expect_error(verb(fit), text)
    }
  }
})
