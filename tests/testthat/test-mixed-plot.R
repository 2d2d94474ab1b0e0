#' The titles of the panels in a plot of effects
panels_of <- function(picture) levels(droplevels(picture$data$label))

test_that("effects are shown for as many columns as are legible, starting with the largest", {
  fit <- mixed_fit()
  picture <- plot(fit)
  build_plot(picture)
  k <- ncol(features(fit))
  expect_length(panels_of(picture), min(k, 6) * if (k <= 3) 5 else 4)
  expect_identical(sub(":.*", "", panels_of(picture))[1], "f1")
  effects <- tidy(fit)
  strength <- function(name) {
    estimate <- effects$estimate[effects$feature == "f1" & effects$column == name]
    column <- fit$internal$model$data$columns[[name]]
    buffet:::effect_size(column, estimate, model_data(fit)[, name])
  }
  order <- names(sort(-vapply(names(mixed_frame()), strength, 0)))
  shown <- sub("^f1: (.*)\n.*", "\\1", grep("^f1:", panels_of(picture), value = TRUE))
  expect_identical(shown, order[seq_along(shown)])
  chosen <- plot(fit, columns = c("town", "size"), which = c("f2", "f1"))
  expect_identical(
    sub("\n.*", "", panels_of(chosen)), c("f2: town", "f2: size", "f1: town", "f1: size")
  )
  expect_identical(panels_of(plot(fit, columns = c("town", "size"), which = 2:1)),
    panels_of(chosen))
})

test_that("bars are shares of the observed entries in rows with and without the feature", {
  fit <- mixed_fit()
  z <- features(fit)[, 1]
  bars <- plot(fit, columns = "town", which = 1)$data
  # The ends of the bars, the longest of which has length 1. The first panel extends from 2 to 3.
  ends <- tapply(bars$x, bars[c("group", "rows")], max) - 2
  town <- fit$internal$model$data$frame$town
  shares <- prop.table(table(town, z), 2)
  expect_equal(sort(ends[!is.na(ends)]), sort(as.vector(shares) / max(shares)), tolerance = 1e-8)
  with <- bars[bars$rows == "with", ]
  ends_with <- tapply(with$x, with$group, max) - 2
  expect_equal(as.vector(ends_with), as.vector(shares[, "1"]) / max(shares), tolerance = 1e-8)
})

test_that("columns of all kinds, and groups with few rows, are plotted without a warning", {
  withr::local_seed(1)
  z <- cbind(rep(0:1, c(38, 2)), rep(0:1, 20), 1)
  data <- data.frame(
    small = rpois(40, 3) * 0.5, wide = round(rnbinom(40, mu = 200, size = 1)),
    positive = exp(rnorm(40, sd = 4)), whole = 10L + rep(0:9, 4), text = rep(letters[1:10], 4),
    check = rep(c(TRUE, NA, FALSE, TRUE), 10)
  )
  fit <- suppressMessages(quick_mixed(data,
    prior = prior_fixed(z), method = method_gibbs(chains = 1, iter = 20)
  ))
  expect_no_warning(build_plot(plot(fit, columns = names(data))))
  ticks <- plot(fit, columns = "positive", which = 1)$data
  expect_identical(sum(ticks$kind == "tick"), 8L)
  # At most six categories are shown.
  bars <- plot(fit, columns = "text", which = 1)$data
  expect_identical(length(unique(bars$group)), 12L)
})

test_that("patterns of missing entries are counted", {
  fit <- mixed_fit()
  z <- features(fit)
  picture <- plot(fit, "patterns")
  build_plot(picture)
  counts <- sort(table(apply(z, 1, paste, collapse = "")), decreasing = TRUE)
  bars <- picture$layers[[3]]$data
  expect_identical(bars$count, as.integer(utils::head(counts, 20)))
  has <- matrix(picture$data$value, nrow(bars))
  shown <- colSums(z[z %*% 2^seq_len(ncol(z)) %in% (has %*% 2^seq_len(ncol(has))), ])
  expect_gt(min(shown[seq_len(ncol(has))]), 0)
  expect_identical(
    bars$count[1], sum(apply(z[, seq_len(ncol(has))], 1, function(row) all(row == has[1, ])))
  )
})

test_that("weights of numbers are shown for standardised numbers, whatever the units are", {
  fit <- mixed_fit()
  picture <- plot(fit, "loadings")
  build_plot(picture)
  columns <- fit$internal$model$data$columns
  scale <- c(columns$size$scale, columns$price$scale, rep(1, 6))
  standardised <- t(loadings_of(fit)) / scale
  expect_equal(matrix(picture$data$value, 8), standardised, ignore_attr = TRUE)
  expect_match(picture$scales$get_scales("fill")$name, "numbers\nstandardised")
  none <- quick_mixed(mixed_frame(20), prior = prior_fixed(matrix(0, 20, 1)),
    method = method_gibbs(1, 4)
  )
  expect_s3_class(plot(none, "loadings"), "ggplot")
})

test_that("long names stay distinct, and titles of panels are not clipped", {
  type <- paste("Mitochondrial myopathy, type", c("I", "II", "III"))
  short <- shorten_apart(c(type, "none", "Nonspecific complaints"), 17)
  expect_identical(short, c(
    "Mitocho... type I", "Mitocho...type II", "Mitocho...ype III", "none", "Nonspecific co..."
  ))
  expect_true(all(nchar(short) <= 17))
  data <- data.frame(size = c(rnorm(20), rnorm(20, 9)), type = factor(rep(type, c(20, 10, 10))))
  fit <- quick_mixed(data, prior = prior_fixed(cbind(rep(0:1, each = 20))),
    method = method_gibbs(1, 20)
  )
  picture <- plot(fit, columns = "type")
  expect_match(panels_of(picture), "^f1: type\nP[(]Mitoc.*[)] -[01][.]")
  expect_identical(picture$theme$strip.clip, "off")
})
