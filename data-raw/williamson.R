# The tables that vignettes/williamson.Rmd plots.
#   Rscript data-raw/williamson.R press folder    the folder from data-raw/topic-corpora.R
#   Rscript data-raw/williamson.R bench file      the output of bench/topics
# The first call fits the Associated Press corpus, including with LDA from the package topicmodels.
# It takes a quarter of an hour on one core. The second call extracts Markdown tables.
library(buffet)

arguments <- commandArgs(trailingOnly = TRUE)

write_table <- function(table, name) {
  number <- vapply(table, is.numeric, NA)
  table[number] <- lapply(table[number], signif, 5)
  write.csv(table, sprintf("vignettes/topics-%s.csv", name), row.names = FALSE)
}

processor_seconds <- function(expr) {
  before <- proc.time()
  force(expr)
  sum((proc.time() - before)[c("user.self", "sys.self")])
}

#' A corpus in the format of bench/corpus.h as a sparse matrix, documents x words
read_corpus <- function(folder, part) {
  lines <- readLines(file.path(folder, paste0("press-", part, ".txt")))
  size <- as.integer(strsplit(lines[1], " ")[[1]])
  entries <- strsplit(lines[-1], " ")
  pairs <- matrix(as.integer(unlist(strsplit(unlist(entries), ":"))), 2)
  Matrix::sparseMatrix(
    i = rep(seq_along(entries), lengths(entries)), j = pairs[1, ] + 1L, x = as.double(pairs[2, ]),
    dims = size,
    dimnames = list(NULL, readLines(file.path(folder, "press-words.txt")))
  )
}

#' Completes documents with the shares and the words of topics from another package
completed <- function(theta, beta, rest) {
  entries <- methods::as(rest, "TsparseMatrix")
  p <- rowSums(theta[entries@i + 1L, ] * t(beta)[entries@j + 1L, ])
  exp(-sum(entries@x * log(p)) / sum(entries@x))
}

lda_perplexity <- function(k, training, parts) {
  triplets <- function(x) slam::as.simple_triplet_matrix(as.matrix(x))
  control <- list(alpha = 5 / k, delta = 0.1, burnin = 300, iter = 20, thin = 20, seed = 1)
  seconds <- processor_seconds(
    fit <- topicmodels::LDA(triplets(training), k, method = "Gibbs", control = control)
  )
  seen <- topicmodels::posterior(fit, triplets(parts$seen),
    control = list(burnin = 25, iter = 75, thin = 75, seed = 1)
  )
  words <- topicmodels::posterior(fit)
  data.frame(
    model = "LDA", topics = k, perplexity = completed(seen$topics, words$terms, parts$rest),
    seconds = seconds
  )
}

press <- function(folder) {
  training <- read_corpus(folder, "training")
  test <- read_corpus(folder, "test")
  set.seed(1)
  parts <- buffet:::split_tokens(test, 0.5)
  fits <- lapply(c(given = "given", model = "model"), function(lengths) {
    method <- method_gibbs(chains = 2, iter = 400, warmup = 300, thin = 20)
    seconds <- processor_seconds(
      fit <- fit_topics(training, lengths, method = method, seed = 1, verbose = FALSE)
    )
    list(fit = fit, seconds = seconds)
  })
  of_fit <- function(name) {
    fit <- fits[[name]]$fit
    data.frame(
      model = paste0("focused, ", name),
      topics = round(mean(posterior::extract_variable(fit, "n_features"))),
      perplexity = perplexity(fit, test, seed = 1), seconds = fits[[name]]$seconds / 2
    )
  }
  lda <- lapply(c(20, 50, 100, 200), lda_perplexity, training, parts)
  write_table(do.call(rbind, c(lda, lapply(names(fits), of_fit))), "press-perplexity")
  fit <- fits$given$fit
  write_table(as.data.frame(topic_table(fit)), "press")
  parts <- c(fit["method"], fit$internal)
  number <- function(scalars) scalars[, , "n_features", drop = FALSE]
  trace <- rbind(
    buffet:::trace_frame(number(parts$warmup_scalars), parts$method, TRUE),
    buffet:::trace_frame(number(parts$scalars), parts$method, FALSE)
  )
  write_table(trace[c("sweep", "chain", "value")], "press-trace")
}

#' The tables in a Markdown file, by heading
markdown_tables <- function(file) {
  lines <- readLines(file)
  cells <- function(line) trimws(strsplit(gsub("^\\||\\|$", "", line), "|", fixed = TRUE)[[1]])
  starts <- grep("^## ", lines)
  tables <- lapply(starts, function(at) {
    rows <- lines[seq(at, c(starts[starts > at], length(lines) + 1)[1] - 1)]
    rows <- rows[startsWith(rows, "|")]
    body <- do.call(rbind, lapply(rows[-(1:2)], cells))
    stats::setNames(as.data.frame(body), cells(rows[1]))
  })
  stats::setNames(tables, sub("^## ", "", lines[starts]))
}

from_bench <- function(file) {
  tables <- markdown_tables(file)
  pick <- function(pattern) tables[[grep(pattern, names(tables))]]
  write_table(pick("millions of tokens"), "speed")
  write_table(pick("decoupled"), "decoupled")
  use <- pick("presence and share$")
  names(use)[4:5] <- paste("presence,", names(use)[4:5])
  names(use)[7:8] <- paste("share,", names(use)[7:8])
  write_table(use, "use")
  write_table(pick("perplexity of text"), "text")
}

switch(arguments[1],
  press = press(arguments[2]),
  bench = from_bench(arguments[2])
)
