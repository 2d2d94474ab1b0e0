# Default families of numeric columns.

#' Answers of 200 respondents, which depend on a binary feature and are rounded to whole numbers
#' within a scale
answers <- function(low, high, seed = 1, n = 200) {
  middle <- (low + high) / 2
  width <- high - low
  withr::with_seed(seed, {
    z <- stats::rbinom(n, 1, 0.5)
    x <- middle + width / 3 * (z - 0.5) + stats::rnorm(n, 0, width / 6)
  })
  as.integer(pmin(high, pmax(low, round(x))))
}

#' Columns of numbers, each with the family that it should get
kinds_of_numbers <- function() {
  withr::with_seed(2, list(
    bernoulli = list(
      c(0, 1, 1, 0), c(1, 2, 2, 1), c(3, 5, 5, 3), answers(1, 2), 100 * rbinom(200, 1, 0.5)
    ),
    ordinal = list(
      answers(1, 5), answers(1, 7), answers(0, 10), answers(-3, 3), c(1, 2, 4, 5, 5, 1),
      rpois(200, 1), 2015:2020
    ),
    gaussian = list(
      answers(1, 100), answers(0, 100), sample(1:100, 200, TRUE), answers(1990, 2024),
      rep(1990:2024, 5), answers(20, 80), 1:200, seq(0, 1e6, 1000), rpois(200, 50),
      c(0, 100, 50, 75), round(rnorm(200, 60, 15)), 12000 + round(rexp(200, 1e-4)),
      rep(c(0, 10, 25), 60), rnorm(200, 10), runif(200), -rexp(200), c(0, 3, 1e12)
    ),
    negative_binomial = list(
      rnbinom(200, mu = 10, size = 1), 1L + rnbinom(200, mu = 10, size = 1),
      round(rexp(200, 0.001))
    ),
    lognormal = list(rlnorm(200), rlnorm(200, 10, 0.5))
  ))
}

test_that("numbers have the expected family, whether stored as integers or as doubles", {
  kinds <- kinds_of_numbers()
  for (family in names(kinds)) {
    for (values in kinds[[family]]) {
      told <- paste(utils::head(values), collapse = " ")
      expect_identical(default_family(values), family, label = told)
      expect_identical(default_family(c(NA, as.double(values))), family, label = told)
    }
  }
})

test_that("adding a constant to codes, or multiplying them by one, does not change the family", {
  for (codes in c(kinds_of_numbers()$ordinal, kinds_of_numbers()$bernoulli)) {
    of <- vapply(c(-10, -1, 1, 10, 1990), function(more) default_family(codes + more), "")
    expect_identical(unique(of), default_family(codes))
  }
  for (codes in list(answers(1, 5), answers(0, 10), answers(1, 2), c(answers(-3, 3), NA))) {
    of <- vapply(c(2, 5, 10, 1000), function(times) default_family(codes * times), "")
    expect_identical(unique(of), default_family(codes))
  }
  codes <- as.data.frame(lapply(1:4, function(j) answers(1, 7, j)))
  codes[2, 1] <- NA
  method <- method_gibbs(chains = 1, iter = 40)
  fits <- suppressMessages(list(
    quick_mixed(codes, method = method), quick_mixed(codes - 1L, method = method)
  ))
  expect_identical(as.matrix(fits[[1]]), as.matrix(fits[[2]]))
  expect_identical(complete(fits[[1]], 5)[[3]] - 1L, complete(fits[[2]], 5)[[3]])
})

test_that("one message names the families of columns that may be codes, and how to change them", {
  data <- data.frame(
    sex = rep(1:2, 50), q1 = rep(1:5, 20), `q 2` = rep(0:4, 20), age = answers(20, 80, n = 100),
    dose = rep(c(0.5, 1), 50), size = seq(0.1, 10, 0.1), yes = rep(0:1, 50), check.names = FALSE
  )
  fit <- function(...) quick_mixed(data, ..., method = method_gibbs(1, 4))
  expect_identical(testthat::capture_messages(fit()), paste0(
    "Families chosen for columns with whole numbers or few distinct values: bernoulli for sex; ",
    "ordinal for q1, q 2; gaussian for age, dose. ",
    "To change one: `families = c(sex = \"gaussian\")`.\n"
  ))
  expect_identical(
    testthat::capture_messages(fit(c(sex = "gaussian", q1 = "gaussian", age = "ordinal"))),
    paste0(
      "Families chosen for columns with whole numbers or few distinct values: ordinal for q 2; ",
      "gaussian for dose. To change one, add it to `families`: `q 2` = \"gaussian\".\n"
    )
  )
  expect_no_message(fit("gaussian"))
})

test_that("the message suggests only families that the column can have", {
  told <- function(b) {
    data <- data.frame(a = rep(c("u", "v"), length(b) / 2), b = b)
    fit <- function(...) {
      suppressWarnings(fit_mixed(data, ..., method = method_gibbs(1, 2), verbose = FALSE))
    }
    said <- grep("^Families", testthat::capture_messages(fit()), value = TRUE)
    named <- regmatches(said, regexec("families = c[(]b = \"(.*)\"[)]", said))[[1]][2]
    if (!is.na(named)) {
      used <- suppressMessages(fit(c(b = named)))$internal$model$data$columns$b$family
      expect_identical(used, named)
    }
    named
  }
  # Ordinal columns have at most 60 values, and counts cannot be below 0.
  expect_identical(told(1:100), "negative_binomial")
  expect_identical(told(rep(c(-30:20, 5), 2)), "ordinal")
  expect_identical(told(-50:49), NA_character_)
})

test_that("numbers stored as text are rejected with the name of a function that converts them", {
  data <- data.frame(a = rnorm(70), b = as.character(seq(0.5, 35, 0.5)), c = rep(letters[1:5], 14))
  expect_error(
    suppressMessages(fit_mixed(data, verbose = FALSE)),
    "\"b\".*its categories are numbers: convert it by as.numeric\\(as.character\\(\\)\\)"
  )
})
