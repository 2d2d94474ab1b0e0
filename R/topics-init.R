#' Start a topic model from random topics
#'
#' Every token starts in one of `n_topics` topics, chosen at random. Start with too many rather than
#' too few: [fit_topics()] loses superfluous topics more easily than it finds new ones.
#'
#' @param n_topics (positive integer) Number of topics at the start, 50 by default. If there are
#'   fewer tokens, it is the number of tokens. More topics than `max_features` of the method are an
#'   error in [fit_topics()].
#' @return An object of class `init_topics`, for the argument `init` of [fit_topics()]. It has
#'   methods for `format()` and `print()`.
#' @examples
#' set.seed(1)
#' d <- rftm(60, 40, alpha = 3, gamma = 2, lengths = 30)
#' method <- method_gibbs(chains = 1, iter = 200, thin = 10)
#' fit <- fit_topics(d$dtm, method = method, init = init_topics(20), seed = 1)
#' # the number of topics after each kept sweep
#' as.matrix(fit)[, "n_features"]
#' @export
init_topics <- function(n_topics = 50) {
  structure(list(n_topics = check_count(n_topics, "n_topics")), class = "init_topics")
}

#' @export
format.init_topics <- function(x, ...) {
  sprintf("Random start with %d topic%s", x$n_topics, if (x$n_topics == 1) "" else "s")
}

#' @export
print.init_topics <- function(x, ...) {
  cat(format(x), "\n", sep = "")
  invisible(x)
}

# One list per chain: a number of topics, or a draw
#' @exportS3Method
check_starts.topics_model <- function(model, init, method) {
  most <- method$max_features %||% Inf
  if (is.null(init)) init <- init_topics(min(50, most))
  if (inherits(init, "init_topics")) {
    if (init$n_topics > most) stop_many_topics(most, init$n_topics)
    # Every topic needs a token.
    topics <- as.integer(min(init$n_topics, sum(model$data$x@x)))
    return(rep(list(list(topics = topics)), method$chains))
  }
  if (!inherits(init, "fit_topics")) {
    stop_argument("init", "be NULL, init_topics() or a fit by fit_topics()", init)
  }
  starts <- start_at_topics(init, model, method)
  rep_len(starts, method$chains)
}

stop_many_topics <- function(most, was) {
  must <- sprintf("have at most %s, as `max_features` says", counted(most, "topic"))
  stop_argument("init", must, was = was)
}

# The last draw of each chain of a fit
start_at_topics <- function(fit, model, method) {
  counts <- function(x) list(x@p, x@i, x@x)
  if (!identical(counts(model_data(fit)), counts(model$data$x))) {
    stop_argument("init", "be a fit to the same documents", was = "one to others")
  }
  last <- last_of_chains(fit)
  too_many <- scalar(fit, "n_features")[last] > (method$max_features %||% Inf)
  if (any(too_many)) stop_many_topics(method$max_features, "a fit with more")
  lapply(last, function(d) {
    draw <- topic_draw(fit, d)
    # Fixed values come from this model.
    now <- topic_spec(model, method)
    for (name in c("alpha", "gamma", "eta")) {
      if (now[[name]]$learned) now[[name]]$value <- draw[[name]]$value
    }
    c(now, draw[c("counts", "atoms")])
  })
}
