# Counts as a dgCMatrix, documents x words, without explicit zeros
check_dtm <- function(x, name = "dtm") {
  counts <- if (inherits(x, "DocumentTermMatrix")) {
    counts_of_tm(x, name)
  } else if (is.data.frame(x)) {
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

# With more, a sweep takes minutes
most_tokens <- 1e8

empty_documents <- function(x) which(tabulate(x@i + 1L, nrow(x)) == 0)

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
  if (!is_table_like(x)) stop_no_counts(name, describe_value(x))
  x <- data_matrix(x, name, sparse = TRUE)
  if (!isS4(x)) x <- sparse_matrix(methods::as(x, "CsparseMatrix"))
  check_word_counts(x@x, name, \(at) entry_places(at, x))
  # Classes that extend it, such as quanteda's, have more slots, and names for their dimnames.
  methods::new("dgCMatrix", i = x@i, p = x@p, x = x@x, Dim = x@Dim, Dimnames = unname(x@Dimnames))
}

stop_no_counts <- function(name, was) {
  must <- paste(
    "be counts, documents x words, as a matrix, a dgCMatrix or a DocumentTermMatrix, or a data",
    "frame with columns document, term and count"
  )
  stop_argument(name, must, was = was)
}

# place_of: Function from the number of a count to that of its document and word.
check_word_counts <- function(counts, name, place_of) {
  wrong <- which(!is.finite(counts) | counts < 0 | counts != floor(counts))
  if (length(wrong) == 0) return(invisible())
  at <- place_of(wrong[1])
  was <- sprintf("%s for document %d, word %d", format(counts[wrong[1]]), at[1], at[2])
  stop_argument(name, "have whole numbers of at least 0 as counts", was = was)
}

counts_of_triplets <- function(i, j, counts, dims, dimnames, name) {
  check_word_counts(counts, name, \(at) c(i[at], j[at]))
  Matrix::sparseMatrix(i = i, j = j, x = as.double(counts), dims = dims, dimnames = dimnames)
}

counts_of_tm <- function(x, name) {
  if (!(is.numeric(x$v) || is.logical(x$v))) {
    stop_argument(name, "have counts", was = describe_value(x$v))
  }
  names <- if (length(x$dimnames) == 2) unname(x$dimnames) else list(NULL, NULL)
  counts_of_triplets(x$i, x$j, x$v, c(x$nrow, x$ncol), names, name)
}

# Documents and words are in the order of their levels, or of appearance
counts_of_rows <- function(rows, name) {
  lacking <- setdiff(c("document", "term", "count"), names(rows))
  if (length(lacking) > 0) {
    stop_no_counts(name, sprintf("a data frame without `%s`", lacking[1]))
  }
  document <- names_in(rows, "document", name)
  term <- names_in(rows, "term", name)
  count <- rows[["count"]]
  if (!is.numeric(count)) stop_argument(name, "have numbers in every row of `count`", count)
  documents <- levels_of(document)
  words <- levels_of(term)
  counts_of_triplets(
    match(as.character(document), documents), match(as.character(term), words), count,
    c(length(documents), length(words)), list(documents, words), name
  )
}
