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

test_that("what is printed and was made by hand is refused in one line", {
  makers <- c(
    summary_fit_mcmc = "summary()", summary_fit_choice = "summary()",
    summary_fit_point = "summary()", init_topics = "init_topics()", row_blocks = "row_blocks()",
    step_ibp = "step_ibp()"
  )
  for (class in names(makers)) {
    text <- sprintf("`x` must be made by %s, not by hand.", makers[[class]])
    expect_error(print(by_hand(class)), text, fixed = TRUE)
  }
  expect_error(print(by_hand("prior_fixed", "buffet_prior")), "made by prior_fixed\\(\\)")
})
