# The page of buffet_demo() in Chromium.

skip_if_quick()
for (package in c("shiny", "bslib", "callr", "shinytest2", "chromote")) {
  skip_if_not_installed(package)
}
chromium <- c(Sys.getenv("CHROMOTE_CHROME"), Sys.which(c("chromium", "google-chrome")))
chromium <- chromium[nzchar(chromium)]
skip_if(length(chromium) == 0, "no Chromium")

#' The page, of this width
open_page <- function(width, env = parent.frame()) {
  withr::local_envvar(CHROMOTE_CHROME = chromium[[1]], .local_envir = env)
  # As root Chromium starts without its sandbox only.
  chromote::set_chrome_args(c("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"))
  # Inside the repository shinytest2 would compile the package anew.
  folder <- withr::local_tempdir(.local_envir = env)
  withr::local_dir(folder, .local_envir = env)
  writeLines("buffet:::demo_app()", "app.R")
  app <- shinytest2::AppDriver$new(folder,
    width = width, height = 900, load_timeout = 1e5, timeout = 6e4
  )
  withr::defer(app$stop(), envir = env)
  app
}

#' Shows a tab, whose outputs then have neither an error nor anything wider than the page
show_tab <- function(app, tab) {
  app$set_inputs(tab = tab, wait_ = FALSE)
  app$wait_for_idle()
  expect_identical(app$get_js("$('.shiny-output-error:visible').length"), 0L)
  expect_true(app$get_js("document.documentElement.scrollWidth <= window.innerWidth"))
}

test_that("every tab does what its buttons say", {
  app <- open_page(1200)
  show_tab(app, "Draw")
  says <- function(id) app$get_value(output = id)
  expect_match(says("draw-says"), "^Customer 25 takes")
  app$click("draw-back")
  expect_match(says("draw-says"), "^Customer 24 takes")
  app$click("draw-redraw")
  app$wait_for_idle()
  expect_equal(app$get_value(input = "draw-seed"), 2)
  app$click("draw-play")
  Sys.sleep(2)
  expect_identical(trimws(app$get_text("#draw-play")), "Pause")
  app$click("draw-play")
  app$wait_for_idle()
  expect_identical(trimws(app$get_text("#draw-play")), "Play")

  show_tab(app, "Watch")
  app$set_inputs(`watch-sweeps` = "5")
  app$click("watch-step")
  expect_match(says("watch-says"), "^After 6 sweeps: ")
  app$click("watch-restart")
  expect_match(says("watch-says"), "^After 1 sweep: ")

  show_tab(app, "Your data")
  app$set_inputs(`data-iter` = 50)
  app$click("data-fit")
  app$wait_for_value(output = "data-picture", timeout = 6e4)
  app$wait_for_idle()
  app$set_inputs(`data-shown` = "R code")
  expect_match(says("data-code"), "fit_mixed(data, method = method_gibbs(", fixed = TRUE)
  csv <- app$get_download("data-features")
  expect_identical(nrow(utils::read.csv(csv)), 150L)
})

test_that("a bad file gives a line on the page, and a good one is taken", {
  app <- open_page(1200)
  show_tab(app, "Your data")
  app$set_inputs(`data-source` = "file")
  upload <- function(...) {
    file <- withr::local_tempfile(fileext = ".csv")
    writeLines(c(...), file)
    app$upload_file(`data-file` = file)
    app$wait_for_idle()
    app$get_text("#data-size")
  }
  expect_match(upload("a,b", "1,2"), "`file` must have a header and at least two rows")
  expect_identical(upload("a,b", "1.5,2", "3.5,1", "2,0.5"), "3 rows and 2 columns")
  expect_identical(app$get_value(input = "data-model"), "fit_factor")
})

test_that("on a telephone nothing is wider than the page", {
  app <- open_page(400)
  for (tab in c("Draw", "Watch", "Your data")) show_tab(app, tab)
})
