# Factor models of data frames with counts and other families: densities, predictions,
# reproducibility, errors.

family_loadings <- rbind(
  c(1.5, 0), c(1, 0), c(0.8, 0), c(0.7, 0), c(0.8, 0), c(0, 1.2), c(0, 1), c(0, 0.8), c(0, 0.6)
)

#' Simulated data with two true factors: an ordinal column, a yes/no column, numbers, and counts
sim_families <- function(n, seed = 1) {
  withr::with_seed(seed, {
    scores <- matrix(rnorm(2 * n), n)
    eta <- tcrossprod(scores, family_loadings)
    u <- eta + rnorm(9 * n)
    data.frame(
      o = ordered(findInterval(u[, 1], c(-1, 0, 1))), n = 10 * u[, 2] + 100,
      c = rnbinom(n, 3, mu = exp(1 + eta[, 3])), p = rpois(n, exp(2 + eta[, 4])),
      l = exp(3 + u[, 5]), y = u[, 6] > 0.3, g = u[, 7],
      b = rbinom(n, 8, plogis(0.5 + eta[, 8])), q = rnbinom(n, 2, mu = exp(2 + eta[, 9]))
    )
  })
}

of_families <- c(
  c = "negative_binomial", p = "poisson", l = "lognormal", b = "binomial(8)",
  q = "negative_binomial", n = "gaussian", g = "gaussian"
)

with_holes <- function(x) {
  for (j in seq_along(x)) x[3 * j, j] <- NA
  x
}

quick_families <- function(x = with_holes(sim_families(60)), ..., iter = 200, seed = 1, cores = 1) {
  suppressWarnings(fit_factor(x, of_families, ...,
    method = method_gibbs(2, iter, cores = cores), seed = seed, verbose = FALSE
  ))
}

test_that("log likelihoods of families agree with independent formulas", {
  fit <- quick_families()
  x <- with_holes(sim_families(60))
  draw <- length(fit$feature_draws)
  one <- factor_draw(fit, draw)
  eta <- tcrossprod(one$weights, one$loadings)
  items <- drawn_items(fit, draw)
  kept <- matrix(select_loadings(fit, draw), fit$internal$model$loading_width)[, 1]
  # Cut points and sizes are in the order of the columns, and the levels of counts follow.
  own <- tail(kept, 3 + 1 + 1 + 1 + 4)
  p <- function(j) own[6 + j]
  sum_of <- function(values) sum(values, na.rm = TRUE)
  normal <- function(values, j) {
    scaled <- (values - mean(values, na.rm = TRUE)) / sd(values, na.rm = TRUE)
    sum_of(dnorm(scaled, eta[, j], one$sigma_x[j], log = TRUE) - log(sd(values, na.rm = TRUE)))
  }
  edges <- c(-Inf, own[1:3], Inf)
  category <- as.integer(x$o)
  mean_of <- function(j, level) exp(log(mean(x[[j]], na.rm = TRUE)) + level + eta[, j])
  expected <- c(
    sum_of(log(pnorm(edges[category + 1], eta[, 1]) - pnorm(edges[category], eta[, 1]))),
    normal(x$n, 2),
    sum_of(dnbinom(x$c, own[4], mu = mean_of(3, p(1)), log = TRUE)),
    sum_of(dnbinom(x$p, 100 * mean(x$p, na.rm = TRUE), mu = mean_of(4, p(2)), log = TRUE)),
    normal(log(x$l), 5) - sum_of(log(x$l)),
    sum_of(log(ifelse(x$y, pnorm(eta[, 6] - own[5]), pnorm(own[5] - eta[, 6])))),
    normal(x$g, 7),
    sum_of(dbinom(x$b, 8, plogis(p(3) + eta[, 8]), log = TRUE)),
    sum_of(dnbinom(x$q, own[6], mu = mean_of(9, p(4)), log = TRUE))
  )
  found <- colSums(matrix(log_densities(fit, model_data(fit), draw), 60), na.rm = TRUE)
  expect_equal(found, expected, tolerance = 1e-10)
  of_core <- posterior::extract_variable(posterior::as_draws(fit), "log_lik")
  expect_equal(of_core[draw], sum(expected), tolerance = 1e-10)
  expect_equal(rowSums(log_lik(fit)), of_core, tolerance = 1e-8)
})

test_that("fits with families recover the true loadings", {
  fit <- once("recovered families", quick_families(sim_families(500), iter = 800))
  expect_identical(as.integer(names(which.max(table(scalar(fit, "n_common"))))), 2L)
  loadings <- t(fit$loadings)
  matched <- match_signed(family_loadings, loadings)
  found <- sweep(loadings[, matched$to], 2, matched$sign, "*")
  units <- replace(rep(1, 9), 2, 10)
  # The data hardly determine the ratio of the first column's utilities to their noise.
  expect_lt(max(abs(found / units - family_loadings)[-1, ]), 0.3)
  covariance <- vcov(fit)
  expect_true(all(eigen(covariance)$values > 0))
})

test_that("the noise of counts is the variance of an estimate of their linear predictor", {
  of <- list(column = 1, family = "binomial", size = 400, level = -1, center = log(60), shape = 30)
  near <- function(found, expected) expect_equal(found, expected, tolerance = 0.1)
  p <- withr::with_seed(1, stats::rbinom(1e4, of$size, stats::plogis(of$level)) / of$size)
  near(count_variance(of, matrix(0, 1, 1)), stats::var(stats::qlogis(p)))
  of <- utils::modifyList(of, list(family = "negative_binomial", level = 0))
  y <- withr::with_seed(1, stats::rnbinom(1e4, size = of$shape, mu = 60))
  near(count_variance(of, matrix(0, 1, 1)), stats::var(log(y)))
})

test_that("the plot of a fit shows columns of all families in units of standard deviations", {
  fit <- quick_families()
  data <- plot(fit, "fit")$data
  parts <- split(data$value, list(data$column, data$part), drop = TRUE)
  observed <- parts[grepl("[.]observed$", names(parts))]
  expect_length(observed, ncol(model_data(fit)))
  for (values in observed) {
    expect_equal(c(mean(values, na.rm = TRUE), sd(values, na.rm = TRUE)), c(0, 1))
  }
  residual <- parts[grepl("[.]residual$", names(parts))]
  expect_lt(max(abs(unlist(residual)), na.rm = TRUE), max(abs(unlist(observed)), na.rm = TRUE) + 3)
})

test_that("predictions are means for counts and medians for lognormal columns", {
  fit <- quick_families()
  all <- seq_along(fit$feature_draws)
  expected <- 0
  for (draw in all) {
    one <- factor_draw(fit, draw)
    eta <- tcrossprod(one$weights, one$loadings)
    items <- drawn_items(fit, draw)
    x <- with_holes(sim_families(60))
    shift <- mean(log(x$l), na.rm = TRUE)
    of_draw <- cbind(
      c = exp(log(mean(x$c, na.rm = TRUE)) + items$c$level + eta[, 3]),
      b = 8 * plogis(items$b$level + eta[, 8]),
      l = exp(shift + sd(log(x$l), na.rm = TRUE) * eta[, 5])
    )
    expected <- expected + of_draw / length(all)
  }
  expect_equal(fitted(fit)[, c("c", "b", "l")], expected, ignore_attr = TRUE)
  drawn <- withr::with_seed(1, posterior_predict(fit))
  expect_true(all(drawn[, , c("c", "p", "b", "q")] >= 0) && all(drawn[, , "b"] <= 8))
  expect_true(all(drawn[, , c("c", "p", "b", "q")] %% 1 == 0))
  means <- apply(drawn, 3, mean)
  expect_equal(means[c("c", "p", "b", "q")], colMeans(fitted(fit))[c("c", "p", "b", "q")],
    tolerance = 0.1
  )
  new <- sim_families(5, seed = 2)
  found <- predict(fit, new)
  expect_true(all(is.finite(found)) && all(found[, "l"] > 0))
  expect_identical(unname(predict(fit, new[1:2, ])), unname(found[1:2, ]))
  missing <- sum(is.na(x))
  density <- heldout_density(fit, sim_families(60))
  expect_length(density, missing)
  # For numbers, the same is true in the units of the data.
  value <- sim_families(60)$n[6]
  by_draw <- vapply(all, function(draw) {
    entries <- factor_entries(fit, draw)
    dnorm(value, entries$mean[6, 2], matrix(entries$sigma_x, 60)[6, 2])
  }, 0)
  expect_equal(density[2], log(mean(by_draw)))
})

test_that("new rows with counts are predicted with their scores integrated out", {
  fit <- quick_families(sim_families(80), iter = 100)
  sizes <- scalar(fit, "n_features")
  draw <- which(sizes == 2)[1]
  skip_if(is.na(draw))
  rows <- check_like(fit, with_holes(sim_families(20, seed = 2))[1:4, ], "newdata")
  many <- vapply(1:400, function(seed) {
    new_items(fit, rows, draw, row_plan(fit, seed = seed))
  }, matrix(0, 9, 4))
  one <- factor_draw(fit, draw)
  items <- drawn_items(fit, draw)
  grid <- as.matrix(expand.grid(rep(list(seq(-5, 5, by = 0.1)), 2)))
  mean <- from_model_units(fit, tcrossprod(grid, one$loadings))
  sd <- rep(one$sigma_x * column_units(fit), each = nrow(grid))
  expected <- vapply(1:4, function(i) {
    at <- matrix(rows[i, ], nrow(grid), 9, byrow = TRUE)
    densities <- stats::dnorm(at, mean, sd, log = TRUE)
    densities <- weigh_items(items, densities, at, list(mean = mean, sigma_x = sd))
    of_row <- rowSums(densities, na.rm = TRUE) - rowSums(grid^2) / 2
    weight <- exp(of_row - max(of_row))
    drop(weight %*% in_model_units(fit, expect_items(items, mean))) / sum(weight)
  }, numeric(9))
  error <- apply(many, 1:2, mean) - expected
  expect_lt(max(abs(error) / (apply(many, 1:2, sd) / sqrt(400) + 1e-12)), 4.5)
})

test_that("fits with families are the same if extended or saved, on any number of cores", {
  expect_same_runs(quick_families, sim_families(30))
})

test_that("families are chosen as in fit_mixed(), and the columns are scaled", {
  x <- sim_families(100)
  expect_message(
    fit <- suppressWarnings(
      fit_factor(x, method = method_gibbs(1, 20), seed = 1, verbose = FALSE)
    ), "negative_binomial for"
  )
  families <- vapply(fit$internal$model$others, `[[`, "", "family")
  chosen <- vapply(x, default_family, "")
  expect_identical(families, chosen[names(families)])
  expect_identical(column_units(fit)[7], sd(x$g))
  unscaled <- suppressWarnings(suppressMessages(
    fit_factor(x, scale = FALSE, method = method_gibbs(1, 20), seed = 1, verbose = FALSE)
  ))
  expect_identical(column_units(unscaled)[7], 1)
  numbers <- suppressWarnings(
    fit_factor(x[c("n", "g")], method = method_gibbs(1, 20), seed = 1, verbose = FALSE)
  )
  expect_identical(column_units(numbers), c(1, 1))
})

test_that("codes for missing entries, identifiers and unused levels are reported", {
  x <- data.frame(
    id = 1:40, a = replace(rep(1:4, 10), 1:2, 99), b = rep(c("u", ""), 20),
    o = factor(rep(c("low", "high"), 20), c("low", "mid", "high"), ordered = TRUE)
  )
  told <- function(...) paste(capture_messages(factor_items(...)), collapse = "")
  said <- told(x, c(a = "ordinal"))
  expect_match(said, "missing entries: 99 in a, \"\" in b\\. .*`x\\$a\\[x\\$a %in% 99\\] <- NA`")
  expect_match(said, "id looks like an identifier of the rows of `x`. To leave it out: `subset\\(x")
  expect_match(told(cbind(x, row = 1:40), NULL), "rows of `x`. To leave them out: `subset\\(x")
  expect_match(said, "unused factor levels in o\\.")
  m <- as.matrix(x[c("id", "a")])
  expect_match(told(unname(m), "gaussian"), "`x\\[, 2\\]\\[x\\[, 2\\] %in% 99\\] <- NA`")
  expect_no_match(told(x[1], c(id = "gaussian")), "identifier")
})

test_that("values outside the range of a family are rejected before the run", {
  x <- sim_families(20)
  fails <- function(regexp, ...) expect_error(fit_factor(...), regexp, class = "buffet_error")
  fails("Did you mean \"gaussian\"", x, "normal")
  for (name in c("count", "counts")) fails("Did you mean \"negative_binomial\"", x, c(c = name))
  fails("\"binomial\" needs the number of trials: \"binomial\\(10\\)\"\\.$", x, c(b = "binomial"))
  fails("whole numbers of at least 0 in the column \"g\"", x, c(g = "poisson"))
  fails("positive numbers in the column \"g\"", x, c(g = "lognormal"))
  fails("have values of at most 3 in the column \"b\"", x, c(b = "binomial(3)"))
  fails("numbers in the column \"o\"", x, c(o = "negative_binomial"))
  fails("two values in the column \"o\"", x, c(o = "bernoulli"))
  fails("a count above 0 in the column \"z\"", data.frame(z = 0, o = x$o), c(z = "poisson"))
  fails("not a formula: models take no formula", x, ~x)
  fails("not a matrix of strings", as.matrix(x))
  fails("which is \"poisson\", not -1\\.$", data.frame(z = rep(-1, 20), o = x$o), c(z = "poisson"))
  fit <- quick_families(sim_families(30), iter = 20)
  expect_match(describe_data(fit), ", including 2 ordinal, 2 negative_binomial, 1 poisson")
  lines <- withr::with_options(list(width = 20), wrap_text("most often 4 of the draws 42 % of 9 %"))
  expect_identical(lines, c("most often 4 of the", "  draws 42 % of 9 %"))
  expect_error(predict(fit, transform(x, c = c - 100)), "at least 0 in the column \"c\"")
})

test_that("missing entries of data frames are drawn from factor models, and classes are kept", {
  x <- with_holes(sim_families(60))
  x$text <- rep(c("a", "b", "a"), 20)
  x$text[2] <- NA
  fit <- suppressMessages(quick_families(x))
  copies <- complete(fit, length(fit$feature_draws))
  for (copy in copies[1:5]) {
    expect_false(anyNA(copy))
    expect_identical(lapply(copy, class), lapply(x, class))
    expect_identical(lapply(copy, levels), lapply(x, levels))
    for (name in names(x)) {
      seen <- !is.na(x[[name]])
      expect_identical(copy[[name]][seen], x[[name]][seen])
    }
    expect_true(all(copy$b %in% 0:8) && all(copy$c == round(copy$c)) && all(copy$l > 0))
  }
  of <- function(i, name) vapply(copies, function(copy) as.numeric(copy[[name]][i]), 0)
  drawn <- withr::with_seed(1, posterior_predict(fit))
  expect_same_mean <- function(a, b) {
    expect_lt(abs(mean(a) - mean(b)) / sqrt(var(a) / length(a) + var(b) / length(b)), 4.5)
  }
  # The numbers in `n` are centred at 100 and differ between rows.
  expect_same_mean(of(6, "n"), drawn[, 6, "n"])
  expect_same_mean(of(21, "g"), drawn[, 21, "g"])
  expect_same_mean(log(of(15, "l")), log(drawn[, 15, "l"]))
  for (level in 1:4) expect_same_mean(of(3, "o") == level, drawn[, 3, "o"] == level)
  expect_same_mean(of(18, "y"), drawn[, 18, "y"])
  expect_identical(complete(fit, 3, seed = 5), complete(fit, 3, seed = 5))
  expect_false(identical(complete(fit, 3, seed = 5), complete(fit, 3)))
  expect_identical(suppressMessages(augment(fit))[names(x)], tibble::as_tibble(x))
})

test_that("missing whole numbers are completed by whole numbers in matrices and data frames", {
  x <- withr::with_seed(1, cbind(a = rpois(40, 50), b = rpois(40, 60), c = rnorm(40)))
  x[cbind(1:3, 1:3)] <- NA
  frame <- transform(as.data.frame(x), a = as.integer(a))
  of_matrix <- complete(quick_factor(x), 5)
  of_frame <- complete(quick_factor(frame), 5)
  expect_identical(lapply(of_frame[[1]], class), lapply(frame, class))
  expect_equal(of_frame, of_matrix)
  expect_true(all(of_matrix[[5]][, c("a", "b")] == round(of_matrix[[5]][, c("a", "b")])))
  expect_false(of_matrix[[5]][3, "c"] == round(of_matrix[[5]][3, "c"]))
  expect_true(of_matrix[[5]]$a[1] >= min(x[, "a"], na.rm = TRUE))
  expect_identical(dim(complete(quick_factor(x), 2, "long")), c(120L, 5L))
})

test_that("values that are not whole are reported in ordinal columns of whole numbers", {
  x <- data.frame(a = rep(1:3, 10), b = c(2.5, rep(1:2, 14), 1), c = rep(c(0.5, 1.5), 15))
  short <- method_gibbs(chains = 1, iter = 20)
  expect_message(
    fit_factor(x, "ordinal", method = short, seed = 1, verbose = FALSE),
    "^Ordinal columns with values that are not whole, each of which is a category: b \\(1\\)\\.\n$"
  )
})

test_that("columns without values stay empty, equal names and many categories are reported", {
  empty <- transform(swiss[1:4], Education = NA)
  fit <- suppressWarnings(suppressMessages(quick_factor(empty, method = method_gibbs(1, 20))))
  expect_message(copy <- complete(fit, 1)[[1]], "missing entries: Education\\.")
  expect_true(all(is.na(copy$Education)))
  expect_error(fit_factor(setNames(swiss, rep("a", 6))), "unique, non-empty column names")
  many <- data.frame(a = rep(sprintf("c%02d", 1:21), 2), b = sin(1:42), d = cos(1:42))
  expect_message(factor_items(many, NULL), "a \\(21\\)\\. `subset\\(x, select = -a\\)` leaves one")
  expect_false(".resid" %in% names(suppressMessages(augment(quick_families()))))
})
