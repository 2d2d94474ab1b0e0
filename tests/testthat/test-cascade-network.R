# The saved draws of a belief network, and how they are displayed.

test_that("draws, networks, features and loadings agree with the saved draws", {
  for (fit in cascade_fits()) {
    for (draw in unique(c(1, fit$internal$point, length(fit$feature_draws)))) {
      naive <- naive_cascade(fit, draw)
      widths <- lengths(lapply(naive, `[[`, "bias"))
      expect_identical(widths[1], ncol(model_data(fit)))
      z <- draw_features_cpp(unclass(fit$feature_draws), draw)
      expect_equal(c(colSums(z)), rowSums(naive[[1]]$z))
      at_hand <- draw_network_of(fit, draw)
      expect_length(at_hand, length(naive))
      for (m in seq_along(naive)) {
        expect_identical(at_hand[[m]]$bias, naive[[m]]$bias)
        expect_identical(at_hand[[m]]$precision, naive[[m]]$precision)
        expect_identical(at_hand[[m]]$weight, naive[[m]]$w[naive[[m]]$z == 1])
        expect_true(all(naive[[m]]$precision > 0))
        # Every hidden unit has a child.
        expect_gte(min(rowSums(naive[[m]]$z), 1), 1)
        if (m > 1) expect_equal(at_hand[[m]]$activations, tanh(naive[[m]]$x / 2))
      }
    }
  }
})

test_that("scalars are shown for layers that occur in a draw, and alphas if they are learned", {
  names <- posterior::variables(as_draws(cascade_fit()))
  deepest <- max(scalar(cascade_fit(), "n_layers"))
  m <- seq_len(deepest)
  expect_identical(names, c(
    "n_layers", paste0("width_", m), paste0("n_edges_", m), paste0("alpha_", c(0, m)), "log_lik",
    "log_joint"
  ))
  m <- seq_len(max(scalar(cascade_gaps(), "n_layers")))
  expect_identical(posterior::variables(as_draws(cascade_gaps())), c(
    "n_layers", paste0("width_", m), paste0("n_edges_", m), "concentration", "log_lik", "log_joint"
  ))
  expect_identical(
    posterior::variables(as_draws(cascade_bare())), c("n_layers", "log_lik", "log_joint")
  )
  for (prior in list(prior_cascade(alpha = 2), prior_cascade(alpha_deep = 0.5))) {
    shown <- posterior::variables(as_draws(quick_cascade(cascade_data(), prior = prior)))
    expect_identical("alpha_0" %in% shown, is_learned(prior$alpha))
    expect_identical("alpha_1" %in% shown, is_learned(prior$alpha_deep))
  }
  expect_true(all(scalar(cascade_gaps(), "alpha_0") == 2))
  expect_true(all(scalar(cascade_gaps(), "alpha_3") == 0.8))
  draws <- as_draws(cascade_fit())
  expect_identical(dim(draws)[1:2], c(20L, 2L))
  shown <- suppressWarnings(summary(cascade_fit())$table$variable)
  expect_identical(shown, grep("_([3-9]|[0-9]{2,})$", names, value = TRUE, invert = TRUE))
})

test_that("the network of a fit agrees with its most probable draw, with units ordered by size", {
  wide <- quick_cascade(
    cascade_data(20), init = init_cascade(c(20, 15, 10)), method = method_gibbs(1, 2)
  )
  for (fit in c(cascade_fits(), list(wide))) {
    net <- network(fit)
    naive <- naive_cascade(fit, fit$internal$point)
    expect_s3_class(net, "cascade_network")
    expect_named(net, paste0("layer_", seq_along(naive) - 1))
    columns <- colnames(model_data(fit)) %||% paste0("v", seq_len(ncol(model_data(fit))))
    # The biases identify the units.
    order <- list(seq_along(columns))
    for (m in seq_along(naive)) {
      names <- names(net[[m]]$bias)
      of <- match(net[[m]]$bias, naive[[m]]$bias)
      expect_setequal(of, seq_along(naive[[m]]$bias))
      expect_identical(unname(net[[m]]$precision), naive[[m]]$precision[of])
      above <- if (m < length(naive)) match(net[[m + 1]]$bias, naive[[m + 1]]$bias) else integer()
      expect_identical(unname(as.matrix(net[[m]]$weights)), naive[[m]]$w[above, of, drop = FALSE])
      expect_false(is.unsorted(rev(rowSums(naive[[m]]$z)[above])))
      shown <- seq_along(names)
      expect_identical(names, switch(min(m, 3), columns, paste0("f", shown), {
        paste0("l", m - 1, ".", shown)
      }))
      expect_identical(colnames(net[[m]]$weights), names)
      if (m > 1) expect_identical(names, rownames(net[[m - 1]]$weights))
    }
  }
})

test_that("features(), loadings_of() and tidy() agree with network()", {
  for (fit in cascade_fits()) {
    net <- network(fit)
    w <- as.matrix(net$layer_0$weights)
    expect_equal(loadings_of(fit), w, ignore_attr = TRUE)
    expect_identical(rownames(loadings_of(fit)), rownames(w))
    expect_identical(colnames(loadings_of(fit)), colnames(model_data(fit)))
    expect_identical(unname(features(fit)), unname(t(1L * (w != 0))))
    expect_identical(rownames(features(fit)), colnames(model_data(fit)))
    expect_length(feature_draws(fit), length(scalar(fit, "n_layers")))
    expect_identical(dim(coassignment(fit)), rep(ncol(model_data(fit)), 2))
    edges <- tidy(fit, "edges")
    expect_named(edges, c("layer", "child", "parent", "weight"))
    expect_identical(nrow(edges), as.integer(sum(vapply(net, \(l) length(l$weights@x), 1L))))
    for (m in seq_along(net)) {
      own <- edges[edges$layer == m - 1, ]
      there <- as.matrix(net[[m]]$weights)
      expect_identical(own$weight, as.double(there[cbind(own$parent, own$child)]))
    }
    scalars <- tidy(fit)
    expect_identical(scalars$term, posterior::variables(as_draws(fit)))
    expect_equal(scalars$estimate, unname(colMeans(scalars_of(fit))))
  }
})

test_that("fits, networks and priors of cascades are described", {
  names <- names(suppressWarnings(glance(cascade_fit())))
  expect_true(all(c("n_columns", "n_features", "n_layers", "n_edges_1", "log_joint") %in% names))
  expect_lte(length(capture.output(print(network(cascade_fit())))), 20)
  expect_true("The most probable draw has no layer." %in% format(cascade_bare()))
  expect_identical(capture.output(print(network(cascade_bare()))), c(
    "Network of 0 hidden layers", "  visible      8 units"
  ))
  one <- quick_cascade(
    cascade_data(), init = init_cascade(1), method = method_gibbs(1, 1, warmup = 0),
    prior = prior_cascade(max_layers = 1, max_units = 1)
  )
  expect_match(format(network(one)), "^  layer 1      1 unit$", all = FALSE)
  shown <- prior_summary(cascade_gaps())
  expect_identical(shown$parameter, c(
    "features", "alpha", "alpha_deep", "concentration", "weights", "biases", "sigma", "max_layers",
    "max_units", "range"
  ))
  expect_identical(rownames(shown), as.character(1:10))
  expect_identical(shown$learned, c(TRUE, FALSE, FALSE, rep(TRUE, 4), rep(FALSE, 3)))
})
