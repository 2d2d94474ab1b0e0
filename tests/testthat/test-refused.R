# Errors: class, call and text, incompatible arguments, and starts.

x <- small_data()
short <- method_gibbs(chains = 1, iter = 2)
fit_with <- function(...) quick_fit(..., method = short)
binary_with <- function(...) quick_logistic(..., method = short)
choice_with <- function(...) quick_choice(celebrities[1:4, 1:4], ..., method = short)

test_that("an invalid argument raises an error with a class and the call of the user's function", {
  error <- tryCatch(buffet::ribp(-1), error = identity)
  classes <- c("buffet_error_argument", "buffet_error", "error", "condition")
  expect_s3_class(error, classes, exact = TRUE)
  expect_identical(conditionCall(error), quote(buffet::ribp()))
  expect_match(conditionMessage(error), "^`rows` must be one whole number .*, not -1[.]$")
})

test_that("errors show the user's call, however deeply the check is nested", {
  fit <- small_fit()
  error <- tryCatch(predict(fit, newdata = x[, 1:2]), buffet_error_argument = identity)
  expect_identical(conditionCall(error), quote(predict()))
  error <- tryCatch(update(fit, iter = 20, nothing = 1), buffet_error = identity)
  expect_identical(conditionCall(error), quote(update()))
  error <- tryCatch(do.call(fit_gaussian, list(x, sigma_x = -1)), buffet_error = identity)
  expect_null(conditionCall(error))
})

test_that("every error about an argument has the class", {
  fit <- small_fit()
  calls <- list(
    \() heldout_density(fit), \() heldout_density(fit, x), \() perplexity(fit),
    \() log_lik(fit, newdata = x), \() update(fit), \() update(fit, iter = 600, 7),
    \() update(fit, sigma_x = 1, nothing = 1), \() fit_gaussian(x, iter = 5), \() fit_gaussian()
  )
  for (call in calls) {
    error <- tryCatch(call(), error = identity)
    expect_s3_class(error, "buffet_error_argument")
    expect_match(conditionMessage(error), "`|argument")
  }
})

test_that("messages say which argument is wrong, what it must be and what it was", {
  expect_message_of <- function(code, text) {
    expect_identical(tryCatch(code, error = conditionMessage), text)
  }
  expect_message_of(
    fit_with(x, sigma_x = -1), "`sigma_x` must be one positive number or a gamma_prior(), not -1."
  )
  expect_message_of(
    fit_with(x * NA), "`x` must have at least one observed entry, not NA throughout."
  )
  expect_message_of(
    binary_with(bias = "yes"),
    "`bias` must be TRUE, FALSE, one positive number or a gamma_prior(), not \"yes\"."
  )
  expect_message_of(binary_with(bias = 50), "`bias` must be between 0.01 and 30, not 50.")
  expect_message_of(
    binary_with(init = list(sigma_a = 50)), "`init$sigma_a` must be between 0.01 and 30, not 50."
  )
  wins <- celebrities[1:4, 1:4]
  choose <- function(wins) quick_choice(wins, method = short)
  expect_message_of(
    choose(replace(wins, 2, NA)),
    "`wins` must have NA on both sides of a pair that is left out, not on only one side at row 2, column 1."  # nolint: line_length_linter.
  )
  expect_message_of(
    choose(replace(wins, 2, -3)),
    "`wins` must have numbers from 0 to 1e9, not -3 at row 2, column 1."
  )
  rows <- data.frame(loser = c("b", "a"), n = c(2, 1))
  expect_error(choose(rows), "not a data frame without `winner`.", fixed = TRUE)
})

test_that("the error for an unknown argument suggests a similar one", {
  meant <- function(code, text) {
    expect_error(code, sprintf("^`[a-z]+` must be left out: it is not [^\n]+\\. %s$", text))
  }
  meant(fit_with(x, centre = TRUE), "Did you mean `center`\\?")
  meant(fit_mixed(iris, family = "gaussian"), "Did you mean `families`\\?")
  meant(predict(small_fit(), newdat = x, types = "features"), "Did you mean `type`\\?")
  meant(update(small_fit(), centre = TRUE), "Did you mean `center`\\?")
  meant(fit_gaussian(data = x), "Pass the data as `x`\\.")
  meant(fit_mixed(x = iris), "Pass the data as `data`\\.")
  meant(fit_gaussian(x, formula = ~ a), "Models take no formula: pass the data as `x`\\.")
  expect_error(fit_gaussian(~ a, x), "\\(models take no formula: pass only the data\\)")
  expect_error(fitted(small_fit(), x), "fitted\\(\\) has no .* `predict\\(fit, newdata\\)`\\.$")
})

test_that("changed fields of a method are checked again", {
  expect_refusals(\(v) fit_gaussian(x, method = replace(short, "chains", list(v))), "chains",
    list("a", 0, NULL)
  )
  expect_refusals(\(v) fit_gaussian(x, method = replace(short, "thin", list(v))), "thin", "a")
})

test_that("an unknown sampler is rejected, and the samplers of the model are listed", {
  refused <- function(sampler, has, fit, ...) {
    expect_error(fit(..., method = method_gibbs(1, 2, sampler = sampler)), sprintf(
      "^`sampler` must be %s[^\n]* for this [^\n]*, not \"%s\"\\.$", has, sampler
    ))
  }
  positive <- "one of \"uncollapsed\", \"slice\", \"parallel\""
  refused("collapsed", positive, quick_fit, x, "nonnegative")
  refused("neal", "one of \"collapsed\"", quick_fit, x)
  refused("slice", "one of \"uncollapsed\", \"neal\"", quick_logistic)
  refused("slice", "\"uncollapsed\"", quick_choice)
  refused("slice", "\"collapsed\"", quick_topics, topic_corpus())
  refused("slice", "\"uncollapsed\"", quick_nmf, nmf_data())
  refused("collapsed", "one of \"slice\", \"multiple_try\"", quick_cascade, cascade_data(20))
  expect_error(
    quick_cascade(cascade_data(20), method = brief_cascade(moves = 2)),
    "^`moves` must be 0 or NULL: "
  )
})

test_that("a method or prior that a model does not support is rejected", {
  refused <- function(name, f, x, values) {
    expect_refusals(\(v) do.call(f, c(list(x, verbose = FALSE), stats::setNames(list(v), name))),
      name, values
    )
  }
  points <- list(method_meibp(), method_variational(), method_beam(), method_power_ep())
  binary <- small_binary()
  refused("method", fit_topics, topic_corpus(), points)
  refused("method", fit_cascade, cascade_data(20), c(points, list(method_icm())))
  refused("method", fit_logistic, binary, points[1])
  refused("method", fit_mixed, mixed_frame(20), points[1])
  networks <- list(prior_cascade())
  for (fit in list(fit_gaussian, fit_logistic)) refused("prior", fit, binary, networks)
  refused("prior", fit_choice, celebrities, networks)
  refused("prior", fit_topics, topic_corpus(), networks)
  expect_refusals(
    \(v) quick_topics(topic_corpus(), prior = prior_ibp(v)), "alpha", list(10001, 1e300)
  )
})

test_that("an unknown method is rejected by all models", {
  method <- structure(list(), class = c("method_foo", "buffet_method"))
  fits <- list(fit_gaussian, fit_logistic, \(x, ...) fit_nmf(x, 2, ...))
  for (fit in fits) {
    expect_error(fit(small_binary(), method = method), "^`method` must be .*foo\\.$")
  }
})

test_that("models that method_meibp() cannot fit are rejected", {
  x <- bare(easy_data())
  refused <- function(must, ...) expect_error(quick_point(x, ...), paste0("^`", must))
  refused("loadings` must be \"nonnegative\" for method_meibp\\(\\)", loadings = "normal")
  learned <- gamma_prior(1, 1)
  number <- "concentration` must be one number for method_meibp\\(\\)"
  refused(number, prior = prior_ibp(1, learned))
  refused(number, prior = prior_beta_bernoulli(3, 1, learned))
  refused("alpha` must be one number for method_meibp", prior = prior_beta_bernoulli(3))
  refused("init` must not give `alpha` for method_meibp\\(\\), ", init = list(alpha = 2))
  most <- "be at most 1e10 for method_meibp\\(\\)"
  refused(paste("concentration` must", most), prior = prior_ibp(1, 1e11))
  refused(paste("alpha` must", most), prior = prior_beta_bernoulli(3, 1e11))
})

test_that("sparse data are not centred", {
  sparse <- Matrix::Matrix(x, sparse = TRUE)
  refusal <- "^`center` must be FALSE for a sparse `x`"
  expect_error(fit_with(sparse, center = TRUE), refusal)
  expect_error(quick_point(abs(sparse), center = TRUE), refusal)
})

test_that("a warm-up or thinning that leaves a default run without draws is rejected", {
  large <- matrix(0, 50, 100)
  with <- function(...) fit_gaussian(large, method = method_gibbs(...), verbose = FALSE)
  expect_refusals(\(v) with(warmup = v), "warmup", c(2000, 20000))
  expect_refusals(\(v) with(thin = v), "thin", 2001)
  expect_refusals(\(v) with(max_iter = v), "max_iter", 1999)
})

test_that("hyperparameters that imply thousands of features are rejected", {
  both <- function(sigma_a, sigma_x) fit_with(x * 1e3, sigma_x = sigma_x, sigma_a = sigma_a)
  expect_refusals(\(v) both(v, 1), "sigma_a", list(1e-3, 1, 10))
  expect_refusals(\(v) both(1e3, v), "sigma_x", list(1e-90, 1e-4))
  for (alpha in list(1e5, gamma_prior(1e300, 1))) {
    expect_error(quick_topics(topic_corpus(), prior = prior_ibp(alpha)), "`alpha` must be, or ")
  }
  refused <- "must be, or have a mean of, at most 10000, not"
  expect_error(prior_cascade(1e300), paste("`alpha`", refused))
  expect_error(prior_cascade(1, gamma_prior(1e300, 1)), paste("`alpha_deep`", refused))
  expect_error(cascade_width(3, 1e308), "^`alpha` must be small enough for a finite mean width")
})

test_that("starts that are incompatible with the data or the model are rejected", {
  fits <- list(
    list(fit_with, x, 8, c("alpha", "sigma_x", "sigma_a")),
    list(binary_with, small_binary(), 10, c("alpha", "sigma_a", "sigma_b")),
    list(\(x, ...) choice_with(...), NULL, 4, "alpha"),
    list(quick_point, bare(easy_data()), 30, c("alpha", "sigma_x", "sigma_a"))
  )
  for (fit in fits) {
    rows <- fit[[3]]
    z <- matrix(1, rows, 1)
    from <- function(v, ...) fit[[1]](fit[[2]], init = v, ...)
    expect_refusals(from, "init", list(
      NA, seq_len(rows), z[-1, , drop = FALSE], rbind(z, 1), 2 * z, -z, z * NA, z / 2, list(z, z),
      list(features = 1), list(zeta = z), list(features = z, gamma = 1), method_meibp()
    ))
    for (name in fit[[4]]) {
      call <- function(v) from(stats::setNames(list(v), name))
      expect_refusals(call, sprintf("init\\$%s", name), a_positive$values)
    }
    finite <- prior_beta_bernoulli(2, 1)
    expect_refusals(\(v) from(v, prior = finite), "init", list(diag(rows)))
  }
  expect_refusals(\(v) fit_with(x, init = v, sigma_x = 1), "init", list(list(sigma_x = 2)))
  for (bias in list(1, FALSE)) {
    expect_refusals(\(v) binary_with(init = v, bias = bias), "init", list(list(sigma_b = 2)))
  }
  expect_refusals(\(v) choice_with(init = v, prior = prior_ibp(2)), "init", list(list(alpha = 3)))
  known <- prior_fixed(diag(4))
  expect_refusals(\(v) choice_with(init = v, prior = known), "init", list(diag(4), list(), 1))
  expect_refusals(\(v) fit_with(x[1:5, ], init = v), "init", list(small_fit()))
  fewer <- small_binary()[1:5, ]
  expect_refusals(\(v) quick_logistic(fewer, init = v), "init", list(small_logistic()))
  for (fit in list(icm_fit(), chains_fit())) {
    expect_refusals(\(v) quick_fit(nmf_data(), init = v), "init", list(fit))
  }
})

test_that("incompatible starts of factorisations are rejected by name", {
  bad_start <- function(m) {
    list(
      NA, "a", sum, m[-1, ], m[, -1], t(m), -m, replace(m, 1, NA), replace(m, 1, -1e-9),
      replace(m, 1, Inf), replace(m, 1, 1e60)
    )
  }
  from <- function(name) function(v) quick_nmf(nmf_data(), init = stats::setNames(list(v), name))
  expect_refusals(from("weights"), "init\\$weights", bad_start(unname(weights_of(icm_fit()))))
  expect_refusals(from("loadings"), "init\\$loadings", bad_start(unname(loadings_of(icm_fit()))))
  expect_refusals(from("sigma_x"), "init\\$sigma_x", c(a_positive$values[-1], 1e-300, 1e-13))
  fixed <- function(v) quick_nmf(nmf_data(), init = v, sigma_x = 1)
  expect_refusals(fixed, "init", list(list(sigma_x = 1)))
  expect_refusals(\(v) nmf_chains(nmf_data(), init = v), "init", list(
    list(list(), list(), list()), list(1, 2), list(list(sigma_x = 1), list(zeta = 1))
  ))
  expect_error(
    quick_nmf(nmf_data(), 3, init = icm_fit()),
    "^`init` must be a fit of rank 3, not one of rank 2\\.$"
  )
})

test_that("starts of cascades must be networks that the prior and the method permit", {
  x <- cascade_data(20)
  refused <- function(most, was, ...) {
    expect_error(
      quick_cascade(x, ...), sprintf("^`init` must have at most %s, not one with %d\\.$", most, was)
    )
  }
  refused("2 hidden layers, as `max_layers` says", 3,
    prior = prior_cascade(max_layers = 2), init = init_cascade(c(2, 2, 2))
  )
  refused("9 hidden units, as `max_units` says", 10,
    prior = prior_cascade(max_units = 9), init = init_cascade(c(8, 2))
  )
  refused("4 units in layer 1, as `max_features` says", 5,
    method = brief_cascade(max_features = 4), init = init_cascade(c(5, 2))
  )
  fit <- quick_cascade(x, init = init_cascade(c(8, 5)), method = method_gibbs(1, 1, warmup = 0))
  expect_error(quick_cascade(x, init = fit, prior = prior_cascade(max_units = 3)), "`max_units`")
  expect_error(
    quick_cascade(x[-1, ], init = fit),
    "^`init` must be a fit to data of 19 rows and 8 columns, not one to 20 rows and 8 columns\\.$"
  )
  # The default start satisfies all limits.
  for (most in 1:3) {
    prior <- prior_cascade(max_layers = 1, max_units = most)
    expect_s3_class(quick_cascade(x, prior = prior), "fit_cascade")
    expect_s3_class(quick_cascade(x, method = brief_cascade(max_features = most)), "fit_cascade")
  }
})

test_that("incompatible data and range of a cascade are rejected", {
  x <- cascade_data(20)
  refused <- function(x, text, ...) expect_error(quick_cascade(x, ...), text)
  none <- "^`range` must be given, because all entries of the data are equal, not NULL\\.$"
  refused(matrix(2, 3, 3), none)
  refused(matrix(NA, 3, 3), none)
  refused(x, "^`x` must have entries within `range` \\(3 to 9\\), not one from 2", range = c(3, 9))
  refused(x, "`range` must have ends of at most 1e100", range = c(-1e308, 1e308))
  refused(x * 1e-310, "size, not [0-9.e-]+ at most \\(multiply it by a constant\\)\\.$")
})

test_that("hyperparameters of the prior are accepted by fit_cascade(), with a message", {
  x <- cascade_data(20)
  for (name in c("alpha", "alpha_deep", "concentration")) {
    part <- stats::setNames(list(2), name)
    text <- sprintf("write `prior = prior_cascade(%s = )`", name)
    expect_message(fit <- do.call(quick_cascade, c(list(x), part)), text, fixed = TRUE)
    expect_identical(fit, quick_cascade(x, prior = do.call(prior_cascade, part)))
    expect_error(
      do.call(quick_cascade, c(list(x, prior = prior_cascade()), part)),
      sprintf("^`prior` must be left out if `%s` is given, not an object of class", name)
    )
  }
  wrong <- quote(nchar("ab"))
  expect_error(suppressMessages(quick_cascade(x, alpha = wrong)), "^`alpha` must")
})

test_that("layers of dcascade() that do not match are rejected", {
  first <- matrix(1, 3, 2)
  expect_refusals(\(z) dcascade(list(first, z), 1), "z\\[\\[2\\]\\]", list(
    matrix(1, 1, 1), diag(3), matrix(0, 2, 1), matrix(0, 2, 0)
  ))
  expect_error(
    dcascade(list(first, matrix(1, 3, 1)), 1),
    "^`z\\[\\[2\\]\\]` must have 2 rows, one per unit of the layer, not 3 rows and 1 column\\.$"
  )
  expect_error(
    dcascade(list(first, cbind(1, c(0, 0))), 1),
    "^`z\\[\\[2\\]\\]` must have a one in every column, not none in column 2\\.$"
  )
  expect_refusals(\(x) dcascade(list(first), 1, units = x), "z\\[\\[1\\]\\]", list(2, 4))
  expect_refusals(\(x) dcascade(list(x), 1), "z\\[\\[1\\]\\]", not_binary)
})

test_that("a number of features is rejected, and the error names the argument to use", {
  refused <- function(call, text) expect_error(call, text, fixed = TRUE)
  prior <- "to the prior, as an upper limit: `prior = prior_beta_bernoulli(n_features = 3)`."
  refused(fit_gaussian(x, n_features = 3), paste("`n_features` must be given", prior))
  refused(fit_logistic(small_binary(), K = 3), paste("`K` must be given", prior))
  refused(fit_mixed(mixed_frame(20), k = 3L), paste("`k` must be given", prior))
  refused(fit_choice(celebrities, n_features = 3), prior)
  refused(fit_factor(x, factors = 3), paste("`factors` must be given", prior))
  refused(fit_gaussian(x, n_features = "a"), "`prior = prior_beta_bernoulli(n_features = )`.")
  refused(fit_nmf(nmf_data(), n_features = 3), "`n_features` must be given to `rank`: `rank = 3`.")
  refused(
    fit_topics(topic_corpus(), k = 3),
    "`k` must be given to the method, as an upper limit: `method = method_gibbs(max_features = 3)`."
  )
  refused(fit_cascade(cascade_data(20), n_features = 3), "it is not an argument of fit_cascade()")
  # The suggested arguments must exist.
  expect_lte(ncol(features(fit_with(x, prior = prior_beta_bernoulli(n_features = 3)))), 3)
})
