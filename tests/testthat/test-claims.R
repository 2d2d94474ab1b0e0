# Claims in the papers. Every number must occur in the table that the list names.

root <- file.path("..", "..")
script <- file.path(root, "data-raw", "claims-check.R")
skip_if_not(file.exists(script))
checks <- new.env()
sys.source(script, checks)

test_that("every claim's number is in its table, and every test that supports a claim exists", {
  expect_identical(checks$check_claims(root), character())
})

test_that("numbers missing from a table and tests that no longer exist are detected", {
  claims <- checks$read_claims(root)
  of_table <- which(grepl("[.]csv$", claims$table))[1]
  of_test <- which(startsWith(claims$how, "test: "))[1]
  wrong <- claims[c(of_table, of_test), ]
  wrong$our_value[1] <- as.character(as.numeric(wrong$our_value[1]) + 1)
  wrong$how[2] <- "test: there is no such test"
  problems <- checks$check_claims(root, wrong)
  expect_length(problems, 2)
  expect_match(problems[1], "the table has", fixed = TRUE)
  expect_match(problems[2], "has no test", fixed = TRUE)
})
