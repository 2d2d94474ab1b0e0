# Warm-ups in which chains do not agree are doubled. The reported draws are made afterwards.

x <- withr::with_seed(1, matrix(rnorm(60), 12))

#' Chains that are so short that most of them do not agree
brief <- function(max_iter = 640, ...) {
  quick_fit(x, method = method_gibbs(chains = 2, iter = 40, max_iter = max_iter, ...))
}
sweeps_of_fit <- function(fit) fit$method$iter

test_that("the decision to extend a run does not select among draws", {
  skip_if_quick()
  # Chains rarely visit a third feature, but then keep it for long. When chains were extended until
  # the reported draws agreed, the mean of P(K = 3) was 16 standard errors too low.
  rows <- c(0.98, 0.95, 2.15, 2.16, 3.3, 3.34)
  shares <- vapply(seq_len(sized(40, 80)), function(seed) {
    fit <- suppressWarnings(fit_gaussian(matrix(rows),
      sigma_x = 0.07, sigma_a = 3, prior = prior_beta_bernoulli(3, 0.1), center = FALSE,
      method = method_gibbs(iter = 50, max_iter = 6400), seed = seed, verbose = FALSE
    ), classes = "buffet_rhat_warning")
    mean(fit$internal$scalars[, , "n_features"] == 3)
  }, 0)
  exact <- exact_counts(rows, 0.07, 3, 0.1)[4]
  expect_lt(abs(mean(shares) - exact), 4 * sd(shares) / sqrt(length(shares)))
  # This must be true whatever the standard error is.
  expect_lt(abs(mean(shares) - exact), 0.5 * exact)
})

#' True if the chains agree in the last two fifths of a warm-up with this number of sweeps, computed
#' from all sweeps of a run
agrees_after <- function(whole, warmup, thin) {
  from <- warmup %/% 5 * 3
  recorded <- seq_len(warmup)[seq_len(warmup) > from & seq_len(warmup) %% thin == 0]
  late <- whole$internal$scalars[recorded, , scalar_names(whole), drop = FALSE]
  if (length(recorded) < 4) return(FALSE)
  rhats <- apply(late, 3, function(values) posterior::rhat(values))
  ess <- suppressWarnings(apply(late, 3, function(values) posterior::ess_bulk(values)))
  all(rhats <= 1.1, ess >= 0.025 * length(recorded) * ncol(late), na.rm = TRUE)
}

test_that("runs are doubled until chains agree in the warm-up, whatever the saved draws are", {
  ends <- NULL
  for (seed in 1:6) {
    # The search and the restart of stuck chains depend on the length of the warm-up, so both are
    # off.
    fit_of <- function(...) {
      quick_fit(x, method = method_gibbs(2, ...), init = matrix(1, 12, 1), seed = seed)
    }
    thin <- seed %% 3 + 1
    fit <- fit_of(iter = 80, thin = thin, max_iter = 1280)
    end <- sweeps_of_fit(fit)
    times <- 2^(0:4)
    whole <- fit_of(iter = 1280, warmup = 0)
    agree <- vapply(times, function(n) agrees_after(whole, 40 * n, thin * n), NA)
    # Agreement is not checked at the last length.
    expect_identical(end, as.integer(80 * times[match(TRUE, agree[1:4], 5)]))
    recorded <- seq(thin * end / 80, end, thin * end / 80)
    kept <- recorded[recorded > end / 2]
    early <- recorded[recorded <= end / 2]
    expect_identical(fit$internal$scalars, whole$internal$scalars[kept, , ])
    expect_identical(fit$internal$warmup_scalars, whole$internal$scalars[early, , ])
    expect_identical(fit$feature_draws, whole$feature_draws[c(kept, 1280 + kept)])
    ends <- c(ends, end)
    fit$method$max_iter <- end
    expect_identical(update(fit, iter = end, verbose = FALSE), fit)
  }
  expect_gt(length(unique(ends)), 1)
  expect_identical(sweeps_of_fit(brief(79)), 40L)
})

test_that("runs are extended only if `max_iter` or the default length permits it", {
  given <- quick_fit(x, method = method_gibbs(2, iter = 40), seed = 2)
  expect_false(is.null(disagreement(given)))
  expect_identical(sweeps_of_fit(given), 40L)
  # A single chain is never extended.
  one <- quick_fit(x, method = method_gibbs(1, iter = 40, max_iter = 640))
  expect_identical(sweeps_of_fit(one), 40L)
  lengths <- function(rows, columns) {
    unlist(choose_length(method_gibbs(), length_for(rows * columns))[c("iter", "max_iter")])
  }
  expect_identical(lengths(10, 10), c(iter = 20000L, max_iter = 160000L))
  expect_identical(lengths(1000, 100), c(iter = 2000L, max_iter = 16000L))
  expect_identical(lengths(1001, 100), c(iter = 2000L, max_iter = 2000L))
  # Without a warm-up, there are no draws from which to decide.
  bare <- choose_length(method_gibbs(warmup = 0), length_for(length(x)))
  expect_identical(bare$max_iter, bare$iter)
  expect_error(method_gibbs(iter = 40, warmup = 0, max_iter = 80), "^`warmup` must be at least 1 ")
})

test_that("a run is doubled while a scalar's effective draws are below 2.5 % of its draws", {
  local_function("rhat_of", function(values) 1)
  for (share in c(0.02, 0.03)) {
    local_function("scalar_ess", function(fit) {
      c(alpha = NA, log_joint = share * prod(dim(fit$internal$scalars)[1:2]))
    })
    # After 20 sweeps of warm-up, there are too few draws for a decision.
    expect_identical(sweeps_of_fit(brief(640)), if (share < 0.025) 640L else 80L)
  }
})

test_that("a run is extended only if it will then end within `max_time`", {
  local_function("rhat_of", function(values) 2)
  # A clock on which every sweep of a chain takes one second.
  swept <- 0
  local_wrapper("run_sweeps", function(plain, run, plan, watch) {
    before <- min(sweeps_of_chains(lapply(plan$states, function(state) list(state = state))))
    swept <<- swept + plan$iter - before
    plain(run, plan, watch)
  })
  local_function("processor_time", function(took) swept)
  run <- function(max_time, file = NULL) {
    swept <<- 0
    method <- method_gibbs(2, iter = 40, max_iter = 640, max_time = max_time)
    quick_fit(x, method = method, init = matrix(1, 12, 1), file = file)
  }
  # The warm-ups have 20, 40 and 80 sweeps, in runs of 40, 80 and 160 sweeps.
  expect_identical(vapply(c(79, 80, 159, 160, 320), \(most) sweeps_of_fit(run(most)), 1L),
    c(40L, 80L, 80L, 160L, 320L)
  )
  expect_identical(
    run(79)[c("draws", "feature_draws")],
    quick_fit(x, method = method_gibbs(2, iter = 40), init = matrix(1, 12, 1))[
      c("draws", "feature_draws")
    ]
  )
  said <- capture_messages(
    fit_gaussian(x, method = method_gibbs(2, iter = 40, max_iter = 80, max_time = 79), seed = 1)
  )
  expect_identical(said[1], paste0(
    "The chains have not settled after 20 sweeps of warm-up: ",
    "extending it would exceed `max_time`.\n"
  ))
  limit <- function(...) choose_length(method_gibbs(...), length_for(length(x)))$max_time
  expect_identical(c(limit(), limit(max_time = Inf), limit(max_time = 5)), c(60, Inf, 5))
  expect_identical(c(limit(max_iter = 1e6), limit(iter = 40)), c(Inf, Inf))
})

test_that("runs that were extended can be continued, saved and resumed", {
  local_function("rhat_of", function(values) 2)
  fit <- brief(160)
  longer <- update(fit, iter = 400, verbose = FALSE)
  expect_identical(dim(longer$internal$scalars)[1], (400L - 80L) %/% 4L)
  file <- withr::local_tempfile(fileext = ".rds")
  for (n in 1:3) expect_identical(update(fit, iter = 400, file = file, verbose = FALSE), longer)
  best <- update(best_chain(fit), iter = 400, verbose = FALSE)
  expect_identical(dim(best$internal$scalars)[1:2], c(80L, 1L))
})

test_that("chains save as many draws as before, however long their warm-up is", {
  local_function("rhat_of", function(values) 2)
  for (warmup in c(1, 13, 36)) {
    fit <- brief(160, warmup = warmup)
    expect_identical(dim(fit$internal$scalars)[1], 40L - as.integer(warmup))
    expect_identical(unlist(fit$method[c("iter", "warmup", "thin")], use.names = FALSE),
      as.integer(4 * c(40, warmup, 1))
    )
    one <- brief(160, warmup = warmup, cores = 2)
    expect_identical(one, fit)
  }
})

test_that("runs that are killed at any point are resumed as if they had not been interrupted", {
  images <- withr::with_seed(1, sim_images(40))
  method <- method_gibbs(chains = 2, iter = 300, max_iter = 2400, cores = 2)
  # This test is not about the number of extensions, so Rhat is always above 1.05.
  local_function("rhat_of", function(values) 2)
  whole <- quick_fit(images, method = method, seed = 3)
  expect_identical(sweeps_of_fit(whole), 2400L)
  file <- withr::local_tempfile(fileext = ".rds")
  call <- list(x = images, method = method, seed = 3, file = file)
  save <- utils::getFromNamespace("write_checkpoint", "buffet")
  for (sweeps in c(100, 150, 300, 1100)) {
    # The process appears to end as soon as these sweeps are saved.
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
  expect_error(do.call(fit_gaussian, call), "^`file` contains a run with a different `max_iter`: ")
})

#' Ends the warm-up with this number of sweeps at sweep `at`, as an interrupt would
local_cut <- function(warmup, at, env = parent.frame()) {
  local_wrapper("run_sweeps", function(plain, run, plan, watch) {
    if (plan$iter == warmup) plan$iter <- at
    plain(run, plan, watch)
  }, env)
}

test_that("a fit interrupted during warm-up has the last draws of the warm-up", {
  local_function("rhat_of", function(values) 2)
  whole <- quick_fit(x, method = method_gibbs(2, iter = 200, warmup = 1), init = matrix(1, 12, 1))
  cut_at <- function(warmup, at, file = NULL) {
    local_cut(warmup, at)
    method <- method_gibbs(2, iter = 100, max_iter = 400)
    with_warnings(quick_fit(x, method = method, init = matrix(1, 12, 1), file = file))
  }
  told <- function(from, to) {
    sprintf("interrupted in the warm-up: the fit has the draws of its sweeps %d to %d", from, to)
  }
  first <- cut_at(50, 41)
  expect_identical(first$warned, paste0(told(31, 41), "."))
  expect_identical(first$value$internal$scalars, whole$internal$scalars[30:40, , ])
  expect_match(format(first$value), "^Interrupted after 41 of 100 sweeps", all = FALSE)
  # The next warm-up has no draws yet, so the draws are from the previous warm-up.
  second <- cut_at(100, 60)
  expect_identical(second$warned[1], paste0(told(31, 50), "."))
  expect_identical(second$value$internal$scalars, whole$internal$scalars[30:49, , ])
  expect_match(format(second$value), "^Interrupted after 50 of 200 sweeps", all = FALSE)
  file <- withr::local_tempfile(fileext = ".rds")
  third <- cut_at(100, 81, file)
  expect_identical(third$warned, paste0(told(61, 80), how_to_resume(file), "."))
  expect_identical(third$value$internal$scalars, whole$internal$scalars[2 * (31:40) - 1, , ])
  method <- method_gibbs(2, iter = 100, max_iter = 400)
  resumed <- function(file) quick_fit(x, method = method, init = matrix(1, 12, 1), file = file)
  expect_identical(resumed(file), resumed(NULL))
  expect_error(cut_at(50, 20), "^interrupted before any draw was saved")
})

test_that("a message reports an extension, and print() reports the new length", {
  local_function("rhat_of", function(values) 2)
  method <- method_gibbs(chains = 2, iter = 40, max_iter = 160, refresh = 0)
  expect_match(
    format(method), "40 sweeps (20 warm-up), extended to at most 160 if the chains do not agree",
    fixed = TRUE
  )
  said <- capture_messages(fit <- fit_gaussian(x, method = method, seed = 1))
  expect_identical(sub("about [0-9]+ s", "about n s", said), paste0(
    "The chains have not settled after ", c(20, 40), " sweeps of warm-up: extending it to ",
    c("40 of 80", "80 of 160"), " sweeps (about n s more).\n"
  ))
  told <- "2 chains of 160 sweeps (80 warm-up), thin 4"
  expect_match(format(fit), told, fixed = TRUE, all = FALSE)
})

# Failed chains, as reported by the core.

fit_of <- function(failures) {
  core <- function(run, plan, watch) {
    chains <- run_sweeps(run, plan, watch)
    Map(function(chain, failure) {
      if (nzchar(failure)) chain$state <- raw()
      chain$failure <- failure
      chain
    }, chains, failures)
  }
  whole <- quick_fit(small_data(), method = method_gibbs(chains = 3, iter = 60))
  starts <- check_starts(whole$internal$model, NULL, whole$method)
  run <- new_run(whole$method, whole$internal$model, starts, list(seed = 1L, search = TRUE))
  new_fit_mcmc(run_to_end(run, core, verbose = FALSE), run)
}

test_that("a chain that failed is named and left out, and the other chains are kept", {
  whole <- quick_fit(small_data(), method = method_gibbs(chains = 3, iter = 60))
  out <- with_warnings(fit_of(c("", "no number came out.", "")))
  expect_identical(
    out$warned, "chain 2 failed and is left out of the fit: no number came out."
  )
  fit <- out$value
  expect_match(format(fit$method), ": 2 chains of 60 sweeps")
  draws <- as_draws_array(fit)
  others <- unclass(as_draws_array(whole))[, c(1, 3), ]
  expect_identical(unclass(draws)[], others, ignore_attr = TRUE)
  expect_identical(as.list(feature_draws(fit)), as.list(feature_draws(whole))[c(1:30, 61:90)])
  expect_usable(fit)
  # The fit can be extended without the failed chain.
  longer <- update(fit, iter = 90, verbose = FALSE)
  others <- update(whole, iter = 90, verbose = FALSE)
  expect_identical(
    unclass(as_draws_array(longer))[], unclass(as_draws_array(others))[, c(1, 3), ],
    ignore_attr = TRUE
  )
})

test_that("chains without draws are left out with a warning and are not counted", {
  whole <- quick_fit(small_data(), method = method_gibbs(chains = 3, iter = 60))
  chains <- continued_chains(whole)
  for (c in 2:3) chains[[c]][c("sizes", "bits")] <- list(integer(), raw())
  fit_without <- function(lost, file = NULL) {
    run <- list(chains = chains[c(1, lost)], seed = 1L, file = file)
    with_warnings(new_fit_mcmc(run, list(model = whole$internal$model, method = whole$method)))
  }
  one <- fit_without(2, "run")
  expect_identical(one$warned, paste0(
    "interrupted before any draw of 1 of 2 chains was saved: the fit does not include it; ",
    "the same call with the same `file` resumes the run."
  ))
  expect_match(format(one$value$method), ": 1 chain of 60 sweeps")
  expect_match(
    fit_without(2:3)$warned, "^interrupted .* 2 of 3 chains .* does not include them\\.$"
  )
})

test_that("two failed chains give two warnings, and if all fail, an error is raised", {
  out <- with_warnings(fit_of(c("one.", "", "three.")))
  expect_match(out$warned, "^chain (1|3) failed and is left out of the fit: (one|three)\\.$")
  expect_length(out$warned, 2)
  expect_error(fit_of(c("one.", "two.", "three.")), "^one\\.$")
})

test_that("large fits with the default length agree with runs with a larger `thin`", {
  local_function("length_for", function(entries) list(times = 1L, most = 1L))
  local_function("draws_limit", list(bytes = 5e4, least = 300))
  parts <- function(fit) {
    fit$method[c("thins", "max_time")] <- NULL
    drawn(fit)
  }
  makers <- list(
    function(method) fit_factor(x, method = method, seed = 4, verbose = FALSE),
    function(method) fit_mixed(iris[1:8, 3:5], method = method, seed = 4, verbose = FALSE),
    function(method) fit_gaussian(x, method = method, seed = 4, verbose = FALSE),
    function(method) fit_topics(topic_corpus(), method = method, seed = 4, verbose = FALSE)
  )
  thins <- vapply(makers, function(make) {
    chosen <- suppressWarnings(make(method_gibbs(2)))
    thin <- chosen$method$thin
    given <- suppressWarnings(make(method_gibbs(2, iter = 2000, thin = thin)))
    expect_identical(parts(chosen), parts(given))
    expect_gte(length(chosen$feature_draws), 300)
    longer <- lapply(list(chosen, given), update, iter = 2400, verbose = FALSE)
    expect_identical(parts(longer[[1]]), parts(longer[[2]]))
    thin
  }, 1L)
  expect_true(all(thins <= 6))
  expect_gt(sum(thins > 1), 2)
})
