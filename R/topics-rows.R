# Words of documents in rows, as tidytext has them.

#' Names that the columns of such a data frame can have
#' @noRd
word_columns <- list(
  document = c("document", "doc_id"), term = c("term", "word"), n = count_columns
)

#' Is this data frame one row per document and word? A table of counts has numbers only, and other
#' columns than these
#' @noRd
is_in_word_rows <- function(x) {
  if (!is.data.frame(x)) return(FALSE)
  words <- any(vapply(x, function(column) is.character(column) || is.factor(column), NA))
  has <- function(kind) any(word_columns[[kind]] %in% names(x))
  words || has("document") && has("term") && all(names(x) %in% unlist(word_columns))
}

#' @return As check_dtm(): documents and words in the order of their levels, or of appearance.
#' @noRd
counts_of_rows <- function(rows, name) {
  at <- lapply(names(word_columns), find_word_column, rows, name)
  document <- rows[[at[[1]]]]
  term <- rows[[at[[2]]]]
  n <- if (is.null(at[[3]])) rep(1, nrow(rows)) else rows[[at[[3]]]]
  if (anyNA(document)) {
    stop_argument(name, sprintf("name a document in every row of `%s`", at[[1]]), NA)
  }
  if (anyNA(term)) stop_argument(name, sprintf("name a word in every row of `%s`", at[[2]]), NA)
  if (!is.numeric(n)) stop_argument(name, sprintf("have numbers in `%s`", at[[3]]), n)
  documents <- levels_of(document)
  words <- levels_of(term)
  counts_of_triplets(
    match(as.character(document), documents), match(as.character(term), words), n,
    c(length(documents), length(words)), list(documents, words), name
  )
}

#' Name of a column; NULL where there are no counts, so that a row is one word
#' @noRd
find_word_column <- function(kind, rows, name) {
  found <- find_one_column(word_columns[[kind]], rows, name)
  if (!is.null(found) || kind == "n") return(found)
  must <- "be counts, or have columns document (or doc_id), term (or word) and n (or count)"
  stop_argument(name, must, was = sprintf("without `%s`", kind))
}
