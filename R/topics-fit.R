#' Fit a focused topic model
#'
#' The IBP compound Dirichlet process of Williamson, Wang, Heller and Blei (2010). A topic is a
#' distribution over words. A document chooses some of the topics, by an Indian buffet process, and
#' each that it has chosen with a weight of the topic's own: how many documents have a topic, and
#' how much of them it fills, are separate. The number of topics is learned.
#'
#' @details
#' The model, for topics k = 1, 2, ..., documents m and their words,
#' \deqn{\pi \sim \mathrm{IBP}(\alpha), \quad \phi_k \sim \mathrm{Gamma}(\gamma, 1), \quad
#' \beta_k \sim \mathrm{Dirichlet}(\eta, \dots, \eta),}
#' \deqn{b_{mk} \sim \mathrm{Bernoulli}(\pi_k), \quad
#' \theta_m \sim \mathrm{Dirichlet}(b_{m1} \phi_1, b_{m2} \phi_2, \dots), \quad
#' z_{mi} \sim \theta_m, \quad w_{mi} \sim \beta_{z_{mi}}.}
#'
#' ## Lengths
#' * `"given"`: exactly the model of these equations, given the lengths of the documents. A document
#'   without a word says nothing: it is kept, with `NA` for its topics, and a message says so.
#'   Documents with one have at least one topic, and the prior is that given this.
#' * `"model"`: that of the paper, where the weights say how long documents are: topic k has
#'   \eqn{\mathrm{NB}(b_{mk} \phi_k, 1/2)} words in document m. The variance of these numbers is
#'   only twice their mean, so weights become large and topics hard to enter; real text varies far
#'   more, and is predicted better with `"given"`. Use it to reproduce the paper, or for documents
#'   whose lengths mean something.
#'
#' ## Sampler
#' `theta`, `beta` and `b` are integrated out: a sweep visits every token, at the cost of the topics
#' that have its word, and opens new topics; then, in every document, `moves` of
#' [method_gibbs()] propose another set of topics, which is how a document enters a topic with a
#' large weight, and deal all its tokens out anew; then it draws `b`, and all parameters given it.
#' Equations (A1) to (A5) of the vignette; the conditionals that are printed in the paper lack the
#' factors that come from only those topics being seen which own a token.
#'
#' Too few topics to start from is a trap, too many are not: those that are not needed leave by and
#' by. On large corpora the number of topics still grows after hundreds of sweeps. Look at
#' `plot(fit, "trace")`, and do not take it for an estimate.
#'
#' ## Memory
#' A kept draw has the choices of all documents, one bit each, and the counts of words and
#' documents in every topic, about two bytes for each that is not zero. That is why `thin` is 10
#' here.
#'
#' ## Beside tm and topicmodels
#' The package tm attaches NLP, whose `features()` is another function, and `perplexity()` of
#' topicmodels is another, too. Where they are attached after buffet, write `buffet::features(fit)`
#' and `buffet::perplexity(fit, newdata)`.
#'
#' @param dtm Whole counts, documents x words. A numeric matrix or data frame, a sparse matrix of
#'   Matrix (so quanteda's `dfm`), a `simple_triplet_matrix` of slam (tm's `DocumentTermMatrix`, as
#'   topicmodels takes it; a `TermDocumentMatrix` is transposed), a data frame with a row per
#'   document and word, as tidytext has them: columns `document` or `doc_id`, `term` or `word`
#'   (strings or a factor; others of that name are words themselves) and `n`, `count` or `Freq` (without
#'   one every row is one word; rows of the same two add up), or a list of documents: of
#'   package lda's two-row matrices (words from 0, counts), of words as strings or factors, or of
#'   numbers of words from 1. Attribute `vocab` of a list names the words. No `NA`.
#' @param lengths (string) `"given"` or `"model"`, see below.
#' @param gamma (positive number or [gamma_prior()]) Shape of the topics' weights: small values give
#'   weights of very different sizes.
#' @param eta (positive number or [gamma_prior()]) Of the topics' words: small values make topics of
#'   few words.
#' @param prior [prior_ibp()] with `concentration = 1` and `discount = 0`, the only ones for which
#'   the weight of topics not yet seen has a closed form.
#' @param method [method_gibbs()], its `sampler` `"collapsed"`, its `moves` how many moves of every
#'   document's set of topics a sweep makes.
#' @param init Where to start: [init_topics()], whose default 50 is also that of `NULL`; or an
#'   earlier fit to documents of the same size, whose last draws the chains go on from, in turn.
#' @param seed,verbose,file As in [fit_gaussian()].
#' @return An object of class `c("fit_topics", "fit_mcmc", "buffet_fit")`. Besides what
#'   [buffet_fit] lists it answers [top_words()], [topic_table()] and [perplexity()]. Its topics are
#'   called `t1`, `t2`, ..., by how many documents have chosen them.
#' @references
#' Williamson, S., Wang, C., Heller, K. A. and Blei, D. M. (2010). The IBP compound Dirichlet
#' process and its application to focused topic modeling. *ICML*.
#' @seealso [rftm()] draws documents, [plot.fit_topics()], [predict.fit_topics()],
#'   [tidy.fit_topics()]
#' @examples
#' set.seed(1)
#' d <- rftm(60, 40, alpha = 3, gamma = 2, lengths = 30)
#' fit <- fit_topics(d$dtm, method = method_gibbs(chains = 2, iter = 200, thin = 10), seed = 1)
#' fit
#' top_words(fit, 5)
#' topic_table(fit)
#' plot(fit)
#' @export
fit_topics <- function(dtm, lengths = c("given", "model"), gamma = gamma_prior(1, 0.05),
                       eta = gamma_prior(1, 1), prior = prior_ibp(alpha = gamma_prior(1, 0.1)),
                       method = method_gibbs(thin = 10), init = NULL, seed = NULL, verbose = TRUE,
                       file = NULL) {
  x <- check_dtm(dtm)
  lengths <- check_choice(lengths, c("given", "model"), "lengths")
  model <- new_model("topics", list(x = x),
    lengths = lengths, gamma = check_topic_hyper(gamma, "gamma"),
    eta = check_topic_hyper(eta, "eta"), prior = check_topic_prior(prior), loading_width = 2,
    loading_extra = 1
  )
  fit_model(model, method, init, seed, verbose, file)
}

check_topic_hyper <- function(x, name) {
  x <- check_hyper(x, name)
  if (is.numeric(x) && (x < 1e-6 || x > 1e6)) {
    stop_argument(name, "be between 1e-6 and 1e6 or a gamma_prior()", x)
  }
  x
}

check_topic_prior <- function(prior) {
  if (!inherits(check_prior(prior), "prior_ibp")) {
    stop_argument("prior", "be a prior_ibp()", prior)
  }
  if (!identical(prior$concentration, 1) || prior$discount != 0) {
    must <- "be a prior_ibp() with concentration 1 and discount 0, as the sampler's closed forms"
    stop_argument("prior", must, was = "another one")
  }
  mean <- if (is_learned(prior$alpha)) prior$alpha$shape / prior$alpha$rate else prior$alpha
  if (mean > 1e4) stop_argument("alpha", "be, or have a mean of, at most 10000 for topics", mean)
  prior
}

#' @exportS3Method
#' @noRd
argument_of.topics_model <- function(model, field) if (field == "x") "dtm" else field

#' @exportS3Method
#' @noRd
samplers_of.topics_model <- function(model) "collapsed"

#' @exportS3Method
#' @noRd
moves_of.topics_model <- function(model) 1L

#' @exportS3Method
#' @noRd
check_ready.topics_model <- function(model) {
  if (model$lengths != "given") return(invisible())
  empty <- length(empty_documents(model$data$x))
  if (empty == 0) return(invisible())
  text <- "%d document%s without a word: kept, with NA for %s topics"
  plural <- if (empty == 1) c("", "its") else c("s", "their")
  message(sprintf(text, empty, plural[1], plural[2]))
}

#' @exportS3Method
#' @noRd
sweep_chains.topics_model <- function(model, method, plan, watch) {
  topics_cpp(model$data$x, c(topic_spec(model, method), moves = method$moves), plan, watch)
}

#' The model as the core reads it
#' @noRd
topic_spec <- function(model, method) {
  list(
    lengths = model$lengths, alpha = hyper_spec(model$prior$alpha), gamma = hyper_spec(model$gamma),
    eta = hyper_spec(model$eta), max_features = method$max_features %||% .Machine$integer.max
  )
}

#' @exportS3Method
#' @noRd
likelihood_parameters.fit_topics <- function(fit) unclass(fit$model)[c("gamma", "eta")]
