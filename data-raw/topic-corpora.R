# Writes the real corpora for bench/topics.cpp to a folder, in the format of bench/corpus.h: a line
# "documents words", then one line per document, "word:count word:count ...", with words numbered
# from 0.
#   Rscript data-raw/topic-corpora.R folder
# The packages are lda (Cora abstracts, 20 Newsgroups), topicmodels (Associated Press) and tm (stop
# words). Each corpus has the files name-training.txt, name-test.txt and name-words.txt. Documents
# with fewer than ten tokens are left out. Of the other documents, a fixed random selection is used
# for testing: 200 from each of the first two corpora, and 246 from the third. The numbers of
# training documents, words and training tokens are:
#
# * cora, 2135, 2961, 124,331: the abstracts, unchanged.
# * newsgroups, 2000, 1645, 134,246: every fourth document of the training set, without English stop
#   words, with words that occur in at least 30 of these 2818 documents and in at most a tenth of
#   them.
# * press, 1958, 3432, 278,003: without English stop words, with words that occur in at least 20
#   documents and in at most a fifth of them.
folder <- commandArgs(trailingOnly = TRUE)
if (length(folder) != 1) stop("usage: Rscript data-raw/topic-corpora.R folder")
dir.create(folder, showWarnings = FALSE, recursive = TRUE)

#' Converts documents in the format of package lda, which are matrices of words, numbered from 0,
#' and their counts, to a table of entries
entries <- function(documents) {
  data.frame(
    document = rep(seq_along(documents), vapply(documents, ncol, 0L)),
    word = unlist(lapply(documents, function(d) d[1, ])) + 1L,
    count = unlist(lapply(documents, function(d) d[2, ]))
  )
}

#' Keeps words for which `keep` is true and that occur in at least `least` documents, but in at most
#' a share `most` of them
with_words <- function(table, vocabulary, least, most = 1, keep = !logical(length(vocabulary))) {
  documents <- tabulate(table$word, length(vocabulary))
  keep <- keep & documents >= least & documents <= most * max(table$document)
  table <- table[keep[table$word], ]
  table$word <- cumsum(keep)[table$word]
  list(table = table, vocabulary = vocabulary[keep])
}

write_documents <- function(documents, words, file) {
  lines <- vapply(documents, function(d) {
    d <- d[order(d$word), ]
    paste0(d$word - 1L, ":", d$count, collapse = " ")
  }, "")
  writeLines(c(paste(length(documents), words), lines), file.path(folder, file))
}

#' Keeps documents with at least ten tokens, and uses a fixed random selection of them for testing
write_corpus <- function(corpus, name, tests, trainings = Inf) {
  documents <- split(corpus$table, corpus$table$document)
  documents <- documents[vapply(documents, function(d) sum(d$count) >= 10, NA)]
  set.seed(1)
  documents <- documents[sample(length(documents))]
  documents <- documents[seq_len(min(length(documents), tests + trainings))]
  test <- seq_len(tests)
  words <- length(corpus$vocabulary)
  write_documents(documents[test], words, paste0(name, "-test.txt"))
  write_documents(documents[-test], words, paste0(name, "-training.txt"))
  writeLines(corpus$vocabulary, file.path(folder, paste0(name, "-words.txt")))
  tokens <- sum(vapply(documents[-test], function(d) sum(d$count), 0))
  cat(sprintf("%-12s %6d %6d %7d\n", name, length(documents) - tests, words, as.integer(tokens)))
}

data("cora.documents", "cora.vocab", package = "lda")
data("newsgroup.train.documents", "newsgroup.vocab", package = "lda")
data("AssociatedPress", package = "topicmodels")
stop_words <- tm::stopwords("en")

# Cora, unchanged.
write_corpus(with_words(entries(cora.documents), cora.vocab, 1), "cora", 200)

# Newsgroups are sorted, so taking every fourth document includes all newsgroups.
news <- entries(newsgroup.train.documents[seq(1, length(newsgroup.train.documents), 4)])
allowed <- !newsgroup.vocab %in% stop_words
write_corpus(with_words(news, newsgroup.vocab, 30, 0.1, allowed), "newsgroups", 200, 2000)

press <- data.frame(
  document = AssociatedPress$i, word = AssociatedPress$j, count = AssociatedPress$v
)
terms <- AssociatedPress$dimnames[[2]]
write_corpus(with_words(press, terms, 20, 0.2, !terms %in% stop_words), "press", 246)
