by_hand <- function(...) structure(list(), class = c(...))

test_that("priors, methods and gamma priors that were made by hand are refused in one line", {
  x <- matrix(c(0, 1, 1, 0), 2)
  priors <- c("prior_ibp", "prior_beta_bernoulli", "prior_pibp", "prior_fixed")
  for (class in priors) {
    prior <- by_hand(class, "buffet_prior")
    text <- sprintf("must be made by %s(), not by hand.", class)
    expect_error(fit_gaussian(x, prior = prior), paste("`prior`", text), fixed = TRUE)
    expect_error(fit_choice(celebrities, prior = prior), paste("`prior`", text), fixed = TRUE)
    expect_error(simulate(prior, rows = 3), paste("`object`", text), fixed = TRUE)
  }
  expect_error(
    fit_cascade(x, prior = by_hand("prior_cascade", "buffet_prior")), "made by prior_cas"
  )
  methods <- c("gibbs", "meibp", "beam", "variational", "power_ep", "icm")
  for (class in paste0("method_", methods)) {
    method <- by_hand(class, "buffet_method")
    text <- sprintf("must be made by %s(), not by hand.", class)
    expect_error(fit_gaussian(x, method = method), paste("`method`", text), fixed = TRUE)
    expect_error(print(method), paste("`x`", text), fixed = TRUE)
  }
  gamma <- by_hand("gamma_prior")
  refused <- "`alpha` must be one positive number or a gamma_prior()"
  expect_error(prior_ibp(gamma), refused, fixed = TRUE)
  expect_error(fit_choice(celebrities, gamma), "`weights` must be a gamma_prior()", fixed = TRUE)
})

test_that("gamma priors with odd or missing fields are refused in one line, wherever they are", {
  odd <- list(
    list(), list(shape = 1), list(rate = 1), list(shape = -1, rate = 2),
    list(shape = "a", rate = 2), list(shape = 1:2, rate = 1), list(shape = 1, rate = 1:3),
    list(shape = 1, rate = NA_real_),
    list(shape = Inf, rate = 1), list(NA)
  )
  odd <- lapply(odd, structure, class = "gamma_prior")
  uses <- list(
    alpha = prior_cascade, alpha_deep = \(x) prior_cascade(1, x), alpha = \(x) rcascade(4, x),
    concentration = \(x) prior_cascade(1, 1, x), alpha_deep = \(x) rcascade(4, 1, x),
    alpha = \(x) dcascade(list(), x, units = 2), alpha = \(x) cascade_depth(3, x),
    alpha = prior_ibp, concentration = \(x) prior_ibp(1, x),
    weights = \(x) fit_choice(celebrities, x), bias = \(x) fit_logistic(diag(2), bias = x),
    sigma_x = \(x) fit_gaussian(diag(2), sigma_x = x)
  )
  for (n in seq_along(uses)) {
    expect_refusals(uses[[n]], names(uses)[n], odd)
    expect_error(uses[[n]](odd[[1]]), "a gamma_prior\\(\\), not one made by hand\\.$")
  }
  for (without in c(odd[c(1:3, 10)], list(structure(1, class = "gamma_prior")))) {
    expect_error(print(without), "`x` must be made by gamma_prior(), not by hand.", fixed = TRUE)
  }
})

test_that("fits without parts say so, whatever is asked of them", {
  text <- "^the fit has no parts: it must be made by a fit_\\*\\(\\) function, not by hand\\.$"
  for (middle in list(NULL, "fit_mcmc")) {
    fit <- by_hand("fit_gaussian", middle, "buffet_fit")
    for (verb in c(summary, print, features, predict, fitted, loadings_of, feature_draws, glance)) {
      expect_error(verb(fit), text)
    }
  }
})

test_that("what is printed and was made by hand is refused in one line", {
  makers <- c(
    summary_fit_mcmc = "summary()", summary_fit_choice = "summary()",
    summary_fit_point = "summary()", init_topics = "init_topics()", row_blocks = "row_blocks()"
  )
  for (class in names(makers)) {
    text <- sprintf("`x` must be made by %s, not by hand.", makers[[class]])
    expect_error(print(by_hand(class)), text, fixed = TRUE)
  }
  expect_error(print(by_hand("prior_fixed", "buffet_prior")), "made by prior_fixed\\(\\)")
})
