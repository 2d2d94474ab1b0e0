# Properties that the fits of all models and methods share.

kinds <- names(calls_of_kinds())

#' Some rows of the data of a fit, for use as new rows
own_rows <- function(fit, which = 1:4) {
  rows <- fit$internal$model$data$frame %||% model_data(fit)
  rows[which, , drop = FALSE]
}

test_that("a seed, or set.seed(), gives the same fit on any number of cores", {
  for (name in kinds) {
    set.seed(3)
    before <- .Random.seed
    fit <- brief_kind(name)
    expect_identical(brief_kind(name, cores = 2), fit, label = name)
    expect_identical(.Random.seed, before)
    drawn <- brief_kind(name, seed = NULL)
    # A fit draws one number from R's generator, except for beam search, which draws none.
    after <- .Random.seed
    set.seed(3)
    if (name != "beam") sample.int(.Machine$integer.max, 1)
    expect_identical(.Random.seed, after)
    set.seed(3)
    expect_identical(brief_kind(name, seed = NULL), drawn, label = name)
    if (!inherits(fit, "fit_mcmc")) next
    expect_false(identical(brief_kind(name, seed = 2)$internal$scalars, fit$internal$scalars))
    chains <- unclass(as_draws(fit))[, , "log_lik"]
    expect_false(identical(chains[, 1], chains[, 2]))
  }
})

test_that("data frames, tibbles, integers and sparse matrices give the same fit as a matrix", {
  x <- unname(replace((small_data() > 0) * 1, c(3, 14), NA))
  dense_only <- c("column", "loadings", "factors")
  # One of these columns is constant, so it cannot be ordinal.
  for (name in setdiff(kinds, c("mixed", "choice", "topics", "items"))) {
    fit_to <- function(x) {
      data <- stats::setNames(list(x), names(calls_of_kinds()[[name]])[2])
      suppressWarnings(suppressMessages(do.call(brief_kind, c(name, data, iter = 6))))
    }
    fit <- fit_to(x)
    forms <- list(
      as.data.frame(x), `storage.mode<-`(x, "integer"), tibble::as_tibble(as.data.frame(x)),
      structure(x, more = 1), x == 1
    )
    for (form in forms) {
      other <- fit_to(form)
      expect_identical(other$internal$scalars, fit$internal$scalars, label = name)
      expect_identical(unname(fitted(other)), unname(fitted(fit)), label = name)
    }
    if (name %in% dense_only) next
    sparse <- fit_to(Matrix::Matrix(x, sparse = TRUE))
    expect_equal(fitted(sparse), fitted(fit), tolerance = 1e-5, label = name)
    expect_equal(residuals(sparse), residuals(fit), tolerance = 1e-5, label = name)
  }
})

test_that("a new row has the same prediction in every call, whichever rows are next to it", {
  for (name in setdiff(kinds, "choice")) {
    fit <- kinds_of_fits()[[name]]
    rows <- own_rows(fit)
    if (name != "topics") rows[1, 2] <- NA
    types <- eval(formals(getS3method("predict", class(fit)[1], TRUE) %||% predict.buffet_fit)$type)
    if (name %in% c("loadings", "items", "factors", "cascade")) types <- "response"
    ask <- function(rows, type) {
      if (type == "response") predict(fit, rows) else predict(fit, rows, type = type)
    }
    set.seed(1)
    before <- .Random.seed
    for (type in setdiff(types, c("prob", "class", "interval"))) {
      all <- ask(rows, type)
      expect_identical(ask(rows, type), all, label = name)
      expect_equal(ask(rows[4:3, ], type), all[4:3, ], tolerance = 1e-12, label = name)
      expect_equal(ask(rows[2, , drop = FALSE], type), all[2, , drop = FALSE], label = name)
      twice <- rows[c(1, 1), ]
      rownames(twice) <- NULL
      twice <- unname(as.matrix(ask(twice, type)))
      expect_identical(twice[1, ], twice[2, ], label = name)
    }
    expect_identical(.Random.seed, before)
  }
})

test_that("columns of new rows are matched by name, and an error names a missing column", {
  kinds <- kinds_of_fits()
  fits <- list(
    small_fit(), small_logistic(), mixed_fit(), cascade_fit(), icm_holes(), easy_point(),
    kinds$loadings, kinds$factors
  )
  for (fit in fits) {
    rows <- own_rows(fit)
    answer <- predict(fit, rows)
    expect_identical(predict(fit, rows[, rev(colnames(rows))]), answer)
    lacking <- sprintf("^`newdata` must have .*; it lacks \"%s\": add it as ", colnames(rows)[2])
    expect_error(predict(fit, rows[, -2]), lacking)
    if (is.data.frame(rows)) next
    expect_identical(predict(fit, as.data.frame(rows)), answer)
    expect_identical(unname(predict(fit, unname(rows))), unname(answer))
    expect_identical(unname(predict(fit, rows[3, ])), unname(answer[3, , drop = FALSE]))
  }
})

test_that("every fit can be plotted, and its printed output, summary and tables are short", {
  for (name in kinds) {
    fit <- kinds_of_fits()[[name]]
    shown <- list(
      print = capture.output(print(fit)),
      summary = suppressWarnings(capture.output(print(summary(fit))))
    )
    # If several scalars disagree between chains, there is one more line.
    most <- if (name %in% c("factors", "topics", "items")) 21 else 20
    for (what in names(shown)) expect_lte(length(shown[[what]]), most, label = paste(name, what))
    expect_identical(nrow(suppressWarnings(glance(fit))), 1L)
    for (table in list(suppressWarnings(tidy(fit)), suppressMessages(augment(fit)))) {
      expect_s3_class(table, "tbl_df")
      expect_gt(nrow(table), 0)
    }
    method <- getS3method("plot", class(fit)[1], optional = TRUE) %||% plot.buffet_fit
    types <- setdiff(eval(formals(method)$type), c(
      "tree", "layers", if (name != "items") "items", if (name == "factors") "scree"
    ))
    # All fits of a class have the same types of plots.
    if (name %in% c("column", "nonnegative", "variational", "beam", "factors", "icm")) {
      types <- types[sized(1, seq_along(types))]
    }
    if (!inherits(fit, "fit_mcmc")) types <- setdiff(types, c("n_features", "chains"))
    expect_identical(plot(fit)$labels$title, plot(fit, types[1])$labels$title)
    for (type in types) {
      expect_gt(nchar(build_plot(plot(fit, type))$plot$labels$title), 0, label = paste(name, type))
    }
  }
})

test_that("densities and replicates have the shape of the data in all fits", {
  for (name in kinds) {
    fit <- kinds_of_fits()[[name]]
    count <- length(fit$feature_draws)
    by_entry <- withr::with_seed(1, log_lik(fit, ndraws = min(count, 5)))
    expect_true(all(is.finite(by_entry)))
    if (name != "choice") {
      by_row <- withr::with_seed(1, log_lik(fit, by = "row", ndraws = min(count, 5)))
      expect_identical(ncol(by_row), nobs(fit))
      expect_equal(rowSums(by_row), rowSums(by_entry), label = name)
    }
    drawn <- posterior_predict(fit, ndraws = 3)
    expect_identical(dim(drawn)[1:2], c(3L, nobs(fit)))
    expect_true(all(is.finite(drawn)))
    simulated <- simulate(fit, 2, seed = 1)
    expect_length(simulated, 2)
    expect_identical(simulate(fit, 2, seed = 1), simulated)
    expect_false(identical(simulated[[1]], simulated[[2]]))
    set.seed(1)
    state <- .Random.seed
    if (name != "mixed") expect_identical(attr(simulate(fit, 2), "seed"), state, label = name)
    expect_s3_class(logLik(fit), "logLik")
    expect_identical(attr(logLik(fit), "nobs"), nobs(fit))
  }
})

#' Unusual matrices that are valid data
odd_matrices <- function(x) {
  list(
    one_entry = x[1, 1, drop = FALSE], one_row = x[1, , drop = FALSE],
    one_column = x[, 1, drop = FALSE], wide = t(x), zero = 0 * x, constant = 0 * x + 1,
    no_row = replace(x, row(x) == 3, NA), no_column = replace(x, col(x) == 2, NA),
    checkerboard = replace(x, (row(x) + col(x)) %% 2 == 0, NA),
    one_left = replace(NA * x, 5, 1), copies = x[rep(1:3, 4), ], collinear = cbind(x, x %*% 1:3),
    flags = x > 0.5, tiny = x * 1e-50, huge = x * 1e50
  )
}

test_that("all functions of fits to unusual data work, whatever the model and the method", {
  chain <- function(sampler = NULL) method_gibbs(1, 12, sampler = sampler)
  gaussian <- function(...) function(x) fit_gaussian(x, ..., seed = 1, verbose = FALSE)
  models <- list(
    collapsed = gaussian(method = chain()),
    uncollapsed = gaussian(method = chain("uncollapsed"), center = TRUE),
    column = gaussian(noise = "column", method = chain()),
    nonnegative = gaussian("nonnegative", method = chain()),
    meibp = gaussian("nonnegative", method = method_meibp(4)),
    variational = gaussian(method = method_variational(4)),
    power_ep = gaussian(method = method_power_ep(4)), beam = gaussian(method = method_beam(3, 4)),
    logistic = \(x) quick_logistic((x > 0.5) * 1, method = chain()),
    factor = \(x) quick_factor(x, method = chain()),
    cascade = \(x) {
      quick_cascade(x, method = chain(), range = if (length(unique(x[!is.na(x)])) < 2) c(-1, 2))
    },
    icm = \(x) quick_nmf(x, 2), nmf = \(x) nmf_chains(x, 2, chains = 1, iter = 12)
  )
  x <- unname(abs(small_data()))
  all <- expand.grid(case = names(odd_matrices(x)), name = names(models), stringsAsFactors = FALSE)
  # The quick tier covers every case and every model, but not every combination.
  for (n in seq(1, nrow(all), by = sized(4, 1))) {
    case <- all$case[n]
    name <- all$name[n]
    told <- paste(name, case)
    data <- odd_matrices(x)[[case]]
    fit <- suppressMessages(suppressWarnings(models[[name]](data)))
    expect_identical(dim(fitted(fit)), dim(data), label = told)
    new <- fitted(fit)[1, , drop = FALSE]
    if (inherits(fit, "fit_logistic")) new <- round(new)
    answers <- list(
      if (inherits(fit, "fit_mcmc")) as_draws(fit) else objective(fit), fitted(fit),
      loadings_of(fit), predict(fit, new), predict(fit, replace(new, 1, NA)),
      posterior_predict(fit, ndraws = 1)
    )
    for (answer in answers) expect_true(all(is.finite(answer)), label = told)
    expect_identical(is.na(residuals(fit)), is.na(data), label = told)
  }
})
