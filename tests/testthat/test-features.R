test_that("only draws that exist can be selected", {
  draws <- feature_draws(small_fit())
  expect_length(draws[2:3], 2)
  expect_length(draws[-1], length(draws) - 1)
  for (i in list(length(draws) + 1, NA, "a", list(1), raw(1), sum)) {
    expect_error(draws[i], "^`i` must be among the \\d+ draws")
  }
})

test_that("features are columns in every model, and rows are as documented", {
  kinds <- kinds_of_fits()
  side <- c(
    gaussian = "row", meibp = "row", logistic = "row", loadings = "column", factors = "row",
    mixed = "row", choice = "item", topics = "document", cascade = "visible unit"
  )
  for (name in names(side)) {
    fit <- kinds[[name]]
    z <- features(fit)
    expect_identical(traits_of(fit)$side, side[[name]])
    expect_identical(nrow(z), traits_of(fit)$rows$n)
    expect_identical(colnames(z), paste0(if (name == "topics") "t" else "f", seq_len(ncol(z))))
    expect_identical(rownames(z), traits_of(fit)$rows$names)
    expect_true(all(z %in% c(0L, 1L, NA)))
    a <- loadings_of(fit)
    if (name != "choice") expect_identical(rownames(a), colnames(z))
  }
})

test_that("features_of() equals features(), even after library(tm)", {
  for (fit in list(small_fit(), kinds_of_fits()$topics)) {
    expect_identical(features_of(fit), features(fit))
  }
  expect_refusals(features_of, "fit", list(NULL, 3))
  skip_if_not_installed("NLP")
  expect_true("features" %in% getNamespaceExports("NLP"))
  expect_false("features_of" %in% getNamespaceExports("NLP"))
})

# Stability of features.

#' True for draws in which some feature (or its complement if `both`) shares two thirds of its rows
#' with z; draws x features, computed with sets of rows
has_by_hand <- function(z, draws, both) {
  same <- function(a, b) 3 * length(intersect(a, b)) >= 2 * length(union(a, b))
  rows <- seq_len(nrow(z))
  found <- lapply(as.list(draws), function(y) {
    vapply(seq_len(ncol(z)), function(k) {
      of_z <- which(z[, k] == 1)
      any(vapply(seq_len(ncol(y)), function(l) {
        of_y <- which(y[, l] == 1)
        same(of_z, of_y) || both && same(of_z, setdiff(rows, of_y))
      }, NA))
    }, NA)
  })
  matrix(unlist(found), length(draws), ncol(z), byrow = TRUE)
}

test_that("stability is the share of draws that have nearly the same feature, in every model", {
  kinds <- sampled_kinds()
  kinds$halves <- quick_logistic(
    matrix(0:1, 20, 8), prior = prior_beta_bernoulli(2), method = method_gibbs(3, 60)
  )
  both <- c("logistic", "mixed", "halves")
  for (name in setdiff(names(kinds), c("nmf", "cascade", "loadings", "items", "factors"))) {
    fit <- kinds[[name]]
    z <- features(fit)
    found <- has_by_hand(replace(z, is.na(z), 0), feature_draws(fit), name %in% both)
    chain <- gl(nchains(fit), niterations(fit))
    of_chains <- lapply(split(seq_along(chain), chain), function(draws) {
      colMeans(found[draws, , drop = FALSE]) >= 0.1
    })
    chains <- Reduce(`+`, of_chains)
    table <- tidy(fit, "features")
    at <- match(table[[2]], colnames(z))
    expect_equal(table$stability, colMeans(found)[at])
    expect_equal(table$chains, chains[at])
    if (name == "topics") next
    shown <- sprintf("%.0f %%", 100 * head(colMeans(found), 10))
    expect_match(
      paste(capture.output(print(fit)), collapse = ""),
      gsub(", ", ", *", paste("that have it:", toString(shown))), perl = TRUE
    )
  }
})

test_that("complements count only in models with biases", {
  a <- rep(1:0, c(6, 14))
  half <- rep(0:1, 10)
  draws <- function(...) {
    z <- list(...)
    bits <- lapply(z, function(z) as.vector(apply(rbind(z, matrix(0L, 44, ncol(z))), 2, packBits)))
    new_feature_draws(20L, vapply(z, ncol, 1L), unlist(bits), NULL)
  }
  fit <- quick_logistic(matrix(0:1, 20, 3), method = method_gibbs(2, 8, warmup = 4))
  fit$features <- cbind(f1 = half, f2 = a)
  fit$internal["shares"] <- list(NULL)
  close <- replace(a, 1:2, 0L) # four of six rows
  far <- replace(a, 1:3, 0L)
  fit$feature_draws <- draws(
    cbind(half, a), cbind(1L - half), cbind(1L - close, half), cbind(far),
    cbind(a), cbind(close), cbind(1L - a), cbind(rep(1L, 20))
  )
  expect_equal(stability(fit), list(stability = c(3, 5) / 8, chains = c(1L, 2L)))
  fit$internal$model$traits$complements <- FALSE
  expect_equal(stability(fit), list(stability = c(2, 3) / 8, chains = c(1L, 2L)))
})

test_that("factors have the stability of their loadings, including the number of chains", {
  for (name in c("loadings", "factors")) {
    fit <- kinds_of_fits()[[name]]
    a <- loadings_of(fit)
    table <- unique(tidy(fit, "features")[c("feature", "stability", "chains")])
    expect_equal(table$stability, attr(a, "share")[table$feature], ignore_attr = TRUE)
    # Computed from the variance of each factor, which is NA in draws without the factor.
    has <- !is.na(mean_factors(fit)$variance[, seq_len(nrow(a)), drop = FALSE])
    chain <- rep(seq_len(nchains(fit)), each = niterations(fit))
    expect_equal(attr(a, "chains"), colSums(apply(has, 2, tapply, chain, mean) >= 0.1),
      ignore_attr = TRUE
    )
  }
})

test_that("known features and fits by optimisation have no stability", {
  known <- quick_logistic(prior = prior_fixed(cbind(a = rep(1:0, 5))))
  for (fit in list(known, kinds_of_fits()$meibp)) {
    expect_named(tidy(fit, "features"), c("row", "feature"))
    expect_no_match(capture.output(print(fit)), "draws that have it")
  }
})

test_that("with many rows and draws, stability is computed from evenly spaced draws", {
  fit <- small_fit()
  local_function("choose_draws", function(fit, ndraws) seq(1, length(fit$feature_draws), by = 2))
  odd <- has_by_hand(features(fit), feature_draws(fit)[c(TRUE, FALSE)], FALSE)
  expect_equal(rowMeans(matched_shares(fit)), colMeans(odd), ignore_attr = TRUE)
})
