# Tables have plain numeric columns, and all output of a fit reports the same number of features.

#' All data frames that functions return for a fit
tables_of <- function(fit) {
  quiet <- function(code) suppressMessages(suppressWarnings(code))
  told <- quiet(unclass(summary(fit)))
  own <- utils::getS3method("tidy", class(fit)[1], optional = TRUE)
  matrices <- eval(formals(own %||% tidy.buffet_fit)$matrix)
  tables <- c(
    Filter(is.data.frame, told), list(constant = as.list(told$constant)),
    lapply(matrices, function(matrix) tidy(fit, matrix)),
    list(quiet(glance(fit)), quiet(augment(fit)), prior_summary(fit))
  )
  if (inherits(fit, "fit_topics")) tables <- c(tables, list(topic_table(fit)))
  if (inherits(fit, "fit_choice")) tables <- c(tables, list(predict(fit, interval = "credible")))
  if (inherits(fit, "fit_mixed")) tables <- c(tables, list(predict(fit, type = "interval")))
  tables
}

is_plain <- function(column) is.factor(column) || is.atomic(column) && !is.object(column)

test_that("every column of every table is a plain vector", {
  for (fit in kinds_of_fits()) {
    for (table in tables_of(fit)) {
      for (column in as.list(table)) expect_true(is_plain(column))
    }
  }
})

test_that("Rhat has two decimals, or three if two would hide that it is large, and is at most 10", {
  expect_identical(
    format_rhat(c(1, 1.0689, 1.0501, 1.0504, 1.0506, 1.05, 9.996, 10.2, 3e17, Inf)),
    c("1.00", "1.07", "1.050", "1.050", "1.051", "1.05", "10.00", "> 10", "> 10", "> 10")
  )
  expect_identical(format_rhat(NA_real_), "NA")
  far <- small_fit()
  far$internal$scalars[, , "log_joint"] <- rep(1:4, each = 150)
  expect_warning(of_far <- summary(far), "\\(Rhat > 10, above 1.05\\)\\. ")
  expect_gt(max(of_far$table$rhat), 1e6)
  line <- grep("^ *log_joint", capture.output(print(of_far)), value = TRUE)
  expect_match(line, " > 10 ")
})

test_that("summary() is silent if posterior caps an effective sample size", {
  fit <- small_fit()
  alternating <- withr::with_seed(1, stats::filter(stats::rnorm(600), -0.9, "recursive"))
  fit$internal$scalars[, , "alpha"] <- matrix(alternating, 300)
  fit$internal$scalars[, , "sigma_a"] <- matrix(alternating, 300)
  capped <- capture_warnings(posterior::summarise_draws(as_draws(fit), "ess_bulk"))
  expect_gt(sum(grepl("ESS has been capped", capped)), 1)
  expect_no_message(said <- capture_warnings(summary(fit)))
  expect_no_match(c(said, "none"), "capped")
})

test_that("print(), features(), glance() and augment() report the same number of features", {
  for (name in setdiff(names(sampled_kinds()), c("nmf", "cascade"))) {
    fit <- kinds_of_fits()[[name]]
    n <- ncol(features(fit))
    expect_identical(glance(fit)$n_features, n)
    factor <- inherits(fit, "fit_factor")
    drawn <- scalar(fit, if (factor) "n_common" else "n_features")[trusted_draws(fit)]
    usual <- as.numeric(names(which.max(table(drawn))))
    expect_identical(if (factor) sum(colSums(features(fit)) > 1) else n, as.integer(usual))
    said <- grep("^(Features|Topics|Common factors): ", format(fit), value = TRUE)
    expect_match(said, sprintf("(: |most often )%d \\(", usual))
    if (name %in% c("choice", "topics")) next
    held <- grep("^[.]f[0-9]+$", names(suppressMessages(augment(fit))), value = TRUE)
    expect_length(held, n)
  }
})

test_that("of two equally probable numbers of features, the smaller one is chosen", {
  fit <- small_fit()
  sizes <- unclass(feature_draws(fit))$sizes
  counts <- table(sizes)
  two <- names(sort(counts, decreasing = TRUE))[1:2]
  same <- min(counts[two])
  which <- unlist(lapply(rev(sort(as.integer(two))), function(n) which(sizes == n)[seq_len(same)]))
  expect_identical(sizes[medoid_of(fit, which)], min(as.integer(two)))
})

test_that("singletons in the point estimate of factors are reported", {
  fit <- kinds_of_fits()$factors
  single <- sum(colSums(features(fit)) == 1)
  expect_match(
    format(fit), sprintf("on average \\(%d in the point estimate\\)", single), all = FALSE
  )
})

test_that("the point estimate of a cascade has the most probable number of layers", {
  fit <- kinds_of_fits()$cascade
  layers <- scalar(fit, "n_layers")
  usual <- as.integer(names(which.max(table(layers))))
  expect_length(network(fit), usual + 1)
  expect_match(
    format(fit), sprintf("Units of the most probable draw of %d layer", usual), all = FALSE
  )
  expect_identical(glance(fit)$n_features, ncol(features(fit)))
})

test_that("output names the features and what has them, and explains its numbers", {
  kinds <- kinds_of_fits()
  said <- function(fit) gsub("\n *", " ", paste(capture.output(print(fit)), collapse = "\n"))
  # Factor models show a table of loadings instead.
  sides <- c(gaussian = "Rows", choice = "Items")
  for (name in names(sides)) {
    size <- colSums(features(kinds[[name]]))[[1]]
    told <- "^.*%s that have each feature of the point estimate: %d.*\\(f1( to f[0-9]+)?\\)"
    expect_match(said(kinds[[name]]), sprintf(told, sides[[name]], size))
  }
  expect_match(said(kinds$icm), "fitted data: [0-9.]+ %, [0-9.]+ %, [0-9.]+ % \\(c1 to c3\\)$")
  for (name in c("gaussian", "topics", "cascade", "loadings")) {
    told <- "(Features|Topics|layers|factors): [0-9]+ (to|\\([0-9]+ %\\)).* of the draws"
    expect_match(said(kinds[[name]]), told)
  }
  for (fit in kinds) {
    lines <- capture.output(print(suppressWarnings(summary(fit))))
    title <- grep("^ *variable", lines) - 1
    expect_match(lines[title], "q5 to q95", label = class(fit)[1])
  }
  choice <- capture.output(print(suppressWarnings(summary(kinds$choice))))
  expect_match(choice, "^Aspects with .* \\(q5 to q95: its 90 % interval\\):$", all = FALSE)
  expect_match(choice, "in features that two items share", all = FALSE)
})

test_that("tidy() returns the posterior of every scalar", {
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

test_that("tidy() lists the ones in the features and the entries of the loadings", {
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

test_that("glance() returns one row with means and the worst diagnostics", {
  for (fit in all_fits()) {
    g <- glance(fit)
    s <- scalars_of(fit)
    expect_identical(dim(g), c(1L, 15L))
    expect_identical(g$nobs, nobs(fit))
    expect_identical(g$n_columns, ncol(fitted(fit)))
    counts <- table(s[, "n_features"])
    expect_identical(as.character(g$n_features), names(counts)[which.max(counts)])
    expect_identical(g$n_features, ncol(features(fit)))
    expect_equal(g$n_features_prob, max(counts) / nrow(s))
    # The smallest numbers that are not exceeded by at least 5 % and 95 % of the draws.
    below <- cumsum(counts) / nrow(s)
    ends <- as.numeric(names(counts)[c(which(below >= 0.05)[1], which(below >= 0.95)[1])])
    expect_equal(c(g$n_features_lower, g$n_features_upper), ends)
    for (name in c("alpha", "sigma_x", "sigma_a", "log_lik", "log_joint")) {
      expect_equal(g[[name]], mean(s[, name]))
    }
    expect_identical(c(g$chains, g$draws), c(2L, nrow(s)))
  }
  # As in print(), only the best chain is used if the chains are separated.
  fit <- small_fit()
  fit$internal$scalars[, 1, "log_joint"] <- fit$internal$scalars[, 1, "log_joint"] + 1e3
  of_best <- fit$internal$scalars[, 1, "n_features"]
  expect_equal(glance(fit)$n_features_prob, mean(of_best == ncol(features(fit))))
  expect_false(any(grepl("_prob", names(glance(kinds_of_fits()$meibp)))))
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
  # Row names that are only row numbers, as after head(), do not become a column.
  plain <- as.data.frame(unname(small_data()))
  f <- quick_fit(plain, method = method_gibbs(1, 10))
  again <- quick_fit(head(plain, 8), method = method_gibbs(1, 10))
  none <- list(augment(f), augment(again), augment(f, newdata = plain[1:3, ]))
  for (table in none) expect_false(".rownames" %in% names(table))
  expect_identical(augment(f, newdata = plain[4:5, ])$.rownames, c("4", "5"))
  # Columns whose names clash are renamed, with a message.
  x <- small_data()
  for (names in list(c("p", "p", "q"), c("p", NA, "q"), c("p", ".f1", ".resid"))) {
    colnames(x) <- names
    expect_message(b <- augment(quick_fit(x, method = method_gibbs(1, 10))), "New names")
    expect_false(anyDuplicated(names(b)) > 0 || anyNA(names(b)))
    expect_equal(as.matrix(b[2:4]), x, ignore_attr = TRUE)
  }
})
