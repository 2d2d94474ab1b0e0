# A short fit of every kind, made once.

kinds_of_fits <- function() {
  once("kinds", {
    images <- withr::with_seed(1, block_images(20))
    topics <- withr::with_seed(1, rftm(20, 15, alpha = 3, gamma = 2, lengths = 20))
    short <- method_gibbs(chains = 2, iter = 100, cores = 1)
    thin <- method_gibbs(chains = 2, iter = 200, thin = 10, cores = 1)
    flowers <- scale(iris[seq(1, 150, 5), 1:4])
    quiet <- function(fit, ...) fit(..., seed = 1, verbose = FALSE)
    list(
      gaussian = quiet(fit_gaussian, images, method = short),
      column = quiet(fit_gaussian, images, noise = "column", method = short),
      nonnegative = quiet(fit_gaussian, images, "nonnegative", method = short),
      meibp = quiet(fit_gaussian, images, "nonnegative", method = method_meibp()),
      variational = quiet(fit_gaussian, images, method = method_variational()),
      beam = quiet(fit_gaussian, images, method = method_beam()),
      logistic = quiet(fit_logistic, (images > 0.5) * 1, method = short),
      loadings = quiet(fit_factor, flowers, method = short),
      factors = quiet(fit_factor, flowers, sparse = "factors", method = short),
      mixed = quiet(fit_mixed, iris[seq(1, 150, 5), ], method = short),
      choice = quiet(fit_choice, celebrities, method = short),
      topics = quiet(fit_topics, topics$dtm, method = thin),
      cascade = quiet(fit_cascade, images, method = thin, init = init_cascade(c(6, 2))),
      icm = quiet(fit_nmf, images, rank = 3),
      nmf = quiet(fit_nmf, images, rank = 3, method = short)
    )
  })
}

sampled_kinds <- function() Filter(function(fit) inherits(fit, "fit_mcmc"), kinds_of_fits())
