# Checks vignettes/articles/claims.csv. Every number must be in the table named in its row, and the
# tests, scripts and sections that are named must exist.
#
#   Rscript data-raw/claims-check.R            # from the root of the repository
#   Rscript data-raw/claims-check.R update     # after a table has been remade
#
# The second call writes the new numbers to the list, and names the rows that have changed. Their
# `status` and `why` must then be checked again.
#
# `how` is an R expression in terms of the data frame `d`, which is read from vignettes/<table> or,
# if `table` is "bench/results.md: heading of the table", from a table in bench/results.md. Its
# value must equal `our_value` to the precision of the latter. `how` may also be "test: name", with
# the name of a test in the file `table`, or "none" if nothing was run.

statuses <- c("reproduced", "in part", "not reproduced", "not run")

read_claims <- function(root = ".") {
  path <- file.path(root, "vignettes/articles/claims.csv")
  read.csv(path, colClasses = "character", encoding = "UTF-8", na.strings = character())
}

# The Markdown table below a heading, in which numeric cells are numbers.
read_markdown_table <- function(path, heading) {
  lines <- readLines(path, encoding = "UTF-8")
  at <- match(paste("##", heading), lines)
  if (is.na(at)) stop("there is no table \"", heading, "\" in ", basename(path))
  lines <- lines[-seq_len(at)]
  first <- which(startsWith(lines, "|"))[1]
  rest <- lines[seq(first, length(lines))]
  rows <- rest[cumsum(!startsWith(rest, "|")) == 0][-2]
  cells <- strsplit(gsub("^\\| *| *\\|$", "", rows), " *\\| *")
  width <- length(cells[[1]])
  values <- t(vapply(cells[-1], function(row) c(row, rep("", width))[seq_len(width)], cells[[1]]))
  d <- setNames(as.data.frame(values), cells[[1]])
  d[] <- lapply(d, type.convert, as.is = TRUE)
  d
}

read_claims_table <- function(name, root = ".") {
  parts <- strsplit(name, ": ", fixed = TRUE)[[1]]
  if (length(parts) == 1) {
    path <- file.path(root, "vignettes", name)
    if (!file.exists(path)) stop("there is no table ", name)
    return(read.csv(path, check.names = FALSE))
  }
  read_markdown_table(file.path(root, parts[1]), sub("^[^:]*: ", "", name))
}

decimals_of <- function(number) nchar(sub("^[^.]*[.]?", "", sub("e.*", "", number)))

# Half a unit of the last digit of a number as it is written, such as "1.7e13" or "-0.25".
written_precision <- function(number) {
  exponent <- if (grepl("e", number)) as.numeric(sub(".*e", "", number)) else 0
  0.5 * 10^(exponent - decimals_of(number))
}

# A number written with as many decimals as another number.
write_alike <- function(value, number) {
  sprintf(if (grepl("e", number)) "%.*e" else "%.*f", decimals_of(number), value)
}

same_number <- function(value, written) {
  abs(value - as.numeric(written)) <= written_precision(written) * (1 + 1e-6)
}

number_in_table <- function(row, root) {
  d <- read_claims_table(row$table, root)
  eval(parse(text = row$how), list(d = d))
}

check_number_in_table <- function(row, root) {
  value <- number_in_table(row, root)
  if (length(value) != 1 || !is.finite(value)) return("`how` does not give one number")
  if (!same_number(value, row$our_value)) {
    return(sprintf("our_value is %s, the table has %s", row$our_value, format(value, digits = 7)))
  }
  NULL
}

# The text of a program, in which split strings are joined and escaped quotes are unescaped.
plain_text <- function(path) {
  text <- paste(readLines(path, encoding = "UTF-8", warn = FALSE), collapse = "\n")
  gsub("\\", "", gsub("\"\\s*\n\\s*\"", "", text), fixed = TRUE)
}

check_test_exists <- function(row, root) {
  path <- file.path(root, row$table)
  if (!file.exists(path)) return(paste("there is no file", row$table))
  name <- sub("^test: ", "", row$how)
  text <- plain_text(path)
  found <- grepl(paste0("\"", name, "\""), text, fixed = TRUE)
  if (!found) return(sprintf("%s has no test \"%s\"", row$table, name))
  if (row$our_value != "no number" && !grepl(row$our_value, text, fixed = TRUE)) {
    return(sprintf("%s does not contain %s", row$table, row$our_value))
  }
  NULL
}

check_value <- function(row, root) {
  if (row$status == "not run") {
    named <- unlist(row[c("our_value", "table", "how")]) == c("not run", "none", "none")
    return(if (!all(named)) "a claim that was not run must have neither a number nor a table")
  }
  if (startsWith(row$how, "test: ")) return(check_test_exists(row, root))
  tryCatch(check_number_in_table(row, root), error = conditionMessage)
}

# The anchors that pandoc gives to the headings of a vignette.
anchors_of <- function(path) {
  headings <- grep("^#+ ", readLines(path, encoding = "UTF-8"), value = TRUE)
  own <- sub(".*\\{#(.*)\\}.*", "\\1", headings[grepl("\\{#", headings)])
  slug <- gsub("[^a-z0-9 _.-]", "", tolower(sub("^#+ ", "", headings)))
  c(own, sub("^[^a-z]+", "", gsub(" +", "-", trimws(slug))))
}

check_shown <- function(row, root) {
  if (row$where_shown == "none") return(NULL)
  parts <- strsplit(row$where_shown, "#", fixed = TRUE)[[1]]
  path <- file.path(root, "vignettes", paste0(parts[1], ".Rmd"))
  if (!file.exists(path)) return(paste("there is no vignette", parts[1]))
  if (!parts[2] %in% anchors_of(path)) return(paste("no section", row$where_shown))
  NULL
}

check_script <- function(row, root) {
  if (row$script == "none" || file.exists(file.path(root, row$script))) return(NULL)
  paste("there is no script", row$script)
}

check_fields <- function(row) {
  blank <- names(row)[is.na(row) | !nzchar(trimws(unlist(row)))]
  if (length(blank) > 0) return(paste("no value for", paste(blank, collapse = ", ")))
  if (!row$status %in% statuses) return(paste("unknown status", row$status))
  NULL
}

check_claim <- function(row, root) {
  problems <- c(
    check_fields(row), check_value(row, root), check_shown(row, root), check_script(row, root)
  )
  if (length(problems) > 0) paste0(row$id, ": ", problems)
}

#' Describes each problem on one line; returns character() if there are none
check_claims <- function(root = ".", claims = read_claims(root)) {
  twice <- unique(claims$id[duplicated(claims$id)])
  rows <- lapply(seq_len(nrow(claims)), function(i) as.list(claims[i, ]))
  as.character(c(
    unlist(lapply(rows, check_claim, root)), if (length(twice) > 0) paste0(twice, ": twice")
  ))
}

# The list with the current numbers in the tables, and the ids of the rows that have changed.
update_claims <- function(root = ".", claims = read_claims(root)) {
  of_table <- which(claims$status != "not run" & !startsWith(claims$how, "test: "))
  before <- claims$our_value
  for (i in of_table) {
    row <- as.list(claims[i, ])
    value <- number_in_table(row, root)
    if (!same_number(value, row$our_value)) {
      claims$our_value[i] <- write_alike(value, row$our_value)
    }
  }
  list(claims = claims, changed = claims$id[claims$our_value != before])
}

if (sys.nframe() == 0) {
  if ("update" %in% commandArgs(trailingOnly = TRUE)) {
    updated <- update_claims()
    write.csv(
      updated$claims, "vignettes/articles/claims.csv", row.names = FALSE, fileEncoding = "UTF-8"
    )
    cat(sprintf("%s: a new number; check `status` and `why` again\n", updated$changed), sep = "")
  }
  problems <- check_claims()
  if (length(problems) > 0) stop(paste(c("", problems), collapse = "\n"), call. = FALSE)
  cat(nrow(read_claims()), "claims, every number in its table\n")
}
