dense <- matrix(
  c(2, 0, 0, 1, 0, 3, 0, 0, 0, 0, 4, 1), 3,
  dimnames = list(c("x", "y", "z"), c("a", "b", "c", "d"))
)
as_sparse <- function(x) methods::as(methods::as(x, "CsparseMatrix"), "generalMatrix")
sparse <- as_sparse(dense)

expect_counts <- function(x, expected = dense, ...) {
  expect_identical(check_dtm(x, ...), as_sparse(expected))
}

triplets <- function(x, class = NULL) {
  at <- which(is.na(x) | x != 0, arr.ind = TRUE)
  structure(
    list(
      i = unname(at[, 1]), j = unname(at[, 2]), v = x[at], nrow = nrow(x), ncol = ncol(x),
      dimnames = list(Docs = rownames(x), Terms = colnames(x))
    ),
    class = c(class, "simple_triplet_matrix")
  )
}

test_that("counts in a table of any form become the same sparse matrix", {
  expect_counts(dense)
  expect_counts(as.data.frame(dense))
  expect_counts(`storage.mode<-`(dense, "integer"))
  expect_counts(as.table(dense))
  expect_counts(structure(dense, dimnames = list(docs = rownames(dense), terms = colnames(dense))))
  expect_counts(unname(dense), unname(dense))
  expect_counts(dense > 0, (dense > 0) * 1)
  expect_counts(matrix(7), matrix(7))
  skip_if_not_installed("tibble")
  expect_counts(tibble::as_tibble(dense), `rownames<-`(dense, NULL))
})

test_that("sparse counts of any class become the same sparse matrix", {
  for (class in c("CsparseMatrix", "RsparseMatrix", "TsparseMatrix", "unpackedMatrix")) {
    expect_counts(methods::as(sparse, class))
  }
  expect_counts(Matrix::Matrix(dense > 0, sparse = TRUE), (dense > 0) * 1)
  expect_counts(methods::as(sparse, "nMatrix"), (dense > 0) * 1)
  expect_counts(Matrix::Diagonal(3, 2), diag(2, 3))
  symmetric <- Matrix::forceSymmetric(sparse[, 1:3])
  expect_counts(symmetric, as.matrix(symmetric))
  stored_zero <- sparse
  stored_zero@x[2] <- 0
  expect_counts(stored_zero, `[<-`(dense, 1, 2, 0))
})

test_that("a class that extends the sparse matrix loses what it adds, as quanteda's", {
  env <- environment()
  methods::setClass("dfm_like", contains = "dgCMatrix", slots = c(docvars = "list"), where = env)
  on.exit(methods::removeClass("dfm_like", where = env))
  dfm <- methods::new("dfm_like", sparse, docvars = list(1))
  dfm@Dimnames <- list(docs = rownames(dense), features = colnames(dense))
  expect_counts(dfm)
})

test_that("slam's triplets are counts, and tm's two orientations are told apart", {
  expect_counts(triplets(dense))
  expect_counts(triplets(dense, "DocumentTermMatrix"))
  expect_counts(triplets(t(dense), "TermDocumentMatrix"))
  expect_counts(triplets(unname(dense)), unname(dense))
  bare <- triplets(dense)
  bare$dimnames <- NULL
  expect_counts(bare, unname(dense))
  twice <- triplets(dense)
  # One by one: slam, where another test has loaded it, reads `[<-` as an assignment of entries.
  twice$i <- c(twice$i, 2, 2)
  twice$j <- c(twice$j, 4, 4)
  twice$v <- c(twice$v, 3, 4)
  expect_counts(twice, `[<-`(dense, 2, 4, 11))
  skip_if_not_installed("slam")
  expect_counts(slam::as.simple_triplet_matrix(dense))
  skip_if_not_installed("tm")
  corpus <- tm::VCorpus(tm::VectorSource(c("cat dog cat", "owl", "dog owl owl")))
  expected <- matrix(
    c(2, 0, 0, 1, 0, 1, 0, 1, 2), 3,
    dimnames = list(c("1", "2", "3"), c("cat", "dog", "owl"))
  )
  expect_counts(tm::DocumentTermMatrix(corpus), expected)
  expect_counts(tm::TermDocumentMatrix(corpus), expected)
})

# The same three documents, the second without words
in_lists <- matrix(
  c(2, 0, 0, 1, 0, 0, 0, 0, 4, 0, 0, 1), 3,
  dimnames = list(c("x", "y", "z"), c("a", "b", "c", "d"))
)
lda <- list(
  x = rbind(c(0L, 1L, 0L), c(1L, 1L, 1L)), y = matrix(0L, 2, 0), z = rbind(2:3, c(4L, 1L))
)
numbers <- list(x = c(1L, 2L, 1L), y = integer(), z = c(4, 3, 3, 3, 3))
words <- lapply(numbers, \(n) letters[n])

test_that("lists of documents are counted, whatever a document is", {
  vocab <- letters[1:4]
  expect_counts(lda, in_lists, vocab = vocab)
  expect_counts(structure(lda, vocab = vocab), in_lists)
  expect_counts(unname(lda), unname(in_lists))
  expect_counts(numbers, in_lists, vocab = vocab)
  expect_counts(numbers, `colnames<-`(in_lists, NULL))
  expect_counts(list(c(3L, 1L)), matrix(c(1, 0, 1), 1))
  expect_counts(words, in_lists, vocab = vocab)
  expect_counts(words, in_lists[, c("a", "b", "d", "c")])
  expect_counts(lapply(words, factor, vocab), in_lists)
  expect_counts(lapply(words, factor), in_lists[, c("a", "b", "c", "d")])
  expect_counts(`[<-`(words, 2, list(integer())), in_lists, vocab = vocab)
  expect_counts(`[<-`(numbers, 2, list(character())), in_lists, vocab = vocab)
  more <- c(vocab, "e")
  expect_counts(numbers, cbind(in_lists, e = 0), vocab = more)
  expect_counts(words, cbind(e = 0, in_lists[, 4:1]), vocab = rev(more))
  expect_counts(lapply(words, factor, more), cbind(in_lists, e = 0))
})

test_that("documents as package lda has them count every column of a word", {
  # As its lexicalize() gives "cat dog cat" and "owl dog".
  documents <- list(rbind(c(0L, 1L, 0L), 1L), rbind(c(2L, 1L), 1L))
  expected <- matrix(c(2, 0, 1, 1, 0, 1), 2, dimnames = list(NULL, c("cat", "dog", "owl")))
  expect_counts(documents, expected, vocab = c("cat", "dog", "owl"))
})

test_that("what is no count of words in documents is refused", {
  bad <- list(
    NULL, NA, 1, 1:3, "a", sum, quote(x), y ~ x, factor(1), Sys.Date(), environment(), matrix("1"),
    matrix(1i), matrix(list(1)), array(1, c(1, 1, 1)), data.frame(), data.frame(a = "b"),
    dense[0, ], dense[, 0], sparse[0, ], sparse[, 0], dense * 0, sparse * 0, dense - 1, sparse * -1,
    dense / 2, sparse / 2, replace(dense, 2, NA), replace(dense, 2, NaN), replace(sparse, 1, Inf),
    replace(dense, 2, 2^31), replace(sparse, 1:2, 2^30), replace(dense, 2, 1e300), dense[c(1, 1), ],
    dense[, c(1, 1)], `rownames<-`(dense, c("x", NA, "z")), triplets(dense[0, ]),
    triplets(dense[, 0]), triplets(dense * 0), triplets(-dense), triplets(dense / 2),
    triplets(`[<-`(dense, 1, NA)), triplets(`mode<-`(dense, "character")),
    triplets(dense[, c(1, 1)])
  )
  expect_refusals(check_dtm, "dtm", bad)
  message_of <- function(x, ...) tryCatch(check_dtm(x, ...), error = conditionMessage)
  expect_identical(
    message_of(replace(dense, 6, -1)),
    "`dtm` must have whole numbers of at least 0 as counts, not -1 for document 3, word 2."
  )
  expect_match(message_of(replace(sparse, 6, NA)), "not NA for document 3, word 2.", fixed = TRUE)
  transposed <- triplets(t(replace(dense, 6, 0.5)), "TermDocumentMatrix")
  expect_match(message_of(transposed), "not 0.5 for document 3, word 2.", fixed = TRUE)
  expect_match(message_of(dense * 0), "have at least one word in a document, not none.")
  expect_match(message_of(dense[, c(1, 3, 1)]), "unique names of words, not \"a\" more than once.")
  expect_match(message_of(dense * 1e9), "with a sum of at most 1e8, not 1.1e+10.", fixed = TRUE)
  expect_match(message_of(letters), "be a matrix of counts or a list of documents, not a character")
  expect_match(message_of(dense, vocab = "a"), "^`vocab` must be NULL unless `dtm` is a list")
})

test_that("lists that are no documents are refused", {
  bad <- list(
    list(), list(1:2, NULL), list(1:2, list(1)), list(1:2, TRUE), list(sum), list(matrix(1:3, 3)),
    list(1:2, "a"), list("a", 1L), list(lda$x, 1L), list(lda$x, letters), list(integer()),
    list(character(), integer()), list(0L), list(1:2, -1), list(1.5), list(1e9), list(1e300),
    list(NA_integer_), list(Inf), list(c("a", NA)), list(NA_character_), list(factor(c("a", NA))),
    list(rbind(-1, 1)), list(rbind(0.5, 1)), list(rbind(NA, 1)), list(rbind(0, -1)),
    list(rbind(c(0, 0), c(2, -1))), list(rbind(0, 0.5)), list(rbind(0, NA)), list(rbind(0, 0)),
    list(rbind("0", "1")), list(a = 1L, a = 2L), list(Sys.Date()), list(rbind(0, 2^31))
  )
  expect_refusals(check_dtm, "dtm", bad)
  in_vocab <- list(list(4L), list(1L, c(1, 4)), list("d"), list(rbind(3, 1)), list(factor("d")))
  expect_refusals(\(x) check_dtm(x, vocab = letters[1:3]), "dtm", in_vocab)
  bad <- list(1, NA_character_, character(), c("a", "b", NA), c("a", "b", "a"), list("a"), TRUE)
  expect_refusals(\(v) check_dtm(list(1:2), vocab = v), "vocab", bad)
  message_of <- function(x, ...) tryCatch(check_dtm(x, ...), error = conditionMessage)
  expect_match(message_of(list(1L, 0L)), "numbers from 1 to 10000000, not 0 in document 2.")
  expect_match(message_of(list(a = rbind(3, 1)), vocab = "a"), "from 0 to 0, not 3 in document 1.")
  expect_match(message_of(list("a", c("a", NA))), "not NA in document 2.")
  expect_match(message_of(list("a", c("a", "b")), vocab = "a"), "not \"b\" in document 2.")
  expect_match(message_of(list(1L, "a")), "documents of one form, not \"a\" as document 2.")
  expect_match(message_of(list(lda$x, rbind(0:1, 1:0 - 1))), "not -1 for document 2, word 2.")
})

test_that("documents without words are found, and the data described", {
  expect_identical(empty_documents(check_dtm(dense)), integer())
  expect_identical(empty_documents(check_dtm(numbers)), 2L)
  expect_identical(empty_documents(check_dtm(unname(rbind(0, dense, 0)))), c(1L, 5L))
  expect_identical(describe_dtm(check_dtm(dense)), "3 documents, 4 words, 11 tokens")
  expect_identical(describe_dtm(check_dtm(matrix(1))), "1 document, 1 word, 1 token")
  expect_identical(describe_dtm(check_dtm(matrix(1e8))), "1 document, 1 word, 100000000 tokens")
})

test_that("more tokens than can be sampled are refused in every form", {
  must <- "^`dtm` must have counts with a sum of at most 1e8, not 1000000001\\.$"
  rows <- data.frame(document = 1:2, term = c("a", "b"), n = c(1e9, 1))
  for (counts in list(rows, diag(rows$n), as_sparse(diag(rows$n)), list(rbind(0:1, rows$n)))) {
    expect_error(fit_topics(counts), must)
  }
  expect_error(check_dtm(matrix(c(1e8, 1), 1)), "at most 1e8, not 100000001.", fixed = TRUE)
  expect_help("fit_topics", "Their sum is at most 1e8")
})

test_that("texts that are not split into words are told", {
  texts <- list("the cat sat", "a dog ran", "the cat ran")
  told <- paste(
    "`dtm` has documents of one word with spaces, as \"the cat sat\":",
    "split texts into words first, as strsplit(text, \" +\") does.\n"
  )
  whole <- list(texts, lapply(texts, factor), c(texts, list(letters, "a")), list("the\tcat\nsat"))
  said <- lapply(whole, function(documents) capture_messages(check_dtm(documents)))
  expect_identical(said[1:3], list(told, told, told))
  expect_match(said[[4]], "as \"the\\tcat\\nsat\": split", fixed = TRUE)
  expect_message(check_dtm(texts, "newdata"), "^`newdata` has documents of one word with spaces")
  split <- strsplit(unlist(texts), " +")
  for (documents in list(split, list("a", "b"), c(split, texts[1]), list("a ", " b"), list(1, 2))) {
    expect_no_message(check_dtm(documents))
  }
})

test_that("large sparse counts are never dense", {
  skip_on_cran()
  # 8e10 entries could not be.
  set.seed(1)
  n <- 2e5
  large <- Matrix::sparseMatrix(
    i = sample.int(2e5, n, TRUE), j = sample.int(4e5, n, TRUE), x = 1, dims = c(2e5, 4e5)
  )
  expect_identical(check_dtm(large), large)
  expect_identical(check_dtm(Matrix::t(methods::as(Matrix::t(large), "RsparseMatrix"))), large)
  at <- Matrix::summary(large)
  slam <- structure(
    list(i = at$i, j = at$j, v = at$x, nrow = 2e5L, ncol = 4e5L), class = "simple_triplet_matrix"
  )
  expect_identical(check_dtm(slam), large)
})
