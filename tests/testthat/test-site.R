# The web site in headless Chromium: tools/site-check.R opens every page and says what is wrong.

program <- "../../tools/site-check.R"

# The connection to the browser can have a line of its own to say when it is closed.
check_site <- function(folder) {
  run <- run_browser(c(program, shQuote(normalizePath(folder))))
  run$faults <- grep("^[^ ]+[.]html: ", run$said, value = TRUE)
  run
}

write_page <- function(folder, name, body) {
  page <- paste0(
    "<!DOCTYPE html><html lang='en'><head><title>A page</title><link rel='icon' href='data:,'>",
    "</head><body><main><p id='here'>Text.</p>", body, "</main></body></html>"
  )
  writeLines(page, file.path(folder, name))
}

dot <- "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw=="

# Bodies of pages, and what is said of each.
sound <- c(
  link = "<a href='plain.html#here'>a</a><a href='https://example.org/'>b</a><a href='#here'>c</a>",
  plain = sprintf("<img src='%s' alt='A dot'><p>At $5 and <code>\\(x\\)</code></p>", dot)
)
planted <- c(
  nowhere = "<a href='none.html'>a</a>",
  place = "<a href='plain.html#there'>a</a>",
  silent = sprintf("<img src='%s' alt=' '>", dot),
  unshown = "<img src='none.png' alt='Nothing'>",
  host = "<script src='https://example.org/a.js'></script>",
  thrown = "<script>nothing();</script>",
  console = "<script>console.error('wrong');</script>",
  formula = "<p>It is \\(x^2\\).</p>",
  wide = "<div style='width: 2000px'>a</div>"
)
told <- c(
  nowhere = "a link leads nowhere: none.html",
  place = "a link leads to no place of a page: plain.html#there",
  silent = "a picture has no alternative text",
  unshown = "does not get none.png",
  host = "asks another host: https://example.org/a.js",
  thrown = "an error of a script: ReferenceError",
  console = "an error in the console: wrong",
  formula = "a formula is not set: It is",
  wide = "pixels wider than a phone"
)

test_that("each fault of a page is told, and none of a sound one", {
  skip_if_quick()
  skip_if_not(file.exists(program), "the repository")
  skip_without_browser()
  folder <- withr::local_tempdir()
  pages <- c(sound, planted, index = "")
  for (name in names(pages)) write_page(folder, paste0(name, ".html"), pages[[name]])
  dir.create(file.path(folder, "reference"))
  write_page(folder, "reference/index.html", "")
  write_page(folder, "reference/lost.html", "")
  run <- check_site(folder)
  expect_identical(run$status, 1L, info = run$log)
  for (name in names(planted)) {
    expect_match(run$faults, paste0("^", name, "[.]html: .*", told[[name]]), all = FALSE)
  }
  expect_match(run$faults, "^reference/lost.html: is not in the list of the reference", all = FALSE)
  expect_match(run$faults, "^index.html: search does not find", all = FALSE)
  expect_no_match(run$faults, "^(link|plain)[.]html")
})

test_that("every page of the site loads, alone, with its links, pictures and formulas", {
  skip_if_quick()
  skip_if_not(file.exists("../../docs/search.json"), "the site: make site")
  skip_without_browser()
  run <- check_site("../../docs")
  expect_identical(run$faults, character())
  expect_identical(run$status, 0L, info = run$log)
})
