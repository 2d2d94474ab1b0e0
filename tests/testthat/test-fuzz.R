# The fuzzer of tests/fuzz finds what it looks for.

fuzzer <- function(...) {
  folder <- test_path("../fuzz")
  skip_if_not(dir.exists(folder), "tests/fuzz is not part of the built package")
  fuzz <- new.env(parent = globalenv())
  for (file in c(...)) sys.source(file.path(folder, paste0(file, ".R")), fuzz)
  fuzz
}

test_that("errors without a name or of several lines and NaN are bad, refusals are good", {
  judge <- fuzzer("verdict")$judge
  any <- quote(ribp(1, 2))
  expect_null(judge(simpleError("`alpha` must be one positive number, not -1."), any))
  expect_match(judge(simpleError("subscript out of bounds"), any), "names no argument: subscript")
  expect_match(judge(simpleError("`a` must be one.\nNot two."), any), "several lines")
  expect_match(judge(simpleError("std::bad_alloc"), any), "names no argument")
  expect_null(judge(c(1, NA), any))
  expect_match(judge(c(1, NaN), any), "NaN")
  expect_null(judge(small_fit(), any))
  broken <- unclass(small_fit())
  broken$internal$scalars[1] <- NaN
  broken$internal$scalars[, , "log_lik"] <- Inf
  expect_match(judge(structure(broken, class = class(small_fit())), any), "not finite")
})

test_that("a damaged file must be refused, or be without effect", {
  judge <- fuzzer("verdict")$judge
  resumption <- quote(resume("gaussian", TRUE, 1L))
  expect_null(judge(simpleError("`file` must be whole, not a damaged one."), resumption))
  expect_match(judge(simpleError("std::bad_alloc"), resumption), "does not refuse the file")
  expect_null(judge(simpleError("interrupted before any draw was kept."), resumption))
  expect_match(judge(simpleError("`x` must be a matrix, not 1."), resumption), "does not refuse")
})

test_that("cases are drawn by their numbers, and every exported function has some", {
  fuzz <- fuzzer("values", "signatures", "draw")
  expect_no_error(fuzz$check_signatures())
  cases <- lapply(1:300, function(case) fuzz$draw_case(1, case))
  expect_identical(lapply(1:300, function(case) fuzz$draw_case(1, case)), cases)
  expect_gt(length(unique(cases)), 250)
  expect_true(all(vapply(cases, is.call, NA)))
  fuzz$signatures$ribp <- NULL
  expect_error(fuzz$check_signatures(), "lacks ribp")
})

test_that("children that die, hang or end are told apart", {
  skip_if_not_installed("processx")
  skip_on_os("windows")
  fuzz <- fuzzer("parent")
  fuzz$patience <- 0.3
  watched <- function(script) {
    unlink(fuzz$notes_file)
    begin <- sprintf("printf '1\\tbegins \\n' > %s; ", shQuote(fuzz$notes_file))
    arguments <- c("-c", paste0(begin, script))
    fuzz$watch(processx::process$new("sh", arguments, stderr = fuzz$errors_file))
  }
  expect_null(watched("exit 0"))
  expect_match(watched("kill -9 $$"), "died, with status -9")
  expect_match(watched("echo '*** caught segfault ***' >&2; exit 1"), "status 1: .*caught segfault")
  expect_match(watched("trap '' INT; while true; do sleep 0.1; done"), "hangs")
  # It ends by the interrupt.
  expect_null(watched("trap 'exit 0' INT; while true; do sleep 0.1; done"))
  expect_identical(fuzz$read_notes(), c("1" = "begins"))
})
