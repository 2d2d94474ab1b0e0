# Builds the web site into docs. Neither the pages nor this script access other hosts. The template
# in pkgdown/ uses no libraries from content delivery networks. pandoc converts formulas to MathML,
# because pkgdown 2.0 leaves them as TeX for MathJax. Later versions of pkgdown download libraries
# once and store them. Plots in examples, which pkgdown gives no alternative text, are described by
# the code that draws them.
#
#   Rscript tools/site.R [--lazy]
#
# --lazy skips pages that are newer than their sources.

source("tools/pandoc.R")

# Splits a page into pieces. Pieces at even positions are code, in which \( does not start a
# formula.
split_code <- function(page) {
  pattern <- "(?s)<(pre|code|script|math)\\b.*?</\\1>"
  at <- gregexpr(pattern, page, perl = TRUE)
  code <- regmatches(page, at)[[1]]
  text <- regmatches(page, at, invert = TRUE)[[1]]
  c(rbind(text, c(code, "")))
}

# Removes formulas from the descriptions in the heads of pages, which are plain text
plain_descriptions <- function(page) {
  at <- gregexpr("<meta [^>]*content=\"[^\"]*\"", page, perl = TRUE)
  regmatches(page, at) <- lapply(regmatches(page, at), function(meta) {
    gsub(formula, "", meta, perl = TRUE)
  })
  page
}

# TeX as pandoc and pkgdown leave it for MathJax.
formula <- "(?s)\\\\\\(.+?\\\\\\)|\\\\\\[.+?\\\\\\]|\\$\\$.+?\\$\\$"

find_formulas <- function(page) {
  pieces <- split_code(page)
  text <- pieces[seq_along(pieces) %% 2 == 1]
  unlist(regmatches(text, gregexpr(formula, text, perl = TRUE)))
}

# Undoes the HTML escapes in TeX.
unescape <- function(tex) {
  signs <- c("&lt;" = "<", "&gt;" = ">", "&nbsp;" = " ", "\u00a0" = " ", "&amp;" = "&")
  for (sign in names(signs)) tex <- gsub(sign, signs[[sign]], tex, fixed = TRUE)
  tex
}

# Converts all formulas in a single run of pandoc, and stops at the first formula that pandoc cannot
# read.
mathml_of <- function(formulas) {
  tex <- trimws(substring(unescape(formulas), 3, nchar(unescape(formulas)) - 2))
  tex <- gsub("\\s*\n\\s*", " ", tex)
  sign <- ifelse(startsWith(formulas, "\\("), "$", "$$")
  source <- tempfile(fileext = ".md")
  on.exit(unlink(source))
  writeLines(paste0(sign, tex, sign, "\n"), source, useBytes = TRUE)
  program <- file.path(find_pandoc(), "pandoc")
  options <- c("--mathml", "--fail-if-warnings", "--from=markdown", "--to=html", source)
  html <- paste(system2(program, options, stdout = TRUE), collapse = "\n")
  found <- regmatches(html, gregexpr("(?s)<math\\b.*?</math>", html, perl = TRUE))[[1]]
  if (length(found) != length(formulas)) stop("pandoc cannot read a formula", call. = FALSE)
  # Parentheses should grow with their contents only if TeX says so, but pandoc makes all of them
  # grow.
  plain <- !grepl("\\left", formulas, fixed = TRUE)
  grows <- "<mo stretchy=\"true\" (form=\"[a-z]*\">[][()]</mo>)"
  found[plain] <- gsub(grows, "<mo stretchy=\"false\" \\1", found[plain])
  stats::setNames(found, formulas)
}

replace_formulas <- function(page, mathml) {
  pieces <- split_code(page)
  is_text <- seq_along(pieces) %% 2 == 1
  at <- gregexpr(formula, pieces[is_text], perl = TRUE)
  text <- pieces[is_text]
  regmatches(text, at) <- lapply(regmatches(text, at), function(tex) unname(mathml[tex]))
  pieces[is_text] <- text
  paste(pieces, collapse = "")
}

# In the output of examples, each plot follows the line that draws it.
describe_pictures <- function(page) {
  pattern <- paste0(
    "(?s)(<span class=\"r-in\">(?:(?!<span class=\"r-in\">).)*?)",
    "(<span class=\"r-plt img\"><img src=\"[^\"]*\") alt=\"\""
  )
  at <- gregexpr(pattern, page, perl = TRUE)
  regmatches(page, at) <- lapply(regmatches(page, at), function(found) {
    code <- sub("(?s)<span class=\"r-(out|msg|wrn|plt).*", "", found, perl = TRUE)
    code <- gsub("\\s+", " ", trimws(gsub("<[^>]*>", "", code)))
    paste0(sub(" alt=\"\"$", "", found), " alt=\"Plot: ", gsub("\"", "&quot;", code), "\"")
  })
  page
}

# Adds the alternative text of the logo, which pkgdown does not provide.
name_logo <- function(page) {
  gsub("(<img src=\"[^\"]*logo[.]png\" class=\"logo\") alt=\"\"", "\\1 alt=\"buffet logo\"", page)
}

# README.md links to the sources of articles, because these are in the repository.
link_articles <- function(page) {
  page <- gsub("href=\"vignettes/([a-z-]+)[.]Rmd\"", "href=\"articles/\\1.html\"", page)
  pattern <- "<code>vignettes/(articles/)?([a-z-]+)[.]Rmd</code>"
  gsub(pattern, "<a href=\"articles/\\2.html\">the article</a>", page)
}

# Keeps a number and its unit on one line in table cells.
keep_units <- function(page) {
  space <- "(?<=[0-9]) (?=(/ )?(ms|s|h|min|MB|GB|%)(?![A-Za-z])[^<]*</td>)"
  page <- gsub(space, "&nbsp;", page, perl = TRUE)
  gsub("(?<=nbsp;/) (?=[a-z]+\\b[^<]*</td>)", "&nbsp;", page, perl = TRUE)
}

finish_page <- function(page, mathml) {
  page <- keep_units(name_logo(replace_formulas(page, mathml)))
  describe_pictures(page)
}

# The first sentence of an article, without links.
first_sentence <- function(page) {
  text <- sub("(?s).*<main.*?</h1>.*?<p>(.*?)</p>.*", "\\1", page, perl = TRUE)
  text <- gsub("\\s+", " ", gsub("</?a\\b[^>]*>", "", text))
  sub("([.?!])( [A-Z].*|$)", "\\1", text)
}

# The first figure of an article, if any, as a thumbnail. It is decorative, because the title is
# next to it.
thumbnail <- function(page) {
  main <- sub("(?s).*?<main[^>]*>.*?</h1>", "", page, perl = TRUE)
  source <- regmatches(main, regexpr("<img src=\"[^\"]*\"", main))
  sprintf("%s class=\"thumbnail\" alt=\"\">", source)
}

# Adds the first sentence and the first figure of each article to the index of articles.
describe_articles <- function(folder) {
  index <- file.path(folder, "articles", "index.html")
  page <- read_page(index)
  pattern <- "(?s)<dt><a href=\"([^\"]+)\">([^<]*)</a></dt>\\s*<dd>.*?</d[dt]>"
  at <- gregexpr(pattern, page, perl = TRUE)
  regmatches(page, at) <- lapply(regmatches(page, at), vapply, function(item) {
    path <- sub(pattern, "\\1", item, perl = TRUE)
    article <- read_page(file.path(folder, "articles", path))
    text <- paste(c(thumbnail(article), first_sentence(article)), collapse = "")
    sprintf("%s\n<dd>%s</dd>", sub("(?s)</dt>.*", "</dt>", item, perl = TRUE), text)
  }, "")
  writeLines(page, index, sep = "", useBytes = TRUE)
}

read_page <- function(path) {
  text <- readChar(path, file.size(path), useBytes = TRUE)
  Encoding(text) <- "UTF-8"
  text
}

finish_pages <- function(folder) {
  paths <- list.files(folder, "[.]html$", recursive = TRUE, full.names = TRUE)
  read <- lapply(paths, read_page)
  pages <- lapply(read, plain_descriptions)
  mathml <- mathml_of(unique(unlist(lapply(pages, find_formulas))))
  for (i in seq_along(pages)) {
    page <- finish_page(pages[[i]], mathml)
    if (basename(dirname(paths[i])) == basename(folder)) page <- link_articles(page)
    if (!identical(page, read[[i]])) writeLines(page, paths[i], sep = "", useBytes = TRUE)
  }
}

build <- function(lazy) {
  options(pkgdown.internet = FALSE)
  if (!lazy) unlink("docs", recursive = TRUE)
  pkgdown::build_site(lazy = lazy, preview = FALSE, install = FALSE)
  finish_pages("docs")
  describe_articles("docs")
}

if (sys.nframe() == 0) build("--lazy" %in% commandArgs(trailingOnly = TRUE))
