# Topic models: every argument, with values that are not what it must be.

x <- as.matrix(topic_corpus())

test_that("every argument of fit_topics() refuses what it cannot be, before anything is drawn", {
  hyper <- c(not_positive, 1e-7, 1e7, 1e-300, 1e300, "gamma_prior")
  cases <- list(
    dtm = list(
      NULL, NA, 1, 1:3, "a", list(), sum, factor(1:3), matrix("1"), matrix(1i), x[1, ], x[0, ],
      x[, 0], data.frame(), replace(x, 1, NA), replace(x, 1, NaN), replace(x, 1, Inf),
      replace(x, 1, -1), replace(x, 1, 0.5), replace(x, 1, 1e300), 0 * x, x[c(1, 1), ],
      x[, c(1, 1)], list(1:2, "a"), list(0L), topics_given(), row_blocks(\(i) x, 1)
    ),
    lengths = c(not_choices, 30, list(rowSums(x), "numeric")), gamma = hyper, eta = hyper,
    prior = list(
      NULL, NA, 1, "ibp", list(), prior_ibp, gamma_prior(1, 1), prior_ibp(concentration = 2),
      prior_ibp(concentration = gamma_prior(1, 1)), prior_ibp(discount = 0.5),
      prior_beta_bernoulli(5), prior_fixed(matrix(1, 30, 2))
    ),
    method = list(NULL, NA, 1, "gibbs", list(), method_gibbs, prior_ibp(), method_icm()),
    init = list(
      NA, 1, 50L, "a", sum, list(), list(1, 2), features(topics_given()), init_topics, small_fit(),
      icm_fit(), topics_gaps(), list(init_topics(2))
    ),
    seed = not_seeds, verbose = not_flags,
    file = list(NA, 1, "", c("a", "b"), tempdir(), file.path(tempdir(), "no", "file"))
  )
  set.seed(1)
  before <- .Random.seed
  for (name in names(cases)) {
    call <- function(v) {
      arguments <- list(dtm = x, verbose = FALSE)
      arguments[name] <- list(v)
      do.call(fit_topics, arguments)
    }
    expect_refusals(call, name, cases[[name]])
  }
  expect_refusals(\(v) quick_topics(x, prior = prior_ibp(v)), "alpha", list(10001, 1e300))
  expect_identical(.Random.seed, before)
  expect_error(fit_topics(), "^`dtm` must be given\\.$")
})

test_that("methods and samplers that it does not have are refused", {
  for (sampler in c("slice", "uncollapsed", "gibbs")) {
    expect_error(
      quick_topics(x, method = method_gibbs(1, 2, sampler = sampler)),
      sprintf("^`sampler` must be \"collapsed\" for this .*, not \"%s\"\\.$", sampler)
    )
  }
  expect_refusals(\(v) quick_topics(x, method = v), "method", list(
    method_meibp(), method_variational(), method_beam(), method_power_ep()
  ))
  expect_refusals(\(v) method_gibbs(moves = v), "moves", c(not_counts[-1], -1, "few")[-18])
  expect_identical(method_gibbs(moves = 0)$moves, 0L)
  expect_refusals(\(v) init_topics(v), "n_topics", not_counts)
})

test_that("more sweeps are asked for as a number that is no less than were done", {
  fit <- topics_given()
  expect_error(update(fit), "`iter` must be given", fixed = TRUE)
  expect_refusals(\(v) update(fit, iter = v, verbose = FALSE), "iter", c(not_counts, 199))
})

test_that("what is asked of a fit refuses what it cannot be", {
  for (fit in list(topics_given(), topics_gaps())) {
    bad_dtm <- list(
      NA, 1, "a", list(), sum, x[0, ], x[, 0], unname(x[, -1]), unname(cbind(x, 1)),
      replace(x, 1, NA), replace(x, 1, -1), replace(x, 1, 0.5), replace(x, 1, Inf), 0 * x,
      replace(x, 1, 1e300), x[c(1, 1), ], x[, c(1, 1)]
    )
    counts <- c(not_ndraws, 1000)
    expect_refusals(\(v) predict(fit, v), "newdata", bad_dtm)
    expect_refusals(\(v) predict(fit, type = v), "type", not_choices)
    expect_refusals(\(v) predict(fit, x, "words", ndraws = v), "ndraws", counts)
    expect_refusals(\(v) predict(fit, x, sweeps = v), "sweeps", not_counts)
    expect_refusals(\(v) perplexity(fit, v), "newdata", c(list(NULL), bad_dtm))
    share <- c(not_numbers, 0, 1, -1, 2)
    expect_refusals(\(v) perplexity(fit, x, v), "completion", share)
    expect_refusals(\(v) perplexity(fit, x, sweeps = v), "sweeps", not_counts)
    expect_refusals(\(v) perplexity(fit, x, ndraws = v), "ndraws", not_counts)
    expect_refusals(\(v) perplexity(fit, x, seed = v), "seed", not_seeds)
    expect_error(perplexity(fit), "^`newdata` must be given: new documents\\.$")
    expect_refusals(\(v) heldout_density(fit, v), "actual", c(
      list(NULL, x[-1, ], x[, -1], t(x)), bad_dtm
    ))
    expect_error(heldout_density(fit, x, ndraws = 3), "`ndraws`")
    expect_error(heldout_density(fit), "^`actual` must be given: the tokens left out\\.$")
    expect_refusals(\(v) top_words(fit, v), "n", not_counts)
    expect_refusals(\(v) top_words(fit, by = v), "by", not_choices)
    expect_refusals(\(v) tidy(fit, v), "matrix", c(not_choices, "loadings"))
    expect_refusals(\(v) tidy(fit, conf.level = v), "conf.level", share)
    expect_refusals(\(v) plot(fit, v), "type", c(not_choices, "loadings"))
    expect_refusals(\(v) plot(fit, n = v), "n", not_counts)
    for (verb in list(log_lik, posterior_predict)) {
      expect_refusals(\(v) verb(fit, ndraws = v), "ndraws", counts)
    }
    expect_refusals(\(v) log_lik(fit, by = v), "by", not_choices)
    expect_refusals(\(v) simulate(fit, nsim = v), "nsim", not_counts)
    expect_refusals(\(v) simulate(fit, seed = v), "seed", not_seeds)
    for (verb in list(summary, glance, tidy, logLik, augment, fitted, residuals, predict, plot)) {
      expect_error(verb(fit, nonsense = 1), "`nonsense`")
    }
  }
})

test_that("tables of topics are of topic models", {
  other <- list(NULL, 1, "a", list(), small_fit(), icm_fit(), x)
  for (verb in list(top_words, topic_table, \(fit) perplexity(fit, x))) {
    expect_refusals(verb, "fit", other)
  }
})

test_that("a prior of more topics than there can be is refused", {
  for (alpha in list(1e5, gamma_prior(1e300, 1))) {
    expect_error(fit_topics(x, prior = prior_ibp(alpha)), "`alpha` must be, or have a mean of")
  }
})

test_that("priors far out have a finite fit", {
  for (lengths in c("given", "model")) {
    run <- function(...) suppressMessages(quick_topics(x[1:6, ], lengths, ...))
    for (prior in list(gamma_prior(1e-3, 1e-3), gamma_prior(1, 1e6), gamma_prior(100, 1))) {
      fits <- list(
        gamma = run(gamma = prior), eta = run(eta = prior), alpha = run(prior = prior_ibp(prior))
      )
      for (name in names(fits)) {
        label <- paste(lengths, name, format(prior))
        expect_true(all(is.finite(as_draws(fits[[name]]))), label = label)
      }
    }
  }
})

test_that("fits say nothing while they run without a terminal, nor with verbose = FALSE", {
  expect_silent(fit_topics(x, seed = 1, verbose = FALSE, method = short_chains()))
  expect_silent(fit_topics(x, seed = 1, method = short_chains()))
})
