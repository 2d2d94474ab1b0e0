# The objects that occur in the calls of cases, by name: small data, and a short fit of every kind.
# They are made once and read by every child.

make_pool <- function() {
  set.seed(1)
  pool <- make_data()
  c(pool, list(fits = make_fits(pool)))
}

make_data <- function() {
  z <- ribp(8, 1.5)
  if (ncol(z) < 2) z <- cbind(rep(1:0, 4), rep(0:1, each = 4))
  x <- unclass(sim_images(8))[, 8:12]
  dimnames(x) <- list(paste0("row", 1:8), letters[1:5])
  topics <- sim_topics(8, 6, alpha = 2, gamma = 2, lengths = 12)
  list(
    z = z, x = x, x_na = replace(x, c(2, 9, 17), NA), y = (x > 0.4) * 1, positive = abs(x),
    sparse = Matrix::Matrix(replace(x, abs(x) < 0.6, 0), sparse = TRUE), dtm = topics$dtm,
    frame = data.frame(
      number = x[, 1], count = 0:7, kind = factor(rep(c("a", "b"), 4)), flag = x[, 2] > 0
    ),
    tree = ape::rcoal(8, tip.label = rownames(x)), cascade = rcascade(4, 1, 1), wins = celebrities
  )
}

make_fits <- function(pool) {
  short <- method_gibbs(chains = 2, iter = 12, cores = 1)
  quiet <- function(fit, ...) suppressWarnings(fit(..., seed = 1, verbose = FALSE))
  with(pool, list(
    gaussian = quiet(fit_gaussian, x_na, method = short),
    column = quiet(fit_gaussian, x, noise = "column", method = short),
    tree = quiet(fit_gaussian, x, prior = prior_pibp(tree), method = short),
    attraction = quiet(fit_gaussian, x, prior = prior_attraction(dist(x)), method = short),
    fixed = quiet(fit_choice, wins, prior = prior_fixed(diag(9)), method = short),
    sparse = quiet(fit_gaussian, sparse, method = short),
    nonnegative = quiet(fit_gaussian, positive, "nonnegative", method = short),
    meibp = quiet(fit_gaussian, positive, "nonnegative", method = method_meibp(4)),
    variational = quiet(fit_gaussian, x, method = method_variational(4)),
    beam = quiet(fit_gaussian, x, method = method_beam(3)),
    logistic = quiet(fit_logistic, y, method = short),
    factor = quiet(fit_factor, x, method = short),
    factors = quiet(fit_factor, x, sparse = "factors", method = short),
    mixed = quiet(fit_mixed, frame, method = short),
    choice = quiet(fit_choice, wins, method = short),
    topics = quiet(fit_topics, dtm, method = short),
    cascade = quiet(fit_cascade, x, method = short, init = init_cascade(c(3, 2))),
    icm = quiet(fit_nmf, positive, rank = 2),
    nmf = quiet(fit_nmf, positive, rank = 2, method = short)
  ))
}
