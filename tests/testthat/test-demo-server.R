# The server logic of buffet_demo(), without a browser.

skip_if_not_installed("shiny")
skip_if_not_installed("bslib")
skip_if_not_installed("callr")

test_that("customers come, go back and play until all have come", {
  shiny::testServer(demo_draw_server, {
    session$setInputs(
      customers = 5, alpha = 2, concentration = 1, discount = 0, seed = 3, left_ordered = FALSE
    )
    session$elapse(300)
    expect_match(output$says, "^Customer 5 takes")
    session$setInputs(forward = 1)
    expect_match(output$says, "^Customer 5 takes")
    session$setInputs(back = 1)
    session$setInputs(back = 2)
    expect_match(output$says, "^Customer 3 takes")
    session$setInputs(forward = 2)
    expect_match(output$says, "^Customer 4 takes")
    session$setInputs(forward = 3)
    session$setInputs(play = 1)
    expect_match(output$says, "^Customer 1 takes")
    session$elapse(410)
    expect_match(output$says, "^Customer 2 takes")
    session$setInputs(play = 2)
    session$elapse(2000)
    expect_match(output$says, "^Customer 2 takes")
    session$setInputs(play = 3)
    for (step in 1:6) session$elapse(410)
    expect_match(output$says, "^Customer 5 takes")
    expect_identical(draw()$z, draw_customers(5, 2, 1, 0, 3)$z)
    session$setInputs(alpha = 4, seed = 4)
    session$elapse(300)
    expect_identical(draw()$z, draw_customers(5, 4, 1, 0, 4)$z)
    session$setInputs(seed = 1.5)
    session$elapse(300)
    expect_error(output$says, "`seed` must be NULL or one whole number, not 1.5.", fixed = TRUE)
  })
})

test_that("the chain is stepped, played, paused and restarted", {
  shiny::testServer(demo_watch_server, {
    session$setInputs(images_n = 20, noise = 0.5, moves = "with", sweeps = "5", seed = 2)
    session$elapse(300)
    expect_match(output$says, "^After 1 sweep: ")
    session$setInputs(step = 1)
    expect_match(output$says, "^After 6 sweeps: ")
    session$setInputs(play = 1)
    session$elapse(310)
    session$setInputs(play = 2)
    made <- sweeps_made(fit())
    expect_gt(made, 6)
    session$elapse(1000)
    expect_identical(sweeps_made(fit()), made)
    first <- as_draws(fit())
    session$setInputs(restart = 1)
    expect_match(output$says, "^After 1 sweep: ")
    session$setInputs(sweeps = as.character(made - 1), step = 2)
    expect_identical(as_draws(fit()), first)
    session$setInputs(seed = NA)
    session$elapse(300)
    session$setInputs(step = 3)
    expect_error(output$says)
  })
})

#' Lets time pass until the fit has ended
wait_for_fit <- function(session, done) {
  for (attempt in 1:200) {
    Sys.sleep(0.1)
    session$elapse(260)
    if (!is.null(done())) break
  }
}

test_that("a fit that runs is named, with its seconds", {
  job <- list(call = quote(fit_factor(x)), began = seconds_now())
  expect_match(as.character(show_demo_state(job, NULL)), "fit_factor is running: 0 s")
})

test_that("data are fitted in another process and shown, and problems are told", {
  shiny::testServer(demo_data_server, {
    session$setInputs(
      source = "iris: 150 flowers", columns = names(iris)[1:4], model = "fit_factor", iter = 40,
      chains = 1, seed = 1
    )
    expect_identical(output$size, "150 rows and 5 columns")
    expect_match(output$why, "^Numbers: rows have factors")
    session$setInputs(fit = 1)
    wait_for_fit(session, fitting$done)
    expect_identical(
      as_draws(fitting$done()$fit),
      as_draws(fit_factor(iris[1:4],
        scale = TRUE, method = method_gibbs(chains = 1, iter = 40), seed = 1, verbose = FALSE
      ))
    )
    expect_match(output$print, "Sparse factor analysis of 150 rows and 4 columns")
    expect_match(output$summary, "n_common")
    expect_match(output$code, "plot(fit, \"loadings\")", fixed = TRUE)
    session$setInputs(type = "trace")
    expect_match(output$code, "plot(fit, \"trace\")", fixed = TRUE)
    expect_match(output$code, "data[c(\"Sepal.Length\"", fixed = TRUE)
    written <- as.matrix(utils::read.csv(output$features, row.names = 1))
    expect_identical(written, features(fitting$done()$fit))
    session$setInputs(iter = 5, fit = 2)
    expect_match(output$state$html, "`iterations` must be one whole number of at least 10")
    session$setInputs(iter = 40, model = "fit_logistic", fit = 3)
    expect_match(output$state$html, "demo-problem")
  })
})

test_that("a file is taken, a bad one told, and a fit stopped", {
  file <- withr::local_tempfile(fileext = ".csv")
  utils::write.csv(swiss, file)
  bad <- withr::local_tempfile(fileext = ".csv")
  file.create(bad)
  shiny::testServer(demo_data_server, {
    session$setInputs(source = "file", iter = 20000, chains = 1, seed = 1)
    expect_error(output$size, "Choose a CSV file.")
    session$setInputs(file = list(datapath = file, name = "swiss.csv"))
    expect_identical(output$size, "47 rows and 6 columns")
    session$setInputs(columns = names(swiss), model = "fit_gaussian", fit = 1)
    expect_match(output$state$html, "fit_gaussian is running")
    process <- fitting$job()$process
    expect_true(process$is_alive())
    session$setInputs(stop = 1)
    process$wait(2000)
    expect_false(process$is_alive())
    expect_match(output$state$html, "press Fit")
    session$setInputs(file = list(datapath = bad, name = "bad.csv"), fit = 2)
    expect_error(output$size, "`file` must be text .*, not empty.")
    expect_match(output$state$html, "`file` must be text .*, not empty.")
  })
})
