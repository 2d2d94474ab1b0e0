#' Start from random topics
#'
#' @param n_topics (positive integer) Every token begins in one of so many topics, at random.
#'   [fit_topics()] rids itself of those that are too many more easily than it finds others.
#' @return An object of class `init_topics`, for `init` of [fit_topics()].
#' @examples
#' init_topics(20)
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

#' One list a chain, as the core reads it: a number of topics, or a draw
#' @noRd
#' @exportS3Method
#' @noRd
check_starts.topics_model <- function(model, init, method) {
  most <- method$max_features %||% Inf
  if (is.null(init)) init <- init_topics(min(50, most))
  if (inherits(init, "init_topics")) {
    if (init$n_topics > most) {
      stop_argument("init", sprintf("have at most %d topics, as `max_features` says", most),
        was = init$n_topics
      )
    }
    # No more than tokens: a topic without one does not exist.
    topics <- as.integer(min(init$n_topics, sum(model$data$x@x)))
    return(rep(list(list(topics = topics)), method$chains))
  }
  if (!inherits(init, "fit_topics")) {
    stop_argument("init", "be NULL, init_topics() or a fit by fit_topics()", init)
  }
  starts <- start_at_topics(init, model, method)
  rep_len(starts, method$chains)
}

#' The last draw of each chain of a fit
#' @noRd
start_at_topics <- function(fit, model, method) {
  counts <- function(x) list(x@p, x@i, x@x)
  if (!identical(counts(fit$model$data$x), counts(model$data$x))) {
    stop_argument("init", "be a fit to the same documents", was = "one to others")
  }
  last <- last_of_chains(fit)
  too_many <- scalar(fit, "n_features")[last] > (method$max_features %||% Inf)
  if (any(too_many)) {
    must <- sprintf("have at most %d topics, as `max_features` says", method$max_features)
    stop_argument("init", must, was = "a fit with more")
  }
  lapply(last, function(d) {
    draw <- topic_draw(fit, d)
    # What is fixed now is what this model says.
    now <- topic_spec(model, method)
    for (name in c("alpha", "gamma", "eta")) {
      if (now[[name]]$learned) now[[name]]$value <- draw[[name]]$value
    }
    c(now, draw[c("counts", "atoms")])
  })
}
