# Writes the table of rOpenSci's standards for statistical software (version 0.2.0) that
# vignettes/articles/standards.Rmd shows: each standard of tools/standards.csv, with what the tags
# @srrstats, @srrstatsNA and @srrstatsTODO of R and tests say of it.
#
#   Rscript tools/standards.R

statuses <- c(srrstats = "met", srrstatsNA = "does not apply", srrstatsTODO = "not met")

categories <- c(
  G = "General", BS = "Bayesian and Monte Carlo", UL = "Unsupervised learning",
  PD = "Probability distributions"
)

category_of <- function(standard) unname(categories[sub("[0-9].*", "", standard)])

read_known <- function(root) {
  utils::read.csv(file.path(root, "tools/standards.csv"), colClasses = "character")
}

tagged_files <- function(root) {
  paths <- c("R", "tests/testthat")
  files <- list.files(file.path(root, paths), "[.]R$", full.names = TRUE)
  sort(sub(paste0(root, "/"), "", files, fixed = TRUE))
}

#' The tags of a file: one row a standard
read_tags <- function(path, root) {
  lines <- readLines(file.path(root, path), encoding = "UTF-8")
  starts <- grep("^#' @srrstats", lines)
  tags <- lapply(starts, function(at) {
    continued <- cumprod(grepl("^#'   ", lines[-seq_len(at)])) == 1
    text <- trimws(sub("^#'", "", c(lines[at], lines[-seq_len(at)][continued])))
    parse_tag(paste(text, collapse = " "), paste0(path, owner_of(lines, at)))
  })
  do.call(rbind, tags)
}

parse_tag <- function(text, where) {
  pattern <- "^@(\\w+) \\{([^}]*)\\} *(.*)$"
  part <- function(n) sub(pattern, paste0("\\", n), text)
  if (!grepl(pattern, text) || !part(1) %in% names(statuses)) stop("no tag of a standard: ", text)
  status <- statuses[[part(1)]]
  in_part <- "^In part: "
  if (status == "met" && grepl(in_part, part(3))) status <- "in part"
  data.frame(
    standard = strsplit(part(2), ", *")[[1]], status = status, where = where,
    how = sub(in_part, "", part(3))
  )
}

#' What stands below a block: the function, the test, or nothing
owner_of <- function(lines, at) {
  below <- lines[-seq_len(at)]
  code <- below[!grepl("^#", below)][1]
  fun <- "^([[:alnum:]._]+) <- function.*"
  if (grepl(fun, code)) return(sprintf(", %s()", sub(fun, "\\1", code)))
  test <- "^test_that\\((\".*\"), [{]$"
  if (grepl(test, code)) sprintf(", %s", eval(str2lang(sub(test, "\\1", code)))) else ""
}

#' The table: a row for each standard that is known, with the statuses and texts of its tags
tabulate_standards <- function(root) {
  tags <- do.call(rbind, lapply(tagged_files(root), read_tags, root = root))
  known <- read_known(root)
  unknown <- setdiff(tags$standard, known$standard)
  if (length(unknown) > 0) stop("no such standard: ", toString(unknown))
  together <- function(column, standard) {
    paste(unique(tags[tags$standard == standard, column]), collapse = "; ")
  }
  column_of <- function(column) vapply(known$standard, together, "", column = column)
  data.frame(
    standard = known$standard, category = category_of(known$standard), what = known$what,
    status = column_of("status"), where = column_of("where"), how = column_of("how"),
    row.names = NULL
  )
}

#' Files that a table names and that are not there
missing_files <- function(table, root) {
  text <- paste(table$where, table$how)
  pattern <- "[[:alnum:]_./-]+[.](R|Rmd|md|h|cpp|csv)\\b"
  named <- unique(unlist(regmatches(text, gregexpr(pattern, text))))
  folders <- file.path(root, c(".", "R", "tests/testthat"))
  is_there <- vapply(named, function(file) any(file.exists(file.path(folders, file))), NA)
  named[!is_there]
}

write_standards <- function(root) {
  table <- tabulate_standards(root)
  file <- file.path(root, "vignettes/articles/standards.csv")
  utils::write.csv(table, file, row.names = FALSE, fileEncoding = "UTF-8")
}

if (sys.nframe() == 0) write_standards(".")
