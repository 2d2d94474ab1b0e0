# buffet_demo(), whose page is in inst/app/app.R.

for (package in c("shiny", "bslib", "callr", "data.table")) skip_if_not_installed(package)
withr::local_package("shiny")
app <- new.env()
source(system.file("app", "app.R", package = "buffet"), local = app)

test_that("buffet_demo() passes on its arguments and serves a page that starts with the upload", {
  skip_if_not_installed("parallelly")
  port <- parallelly::freePort()
  serve <- function(port) buffet::buffet_demo(port = port, launch.browser = FALSE)
  child <- callr::r_bg(serve, list(port))
  withr::defer(child$kill())
  page <- NULL
  while (is.null(page) && child$is_alive()) {
    Sys.sleep(0.2)
    url <- sprintf("http://127.0.0.1:%d", port)
    page <- tryCatch(suppressWarnings(readLines(url)), error = function(e) NULL)
  }
  titles <- c("CSV file", "or an example", "Customers so far", "Sweeps so far")
  expect_false(is.unsorted(vapply(titles, function(title) grep(title, page)[1], 1L)))
})

test_that("\"Draw\" describes the last customer and uses a new seed for each draw", {
  draw <- list(dishes = cbind(c(1, 1), c(0, 1), c(0, 1)), tables = cbind(c(1, 1)))
  expect_identical(
    app$describe_customer(draw, 2),
    "Customer 2 takes 1 known and 2 new dishes and is number 2 at table 1."
  )
  testServer(app$server, {
    session$setInputs(
      customers = 3, alpha = 2, concentration = 1, discount = 0, draw_seed = 3, left_ordered = TRUE
    )
    draw <- app$draw_customers(2, 1, 0, 3)
    expect_identical(output$customer, app$describe_customer(draw, 3))
    session$setInputs(customers = 1, draw_seed = 4)
    expect_identical(output$customer, app$describe_customer(app$draw_customers(2, 1, 0, 4), 1))
    for (figure in c("dishes", "tables", "counts")) {
      expect_identical(readBin(output[[paste0(figure, "_png")]], "raw", 4)[2:4], charToRaw("PNG"))
    }
    session$setInputs(draw_seed = 1.5)
    expect_error(output$customer, "The seed must be a whole number.")
  })
})

test_that("\"Watch\" continues one chain, whose state can be inspected after every sweep", {
  start <- app$start_chain(20, 0.5, TRUE, 3)
  whole <- fit_gaussian(start$x,
    sigma_a = 1, seed = 3, init = matrix(repeatable(stats::rbinom, 3)(20, 1, 0.5)),
    method = method_gibbs(chains = 1, iter = 11, warmup = 0), verbose = FALSE
  )
  last <- app$features_at(whole, start$x, 11)
  # The loadings are a ridge regression on Z, computed as augmented least squares.
  ridge <- rbind(last$z, last$sigma * diag(ncol(last$z)))
  given <- rbind(start$x, matrix(0, ncol(last$z), ncol(start$x)))
  expect_equal(unname(last$loadings), unname(qr.coef(qr(ridge), given)))
  expect_identical(last$sigma, c(as_draws_array(whole)[11, 1, "sigma_x"]))
  testServer(app$server, {
    session$setInputs(images = 20, noise = 0.5, moves = "with", watch_seed = 3, sweep = 1)
    expect_match(output$chain, "^Sweep 1: features 1 \\(truth: 4\\), noise ")
    for (sweep in c(6, 11)) session$setInputs(sweep = sweep)
    says <- sprintf("Sweep 11: features %d (truth: 4), noise %.2f", ncol(last$z), last$sigma)
    expect_identical(output$chain, says)
    session$setInputs(sweep = 1)
    expect_match(output$chain, "^Sweep 1: ")
    for (figure in c("data_images", "features", "trace")) expect_no_warning(output[[figure]])
    session$setInputs(moves = "without")
    expect_match(output$chain, "^Sweep 1: ")
    session$setInputs(watch_seed = NA)
    expect_error(output$chain)
  })
})

write_lines <- function(..., env = parent.frame()) {
  file <- withr::local_tempfile(fileext = ".csv", .local_envir = env)
  writeLines(c(...), file)
  file
}

test_that("uploaded files are read, described and checked", {
  file <- withr::local_tempfile(fileext = ".csv")
  frame <- transform(swiss, Education = replace(Education, 3:4, NA))
  utils::write.csv(frame, file)
  read <- app$read_file(file, file)
  expect_equal(read$data, frame)
  for (line in read$code) eval(line)
  expect_identical(data, read$data)
  expect_identical(app$describe_source(read), c(
    "Rows: 47, columns: 6", "Missing entries: Education 2",
    "Column \"V1\" contains the row names."
  ))
  read <- app$read_file(write_lines("day;n;kind", "2020-01-01;1;a", "2020-01-02;;a", ";2;"), "f")
  expect_identical(read$data$kind, factor(c("a", "a", NA)))
  expect_identical(app$describe_source(read)[2:4], c(
    "Categories: kind", "Missing entries: day 1, n 1, kind 1",
    "Neither numbers nor categories, not used: day"
  ))
  lost <- app$read_file(write_lines("a;b", rep("1;2", 9), "1;2;3"), "f")
  expect_match(lost$notes, "Discarded single-line footer")
  refused <- function(message, ...) expect_error(app$read_file(write_lines(...), "f"), message)
  refused("header and at least two rows", "a,b", "1,2")
  refused("columns with the same name", "a,a", "1,2", "3,4")
  refused("not in UTF-8", "a", "\xe9", "a")
})

test_that("the models on offer are those that suit the columns", {
  suits <- function(data) sub(":.*", "", app$suitable_models(data))
  expect_identical(suits(iris), "fit_mixed")
  expect_identical(suits(swiss), c("fit_factor", "fit_gaussian", "fit_mixed"))
  expect_identical(suits(mtcars[c("vs", "am")])[1], "fit_logistic")
  expect_identical(suits(as.data.frame(matrix(rep(0:3, 30), 10)))[1], "fit_topics")
  expect_identical(suits(data.frame(winner = "a", loser = "b"))[1], "fit_choice")
  expect_identical(
    app$fit_call("fit_topics: counts of words", 2, 20, 1),
    quote(
      fit <- fit_topics(as.matrix(data), method = method_gibbs(chains = 2, iter = 20), seed = 1)
    )
  )
})

#' Waits until the job has finished
wait_for_job <- function(session, output) {
  for (attempt in 1:120) {
    if (!grepl("Running for", output$state$html)) break
    Sys.sleep(0.5)
    session$elapse(260)
  }
}

test_that("data are fitted in another process, and the fit can be run longer and downloaded", {
  skip_if_quick()
  enabled <- NULL
  # The summary warns that the chains disagree.
  suppressWarnings(classes = "buffet_rhat_warning", testServer(app$data_server, {
    session$sendCustomMessage <- function(type, message) enabled <<- names(Filter(isTRUE, message))
    session$setInputs(example = "swiss: 47 provinces", iter = 40, chains = 2, seed = 1)
    expect_match(output$state$html, "press Fit")
    expect_identical(enabled, character())
    session$setInputs(columns = names(swiss)[1:5], model = "fit_factor: numbers, sparse factors")
    expect_identical(enabled, "fit")
    session$setInputs(fit = 1)
    expect_identical(enabled, "stop")
    expect_match(output$state$html, "Running for [0-9]+ s")
    wait_for_job(session, output)
    expect_match(output$state$html, "Done in [0-9]+ s.*The chains .*Rhat")
    expect_identical(enabled, c("fit", "longer", "features_csv", "fit_figure_png"))
    session$setInputs(longer = 1)
    wait_for_job(session, output)
    method <- method_gibbs(chains = 2, iter = 40)
    longer <- suppressWarnings(update(
      fit_factor(swiss[1:5], scale = TRUE, method = method, seed = 1, verbose = FALSE),
      iter = 80, verbose = FALSE
    ))
    written <- as.matrix(utils::read.csv(output$features_csv, row.names = 1))
    expect_identical(written, features(longer))
    expect_match(output$summary, "2 chains of 80 sweeps", fixed = TRUE)
    session$setInputs(type = "trace")
    expect_match(output$code, "fit <- update(fit, iter = 80)", fixed = TRUE)
    expect_match(output$code, "plot(fit, \"trace\")", fixed = TRUE)
    # The code shown on the page must give the same fit.
    withr::local_dir(withr::local_tempdir())
    env <- new.env()
    utils::capture.output(suppressWarnings(eval(parse(text = output$code), env)))
    expect_identical(as_draws_array(env$fit), as_draws_array(longer))
    expect_no_error(output$fit_figure_png)
    session$setInputs(chains = 0, fit = 2)
    wait_for_job(session, output)
    expect_match(output$state$html, "^<p>`chains` must be one whole number of at least 1, not 0")
  }))
})
