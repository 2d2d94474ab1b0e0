# Major factors of factor models: number, rotated loadings, communalities, scores and item curves.

#' One standardised draw, computed in loops that do not call the functions under test
naive_draw <- function(fit, draw) {
  one <- factor_draw(fit, draw)
  k <- Filter(function(k) sum(one$loadings[, k] != 0) > 1, seq_len(ncol(one$loadings)))
  total <- one$sigma_x^2
  for (j in seq_along(total)) total[j] <- total[j] + sum(one$loadings[j, ]^2)
  s <- one$loadings[, k, drop = FALSE]
  for (j in seq_along(total)) s[j, ] <- s[j, ] / sqrt(total[j])
  common <- s %*% t(s)
  list(common = common, total = common + diag(1 - diag(common)), scores = one$weights[, k])
}

test_that("communalities, eigenvalues and the number of factors follow from drawn correlations", {
  fit <- major_fit()
  found <- major_factors(fit)
  draws <- lapply(major_which(fit), naive_draw, fit = fit)
  number <- vapply(draws, function(d) sum(eigen(d$total)$values > 1), 1)
  expect_equal(as.vector(found$number), as.vector(table(number) / length(number)))
  expect_identical(names(found$number), names(table(number)))
  values <- vapply(draws, function(d) eigen(d$common)$values, numeric(12))
  kept <- seq_len(nrow(found$eigenvalues))
  expect_equal(found$eigenvalues$estimate, rowMeans(values)[kept])
  expect_equal(found$eigenvalues$conf.low, unname(apply(values, 1, quantile, 0.05)[kept]))
  expect_equal(found$eigenvalues$share[3], sum(rowMeans(values)[1:3]) / sum(rowMeans(values)))
  # The part of the correlations that is explained by the three largest eigenvalues
  shared <- vapply(draws, function(d) {
    of <- eigen(d$common)
    rowSums(sweep(of$vectors[, 1:3]^2, 2, of$values[1:3], "*"))
  }, numeric(12))
  expect_equal(found$columns$communality, rowMeans(shared))
  expect_equal(found$columns$conf.high, unname(apply(shared, 1, quantile, 0.95)))
  common <- rowMeans(vapply(draws, function(d) diag(d$common), numeric(12)))
  expect_equal(found$columns$minor, common - rowMeans(shared))
  sums <- with(found$columns, communality + minor + uniqueness)
  expect_equal(sums, rep(1, 12))
  expect_equal(sum(found$variance$sum_of_squares), sum(found$columns$communality))
  expect_equal(found$variance$share, found$variance$sum_of_squares / 12)
})

test_that("the number of major factors does not depend on the rotation, and is at most K", {
  for (seed in 1:20) {
    s <- withr::with_seed(seed, matrix(rnorm(24), 8) * (runif(24) < 0.6))
    s <- s / sqrt(rowSums(s^2) + 1)
    r <- tcrossprod(s)
    diag(r) <- 1
    expect_identical(n_major(s), sum(eigen(r)$values > 1 + 1e-9))
    expect_lte(n_major(s), 3)
    turn <- qr.Q(qr(withr::with_seed(seed, matrix(rnorm(9), 3))))
    expect_identical(n_major(s %*% turn), n_major(s))
  }
  expect_identical(n_major(matrix(0, 4, 0)), 0L)
  expect_identical(n_major(matrix(0, 4, 2)), 0L)
})

test_that("rotated factors explain as much as the principal axes, and their scores are rotated", {
  fit <- major_fit()
  skip_if_not_installed("GPArotation")
  for (rotate in c("varimax", "promax", "oblimin")) {
    major <- rotate_draws(fit, rotate = rotate)
    scores <- 0
    for (i in seq_along(major$which)) {
      d <- naive_draw(fit, major$which[i])
      of <- eigen(d$common)
      best <- of$vectors[, 1:3] %*% (of$values[1:3] * t(of$vectors[, 1:3]))
      l <- major$loadings[, , i]
      correlations <- turned_correlations(major$turned[[i]])
      expect_equal(diag(correlations), rep(1, 3))
      expect_equal(l %*% correlations %*% t(l), best)
      # The product of scores and loadings is the projection of the common parts on the principal
      # axes.
      s <- standard_factors(fit, major$which[i])
      rotated <- s$scores %*% major$turned[[i]]$axes %*% t(solve(major$turned[[i]]$turn))
      along <- s$scores %*% t(s$s) %*% of$vectors[, 1:3] %*% t(of$vectors[, 1:3])
      expect_equal(rotated %*% t(l), along)
      scores <- scores + rotated / length(major$which)
    }
    found <- major_factors(fit, rotate = rotate)
    expect_equal(found$scores$estimate, as.vector(scores))
    if (rotate == "varimax") expect_equal(found$correlations, diag(3), ignore_attr = TRUE)
  }
})

test_that("factors keep their positions and signs from draw to draw", {
  target <- withr::with_seed(2, matrix(rnorm(40), 10))
  moved <- target[, c(3, 1, 4, 2)] %*% diag(c(-1, 1, 1, -1))
  expect_equal((moved + 0.1) %*% order_like(moved + 0.1, target), target, tolerance = 0.3)
  # Six factors have equal sizes, so their order is arbitrary.
  s <- kronecker(diag(6), rep(0.8, 4)) + withr::with_seed(3, matrix(rnorm(144, sd = 0.05), 24))
  first <- rotate_draw(s, principal_axes(s, 6), "varimax")
  target <- s %*% first$axes %*% first$turn
  for (seed in 1:20) {
    other <- withr::with_seed(seed, {
      (s + rnorm(144, sd = 0.05)) %*% qr.Q(qr(matrix(rnorm(36), 6)))
    })
    of <- rotate_draw(other, principal_axes(other, 6), "varimax", target)
    expect_lt(max(abs(other %*% of$axes %*% of$turn - target)), 0.3)
  }
})

test_that("known factors, their loadings and scores, and local dependence are recovered", {
  known <- three_factors()
  found <- major_factors(major_fit())
  expect_identical(names(which.max(found$number)), "3")
  l <- matrix(found$loadings$estimate, 12)
  expect_true(all(colSums(l * (abs(l) > 0.5)) > 0))
  expect_true(all(diff(found$variance$sum_of_squares) < 0))
  truth <- known$truth / sqrt(rowSums(known$truth^2) + 0.36 + 0.25 * (1:12 %in% c(4, 12)))
  to <- apply(abs(cor(truth, l)), 1, which.max)
  expect_setequal(to, 1:3)
  sign <- sign(diag(cor(truth, l[, to])))
  expect_lt(max(abs(l[, to] %*% diag(sign) - truth)), 0.15)
  within <- found$loadings$conf.low <= as.vector((truth %*% diag(sign))[, order(to)]) &
    found$loadings$conf.high >= as.vector((truth %*% diag(sign))[, order(to)])
  expect_gt(mean(within), 0.7)
  most <- found$loadings$probability[found$loadings$factor == paste0("M", to[1])]
  expect_gt(min(most[1:4]), 0.95)
  expect_lt(max(most[5:12]), 0.05)
  scores <- matrix(found$scores$estimate, ncol = 3)[, to] %*% diag(sign)
  expect_gt(min(diag(cor(scores, known$scores))), 0.85)
  inside <- found$scores$conf.low < as.vector((known$scores %*% diag(sign))[, order(to)]) &
    found$scores$conf.high > as.vector((known$scores %*% diag(sign))[, order(to)])
  # The scores of the factor with two columns cannot be separated from the scores of the factors
  # with four columns.
  expect_lt(abs(mean(inside) - 0.9), 0.08)
  expect_setequal(unlist(found$pairs[1, 1:2]), c("v4", "v12"))
  expect_gt(found$pairs$conf.low[1], 0)
})

test_that("residual correlations are the part of the correlations that n factors do not explain", {
  l <- cbind(c(0.8, 0.7, 0.6, 0.7, 0, 0, 0.3, 0), c(0, 0, 0, 0.4, 0.8, 0.7, 0.6, 0.7))
  r <- tcrossprod(l)
  diag(r) <- 1
  off <- upper.tri(r)
  expect_lt(max(abs(residual_correlations(tcrossprod(l), 2)[off])), 1e-8)
  # Communalities are estimated, and a factor of two columns increases them in the common part.
  both <- tcrossprod(l) + tcrossprod(c(0.4, 0, 0, 0, 0.4, 0, 0, 0))
  left <- residual_correlations(both, 2)
  peer <- factanal(covmat = replace(both, cbind(1:8, 1:8), 1), factors = 2, n.obs = 1000)
  expected <- both - tcrossprod(peer$loadings)
  expect_lt(max(abs(left - expected)[off]), 0.03)
  expect_identical(which.max(left[off]), which(row(r)[off] == 1 & col(r)[off] == 5))
  expect_identical(residual_correlations(r, 0), r)
})

test_that("printed loadings are sorted by factor, and small ones are blank", {
  fit <- major_fit()
  lines <- capture.output(print(fit))
  expect_lte(max(nchar(lines)), 80)
  expect_identical(lines[seq_along(format(fit))], format(fit))
  expect_match(lines, "^Major factors: 3 \\(", all = FALSE)
  rows <- grep("^v[0-9]", lines, value = TRUE)
  found <- major_factors(fit)
  l <- matrix(found$loadings$estimate, 12)
  factor <- max.col(abs(l))
  name <- sub(" .*", "", rows)
  expect_identical(factor[match(name, found$columns$column)], rep(1:3, each = 4))
  # Each row shows a loading, the communality, the minor part and the uniqueness. Small loadings are
  # blank.
  numbers <- regmatches(rows, gregexpr("-?[.][0-9]{2}", rows))
  expect_identical(lengths(numbers), rep(4L, 12))
  shown <- as.numeric(vapply(numbers, `[`, "", 1))
  at <- match(name, found$columns$column)
  expect_lt(max(abs(shown - l[cbind(at, factor[at])])), 0.0051)
  expect_lt(max(abs(vapply(numbers, function(n) sum(as.numeric(n[2:4])), 1) - 1)), 0.016)
})

test_that("item curves are probabilities of answers with the other factors integrated out", {
  x <- withr::with_seed(3, {
    scores <- matrix(rnorm(600), 300)
    u <- scores %*% rbind(c(1, 1, 1, 0.6, 0, 0), c(0, 0, 0.5, 0.6, 1, 1)) + rnorm(1800)
    data.frame(lapply(1:6, function(j) findInterval(u[, j], if (j == 4) c(-1, 0.2) else 0.3)))
  })
  names(x) <- paste0("q", 1:6)
  fit <- suppressWarnings(fit_factor(x, "ordinal",
    method = method_gibbs(1, 30, warmup = 29), seed = 1, verbose = FALSE
  ))
  major <- rotate_draws(fit, n = 2)
  curves <- item_curves(4, fit, major, scores = c(-1, 0, 1.5))
  l <- major$loadings[4, , 1]
  on <- which.max(abs(l))
  cuts <- thresholds(fit)$estimate[thresholds(fit)$column == "q4"]
  one <- factor_draw(fit, 1)
  sd <- sqrt(1 + sum(one$loadings[4, ]^2))
  for (at in 1:3) {
    # Simulates the other factors and the noise.
    rest <- withr::with_seed(at, rnorm(4e5, sd = sqrt(1 - l[on]^2)))
    answer <- findInterval((l[on] * c(-1, 0, 1.5)[at] + rest) * sd, cuts)
    expect_lt(max(abs(curves$estimate[at + c(0, 3, 6)] - tabulate(answer + 1, 3) / 4e5)), 0.004)
  }
  binary <- item_curves(1, fit, major)
  expect_identical(unique(binary$category), "1")
  l <- major$loadings[1, , 1]
  expect_true(all(diff(binary$estimate) * sign(l[which.max(abs(l))]) > 0))
  drawn <- plot(fit, "items", which = c("q4", "q1"))
  expect_identical(sub(" .*", "", levels(drawn$data$item)), c("q4", "q1"))
  expect_error(plot(fit, "items", which = "q9"), "^`which` must be names of ordinal columns, not")
  expect_error(plot(fit, "scree", which = 1), "^`which` must be NULL unless")
})

test_that("scree plots show the eigenvalues, and fits of other classes are rejected", {
  fit <- major_fit()
  data <- plot(fit, "scree")$data
  draws <- lapply(major_which(fit), naive_draw, fit = fit)
  total <- rowMeans(vapply(draws, function(d) eigen(d$total)$values, numeric(12)))
  expect_equal(data$estimate[data$kind == "all variance"], total)
  common <- rowMeans(vapply(draws, function(d) eigen(d$common)$values, numeric(12)))
  expect_equal(data$estimate[data$kind == "common variance"], common)
  expect_error(plot(fit, "items"), "^`type` must be one of")
  rows <- quick_factor(small_factor_data(), sparse = "factors")
  expect_error(major_factors(rows), "^`fit` must have sparse loadings")
  expect_error(major_factors(1), "^`fit` must be a fit by fit_factor")
  expect_error(major_factors(fit, 13), "^`n` must be at most 12")
  expect_error(major_factors(fit, rotate = "quartimax"), "^`rotate` must be one of")
  expect_identical(nrow(major_factors(fit, 2)$variance), 2L)
})

test_that("fits without major factors return empty tables", {
  x <- withr::with_seed(1, matrix(rnorm(200), 40))
  fit <- quick_factor(x, prior = prior_ibp(1e-9), init = matrix(0, 5, 0))
  found <- major_factors(fit)
  expect_identical(c(found$number), c(`0` = 1))
  expect_identical(vapply(found[c("loadings", "variance", "scores")], nrow, 1L), c(
    loadings = 0L, variance = 0L, scores = 0L
  ))
  expect_equal(found$columns$uniqueness, rep(1, 5))
  expect_output(print(fit), "Major factors: 0 \\(100 %\\)")
})

test_that("oblimin finds the same rotation of one matrix of loadings as GPArotation", {
  skip_if_not_installed("GPArotation")
  s <- rbind(cbind(rep(0.8, 4), 0.1), cbind(0.1, rep(0.7, 4)), c(0.5, 0.5))
  s <- s + withr::with_seed(1, matrix(rnorm(18, sd = 0.05), 9))
  of <- rotate_draw(s, principal_axes(s, 2), "oblimin")
  expected <- GPArotation::oblimin(s %*% of$axes)
  expect_equal(s %*% of$axes %*% of$turn, expected$loadings, ignore_attr = TRUE)
  expect_equal(turned_correlations(of), expected$Phi, ignore_attr = TRUE)
  expect_gt(abs(turned_correlations(of)[1, 2]), 0.1)
})

test_that("print() shows columns of every factor, and columns without a printed loading last", {
  l <- cbind(c(rep(0.8, 6), 0.1, rep(0, 3)), c(rep(0, 7), 0.7, 0.6, 0.5))
  found <- structure(list(
    number = c("2" = 1), rotate = "varimax", loadings = data.frame(estimate = c(l)),
    columns = data.frame(
      column = letters[1:10], communality = 0.5, minor = 0, uniqueness = 0.5
    ),
    variance = data.frame(factor = c("M1", "M2"), sum_of_squares = 1:2, share = c(0.3, 0.2))
  ), class = "major_factors")
  rows_of <- function(...) {
    shown <- utils::capture.output(print(found, ...))
    substr(grep("^[a-j]  ", shown, value = TRUE), 1, 1)
  }
  expect_identical(rows_of(most = 4), c("a", "b", "h", "i"))
  expect_identical(rows_of(), c(letters[1:6], "h", "i", "j", "g"))
})
