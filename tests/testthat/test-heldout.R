# Predictions of left-out entries, compared with predictions from the truth.

test_that("left-out data are matched by name, and unknown names are rejected", {
  short <- method_gibbs(chains = 1, iter = 20)
  x <- withr::with_seed(1, sim_images(12))
  dimnames(x) <- list(paste0("row", 1:12), paste0("column", 1:36))
  at <- seq(1, 400, 20)
  fits <- list(
    fit_gaussian(replace(x, at, NA), method = short, seed = 1, verbose = FALSE),
    fit_mixed(
      as.data.frame(replace(x, at, NA)), c(column4 = "gaussian"),
      method = short, seed = 1, verbose = FALSE
    )
  )
  for (fit in fits) {
    known <- heldout_density(fit, as.data.frame(x))
    expect_length(known, 20)
    expect_identical(heldout_density(fit, as.data.frame(x[12:1, 36:1])), known)
    rownames(x)[1] <- "other"
    expect_error(heldout_density(fit, as.data.frame(x)), "no row names or the names of the data")
    rownames(x)[1] <- "row1"
  }
  expect_identical(heldout_density(fits[[1]], unname(x)), heldout_density(fits[[1]], x))
  colnames(x)[2:3] <- "twice"
  expect_error(
    heldout_density(fits[[1]], x),
    "`actual` must have no column names or the names of the data, not others"
  )
})

test_that("left-out tokens are matched by the names of documents and words", {
  d <- withr::with_seed(1, sim_topics(10, 8, alpha = 2, gamma = 2, lengths = 20)$dtm)
  dimnames(d) <- list(letters[1:10], LETTERS[1:8])
  left_out <- d
  left_out@x <- as.numeric(left_out@x > 2)
  method <- method_gibbs(chains = 1, iter = 20, thin = 1)
  fit <- fit_topics(d - left_out, method = method, seed = 1, verbose = FALSE)
  known <- heldout_density(fit, left_out)
  expect_identical(sort(heldout_density(fit, left_out[10:1, 8:1])), sort(known))
  expect_identical(heldout_density(fit, left_out[10:1, 8:1]), known)
})

# Fits to the same data with 30 entries left out, one to three of them per row.
compared_fits <- function() {
  once("compared fits", {
    x <- withr::with_seed(1, sim_images(20))
    holes <- replace(x, withr::with_seed(2, sample(length(x), 30)), NA)
    run <- function(...) {
      fit_gaussian(holes, ..., method = method_gibbs(1, 60), seed = 1, verbose = FALSE)
    }
    list(x = x, holes = holes, normal = run(), fixed = run(sigma_x = 1), two = run(sigma_a = 2))
  })
}

test_that("compare_heldout() returns means, differences and errors of heldout_density()", {
  data <- compared_fits()
  normal <- data$normal
  two <- data$two
  out <- compare_heldout(normal, "sigma_x = 1" = data$fixed, two, actual = data$x)
  held <- cbind(
    normal = heldout_density(normal, data$x), "sigma_x = 1" = heldout_density(data$fixed, data$x),
    two = heldout_density(two, data$x)
  )
  expect_identical(out$fit, names(sort(colMeans(held), decreasing = TRUE)))
  expect_equal(out$log_density, unname(sort(colMeans(held), decreasing = TRUE)))
  expect_identical(out$entries, rep(30L, 3))
  row <- which(is.na(data$holes), arr.ind = TRUE)[, 1]
  expect_gt(max(table(row)), 1)
  difference <- held - held[, out$fit[1]]
  expect_equal(out$difference, unname(colMeans(difference)[out$fit]))
  # The error of a ratio of row sums, in which the denominator is the number of entries in a row.
  errors <- vapply(out$fit, function(fit) {
    of_rows <- tapply(difference[, fit], row, \(v) sum(v - mean(difference[, fit])))
    stats::sd(of_rows) * sqrt(length(of_rows)) / 30
  }, 0)
  expect_equal(out$se, unname(errors))
  expect_identical(out$se[1], 0)
  expect_identical(compare_heldout(data[c("normal", "two")], actual = data$x)$fit,
    intersect(out$fit, c("normal", "two"))
  )
  expect_match(capture.output(print(out))[1], "^Mean log density of 30 left-out values")
  expect_s3_class(build_plot(plot(out))$plot, "ggplot")
})

test_that("with one left-out entry per row, errors are sd / sqrt(n) of the differences", {
  x <- bare(compared_fits()$x)
  holes <- replace(x, cbind(1:20, 3), NA)
  run <- function(...) {
    fit_gaussian(holes, ..., method = method_gibbs(1, 40), seed = 1, verbose = FALSE)
  }
  one <- run(sigma_x = 0.5)
  other <- run(sigma_x = 1)
  # Entries that are also missing in `actual` are not compared.
  actual <- replace(x, cbind(1:5, 3), NA)
  out <- compare_heldout(one, other, actual = actual)
  difference <- heldout_density(one, x) - heldout_density(other, x)
  expect_equal(out$se[2], stats::sd(difference[6:20]) / sqrt(15))
  expect_equal(out$difference[2], -abs(mean(difference[6:20])))
  expect_identical(out$entries, c(15L, 15L))
})

test_that("pairs of choices and tokens of documents can be compared", {
  wins <- celebrities
  wins[cbind(c(1, 2, 4, 5, 6, 9), c(2, 1, 5, 4, 9, 6))] <- NA
  choices <- lapply(list(0, 0.1), function(epsilon) quick_choice(wins, epsilon = epsilon))
  out <- compare_heldout(choices, actual = celebrities)
  by_pair <- vapply(choices, heldout_density, numeric(3), actual = celebrities)
  expect_setequal(out$fit, c("fit1", "fit2"))
  expect_equal(out$se[2], stats::sd(by_pair[, 1] - by_pair[, 2]) / sqrt(3))
  d <- withr::with_seed(1, sim_topics(10, 8, alpha = 2, gamma = 2, lengths = 20)$dtm)
  left_out <- d
  left_out@x <- as.numeric(left_out@x > 2)
  topics <- lapply(1:2, function(seed) {
    method <- method_gibbs(chains = 1, iter = 20, thin = 1)
    fit_topics(d - left_out, method = method, seed = seed, verbose = FALSE)
  })
  out <- compare_heldout(topics, actual = left_out)
  by_token <- vapply(topics, heldout_density, numeric(sum(left_out)), actual = left_out)
  document <- Matrix::summary(Matrix::drop0(left_out))$i
  difference <- by_token[, 1] - by_token[, 2]
  sums <- tapply(difference - mean(difference), document, sum)
  expect_equal(out$se[2], stats::sd(sums) * sqrt(length(sums)) / length(difference))
})

test_that("fits that cannot be compared are rejected with a one-line error", {
  data <- compared_fits()
  normal <- data$normal
  short <- list(method = method_gibbs(1, 4), seed = 1, verbose = FALSE)
  fit <- function(f, x, ...) do.call(f, c(list(x), short, list(...)))
  refused <- function(text, ..., actual = data$x) {
    error <- expect_error(compare_heldout(normal, ..., actual = actual), text, fixed = TRUE)
    expect_identical(conditionCall(error), quote(compare_heldout()))
  }
  refused("`...` must be at least two fits, not 1.")
  refused("`...` must be fits by fit_*() functions, not a 20 x 36 numeric matrix: ", data$x)
  refused("must be fits with different names, not \"normal\" twice.", normal)
  expect_error(compare_heldout(normal, data$two), "^`actual` must be given: the full data, as in `")
  other <- fit(fit_gaussian, replace(data$holes, which(!is.na(data$holes))[1], NA))
  refused("fits with the same entries left out, not \"normal\" and \"other\".", other)
  other <- fit(fit_gaussian, replace(data$holes, which(!is.na(data$holes))[1], 0))
  refused("must be fits to the same data, not \"normal\" and \"other\".", other)
  complete <- lapply(1:2, \(seed) fit(fit_gaussian, data$x))
  expect_error(
    compare_heldout(complete, actual = data$x),
    "^`...` must be fits with entries left out, not fits to complete data: set random entries"
  )
  expect_error(
    compare_heldout(normal, data$two, actual = data$x * NA), "must have an entry that was left out"
  )
  topics <- fit(fit_topics, unname(as.matrix(topic_corpus())))
  refused("must be fits to the same kind of data", topics)
})

test_that("densities of matrices and data frames can be compared, but not with probabilities", {
  x <- cbind(a = rep(0:1, 10), b = withr::with_seed(1, stats::rnorm(20)))
  holes <- replace(x, c(3, 8, 24, 30), NA)
  fit <- function(f, x, ...) f(x, ..., method = method_gibbs(1, 20), seed = 1, verbose = FALSE)
  matrix <- fit(fit_gaussian, holes, scale = TRUE)
  numbers <- suppressMessages(fit(fit_mixed, as.data.frame(holes), families = "gaussian"))
  out <- compare_heldout(matrix, numbers, actual = as.data.frame(x))
  expect_equal(
    sort(out$log_density),
    sort(c(mean(heldout_density(matrix, x)), mean(heldout_density(numbers, as.data.frame(x)))))
  )
  codes <- fit(fit_mixed, as.data.frame(holes))
  expect_error(
    compare_heldout(matrix, codes, actual = as.data.frame(x)),
    paste(
      "`...` must have only probabilities or only densities in the column \"a\", not \"matrix\"",
      "and \"codes\"."
    ), fixed = TRUE
  )
  # Binary data can be given as numbers, logicals or factors.
  binary <- as.data.frame(holes)["a"]
  one <- fit(fit_logistic, binary)
  coded <- transform(binary, a = factor(a, labels = c("no", "yes")))
  two <- fit(fit_mixed, cbind(coded, copy = coded$a))
  expect_error(compare_heldout(one, two, actual = binary), "the same entries left out")
  logical <- transform(as.data.frame(holes), b = b > 0, a = a == 1)
  truth <- transform(as.data.frame(x), b = b > 0, a = a == 1)
  fits <- list(fit(fit_logistic, logical), fit(fit_mixed, logical))
  expect_identical(compare_heldout(fits, actual = truth)$entries, c(4L, 4L))
})
