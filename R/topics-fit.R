#' Fit a focused topic model
#'
#' Fits the IBP compound Dirichlet process of Williamson, Wang, Heller and Blei (2010). A topic is a
#' distribution over words. A document chooses some of the topics by an Indian buffet process, and
#' every topic has a weight. How many documents have a topic, and how much of these documents it
#' fills, are therefore separate. The number of topics is learned.
#'
#' @details
#' The model, for topics k = 1, 2, ..., documents m and the words of each document i = 1, 2, ..., is
#' \deqn{\pi \sim \mathrm{IBP}(\alpha), \quad \phi_k \sim \mathrm{Gamma}(\gamma, 1), \quad
#' \beta_k \sim \mathrm{Dirichlet}(\eta, \dots, \eta),}
#' \deqn{b_{mk} \sim \mathrm{Bernoulli}(\pi_k), \quad
#' \theta_m \sim \mathrm{Dirichlet}(b_{m1} \phi_1, b_{m2} \phi_2, \dots), \quad
#' z_{mi} \sim \theta_m, \quad w_{mi} \sim \beta_{z_{mi}}.}
#' The matrix of the choices b is called Z on other pages.
#'
#' ## Lengths
#' * `"given"`: the model of these equations, given the lengths of the documents. A document without
#'   words carries no information. It is kept, with `NA` for its topics, and a message says so.
#'   Every other document has at least one topic, and the prior is conditional on that.
#' * `"model"`: the model of the paper, in which the weights determine the lengths: document m has
#'   \eqn{\mathrm{NB}(b_{mk} \phi_k, 1/2)} words of topic k. The variance of these numbers is only
#'   twice their mean, so weights become large and topics are hard to enter. Real text varies far
#'   more and is predicted better with `"given"`. Use `"model"` to reproduce the paper, or if the
#'   lengths of the documents are informative.
#'
#' ## Sampler
#' `theta`, `beta` and `b` are integrated out. A sweep of [method_gibbs()] visits every token, at a
#' cost proportional to the number of topics that have its word, and opens new topics. Then `moves`
#' (of [method_gibbs()]) proposals per document change its set of topics and reassign all of its
#' tokens; this is how a document enters a topic with a large weight. At the end of a sweep `b` and
#' all parameters are drawn. The equations are (A1) to (A5) of `vignette("williamson")`. The
#' conditionals that the paper prints lack the factors that arise because only topics with a token
#' are seen.
#'
#' Start with too many topics rather than too few: superfluous topics disappear over time, but new
#' ones are hard to find. In large corpora the number of topics still grows after hundreds of
#' sweeps. Look at `plot(fit, "trace")`, and do not take the number of topics for an estimate.
#'
#' ## Memory
#' A kept draw has the choices of all documents, one bit each, and the counts of words and documents
#' in every topic, about two bytes for each nonzero count. That is why `thin` is 10 by default.
#'
#' ## With tm and topicmodels
#' The package tm attaches NLP, which has another function `features()`, and topicmodels has another
#' function `perplexity()`. If they were attached after buffet, write `buffet::features(fit)` and
#' `buffet::perplexity(fit, newdata)`.
#'
#' @param dtm Counts of words, documents x words, without `NA`. Their sum is at most 1e8: two sweeps
#'   take 35 seconds for 1e7 tokens. They have one of these forms:
#'   * a numeric matrix of whole numbers, or a sparse one, a `dgCMatrix` of the package Matrix;
#'   * a `DocumentTermMatrix` of the package tm, which topicmodels uses;
#'   * a data frame with a row per document and word and the columns `document`, `term` and `count`,
#'     as `tidytext::tidy()` makes it from a `DocumentTermMatrix`. Counts of the same document and
#'     word are added, and other columns are not read.
#' @param lengths (string) `"given"` (default) or `"model"`; see Lengths.
#' @param gamma (positive number or [gamma_prior()]) Shape of the weights of the topics, by default
#'   learned under `gamma_prior(1, 0.05)`. With small values the weights differ much in size. A
#'   number must be between 1e-6 and 1e6.
#' @param eta (positive number or [gamma_prior()]) Parameter of the distributions of the words, by
#'   default learned under `gamma_prior(1, 1)`. With small values topics have few words. A number
#'   must be between 1e-6 and 1e6.
#' @param prior [prior_ibp()] with `concentration = 1` and `discount = 0`, the only values for which
#'   the weight of unseen topics has a closed form. By default its `alpha` is learned under
#'   `gamma_prior(1, 0.1)`.
#' @param method [method_gibbs()], by default with `thin = 10`. Its `sampler` is `"collapsed"`. Its
#'   `moves` is the number of proposals per document and sweep to change the set of topics, 1 by
#'   default.
#' @param init Where chains start: [init_topics()], or an earlier fit to the same documents, from
#'   whose last draws the chains go on (chain 1 from chain 1, and so on, cycling if there are more
#'   chains). `NULL`, the default, is `init_topics(50)`.
#' @param seed,verbose,file As in [fit_gaussian()].
#' @param ... Must be empty. What is for the chains goes into `method`.
#' @return An object of class `c("fit_topics", "fit_mcmc", "buffet_fit")`. It is read by the
#'   functions that [buffet_fit] lists and by [top_words()], [topic_table()] and [perplexity()]. Its
#'   topics are called `t1`, `t2`, ... by decreasing number of documents that have chosen them.
#' @references Williamson, S., Wang, C., Heller, K. A. and Blei, D. M. (2010). The IBP compound
#'   Dirichlet process and its application to focused topic modeling. *ICML*.
#' @seealso [rftm()] draws documents, [plot.fit_topics()], [predict.fit_topics()],
#'   [tidy.fit_topics()]
#' @examples
#' set.seed(1)
#' d <- rftm(60, 40, alpha = 3, gamma = 2, lengths = 30)
#' fit <- fit_topics(d$dtm, method = method_gibbs(chains = 1, iter = 200, thin = 10), seed = 1)
#' fit
#' # the most probable words of each topic, and the sizes of the topics
#' top_words(fit, 5)
#' topic_table(fit)
#' plot(fit)
#' @export
fit_topics <- function(dtm, lengths = c("given", "model"), gamma = gamma_prior(1, 0.05),
                       eta = gamma_prior(1, 1), prior = prior_ibp(alpha = gamma_prior(1, 0.1)),
                       method = method_gibbs(thin = 10), init = NULL, seed = NULL, verbose = TRUE,
                       file = NULL, ...) {
  check_no_others("fit_topics", ...)
  check_given(dtm, "dtm")
  arguments <- mget(setdiff(names(formals()), "..."))
  x <- check_dtm(dtm)
  lengths <- check_choice(lengths, c("given", "model"), "lengths")
  traits <- new_traits(x, "collapsed", moves = 1L, side = "document", fitted = "expected")
  model <- new_model("topics", list(x = x), traits,
    lengths = lengths, gamma = check_topic_hyper(gamma, "gamma"),
    eta = check_topic_hyper(eta, "eta"), prior = check_topic_prior(prior), loading_width = 2,
    loading_extra = 1
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

check_topic_prior <- function(prior) {
  if (!inherits(check_prior(prior), "prior_ibp")) {
    stop_argument("prior", "be a prior_ibp()", prior)
  }
  if (!identical(prior$concentration, 1) || prior$discount != 0) {
    must <- "be a prior_ibp() with concentration 1 and discount 0, as the sampler's closed forms"
    stop_argument("prior", must, was = "another one")
  }
  mean <- prior_mean(prior$alpha)
  if (mean > 1e4) stop_argument("alpha", "be, or have a mean of, at most 10000 for topics", mean)
  prior
}

#' @exportS3Method
check_ready.topics_model <- function(model) {
  if (model$lengths != "given") return(invisible())
  empty <- length(empty_documents(model$data$x))
  if (empty == 0) return(invisible())
  text <- "%d document%s without words %s kept, with NA for %s topics."
  plural <- if (empty == 1) c("", "is", "its") else c("s", "are", "their")
  message(sprintf(text, empty, plural[1], plural[2], plural[3]))
}

#' @exportS3Method
sweep_chains.topics_model <- function(model, method, plan, watch) {
  topics_cpp(model$data$x, c(topic_spec(model, method), moves = method$moves), plan, watch)
}

# The model as the core reads it
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
