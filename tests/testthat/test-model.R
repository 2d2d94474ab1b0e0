# What is new, a model, a prior or a method, is asked what it can do; nothing is assumed of it.

registerS3method(
  "format", "prior_sticky", function(x, ...) "Z ~ sticky", envir = asNamespace("buffet")
)

prior_sticky <- function(alpha = 2, stickiness = gamma_prior(1, 1)) {
  structure(list(alpha = alpha, stickiness = stickiness), class = c("prior_sticky", "buffet_prior"))
}

model_of <- function(fit) fit$internal$model

test_that("every field of a model counts where a run is resumed, and is named", {
  fits <- list(small_fit(), small_logistic(), easy_point())
  for (fit in fits) {
    run <- list(model = model_of(fit), method = fit$method)
    run$key <- run_key(run, NULL)
    saved <- list(key = run$key)
    expect_null(check_same_run(saved, run))
    # What was given to make the data is told by the data.
    fields <- setdiff(names(run$model), c("data", "sigma", "given", "traits"))
    for (field in fields) {
      other <- run
      other$model[[field]] <- "another"
      other$key <- run_key(other, NULL)
      expect_error(check_same_run(saved, other), sprintf("the same `%s`", field))
    }
    other <- run
    other$model$new <- 1
    other$key <- run_key(other, NULL)
    expect_error(check_same_run(saved, other), "the same `new`")
    expect_error(check_same_run(list(key = other$key), run), "the same `new`")
    other$model <- replace(run$model, "sigma", list(list(sigma_x = 7, sigma_a = 8)))
    other$key <- run_key(other, NULL)
    expect_error(check_same_run(saved, other), "the same `sigma_[xa]`")
  }
})

test_that("a run is not resumed by another method, though its arguments are the same", {
  run <- list(model = model_of(easy_point()), planned = method_variational())
  saved <- list(key = run_key(run, NULL))
  run$planned <- method_power_ep()
  run$key <- run_key(run, NULL)
  expect_error(check_same_run(saved, run), "^`file` must hold a run with the same `method`")
})

test_that("hyperparameters of a new prior are learned, started, shown and handed on by its names", {
  prior <- prior_sticky()
  expect_identical(learned_by(prior), c(alpha = FALSE, stickiness = TRUE))
  start <- check_init(list(stickiness = 3), 8, learned_by(prior), prior, method_gibbs(1, 2))[[1]]
  expect_identical(start$values, c(alpha = NA, stickiness = 3))
  expect_error(
    check_init(list(alpha = 3), 8, learned_by(prior), prior, method_gibbs(1, 2)), "is fixed"
  )
  fit <- small_fit()
  fit$internal$model$prior <- prior
  names <- dimnames(fit$internal$scalars)
  names[[3]][names[[3]] == "concentration"] <- "stickiness"
  dimnames(fit$internal$scalars) <- names
  expect_true(all(c("alpha", "stickiness") %in% scalar_names(fit)))
  expect_identical(rownames(prior_of_next(fit, 1:3)$hyper), c("alpha", "stickiness"))
  expect_identical(prior_summary(fit)$parameter[1:3], c("features", "alpha", "stickiness"))
  expect_identical(prior_summary(fit)$learned[1:3], c(TRUE, FALSE, TRUE))
})

test_that("a new prior is offered nothing that it does not say it has", {
  model <- model_of(small_fit())
  model$prior <- prior_sticky()
  samplers <- gaussian_samplers(model$data$x, "normal", "common", model$prior)
  expect_identical(samplers, c("collapsed", "uncollapsed"))
  model$traits$samplers <- samplers
  expect_error(check_model(method_gibbs(sampler = "slice"), model), "^`sampler` must be one of")
  for (method in list(method_variational(), method_power_ep(), method_beam())) {
    expect_error(
      check_model(method, model), "^`prior` must be exchangeable for method_.*sticky\\.$"
    )
  }
  expect_error(check_new_rows(model$prior, 1), "^`newdata` must be NULL")
})

test_that("a likelihood that lacks an answer stops", {
  fit <- structure(unclass(small_fit()), class = c("fit_poisson", "fit_mcmc", "buffet_fit"))
  questions <- list(
    fitted, mean_loadings, function(fit) predict(fit, small_data()), posterior_predict, log_lik,
    function(fit) predict(fit, small_data(), type = "features"), format,
    function(fit) density_at(fit, 1, cbind(0L, 0L), 0)
  )
  for (ask in questions) {
    expect_error(ask(fit), "no applicable method for '[a-z_]+' applied to .*fit_poisson")
  }
})

test_that("a method that is not known to a model is refused, by all models", {
  method <- structure(list(), class = c("method_foo", "buffet_method"))
  fits <- list(small_fit(), small_logistic(), easy_point())
  for (fit in fits) expect_error(check_model(method, model_of(fit)), "^`method` must be .*foo\\.$")
  expect_error(quick_fit(small_data(), method = method), "^`method` must be .*foo\\.$")
  expect_error(fit_nmf(small_data()^2, 2, method = method), "^`method` must be .*foo\\.$")
})
