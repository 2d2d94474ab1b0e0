# Checks that a change to the code around the core does not change any draws. Prints a fingerprint
# of the draws from each of twenty-four calls of user-level functions. Run it with the package
# before and after the change, and compare the outputs with diff. Takes a few seconds.
#
#   Rscript data-raw/same-draws.R > before.txt

library(buffet)

holes <- function(x, every) replace(x, seq(3, length(x), every), NA)
chains <- function(..., chains = 2, iter = 60, cores = 1) {
  method_gibbs(chains = chains, iter = iter, cores = cores, ...)
}
in_file <- function(by, ..., file = tempfile()) {
  first <- by(..., method = chains(iter = 40), file = file)
  update(first, iter = 80, file = tempfile())
}
quiet <- function(code) suppressMessages(suppressWarnings(code))
by_seed <- function(by) function(...) quiet(by(..., seed = 1, verbose = FALSE))
gaussian <- by_seed(fit_gaussian)
factors <- by_seed(fit_factor)
nmf <- by_seed(fit_nmf)
logistic <- by_seed(fit_logistic)
mixed <- by_seed(fit_mixed)
choice <- by_seed(fit_choice)
topics <- by_seed(fit_topics)
cascade <- by_seed(fit_cascade)

iris_x <- as.matrix(iris[1:40, 1:4])
air <- as.matrix(airquality[1:40, 1:4])
swiss_x <- as.matrix(swiss)
yes <- mtcars[c("vs", "am")] == 1
yes <- cbind(yes, heavy = mtcars$wt > 3, strong = mtcars$hp > 120)
frame <- transform(iris[seq(1, 150, 4), ], Sepal.Width = holes(Sepal.Width, 5))
wins <- matrix(0, 6, 6, dimnames = rep(list(letters[1:6]), 2))
wins[row(wins) != col(wins)] <- (7 * seq_len(30)) %% 11
set.seed(1)
counts <- matrix(rpois(30 * 12, 0.7), 30)

calls <- list(
  "gaussian, collapsed" = \() gaussian(iris_x, method = chains()),
  "gaussian, missing entries" = \() gaussian(air, method = chains()),
  "gaussian, uncollapsed" = \() gaussian(iris_x, method = chains(sampler = "uncollapsed")),
  "gaussian, slice" = \() gaussian(air, method = chains(sampler = "slice")),
  "gaussian, rows shared" = \() gaussian(swiss_x, method = chains(sampler = "parallel")),
  "gaussian, nonnegative" = \() gaussian(iris_x, "nonnegative", method = chains(cores = 2)),
  "gaussian, noise by column" = \() gaussian(swiss_x, noise = "column", method = chains()),
  "gaussian, finite prior" = \() {
    gaussian(iris_x, prior = prior_beta_bernoulli(4), method = chains(moves = 0))
  },
  "gaussian, extended" = \() {
    gaussian(swiss_x[, 1:2], method = method_gibbs(iter = 20, max_iter = 80))
  },
  "gaussian, file and update" = \() in_file(gaussian, iris_x),
  "MEIBP" = \() gaussian(iris_x, "nonnegative", method = method_meibp(6)),
  "variational" = \() gaussian(air, method = method_variational(5)),
  "power EP" = \() gaussian(iris_x, method = method_power_ep(5)),
  "beam" = \() gaussian(iris_x, method = method_beam()),
  "factors, two cores" = \() factors(swiss_x, method = chains(cores = 2)),
  "factors, sparse, missing" = \() factors(air, "factors", method = chains()),
  "nmf, chains" = \() nmf(iris_x, 2, method = chains()),
  "nmf, ICM" = \() nmf(abs(air), 2, method = method_icm()),
  "logistic, two parameters" = \() {
    logistic(yes, prior = prior_ibp(concentration = gamma_prior(1, 1)), method = chains())
  },
  "logistic, file and update" = \() in_file(logistic, yes),
  "mixed" = \() mixed(frame, method = chains(cores = 2)),
  "choice" = \() choice(wins, method = chains()),
  "topics" = \() topics(counts, method = chains()),
  "cascade" = \() cascade(swiss_x, method = chains(chains = 1))
)

#' Sums that depend on all draws, to 15 digits
fingerprint <- function(x) {
  x <- unlist(lapply(x, as.numeric))
  x <- x[is.finite(x)]
  format(sum(x * cos(seq_along(x))), digits = 15)
}

or_none <- function(code) tryCatch(code, error = function(e) "none")

for (call in names(calls)) {
  fit <- calls[[call]]()
  cat(sprintf(
    "%-28s scalars %-22s features %-18s fitted %s\n", call,
    or_none(fingerprint(posterior::as_draws_matrix(fit))),
    or_none(fingerprint(quiet(feature_draws(fit)))),
    or_none(fingerprint(fitted(fit)))
  ))
}
