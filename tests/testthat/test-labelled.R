# Labelled columns, as read by the package haven.

labelled <- function(x, labels = NULL, na_values = NULL, na_range = NULL) {
  spss <- !is.null(na_values) || !is.null(na_range)
  structure(x,
    labels = labels, na_values = na_values, na_range = na_range,
    class = c(if (spss) "haven_labelled_spss", "haven_labelled", "vctrs_vctr", typeof(x))
  )
}

#' Columns of numbers, some of which are declared missing, and the same columns with NA
declared_frames <- function(values) {
  declared <- values
  declared$a <- labelled(replace(values$a, 3:4, 9), c(none = 9), na_values = 9)
  declared$b <- labelled(replace(values$b, 5:6, c(97, 99)), na_range = c(90, Inf))
  plain <- values
  plain$a[3:4] <- NA
  plain$b[5:6] <- NA
  list(declared = declared, plain = plain)
}

numbers <- function() {
  withr::with_seed(1, data.frame(a = abs(rnorm(20)), b = abs(rnorm(20)), c = abs(rnorm(20))))
}
bits <- function() {
  withr::with_seed(1, data.frame(a = rbinom(20, 1, 0.5), b = rbinom(20, 1, 0.5), c = 0:1))
}

test_that("declared missing values are missing in every fit", {
  method <- method_gibbs(chains = 1, iter = 20)
  fits <- list(
    fit_gaussian = fit_gaussian, fit_factor = fit_factor, fit_cascade = fit_cascade,
    fit_logistic = fit_logistic, fit_mixed = fit_mixed,
    fit_nmf = function(x, ...) fit_nmf(x, rank = 2, ...)
  )
  for (name in names(fits)) {
    both <- declared_frames(if (name == "fit_logistic") bits() else numbers())
    fit <- function(x) {
      suppressWarnings(fits[[name]](x, method = method, seed = 1, verbose = FALSE))
    }
    expect_message(declared <- fit(both$declared), "Reading labelled columns of `.*`: a, b as val")
    plain <- suppressMessages(fit(both$plain))
    expect_identical(as.matrix(declared), as.matrix(plain), label = name)
    expect_identical(fitted(declared), fitted(plain), label = name)
  }
})

test_that("the values declared missing are those for which is.na() is TRUE in haven", {
  skip_if_not_installed("haven")
  x <- withr::with_seed(1, sample(c(1:9, NA), 200, TRUE)) + 0
  x[1:3] <- haven::tagged_na("a", "b", "z")
  cases <- list(
    haven::labelled(x, c(one = 1)), haven::labelled_spss(x, na_values = c(1, 9)),
    haven::labelled_spss(x, na_range = c(7, Inf)),
    haven::labelled_spss(x, c(low = 1), na_values = 2, na_range = c(-Inf, 1))
  )
  for (values in cases) {
    expect_identical(is_declared_missing(values), as.vector(is.na(values)))
    expect_identical(is.na(read_labelled(values, FALSE)), as.vector(is.na(values)))
  }
  both <- declared_frames(numbers())
  with <- both$declared
  with$a <- haven::labelled_spss(as.vector(unclass(with$a)), c(none = 9), na_values = 9)
  with$b <- haven::labelled_spss(as.vector(unclass(with$b)), na_range = c(90, Inf))
  both$plain$c[7] <- NA
  with$c[7] <- haven::tagged_na("a")
  fit <- function(x) {
    suppressMessages(fit_gaussian(x, method = method_gibbs(1, 10), seed = 1, verbose = FALSE))
  }
  expect_identical(as.matrix(fit(with)), as.matrix(fit(both$plain)))
})

test_that("mostly labelled values become factors in fit_mixed(), and other values become numbers", {
  data <- data.frame(size = withr::with_seed(1, rnorm(30)))
  data$sex <- labelled(rep(c(1, 2, 2), 10), c(Female = 2, Male = 1))
  data$town <- labelled(rep(c(1, 2, 3, 4, 8), 6), c(A = 1, B = 2, C = 3, None = 8), na_values = 8)
  data$income <- labelled(c(seq(20, 47), 999, 998), c(refused = 999, unknown = 998),
    na_range = c(998, 999)
  )
  data$scale <- labelled(rep(1:5, 6), c(never = 1L, always = 5L))
  data$text <- labelled(rep(c("m", "f"), 15), c(Male = "m", Female = "f"))
  fit <- function(x, ...) quick_mixed(x, ..., method = method_gibbs(1, 20))
  told <- testthat::capture_messages(of_labelled <- fit(data))
  expect_identical(told[1], paste0(
    "Reading labelled columns of `data`: sex, town, text as factors of their labels; ",
    "income, scale as values without labels.\n"
  ))
  by_hand <- data.frame(
    size = data$size, sex = factor(rep(c("Male", "Female", "Female"), 10), c("Male", "Female")),
    town = factor(rep(c("A", "B", "C", "4", NA), 6), c("A", "B", "C", "4")),
    income = c(20:47, NA, NA) + 0, scale = rep(1:5, 6),
    text = factor(rep(c("Male", "Female"), 15), c("Female", "Male"))
  )
  plain <- suppressMessages(fit(by_hand))
  expect_identical(as.matrix(of_labelled), as.matrix(plain))
  expect_identical(complete(of_labelled, 2), complete(plain, 2))
  expect_identical(
    suppressMessages(predict(of_labelled, data[1:5, ])), predict(plain, by_hand[1:5, ])
  )
  again <- suppressMessages(update(of_labelled, bias = FALSE, verbose = FALSE))
  expect_identical(as.matrix(again), as.matrix(suppressMessages(fit(by_hand, bias = FALSE))))
})
