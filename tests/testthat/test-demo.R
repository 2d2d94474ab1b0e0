# The logic behind buffet_demo(): draws, the chain that is watched, files, models and code.

test_that("the restaurant and the buffet have as many tables and dishes as expected", {
  expect_identical(draw_customers(20, 3, 1, 0, 1), draw_customers(20, 3, 1, 0, 1))
  draws <- lapply(1:400, function(seed) draw_customers(15, 2, 1.5, 0.3, seed))
  tables <- vapply(draws, function(draw) max(draw$tables), 1L)
  dishes <- vapply(draws, function(draw) ncol(draw$z), 1L)
  error <- function(n) 4 * stats::sd(n) / sqrt(length(n))
  expect_lt(abs(mean(tables) - draws[[1]]$occupied[15]), error(tables))
  expect_lt(abs(mean(dishes) - draws[[1]]$dishes[15]), error(dishes))
  expect_equal(draws[[1]]$occupied[1:2], c(1, 1 + (2 + 0.3) / (1 + 2)))
  expect_identical(draw_customers(1, 2, 1, 0, 1)$tables, 1L)
})

test_that("a draw customer by customer is the draw of all customers, cut off", {
  draw <- draw_customers(12, 3, 1, 0, 4)
  expect_true(is_sequential(first_customers(draw$z, 5)))
  expect_identical(first_customers(draw$z, 12), draw$z)
  seats <- seat_matrix(draw$tables, 7)
  expect_identical(max.col(seats), draw$tables[1:7])
  expect_true(all(rowSums(seats) == 1))
  draw <- list(z = cbind(c(1, 1, 0), c(0, 1, 1), c(0, 0, 1)), tables = c(1L, 1L, 2L))
  expect_identical(describe_customer(draw, 3), c(
    "Customer 3 takes 1 of the old dishes and 1 new one.",
    "In the restaurant customer 3 opens table 2."
  ))
  expect_match(describe_customer(draw, 2)[2], "joins 1 at table 1")
})

test_that("pictures of a draw can be made of one customer and of none's dishes", {
  draw <- draw_customers(6, 2, 1, 0, 1)
  for (n in c(1, 6)) {
    for (picture in list(
      plot_demo_buffet(draw, n), plot_demo_buffet(draw, n, TRUE), plot_demo_restaurant(draw, n),
      plot_demo_counts(draw, n)
    )) {
      expect_no_warning(build_plot(picture))
    }
  }
  draw$z <- draw$z[, 0]
  expect_no_error(build_plot(plot_demo_buffet(draw, 3)))
  left <- plot_demo_buffet(draw_customers(8, 3, 1, 0, 2), 8, TRUE)
  shown <- matrix(left$data$value, 8)
  expect_identical(shown, left_order(shown) + 0L)
})

test_that("the chain that is watched is that of one longer run", {
  begun <- begin_chain(20, 0.5, TRUE, 3)
  steps <- go_on_chain(go_on_chain(begun$fit, 1), 4)
  expect_identical(sweeps_made(steps), 6L)
  whole <- fit_gaussian(begun$x,
    sigma_a = 1, method = method_gibbs(chains = 1, iter = 6, warmup = 0, cores = 1), seed = 3,
    init = seeded(3, matrix(stats::rbinom(20, 1, 0.5))), verbose = FALSE
  )
  expect_identical(as_draws(steps), as_draws(whole))
  expect_identical(features(at_last_sweep(steps)), feature_draws(whole)[[6]])
  expect_identical(at_last_sweep(steps)$point, 6L)
  expect_lt(steps$point, 6)
  expect_equal(nrow(loadings_of(at_last_sweep(steps))), ncol(feature_draws(whole)[[6]]))
  expect_identical(begin_chain(20, 0.5, FALSE, 3)$fit$method$moves, 0L)
  for (picture in list(
    plot_demo_images(begun$x), plot_demo_features(steps, c(6, 6)), plot_demo_trace(steps, 4)
  )) {
    expect_no_warning(build_plot(picture))
  }
})

write_lines <- function(..., file = withr::local_tempfile(fileext = ".csv", .local_envir = env),
                        env = parent.frame()) {
  writeLines(as.character(c(...)), file)
  file
}

test_that("CSV files are read as write.csv() and spreadsheets leave them", {
  file <- withr::local_tempfile(fileext = ".csv")
  utils::write.csv(swiss, file)
  read <- read_demo_file(file, "swiss.csv")
  expect_equal(read$data, swiss)
  # The code reads the same file by the name that it has for the user.
  withr::local_dir(dirname(file))
  file.copy(file, "swiss.csv")
  withr::defer(unlink("swiss.csv"))
  expect_identical(eval(read$code), read$data)
  excel <- read_demo_file(write_lines("a;b", "1,5;x", "2,5;x"), "e.csv")$data
  expect_identical(excel, data.frame(a = c(1.5, 2.5), b = factor(c("x", "x"))))
  tabs <- read_demo_file(write_lines("a b\tc", "1\t", "2\t3"), "t.tsv")$data
  expect_identical(tabs, data.frame("a b" = 1:2, c = c(NA, 3L), check.names = FALSE))
  expect_identical(dim(read_demo_file(write_lines("n", "1", "2"), "n.csv")$data), c(2L, 1L))
})

test_that("separators and decimal marks are looked for outside of names and text", {
  read <- function(...) read_demo_file(write_lines(...), "f.csv")
  frame <- function(...) data.frame(..., check.names = FALSE)
  text <- c("x 1,2", "y", "y")
  expected <- frame(a = c(1.5, 2.5, 3.5), b = factor(text))
  for (sep in c(";", "\t")) {
    rows <- sprintf("%s%s\"%s\"", c("1.5", "2.5", "3.5"), sep, text)
    found <- read(paste0("a", sep, "b"), rows)
    expect_identical(found$data, expected)
    expect_null(found$code$dec)
  }
  quoted <- read("\"a,b\";\"c\"", "1;2", "3;4")$data
  expect_identical(quoted, frame("a,b" = c(1L, 3L), c = c(2L, 4L)))
  bom <- read("\ufeff\"x;y;z\",b", "1,2", "3,4")$data
  expect_identical(bom, frame("x;y;z" = c(1L, 3L), b = c(2L, 4L)))
  # Spreadsheets quote no commas between semicolons.
  cm <- read("length, cm;width, cm", "1,5;2,5", "2,5;4")$data
  expect_identical(cm, frame("length, cm" = c(1.5, 2.5), "width, cm" = c(2.5, 4)))
  broken <- read("a,\"b", "c\"", "1,\"u", "v\"", "2,w", "3,w")$data
  expect_identical(broken, frame(a = 1:3, "b\nc" = factor(c("u\nv", "w", "w"))))
  short <- read("a;b", "1", "2;3", "1;1,5")$data
  expect_identical(short, frame(a = c(1L, 2L, 1L), b = c(NA, 3, 1.5)))
})

test_that("bad files give one clear line", {
  refused <- function(file, pattern) {
    message <- expect_error(read_demo_file(file, "f.csv"), pattern)$message
    expect_no_match(message, "\n")
    expect_match(message, "^`file` must ")
  }
  refused(write_lines(), "not empty")
  refused(write_lines("a,b", "1,2"), "at least two rows, not 1 row and 2 columns")
  refused(write_lines("a,b", "1,2,3,4", "1,2"), "not 2 in the header and 4 values in row 1")
  refused(write_lines("a,b", "1,2,3", "4,5,6"), "not 2 in the header and 3 values in row 1")
  refused(write_lines("a", "1,2", "3,4"), "not 1 in the header and 2 values in row 1")
  # read.csv() looks no further than the first five lines, and makes two rows of a long one.
  refused(write_lines("a;b", rep("1;2", 9), "1;2;3"), "and 3 values in row 10")
  refused(write_lines("a,b", "\"5,2", "3,4", "6,7", "8,9"), "quotation mark, not leave one open")
  refused(write_lines("a,a", "1,2", "3,4"), "unique column names")
  binary <- withr::local_tempfile()
  writeBin(as.raw(c(80, 75, 3, 4, 0, 0)), binary)
  refused(binary, "not binary")
  latin <- withr::local_tempfile()
  writeBin(as.raw(c(0x61, 0x0a, 0xe9, 0x0a)), latin)
  refused(latin, "UTF-8")
})

test_that("models are offered for the columns that they are apt for", {
  apt <- function(name) apt_models(find_demo_data(name)$data)
  frames <- names(demo_frames())
  expect_identical(apt(frames[2]), "fit_mixed")
  expect_identical(apt(frames[3]), c("fit_factor", "fit_gaussian", "fit_mixed"))
  expect_identical(apt(frames[5])[1], "fit_choice")
  expect_identical(apt_models(mtcars[c("vs", "am")])[1], "fit_logistic")
  counts <- as.data.frame(matrix(rep(0:3, 30), 10))
  expect_identical(apt_models(counts)[1], "fit_topics")
  dates <- data.frame(d = as.Date("2020-01-01") + 0:2)
  expect_identical(apt_models(dates), character())
  expect_match(why_no_model(dates), "^`data` must have columns of numbers")
  expect_error(check_demo_model("fit_mixed", dates), "^`data` must have columns of numbers")
  expect_error(find_demo_data("file"), "Choose a CSV file")
})

test_that("a model that is not apt gives one line that names those that are", {
  skip_if_not_installed("shiny")
  begun <- function(model, data) begin_demo_job(list(model = model), list(code = NULL), data)
  expect_error(begun("fit_topics", swiss),
    "`model` must be one of \"fit_factor\", \"fit_gaussian\", \"fit_mixed\", not \"fit_topics\".",
    fixed = TRUE
  )
  expect_error(begun("", iris), "^`model` must be \"fit_mixed\", not \"\"\\.$")
  expect_null(why_no_model(swiss))
})

test_that("the code that is shown does what the page does", {
  source <- find_demo_data(names(demo_frames())[3])
  columns <- c("Fertility", "Education", "Catholic", "Examination")
  call <- fit_demo_call("fit_factor", source$data[columns], 1, 60, 5)
  run <- run_demo_fit(call, source$data[columns])
  code <- demo_code(source, columns, call, "loadings")
  expect_match(code, "data[c(\"Fertility\"", all = FALSE, fixed = TRUE)
  expect_match(
    gsub(" +", " ", paste(code, collapse = " ")), "chains = 1, iter = 60), seed = 5", fixed = TRUE
  )
  expect_match(code, "scale = TRUE", all = FALSE)
  withr::local_dir(withr::local_tempdir())
  env <- new.env()
  utils::capture.output(suppressWarnings(eval(parse(text = code), env)))
  expect_identical(features(env$fit), features(run$fit))
  written <- as.matrix(utils::read.csv("features.csv", row.names = 1))
  expect_identical(written, features(run$fit))
  expect_error(fit_demo_call("fit_mixed", iris, 0, 100, 1), "`chains` must")
  expect_error(fit_demo_call("fit_mixed", iris, 1, 5, 1), "`iterations` must")
})

test_that("notes of a fit are kept, and its pictures are known", {
  frame <- data.frame(a = c(1.5, 2.25, 3, 4.75), b = c("u", "v", "u", "v"))
  run <- run_demo_fit(quote(fit_mixed(data, method = method_gibbs(1, 40), seed = 1)), frame)
  expect_match(run$notes, "Converting character columns to factors: b", all = FALSE)
  expect_identical(demo_plot_types(run$fit)[1], "effects")
  expect_false("tree" %in% demo_plot_types(run$fit))
  for (type in demo_plot_types(run$fit)) expect_s3_class(plot(run$fit, type), "ggplot")
})

test_that("buffet_demo() passes its arguments on and serves the page", {
  for (package in c("shiny", "bslib", "callr", "parallelly")) skip_if_not_installed(package)
  port <- parallelly::freePort()
  child <- callr::r_bg(function(port) buffet::buffet_demo(port = port, launch.browser = FALSE),
    list(port)
  )
  withr::defer(child$kill())
  page <- NULL
  for (attempt in 1:100) {
    Sys.sleep(0.2)
    page <- tryCatch(
      suppressWarnings(readLines(sprintf("http://127.0.0.1:%d", port))), error = function(e) NULL
    )
    if (!is.null(page) || !child$is_alive()) break
  }
  for (tab in c("Draw", "Watch", "Your data")) expect_match(page, tab, all = FALSE)
})
