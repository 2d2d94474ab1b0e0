dense <- matrix(
  c(2, 0, 0, 1, 0, 3, 0, 0, 0, 0, 4, 1), 3,
  dimnames = list(c("x", "y", "z"), c("a", "b", "c", "d"))
)
as_sparse <- function(x) methods::as(methods::as(x, "CsparseMatrix"), "generalMatrix")
sparse <- as_sparse(dense)

expect_counts <- function(x, expected = dense) {
  expect_identical(check_dtm(x), as_sparse(expected))
}

triplets <- function(x, class = "DocumentTermMatrix") {
  at <- which(is.na(x) | x != 0, arr.ind = TRUE)
  structure(
    list(
      i = unname(at[, 1]), j = unname(at[, 2]), v = x[at], nrow = nrow(x), ncol = ncol(x),
      dimnames = list(Docs = rownames(x), Terms = colnames(x))
    ),
    class = c(class, "simple_triplet_matrix")
  )
}

test_that("tables of counts in any form become the same sparse matrix", {
  expect_counts(dense)
  expect_counts(`storage.mode<-`(dense, "integer"))
  expect_counts(as.table(dense))
  expect_counts(structure(dense, dimnames = list(docs = rownames(dense), terms = colnames(dense))))
  expect_counts(unname(dense), unname(dense))
  expect_counts(dense > 0, (dense > 0) * 1)
  expect_counts(matrix(7), matrix(7))
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

test_that("classes that extend sparse matrices, such as quanteda's, lose their extensions", {
  env <- environment()
  methods::setClass("dfm_like", contains = "dgCMatrix", slots = c(docvars = "list"), where = env)
  on.exit(methods::removeClass("dfm_like", where = env))
  dfm <- methods::new("dfm_like", sparse, docvars = list(1))
  dfm@Dimnames <- list(docs = rownames(dense), features = colnames(dense))
  expect_counts(dfm)
})

test_that("a DocumentTermMatrix from tm is read as counts", {
  expect_counts(triplets(dense))
  expect_counts(triplets(unname(dense)), unname(dense))
  bare <- triplets(dense)
  bare$dimnames <- NULL
  expect_counts(bare, unname(dense))
  twice <- triplets(dense)
  # Elements are added one at a time. If another test has loaded slam, `[<-` would assign entries of
  # the matrix.
  twice$i <- c(twice$i, 2, 2)
  twice$j <- c(twice$j, 4, 4)
  twice$v <- c(twice$v, 3, 4)
  expect_counts(twice, `[<-`(dense, 2, 4, 11))
  skip_if_not_installed("tm")
  corpus <- tm::VCorpus(tm::VectorSource(c("cat dog cat", "owl", "dog owl owl")))
  expected <- matrix(
    c(2, 0, 0, 1, 0, 1, 0, 1, 2), 3,
    dimnames = list(c("1", "2", "3"), c("cat", "dog", "owl"))
  )
  expect_counts(tm::DocumentTermMatrix(corpus), expected)
  expect_refusals(check_dtm, "dtm", list(tm::TermDocumentMatrix(corpus)))
})

test_that("everything except counts of words in documents is rejected", {
  bad <- list(
    NULL, 1, "a", sum, matrix("1"), matrix(list(1)), array(1, c(1, 1, 1)), data.frame(a = "b"),
    dense[0, ], sparse[, 0], dense * 0, sparse * -1, sparse / 2, replace(dense, 2, NaN),
    replace(sparse, 1, Inf), replace(sparse, 1:2, 2^30), dense[c(1, 1), ],
    `rownames<-`(dense, c("x", NA, "z")), triplets(dense[0, ]), triplets(dense / 2),
    triplets(`[<-`(dense, 1, NA)), triplets(`mode<-`(dense, "character")),
    triplets(dense, NULL), triplets(t(dense), "TermDocumentMatrix"), as.data.frame(dense)
  )
  expect_refusals(check_dtm, "dtm", bad)
  message_of <- function(x) tryCatch(check_dtm(x), error = conditionMessage)
  told <- "`dtm` must have whole numbers of at least 0 as counts, not -1 for document 3, word 2."
  expect_identical(message_of(replace(dense, 6, -1)), told)
  expect_match(message_of(replace(sparse, 6, NA)), "not NA for document 3, word 2.", fixed = TRUE)
  expect_match(message_of(dense[, c(1, 3, 1)]), "unique word names, not \"a\" more than once.")
  expect_match(message_of(dense * 1e9), "with a sum of at most 1e8, not 1.1e+10.", fixed = TRUE)
  expect_match(message_of(letters), "or a data frame with columns document, term and count, not a ")
})

test_that("documents without words are found, and the data are described", {
  expect_identical(empty_documents(check_dtm(dense)), integer())
  expect_identical(empty_documents(check_dtm(unname(rbind(0, dense, 0)))), c(1L, 5L))
  expect_identical(describe_dtm(check_dtm(dense)), "3 documents, 4 words, 11 tokens")
  expect_identical(describe_dtm(check_dtm(matrix(1))), "1 document, 1 word, 1 token")
  expect_identical(describe_dtm(check_dtm(matrix(1e8))), "1 document, 1 word, 100000000 tokens")
})

test_that("data with more tokens than can be sampled are rejected in every form", {
  must <- "^`dtm` must have counts with a sum of at most 1e8, not 1000000001\\.$"
  rows <- data.frame(document = 1:2, term = c("a", "b"), count = c(1e9, 1))
  for (counts in list(rows, diag(rows$count), as_sparse(diag(rows$count)))) {
    expect_error(fit_topics(counts), must)
  }
  expect_error(check_dtm(matrix(c(1e8, 1), 1)), "at most 1e8, not 100000001.", fixed = TRUE)
})

# Data frames whose rows have a document, a word and a count.

expected <- matrix(c(2, 0, 1, 3, 0, 4), 2, dimnames = list(c("x", "y"), c("pea", "bean", "leek")))
rows <- data.frame(
  document = c("x", "x", "y", "y"), term = c("pea", "bean", "bean", "leek"), count = c(2, 1, 3, 4)
)
same_counts <- function(given) {
  expect_identical(as.matrix(check_dtm(given)), expected, ignore_attr = FALSE)
}

test_that("repeated rows with the same document and term are added up", {
  same_counts(rows)
  same_counts(tibble::as_tibble(rows))
  same_counts(transform(rows, tf_idf = 0.1, topic = "a"))
  same_counts(rows[c(3, 1, 2)])
  same_counts(transform(rows[rep(1:4, rows$count), ], count = 1))
  same_counts(rbind(transform(rows, count = count - 1), transform(rows, count = 1)))
  # If documents are given as numbers, these become their names.
  numbered <- check_dtm(transform(rows, document = c(7, 7, 3, 3)))
  expect_identical(rownames(numbered), c("7", "3"))
  both <- check_dtm(transform(rows, document = c(7, 7, 3, 3), term = c(1, 2, 2, 9)))
  expect_identical(dimnames(both), list(c("7", "3"), c("1", "2", "9")))
  expect_identical(as.matrix(both), expected, ignore_attr = TRUE)
})

test_that("documents and words given as factors are in the order of their levels", {
  levelled <- transform(rows, document = factor(document, c("y", "x", "z")))
  expect_identical(rownames(check_dtm(levelled)), c("y", "x", "z"))
  levelled <- transform(rows, term = factor(term, c("leek", "bean", "pea")))
  expect_identical(as.matrix(check_dtm(levelled)), expected[, 3:1])
})

test_that("other data frames are rejected with a one-line error", {
  for (column in names(rows)) {
    without <- sprintf("and count, not a data frame without `%s`.", column)
    expect_error(check_dtm(rows[names(rows) != column]), without, fixed = TRUE)
  }
  expect_error(check_dtm(transform(rows, count = c(1, 2, NA, 1))), "whole numbers of at least 0")
  expect_error(check_dtm(transform(rows, count = "1")), "numbers in every row of `count`")
  expect_refusals(check_dtm, "dtm", list(
    transform(rows, term = c("a", NA, "b", "b")), transform(rows, document = c("a", NA, "b", "b")),
    transform(rows, term = I(as.list(term))), rows[0, ]
  ))
})

test_that("fits accept such data frames and match new documents by their words", {
  many <- data.frame(
    document = rep(1:20, each = 3), term = c("a", "b", "c", "c", "d", "e"), count = 1:6
  )
  method <- method_gibbs(chains = 1, iter = 20)
  fit <- fit_topics(many, method = method, seed = 1, verbose = FALSE)
  expect_identical(rownames(features(fit)), as.character(1:20))
  expect_identical(dim(predict(fit, many[1:6, ], "words")), c(2L, 5L))
})

test_that("errors about documents without counts explain how to count words", {
  cured <- function(dtm, ...) {
    error <- expect_error(check_dtm(dtm), "^`dtm` must be counts, documents x words, as a matrix,")
    cure <- sub(".*, not [^:]*: `(.*)` (counts|has|keeps).*", "\\1", conditionMessage(error))
    check_dtm(eval(str2lang(cure), list(dtm = dtm, ...)))
  }
  tokens <- list(c("tea", "milk", "tea"), "milk")
  counts <- matrix(c(1, 1, 2, 0), 2, dimnames = list(NULL, c("milk", "tea")))
  expect_equal(as.matrix(cured(tokens)), counts, ignore_attr = TRUE)
  expect_error(check_dtm(dense[1, ]), ": `m\\[1, , drop = FALSE\\]` keeps a row")
  skip_if_not_installed("tm")
  text <- c("tea milk tea", "milk")
  frame <- data.frame(doc_id = 1:2, text = text)
  corpus <- tm::VCorpus(tm::VectorSource(text))
  for (dtm in list(text, corpus, tm::TermDocumentMatrix(corpus), frame)) {
    expect_equal(as.matrix(cured(dtm)), counts, ignore_attr = TRUE)
  }
})
