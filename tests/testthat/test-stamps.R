# Tables of the vignettes say what made them.

test_that("every table of the vignettes has a stamp, and its script is there", {
  root <- "../.."
  file <- file.path(root, "data-raw/stamps.csv")
  skip_if_not(file.exists(file), "the repository")
  stamps <- utils::read.csv(file, colClasses = "character")
  tables <- list.files(file.path(root, "vignettes"), "[.](csv|rds)$")
  expect_setequal(stamps$table, tables)
  expect_identical(stamps$script[!file.exists(file.path(root, stamps$script))], character())
  expect_match(stamps$version, "^[0-9]+[.][0-9]+[.][0-9]+$")
})

test_that("one command makes every table and stamps it with its script", {
  skip_if_not(file.exists("../../data-raw/Makefile"), "the repository")
  skip_if(Sys.which("make") == "")
  stamps <- utils::read.csv("../../data-raw/stamps.csv", colClasses = "character")
  # What it would do: other makefiles are not asked.
  lines <- system2("make", c("-n", "-C", "../../data-raw", "all", "MAKE=:"), stdout = TRUE)
  # Each in a shell of its own, so that it finds the root.
  calls <- unlist(
    regmatches(lines, gregexpr("\\(cd [.][.] && Rscript data-raw/stamp[.]R [^)]*\\)", lines))
  )
  words <- strsplit(sub(".*stamp[.]R (.*)\\)", "\\1", calls), " +")
  made <- do.call(rbind, lapply(words, function(w) data.frame(script = w[1], table = w[-1])))
  made <- made[match(stamps$table, made$table), ]
  expect_identical(made$table, stamps$table)
  expect_identical(made$script, stamps$script)
})
