# Results of other authors' programs, which are stored in peers/. data-raw/peers.R lists the
# programs and stores their results. All comparisons are exact, except for counts of draws.

peer <- function(name) utils::read.csv(test_path("peers", name), colClasses = "numeric")

#' Features as sorted numbers, whose bits are the entries
kinds_of <- function(z) paste(sort(colSums(z * 2^(seq_len(nrow(z)) - 1))), collapse = " ")

features_of_kinds <- function(kinds, rows) {
  kinds <- as.integer(strsplit(kinds, " ")[[1]])
  vapply(kinds, function(kind) as.integer(intToBits(kind))[seq_len(rows)], integer(rows))
}

#' Every matrix with three rows and up to four features
pyibp <- function() {
  classes <- c("character", "numeric", "numeric")
  utils::read.csv(test_path("peers", "pyibp.csv"), colClasses = classes)
}

test_that("probabilities of feature matrices agree with PyIBP", {
  of_peer <- pyibp()
  expect_identical(nrow(of_peer), 330L)
  ours <- vapply(of_peer$features, function(kinds) {
    z <- features_of_kinds(kinds, 3)
    dibp(matrix(z, 3), alpha = 0.7, log = TRUE)
  }, 0)
  expect_equal(unname(ours), of_peer$log_prior, tolerance = 1e-12)
})

test_that("log likelihoods with the loadings integrated out agree with PyIBP", {
  of_peer <- pyibp()
  x <- as.matrix(peer("pyibp-x.csv"))
  for (sampler in c("collapsed", "uncollapsed", "slice")) {
    method <- method_gibbs(2, 1000, sampler = sampler, max_features = 4)
    fit <- quick_fit(x, sigma_x = 0.8, sigma_a = 1.2, prior = prior_ibp(0.7), method = method)
    drawn <- vapply(seq_along(feature_draws(fit)), \(i) kinds_of(feature_draws(fit)[[i]]), "")
    expect_gt(length(unique(drawn)), 50)
    expected <- of_peer$log_lik[match(drawn, of_peer$features)]
    expect_equal(unname(scalars_of(fit)[, "log_lik"]), expected, tolerance = 1e-8, label = sampler)
  }
})

#' A binary matrix of items x aspects
aspects_of <- function(of_peer) {
  all <- seq_along(of_peer$weights)
  t(vapply(of_peer$aspects, function(of_item) 1 * (all %in% of_item), numeric(length(all))))
}

#' A fit with a single draw, which has the weights found by the other program
choice_at <- function(of_peer) {
  z <- aspects_of(of_peer)
  fit <- quick_choice(prior = prior_fixed(z), epsilon = 0, method = method_gibbs(1, 2))
  columns <- apply(choice_draws(fit)[[1]]$z, 2, paste, collapse = "")
  at <- match(columns, apply(z, 2, paste, collapse = ""))
  fit$internal$draws_loadings[] <- of_peer$weights[at]
  fit
}

test_that("choice probabilities and the likelihood of the weights agree with eba", {
  for (of_peer in readRDS(test_path("peers", "eba.rds"))) {
    fit <- choice_at(of_peer)
    off <- row(celebrities) != col(celebrities)
    expect_equal(unname(predict(fit))[off], of_peer$probabilities[off], tolerance = 1e-12)
    expect_equal(sum(log_lik(fit)[1, ]), of_peer$log_lik, tolerance = 1e-10)
  }
})

test_that("nonnegative factors are at the mode found by scikit-learn", {
  x <- as.matrix(peer("nmf-x.csv"))
  w <- unname(as.matrix(peer("nmf-weights.csv")))
  a <- unname(as.matrix(peer("nmf-loadings.csv")))
  run <- function(...) {
    method <- method_icm(restarts = 5, tol = 1e-14, iter = 1e5)
    quick_nmf(x, sigma_x = 0.3, rate_w = 0.5, rate_a = 0.8, method = method, ...)
  }
  fit <- run()
  ours <- unname(loadings_of(fit)[, ])
  expect_equal(ours[order(ours[, 1]), ], t(a)[order(a[1, ]), ], tolerance = 1e-5)
  expect_equal(unname(fitted(fit)), w %*% t(a), tolerance = 1e-5)
  # Neither program finds a better point when it starts from the result of the other.
  at <- run(init = list(weights = w, loadings = t(a)))
  expect_equal(unname(fitted(at)), w %*% t(a), tolerance = 1e-5)
})
