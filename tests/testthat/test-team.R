# Fits by method_meibp() whose rows are on the workers of a cluster are those of one process.

if (.Platform$OS.type != "windows") cl <- start_workers(3)
few <- function(...) method_meibp(4, ...)

#' The fit in this process, which those on so many workers are
expect_same_in_team <- function(x, ..., method = few(), workers = 2:3) {
  skip_on_os("windows")
  alone <- quick_point(x, ..., method = method)
  for (count in workers) {
    fit <- quick_point(x, ..., method = method, cl = cl[seq_len(count)])
    expect_identical(fit, alone, label = paste("the fit on", count, "workers"))
  }
  expect_gt(ncol(features(alone)), 0)
  invisible(alone)
}

small_blocks <- function(x = team_data(40), sizes = c(3, 14, 1, 12, 10), ...) {
  team_blocks(x, sizes, ...)
}

test_that("a fit on one, two or three workers is the fit without any, names included", {
  x <- team_data(9000)
  fit <- expect_same_in_team(x, workers = 1:3)
  expect_identical(dimnames(fitted(fit)), dimnames(x))
})

test_that("more than 20000 rows are searched on workers as in one process", {
  expect_same_in_team(unname(team_data(21000)), method = few(restarts = 2), workers = 3)
})

test_that("a data frame, centred, is shared as it is fitted", {
  expect_same_in_team(as.data.frame(team_data(9000)), center = TRUE, workers = 3)
})

test_that("sparse data are shared as they are fitted", {
  x <- team_data(13000)
  x[x < 0.5] <- 0
  expect_same_in_team(Matrix::Matrix(x, sparse = TRUE), workers = 3)
})

test_that("entries that are missing on one worker and not on another are the same to the fit", {
  x <- team_data(13000)
  x[1:4096, 1] <- NA
  x[9000, ] <- NA
  x[8193 + 0:500, 3] <- NA
  expect_same_in_team(with_holes(x, 100), workers = 3)
})

test_that("blocks of any size are shared among workers, and those that are idle are told of", {
  skip_on_os("windows")
  expect_silent(expect_same_in_team(small_blocks(), workers = 1:3))
  expect_message(
    expect_same_in_team(team_blocks(team_data(40), c(1, 39)), workers = 3),
    "^1 of the 3 workers of `cl` has nothing to do: the rows are 2 blocks, and no block is split\\.\n$"  # nolint: line_length_linter.
  )
  expect_message(
    expect_same_in_team(team_blocks(team_data(40), 40), workers = 3),
    "^2 of the 3 workers of `cl` have nothing to do: the rows are one block, and no block is split\\.\n$"  # nolint: line_length_linter.
  )
  expect_message(
    expect_same_in_team(team_data(40), workers = 2),
    "^1 of the 2 workers of `cl` has nothing to do: the rows are one block, and"
  )
})

test_that("blocks with missing entries, and whole columns of them, are the same on workers", {
  x <- with_holes(team_data(40), 30)
  x[1:17, 2] <- NA
  expect_same_in_team(small_blocks(x))
  x[, 2] <- NA
  expect_same_in_team(small_blocks(x))
})

test_that("sparse blocks, and those of which one is not, are the same on workers", {
  x <- team_data(40)
  x[x < 0.5] <- 0
  sparse <- function(last) {
    read <- function(i) {
      block <- x[i * 10 - 9:0, ]
      if (i > last) block else Matrix::Matrix(block, sparse = TRUE)
    }
    environment(read) <- list2env(list(x = x, last = last), parent = baseenv())
    row_blocks(read, 4)
  }
  for (last in 3:4) expect_same_in_team(sparse(last))
})

test_that("mean-field inference and power EP on workers are those of one process", {
  x <- small_blocks(with_holes(team_data(40), 30))
  soft <- function(...) method_variational(..., max_features = 4)
  for (method in list(soft(), soft("infinite"), method_power_ep(max_features = 3))) {
    fit <- expect_same_in_team(x, method = method)
    expect_identical(dim(fit$probabilities), c(40L, ncol(fit$probabilities)))
  }
  expect_same_in_team(team_data(9000), loadings = "normal", method = soft(), workers = 3)
})

test_that("priors, noise, searches and starts of all kinds are the same on workers", {
  x <- small_blocks()
  init <- matrix(rep(c(1, 0, 0, 1, 1), 16), 40)
  expect_same_in_team(x, sigma_x = 0.3, sigma_a = 2)
  expect_same_in_team(x, sigma_x = gamma_prior(2, 1), prior = prior_ibp(2, 2, 0.2))
  expect_same_in_team(x, prior = prior_beta_bernoulli(3, 1))
  expect_same_in_team(x, init = init)
  expect_same_in_team(x, init = list(features = init, sigma_x = 0.5))
  expect_same_in_team(x, method = few(restarts = 3))
  expect_same_in_team(x, method = few(search = "double_greedy"))
  expect_same_in_team(x, method = few(search = "local", threads = 2, tol = 1e-10))
})

test_that("a cluster of the package parallelly shares rows, too", {
  skip_if_not_installed("parallelly")
  skip_on_cran()
  other <- parallelly::makeClusterPSOCK(2, rscript_libs = .libPaths(), autoStop = TRUE)
  on.exit(stop_workers(other))
  x <- small_blocks()
  expect_identical(quick_point(x, cl = other), quick_point(x))
})

test_that("blocks are read on the workers that have them, those of others are not", {
  log <- withr::local_tempdir()
  tell <- function(i) file.create(file.path(log, paste(i, Sys.getpid())))
  x <- small_blocks(act = tell)
  unlink(list.files(log, full.names = TRUE))
  quick_point(x, method = few(), cl = cl)
  pids <- pids_of(cl)
  # Two blocks, two and one: the middle ends at round(5 * 2 / 3).
  expect_setequal(list.files(log), paste(1:5, rep(pids, c(2, 1, 2))))
})

test_that("nothing is printed but with verbose = TRUE, and nothing breaks with it", {
  skip_on_os("windows")
  x <- small_blocks()
  expect_silent(quick_point(x, method = few(), cl = cl))
  withr::local_options(cli.dynamic = TRUE, cli.progress_show_after = 0)
  shown <- utils::capture.output(type = "message", {
    fit <- fit_gaussian(x, "nonnegative", method = few(), seed = 1, cl = cl)
  })
  expect_identical(fit, quick_point(x, method = few()))
  expect_match(paste(shown, collapse = ""), "step [0-9]+.*features, bound")
})

test_that("a file that was written on workers gives the fit without them, and vice versa", {
  x <- small_blocks()
  for (first in list(cl, NULL)) {
    file <- withr::local_tempfile(fileext = ".rds")
    fit <- quick_point(x, method = few(), file = file, cl = first)
    for (second in list(cl, NULL)) {
      expect_identical(quick_point(x, method = few(), file = file, cl = second), fit)
    }
  }
})

# What is refused, after which the cluster is as good as before.

expect_refused <- function(pattern, x = small_blocks(), ..., method = few(), workers = cl) {
  skip_on_os("windows")
  expect_error(quick_point(x, ..., method = method, cl = workers), pattern)
  expect_listens(cl)
  expect_silent(quick_point(small_blocks(), method = few(), cl = cl))
}

test_that("what is no cluster is refused", {
  x <- small_blocks()
  expect_refusals(\(v) quick_point(x, cl = v), "cl", list(
    NA, 1, "a", list(), TRUE, structure(list(), class = "cluster"), cl[0]
  ))
})

test_that("methods that do not share rows refuse a cluster", {
  expect_refused(
    "^`cl` must be NULL unless .* with the sampler \"parallel\", not a cluster\\.$",
    team_data(40), method = method_gibbs(1, 10, sampler = "slice")
  )
})

test_that("loadings that follow every row need rows one after the other", {
  expect_refused(
    "^`cl` must be NULL unless .*, not a cluster for update = \"row\"\\.$", team_data(40),
    method = few(update = "row")
  )
})

test_that("fits without features are the same, too", {
  skip_on_os("windows")
  x <- matrix(0, 10, 2)
  for (method in list(method_variational(4), method_power_ep(4))) {
    alone <- suppressWarnings(quick_point(x, method = method))
    shared <- suppressWarnings(quick_point(x, method = method, cl = cl[1]))
    expect_length(features(alone), 0)
    expect_identical(shared, alone)
  }
})

test_that("a worker that is given twice is refused", {
  skip_on_os("windows")
  expect_refused(
    "^`cl` must contain each worker once, not one of them twice\\.$", team_data(40),
    workers = cl[c(1, 1)]
  )
})

test_that("a worker without buffet is named", {
  bare <- start_workers(1, environment())
  parallel::clusterCall(bare, function() {
    unloadNamespace("buffet")
    assign(".lib.loc", .Library, envir = environment(.libPaths))
    NULL
  })
  expect_error(
    quick_point(small_blocks(), method = few(), cl = c(cl[1], bare)),
    "^`cl` must be workers with buffet .*, not worker 2, which has none in its library\\.$"
  )
})

test_that("a worker with another version of buffet is named, with both versions", {
  skip_on_os("windows")
  parallel::clusterEvalQ(cl[2], {
    version <- getNamespaceInfo("buffet", "spec")
    assign("spec", replace(version, "version", "0.0.1"), asNamespace("buffet")[[".__NAMESPACE__."]])
  })
  here <- getNamespaceVersion("buffet")
  expect_error(
    quick_point(small_blocks(), method = few(), cl = cl),
    sprintf(
      "^`cl` must be workers with buffet %s, not worker 2, which has buffet 0\\.0\\.1\\.$", here
    )
  )
  parallel::clusterCall(cl[2], function(version) {
    spec <- replace(getNamespaceInfo("buffet", "spec"), "version", version)
    assign("spec", spec, asNamespace("buffet")[[".__NAMESPACE__."]])
  }, unname(here))
  expect_refused("^`x` must ", x = 1)
})

test_that("what fails while a worker reads is told, word for word, with the worker's number", {
  flag <- withr::local_tempfile()
  fails <- function(i) if (i == 3 && file.exists(flag)) stop("Error in disk: no block ", i)
  x <- small_blocks(act = fails)
  file.create(flag)
  expect_refused("^worker 2 failed: `read\\(3\\)` failed: Error in disk: no block 3$", x)
})

test_that("a block that is another on a worker than it was is named by its own number", {
  flag <- withr::local_tempfile()
  read <- function(i) x[i * 10 - 9:0, ] + (i == 4 && file.exists(flag))
  environment(read) <- list2env(list(x = team_data(40), flag = flag), parent = baseenv())
  x <- row_blocks(read, 4)
  file.create(flag)
  expect_refused(
    "^worker 3 failed: `read\\(4\\)` must be the same at every call, not something else\\.$", x
  )
})

test_that("a time for answers that is none is refused before any worker is asked", {
  for (seconds in list(-1, 0.5, NA, "a", Inf)) {
    withr::local_options(buffet.worker_timeout = seconds)
    expect_error(
      quick_point(small_blocks(), method = few(), cl = cl),
      "^`options\\(buffet.worker_timeout = \\)` must [^\n]+\\.$"
    )
    withr::local_options(buffet.worker_timeout = NULL)
    expect_listens(cl)
  }
})

test_that("a worker that takes twice as long as the others is named, once", {
  hurry <- getFromNamespace("pace_reporter", "buffet")(c("1", "4", "7"))
  expect_silent(hurry(c(3, 9, 4)))
  expect_silent(hurry(c(4, 4, 4)))
  expect_message(
    hurry(c(1, 8, 2)), "^worker 4 is slow: it took 21 seconds where the others took 9\\.\n$"
  )
  expect_silent(hurry(c(0, 100, 0)))
  alone <- getFromNamespace("pace_reporter", "buffet")("1")
  expect_silent(alone(100))
})

test_that("connections to workers send at once after a fit, however the cluster was made", {
  skip_if_too_many(2)
  withr::local_options(socketOptions = NULL)
  plain <- parallel::makeCluster(2, port = free_port())
  withr::defer(stop_workers(plain))
  parallel::clusterCall(plain, function(paths) .libPaths(paths), .libPaths())
  port <- port_of(plain[[1]])
  quick_point(small_blocks(), method = few(), cl = plain[1])
  # The first connection has been set by the fit, on both sides; the second is set here.
  expect_identical(no_delay_cpp(port), 0L)
  expect_identical(parallel::clusterCall(plain, no_delay_cpp, port), list(0L, 1L))
})
