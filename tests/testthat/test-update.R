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
    expect_continued(x, sampler = sampler, thin = 7)
    expect_continued(holes, sampler = sampler)
  }
})

test_that("update() gives the fit of a longer run: nonnegative loadings", {
  for (sampler in c("uncollapsed", "slice")) {
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

test_that("update() draws no number from R's generator", {
  fit <- small_fit()
  set.seed(1)
  before <- .Random.seed
  update(fit, iter = 610, verbose = FALSE)
  expect_error(update(fit), "^`iter` must be given: the total number of sweeps\\.$")
  expect_error(update(fit, iter = 700, chains = 0), "^`chains` must be one whole number")
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

test_that("update() gives the fit of a longer run, for every kind of fit", {
  for (fit in sampled_kinds()) {
    # The start of a cascade is not kept.
    if (inherits(fit, "fit_cascade")) next
    iter <- fit$method$iter + 50L
    longer <- c("iter", "warmup")
    fit$args$method[longer] <- list(iter, fit$method$warmup)
    call <- c(list(fit$data, seed = 1, verbose = FALSE), fit$args)
    whole <- do.call(getExportedValue("buffet", class(fit)[1]), call)
    expect_identical(update(fit, iter = iter, verbose = FALSE), whole, label = class(fit)[1])
  }
})

test_that("cascades and topic models run longer, whatever they were started from", {
  for (x in list(cascade_data(40), cascade_holes())[sized(2, 1:2)]) {
    for (init in list(NULL, init_cascade(integer()), init_cascade(c(6, 2)))) {
      run <- function(iter) {
        prior <- prior_cascade(concentration = gamma_prior(2, 2))
        method <- method_gibbs(2, iter, warmup = 10, thin = 3)
        quick_cascade(x, prior = prior, init = init, method = method)
      }
      between <- update(run(30), iter = 41, verbose = FALSE)
      expect_identical(between, run(41))
      expect_identical(update(between, iter = 50, verbose = FALSE, cores = 2), run(50))
    }
  }
  run <- function(iter) {
    method <- method_gibbs(2, iter, warmup = 10, thin = 3, moves = 2)
    suppressMessages(quick_topics(topic_gaps(), "model", init = init_topics(8), method = method))
  }
  expect_identical(update(run(30), iter = 50, verbose = FALSE), run(50))
})

test_that("chains that were left at different sweeps go on", {
  run <- function(iter) quick_cascade(cascade_holes(), method = method_gibbs(2, iter, warmup = 10))
  method <- replace(run(60)$method, "iter", 80L)
  chains <- list(continued_chains(run(60))[[1]], continued_chains(run(40))[[2]])
  left <- with_warnings(new_fit_mcmc(
    list(chains = chains, file = NULL, seed = 1L),
    list(model = run(60)$internal$model, method = method)
  ))
  expect_identical(left$warned, "interrupted: the fit has 30 of 70 draws per chain.")
  expect_identical(update(left$value, iter = 80, verbose = FALSE), run(80))
})

test_that("limits of layers and units hold when chains go on", {
  prior <- prior_cascade(gamma_prior(50, 1), gamma_prior(20, 2), 1, 3, 12)
  fit <- quick_cascade(cascade_data(30), prior = prior, method = method_gibbs(2, 20, warmup = 5))
  longer <- update(fit, iter = 60, verbose = FALSE)
  widths <- vapply(1:3, \(m) scalar(longer, paste0("width_", m)), scalar(longer, "n_layers"))
  expect_lte(max(rowSums(widths)), 12)
})
