# One short fit of every kind, each made once.

#' The function and the arguments that make a fit of every kind
calls_of_kinds <- function() {
  once("calls of kinds", {
    images <- withr::with_seed(1, sim_images(20))
    topics <- withr::with_seed(1, sim_topics(20, 15, alpha = 3, gamma = 2, lengths = 20))
    short <- method_gibbs(chains = 2, iter = 100, cores = 1)
    thin <- method_gibbs(chains = 2, iter = 200, thin = 10, cores = 1)
    flowers <- scale(iris[seq(1, 150, 5), 1:4])
    gaussian <- list(fit_gaussian, x = images, method = short)
    with <- function(...) utils::modifyList(gaussian, list(...))
    by <- function(method, ...) c(gaussian[1:2], list(method = method), list(...))
    list(
      gaussian = gaussian, column = with(noise = "column"),
      nonnegative = with(loadings = "nonnegative"),
      meibp = by(method_meibp(), loadings = "nonnegative"),
      variational = by(method_variational()), beam = by(method_beam()),
      logistic = list(fit_logistic, y = (images > 0.5) * 1, method = short),
      loadings = list(fit_factor, x = flowers, method = short),
      items = list(fit_factor, x = data.frame(lapply(attitude, cut, 4, labels = FALSE)),
        families = "ordinal", method = short
      ),
      factors = list(fit_factor, x = flowers, sparse = "factors", method = short),
      mixed = list(fit_mixed, data = iris[seq(1, 150, 5), ], method = short),
      choice = list(fit_choice, wins = celebrities, method = short),
      topics = list(fit_topics, dtm = topics$dtm, method = thin),
      cascade = list(fit_cascade, x = images, method = thin, init = init_cascade(c(6, 2))),
      icm = list(fit_nmf, x = images, rank = 3),
      nmf = list(fit_nmf, x = images, rank = 3, method = short)
    )
  })
}

#' The fit of a kind, made with some arguments changed
fit_kind <- function(name, ...) {
  call <- c(calls_of_kinds()[[name]], list(seed = 1, verbose = FALSE))
  call[...names()] <- list(...)
  do.call(call[[1]], call[-1])
}

#' Like fit_kind(), but with short chains; `cores` is the number of threads of fits by optimisation
brief_kind <- function(name, ..., iter = 20, cores = 1) {
  method <- calls_of_kinds()[[name]]$method %||% method_icm()
  if (inherits(method, "method_gibbs")) {
    method <- method_gibbs(2, iter, thin = min(method$thin, 5), cores = cores)
  } else if ("cores" %in% names(method)) {
    method$cores <- as.integer(cores)
  }
  fit_kind(name, method = method, ...)
}

kinds_of_fits <- function() {
  once("kinds", {
    names <- names(calls_of_kinds())
    stats::setNames(lapply(names, fit_kind), names)
  })
}

#' Makes the fits that many test files use
make_shared_fits <- function() {
  made <- list(
    kinds_of_fits(), all_fits(), cascade_fits(), topic_fits(), mixed_fit(), tree_choice(),
    small_logistic(), easy_point(), holes_point(), nmf_fits()
  )
  invisible(length(made))
}

sampled_kinds <- function() Filter(function(fit) inherits(fit, "fit_mcmc"), kinds_of_fits())
