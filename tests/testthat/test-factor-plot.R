plotted_factor <- function(sparse = "loadings") {
  once(paste0("plotted_", sparse), quick_factor(scale(datasets::swiss), sparse = sparse))
}

#' A fit to noise whose point estimate has no common factor
factorless <- function() {
  once("factorless", {
    x <- withr::with_seed(1, matrix(stats::rnorm(200), 40))
    quick_factor(x, prior = prior_ibp(1e-9), init = matrix(0, 5, 0))
  })
}

#' The results of mean_factors(), computed one draw and one factor at a time
naive_parts <- function(fit) {
  z <- features(fit)
  side <- if (fit$internal$model$sparse == "loadings") "loadings" else "weights"
  point <- factor_draw(fit, fit$internal$point)[[side]]
  # Features with the same rows keep their order.
  keys <- function(m) make.unique(apply(m != 0, 2, function(on) paste(which(on), collapse = " ")))
  point <- point[, match(keys(z), keys(point)), drop = FALSE]
  cosine <- function(a, b) sum(a * b) / sqrt(sum(a^2) * sum(b^2))
  draws <- length(fit$feature_draws)
  there <- 0 * point
  count <- numeric(ncol(z))
  share <- matrix(NA, draws, ncol(z))
  noise <- others <- numeric(draws)
  for (draw in seq_len(draws)) {
    one <- factor_draw(fit, draw)
    m <- one[[side]]
    explained <- vapply(seq_len(ncol(m)), function(k) {
      sum(outer(one$weights[, k], one$loadings[, k])^2) / nrow(one$weights)
    }, 0)
    total <- sum(explained) + sum(one$sigma_x^2)
    pairs <- expand.grid(k = seq_len(ncol(z)), l = seq_len(ncol(m)))
    pairs$size <- mapply(function(k, l) abs(cosine(point[, k], m[, l])), pairs$k, pairs$l)
    free <- rep(TRUE, ncol(m))
    for (i in order(-round(as.numeric(pairs$size), 12))) {
      k <- pairs$k[i]
      l <- pairs$l[i]
      if (pairs$size[i] <= 0.5 || !free[l] || !is.na(share[draw, k])) next
      free[l] <- FALSE
      share[draw, k] <- explained[l] / total
      count[k] <- count[k] + 1
      there[, k] <- there[, k] + (m[, l] != 0)
    }
    others[draw] <- sum(explained[free]) / total
    noise[draw] <- sum(one$sigma_x^2) / total
  }
  list(probability = t(t(there) / count), share = share, others = others, noise = noise)
}

test_that("probabilities and shares of the variance agree with a loop over the draws", {
  for (sparse in c("loadings", "factors")) {
    fit <- plotted_factor(sparse)
    naive <- naive_parts(fit)
    found <- if (sparse == "loadings") {
      t(attr(loadings_of(fit), "probability"))
    } else {
      attr(weights_of(fit), "probability")
    }
    expect_equal(unname(found), unname(naive$probability))
    expect_identical(dimnames(found), dimnames(features(fit)))
    expect_gt(length(unique(as.vector(found))), 5)
    expect_equal(mean_factors(fit)$variance, cbind(naive$share, naive$others, naive$noise))
    expect_equal(
      rowSums(mean_factors(fit)$variance, na.rm = TRUE), rep(1, length(fit$feature_draws))
    )
    expect_equal(unname(attr(loadings_of(fit), "share")), colMeans(!is.na(naive$share)))
  }
  expect_null(attr(weights_of(plotted_factor()), "probability"))
  expect_null(attr(loadings_of(plotted_factor("factors")), "probability"))
})

test_that("\"loadings\" shows the common factors, starting with those that explain most", {
  for (sparse in c("loadings", "factors")) {
    fit <- plotted_factor(sparse)
    p <- plot(fit, "loadings")
    a <- loadings_of(fit)
    explained <- colMeans(naive_parts(fit)$share, na.rm = TRUE)
    names(explained) <- rownames(a)
    common <- names(which(colSums(features(fit)) > 1))
    factors <- names(sort(explained[common], decreasing = TRUE))
    panel <- build_plot(p)$layout$panel_params[[1]]
    expect_identical(sub("\n.*", "", panel$x$get_labels()), factors)
    expect_identical(
      sub(".*\n", "", panel$x$get_labels()), sprintf("%.0f %%", 100 * explained[factors])
    )
    # The axis is reversed by a minus sign.
    at <- panel$y$get_breaks()
    columns <- panel$y$get_labels()[order(abs(at))]
    expect_setequal(columns, colnames(a))
    shown <- matrix(p$data$value, ncol = length(factors))
    expect_equal(shown, t(a[factors, columns]), ignore_attr = TRUE)
    most <- apply(abs(shown), 1, which.max)
    expect_false(is.unsorted(most))
    for (k in unique(most)) expect_false(is.unsorted(-shown[most == k, k]))
    probability <- attr(a, "probability") %||% (0 * a + 1)
    tile <- build_plot(p)$data[[2]]
    area <- (tile$xmax - tile$xmin) * (tile$ymax - tile$ymin)
    expect_equal(area, 0.96^2 * as.vector(t(probability[factors, columns])))
    expect_identical(plot(fit)$labels$title, p$labels$title)
  }
})

test_that("\"factors\" shows the scores on the two factors that explain most", {
  fit <- plotted_factor()
  p <- plot(fit, "factors")
  first <- rownames(common_factors(fit)$loadings)[1:2]
  scores <- weights_of(fit)[, first]
  expect_setequal(paste(p$data$x, p$data$y), paste(scores[, 1], scores[, 2]))
  label <- Filter(function(layer) inherits(layer$geom, "GeomText"), p$layers)
  expect_length(label, 1)
  named <- build_plot(p)$data[[4]]
  expect_equal(named$x, unname(scores[named$label, 1]))
  expect_equal(named$y, unname(scores[named$label, 2]))
  expect_match(p$labels$x, sprintf("^%s, [0-9]+ %% of the variance\n", first[1]))
  top <- names(which.max(abs(loadings_of(fit)[first[1], ])))
  expect_match(p$labels$x, paste0("\n[+-] ", top))
  expect_length(plot(quick_factor(unname(scale(datasets::swiss))), "factors")$layers, 3)
})

test_that("\"chains\" counts the columns or rows that have each feature", {
  caption <- function(sparse) plot(plotted_factor(sparse), "chains")$labels$caption
  expect_match(caption("loadings"), "share of the columns that have")
  expect_match(caption("factors"), "share of the rows that have")
})

test_that("plots of a fit without common factors say that there are none", {
  fit <- factorless()
  for (type in c("loadings", "factors")) {
    built <- build_plot(plot(fit, type))
    expect_identical(
      built$data[[1]]$label, "The point estimate has no factor\nthat two or more columns share"
    )
  }
  build_plot(plot(fit, "loadings", dim = c(1, 5)))
  variance <- plot(fit, "variance")
  build_plot(variance)
  expect_identical(as.character(variance$data$part), c("other factors", "noise"))
  expect_equal(sum(variance$data$mean), 1)
  expect_identical(dim(attr(loadings_of(fit), "probability")), c(0L, 5L))
})

test_that("tidy() returns the probabilities of sparse loadings", {
  fit <- plotted_factor()
  tidied <- tidy(fit, "loadings")
  expect_identical(tidied$value, as.vector(loadings_of(fit)))
  expect_identical(tidied$probability, as.vector(attr(loadings_of(fit), "probability")))
  expect_named(tidy(plotted_factor("factors"), "loadings"), c("feature", "column", "value"))
})

test_that("loadings and weights of factors print as matrices and are numeric matrices", {
  for (m in list(loadings_of(kinds_of_fits()$loadings), weights_of(kinds_of_fits()$factors))) {
    shown <- utils::capture.output(back <- withVisible(print(m, digits = 3)))
    # The line below the loadings describes their transpose.
    matrix <- grep("^Factors x columns", shown, value = TRUE, invert = TRUE)
    expect_identical(matrix, utils::capture.output(print(bare(m), digits = 3)))
    expect_false(back$visible)
    expect_identical(back$value, m)
    expect_identical(dim(attr(m, "probability")), dim(m))
    expect_true(is.matrix(m) && is.numeric(m))
    expect_identical(m %*% diag(ncol(m)), bare(m) %*% diag(ncol(m)))
    expect_identical(m[1, ], bare(m)[1, ])
    expect_identical(as.data.frame(m), as.data.frame(bare(m)))
  }
})
