test_that("tidy() gives the posterior of every scalar", {
  for (fit in all_fits()) {
    s <- scalars_of(fit)
    t <- tidy(fit, conf.level = 0.8)
    expect_named(t, c("term", "estimate", "std.error", "conf.low", "conf.high"))
    expect_identical(t$term, colnames(s))
    expect_equal(t$estimate, unname(colMeans(s)))
    expect_equal(t$std.error, unname(apply(s, 2, stats::sd)))
    expect_equal(t$conf.low, unname(apply(s, 2, stats::quantile, 0.1)))
    expect_equal(t$conf.high, unname(apply(s, 2, stats::quantile, 0.9)))
  }
})

test_that("tidy() lists the ones of the features and the entries of the loadings", {
  for (fit in all_fits()) {
    z <- features(fit)
    t <- tidy(fit, "features")
    back <- matrix(0L, nrow(z), ncol(z))
    rows <- if (is.null(rownames(z))) t$row else match(t$row, rownames(z))
    back[cbind(rows, match(t$feature, colnames(z)))] <- 1L
    expect_identical(back, unname(z))
    expect_identical(tidy(fit, "loadings")$value, as.vector(loadings_of(fit)))
  }
  t <- tidy(small_fit(), "loadings")
  a <- loadings_of(small_fit())
  expect_identical(t$value, a[cbind(t$feature, t$column)])
})

test_that("glance() is one row of the fit's means and worst diagnostics", {
  for (fit in all_fits()) {
    g <- glance(fit)
    s <- scalars_of(fit)
    expect_identical(dim(g), c(1L, 12L))
    expect_identical(g$nobs, nobs(fit))
    expect_identical(g$n_columns, ncol(fitted(fit)))
    counts <- table(s[, "n_features"])
    expect_identical(as.character(g$n_features), names(counts)[which.max(counts)])
    expect_identical(g$n_features, ncol(features(fit)))
    for (name in c("alpha", "sigma_x", "sigma_a", "log_lik", "log_joint")) {
      expect_equal(g[[name]], mean(s[, name]))
    }
    expect_identical(c(g$chains, g$draws), c(2L, nrow(s)))
  }
  rhat <- suppressWarnings(summary(small_fit()))$table$rhat
  expect_equal(glance(small_fit())$rhat_max, max(rhat))
  expect_identical(glance(empty_fit())$rhat_max, NA_real_)
})

test_that("augment() adds the features and the size of the residuals to the data", {
  a <- augment(small_fit())
  z <- features(small_fit())
  expect_named(a, c(".rownames", "p", "q", "r", paste0(".", colnames(z)), ".resid"))
  expect_identical(a$.rownames, rownames(z))
  expect_equal(as.matrix(a[c("p", "q", "r")]), small_data(), ignore_attr = TRUE)
  expect_equal(as.matrix(a[paste0(".", colnames(z))]), z, ignore_attr = TRUE)
  expect_equal(a$.resid, unname(sqrt(rowMeans((small_data() - fitted(small_fit()))^2))))
  expect_identical(dim(augment(empty_fit())), c(4L, 4L))
  # Row names that are but numbers of rows, as head() leaves them, are no column.
  plain <- as.data.frame(unname(small_data()))
  f <- quick_fit(plain, method = method_gibbs(1, 10))
  again <- quick_fit(head(plain, 8), method = method_gibbs(1, 10))
  none <- list(augment(f), augment(again), augment(f, newdata = plain[1:3, ]))
  for (table in none) expect_false(".rownames" %in% names(table))
  expect_identical(augment(f, newdata = plain[4:5, ])$.rownames, c("4", "5"))
  expect_help("tidy.buffet_fit", ".rownames, where rows have names other than 1, 2, ...")
  # Columns that are not told apart by their names get others, aloud.
  x <- small_data()
  for (names in list(c("p", "p", "q"), c("p", NA, "q"), c("p", ".f1", ".resid"))) {
    colnames(x) <- names
    expect_message(b <- augment(quick_fit(x, method = method_gibbs(1, 10))), "New names")
    expect_false(anyDuplicated(names(b)) > 0 || anyNA(names(b)))
    expect_equal(as.matrix(b[2:4]), x, ignore_attr = TRUE)
  }
})
