# Runs that are killed and taken up again, from the file that they were saved in.

images <- withr::with_seed(1, block_images(40))
holes <- withr::with_seed(2, replace(unclass(images), sample(length(images), 140), NA))
attributes(holes) <- attributes(images)["dim"]
sparse <- Matrix::Matrix(replace(holes, abs(holes) < 0.7, 0), sparse = TRUE)

plan_of <- function(sampler = NULL, ...) {
  arguments <- utils::modifyList(list(chains = 2, iter = 1000, warmup = 400, cores = 2), list(...))
  do.call(method_gibbs, c(arguments, list(sampler = sampler)))
}

#' The numbers of draws that the chains of a call add to those that they had
draws_added <- function(code) {
  added <- NULL
  local_wrapper("join_chains", function(plain, old, new) {
    added <<- new
    plain(old, new)
  })
  force(code)
  vapply(added, function(chain) length(chain$sizes), 1L)
}

#' Killed in the search of the warm-up and among the draws, then taken up: the fit is the same as
#' that of a run that nothing happened to
expect_resumed <- function(x, ..., first = 1, second = 500,
                           kills = sized(second, c(first, second))) {
  file <- withr::local_tempfile(fileext = ".rds")
  call <- list(x = x, ..., seed = 3, file = file)
  for (sweeps in kills) kill_after(call, sweeps)
  resumed <- do.call(fit_gaussian, c(call, verbose = FALSE))
  whole <- quick_fit(x, ..., seed = 3)
  expect_identical(resumed, whole)
  # The file of a finished run gives the fit, without another draw.
  expect_true(all(draws_added(again <- do.call(fit_gaussian, c(call, verbose = FALSE))) == 0))
  expect_identical(again, whole)
}

test_that("runs that were killed go on as if they had not been: collapsed", {
  expect_resumed(images, method = plan_of(), kills = c(1, 500))
})

test_that("runs that were killed go on: on one core, thinned, centred, a learned concentration", {
  expect_resumed(
    images, center = TRUE, prior = prior_ibp(concentration = gamma_prior(2, 2)),
    method = plan_of(cores = 1, thin = 3, iter = 3000), first = 320
  )
})

test_that("runs that were killed go on: uncollapsed, a power law, no search", {
  prior <- prior_ibp(discount = 0.2)
  method <- plan_of("uncollapsed", warmup = 100)
  expect_resumed(
    images, prior = prior, method = method, init = matrix(1, 40, 1), kills = sized(50, c(50, 500))
  )
})

test_that("runs that were killed go on: slice, the finite model", {
  expect_resumed(images, prior = prior_beta_bernoulli(6), method = plan_of("slice"))
})

test_that("runs that were killed go on: nonnegative loadings", {
  for (sampler in sized("slice", c("uncollapsed", "slice"))) {
    expect_resumed(images, loadings = "nonnegative", method = plan_of(sampler), first = 200)
  }
})

test_that("runs that were killed go on: missing entries", {
  expect_resumed(holes, method = plan_of())
  expect_resumed(
    holes, loadings = "nonnegative", method = plan_of("uncollapsed"), first = 100, second = 345
  )
})

test_that("runs that were killed go on: missing entries, slice, on one core", {
  skip_if_quick()
  expect_resumed(holes, method = plan_of("slice", cores = 1))
})

test_that("runs that were killed go on: sparse data, with missing entries", {
  if (!is_quick()) expect_resumed(sparse, method = plan_of("uncollapsed"))
  expect_resumed(sparse, method = plan_of(chains = 3, warmup = 60), first = 58)
})

test_that("without a seed the run goes on with the seed in its file, and draws none", {
  file <- withr::local_tempfile(fileext = ".rds")
  call <- list(x = images, method = plan_of(), file = file)
  kill_after(call, 100)
  set.seed(1)
  before <- .Random.seed
  resumed <- do.call(fit_gaussian, c(call, verbose = FALSE))
  expect_identical(.Random.seed, before)
  expect_identical(resumed, quick_fit(images, method = plan_of(), seed = readRDS(file)$seed))
})

test_that("a run can be resumed on another number of cores", {
  file <- withr::local_tempfile(fileext = ".rds")
  call <- list(x = images, method = plan_of(cores = 1), seed = 1, file = file)
  kill_after(call, 450)
  call$method <- plan_of(cores = 2)
  expect_identical(do.call(fit_gaussian, c(call, verbose = FALSE)),
    quick_fit(images, method = plan_of(cores = 2))
  )
})

test_that("the file can be read at any time while it is written", {
  file <- withr::local_tempfile(fileext = ".rds")
  child <- start_child(list(x = images, method = plan_of(iter = 1e6), file = file), seconds = 0.001)
  on.exit(child$kill())
  wait_until(function() file.exists(file))
  reads <- 0
  seen <- -1
  # As long as it takes: a minute on a machine that has other work.
  until <- Sys.time() + 60
  while ((reads <= 20 || min(seen) <= 100) && Sys.time() < until) {
    saved <- readRDS(file)
    reads <- reads + 1
    done <- sweeps_saved(file)
    expect_gte(min(done - seen), 0)
    seen <- done
    scalars <- vapply(saved$chains, function(chain) ncol(chain$scalars), 1L)
    sizes <- vapply(saved$chains, function(chain) length(chain$sizes), 1L)
    bits <- vapply(saved$chains, function(chain) length(chain$bits), 1L)
    ones <- vapply(saved$chains, function(chain) sum(chain$sizes), 1L)
    expect_identical(bits, 8L * ones)
    expect_true(all(sizes <= scalars))
  }
  expect_gt(reads, 20)
  expect_gt(min(seen), 100)
})

# Refusals.

kept <- function(file, ..., x = images[1:20, ], sigma_x = 0.5, seed = 1) {
  method <- utils::modifyList(list(chains = 2, iter = 60, warmup = 30), list(...)$plan %||% list())
  arguments <- utils::modifyList(list(
    x = x, sigma_x = sigma_x, method = do.call(method_gibbs, method), seed = seed, file = file,
    verbose = FALSE
  ), list(...)[setdiff(...names(), "plan")])
  do.call(fit_gaussian, arguments)
}

test_that("a file of a run of something else is refused, naming what differs", {
  file <- withr::local_tempfile(fileext = ".rds")
  fit <- kept(file)
  bytes <- readBin(file, "raw", 1e7)
  x <- images[1:20, ]
  cases <- list(
    x = list(x = x + 1), x = list(x = replace(x, 7, x[7] * (1 + 1e-15))),
    x = list(x = replace(x, 7, NA)), x = list(x = x[, 36:1]), x = list(x = x[1:19, ]),
    x = list(x = structure(x, dimnames = list(letters[1:20], NULL))),
    x = list(x = Matrix::Matrix(x, sparse = TRUE)),
    center = list(center = TRUE), loadings = list(loadings = "nonnegative"),
    sigma_x = list(sigma_x = 0.6), sigma_x = list(sigma_x = gamma_prior(1, 1)),
    sigma_a = list(sigma_a = gamma_prior(1, 2)), prior = list(prior = prior_ibp(1)),
    prior = list(prior = prior_beta_bernoulli(5)), chains = list(plan = list(chains = 3)),
    iter = list(plan = list(iter = 61)), warmup = list(plan = list(warmup = 31)),
    thin = list(plan = list(thin = 2)), sampler = list(plan = list(sampler = "slice")),
    init = list(init = matrix(1, 20, 1)), seed = list(seed = 2)
  )
  for (case in seq_along(cases)) {
    name <- names(cases)[case]
    expect_error(do.call(kept, c(file, cases[[case]])), sprintf(
      "^`file` must hold a run with the same `%s` [^\n]*, not one with another\\.$", name
    ), label = paste(name, case))
  }
  expect_identical(readBin(file, "raw", 1e7), bytes)
  expect_identical(kept(file), fit)
  # What the fit does not depend on may differ.
  for (plan in list(list(cores = 2), list(refresh = 0), list(sampler = "collapsed"))) {
    expect_identical(scalars_of(kept(file, plan = plan)), scalars_of(fit))
  }
})

test_that("a file that is no run is refused and stays as it is", {
  file <- withr::local_tempfile(fileext = ".rds")
  whole <- kept(file)
  bytes <- readBin(file, "raw", 1e7)
  cases <- list(
    text = function() writeLines("some text", file), empty = function() file.create(file),
    number = function() saveRDS(1, file), fit = function() saveRDS(whole, file),
    half = function() writeBin(bytes[seq_len(length(bytes) %/% 2)], file),
    damaged = function() writeBin(replace(bytes, 30:40, as.raw(255)), file),
    class = function() saveRDS(structure(list(), class = "buffet_checkpoint"), file)
  )
  for (case in names(cases)) {
    unlink(file)
    cases[[case]]()
    before <- tools::md5sum(file)
    expect_error(kept(file), "^`file` must [^\n]+, not [^\n]+\\.$", label = case)
    expect_identical(tools::md5sum(file), before)
  }
})

test_that("what is no path of a file is refused", {
  directory <- withr::local_tempdir()
  expect_refusals(kept, "file", list(
    NA, NA_character_, 1, TRUE, c("a", "b"), character(0), "", list("a"), sum, factor("a"),
    directory, file.path(directory, "none", "file"), "/", file.path(directory, strrep("a", 300))
  ))
})

test_that("a path in the home or working directory is a file", {
  directory <- withr::local_tempdir()
  withr::local_dir(directory)
  kept("run.rds")
  expect_identical(list.files(directory), "run.rds")
  withr::local_envvar(HOME = directory)
  skip_if(path.expand("~") != directory)
  kept("~/other.rds")
  expect_setequal(list.files(directory), c("run.rds", "other.rds"))
})

test_that("a file that does not end in .rds gets this ending, and is resumed by either name", {
  directory <- withr::local_tempdir()
  whole <- kept(file.path(directory, "run"))
  expect_identical(list.files(directory), "run.rds")
  # Without a seed the fit is that of the file's.
  for (name in c("run", "run.rds")) {
    expect_identical(kept(file.path(directory, name), seed = NULL), whole)
  }
  expect_identical(list.files(directory), "run.rds")
})

test_that("a file that ends in .rds keeps its name, and others than .rds are no ending", {
  directory <- withr::local_tempdir()
  for (name in c("a.rds", "b.RDS", "c.Rds", "d.csv", "e.rds.gz", "rds")) {
    kept(file.path(directory, name))
  }
  names <- c("a.rds", "b.RDS", "c.Rds", "d.csv.rds", "e.rds.gz.rds", "rds.rds")
  expect_setequal(list.files(directory), names)
})

test_that("a run that cannot be saved goes on to its end, with one warning", {
  directory <- withr::local_tempdir()
  file <- file.path(directory, "run.rds")
  withr::local_options(buffet.checkpoint_seconds = 0.001)
  local_wrapper("new_store", function(plain, ...) {
    unlink(directory, recursive = TRUE)
    plain(...)
  })
  out <- with_warnings(kept(file, plan = list(iter = 2000)))
  expect_match(out$warned, "^the run could not be saved: .+")
  expect_identical(
    out$value, quick_fit(images[1:20, ], sigma_x = 0.5, method = method_gibbs(2, 2000, 30))
  )
})

test_that("a full disk leaves what was saved before as it was", {
  skip_if_not(file.exists("/dev/full"))
  file <- file.path(withr::local_tempdir(), "run.rds")
  method <- plan_of(iter = 4000)
  kill_after(list(x = images, method = method, seed = 1, file = file), 450)
  bytes <- readBin(file, "raw", 1e7)
  local_function("name_beside", function(file) {
    link <- paste0(file, ".full")
    file.symlink("/dev/full", link)
    link
  })
  out <- with_warnings(
    fit_gaussian(images, method = method, seed = 1, file = file, verbose = FALSE)
  )
  expect_match(out$warned, "^the run could not be saved: .+")
  expect_identical(out$value, quick_fit(images, method = method))
  expect_identical(readBin(file, "raw", 1e7), bytes)
  expect_false("run.rds.full" %in% list.files(dirname(file)))
})

test_that("how often a run is saved must be one positive number of seconds", {
  file <- withr::local_tempfile(fileext = ".rds")
  expect_refusals(function(v) {
    withr::local_options(buffet.checkpoint_seconds = v)
    kept(file)
  }, "options\\(buffet.checkpoint_seconds = \\)", not_positive[-1])
  expect_false(file.exists(file))
})

test_that("an interrupted run whose directory is gone is not said to go on", {
  directory <- withr::local_tempdir()
  file <- file.path(directory, "run.rds")
  child <- start_child(list(x = images, method = plan_of(iter = 1e6), file = file))
  wait_for_sweeps(child, file, 450)
  # A file that is saved meanwhile would keep the directory.
  gone <- function() unlink(directory, recursive = TRUE) == 0 && !dir.exists(directory)
  result <- interrupt_when(child, gone)
  expect_match(result$warned[1], "^the run could not be saved: ")
  expect_match(result$warned[2], "^interrupted: the fit has [0-9]+ of 999600 draws per chain\\.$")
  expect_s3_class(result$fit, "fit_gaussian")
})

test_that("a saved run says what it is", {
  file <- withr::local_tempfile(fileext = ".rds")
  kept(file)
  shown <- capture.output(print(readRDS(file)))
  expect_match(shown[1], "A run of buffet with 30, 30 draws kept", fixed = TRUE)
})

test_that("runs that were killed go on: noise of each column; with another the file is refused", {
  expect_resumed(holes, noise = "column", method = plan_of(iter = 2000))
  file <- withr::local_tempfile(fileext = ".rds")
  quick_fit(images, noise = "column", method = plan_of(iter = 20, warmup = 10), file = file)
  expect_error(
    quick_fit(images, method = plan_of("uncollapsed", iter = 20, warmup = 10), file = file),
    "the same `noise`"
  )
})
