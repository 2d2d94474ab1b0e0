#' Fit a focused topic model
#'
#' @description
#' A topic is a distribution over words. Documents choose topics according to an Indian buffet
#' process, and every topic has a weight, so the model separates how many documents have a topic
#' from how much of each document the topic fills (Williamson, Wang, Heller and Blei 2010). For
#' topics k, documents m and words i:
#' \deqn{\pi \sim \mathrm{IBP}(\alpha), \quad \phi_k \sim \mathrm{Gamma}(\gamma, 1), \quad
#' \beta_k \sim \mathrm{Dirichlet}(\eta, \dots, \eta),}
#' \deqn{b_{mk} \sim \mathrm{Bernoulli}(\pi_k), \quad
#' \theta_m \sim \mathrm{Dirichlet}(b_{m1} \phi_1, b_{m2} \phi_2, \dots), \quad
#' z_{mi} \sim \theta_m, \quad w_{mi} \sim \beta_{z_{mi}}.}
#' The number of topics is learned. The matrix b of choices is called Z on other pages. A default
#' fit of 60 documents of 30 words takes about 19 s on one core.
#'
#' @details
#' ## Is it for my data?
#' Use it for counts of words, or of other items, in documents. In large corpora the number of
#' topics still grows after hundreds of sweeps: look at `plot(fit, "trace")`, and do not use the
#' number of topics as an estimate. Superfluous topics disappear, but new ones are hard to find, so
#' start with too many rather than too few.
#'
#' By default the model is conditional on the lengths of documents. A document without words then
#' has `NA` for its topics. With `lengths = "model"`, as in the paper, document m has
#' \eqn{\mathrm{NB}(b_{mk} \phi_k, 1/2)} words of topic k. The variance of these numbers is only
#' twice their mean; real text varies far more and is predicted better with `"given"`.
#'
#' @section With tm and topicmodels:
#' tm attaches NLP, which also has a function `features()`: use [features_of()] instead. topicmodels
#' also has a function `perplexity()`: write `buffet::perplexity(fit, newdata)`.
#'
#' @param dtm Counts, documents x words, without `NA`: a matrix, dense or a `dgCMatrix`; a
#'   `DocumentTermMatrix` (tm); or a data frame with the columns `document`, `term` and `count`
#'   (tidytext). The counts must sum to at most 1e8.
#' @param lengths (string) `"given"` (default) or `"model"`; see Details.
#' @param gamma (number in \[1e-6, 1e6\] or [gamma_prior()]) Shape of the weights of the topics, by
#'   default `gamma_prior(1, 0.05)`. With small values, the weights differ greatly in size.
#' @param eta (number in \[1e-6, 1e6\] or [gamma_prior()]) Parameter of the distributions of the
#'   words, by default `gamma_prior(1, 1)`. With small values, topics have few words.
#' @param prior [prior_ibp()] with `concentration = 1` and `discount = 0`, for which the weight of
#'   unseen topics has a closed form; `alpha` is `gamma_prior(1, 0.1)` by default.
#' @param method [method_gibbs()], by default with `thin = 10` to save memory; see [samplers].
#' @param init Where chains start: [init_topics()], by default `init_topics(50)`, or an earlier fit.
#' @inheritParams fit_gaussian
#' @return A fit of class `fit_topics` and `fit_mcmc`; see [buffet_fit]. Its topics are called `t1`,
#'   `t2`, ... in decreasing order of the number of documents that have chosen them.
#' @references Williamson, S., Wang, C., Heller, K. A. and Blei, D. M. (2010). The IBP compound
#'   Dirichlet process and its application to focused topic modeling. *ICML*.
#' @seealso [sim_topics()], [plot.fit_topics()], [predict.fit_topics()], [perplexity()],
#'   `vignette("topics")`
#' @examples
#' # 20 news articles about crude oil
#' if (requireNamespace("tm", quietly = TRUE)) {
#'   data("crude", package = "tm")
#'   clean <- list(removePunctuation = TRUE, removeNumbers = TRUE, stopwords = TRUE)
#'   dtm <- tm::DocumentTermMatrix(crude, control = clean)
#'   method <- method_gibbs(chains = 1, iter = 1000, thin = 10, max_features = 8)
#'   fit <- fit_topics(dtm, method = method, seed = 1)
#'   print(topic_table(fit))
#'   plot(fit)
#' }
#' @export
fit_topics <- function(dtm, lengths = c("given", "model"), gamma = gamma_prior(1, 0.05),
                       eta = gamma_prior(1, 1), prior = prior_ibp(alpha = gamma_prior(1, 0.1)),
                       method = method_gibbs(thin = 10), init = NULL, seed = NULL, verbose = TRUE,
                       file = NULL, ...) {
  arguments <- fit_arguments("fit_topics", ...)
  x <- check_dtm(dtm)
  lengths <- check_choice(lengths, c("given", "model"), "lengths")
  traits <- new_traits(
    x, "collapsed", entries = sum(x), moves = 1L, side = "document", fitted = "expected"
  )
  gamma <- check_topic_hyper(gamma, "gamma")
  eta <- check_topic_hyper(eta, "eta")
  if (!inherits(check_prior(prior), "prior_ibp")) stop_argument("prior", "be a prior_ibp()", prior)
  if (!identical(prior$concentration, 1) || prior$discount != 0) {
    must <- "be a prior_ibp() with concentration 1 and discount 0, which the sampler assumes"
    stop_argument("prior", must, was = format(prior)[1])
  }
  mean <- prior_mean(prior$alpha)
  if (mean > 1e4) stop_argument("alpha", "be, or have a mean of, at most 10000 for topics", mean)
  model <- new_model("topics", list(x = x), traits,
    lengths = lengths, gamma = gamma, eta = eta, prior = prior, loading_width = 2, loading_extra = 1
  )
  fit_model(model, arguments, match.call())
}

check_topic_hyper <- function(x, name) {
  x <- check_hyper(x, name)
  if (is.numeric(x) && (x < 1e-6 || x > 1e6)) {
    stop_argument(name, "be between 1e-6 and 1e6 or a gamma_prior()", x)
  }
  x
}

#' @exportS3Method
check_ready.topics_model <- function(model) {
  empty <- if (model$lengths == "given") length(empty_documents(model$data$x)) else 0
  if (empty == 0) return(invisible())
  text <- "{empty} document{?s} without words {?is/are} kept, with NA for {?its/their} topics."
  message(cli::pluralize(text))
}

#' @exportS3Method
sweep_chains.topics_model <- function(model, method, plan, watch) {
  topics_cpp(model$data$x, c(topic_spec(model, method), moves = method$moves), plan, watch)
}

topic_spec <- function(model, method) {
  list(
    lengths = model$lengths, alpha = hyper_spec(model$prior$alpha), gamma = hyper_spec(model$gamma),
    eta = hyper_spec(model$eta), max_features = method$max_features %||% .Machine$integer.max
  )
}

#' @exportS3Method
further_priors.fit_topics <- function(fit) {
  prior_row(c("topic_weights", "words"), c("Gamma(shape = gamma, rate = 1)", "Dirichlet(eta)"))
}

# Counts as a dgCMatrix, documents x words, without stored zeros
check_dtm <- function(x, name = "dtm") {
  if (is.data.frame(x)) x <- triplets_of_rows(x, name)
  counts <- if (inherits(x, "DocumentTermMatrix")) {
    if (!(is.numeric(x$v) || is.logical(x$v))) stop_argument(name, "have counts", x$v)
    check_word_counts(x$v, name, \(at) c(x$i[at], x$j[at]))
    names <- if (length(x$dimnames) == 2) unname(x$dimnames) else list(NULL, NULL)
    size <- c(x$nrow, x$ncol)
    Matrix::sparseMatrix(i = x$i, j = x$j, x = as.double(x$v), dims = size, dimnames = names)
  } else {
    if (!is_table_like(x)) stop_no_counts(name, describe_value(x), counting(x, name))
    x <- data_matrix(x, name, sparse = TRUE)
    if (!isS4(x)) x <- sparse_matrix(methods::as(x, "CsparseMatrix"))
    check_word_counts(x@x, name, \(at) entry_places(at, x))
    # Classes that extend dgCMatrix, such as quanteda's, have additional slots and named dimnames.
    methods::new("dgCMatrix", i = x@i, p = x@p, x = x@x, Dim = x@Dim, Dimnames = unname(x@Dimnames))
  }
  check_dtm_names(counts, name)
  total <- sum(counts@x)
  if (total == 0) stop_argument(name, "have at least one word in a document", was = "none")
  # With more tokens, a sweep would take minutes.
  if (total > 1e8) {
    stop_argument(name, "have counts with a sum of at most 1e8", was = format(total, digits = 10))
  }
  Matrix::drop0(counts)
}

check_dtm_names <- function(counts, name) {
  for (side in 1:2) {
    names <- dimnames(counts)[[side]]
    what <- c("document", "word")[side]
    check_valid_names(names, name, paste(what, "names"))
    if (anyNA(names)) stop_argument(name, sprintf("have a name for every %s or for none", what), NA)
    check_unique(names, name, sprintf("have unique %s names", what))
  }
}

empty_documents <- function(x) which(tabulate(x@i + 1L, nrow(x)) == 0)

describe_dtm <- function(x) {
  sizes <- c(counted(nrow(x), "document"), counted(ncol(x), "word"), counted(sum(x@x), "token"))
  paste(sizes, collapse = ", ")
}

# Code that counts the words in text documents, or NULL
counting <- function(x, name) {
  if (is_vector(x)) return(keep_dimensions)
  way <- if (is.character(x)) {
    "`tm::DocumentTermMatrix(tm::VCorpus(tm::VectorSource(%s)))` counts words"
  } else if (inherits(x, "Corpus")) {
    "`tm::DocumentTermMatrix(%s)` counts words"
  } else if (inherits(x, "TermDocumentMatrix")) {
    "`t(%s)` has documents as rows"
  } else if (is.list(x) && !is.object(x) && length(x) > 0 && all(vapply(x, is.character, NA))) {
    "`table(rep(seq_along(%1$s), lengths(%1$s)), unlist(%1$s))` counts words"
  }
  if (!is.null(way)) sprintf(way, name)
}

stop_no_counts <- function(name, was, cure = NULL) {
  must <- paste(
    "be counts, documents x words, as a matrix, a dgCMatrix or a DocumentTermMatrix, or a data",
    "frame with columns document, term and count"
  )
  stop_argument(name, must, was = was, cure = cure)
}

# place_of: Function that returns the numbers of the document and word, given the number of a count.
check_word_counts <- function(counts, name, place_of) {
  wrong <- which(!is.finite(counts) | counts < 0 | counts != floor(counts))
  if (length(wrong) == 0) return(invisible())
  at <- place_of(wrong[1])
  was <- sprintf("%s for document %d, word %d", format(counts[wrong[1]]), at[1], at[2])
  stop_argument(name, "have whole numbers of at least 0 as counts", was = was)
}

triplets_of_rows <- function(rows, name) {
  lacking <- setdiff(c("document", "term", "count"), names(rows))
  if (length(lacking) > 0) {
    text <- intersect("text", names(rows))
    cure <- if (length(text) > 0) counting(as.character(rows$text), paste0(name, "$text"))
    stop_no_counts(name, sprintf("a data frame without `%s`", lacking[1]), cure)
  }
  document <- names_in(rows, "document", name)
  term <- names_in(rows, "term", name)
  count <- rows[["count"]]
  if (!is.numeric(count)) stop_argument(name, "have numbers in every row of `count`", count)
  documents <- levels_of(document)
  words <- levels_of(term)
  triplets <- list(
    i = match(as.character(document), documents), j = match(as.character(term), words), v = count,
    nrow = length(documents), ncol = length(words), dimnames = list(documents, words)
  )
  structure(triplets, class = "DocumentTermMatrix")
}

#' @rdname init_cascade
#' @param n_topics (positive integer) Number of topics at the start, 50 by default. If there are
#'   fewer tokens, it is the number of tokens. More topics than `max_features` of the method raise
#'   an error in [fit_topics()].
#' @export
init_topics <- function(n_topics = 50) {
  structure(list(n_topics = check_count(n_topics, "n_topics")), class = "init_topics")
}

#' @export
format.init_topics <- function(x, ...) {
  sprintf("Random start with %d topic%s", x$n_topics, if (x$n_topics == 1) "" else "s")
}

#' @export
print.init_topics <- print_lines

# Returns one list per chain, with a number of topics or with a draw
#' @exportS3Method
check_starts.topics_model <- function(model, init, method) {
  most <- method$max_features %||% Inf
  if (is.null(init)) init <- init_topics(min(50, most))
  if (inherits(init, "init_topics")) {
    if (init$n_topics > most) stop_many_topics(most, init$n_topics)
    # Every topic needs at least one token.
    topics <- as.integer(min(init$n_topics, sum(model$data$x@x)))
    return(rep(list(list(topics = topics)), method$chains))
  }
  if (!inherits(init, "fit_topics")) {
    stop_argument("init", "be NULL, init_topics() or a fit by fit_topics()", init)
  }
  rep_len(start_at_topics(init, model, method), method$chains)
}

stop_many_topics <- function(most, was) {
  must <- sprintf("have at most %s, the limit `max_features`", counted(most, "topic"))
  stop_argument("init", must, was = was)
}

start_at_topics <- function(fit, model, method) {
  counts <- function(x) list(x@p, x@i, x@x)
  if (!identical(counts(model_data(fit)), counts(model$data$x))) {
    stop_argument("init", "be a fit to the same documents", was = "one to other documents")
  }
  last <- last_of_chains(fit)
  too_many <- scalar(fit, "n_features")[last] > (method$max_features %||% Inf)
  if (any(too_many)) stop_many_topics(method$max_features, "a fit with more")
  lapply(last, function(d) {
    draw <- topic_draw(fit, d)
    # Hyperparameters that are fixed have the values given for this model.
    now <- topic_spec(model, method)
    for (name in c("alpha", "gamma", "eta")) {
      if (now[[name]]$learned) now[[name]]$value <- draw[[name]]$value
    }
    c(now, draw[c("counts", "atoms")])
  })
}
