# Every argument is tested with a few invalid values.

x <- small_data()
y <- small_binary()
u <- cascade_data(20)
words <- as.matrix(topic_corpus())
wins <- celebrities[1:4, 1:4]
rows <- data.frame(winner = c("a", "b"), loser = c("b", "a"), n = c(2, 1))
short <- method_gibbs(chains = 1, iter = 2)

# Fitting functions with their default arguments.
gaussian <- list(x = x, method = short, verbose = FALSE)
logistic <- list(y = y, method = short, verbose = FALSE)
choice <- list(wins = wins, method = short, verbose = FALSE)
topics <- list(dtm = words, method = short, verbose = FALSE)
cascade <- list(x = u, method = short, verbose = FALSE)
nmf <- list(x = nmf_data(), rank = 2, verbose = FALSE)
factors <- list(x = small_factor_data(), method = short, verbose = FALSE)
mixed <- list(data = mixed_frame(20), method = short, verbose = FALSE)
meibp <- list(x = bare(easy_data()), loadings = "nonnegative", method = method_meibp(),
  verbose = FALSE
)

no_matrices <- list(
  NULL, 1, "a", list(), sum, factor(1:3), matrix("1"), matrix(1i), array(0, c(2, 2, 2)),
  data.frame(), data.frame(a = Sys.Date()), data.frame(a = I(matrix(0, 2, 2)))
)
no_data <- function(x) {
  c(no_matrices, list(
    x[0, ], x[, 0], replace(x, 1, NaN), replace(x, 1, Inf), replace(x, 1:2, c(NA, -Inf)),
    replace(x, 1, 1e300), `rownames<-`(x, rep("a", nrow(x)))
  ))
}
sparse_of <- function(x) Matrix::Matrix(x, sparse = TRUE)

test_that("data that cannot be fitted are rejected", {
  all <- function(f, given, values) {
    expect_all_refused(f, given, stats::setNames(list(these(values)), names(given)[1]))
  }
  numbers <- c(no_data(x), list(data.frame(a = "1"), data.frame(a = factor(1:2)), x * NA))
  all(fit_gaussian, gaussian, c(numbers, no_data(sparse_of(x))[13:19]))
  all(fit_gaussian, meibp, numbers)
  all(fit_nmf, nmf, c(numbers, row_blocks(\(i) x, 1)))
  all(fit_cascade, cascade, c(no_data(u), list(data.frame(a = "b"), cascade_bare())))
  all(fit_logistic, logistic, c(no_data(y), no_data(sparse_of(y))[13:19], list(
    y + 1, replace(y, 1, 0.5), replace(y, 1, -1), replace(y, 1, 1 + 1e-9), y * NA,
    data.frame(a = factor(1:3)), data.frame(a = c("0", "1")), data.frame(a = c(NA, NA))
  )))
  all(fit_topics, topics, c(no_data(words), list(
    NA, replace(words, 1, NA), replace(words, 1, -1), replace(words, 1, 0.5), 0 * words,
    words[, c(1, 1)], list(1:2, "a"), topics_given()
  )))
  with_column <- function(name, value) replace(rows, name, list(value))
  all(fit_choice, choice, c(no_matrices, list(
    wins[1:3, ], wins[1, 1, drop = FALSE], wins * 0, replace(wins, 2, NaN), replace(wins, 2, -1),
    wins / (wins + t(wins)), replace(wins, 2, NA), replace(wins, 2, 2e9), wins * NA, diag(3),
    `dimnames<-`(wins, list(letters[1:4], letters[2:5])), `rownames<-`(wins, c("a", "a", "b", "c")),
    rows[c(1, 3)], rows[0, ], with_column("n", c(-1, 2)), with_column("n", c(NA, 2)),
    with_column("n", c("1", "2")), with_column("n", 0), with_column("winner", c("a", NA))
  )))
})

test_that("invalid values of arguments that all fits share are rejected before anything is drawn", {
  fits <- list(
    list(fit_gaussian, gaussian), list(fit_logistic, logistic), list(fit_choice, choice),
    list(fit_topics, topics), list(fit_cascade, cascade), list(fit_factor, factors),
    list(fit_mixed, mixed), list(fit_gaussian, meibp), list(fit_nmf, nmf)
  )
  starts <- bad("", 1, "a", sum, list(), list(1, 2), prior_ibp())
  for (fit in fits) {
    table <- list(
      prior = a_prior, method = a_method, init = starts, seed = a_seed, verbose = a_flag,
      file = a_file
    )
    if (identical(fit[[1]], fit_nmf)) {
      table$prior <- NULL
      table$method <- but_null(a_method)
    }
    expect_all_refused(fit[[1]], fit[[2]], table)
    expect_error(do.call(fit[[1]], c(fit[[2]], foo = 1)), "^`foo` must be left out: ")
  }
})

test_that("invalid values of arguments of single fits are rejected before anything is drawn", {
  deviation <- also(but_null(a_positive), 1e-300, 1e300, must = "be between")
  hyper <- also(a_positive, "gamma_prior", prior_ibp())
  expect_all_refused(fit_gaussian, gaussian, list(
    loadings = a_choice, noise = a_choice, sigma_x = deviation, sigma_a = deviation,
    center = but_null(a_flag), scale = a_flag, cl = bad("be", NA, 1, "a", list())
  ))
  expect_all_refused(fit_gaussian, meibp, list(sigma_x = deviation, sigma_a = deviation))
  weight <- "be (one positive number|between 0.01 and 30)"
  expect_all_refused(fit_logistic, logistic, list(
    sigma_a = bad(weight, NULL, NA, "1", 0, 0.009, 31), bias = bad("be", NULL, NA, "yes", -1, 31)
  ))
  expect_all_refused(fit_choice, choice, list(
    weights = bad("be", NULL, 1, "gamma", gamma_prior, c(1, 1)),
    epsilon = bad("be one number", NULL, NA, "1", -0.1, 1, gamma_prior(1, 1))
  ))
  expect_all_refused(fit_topics, topics, list(
    lengths = also(a_choice, 30, "numeric"), gamma = also(hyper, 1e-7, 1e7, must = "be between"),
    eta = also(hyper, 1e-7, 1e7, must = "be between"), prior = bad("", prior_ibp(concentration = 2),
      prior_ibp(discount = 0.5), prior_beta_bernoulli(5), prior_fixed(matrix(1, 30, 2))),
    init = bad("", 50L, features(topics_given()), init_topics, small_fit(), topics_gaps())
  ))
  expect_all_refused(fit_cascade, cascade, list(
    range = bad("", NA, 1, "a", c("0", "9"), c(0, NA), c(0, Inf), c(9, 0), c(3, 3), 1:3),
    prior = bad("", prior_ibp()), init = bad("", diag(20), init_cascade, small_fit(), cascade_fit())
  ))
  expect_all_refused(fit_nmf, nmf, list(
    rank = also(a_count, 5001, must = "be at most 5000"),
    sigma_x = also(
      deviation, 1e-13, must = "be at least 1e-12 times the root mean square of the data"
    ),
    rate_w = also(deviation, gamma_prior(1, 1)), rate_a = also(deviation, gamma_prior(1, 1)),
    init = bad("", list(zeta = 1), list(sigma_x = 1, 2), icm_wide(), small_fit(), chains_fit)
  ))
  expect_error(fit_nmf(nmf_data()), "^`rank` must be given\\.$")
  expect_all_refused(fit_factor, factors, list(
    x = these(no_data(small_factor_data())), sparse = a_choice, weights = a_choice,
    noise = a_choice, scales = a_choice, center = a_flag, sigma_x = bad("", NA, "1", list(), 0, -1),
    sigma_a = but_null(a_positive), prior = bad("", prior_fixed(diag(6))),
    method = bad("", method_meibp())
  ))
})

test_that("invalid arguments of methods, priors and starts are rejected", {
  expect_all_refused(method_gibbs, list(iter = 2000), list(
    chains = a_count, iter = but_null(a_count),
    thin = also(but_null(a_count), 2001, must = "leave at least one sweep"),
    cores = a_count, warmup = bad("be", NA, "1", -1, 1.5, 2000), max_features = but_null(a_count),
    refresh = bad("be one whole number", NA, "1", -1, 1.5),
    sampler = bad("", NA, 1, "", c("a", "b")),
    restart_stuck = a_flag,
    max_iter = also(but_null(a_count), 1999, must = "be at least the initial number of sweeps"),
    max_time = bad("be one positive number", NA, "1", c(1, 2), 0),
    moves = bad("", "few", -1, 1.5, NA)
  ))
  expect_all_refused(method_icm, list(), list(
    restarts = a_count, iter = a_count, cores = a_count, tol = a_share
  ))
  expect_all_refused(method_meibp, list(), list(
    max_features = a_count, restarts = a_count, cores = a_count, tol = a_share, search = a_choice,
    update = a_choice
  ))
  hyper <- also(a_positive, "gamma", prior_ibp())
  layers <- list(alpha = hyper, alpha_deep = hyper, max_layers = a_count, max_units = a_count)
  number <- also(a_positive, gamma_prior(1, 1))
  expect_all_refused(prior_cascade, list(), c(layers, list(concentration = hyper)))
  expect_all_refused(
    rcascade, list(units = 3, alpha = 1),
    c(layers, list(units = also(a_count, 1e7, must = "be at most 1e6"), concentration = number))
  )
  expect_all_refused(dcascade, list(z = list(matrix(1, 3, 1)), alpha = 1), list(
    z = bad("", NULL, 1, "a", matrix(1, 3, 1)), alpha = hyper, alpha_deep = hyper,
    concentration = number, log = a_flag, units = but_null(a_count)
  ))
  width <- bad("", NULL, "a", TRUE, -1, 1.5, c(1, NA), 2e7)
  table <- list(k = width, alpha = hyper, concentration = number)
  expect_all_refused(cascade_width, list(k = 3, alpha = 1), table)
  expect_all_refused(cascade_depth, list(k = 3, alpha = 1), replace(table, "k", list(a_count)))
  expect_all_refused(init_cascade, list(), list(
    widths = bad("", NULL, NA, "a", 0, 1.5, c(3, NA), 1e10, list()),
    density = bad("be one number in", NULL, NA, "1", c(1, 2), 0, 1.01)
  ))
  expect_all_refused(init_topics, list(), list(n_topics = a_count))
  expect_refusals(\(rows) simulate(prior_cascade(), rows = rows), "rows", a_count$values)
})

test_that("invalid arguments of distributions, priors, methods and simulations are rejected", {
  refused <- function(f, given, ...) {
    values <- list(...)
    for (name in names(values)) {
      expect_refusals(\(v) do.call(f, replace(given, name, list(v))), name, values[[name]])
    }
  }
  number <- c(not_positive, list(gamma_prior(1, 1)))
  share <- c(not_numbers, -0.1, 1)
  z <- matrix(1, 2, 1)
  refused(ribp, list(rows = 2, alpha = 1, concentration = 1),
    rows = not_counts, alpha = c(number, 1e300), concentration = number, discount = share
  )
  refused(dibp, list(z = z, alpha = 1, concentration = 1),
    z = not_binary, alpha = number, concentration = number, discount = share, class = not_choices,
    log = not_flags
  )
  expect_refusals(\(x) dibp(z, 1, -0.5, x), "concentration", list(0.5, 0.1, 0))
  refused(rbeta_bernoulli, list(rows = 2, n_features = 2, alpha = 1),
    rows = not_counts, n_features = not_counts, alpha = number, concentration = not_positive
  )
  expect_error(rbeta_bernoulli(1e9, 1e9, 1), "`n_features` must be small enough")
  refused(dbeta_bernoulli, list(z = diag(2), alpha = 1),
    z = not_binary, alpha = number, concentration = not_positive, n_features = c(not_counts, 1),
    class = not_choices, log = not_flags
  )
  refused(ribp_sticks, list(n = 2, alpha = 1), n = not_counts, alpha = not_positive)
  tree <- star_tree(2)
  no_tree <- list(NULL, NA, 1, "(a,b);", list(), sum)
  refused(rpibp, list(tree = tree, alpha = 1),
    tree = c(no_tree, list(unclass(tree))), alpha = c(number, 1e300)
  )
  refused(dpibp, list(z = `rownames<-`(z, tree$tip.label), tree = tree, alpha = 1),
    z = not_binary, tree = no_tree, alpha = number, log = not_flags
  )
  refused(gamma_prior, list(shape = 1, rate = 1), shape = not_positive, rate = not_positive)
  refused(prior_ibp, list(), alpha = not_positive, concentration = not_positive,
    discount = c(share, 2, list(gamma_prior(1, 1)))
  )
  refused(prior_beta_bernoulli, list(n_features = 2), alpha = not_positive,
    n_features = c(not_counts, list(gamma_prior(1, 1))), concentration = not_positive
  )
  refused(prior_pibp, list(tree = tree), alpha = not_positive)
  refused(prior_fixed, list(), z = not_binary)
  refused(left_order, list(), z = not_binary)
  for (prior in list(prior_ibp(), prior_beta_bernoulli(2))) {
    refused(simulate, list(prior, rows = 2), nsim = not_counts, seed = not_seeds, rows = not_counts)
  }
  shares <- Filter(\(x) !identical(x, c(1, 2)), not_numbers)
  shares <- c(shares, list(-0.1, 1.1, c(0.5, 0.5), rep(0.5, 5), c(0, 0, 0, 2), c(0, 0, 0, NA)))
  refused(sim_images, list(n = 2), n = not_counts, sigma = c(not_numbers, -1), prob = shares)
  refused(sim_photos, list(n = 1), n = c(not_counts, 1e6), height = not_counts, width = not_counts)
  expect_error(sim_photos(1, 1e5, 1e5), "`width` must be small enough", fixed = TRUE)
  refused(sim_topics, list(documents = 3, words = 3, alpha = 5),
    documents = not_counts, words = not_counts, alpha = c(number, 1e300),
    gamma = c(number, 1e300), eta = number,
    lengths = c(not_counts[-1], list(c(1, 2, 0), c(1, NA, 1), rep(2^30, 3)))
  )
  without <- function(values, value) values[!vapply(values, identical, NA, value)]
  refused(method_beam, list(), width = without(not_counts, Inf), max_features = not_counts,
    lookahead = without(not_counts, 0)
  )
  for (make in list(method_variational, method_power_ep)) {
    # `restarts = NULL` is valid: the number of starts then depends on their cost.
    refused(make, list(), max_features = not_counts, restarts = not_counts[-1], cores = not_counts,
      tol = c(not_numbers, 0, 1, -1, 2)
    )
  }
  refused(method_variational, list(), form = not_choices)
})

test_that("arguments of functions for all fits are checked", {
  kinds <- kinds_of_fits()
  for (kind in names(kinds)) {
    fit <- kinds[[kind]]
    given <- list(fit)
    refused <- function(f, ...) expect_all_refused(f, given, lapply(list(...), two_of))
    if (kind != "cascade") refused(predict, type = a_choice)
    refused(predict, newdata = bad("", "a", list(), sum, fitted(fit)[, -1]))
    refused(posterior_predict, ndraws = some_draws)
    refused(log_lik, ndraws = also(some_draws, if (inherits(fit, "fit_mcmc")) 1e5 else 0))
    if (kind != "choice") refused(log_lik, by = a_choice)
    refused(simulate, nsim = a_count, seed = a_seed)
    refused(tidy, matrix = a_choice, conf.level = a_share)
    refused(plot, type = a_choice)
    for (verb in list(
      summary, glance, tidy, logLik, augment, fitted, residuals, predict, plot, simulate, log_lik,
      posterior_predict
    )) {
      expect_error(verb(fit, nonsense = 1), "^`nonsense` must be left out: .*\\.$", label = kind)
    }
  }
})

test_that("arguments of functions for one kind of fit are checked", {
  kinds <- kinds_of_fits()
  fit <- list(small_fit())
  expect_all_refused(predict, c(fit, list(x)), list(ndraws = some_draws))
  expect_refusals(\(v) feature_draws(fit[[1]])[[v]], "i", also(a_count, 601)$values)
  dim <- bad("", NA, 4, c(1, 2), c(-1, -3), c(1.5, 2), c(NA, 3), numeric(), "a", list(1, 3))
  expect_all_refused(plot, c(fit, "loadings"), list(dim = dim))
  rows <- bad("", NA, 0, 9, 1.5, c(1, 9), numeric(), "a", list(1))
  expect_all_refused(plot, c(fit, "fit", list(dim = c(1, 3))), list(rows = rows))
  expect_all_refused(update, fit, list(
    iter = but_null(also(a_count, 599, must = "be at least 600")), cores = a_count,
    verbose = a_flag, file = but_null(a_file), chains = but_null(a_count)
  ))
  pair <- data.frame(item1 = "LBJ", item2 = "HW")
  with <- function(name, value) replace(pair, name, list(value))
  expect_all_refused(predict, list(tree_choice()), list(
    newdata = bad("", 1, "LBJ", pair[1], with("item1", "lbj"), with("item1", NA),
      with("item1", "HW"), with("item1", 10), with("item1", 1.5), with("item2", TRUE)),
    interval = bad("", "1", c(1, 2), 0, 1, -1)
  ))
  expect_all_refused(summary, list(tree_choice()), list(aspects = a_count))
  expect_all_refused(predict, list(kinds$cascade), list(sweeps = a_count, ndraws = some_draws))
  expect_all_refused(simulate, list(kinds$cascade), list(
    rows = but_null(a_count), noise = a_flag
  ))
  new <- list(topics_given(), newdata = words)
  expect_all_refused(predict, new, list(sweeps = a_count))
  expect_all_refused(perplexity, new, list(
    newdata = these(c(list(NULL), no_data(words))), completion = a_share, sweeps = a_count,
    ndraws = a_count, seed = a_seed
  ))
  expect_error(perplexity(new[[1]]), "^`newdata` must be given: new documents\\.$")
  expect_all_refused(top_words, new[1], list(n = a_count, by = a_choice))
  expect_all_refused(plot, new[1], list(n = a_count))
})

test_that("heldout_density() rejects everything except the full data", {
  gaussian <- quick_fit(replace(x, c(2, 9), NA), method = short)
  cases <- list(
    list(gaussian, x), list(holes_logistic(), y), list(holes_point(), bare(easy_data())),
    list(icm_holes(), nmf_data()), list(chains_holes(), nmf_data()),
    list(cascade_gaps(), unname(cascade_data(40))), list(topics_given(), words)
  )
  for (case in cases) {
    full <- case[[2]]
    values <- c(no_matrices, list(full[-1, ], full[, -1], t(full), replace(full, 1, Inf)))
    expect_all_refused(heldout_density, case[1], list(actual = these(values)))
    expect_error(heldout_density(case[[1]]), "^`actual` must be given: the ")
  }
  expect_all_refused(heldout_density, list(holes_choice()), list(actual = bad(
    "", 1, "a", celebrities[1:8, 1:8], unname(celebrities), celebrities[9:1, 9:1],
    replace(celebrities, 2, -1)
  )))
  for (fit in list(small_fit(), easy_point(), cascade_fit())) {
    must <- "^`fit` must be a fit to data with missing entries\\.$"
    expect_error(heldout_density(fit, fitted(fit)), must)
  }
  expect_identical(heldout_density(gaussian, x * NA), c(NA_real_, NA_real_))
  expect_identical(heldout_density(holes_point(), easy_holes() * NA), rep(NA_real_, 20))
})

test_that("objects that are not fits, or fits of another kind, raise a one-line error", {
  verbs <- list(
    features, feature_draws, loadings_of, coassignment, weights_of, network, objective, top_words,
    topic_table, \(fit) heldout_density(fit, diag(3)), \(fit) perplexity(fit, words)
  )
  for (verb in verbs) expect_refusals(verb, "fit", list(NULL, 3, "a", list()))
  for (verb in verbs[c(8:9, 11)]) expect_refusals(verb, "fit", list(small_fit(), icm_fit()))
  expect_refusals(network, "fit", list(small_fit(), icm_fit(), rcascade(4, 1)))
})
