# Tests whether the chains of fits with default settings agree. Fits every problem, and saves the
# results for the table.
#   Rscript agreement/run.R LABEL [PATTERN]
# in the folder bench, using the installed package that R finds. Results are saved in
# build/agreement/LABEL, one file per problem, and existing results are not computed again. PATTERN
# is a regular expression that selects problems by name. The problems of one process run one after
# another on one thread.

source("agreement/sets.R")
library(buffet)

method <- method_gibbs(cores = 1)

of_matrix <- function(sets, kind, fit) {
  problems <- lapply(sets, function(set) list(data = set, fit = fit, holes = TRUE))
  stats::setNames(problems, paste(kind, names(sets), sep = "/"))
}

quietly <- function(fit, ...) fit(..., method = method, seed = 1, verbose = FALSE)
unscaled <- function(...) {
  one <- gamma_prior(1, 1)
  quietly(fit_gaussian, ..., sigma_x = one, sigma_a = one)
}

problems <- c(
  of_matrix(numeric_sets, "common", function(x) unscaled(x)),
  of_matrix(numeric_sets, "column", function(x) unscaled(x, noise = "column")),
  of_matrix(nonnegative_sets, "nonnegative", function(x) unscaled(x, "nonnegative")),
  of_matrix(binary_sets, "binary", function(x) quietly(fit_logistic, x)),
  lapply(
    stats::setNames(tree_sets, paste0("tree/", names(tree_sets))),
    function(set) {
      list(data = set, fit = function(held) {
        unscaled(held$x, prior = prior_pibp(held$tree))
      })
    }
  ),
  lapply(
    stats::setNames(choice_sets, paste0("choice/", names(choice_sets))),
    function(set) list(data = set, fit = function(wins) quietly(fit_choice, wins))
  ),
  list(
    "topics/inaugural" = list(data = inaugural, fit = function(x) quietly(fit_topics, x)),
    "cascade/faces16" = list(data = function() faces(16), fit = function(x) {
      quietly(fit_cascade, x, range = c(0, 1))
    })
  )
)

#' The log density of every held-out entry, with one column per chain
heldout_by_chain <- function(problem, x, seed = 1) {
  set.seed(seed)
  known <- which(!is.na(x))
  hidden <- sort(sample(known, length(known) %/% 20))
  holes <- x
  holes[hidden] <- NA
  fit <- problem$fit(holes)
  places <- arrayInd(which(is.na(holes)), dim(x)) - 1L
  asked <- which(is.na(holes)) %in% hidden
  chains <- nchains(fit)
  kept <- niterations(fit)
  per_chain <- lapply(seq_len(chains), function(chain) {
    draws <- (chain - 1) * kept + seq_len(kept)
    mean(buffet:::density_at(fit, draws, places[asked, ], x[hidden]))
  })
  unlist(per_chain)
}

measure <- function(problem) {
  set.seed(1)
  x <- problem$data()
  seconds <- sum(system.time(fit <- problem$fit(x))[c("user.self", "sys.self")])
  list(
    dim = dim(if (is.list(x)) x$x else x), seconds = seconds,
    scalars = unclass(as_draws_array(fit)),
    heldout = if (isTRUE(problem$holes)) heldout_by_chain(problem, x)
  )
}

run <- function(label, pattern = "") {
  for (name in grep(pattern, names(problems), value = TRUE)) {
    file <- file.path("build/agreement", label, paste0(chartr("/", "-", name), ".rds"))
    dir.create(dirname(file), recursive = TRUE, showWarnings = FALSE)
    if (file.exists(file)) next
    result <- tryCatch(measure(problems[[name]]), error = function(e) conditionMessage(e))
    saveRDS(result, file)
    cat(name, if (is.character(result)) result else sprintf("%.0f s", result$seconds), "\n")
  }
}

given <- commandArgs(TRUE)
if (length(given) > 0) do.call(run, as.list(given))
