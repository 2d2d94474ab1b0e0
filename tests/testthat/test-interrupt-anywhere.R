# Interrupts at random times of long calls of every fit and verb: each call ends within two seconds
# of processor time. One child makes all calls, so that most of the time is theirs.

#' Every fit, to data of a size at which it takes long
long_calls <- function() {
  chains <- function(...) method_gibbs(chains = 1, iter = 1e6, warmup = 10, cores = 1, ...)
  x <- withr::with_seed(1, matrix(stats::rnorm(60000), 300))
  y <- (x > 0) + 0
  wins <- withr::with_seed(1, matrix(stats::rpois(3600, 2), 60))
  dtm <- withr::with_seed(1, matrix(stats::rpois(12000, 1), 60))
  frame <- data.frame(a = x[, 1], b = factor(y[, 2]), c = rowSums(y), d = y[, 3] > 0, x[, 4:20])
  list(
    list("fit_gaussian", x, method = chains()),
    list("fit_gaussian", x, method = chains(sampler = "uncollapsed")),
    list("fit_gaussian", x, "nonnegative", method = chains()),
    list("fit_gaussian", replace(x, 1:999, NA), noise = "column", method = chains()),
    list("fit_gaussian", x, "nonnegative", method = method_meibp(50, restarts = 1000)),
    list("fit_gaussian", x, method = method_variational(50, restarts = 1000)),
    list("fit_gaussian", x, method = method_power_ep(20, restarts = 1000)),
    list("fit_gaussian", x, method = method_beam(1000)),
    list("fit_logistic", y, method = chains()),
    list("fit_factor", x, method = chains()),
    list("fit_factor", x, sparse = "factors", method = chains()),
    list("fit_mixed", frame, method = chains()),
    list("fit_choice", wins, method = chains()),
    list("fit_choice", wins, prior = prior_beta_bernoulli(10), method = chains()),
    list("fit_topics", dtm, method = chains()),
    list("fit_cascade", x[, 1:40], method = chains()),
    list("fit_nmf", abs(x), rank = 20, method = chains()),
    list("fit_nmf", abs(x), rank = 20, method = method_icm(restarts = 1e5))
  )
}

#' What reads a short fit of each, again and again: the number of the fit and the verb
read_calls <- function(fit_calls) {
  verbs <- c("predict", "posterior_predict", "fitted", "loadings_of", "log_lik", "coassignment")
  of <- rep(seq_along(fit_calls), each = length(verbs))
  Map(function(n, verb) list(n, verb), of, rep(verbs, length(fit_calls)))
}

#' Serves calls by their numbers: notes when each begins, and its processor time at its end
serve_calls <- function(calls, reads, order, notes) {
  library(buffet)
  note <- function(...) cat(paste(...), "\n", file = notes, append = TRUE)
  quietly <- function(code) suppressMessages(suppressWarnings(code))
  fits <- list()
  fit_of <- function(n, method) {
    call <- calls[[n]]
    if (!is.null(method)) call$method <- method
    quietly(do.call(getExportedValue("buffet", call[[1]]), c(call[-1], seed = 1, verbose = FALSE)))
  }
  short_fit <- function(n) {
    key <- as.character(n)
    if (is.null(fits[[key]])) {
      method <- calls[[n]]$method
      if (inherits(method, "method_gibbs")) {
        method <- buffet::method_gibbs(chains = 1, iter = 12, sampler = method$sampler, cores = 1)
      } else {
        method <- do.call(class(method)[1], list(4)[class(method)[1] != "method_icm"])
      }
      fits[[key]] <<- list(fit_of(n, method))
    }
    fits[[key]][[1]]
  }
  read <- function(n, verb) {
    fit <- short_fit(n)
    ask <- get(verb)
    repeat quietly(ask(fit))
  }
  cpu <- function() sum(proc.time()[1:2])
  suspendInterrupts(for (n in order) {
    # One that came too late for the call before, maybe while the fit to be read is made.
    if (n > length(calls)) {
      of <- reads[[n - length(calls)]][[1]]
      while (inherits(tryCatch(short_fit(of), error = identity), "error")) NULL
    }
    tryCatch(allowInterrupts(Sys.sleep(0)), interrupt = identity)
    note("begins", n, cpu())
    call <- function() {
      if (n <= length(calls)) fit_of(n, NULL) else do.call(read, reads[[n - length(calls)]])
    }
    outcome <- tryCatch(
      allowInterrupts(call()),
      interrupt = identity, error = identity
    )
    note("ended", n, cpu(), class(outcome)[1])
  })
}

#' Seconds of processor time that each call went on after its interrupt, in the given order
seconds_after <- function(order, after) {
  calls <- long_calls()
  notes <- withr::local_tempfile()
  child <- callr::r_bg(serve_calls, list(
    calls = calls, reads = read_calls(calls), order = order, notes = notes
  ), libpath = .libPaths(), package = FALSE)
  withr::defer(child$kill())
  handle <- child$as_ps_handle()
  cpu <- function() sum(ps::ps_cpu_times(handle)[1:2])
  noted <- function() if (file.exists(notes)) readLines(notes, warn = FALSE)
  begins <- function(i) length(noted()) >= 2 * i - 1
  ended <- function(i) length(noted()) >= 2 * i
  vapply(seq_along(order), function(i) {
    wait_until(function() begins(i) || !child$is_alive(), 600)
    begun <- cpu()
    wait_until(function() ended(i) || cpu() > begun + after[i], 600)
    sent <- cpu()
    if (ended(i)) return(0)
    child$interrupt()
    wait_until(function() ended(i) || cpu() > sent + 60, 600)
    if (ended(i)) max(0, as.numeric(strsplit(noted()[2 * i], " ")[[1]][3]) - sent) else Inf
  }, 0)
}

test_that("calls of all fits and verbs end within two seconds of an interrupt at any time", {
  skip_on_cran()
  skip_if_not_installed("callr")
  skip_if_not_installed("ps")
  skip_on_os("windows")
  calls <- long_calls()
  count <- length(calls) + length(read_calls(calls))
  drawn <- withr::with_seed(sized(1, 2), list(
    order = c(sample(length(calls), sized(4, length(calls))), sample(count, sized(4, 182), TRUE)),
    after = stats::runif(sized(8, 200), 0, sized(0.5, 3))
  ))
  seconds <- seconds_after(drawn$order, drawn$after)
  slowest <- which.max(seconds)
  expect_lt(max(seconds), 2, label = sprintf("seconds of call %d", drawn$order[slowest]))
})
