# Draws case number `case` of a seed, which is a call as an expression.

draw_case <- function(seed, case) {
  set.seed((seed * 100003 + case) %% .Machine$integer.max)
  if (stats::runif(1) < 0.05) return(draw_resumption())
  draw_call(sample(names(signatures), 1), wrong = sample(0:2, 1, prob = c(0.2, 0.65, 0.15)))
}

draw_resumption <- function() {
  name <- sample(c("gaussian", "nonnegative", "tree", "meibp", "variational", "logistic", "factor",
    "mixed", "choice", "topics", "cascade", "icm", "nmf"), 1)
  call("resume", name, stats::runif(1) < 0.7, draw_seed())
}

draw_seed <- function() sample.int(1e6, 1)

#' Draws a call of a function with its first argument, all other required arguments, and some
#' optional ones
#' @param wrong Number of arguments that get hostile values.
draw_call <- function(name, wrong = 0) {
  types <- signatures[[name]]
  needed <- seq_along(types) == 1 | names(types) %in% c(needed_by(name), "verbose")
  types <- types[needed | stats::runif(length(types)) < 0.35]
  arguments <- lapply(types, draw_value)
  at <- setdiff(seq_along(types), which(names(types) == "verbose"))
  at <- at[sample.int(length(at), min(wrong, length(at)))]
  arguments[at] <- lapply(at, function(i) {
    if (i == 1 && !is_own(name)) draw_damaged() else draw_wrong(types[[i]])
  })
  as.call(c(as.name(name), arguments))
}

needed_by <- function(name) {
  f <- get(name)
  if (is.primitive(f)) return(names(signatures[[name]]))
  is_absent <- function(default) identical(default, quote(expr = ))  # nolint: spaces_inside_linter.
  missing <- vapply(formals(f), is_absent, NA)
  names(formals(f))[missing]
}

draw_value <- function(type) {
  value <- one_of(near[[type]])
  if (is.name(value) && grepl("()", as.character(value), fixed = TRUE)) {
    return(draw_call(sub("()", "", as.character(value), fixed = TRUE)))
  }
  if (is.call(value) && as.character(value[[1]])[1] %in% c("broken", "damaged", "broken_tree")) {
    value$seed <- draw_seed()
  }
  value
}

#' True for functions of this package, and false for generics of other packages, which may be called
#' with other objects
is_own <- function(name) {
  f <- get(name)
  !is.primitive(f) && identical(environment(f), asNamespace("buffet"))
}

#' Draws a hostile value or, in 60 % of the cases in which a fit is expected, a damaged fit
draw_wrong <- function(type) {
  if (type %in% c("fit", "simulated", "shown") && stats::runif(1) < 0.6) return(draw_damaged())
  one_of(hostile)
}

draw_damaged <- function() bquote(damaged(.(one_of(near$fit)), seed = .(draw_seed())))

one_of <- function(values) values[[sample.int(length(values), 1)]]
