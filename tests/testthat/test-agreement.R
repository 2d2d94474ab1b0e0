#' A fit in which the draws of one scalar are replaced; `values` has one column per chain
with_values <- function(fit, name, values) {
  fit$internal$scalars[, , name] <- values
  fit
}

#' The output of print(), with its line breaks removed
printed <- function(fit) gsub("\n *", " ", paste(capture.output(print(fit)), collapse = "\n"))

#' Draws of chains, each of which varies around its own mean
about <- function(means, draws = 300) {
  withr::with_seed(1, vapply(means, function(mean) stats::rnorm(draws, mean), numeric(draws)))
}

#' Rhat as computed by posterior from the draws that users see
rhats <- function(fit) {
  table <- posterior::summarise_draws(as_draws(fit), "rhat")
  stats::setNames(table$rhat, table$variable)
}
means_of <- function(fit) tapply(as_draws_df(fit)$log_joint, as_draws_df(fit)$.chain, mean)

# Starting points that short chains do not leave.
images <- withr::with_seed(1, sim_images(60, sigma = 0.05))
stuck <- function(..., iter = 8, sigma_x = 0.05) {
  starts <- list(list(features = matrix(1, 60, 1)), list(features = attr(images, "features")))
  method <- method_gibbs(chains = 2, iter = iter, warmup = 0)
  quick_fit(images, ..., sigma_x = sigma_x, sigma_a = 1, init = starts, method = method)
}

test_that("print() and summary() say which scalars differ, which chain is best, and by how much", {
  fit <- stuck(sigma_x = gamma_prior(1, 1))
  said <- printed(fit)
  largest <- sprintf("(Rhat up to %.2f, above 1.05)", max(rhats(fit), na.rm = TRUE))
  expect_match(said, largest, fixed = TRUE)
  expect_match(said, "the number of features, the noise, the log joint", fixed = TRUE)
  lead <- signif(diff(range(means_of(fit))), 3)
  text <- "Chain %d has the highest log joint, on average %.0f nats above the lowest chain."
  best <- sprintf(text, which.max(means_of(fit)), lead)
  expect_match(said, best, fixed = TRUE)
  expect_warning(summary(fit), "^The chains .*noise.* above 1.05\\)\\.")
})

test_that("chains are separated if their mean log joints differ by two standard deviations", {
  for (gap in c(1.9, 2.1)) {
    fit <- with_values(small_fit(), "log_joint", about(c(-9 + gap, -9)))
    draws <- as_draws_df(fit)
    within <- sqrt(mean(tapply(draws$log_joint, draws$.chain, stats::var)))
    expect_identical(diff(range(means_of(fit))) > 2 * within, gap > 2)
    said <- printed(fit)
    expect_identical(grepl("are separated in the log joint", said), gap > 2)
    expect_identical(grepl("do not yet agree on the log joint", said), gap < 2)
    longer <- "\\. (Chain 1 .* chain\\. )?Run longer: `update\\(fit, iter = 1200\\)`\\."
    expect_match(said, longer)
    # The best chain is named before it is referred to, and running longer comes first.
    start <- "Chain 1 has .*iter = 1200.*from the best one: `update\\(fit, init = best_chain"
    expect_identical(grepl(start, said), gap > 2)
    expect_identical(grepl("(agreement is then weaker evidence)", said, fixed = TRUE), gap > 2)
    expect_identical(grepl("Chain 1", said), gap > 2)
  }
})

test_that("a warning, print() and summary() each say once how the chains disagree", {
  fits <- list(
    separated = with_values(small_fit(), "log_joint", about(c(-9, -99))),
    slow = with_values(small_fit(), "log_joint", about(c(-9, -8.3))),
    plain = with_values(
      quick_fit(small_data(), method = method_gibbs(chains = 2, iter = 600, moves = 0)),
      "log_joint", about(c(-9, -99))
    )
  )
  for (fit in fits) {
    warned <- tryCatch(warn_of_difference(fit), warning = conditionMessage)
    expect_match(printed(fit), warned, fixed = TRUE)
    expect_identical(tryCatch(summary(fit), warning = conditionMessage), warned)
    expect_no_match(printed(suppressWarnings(summary(fit))), "The chains")
  }
})

test_that("the advice is valid for the model", {
  apart <- function(fit) {
    printed(with_values(fit, "log_joint", about(c(-99, -9), nrow(fit$internal$scalars))))
  }
  one <- quick_fit(small_data()[, 1, drop = FALSE], method = method_gibbs(2, 60))
  expect_no_match(apart(one), "change the model", fixed = TRUE)
  told <- "or change the model: `update(fit, noise = \"column\")`."
  expect_match(apart(small_fit()), told, fixed = TRUE)
  method <- method_gibbs(chains = 2, iter = 60)
  told <- "`update(fit, init = best_chain(fit))` (agreement is then weaker evidence)."
  for (fit in kinds_of_fits()[c("nonnegative", "column", "nmf")]) {
    expect_match(apart(fit), told, fixed = TRUE)
  }
  sparse <- Matrix::Matrix(abs(small_data()), sparse = TRUE)
  expect_match(apart(quick_fit(sparse, method = method)), told, fixed = TRUE)
  known <- quick_choice(prior = prior_fixed(diag(9)), method = method)
  expect_match(apart(known), "Run longer: `update(fit, iter = 120)`.", fixed = TRUE)
  expect_no_match(apart(known), "best_chain")
})

test_that("chains stuck at different values do not agree, although posterior returns NA", {
  fit <- with_values(small_fit(), "n_features", rep(4:5, each = 300))
  expect_true(is.na(rhats(fit)[["n_features"]]))
  expect_match(printed(fit), "the number of features \\(Rhat > 10, above 1.05\\)")
  expect_warning(table <- summary(fit)$table, "number of features")
  expect_identical(table$rhat[table$variable == "n_features"], Inf)
  expect_identical(glance(fit)$rhat_max, Inf)
})

test_that("nothing is reported for chains that agree, one chain, or a point estimate", {
  fits <- list(
    quick_fit(small_data(), method = method_gibbs(chains = 1, iter = 40)),
    quick_fit(small_data(), method = method_gibbs(chains = 2, iter = 2, warmup = 0)),
    quick_fit(abs(small_data()), "nonnegative", method = method_meibp(3)), icm_fit(), empty_fit(),
    with_values(small_fit(), "n_features", 4)
  )
  for (fit in fits) expect_no_match(printed(fit), "chains (are separated|do not)")
})

test_that("print() of chains that agree names the scalars with few effective draws", {
  fit <- small_fit()
  for (name in scalar_names(fit)) fit <- with_values(fit, name, about(c(0, 0)))
  settled <- "agree \\(Rhat at most 1\\.0[0-4]; at least (5|6)[0-9]{2} effective draws\\)\\."
  expect_match(printed(fit), settled)
  # If each value is repeated four times, there are a quarter as many effective draws.
  slow <- apply(about(c(0, 0), 75), 2, rep, each = 4)
  fit <- with_values(fit, "log_joint", slow)
  ess <- posterior::ess_bulk(slow)
  times <- 2^ceiling(log2(400 / ess))
  expect_match(printed(fit), fixed = TRUE, sprintf(
    "agree (Rhat at most %.2f), but there are few effective draws of the log joint (%.0f). %s",
    max(rhats(fit)), ess, sprintf("Run longer: `update(fit, iter = %d)`.", 600 * times)
  ))
  one <- best_chain(quick_fit(small_data(), method = method_gibbs(2, 60), seed = 1))
  expect_match(printed(one), "One chain with few effective draws of the ")
})

test_that("the point estimate of separated chains agrees with the best chain", {
  x <- withr::with_seed(1, sim_images(40))
  none <- matrix(0L, 40, 1)
  fit <- suppressWarnings(fit_gaussian(
    x, sigma_x = 0.5, sigma_a = 1, init = list(
      list(features = none + 1L), list(features = attr(x, "features"))
    ),
    method = method_gibbs(2, 60, warmup = 0, moves = 0), seed = 1, verbose = FALSE
  ))
  kept <- dim(fit$internal$scalars)[1]
  skip_if_not(isTRUE(disagreement(fit)$apart), "chains apart")
  best <- disagreement(fit)$best
  expect_identical((fit$internal$point - 1L) %/% kept + 1L, best)
  sizes <- fit$internal$scalars[, best, "n_features"]
  expect_identical(ncol(features(fit)), as.integer(names(which.max(table(sizes)))))
  expect_match(printed(fit), "Features: .* in the best chain")
})

test_that("the advice is to turn the extra moves on if the chains ran without them", {
  method <- method_gibbs(chains = 2, iter = 60, moves = 0)
  for (gap in c(0.5, 90)) {
    fit <- with_values(quick_fit(small_data(), method = method), "log_joint", about(c(gap, 0), 30))
    told <- "Turn the extra moves on: `update(fit, moves = NULL)`."
    expect_match(printed(fit), told, fixed = TRUE)
  }
  fit <- with_values(small_fit(), "log_joint", about(c(90, 0)))
  expect_no_match(printed(fit), "moves")
})

# fit_*() and update() warn if chains do not agree.

x <- withr::with_seed(1, sim_images(20))
method <- method_gibbs(chains = 2, iter = 20)

test_that("a run whose chains do not agree gives a single warning, which says what to do", {
  local_rhat_warnings()
  run <- with_warnings(quick_fit(x, method = method))
  expect_length(run$warned, 1)
  expect_match(
    run$warned, "^The chains .* \\(Rhat up to [0-9.]+, above 1.05\\)\\. .*`update\\(fit, "
  )
  found <- tryCatch(quick_fit(x, method = method), warning = identity)
  expect_s3_class(found, "buffet_rhat_warning")
  expect_null(conditionCall(found))
  quiet <- function(code) suppressWarnings(code, classes = "buffet_rhat_warning")
  expect_no_warning(fit <- quiet(quick_fit(x, method = method)))
  expect_no_warning(capture.output(print(fit)))
  expect_warning(summary(fit), class = "buffet_rhat_warning")
})

test_that("the code in the advice can be pasted and returns a fit", {
  local_rhat_warnings()
  for (iter in c(20, 60)) {
    warned <- with_warnings(fit <- quick_fit(x, method = method_gibbs(chains = 2, iter = iter)))$warned  # nolint: line_length_linter.
    code <- regmatches(warned, gregexpr("`update[^`]+`", warned))[[1]]
    expect_gt(length(code), 0)
    for (line in gsub("`", "", code)) {
      again <- suppressMessages(suppressWarnings(eval(str2lang(line), list(fit = fit))))
      expect_s3_class(again, "fit_gaussian")
    }
  }
})

test_that("update() also warns, but not if chains agree or if there is only one chain", {
  local_rhat_warnings()
  fit <- suppressWarnings(quick_fit(x, method = method))
  expect_warning(update(fit, iter = 30, verbose = FALSE), class = "buffet_rhat_warning")
  expect_no_warning(quick_fit(x, method = method_gibbs(chains = 1, iter = 20)))
  expect_no_warning(
    fit_gaussian(x, "nonnegative", method = method_meibp(4), seed = 1, verbose = FALSE)
  )
  local_function("rhat_of", function(values) 1.04)
  expect_no_warning(quick_fit(x, method = method))
  local_function("rhat_of", function(values) 1.06)
  expect_warning(quick_fit(x, method = method), "Rhat up to 1.06", class = "buffet_rhat_warning")
})
