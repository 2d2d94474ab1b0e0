x <- small_data()
holes <- replace(x, c(2, 9, 17, 18), NA)

#' Expects a fit extended to 120 sweeps to equal a fit with 120 sweeps, in whatever way it is
#' extended
expect_continued <- function(x, ..., sampler = NULL, warmup = 45, thin = 1) {
  fit_of <- function(iter) {
    method <- method_gibbs(
      chains = 2, iter = iter, warmup = warmup, thin = thin, sampler = sampler
    )
    quick_fit(x, ..., method = method)
  }
  whole <- fit_of(120)
  first <- fit_of(60)
  expect_identical(update(first, iter = 120, verbose = FALSE), whole)
  between <- update(first, iter = 83, verbose = FALSE)
  expect_identical(between, fit_of(83))
  expect_identical(update(between, iter = 120, verbose = FALSE), whole)
}

test_that("update() returns the fit of a longer run for every sampler", {
  for (sampler in c("collapsed", "uncollapsed", "slice")) {
    expect_continued(x, sampler = sampler, thin = 7)
    expect_continued(holes, sampler = sampler)
    if (sampler == "collapsed") next
    expect_continued(abs(holes), loadings = "nonnegative", sampler = sampler)
  }
})

test_that("update() returns the fit of a longer run: centred, sparse or wide data, and init", {
  expect_continued(x, center = TRUE, warmup = 0)
  expect_continued(holes, center = TRUE, warmup = 59)
  expect_continued(Matrix::Matrix(replace(x, x < 0, 0), sparse = TRUE), sampler = "slice")
  expect_continued(unname(t(x)), prior = prior_ibp(concentration = gamma_prior(1, 1)))
  expect_continued(x, init = diag(8), prior = prior_beta_bernoulli(9))
  expect_continued(x, init = list(list(alpha = 3), diag(8)), prior = prior_ibp(discount = 0.3))
})

test_that("update() works with a fit that was saved, even in another session", {
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

test_that("a run of update() can itself be saved, killed and resumed", {
  images <- withr::with_seed(1, sim_images(40))
  plan <- function(iter) method_gibbs(chains = 2, iter = iter, warmup = 100, sampler = "slice")
  fit <- quick_fit(images, method = plan(150))
  file <- withr::local_tempfile(fileext = ".rds")
  call <- list(object = fit, iter = 900, file = file)
  kill_after(call, 300, verb = "update")
  whole <- quick_fit(images, method = plan(900))
  expect_identical(do.call(update, c(call, verbose = FALSE)), whole)
  expect_identical(do.call(update, c(call, verbose = FALSE)), whole)
  another <- "^`file` contains a run of update\\(\\), not of fit_gaussian\\(\\): "
  expect_error(quick_fit(images, method = plan(150), file = file), another)
  expect_error(
    update(fit, iter = 901, file = file), "^`file` contains a run with a different `iter`: "
  )
  other <- quick_fit(images + 1, method = plan(150))
  expect_error(update(other, iter = 900, file = file), "with a different `x`: ")
  other <- quick_fit(images, method = plan(150), seed = 2)
  expect_error(update(other, iter = 900, file = file), "with a different `seed`: ")
})

test_that("update() of an interrupted fit needs only the sweeps that its chains have made", {
  fit <- small_fit()
  fit$method$iter <- 900L
  expect_identical(update(fit, iter = 600, verbose = FALSE), small_fit())
  expect_error(
    update(fit, iter = 599),
    "^`iter` must be at least 600, the number of sweeps in the fit, not 599\\.$"
  )
})

#' A fit of 100 sweeps, 40 of them warm-up, that ends once each chain has made some sweeps, as it
#' would after an interrupt
cut_fit <- function(at, ...) {
  local_wrapper("run_sweeps", function(plain, run, plan, watch) {
    plan$iter <- min(plan$iter, at)
    plain(run, plan, watch)
  })
  suppressWarnings(quick_fit(small_data(), method = method_gibbs(2, 100, 40, ...)))
}

test_that("an interrupted fit says how many sweeps it has made and how to complete it", {
  fit <- cut_fit(57)
  expect_identical(fit$method$iter, 57L)
  expect_identical(niterations(fit), 17L)
  said <- "Interrupted after 57 of 100 sweeps. To complete the run: `update(fit, iter = 100)`."
  for (shown in list(format(fit), summary(fit)$header)) {
    expect_match(paste(trimws(shown), collapse = " "), said, fixed = TRUE)
    expect_match(shown, "2 chains of 57 sweeps (40 warm-up)", fixed = TRUE, all = FALSE)
  }
  whole <- quick_fit(small_data(), method = method_gibbs(2, 100, 40))
  expect_identical(update(fit, iter = 100, verbose = FALSE), whole)
  expect_no_match(format(whole), "Interrupted")
  # If a chain has no state, the fit cannot be extended.
  fit$internal$chains[[2]]$state <- raw()
  expect_match(format(fit), "57 of 100 sweeps. Run it again with a `file`", all = FALSE)
  expect_error(update(fit, iter = 100), "run it again with a `file`\\.$")
})

test_that("a refit of an interrupted fit has the planned number of sweeps", {
  fit <- cut_fit(57)
  other <- update(fit, thin = 2, verbose = FALSE)
  made <- quick_fit(small_data(), method = method_gibbs(2, 57, 40, thin = 2))
  expect_identical(other, made)
})

test_that("the call of a refit does not contain `init`, which was not used", {
  fit <- quick_fit(small_data(), init = diag(8), method = method_gibbs(2, 60))
  again <- update(fit, sigma_x = 0.5, verbose = FALSE)
  expect_null(again$call$init)
  expect_identical(again$call$sigma_x, 0.5)
  expect_identical(update(fit, iter = 70, verbose = FALSE)$call, fit$call)
})

test_that("the call of a refit has the new arguments as they were written, and reproduces it", {
  x <- small_data()
  scale <- 2
  by_gibbs <- method_gibbs(2, 60)
  fit <- fit_gaussian(x, method = by_gibbs, seed = 1, verbose = FALSE)
  again <- update(fit, sigma_a = scale, verbose = FALSE)
  expected <- quote(
    fit_gaussian(x = x, method = by_gibbs, seed = 1, verbose = FALSE, sigma_a = scale)
  )
  expect_identical(again$call, expected)
  fewer <- update(again, newdata = x[-1, ], thin = 2, iter = 70, verbose = FALSE)
  expected <- quote(fit_gaussian(
    x = x[-1, ], method = method_gibbs(chains = 2L, iter = 70L, thin = 2L), seed = 1,
    verbose = FALSE, sigma_a = scale
  ))
  expect_identical(fewer$call, expected)
  expect_identical(eval(fewer$call), fewer)
  # A continued fit has more sweeps than its call.
  other <- update(update(fit, iter = 70, verbose = FALSE), noise = "column", verbose = FALSE)
  expect_identical(other$call$method, quote(method_gibbs(chains = 2L, iter = 70L, warmup = 30L)))
  expect_identical(eval(other$call), other)
})

test_that("update() does not use R's random number generator", {
  fit <- small_fit()
  set.seed(1)
  before <- .Random.seed
  update(fit, iter = 610, verbose = FALSE)
  expect_error(update(fit), "^`iter` or another argument must be given: [^\n]+\\.$")
  expect_error(update(fit, iter = 700, chains = 0), "^`chains` must be one whole number")
  expect_identical(.Random.seed, before)
})

test_that("update() keeps the first chains if fewer are requested, and otherwise adds new ones", {
  method <- function(chains, iter) method_gibbs(chains, iter, warmup = 20, restart_stuck = FALSE)
  fits <- lapply(2:4, function(chains) quick_fit(x, method = method(chains, 60)))
  longer <- lapply(2:3, function(chains) quick_fit(x, method = method(chains, 90)))
  again <- function(fit, ...) update(fit, ..., verbose = FALSE)
  expect_identical(again(fits[[2]], iter = 90, chains = 2), longer[[1]])
  expect_identical(again(fits[[2]], iter = 60, chains = 3, refresh = 5, cores = 2), fits[[2]])
  expect_identical(again(fits[[1]], chains = 4), fits[[3]])
  expect_identical(again(fits[[1]], iter = 90, chains = 3, cores = 2), longer[[2]])
})

test_that("update() returns the fit of a longer run for every kind of fit", {
  for (fit in sampled_kinds()) {
    # The start of a cascade is not saved.
    if (inherits(fit, "fit_cascade")) next
    iter <- fit$method$iter + 50L
    longer <- c("iter", "warmup")
    fit$args$method[longer] <- list(iter, fit$method$warmup)
    call <- c(list(fit$data, seed = 1, verbose = FALSE), fit$args)
    whole <- do.call(getExportedValue("buffet", class(fit)[1]), call)
    expect_identical(update(fit, iter = iter, verbose = FALSE), whole, label = class(fit)[1])
  }
})

test_that("cascades can be extended, whatever their start was", {
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
})

test_that("chains that stopped at different sweeps can be continued", {
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

# update() with arguments that require a new fit.

again <- function(fit, ...) update(fit, ..., verbose = FALSE)

test_that("every kind of fit can be refitted from its own elements", {
  kinds <- kinds_of_fits()
  # The start of a cascade is not saved.
  for (fit in kinds[names(kinds) != "cascade"]) {
    other <- if (inherits(fit, "fit_mcmc")) again(fit, thin = fit$method$thin) else again(fit)
    expect_identical(suppressMessages(other), fit)
  }
  x <- withr::with_seed(1, sim_images(20))
  prior <- prior_cascade(alpha = 2, max_layers = 3)
  run <- function(...) {
    fit_cascade(x, ..., method = method_gibbs(1, 20, thin = 5), seed = 1, verbose = FALSE)
  }
  expect_identical(
    again(run(range = c(-9, 9), prior = prior), seed = 1), run(range = c(-9, 9), prior = prior)
  )
  expect_identical(again(run(), prior = prior), run(prior = prior))
})

test_that("new arguments replace the old ones, and the seed stays the same", {
  x <- small_data()
  short <- method_gibbs(chains = 2, iter = 60)
  fit <- quick_fit(x, method = short, sigma_x = 0.5, center = TRUE, seed = 3)
  run <- function(..., method = short, seed = 3) quick_fit(..., method = method, seed = seed)
  expect_identical(
    again(fit, prior = prior_ibp(2)), run(x, sigma_x = 0.5, center = TRUE, prior = prior_ibp(2))
  )
  expect_identical(
    again(fit, sigma_x = gamma_prior(2, 1), seed = 4),
    run(x, sigma_x = gamma_prior(2, 1), center = TRUE, seed = 4)
  )
  others <- x[1:5, ] + 1
  for (name in c("newdata", "data", "x")) {
    call <- c(list(fit), stats::setNames(list(others), name))
    expect_identical(do.call(again, call), run(others, sigma_x = 0.5, center = TRUE))
  }
  of_method <- again(fit, iter = 80, thin = 2, chains = 3, sampler = "slice", cores = 2)
  expect_identical(of_method, run(x,
    sigma_x = 0.5, center = TRUE, method = method_gibbs(3, 80, thin = 2, sampler = "slice")
  ))
  expect_identical(
    again(fit, warmup = 10), run(
      x, sigma_x = 0.5, center = TRUE, method = method_gibbs(2, 60, warmup = 10)
    )
  )
  by_gibbs <- run(abs(x), sigma_x = 0.5)
  by_meibp <- again(by_gibbs, loadings = "nonnegative", method = method_meibp(), max_features = 4)
  expect_identical(by_meibp, run(abs(x), "nonnegative", sigma_x = 0.5, method = method_meibp(4)))
  # If the model changes, a sampler is kept only if it was given.
  expect_identical(again(by_gibbs, loadings = "nonnegative")$method$sampler, "uncollapsed")
  expect_null(again(again(fit, moves = 0), moves = NULL)$method$moves)
})

test_that("update() does not change binary data, columns of data frames or default priors", {
  y <- data.frame(
    a = c(TRUE, FALSE, TRUE, TRUE), b = factor(c("n", "y", "y", "n")), c = c(0, 1, 1, NA)
  )
  short <- method_gibbs(chains = 1, iter = 20)
  logistic <- function(y) suppressMessages(quick_logistic(y, method = short))
  for (given in list(y, as.matrix(y[c("a", "c")]))) {
    expect_identical(suppressMessages(again(logistic(given), thin = 1)), logistic(given))
  }
  frame <- data.frame(
    n = c(1, 3, 2, 5, 4, 2), f = letters[c(1, 2, 1, 3, 3, 2)], g = c(0.1, 2, 3, 1, 5, 9)
  )
  mixed <- function(...) suppressMessages(quick_mixed(frame, ..., method = short))
  ordinal <- c(n = "ordinal")
  expect_identical(suppressMessages(again(mixed(ordinal), thin = 1)), mixed(ordinal))
  expect_identical(suppressMessages(again(mixed(), families = ordinal)), mixed(ordinal))
  # Priors that depend on the data are recomputed if the data change.
  swiss <- scale(datasets::swiss)
  factor <- function(x) quick_factor(x, method = short)
  expect_identical(again(factor(swiss), newdata = 2 * swiss[1:20, ]), factor(2 * swiss[1:20, ]))
})

test_that("center and scale stay as given, whatever the data are", {
  x <- small_data()
  short <- method_gibbs(chains = 1, iter = 10)
  # Columns with mean 0 and standard deviation 1 reveal neither argument.
  units <- matrix(c(-1, 1), 4, 3) / stats::sd(c(-1, 1, -1, 1))
  given <- list(
    list(), list(scale = TRUE), list(center = TRUE), list(center = FALSE, scale = TRUE)
  )
  for (make in list(fit_gaussian, fit_factor)) {
    for (asked in given) {
      fit_to <- function(x, more = list()) {
        call <- c(list(x), utils::modifyList(asked, more), list(method = short, seed = 1))
        suppressMessages(do.call(make, c(call, verbose = FALSE)))
      }
      for (scale in list(list(scale = TRUE), list(scale = FALSE))) {
        changed <- suppressMessages(do.call(again, c(list(fit_to(x)), scale)))
        expect_identical(changed, fit_to(x, scale))
      }
      expect_identical(suppressMessages(again(fit_to(units), newdata = x + 5)), fit_to(x + 5))
    }
  }
  # By default, nonnegative loadings are not centred.
  scaled <- function(...) quick_fit(x, ..., scale = TRUE, method = short)
  positive <- suppressMessages(again(scaled(), loadings = "nonnegative"))
  expect_identical(positive, scaled("nonnegative"))
})

test_that("one message names what is changed, and there is none if chains continue", {
  fit <- small_fit()
  expect_message(
    update(fit, warmup = 5, iter = 30, thin = 2),
    "^Refitting from the start with new `warmup` and `thin`\\.\n$"
  )
  expect_no_message(update(fit, iter = 610))
  expect_no_message(again(fit, warmup = 5))
})

test_that("arguments that cannot be changed are rejected with a one-line error", {
  fit <- small_fit()
  refused <- function(text, ...) {
    error <- expect_error(again(...), text, fixed = TRUE)
    expect_no_match(conditionMessage(error), "\n")
  }
  refused(
    "`foo` must be left out: it is not an argument of fit_gaussian() or method_gibbs().", fit,
    foo = 1
  )
  refused("not an argument of fit_nmf() or method_icm()", icm_fit(), thin = 2)
  refused("`chains` must be left out: a fit by method_icm() has no chains", icm_fit(), chains = 2)
  refused("`cl` must be left out", mixed_fit(), cl = 1, thin = 2)
  refused("`x` must be given once, not `data` and `x`.", fit, data = small_data(), x = small_data())
  refused("`warmup` must be less than `iter` (600)", fit, warmup = 600)
  refused("`prior` must be", fit, prior = 1)
  refused("`method` must be made by a method_*() function, not 1.", fit, method = 1)
  refused("`thin` must be one whole number", fit, thin = 0)
  expect_error(update(fit, 700, TRUE, NULL, 1, NULL, 2, 0, 3), "^Further arguments must be named")
  expect_error(
    update(icm_fit()), "^give an argument to change: .* method_icm\\(\\) cannot be run longer\\.$"
  )
})

test_that("a quoted name or call is rejected like any other wrong value and is not evaluated", {
  must <- "`prior` must be made by a prior_*() function, not a "
  expect_error(again(small_fit(), prior = quote(x)), paste0(must, "symbol."), fixed = TRUE)
  expect_error(again(small_fit(), prior = quote(prior_ibp(2))), paste0(must, "call."), fixed = TRUE)
  expect_error(again(small_fit(), thin = quote(nchar("ab"))), "`thin` must be one whole number")
})

test_that("weights of a fit are kept, named and removed, and new data require new weights", {
  counts <- as.data.frame(datasets::UCBAdmissions)
  counts$Freq <- counts$Freq %/% 150
  fit <- suppressMessages(quick_mixed(counts, weights = Freq, method = method_gibbs(1, 10)))
  again <- function(...) nobs(suppressMessages(update(fit, ..., verbose = FALSE)))
  expect_identical(nobs(fit), as.integer(sum(counts$Freq)))
  expect_identical(again(seed = 2), nobs(fit))
  expect_identical(again(weights = Freq), nobs(fit))
  expect_identical(again(weights = 2 * counts$Freq), 2L * nobs(fit))
  expect_identical(again(data = counts[24:1, ], weights = Freq), nobs(fit))
  expect_identical(again(weights = NULL), nrow(counts))
  expect_error(again(data = counts), "^`weights` must be given with new data")
})
