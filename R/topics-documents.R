# Documents in a list, as counts.

#' @param vocab `NULL` or a character vector of the words.
#' @return As check_dtm().
#' @noRd
counts_of_documents <- function(documents, name, vocab) {
  if (length(documents) == 0) stop_argument(name, "have at least one document", was = "none")
  vocab <- check_vocab(vocab)
  form <- document_form(documents, name)
  if (form == "words") {
    tell_unsplit(documents, name)
    vocab <- vocab %||% vocabulary(documents)
    documents <- number_words(documents, name, vocab)
  }
  as_pairs <- if (form == "lda") pairs_of_lda else pairs_of_tokens
  pairs <- lapply(documents, as_pairs)
  size <- vapply(pairs, \(pair) length(pair$word), 0L)
  i <- rep(seq_along(documents), size)
  j <- as.double(unlist(lapply(pairs, `[[`, "word")))
  n <- as.double(unlist(lapply(pairs, `[[`, "n")))
  if (length(j) == 0) stop_argument(name, "have at least one word in a document", was = "none")
  check_word_numbers(i, j, name, if (form == "lda") 0 else 1, vocab)
  words <- if (is.null(vocab)) max(j) else length(vocab)
  counts_of_triplets(i, j, n, c(length(documents), words), list(names(documents), vocab), name)
}

#' Says that most documents are whole texts
#' @noRd
tell_unsplit <- function(documents, name) {
  unsplit <- vapply(documents, function(words) {
    length(words) == 1 && grepl("[^[:space:]][[:space:]]+[^[:space:]]", words)
  }, NA)
  if (mean(unsplit) <= 0.5) return(invisible())
  text <- paste(
    "`%s` has documents of one word with spaces, as %s: split texts into words first, as",
    "strsplit(text, \" +\") does."
  )
  message(sprintf(text, name, describe_scalar(as.character(documents[[which(unsplit)[1]]]))))
}

pairs_of_lda <- function(document) {
  if (length(document) == 0) return(list(word = double(), n = double()))
  list(word = document[1, ] + 1, n = document[2, ])
}

pairs_of_tokens <- function(document) {
  list(word = as.double(document), n = rep(1, length(document)))
}

check_vocab <- function(vocab) {
  if (is.null(vocab)) return(NULL)
  valid <- is.character(vocab) && length(vocab) > 0 && !anyNA(vocab)
  if (!valid) stop_argument("vocab", "be NULL or a character vector without NA", vocab)
  check_valid_names(vocab, "vocab", "words")
  again <- anyDuplicated(vocab)
  if (again) {
    was <- sprintf("%s more than once", describe_scalar(vocab[again]))
    stop_argument("vocab", "list each word once", was = was)
  }
  as.character(vocab)
}

#' The one form of all documents: "lda", "numbers" or "words"; one without words has every form
#' @noRd
document_form <- function(documents, name) {
  forms <- vapply(documents, form_of, "")
  refuse <- function(m, must) {
    was <- sprintf("%s as document %d", describe_value(documents[[m]]), m)
    stop_argument(name, must, was = was)
  }
  wrong <- which(is.na(forms))
  must <- "have documents of word numbers, words or, as in package lda, two rows"
  if (length(wrong) > 0) refuse(wrong[1], must)
  known <- forms[forms != "none"]
  other <- which(!forms %in% c("none", known[1]))
  if (length(other) > 0) refuse(other[1], "have documents of one form")
  c(known, "numbers")[1]
}

form_of <- function(document) {
  if (is.factor(document)) return("words")
  plain <- is.atomic(document) && !is.null(document) && !is.object(document)
  if (!plain) return(NA_character_)
  if (length(document) == 0) "none" else form_of_atomic(document)
}

form_of_atomic <- function(document) {
  if (is.null(dim(document))) {
    return(switch(type_name(document), numeric = "numbers", character = "words", NA_character_))
  }
  if (is.matrix(document) && is.numeric(document) && nrow(document) == 2) "lda" else NA_character_
}

#' Words in the order of their levels or else of their first appearance
#' @noRd
vocabulary <- function(documents) {
  words <- unique(unlist(lapply(documents, levels_of)))
  words[!is.na(words)]
}

number_words <- function(documents, name, vocab) {
  number <- function(words, m) {
    out <- match(as.character(words), vocab)
    if (anyNA(out)) {
      was <- describe_scalar(as.character(words[is.na(out)][1]))
      was <- sprintf("%s in document %d", was, m)
      stop_argument(name, "have words of the vocabulary only", was = was)
    }
    out
  }
  Map(number, documents, seq_along(documents))
}

#' @param i,j Documents and the numbers of their words, here from 1.
#' @param first Number of the first word as it was written.
#' @noRd
check_word_numbers <- function(i, j, name, first, vocab) {
  # A number far too large is a mistake, and would be as many columns.
  most <- if (is.null(vocab)) 1e7 else length(vocab)
  wrong <- which(!is.finite(j) | j < 1 | j > most | j != floor(j))
  if (length(wrong) == 0) return(invisible())
  at <- wrong[1]
  must <- sprintf("have whole word numbers from %.0f to %.0f", first, most - 1 + first)
  stop_argument(name, must, was = sprintf("%s in document %d", format(j[at] - 1 + first), i[at]))
}
