# Data of the tab "Your data": a CSV file, or a data frame that comes with R. Both are a call, which
# the page shows and evaluates.

#' Data frames that need no file, by what the page calls them
#' @noRd
demo_frames <- function() {
  list(
    "prostate: 502 patients" = quote(buffet::prostate),
    "iris: 150 flowers" = quote(datasets::iris),
    "swiss: 47 provinces" = quote(datasets::swiss),
    "mtcars: 32 cars" = quote(datasets::mtcars),
    "celebrities: choices between 9 people" = quote(subset(
      stats::setNames(as.data.frame(as.table(buffet::celebrities)), c("winner", "loser", "n")),
      winner != loser
    ))
  )
}

#' A CSV file as a data frame
#'
#' @param path Where the file is.
#' @param shown Its name on the user's computer.
#' @return list(data; code: the call that reads the file of this name).
#' @noRd
read_demo_file <- function(path, shown) {
  check_text(path)
  encoding <- if (starts_with_bom(path)) "UTF-8-BOM"
  sep <- find_separator(path, encoding %||% "native.enc")
  read <- function(file, dec, ...) {
    arguments <- list(
      sep = if (sep != ",") sep, dec = if (dec != ".") dec, fileEncoding = encoding, ...
    )
    rlang::call2("read.csv", file, !!!Filter(Negate(is.null), arguments),
      na.strings = quote(c("NA", "")), stringsAsFactors = TRUE, check.names = FALSE
    )
  }
  tables <- lapply(c("." = ".", "," = if (sep != ",") ","), function(dec) {
    read_table(read(path, dec))
  })
  # The decimal mark is the one that makes more columns numbers: text may have either.
  dec <- names(which.max(vapply(tables, function(data) sum(vapply(data, is.numeric, NA)), 1L)))
  data <- tables[[dec]]
  named <- names_rows(data)
  if (named) data <- read_table(read(path, dec, row.names = 1))
  if (nrow(data) < 2) {
    stop_argument("file", "have a header and at least two rows", was = describe_size(data))
  }
  check_data_frame(data, "file")
  list(data = data, code = if (named) read(shown, dec, row.names = 1) else read(shown, dec))
}

#' Stops where a file is not text, or no text that read.csv() reads to its end
#' @noRd
check_text <- function(path) {
  must <- "be text with values separated by commas, semicolons or tabs"
  start <- readBin(path, "raw", 4096)
  if (length(start) == 0) stop_argument("file", must, was = "empty")
  if (any(start == 0)) stop_argument("file", must, was = "binary")
  lines <- suppressWarnings(readLines(path, n = 20))
  if (!all(validEnc(lines))) stop_argument("file", "be in UTF-8", was = "in another encoding")
  # read.csv() would lose the rows up to the next mark.
  marks <- sum(readBin(path, "raw", file.size(path)) == charToRaw("\""))
  if (marks %% 2 == 1) stop_argument("file", "close each quotation mark", was = "leave one open")
}

#' The separator by which most rows have as many values as the header has names
#'
#' Commas come last, as they may be decimal marks, and in names that spreadsheets do not quote. A
#' header of one name has no separator.
#' @noRd
find_separator <- function(path, encoding) {
  fields <- lapply(c("\t" = "\t", ";" = ";", "," = ","), count_fields, path, encoding)
  fit <- vapply(fields, function(n) if (n[1] > 1) mean(n == n[1]) else 0, 1)
  sep <- if (any(fit > 0)) names(which.max(fit)) else ","
  check_row_lengths(fields[[sep]])
  sep
}

#' How many values the header and each row have, outside of quotes
#' @noRd
count_fields <- function(sep, path, encoding) {
  file <- file(path, encoding = encoding)
  on.exit(close(file))
  fields <- utils::count.fields(file, sep, quote = "\"", comment.char = "")
  # The lines of a value with line breaks are NA but for the last.
  fields[!is.na(fields)]
}

#' Stops where read.csv() would take the first values for names of rows, or break rows in two
#' @noRd
check_row_lengths <- function(fields) {
  long <- which(fields > fields[1])
  if (length(long) == 0) return(invisible())
  stop_argument("file", "have a name in its header for each value of a row", was = sprintf(
    "%d in the header and %d values in row %d", fields[1], fields[long[1]], long[1] - 1L
  ))
}

starts_with_bom <- function(path) {
  identical(readBin(path, "raw", 3), as.raw(c(0xef, 0xbb, 0xbf)))
}

read_table <- function(call) {
  unreadable <- function(e) {
    why <- sub("[\n.].*", "", conditionMessage(e))
    stop_argument("file", "be a table with a header", was = paste("one in which", why))
  }
  tryCatch(suppressWarnings(eval(call, list(), asNamespace("utils"))), error = unreadable)
}

#' Are the values of the first column names of the rows? Its own name is empty, as write.csv()
#' leaves it, or it holds text that is different everywhere
#' @noRd
names_rows <- function(data) {
  if (ncol(data) < 2 || nrow(data) == 0) return(FALSE)
  first <- data[[1]]
  if (anyNA(first) || anyDuplicated(first)) return(FALSE)
  names(data)[1] == "" || is.factor(first)
}

#' The data that are asked for: list(data, code, name)
#' @noRd
find_demo_data <- function(chosen, file = NULL) {
  if (chosen != "file") {
    code <- demo_frames()[[chosen]]
    data <- eval(code, list(), topenv())
    return(list(data = as.data.frame(data), code = code))
  }
  if (is.null(file)) stop("Choose a CSV file.", call. = FALSE)
  read_demo_file(file$datapath, file$name)
}
