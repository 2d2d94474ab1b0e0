# Opens every page of the built site in headless Chromium, using a server on this machine, and
# reports each problem on one line, `page: problem`. The exit status is 1 if there are problems.
#
#   Rscript tools/site-check.R [folder] [port]
#
# This requires the packages installed by `make browser`. Requests to other hosts are blocked and
# reported.

# Events that the browser may report while a page loads, by name.
watched <- list(
  "Network.requestWillBeSent" = function(event) {
    url <- event$request$url
    if (!grepl("^(http://127[.]0[.]0[.]1[:/]|data:|blob:)", url)) paste("external request:", url)
  },
  "Network.responseReceived" = function(event) {
    path <- sub("^http://[^/]*/", "", event$response$url)
    if (event$response$status >= 400) paste("cannot load", path)
  },
  "Runtime.exceptionThrown" = function(event) {
    paste("a script error:", event$exceptionDetails$exception$description)
  },
  "Runtime.consoleAPICalled" = function(event) {
    is_error <- event$type %in% c("error", "assert")
    if (is_error) paste("an error in the console:", event$args[[1]]$value)
  },
  # Failed requests have already been reported above.
  "Log.entryAdded" = function(event) {
    if (event$entry$level == "error" && event$entry$source != "network") {
      paste("an error in the console:", event$entry$text)
    }
  }
)

# Checks of a page after it has loaded.
questions <- "JSON.stringify({
  title: document.title,
  ids: [...document.querySelectorAll('[id]')].map((e) => e.id),
  links: [...document.querySelectorAll('[href], [src]')]
    .map((e) => e.getAttribute('href') !== null ? e.href.baseVal || e.href : e.src),
  silent: [...document.querySelectorAll('img:not(.thumbnail)')]
    .filter((e) => !(e.getAttribute('alt') || '').trim()).map((e) => e.getAttribute('src')),
  blank: [...document.querySelectorAll('img')]
    .filter((e) => e.naturalWidth === 0).map((e) => e.getAttribute('src')),
  tex: [...document.querySelectorAll('main p, main li, main td, main dd, main span.math')]
    .map((e) => {
      const copy = e.cloneNode(true);
      copy.querySelectorAll('code, pre, math').forEach((c) => c.remove());
      return copy.textContent;
    })
    .filter((t) => /\\\\[(\\[]|[$][$]/.test(t)).map((t) => t.trim().slice(0, 60)),
  wide: document.documentElement.scrollWidth - window.innerWidth
})"

# A browser as wide as a phone, because pages that fit on a phone fit everywhere.
open_browser <- function() {
  chromote::set_chrome_args(c(
    "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--force-color-profile=srgb",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"
  ))
  browser <- chromote::ChromoteSession$new(width = 390, height = 844)
  for (domain in c("Network", "Runtime", "Log", "Page")) browser[[domain]]$enable()
  browser
}

# Passes every problem to `tell`.
watch <- function(browser, tell) {
  for (name in names(watched)) local({
    parts <- strsplit(name, ".", fixed = TRUE)[[1]]
    look <- watched[[name]]
    browser[[parts[1]]][[parts[2]]](callback_ = function(event) tell(look(event)))
  })
}

ask <- function(browser, code, ...) {
  answer <- browser$Runtime$evaluate(code, returnByValue = TRUE, ...)
  if (!is.null(answer$exceptionDetails)) stop(answer$exceptionDetails$exception$description)
  answer$result$value
}

visit <- function(browser, url) {
  loaded <- browser$Page$loadEventFired(wait_ = FALSE)
  browser$Page$navigate(url, wait_ = FALSE)
  browser$wait_for(loaded)
  jsonlite::fromJSON(ask(browser, questions))
}

faults_of <- function(page) {
  c(
    if (!nzchar(page$title)) "has no title",
    sprintf("an image has no alternative text: %s", unlist(page$silent)),
    sprintf("an image is not shown: %s", unlist(page$blank)),
    sprintf("a formula is not typeset: %s", unlist(page$tex)),
    if (page$wide > 0) sprintf("is %d pixels wider than a phone", page$wide)
  )
}

# Links to pages and anchors of the site that do not exist. `pages` are named by their paths.
broken_links <- function(page, pages, root, folder) {
  links <- unique(unlist(page$links))
  inside <- substring(links[startsWith(links, root)], nchar(root) + 1)
  target <- sub("[?#].*", "", inside)
  target <- utils::URLdecode(sub("(^|/)$", "\\1index.html", target))
  anchor <- ifelse(grepl("#", inside), utils::URLdecode(sub("^[^#]*#", "", inside)), "")
  exists <- file.exists(file.path(folder, target))
  has_place <- mapply(function(path, id) {
    id == "" || is.null(pages[[path]]) || id %in% pages[[path]]$ids
  }, target, anchor)
  c(sprintf("a link leads nowhere: %s", inside[!exists]),
    sprintf("a link has no target on its page: %s", inside[exists & !has_place]))
}

# Searches for the name of a function, and returns the address of the first result, or "".
search_for <- function(browser, url, name) {
  visit(browser, url)
  code <- "new Promise(async (done) => {
    const input = document.getElementById('search-input');
    if (input === null) return done('');
    input.value = '%s';
    input.dispatchEvent(new Event('input'));
    for (let i = 0; i < 50; i++) {
      const first = document.querySelector('#search-results a');
      if (first !== null) return done(first.href);
      await new Promise((later) => setTimeout(later, 100));
    }
    done('');
  })"
  ask(browser, sprintf(code, name), awaitPromise = TRUE)
}

search_faults <- function(browser, url, root) {
  found <- search_for(browser, url, "fit_gaussian")
  wanted <- paste0(root, "reference/fit_gaussian.html")
  if (startsWith(found, wanted)) character() else "search does not find fit_gaussian()"
}

# Topics that are missing from the reference index. Pages about functions of other packages and
# about old names are internal and need not be in it.
unlisted_topics <- function(pages, root) {
  topics <- setdiff(grep("^reference/", names(pages), value = TRUE),
    sprintf("reference/%s.html", c("index", "reexports", "deprecated")))
  links <- unlist(pages[["reference/index.html"]]$links)
  topics[!paste0(root, topics) %in% links]
}

# Opens all pages, and returns the problems and the contents of each page.
open_pages <- function(browser, paths, root) {
  told <- list()
  current <- NULL
  watch(browser, function(fault) told[[current]] <<- c(told[[current]], fault))
  pages <- list()
  for (path in paths) {
    current <- path
    pages[[path]] <- visit(browser, paste0(root, path))
  }
  list(told = told, pages = pages)
}

check_site <- function(folder, port) {
  files <- list("/" = httpuv::staticPath(folder, indexhtml = TRUE))
  server <- httpuv::startServer("127.0.0.1", port, list(staticPaths = files))
  on.exit(server$stop())
  root <- sprintf("http://127.0.0.1:%d/", port)
  browser <- open_browser()
  on.exit(browser$parent$close(), add = TRUE)
  paths <- list.files(folder, "[.]html$", recursive = TRUE)
  opened <- open_pages(browser, paths, root)
  unlisted <- unlisted_topics(opened$pages, root)
  searched <- c("index.html", "reference/index.html")
  faults <- lapply(paths, function(path) {
    page <- opened$pages[[path]]
    c(opened$told[[path]], faults_of(page), broken_links(page, opened$pages, root, folder),
      if (path %in% unlisted) "is not in the reference index",
      if (path %in% searched) search_faults(browser, paste0(root, path), root))
  })
  sprintf("%s: %s", rep(paths, lengths(faults)), unlist(faults))
}

main <- function(arguments) {
  folder <- normalizePath(c(arguments, "docs")[1], mustWork = TRUE)
  port <- if (length(arguments) > 1) as.integer(arguments[2]) else httpuv::randomPort()
  faults <- check_site(folder, port)
  writeLines(as.character(faults))
  quit(status = length(faults) > 0)
}

if (sys.nframe() == 0) main(commandArgs(trailingOnly = TRUE))
