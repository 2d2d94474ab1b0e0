# Runs that ended early are resumed by the same call and give the fit of an uninterrupted run.

images <- withr::with_seed(1, sim_images(40))
holes <- with_holes(bare(images), 140, seed = 2)
sparse <- Matrix::Matrix(replace(holes, abs(holes) < 0.7, 0), sparse = TRUE)
plan <- function(iter = 80, warmup = 30, ...) method_gibbs(2, iter, warmup, ...)

#' Makes runs end, as if they were interrupted, once each chain has made a given number of sweeps
local_end_at <- function(sweeps, frame = parent.frame()) {
  local_wrapper("run_sweeps", function(plain, run, plan, watch) {
    plan$iter <- min(plan$iter, sweeps)
    plain(run, plan, watch)
  }, frame)
}

#' Ends a run after some sweeps, or at the first save of a point estimate, and resumes it. The fit
#' must equal the fit of a run without a file.
expect_resumed <- function(fit_of, ends = NULL, whole = fit_of(), label = NULL) {
  file <- withr::local_tempfile(fileext = ".rds")
  for (sweeps in ends) local({
    local_end_at(sweeps)
    try(suppressWarnings(fit_of(file = file)), silent = TRUE)
    expect_true(all(sweeps_saved(file) == sweeps), label = label)
  })
  if (is.null(ends)) local({
    withr::local_options(buffet.checkpoint_seconds = 1e-9)
    local_end_after_save(1)
    expect_error(fit_of(file = file), "killed", label = label)
  })
  half <- tools::md5sum(file)
  expect_identical(fit_of(file = file), whole, label = label)
  finished <- tools::md5sum(file)
  expect_true(half != finished || inherits(whole$method, "method_beam"), label = label)
  # If the run is finished, its file returns the fit.
  expect_identical(fit_of(file = file), whole, label = label)
  expect_identical(tools::md5sum(file), finished)
}

test_that("a resumed run of any kind gives the fit of an uninterrupted run", {
  kinds <- kinds_of_fits()
  for (kind in names(kinds)) {
    fit <- kinds[[kind]]
    call <- c(list(fit$data, seed = 1, verbose = FALSE), fit$args)
    # Starts are not saved.
    whole <- if (kind == "cascade") NULL else fit
    fit_of <- function(...) {
      suppressWarnings(do.call(getExportedValue("buffet", class(fit)[1]), c(call, list(...))))
    }
    sampled <- inherits(fit, "fit_mcmc")
    expect_resumed(fit_of, if (sampled) sized(70, c(10, 70)), whole %||% fit_of(), kind)
  }
})

test_that("runs with every sampler, prior and form of data can be resumed", {
  tree <- prior_pibp(caterpillar(30, paste0("t", 1:30)))
  rows <- `rownames<-`(bare(images)[1:30, ], paste0("t", 1:30))
  learned <- prior_ibp(concentration = gamma_prior(2, 2))
  gaussian <- function(...) function(file = NULL) quick_fit(..., file = file)
  runs <- list(
    search = gaussian(images, method = plan()),
    thinned = gaussian(images, center = TRUE, prior = learned, method = plan(86, 34, thin = 3)),
    power_law = gaussian(images, prior = prior_ibp(discount = 0.2), init = matrix(1, 40, 1),
      method = plan(sampler = "uncollapsed")),
    finite = gaussian(images, prior = prior_beta_bernoulli(6), method = plan(sampler = "slice")),
    nonnegative = gaussian(images, "nonnegative", method = plan(sampler = "slice")),
    holes = gaussian(holes, method = plan()),
    holes_slice = gaussian(holes, method = plan(sampler = "slice")),
    holes_nonnegative = gaussian(holes, "nonnegative", method = plan(sampler = "uncollapsed")),
    sparse = gaussian(sparse, method = plan()),
    column = gaussian(holes, noise = "column", method = plan()),
    limited = gaussian(images, method = plan(max_features = 2)),
    tree = gaussian(rows, prior = tree, method = plan()),
    tree_nonnegative = gaussian(rows, "nonnegative", prior = tree, method = plan()),
    neal = function(file = NULL) {
      quick_logistic((images > 0.5) * 1,
        bias = FALSE, prior = learned, method = plan(sampler = "neal"), file = file
      )
    },
    known = function(file = NULL) {
      quick_logistic((images > 0.5) * 1,
        bias = 1, prior = prior_fixed(diag(40)), method = plan(), file = file
      )
    },
    choice = function(file = NULL) {
      quick_choice(prior = prior_pibp(celebrity_tree), method = plan(thin = 2), file = file)
    },
    topics = function(file = NULL) {
      quick_topics(topic_corpus(), "model", method = plan(moves = 2), file = file)
    },
    cascade = function(file = NULL) quick_cascade(cascade_holes(), method = plan(), file = file)
  )
  quick <- c("search", "power_law", "finite", "holes", "tree", "neal")
  for (name in sized(quick, names(runs))) expect_resumed(runs[[name]], c(1, 50), label = name)
})

test_that("runs with other searches, fixed noise or blocks of rows can be resumed", {
  x <- with_holes(bare(easy_data(200)), 100, seed = 3)
  point <- function(...) function(file = NULL) quick_point(..., file = file)
  expect_resumed(label = "restarts", point(
    x, sigma_x = 1, prior = prior_ibp(2, 2, 0.1),
    method = method_meibp(15, restarts = 2, search = "double_greedy", cores = 2)
  ))
  expect_resumed(point(in_blocks(x, c(50, 200)), method = method_meibp(6)))
})

test_that("the run of a process that was killed can be resumed with any number of cores", {
  file <- withr::local_tempfile(fileext = ".rds")
  method <- method_gibbs(2, 1000, warmup = 400, cores = 1)
  call <- list(x = images, method = method, file = file)
  kill_after(call, 1)
  kill_after(call, 450)
  set.seed(1)
  before <- .Random.seed
  call$method$cores <- 2L
  resumed <- do.call(fit_gaussian, c(call, verbose = FALSE))
  # The seed was drawn in the child and is in the file.
  expect_identical(.Random.seed, before)
  expect_identical(resumed, quick_fit(images, method = method, seed = readRDS(file)$seed))
})

# Files written by other runs.

#' Expects any changed argument to raise an error that names it and to leave the file unchanged
expect_other_runs <- function(fit_of, changes, same = list()) {
  file <- withr::local_tempfile(fileext = ".rds")
  fit <- fit_of(file = file)
  bytes <- tools::md5sum(file)
  for (n in seq_along(changes)) {
    name <- names(changes)[n]
    argument <- changes[[n]]
    if (is.null(names(argument))) argument <- stats::setNames(argument, name)
    expect_error(do.call(fit_of, c(argument, file = file)), sprintf(
      "^`file` contains a run with a different `%s`: give another file, or delete it\\.$", name
    ), label = paste(name, n))
  }
  expect_identical(tools::md5sum(file), bytes)
  for (argument in same) expect_identical(do.call(fit_of, c(argument, file = file)), fit)
}

test_that("a run with other data, model, method or seed is rejected, and the difference is named", {
  x <- bare(images)[1:20, ]
  method <- function(chains = 2, iter = 60, warmup = 30, ...) {
    list(method = method_gibbs(chains, iter, warmup, ...))
  }
  run <- function(x = bare(images)[1:20, ], sigma_x = 0.5, method = method_gibbs(2, 60, 30), ...) {
    quick_fit(x, sigma_x = sigma_x, method = method, ...)
  }
  expect_other_runs(run, list(
    x = list(x + 1), x = list(replace(x, 7, x[7] * (1 + 1e-15))), x = list(replace(x, 7, NA)),
    x = list(x[, 36:1]), x = list(x[1:19, ]), x = list(`rownames<-`(x, letters[1:20])),
    x = list(Matrix::Matrix(x, sparse = TRUE)), center = list(TRUE),
    loadings = list("nonnegative"), noise = list("column"), sigma_x = list(0.6),
    sigma_x = list(gamma_prior(1, 1)), sigma_a = list(gamma_prior(1, 2)),
    prior = list(prior_ibp(1)), prior = list(prior_beta_bernoulli(5)), chains = method(3),
    iter = method(iter = 61), warmup = method(warmup = 31), thin = method(thin = 2),
    sampler = method(sampler = "slice"), max_features = method(max_features = 9),
    init = list(init = matrix(1, 20, 1)), seed = list(2)
  ), list(method(cores = 2), method(refresh = 0)))
})

test_that("files from other models are rejected if their own arguments differ", {
  brief <- method_gibbs(1, 30)
  expect_other_runs(function(y = small_binary(), ...) quick_logistic(y, ..., method = brief), list(
    y = list(1 - small_binary()), bias = list(FALSE), bias = list(gamma_prior(2, 1)),
    sigma_a = list(1), prior = list(prior_ibp(2)), init = list(diag(10)), seed = list(2)
  ), list(list(bias = gamma_prior(1, 1))))
  expect_other_runs(
    function(wins = celebrities, prior = prior_pibp(celebrity_tree), ...) {
      quick_choice(wins, prior = prior, ..., method = brief)
    },
    list(
      wins = list(replace(celebrities, cbind(1, 2), 160)), weights = list(gamma_prior(2, 1)),
      epsilon = list(0.02), prior = list(prior_ibp()), seed = list(2), init = list(diag(9))
    )
  )
  expect_other_runs(function(dtm = topic_corpus(), ...) quick_topics(dtm, ...), list(
    dtm = list(topic_corpus()[, 15:1]), lengths = list("model"), gamma = list(1),
    eta = list(gamma_prior(1, 2)), prior = list(prior_ibp(1)), init = list(init_topics(3)),
    moves = list(method = short_chains(moves = 2))
  ), list(list(method = short_chains(cores = 2))))
  expect_other_runs(function(x = cascade_data(20), ...) quick_cascade(x, ...), list(
    x = list(cascade_data(20)[, 8:1]), range = list(c(0, 9)), init = list(init_cascade(2)),
    prior = list(prior_cascade(1)), prior = list(prior_cascade(max_layers = 5)),
    sampler = list(method = brief_cascade(sampler = "elliptical"))
  ))
  expect_other_runs(function(x = nmf_data(), rank = 2, ...) quick_nmf(x, rank, ...), list(
    x = list(nmf_holes()), rank = list(3), sigma_x = list(1), rate_w = list(2), rate_a = list(2),
    init = list(icm_fit()), tol = list(method = method_icm(tol = 1e-3))
  ), list(list(method = method_icm(cores = 2))))
  meibp <- function(...) list(method = method_meibp(...))
  expect_other_runs(function(x = bare(easy_data()), ...) quick_point(x, ...), list(
    x = list(replace(easy_data(), 7, NA)), x = list(row_blocks(\(i) easy_data(), 1)),
    sigma_x = list(0.2), prior = list(prior_ibp(1)), max_features = meibp(19),
    restarts = meibp(restarts = 2), tol = meibp(tol = 1e-6), search = meibp(search = "local"),
    seed = list(2)
  ), list(meibp(cores = 2)))
})

test_that("errors name the argument in which runs differ", {
  frame <- mixed_frame(12)
  method <- function(...) list(method = method_gibbs(1, ...))
  run <- function(data = frame, bias = FALSE, method = method_gibbs(1, 8), ...) {
    suppressMessages(quick_mixed(data, bias = bias, ..., method = method))
  }
  expect_other_runs(run, list(
    data = list(frame[-1, ]), families = list(c(size = "lognormal")), bias = list(TRUE),
    sigma_w = list(1), prior = list(prior_ibp(1)), iter = method(9)
  ))
  # `iter` and `thin` determine whether a run may be extended and thinned.
  key <- c(model = "a", max_iter = "b", thins = "c", version = "d", object = rlang::hash(NULL))
  run <- list(key = key, model = structure(list(), class = "gaussian_model"))
  refused <- function(changed) check_same_run(list(key = replace(key, changed, "e")), run)
  expect_error(refused(c("max_iter", "thins")), "with a different `iter`: ")
  expect_error(refused("max_iter"), "with a different `max_iter`: ")
  expect_error(refused("thins"), "with a different `thin`: ")
})

test_that("a file from another function or with another method is rejected", {
  file <- withr::local_tempfile(fileext = ".rds")
  x <- small_binary()
  quick_fit(x, "nonnegative", method = method_gibbs(1, 10), file = file)
  expect_error(
    quick_logistic(x, file = file),
    "^`file` contains a run of another model, not of fit_logistic\\(\\): "
  )
  expect_error(quick_point(x, file = file), "^`file` contains a run with a different `method`: ")
})

test_that("`center` is compared by value, and a different `scale` is reported instead of it", {
  run <- function(...) quick_fit(small_data(), ..., method = method_gibbs(1, 20))
  scaled <- function(...) run(scale = TRUE, ...)
  expect_other_runs(scaled, list(center = list(FALSE)))
  expect_other_runs(run, list(scale = list(TRUE)))
  file <- withr::local_tempfile(fileext = ".rds")
  fit <- scaled(file = file)
  expect_identical(scaled(center = TRUE, file = file)$draws, fit$draws)
})
