# Chains that do not agree go on, to twice as many sweeps each time.

x <- withr::with_seed(1, matrix(rnorm(60), 12))

#' Chains so short that most of them do not agree
brief <- function(max_iter = 640, ...) {
  quick_fit(x, method = method_gibbs(chains = 2, iter = 40, max_iter = max_iter, ...))
}
sweeps_of_fit <- function(fit) fit$method$iter

test_that("chains go on until they agree, or to `max_iter`", {
  for (seed in 1:6) {
    fits <- lapply(40 * 2^(0:6), function(most) {
      method <- method_gibbs(chains = 2, iter = 40, max_iter = most)
      quick_fit(x, method = method, seed = seed)
    })
    agree <- vapply(fits, function(fit) is.null(disagreement(fit)), NA)
    ended <- vapply(fits, sweeps_of_fit, 1L)
    # Up to the first that agrees every one has gone on, and none after.
    first <- match(TRUE, agree, length(fits))
    expect_identical(ended, as.integer(40 * 2^(pmin(seq_along(fits), first) - 1)))
    for (fit in fits) expect_length(feature_draws(fit), 2 * 20)
  }
  expect_identical(sweeps_of_fit(brief(79)), 40L)
})

test_that("chains go on only where `max_iter` or the default length has them do so", {
  given <- quick_fit(x, method = method_gibbs(2, iter = 40), seed = 2)
  expect_false(is.null(disagreement(given)))
  expect_identical(sweeps_of_fit(given), 40L)
  lengths <- function(rows, columns) {
    model <- structure(
      list(data = list(x = matrix(0, rows, columns)), loadings = "normal"), class = "gaussian_model"
    )
    unlist(choose_length(method_gibbs(), length_of(model))[c("iter", "max_iter")])
  }
  expect_identical(lengths(10, 10), c(iter = 20000L, max_iter = 160000L))
  expect_identical(lengths(1000, 100), c(iter = 2000L, max_iter = 16000L))
  expect_identical(lengths(1001, 100), c(iter = 2000L, max_iter = 2000L))
})

test_that("by default chains of many features do not go on", {
  local_function("rhat_of", function(values) 2)
  ended <- vapply(c(0, 30), function(most) {
    local_function("choose_default", function(method, length) {
      utils::modifyList(method, list(thin = 1L, iter = 40L, max_iter = 80L, goes_on_with = most))
    })
    sweeps_of_fit(quick_fit(x, method = method_gibbs(chains = 2)))
  }, 1L)
  expect_identical(ended, c(40L, 80L))
  model <- structure(list(data = list(x = x), loadings = "normal"), class = "gaussian_model")
  limit <- function(...) choose_length(method_gibbs(...), length_of(model))$goes_on_with
  expect_identical(limit(), 30)
  expect_identical(limit(max_iter = 1e6), Inf)
  expect_identical(limit(iter = 40), Inf)
})

#' @srrstats {BS4.6} Draws of chains that went on are those of a longer run without a check.
test_that("chains that went on have the draws of longer ones, and all before is warm-up", {
  for (thin in 1:3) {
    # No search and no meeting: these depend on the length of the warm-up.
    fit_of <- function(...) quick_fit(x, method = method_gibbs(2, ...), init = matrix(1, 12, 1))
    fit <- fit_of(iter = 40, thin = thin, max_iter = 320)
    end <- sweeps_of_fit(fit)
    expect_gt(end, 40)
    whole <- fit_of(iter = end, warmup = 0)
    recorded <- seq(thin * end / 40, end, thin * end / 40)
    kept <- recorded[recorded > end / 2]
    early <- recorded[recorded <= end / 2]
    expect_gt(min(length(kept), length(early)), 5)
    expect_identical(fit$scalars, whole$scalars[kept, , ])
    expect_identical(fit$warmup_scalars, whole$scalars[early, , ])
    expect_identical(fit$draws, whole$draws[c(kept, end + kept)])
    fit$method$max_iter <- end
    fit$method$goes_on_with <- Inf
    expect_identical(update(fit, iter = end, verbose = FALSE), fit)
  }
})

test_that("chains that went on run longer, and that run is kept and taken up", {
  local_function("rhat_of", function(values) 2)
  fit <- brief(160)
  longer <- update(fit, iter = 400, verbose = FALSE)
  expect_identical(dim(longer$scalars)[1], (400L - 80L) %/% 4L)
  file <- withr::local_tempfile(fileext = ".rds")
  for (n in 1:3) expect_identical(update(fit, iter = 400, file = file, verbose = FALSE), longer)
  best <- update(best_chain(fit), iter = 400, verbose = FALSE)
  expect_identical(dim(best$scalars)[1:2], c(80L, 1L))
})

test_that("chains keep as many draws as before, whatever their warm-up", {
  local_function("rhat_of", function(values) 2)
  for (warmup in c(0, 5, 13, 20, 31, 36)) {
    fit <- brief(160, warmup = warmup)
    kept <- dim(fit$scalars)[1]
    expect_gte(kept, 40 - warmup)
    expect_lte(kept, 2 * (40 - warmup))
    expect_identical(sweeps_of_fit(fit), 160L)
    one <- brief(160, warmup = warmup, cores = 2)
    expect_identical(one, fit)
  }
})

test_that("chains of a factorisation go on too", {
  local_function("rhat_of", function(values) 2)
  method <- method_gibbs(chains = 2, iter = 10, max_iter = 40)
  fit <- fit_nmf(abs(x[1:6, 1:4]), rank = 2, method = method, seed = 1, verbose = FALSE)
  expect_identical(sweeps_of_fit(fit), 40L)
})

test_that("chains far below the best go on from it, with random numbers of their own", {
  # Two features more than the data show: chains of so few sweeps are apart.
  images <- withr::with_seed(1, block_images(60, sigma = 0.05))
  fit_of <- function(...) {
    method <- method_gibbs(chains = 4, iter = 8, warmup = 2, ...)
    quick_fit(images, sigma_x = 0.05, sigma_a = 1, method = method)
  }
  before <- fit_of()
  joint <- before$scalars[, , "log_joint"]
  far <- max(colMeans(joint)) - colMeans(joint) > 2 * sqrt(mean(apply(joint, 2, var)))
  expect_true(any(far) && !all(far))
  regrouped <- function(fit) vapply(fit$chains, `[[`, NA, "regrouped")
  together <- fit_of(max_iter = 16)
  alone <- fit_of(max_iter = 16, regroup = FALSE)
  expect_identical(regrouped(together), far)
  expect_identical(regrouped(alone), logical(4))
  expect_identical(together$scalars[, !far, ], alone$scalars[, !far, ])
  expect_false(any(together$scalars[, far, "log_joint"] == alone$scalars[, far, "log_joint"]))
  best <- which.max(colMeans(joint))
  first <- together$scalars[1, , "log_joint"]
  expect_true(all(abs(first[far] - first[best]) < abs(first[far] - joint[6, far])))
  expect_false(any(first[far] == first[best]))
})

test_that("chains go on alike on any number of cores", {
  expect_identical(brief(cores = 2), brief(cores = 1))
})

test_that("runs that were killed as they went on, or before, go on as if they had not been", {
  images <- withr::with_seed(1, block_images(40))
  method <- method_gibbs(chains = 2, iter = 300, max_iter = 2400, cores = 2)
  # An Rhat above 1.05 whatever the chains do: how long they go on is not the question here.
  local_function("rhat_of", function(values) 2)
  whole <- quick_fit(images, method = method, seed = 3)
  expect_identical(sweeps_of_fit(whole), 2400L)
  file <- withr::local_tempfile(fileext = ".rds")
  call <- list(x = images, method = method, seed = 3, file = file)
  save <- utils::getFromNamespace("write_checkpoint", "buffet")
  for (sweeps in c(100, 300, 450, 600, 1900)) {
    # As if the process had ended once so many sweeps were saved.
    local_function("write_checkpoint", function(file, saved) {
      if (min(sweeps_of(saved)) >= sweeps) stop("killed")
      save(file, saved)
    })
    withr::local_options(buffet.checkpoint_seconds = 0.001)
    expect_error(do.call(fit_gaussian, c(call, verbose = FALSE)), "killed")
    expect_lt(min(sweeps_saved(file)), 2400)
  }
  local_function("write_checkpoint", save)
  expect_identical(do.call(fit_gaussian, c(call, verbose = FALSE)), whole)
  expect_identical(do.call(fit_gaussian, c(call, verbose = FALSE)), whole)
  call$method$max_iter <- 4800L
  expect_error(do.call(fit_gaussian, call), "^`file` must hold a run with the same `max_iter` ")
})

test_that("what happens while chains go on leaves the fit of the sweeps before", {
  local_function("rhat_of", function(values) 2)
  before <- brief(40)
  goes_wrong <- function(change) {
    local_wrapper("advance", function(plain, run, ...) {
      done <- plain(run, ...)
      if (run$method$iter == 80) done$chains[[2]] <- change(done$chains[[2]])
      done
    })
    with_warnings(brief(160))
  }
  parts_of <- function(fit) unclass(fit)[c("scalars", "draws")]
  same <- function(fit) expect_identical(parts_of(fit), parts_of(before))
  stopped <- goes_wrong(function(chain) utils::modifyList(chain, list(sizes = chain$sizes[1:3])))
  same(stopped$value)
  text <- "interrupted while chains that did not agree were extended: the fit is that of 40 sweeps."
  expect_identical(stopped$warned, text)
  failed <- goes_wrong(function(chain) utils::modifyList(chain, list(failure = "no number")))
  same(failed$value)
  expect_identical(
    failed$warned, "chain 2 failed as it was extended (no number): the fit is that of 40 sweeps."
  )
})

test_that("it is told that chains go on, and how far they went", {
  local_function("rhat_of", function(values) 2)
  method <- method_gibbs(chains = 2, iter = 40, max_iter = 160, refresh = 0)
  expect_match(
    format(method), "40 sweeps (20 warm-up), or up to 160 if they do not agree", fixed = TRUE
  )
  said <- capture_messages(fit <- fit_gaussian(x, method = method, seed = 1))
  expect_match(said[1], paste0(
    "^The chains do not agree after 40 sweeps \\([0-9]+ s\\): extending them to 80, and to at most ",  # nolint: line_length_linter.
    "160 \\(up to about [0-9]+ s more\\)\\.\n$"
  ))
  expect_identical(said[-1], "The chains do not agree after 80 sweeps: extending them to 160.\n")
  told <- "2 chains of 160 sweeps (80 warm-up), thin 4"
  expect_match(format(fit), told, fixed = TRUE, all = FALSE)
})

test_that("the time that chains may yet take is that of the sweeps so far, up to the last doubling", {  # nolint: line_length_linter.
  so_far <- function(iter, seconds, sweeps) {
    list(run = list(method = list(iter = iter)), seconds = seconds, sweeps = sweeps)
  }
  ahead <- list(iter = 4000L, max_iter = 20000L, doublings = 1L)
  expect_identical(describe_longer(so_far(2000L, 20, 2000L), ahead), paste(
    "The chains do not agree after 2000 sweeps (20 s): extending them to 4000, and to at most 16000",  # nolint: line_length_linter.
    "(up to about 3 min more)."
  ))
  # Half of the sweeps were made before, by a run that was resumed.
  expect_match(
    describe_longer(so_far(2000L, 20, 1000L), ahead), "(up to about 5 min more)", fixed = TRUE
  )
  ahead$max_iter <- 4000L
  expect_match(
    describe_longer(so_far(2000L, 20, 2000L), ahead), "to 4000 \\(about 20 s more\\)\\.$"
  )
  expect_identical(format_time(c(0.2, 90, 91, 7200)), c("1 s", "2 min", "2 min", "2 h"))
})
