# Counts of words in documents: every accepted form becomes one sparse matrix here.

#' Documents x words
#'
#' @param x Whole counts, documents x words: a numeric or logical matrix, data frame or tibble, a
#'   matrix of the Matrix package (and so quanteda's dfm), slam's simple_triplet_matrix (tm's
#'   DocumentTermMatrix; a TermDocumentMatrix is transposed), a data frame of documents, words and
#'   counts, or a list of documents, each
#'   * package lda's integer matrix of two rows, the words' numbers from 0 and their counts,
#'   * the numbers of its words from 1, or
#'   * its words, as strings or as a factor.
#' @param vocab For lists: character vector of the words, by default attribute `vocab` of `x`.
#' @return A dgCMatrix of counts without explicit zeros, with the row and column names of `x`.
#' @noRd
check_dtm <- function(x, name = "dtm", vocab = NULL) {
  in_list <- inherits(x, "list") && is.null(dim(x))
  if (!in_list && !is.null(vocab)) {
    stop_argument("vocab", sprintf("be NULL unless `%s` is a list of documents", name), vocab)
  }
  counts <- if (in_list) {
    counts_of_documents(x, name, vocab %||% attr(x, "vocab"))
  } else if (inherits(x, "simple_triplet_matrix")) {
    counts_of_slam(x, name)
  } else if (is_in_word_rows(x)) {
    counts_of_rows(x, name)
  } else {
    counts_of_matrix(x, name)
  }
  check_dtm_names(counts, name)
  total <- sum(counts@x)
  if (total == 0) stop_argument(name, "have at least one word in a document", was = "none")
  if (total > most_tokens) {
    was <- format(total, digits = 10)
    stop_argument(name, "have counts with a sum of at most 1e8", was = was)
  }
  Matrix::drop0(counts)
}

#' More take minutes a sweep
#' @noRd
most_tokens <- 1e8

#' Documents without a word
#' @noRd
empty_documents <- function(x) which(tabulate(x@i + 1L, nrow(x)) == 0)

#' @noRd
describe_dtm <- function(x) {
  sizes <- c(counted(nrow(x), "document"), counted(ncol(x), "word"), counted(sum(x@x), "token"))
  paste(sizes, collapse = ", ")
}

check_dtm_names <- function(x, name) {
  check_each <- function(names, what) {
    check_valid_names(names, name, sprintf("names of %ss", what))
    if (anyNA(names)) stop_argument(name, sprintf("have a name for every %s or for none", what), NA)
    again <- anyDuplicated(names)
    if (again) {
      was <- sprintf("%s more than once", describe_scalar(names[again]))
      stop_argument(name, sprintf("have unique names of %ss", what), was = was)
    }
  }
  check_each(rownames(x), "document")
  check_each(colnames(x), "word")
}

counts_of_matrix <- function(x, name) {
  if (!is_table_like(x)) stop_argument(name, "be a matrix of counts or a list of documents", x)
  x <- data_matrix(x, name, sparse = TRUE)
  if (!isS4(x)) x <- sparse_matrix(methods::as(x, "CsparseMatrix"))
  check_word_counts(x@x, name, \(at) entry_places(at, x))
  # Classes that extend it have more slots, and names of their dimnames.
  methods::new("dgCMatrix",
    i = x@i, p = x@p, x = x@x, Dim = x@Dim, Dimnames = lapply(unname(x@Dimnames), as_names)
  )
}

as_names <- function(names) if (!is.null(names)) as.character(names)

#' @param place_of Function from the number of a count to that of its document and word.
#' @noRd
check_word_counts <- function(counts, name, place_of) {
  wrong <- which(!is.finite(counts) | counts < 0 | counts != floor(counts))
  if (length(wrong) == 0) return(invisible())
  at <- place_of(wrong[1])
  was <- sprintf("%s for document %d, word %d", format(counts[wrong[1]]), at[1], at[2])
  stop_argument(name, "have whole numbers of at least 0 as counts", was = was)
}

#' Counts of the same document and word are added
#' @noRd
counts_of_triplets <- function(i, j, counts, dims, dimnames, name) {
  check_word_counts(counts, name, \(at) c(i[at], j[at]))
  Matrix::sparseMatrix(i = i, j = j, x = as.double(counts), dims = dims, dimnames = dimnames)
}

counts_of_slam <- function(x, name) {
  if (!(is.numeric(x$v) || is.logical(x$v))) {
    stop_argument(name, "have counts", was = describe_value(x$v))
  }
  sides <- if (inherits(x, "TermDocumentMatrix")) 2:1 else 1:2
  at <- list(x$i, x$j)[sides]
  dimnames <- lapply(unname(x$dimnames), as_names)
  if (length(dimnames) == 2) dimnames <- dimnames[sides] else dimnames <- list(NULL, NULL)
  counts_of_triplets(at[[1]], at[[2]], x$v, c(x$nrow, x$ncol)[sides], dimnames, name)
}

#' @exportS3Method
#' @noRd
arguments_of.topics_model <- function(model) {
  c(list(dtm = model$data$x), unclass(model)[c("lengths", "gamma", "eta", "prior")])
}
