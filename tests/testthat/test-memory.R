test_that("what needs more memory than there is says so before it is allocated", {
  local_function("free_memory", function() 1e6)
  fit <- quick_fit(matrix(rnorm(1200), 400), method = method_gibbs(chains = 1, iter = 4))
  expect_error(
    coassignment(fit),
    "^coassignment\\(\\) of 400 rows needs 2.6 MB of memory, of which there are 1 MB\\.$"
  )
  expect_error(
    simulate(prior_ibp(), nsim = 2147483647, rows = 3),
    "`nsim = 2147483647` needs 1.1 TB of memory, of which there are 1 MB.",
    fixed = TRUE
  )
  expect_error(simulate(fit, 2147483647), "^`nsim = 2147483647` needs [0-9.]+ TB of memory, ")
  expect_error(
    fit_nmf(matrix(1, 100, 100), 50, method = method_gibbs(chains = 4, iter = 2000)),
    "^fit_nmf\\(\\) needs 640.1 MB of memory, of .* 1 MB; fewer chains or draws kept need less\\.$"
  )
  expect_error(
    fit_topics(matrix(1e6, 2, 2), method = method_gibbs(chains = 1, iter = 10)),
    "^fit_topics\\(\\) needs 32 MB of memory, "
  )
})

test_that("nothing is refused where the system does not say how much memory there is", {
  local_function("free_memory", function() Inf)
  expect_silent(check_memory(1e300, "all"))
  expect_identical(first_number(tempfile(), ""), Inf)
  lines <- withr::local_tempfile(lines = c("MemTotal:  7 kB", "MemAvailable:   5 kB"))
  expect_identical(first_number(lines, "^MemAvailable:"), 5)
  expect_identical(first_number(withr::local_tempfile(lines = "max"), ""), Inf)
})

test_that("what the core could not allocate is said in words", {
  expect_error(
    within_memory(stop("vector::_M_default_append"), "fit_nmf()"),
    "^fit_nmf\\(\\) needs more memory than there is \\([0-9.]+ .B are left\\)\\.$"
  )
  expect_error(within_memory(stop("another"), "fit_nmf()"), "^another$")
  failed <- list(list(failure = "std::bad_alloc"))
  expect_error(drop_failed(failed), "^a chain needs more memory than there is")
})

test_that("a limit of address space is seen", {
  skip_on_os(c("windows", "mac"))
  code <- paste0(
    ".libPaths(", deparse1(.libPaths()), "); method <- buffet::method_gibbs(4, 2000); ",
    "x <- matrix(1, 300, 300); ",
    "cat(tryCatch(buffet::fit_nmf(x, 500, method = method), error = conditionMessage))"
  )
  out <- system2("sh", c("-c", shQuote(sprintf(
    "ulimit -v 2500000; %s -e %s", file.path(R.home("bin"), "Rscript"), shQuote(code)
  ))), stdout = TRUE, stderr = FALSE)
  expect_match(
    out, "^fit_nmf\\(\\) needs 19.2 GB of memory, of which there are ([0-2][.0-9]* GB|[0-9.]+ MB)",
    all = FALSE
  )
})
