# Fits whose rows are divided among workers of a cluster must equal fits in one process.

skip_on_os("windows")
cl <- start_workers(2)
few <- function(...) method_meibp(4, ...)
soft <- function(...) method_variational(..., max_features = 4)
shared_chains <- function(iter = 30, ...) method_gibbs(2, iter, sampler = "parallel", ...)
quick_shared <- function(x, loadings = "nonnegative", method = few(), ...) {
  suppressWarnings(fit_gaussian(x, loadings, method = method, seed = 4, verbose = FALSE, ...))
}
small_blocks <- function(x = shared_data(40), sizes = c(3, 14, 1, 12, 10), ...) {
  blocks_of(x, sizes, ...)
}

#' Expects fits on these numbers of workers to equal the fit in the current process
expect_same <- function(x, ..., workers = 2) {
  alone <- quick_shared(x, ...)
  for (count in workers) {
    fit <- quick_shared(x, ..., cl = cl[seq_len(count)])
    expect_identical(fit, alone, label = paste("the fit on", count, "workers"))
  }
  expect_gt(ncol(features(alone)), 0)
  invisible(alone)
}

test_that("every method gives the same fit, with the same names, on no, one or two workers", {
  x <- shared_data(sized(4500, 9000))
  holes <- with_holes(shared_data(40), 30)
  holes[1:17, 2] <- NA
  fit <- expect_same(x, workers = sized(2, 1:2))
  expect_identical(dimnames(fitted(fit)), dimnames(x))
  expect_same(small_blocks(holes), workers = 1:2)
  for (method in list(soft(), soft("infinite"), method_power_ep(max_features = 3))) {
    fit <- expect_same(small_blocks(holes), method = method)
    expect_identical(dim(fit$internal$probabilities), c(40L, ncol(fit$internal$probabilities)))
  }
  for (loadings in c("normal", "nonnegative")) {
    if (!is_quick()) expect_same(with_holes(x, 500), loadings, shared_chains(20))
    expect_same(small_blocks(holes), loadings, shared_chains(), workers = sized(2, 1:2))
  }
})

test_that("sparse data, data frames, priors and starts can be used on a cluster", {
  x <- shared_data(sized(4500, 9000))
  expect_same(as.data.frame(x), "normal", shared_chains(10), center = TRUE)
  x[x < 0.5] <- 0
  expect_same(Matrix::Matrix(x, sparse = TRUE), method = shared_chains(10))
  init <- matrix(rep(c(1, 0, 0, 1, 1), 16), 40)
  expect_same(small_blocks(), init = list(features = init, sigma_x = 0.5))
  expect_same(small_blocks(), sigma_x = gamma_prior(2, 1), prior = prior_ibp(2, 2, 0.2))
  threads <- few(search = "local", cores = 2, restarts = 3)
  expect_same(small_blocks(), method = threads, workers = 1:2)
  finite <- prior_beta_bernoulli(2, n_features = 5)
  expect_same(small_blocks(), method = shared_chains(), prior = finite)
})

test_that("workers that get no block are reported", {
  expect_silent(quick_shared(small_blocks(), cl = cl))
  expect_message(
    expect_same(shared_data(40)),
    "^1 of the 2 workers of `cl` has nothing to do: the rows form one block, and blocks are not"
  )
})

test_that("blocks are read on the workers that have them", {
  log <- withr::local_tempdir()
  x <- small_blocks(act = function(i) file.create(file.path(log, paste(i, Sys.getpid()))))
  unlink(list.files(log, full.names = TRUE))
  quick_shared(x, cl = cl)
  # The last block of the first worker is number round(5 / 2).
  expect_setequal(list.files(log), paste(1:5, rep(pids_of(cl), c(2, 3))))
})

test_that("chains are continued on a cluster exactly as they are without one", {
  x <- small_blocks()
  fit <- quick_shared(x, method = shared_chains())
  expect_identical(quick_shared(x, method = method_gibbs(2, 30), cl = cl), fit)
  longer <- function(...) suppressWarnings(update(fit, 50, verbose = FALSE, ...))
  expect_identical(longer(cl = cl), longer())
  # Chains that disagree are extended during warm-up.
  method <- shared_chains(max_iter = 120)
  expect_identical(quick_shared(x, method = method, cl = cl), quick_shared(x, method = method))
})

test_that("a file written on a cluster gives the same fit without it, and vice versa", {
  for (method in list(few(), shared_chains())) {
    for (first in list(cl, NULL)) {
      file <- withr::local_tempfile(fileext = ".rds")
      fit <- quick_shared(small_blocks(), method = method, file = file, cl = first)
      for (second in list(cl, NULL)) {
        expect_identical(
          quick_shared(small_blocks(), method = method, file = file, cl = second), fit
        )
      }
    }
  }
})

# Calls that are rejected or fail, after which the cluster must still work.

expect_refused <- function(pattern, x = small_blocks(), ..., workers = cl) {
  expect_error(quick_shared(x, ..., cl = workers), pattern)
  expect_identical(quick_shared(small_blocks(), cl = cl), quick_shared(small_blocks()))
}

test_that("methods that cannot share rows, and such data, are rejected at once", {
  x <- small_blocks()
  expect_refusals(\(v) quick_shared(x, cl = v), "cl", list(
    NA, 1, "a", list(), TRUE, structure(list(), class = "cluster"), cl[0]
  ))
  expect_refused("^`cl` must contain each worker once, not one of them", workers = cl[c(1, 1)])
  x <- shared_data(50)
  expect_refused(
    "^`cl` must be NULL unless .* with the sampler \"parallel\", not a cluster\\.$", x,
    method = method_gibbs(1, 9, sampler = "slice")
  )
  by_rows <- few(update = "row")
  expect_refused("^`cl` must be NULL .* cluster for update = \"row\"", x, method = by_rows)
  tree <- prior_pibp(ape::rcoal(50, tip.label = rownames(x)))
  anyhow <- method_gibbs(1, 9)
  expect_refused("^`cl` must be NULL with", x, "normal", prior = tree, method = anyhow)
  expect_refused("^`cl` must be NULL with", x, "normal", noise = "column", method = anyhow)
})

test_that("an error names a worker without buffet", {
  bare <- start_workers(1, environment())
  parallel::clusterCall(bare, function() {
    # Sending the function loads buffet, because its environment is the test's.
    unloadNamespace("buffet")
    assign(".lib.loc", .Library, envir = environment(.libPaths))
    NULL
  })
  both <- structure(c(unclass(cl)[1], unclass(bare)), class = class(cl))
  expect_error(
    quick_shared(small_blocks(), cl = both),
    "^`cl` must be workers with buffet .*, not worker 2, which has none in its library\\.$"
  )
})

test_that("an error names a worker with a different version of buffet, and both versions", {
  here <- unname(getNamespaceVersion("buffet"))
  set_version <- function(version) {
    spec <- replace(getNamespaceInfo("buffet", "spec"), "version", version)
    assign("spec", spec, asNamespace("buffet")[[".__NAMESPACE__."]])
  }
  environment(set_version) <- baseenv()
  parallel::clusterCall(cl[2], set_version, "0.0.1")
  must <- "^`cl` must be workers with buffet %s, not worker 2, which has buffet 0\\.0\\.1\\.$"
  expect_error(quick_shared(small_blocks(), cl = cl), sprintf(must, here))
  parallel::clusterCall(cl[2], set_version, here)
  expect_refused("^`x` must ", x = 1)
})

test_that("failures while a worker reads are reported with the worker's number", {
  flag <- withr::local_tempfile()
  x <- small_blocks(act = function(i) {
    if (i == 3 && file.exists(flag)) stop("Error in disk: no block ", i)
  })
  file.create(flag)
  expect_refused("^worker 2 of `cl` failed: `read\\(3\\)` failed: Error in disk: no block 3$", x)
})

test_that("an error is raised if workers disagree", {
  local({
    count <- 0
    before <- NULL
    local_wrapper("member_reply_cpp", function(plain, requests, ...) {
      count <<- count + 1
      # From this exchange on, the second worker lags behind by one exchange.
      late <- if (count > 8) list(requests[[1]], before) else requests
      before <<- requests[[2]]
      plain(late, ...)
    })
    expect_error(
      quick_shared(small_blocks(), cl = cl),
      "^the workers disagree: their processors or libraries round differently\\.$"
    )
  })
  expect_identical(quick_shared(small_blocks(), cl = cl), quick_shared(small_blocks()))
})

# Workers and leading processes that are killed.

#' Calls act() before the first exchange for whose number when() is true
before_exchange <- function(when, act, frame = parent.frame()) {
  count <- 0
  acted <- FALSE
  local_wrapper("exchange", function(plain, ...) {
    count <<- count + 1
    if (!acted && when(count)) act()
    acted <<- acted || when(count)
    plain(...)
  }, frame)
}

test_that("an error names a worker that was killed, and the file resumes the same fit", {
  withr::local_options(buffet.checkpoint_seconds = 0.01)
  z <- withr::with_seed(1, matrix(stats::rbinom(1000 * 8, 1, 0.3), 1000))
  x <- small_blocks(bare(draw_nonnegative(z, 12, 1)), rep(200, 5))
  # If features are given, every iteration uses all rows.
  init <- withr::with_seed(2, matrix(stats::rbinom(1000 * 10, 1, 0.3), 1000))
  fits <- list(
    function(...) quick_shared(x, method = method_meibp(10, tol = 1e-12), init = init, ...),
    function(...) quick_shared(x, method = shared_chains(100), ...)
  )
  for (killed in 1:2) {
    fit <- fits[[killed]]
    whole <- fit()
    workers <- start_workers(2, environment())
    pids <- pids_of(workers)
    file <- withr::local_tempfile(fileext = ".rds")
    local({
      half_way <- function(number) number > 30 && file.exists(file)
      before_exchange(half_way, function() tools::pskill(pids[killed], tools::SIGKILL))
      expect_error(
        fit(file = file, cl = workers),
        sprintf("^worker %d of `cl` has died or been stopped: the same call with the same `file` and `cl\\[-%d\\]` or a new cluster resumes the run\\.$", killed, killed)  # nolint: line_length_linter.
      )
    })
    copy <- withr::local_tempfile(fileext = ".rds")
    expect_true(file.copy(file, copy))
    # A state was saved, so the run does not start again.
    expect_gt(length(readRDS(file)$chains[[1]]$state), 0)
    expect_identical(fit(file = file, cl = workers[-killed]), whole)
    expect_identical(fit(file = copy, cl = cl), whole)
  }
})

test_that("workers that are lost without a file, or before the fit starts, are named", {
  workers <- start_workers(2, environment())
  pids <- pids_of(workers)
  local({
    before_exchange(function(number) number == 5, function() tools::pskill(pids, tools::SIGKILL))
    expect_error(
      quick_shared(small_blocks(), cl = workers),
      "^workers 1, 2 of `cl` have died or been stopped: give a `file` so that such a run can be "
    )
  })
  stopped <- start_workers(1, environment())
  parallel::stopCluster(stopped)
  expect_error(quick_shared(small_blocks(), cl = stopped), "^worker 1 of `cl` has died or been st")
})

#' A run that goes on for seconds after its first save and always uses all rows
slow_call <- function(file) {
  z <- withr::with_seed(1, matrix(stats::rbinom(20000 * 8, 1, 0.3), ncol = 8))
  init <- withr::with_seed(2, matrix(stats::rbinom(20000 * 10, 1, 0.3), ncol = 10))
  list(
    x = bare(draw_nonnegative(z, 12, 1)), loadings = "nonnegative", seed = 3, init = init,
    method = method_meibp(10, tol = 1e-12), file = file
  )
}

#' Fits on two workers in a child process, which writes their process ids and then fits `again`
start_leader <- function(call, again, pids) {
  skip_if_not_installed("callr")
  main <- function(call, again, pids, port, start_quick, with_warnings) {
    options(buffet.checkpoint_seconds = 0.02)
    cl <- start_quick(2, port)
    writeLines(as.character(unlist(parallel::clusterCall(cl, Sys.getpid))), pids)
    fit <- function(call) do.call(buffet::fit_gaussian, c(call, list(cl = cl), verbose = FALSE))
    out <- with_warnings(tryCatch(fit(call), error = conditionMessage))
    list(fit = out$value, warned = out$warned, at = Sys.time(), again = fit(again))
  }
  # Functions are sent to children without the environment of the tests.
  environment(start_quick) <- environment(with_warnings) <- baseenv()
  arguments <- list(call, again, pids, free_port(), start_quick, with_warnings)
  callr::r_bg(main, arguments, libpath = .libPaths(), package = FALSE)
}

test_that("an interrupt of all processes, or only of the leading one, gives the fit so far", {
  skip_if_quick()
  again <- list(x = small_blocks(), loadings = "nonnegative", method = few(), seed = 4)
  for (everywhere in c(TRUE, FALSE)) {
    pids <- withr::local_tempfile()
    file <- withr::local_tempfile(fileext = ".rds")
    child <- start_leader(slow_call(file), again, pids)
    withr::defer(child$kill())
    wait_until(function() file.exists(file) || !child$is_alive())
    # A terminal sends interrupts to the workers as well.
    if (everywhere) tools::pskill(as.integer(readLines(pids)), tools::SIGINT)
    result <- interrupt_when(child, function() TRUE)
    expect_match(result$warned, "^interrupted: the fit is the best point so far; the same call ")
    expect_false(glance(result$fit)$finished)
    expect_identical(features(result$again), features(quick_shared(small_blocks())))
  }
})

test_that("an interrupt that arrives while a fit on workers is being saved gives the fit so far", {
  skip_on_os("windows")
  withr::local_options(buffet.checkpoint_seconds = 1e-9)
  saves <- 0
  local_wrapper("write_checkpoint", function(plain, ...) {
    saves <<- saves + 1
    if (saves == 1) tools::pskill(Sys.getpid(), tools::SIGINT)
    plain(...)
  })
  fit <- function() {
    x <- small_blocks()
    fit_gaussian(x, "nonnegative", method = few(), seed = 4, verbose = FALSE, cl = cl,
      file = withr::local_tempfile(fileext = ".rds"))
  }
  interrupted <- function(i) fail("the interrupt was not caught")
  out <- with_warnings(tryCatch(fit(), interrupt = interrupted))
  expect_match(out$warned, "^interrupted: the fit is the best point so far", all = FALSE)
  expect_false(glance(out$value)$finished)
  expect_identical(parallel::clusterCall(cl, function() "here"), list("here", "here"))
})

test_that("an interrupt is not lost if it arrives after a fit has finished with its workers", {
  local_wrapper("join_point", function(plain, ...) {
    tools::pskill(Sys.getpid(), tools::SIGINT)
    plain(...)
  })
  fit_then_wait <- function() {
    quick_shared(small_blocks(), cl = cl)
    Sys.sleep(1)
    "went on"
  }
  expect_identical(tryCatch(fit_then_wait(), interrupt = function(i) "interrupted"), "interrupted")
  expect_identical(parallel::clusterCall(cl, function() "here"), list("here", "here"))
})
