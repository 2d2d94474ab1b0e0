x <- small_data()
holes <- replace(x, c(2, 9, 17, 18), NA)

#' A fit run on to 400 sweeps is the fit of 400 sweeps, however it got there
expect_continued <- function(x, ..., sampler = NULL, warmup = 150, thin = 1) {
  fit_of <- function(iter) {
    method <- method_gibbs(
      chains = 2, iter = iter, warmup = warmup, thin = thin, sampler = sampler
    )
    quick_fit(x, ..., method = method)
  }
  whole <- fit_of(400)
  first <- fit_of(200)
  expect_identical(update(first, iter = 400, verbose = FALSE), whole)
  between <- update(first, iter = 263, verbose = FALSE)
  expect_identical(between, fit_of(263))
  expect_identical(update(between, iter = 400, verbose = FALSE), whole)
}

test_that("update() gives the fit of a longer run, for every sampler", {
  for (sampler in c("collapsed", "uncollapsed", "slice")) {
    expect_continued(x, sampler = sampler)
    expect_continued(holes, sampler = sampler)
    expect_continued(x, sampler = sampler, thin = 7)
  }
})

test_that("update() gives the fit of a longer run: nonnegative loadings", {
  for (sampler in c("uncollapsed", "slice")) {
    expect_continued(abs(x), loadings = "nonnegative", sampler = sampler, thin = 3)
    expect_continued(abs(holes), loadings = "nonnegative", sampler = sampler)
  }
})

test_that("update() gives the fit of a longer run: centred, sparse, wide, started", {
  expect_continued(x, center = TRUE, warmup = 0)
  expect_continued(holes, center = TRUE, warmup = 199)
  expect_continued(Matrix::Matrix(replace(x, x < 0, 0), sparse = TRUE), sampler = "slice")
  expect_continued(unname(t(x)), prior = prior_ibp(concentration = gamma_prior(1, 1)))
  expect_continued(x, init = diag(8), prior = prior_beta_bernoulli(9))
  expect_continued(x, init = list(list(alpha = 3), diag(8)), prior = prior_ibp(discount = 0.3))
})

test_that("update() works with a fit that was saved, and in another session", {
  whole <- quick_fit(x, method = method_gibbs(chains = 2, iter = 400, warmup = 100))
  fit <- quick_fit(x, method = method_gibbs(chains = 2, iter = 200, warmup = 100))
  file <- withr::local_tempfile(fileext = ".rds")
  saveRDS(fit, file)
  expect_identical(readRDS(file), fit)
  expect_identical(update(readRDS(file), iter = 400, verbose = FALSE), whole)
  child <- start_child(list(object = fit, iter = 400), verb = "update")
  child$wait(20000)
  expect_identical(child$get_result()$fit, whole)
})

test_that("update() to as many sweeps as there are changes nothing", {
  expect_identical(update(small_fit(), iter = 600, verbose = FALSE), small_fit())
})

test_that("update() can be saved, killed and resumed itself", {
  images <- withr::with_seed(1, block_images(40))
  plan <- function(iter) method_gibbs(chains = 2, iter = iter, warmup = 100, sampler = "slice")
  fit <- quick_fit(images, method = plan(150))
  file <- withr::local_tempfile(fileext = ".rds")
  call <- list(object = fit, iter = 900, file = file)
  kill_after(call, 300, verb = "update")
  whole <- quick_fit(images, method = plan(900))
  expect_identical(do.call(update, c(call, verbose = FALSE)), whole)
  expect_identical(do.call(update, c(call, verbose = FALSE)), whole)
  expect_error(update(fit, iter = 901, file = file), "^`file` must hold .* the same `iter` ")
  other <- quick_fit(images + 1, method = plan(150))
  expect_error(update(other, iter = 900, file = file), "with the same `x` ")
  other <- quick_fit(images, method = plan(150), seed = 2)
  expect_error(update(other, iter = 900, file = file), "with the same `seed` ")
})

test_that("update() goes on from a file of the same fit only", {
  file <- withr::local_tempfile(fileext = ".rds")
  method <- method_gibbs(chains = 2, iter = 50, warmup = 10)
  fit <- quick_fit(x, method = method)
  other <- quick_fit(x, method = method, init = diag(8))
  longer <- update(fit, iter = 80, file = file, verbose = FALSE)
  expect_identical(update(fit, iter = 80, file = file, verbose = FALSE), longer)
  expect_error(
    update(other, iter = 80, file = file, verbose = FALSE), "^`file` must .* same `object` "
  )
})

test_that("update() gives the same fit on any number of cores", {
  fits <- lapply(1:2, function(cores) {
    quick_fit(x, method = method_gibbs(chains = 2, iter = 60, cores = cores, refresh = cores))
  })
  expect_identical(fits[[1]], fits[[2]])
  longer <- lapply(1:2, function(cores) {
    update(fits[[1]], iter = 90, cores = cores, verbose = FALSE)
  })
  expect_identical(longer[[1]], longer[[2]])
})

test_that("update() of an interrupted fit takes as few sweeps as its chains have done", {
  fit <- small_fit()
  fit$method$iter <- 900L
  expect_identical(update(fit, iter = 600, verbose = FALSE), small_fit())
  expect_error(
    update(fit, iter = 599),
    "^`iter` must be at least 600, the sweeps that the chains of the fit have done, not 599\\.$"
  )
})

test_that("update() draws no number of R's and refuses what it cannot use", {
  fit <- small_fit()
  set.seed(1)
  before <- .Random.seed
  update(fit, iter = 610, verbose = FALSE)
  expect_refusals(\(v) update(fit, iter = v), "iter", c(not_counts, 599, 1))
  expect_refusals(\(v) update(fit, iter = 700, cores = v), "cores", not_counts)
  expect_refusals(\(v) update(fit, iter = 700, verbose = v), "verbose", not_flags)
  expect_refusals(\(v) update(fit, iter = 700, file = v), "file", list(NA, 1, "", c("a", "b")))
  expect_error(update(fit), "^`iter` must be given: the total number of sweeps\\.$")
  expect_refusals(
    \(v) update(fit, iter = 700, chains = v), "chains", Filter(Negate(is.null), not_counts)
  )
  expect_refusals(\(v) update(fit, iter = 700, refresh = v), "refresh", list(-1, "1", c(1, 2)))
  expect_identical(.Random.seed, before)
})

test_that("update() goes on with the first chains alone", {
  method <- function(chains, iter) method_gibbs(chains, iter, warmup = 20, regroup = FALSE)
  fit <- quick_fit(x, method = method(3, 60))
  longer <- update(fit, iter = 90, chains = 2, verbose = FALSE)
  expect_identical(longer, quick_fit(x, method = method(2, 90)))
  expect_identical(update(fit, iter = 60, chains = 3, refresh = 5, verbose = FALSE), fit)
})

test_that("update() begins further chains beside those that go on", {
  method <- function(chains, iter) method_gibbs(chains, iter, warmup = 20, regroup = FALSE)
  fit <- quick_fit(x, method = method(2, 60))
  expect_identical(update(fit, chains = 4, verbose = FALSE), quick_fit(x, method = method(4, 60)))
  longer <- update(fit, iter = 90, chains = 3, cores = 2, verbose = FALSE)
  expect_identical(longer, quick_fit(x, method = method(3, 90)))
  expect_identical(update(fit, cores = 2, refresh = 0, verbose = FALSE), fit)
})

test_that("update() gives the fit of a longer run: hyperparameters at the ends of their ranges", {
  expect_continued(x, prior = prior_ibp(1, concentration = -0.2, discount = 0.5))
  expect_continued(x, prior = prior_ibp(1, concentration = 0, discount = 0.5))
  expect_continued(x, prior = prior_ibp(1e-3))
  expect_continued(x, prior = prior_ibp(gamma_prior(0.01, 0.01)))
  expect_continued(x, prior = prior_ibp(1, gamma_prior(0.01, 0.01)))
})
