#' Fit a model of choices between two items
#'
#' Elimination by aspects (Tversky 1972): items have features, called aspects there, each with a
#' weight. Of two items each is chosen with a probability proportional to the weight of those of its
#' aspects that the other has not. Which items have which aspects, and how many there are, is
#' learned.
#'
#' @details
#' With features Z and weights w, item i is chosen over item j with probability
#' \deqn{(1 - \epsilon)\frac{a_{ij}}{a_{ij} + a_{ji}} + \frac{\epsilon}{2}, \quad
#' a_{ij} = \sum_k w_k z_{ik}(1 - z_{jk}),}
#' and with probability 1/2 where neither has a feature that the other lacks. The share `epsilon` of
#' choices are lapses, made at random (Gorur, Jakel and Rasmussen 2006; Miller, Griffiths and Jordan
#' 2008, eqs. 9 and 10). Judgements are independent, so the counts of a pair are binomial. Weights
#' are Gamma a priori; only their proportions matter to choices, so the rate of that prior does not.
#'
#' What is learned depends on the prior of the features:
#' * [prior_ibp()]: any items may share features (Gorur et al.);
#' * [prior_pibp()]: items that are close on a tree tend to share them (Miller et al.);
#' * [prior_beta_bernoulli()]: a given number of features;
#' * [prior_fixed()]: the features are known; only the weights are learned. One feature of each item
#'   alone is the model of Bradley, Terry and Luce (`prior_fixed(diag(n))`), features in the form of
#'   a tree are a preference tree (Tversky and Sattath 1979).
#'
#' ## Sampling
#' Every sweep visits all entries of Z; draws how many features each item has of its own, and what
#' they weigh in all, among draws from the prior, then given that weight exactly how many they are;
#' does the latter for features with the same items too (not on trees of more than 12 tips);
#' exchanges an item's own weight for a feature that others have; unites two features that no item
#' has both of, or divides a feature in two; and changes the weights on the log scale, all at once
#' along a Hamiltonian trajectory and one by one. The sum of all weights, and the features that all
#' items have, on which no choice depends, come from the prior.
#'
#' A sweep of nine items takes some 150 microseconds. The number of features changes slowly from sweep
#' to sweep: take `iter = 4000` or more, and look at `ess_bulk` in `summary()`.
#'
#' Chains begin with one feature of each item alone, with weights that have adapted to the data:
#' from random features many chains freeze far below the main mode. Where [prior_beta_bernoulli()]
#' has fewer features than there are items, a short run with any number of features loses those that
#' matter least, one after the other, until few enough are left; chains begin with the best of several
#' such runs, or with one where there are more than 30 items. That takes some seconds with 80 items. A
#' chain that freezes all the same, as some do with few features or many items, is named in a warning.
#'
#' Where judgements are few and items alike, chains from this start agree with chains from the true
#' features on simulated data: see `vignette("miller-griffiths-jordan")`.
#'
#' @param wins How often each item was chosen over each other:
#'   * a square matrix of counts, row over column: `wins["a", "b"]` is how often a was chosen over
#'     b, `wins["b", "a"]` how often b over a. Its row names are the items' names, its column names
#'     the same or none. `NA`, on both sides, is a pair that is left out; the diagonal is not looked
#'     at;
#'   * a data frame with columns `winner`, `loser` (names) and `n`, `count` or `Freq` (counts; without
#'     one every row is one choice). Rows of the same two items add up; pairs without a row were not
#'     judged. Other columns are left out, with a message;
#'   * a data frame with columns `player1`, `player2` (names), `win1` and `win2`, how often each was
#'     chosen over the other, as `countsToBinomial()` of the package BradleyTerry2 makes it. Rows
#'     add up. Items, here and as winners and losers, may be factors, whose levels are the items in
#'     their order, or data frames with one factor among their columns; their other columns are
#'     left out, with a message;
#'   * or a `paircomp()` of the package psychotools, without ties. How much an item is preferred is
#'     not looked at.
#' @param weights ([gamma_prior()]) Prior of each weight, by default with shape 1. A smaller shape
#'   makes weights more uneven; the rate has no effect.
#' @param epsilon (number in \[0, 1)) Probability of a lapse, 0.01 by default. It is not learned.
#' @param prior A prior on feature matrices: [prior_ibp()] (default), [prior_pibp()], whose tree has
#'   the items as its tips, [prior_beta_bernoulli()] or [prior_fixed()].
#' @param method [method_gibbs()], whose `sampler` is `"uncollapsed"` or `NULL`.
#' @param init Where chains start: `NULL` (default, see Sampling), a binary matrix with a row per
#'   item, an earlier fit to as many items, or a list with any of `features`, `alpha`,
#'   `concentration`; or an unnamed list of such, one a chain.
#' @inheritParams fit_gaussian
#' @return An object of class `c("fit_choice", "fit_mcmc", "buffet_fit")`; see [buffet_fit] for what
#'   can be asked of it. When interrupted, a fit of the draws so far, with a warning.
#' @references
#' Tversky, A. (1972). Elimination by aspects: a theory of choice. *Psychological Review* 79,
#' 281-299.
#'
#' Tversky, A. and Sattath, S. (1979). Preference trees. *Psychological Review* 86, 542-573.
#'
#' Gorur, D., Jakel, F. and Rasmussen, C. E. (2006). A choice model with infinitely many latent
#' features. *ICML* 23, 361-368. \doi{10.1145/1143844.1143890}
#'
#' Miller, K. T., Griffiths, T. L. and Jordan, M. I. (2008). The phylogenetic Indian buffet process:
#' a non-exchangeable nonparametric prior for latent features. *UAI* 24, 403-410.
#' @seealso [predict.fit_choice()], [plot.fit_choice()], [summary.fit_choice()],
#'   [tidy.fit_choice()], [celebrities]
#' @examples
#' method <- method_gibbs(chains = 2, iter = 3000)
#' fit <- fit_choice(celebrities, prior = prior_pibp(celebrity_tree), method = method, seed = 1)
#' summary(fit)
#' predict(fit, data.frame(item1 = "LBJ", item2 = c("HW", "BB")), interval = 0.9)
#'
#' # counts as a data frame
#' wins <- data.frame(
#'   winner = c("tea", "coffee", "tea", "milk"), loser = c("coffee", "tea", "milk", "tea"),
#'   n = c(12, 8, 15, 5)
#' )
#' drinks <- fit_choice(wins, method = method, seed = 1)
#' predict(drinks) # coffee against milk was not judged
#' tidy(drinks, "worth")
#'
#' # Bradley-Terry-Luce
#' btl <- fit_choice(celebrities, prior = prior_fixed(diag(9)), method = method, seed = 1)
#' round(loadings_of(btl), 3)
#' @export
fit_choice <- function(wins, weights = gamma_prior(1, 1), epsilon = 0.01, prior = prior_ibp(),
                       method = method_gibbs(), init = NULL, seed = NULL, verbose = TRUE,
                       file = NULL) {
  wins <- check_wins(wins)
  if (!is_learned(weights)) stop_argument("weights", "be a gamma_prior()", weights)
  epsilon <- check_number(epsilon, "epsilon", 0, 1, "[)")
  prior <- match_prior(check_prior(prior), wins, "item")
  model <- new_model("choice", list(x = wins),
    weights = weights, epsilon = epsilon, prior = prior,
    prior_spec = prior_spec(prior, rownames(wins)), loading_width = 1L
  )
  fit <- fit_model(model, method, init, seed, verbose, file)
  warn_of_frozen(fit)
  fit
}

#' @exportS3Method
#' @noRd
argument_of.choice_model <- function(model, field) if (field == "x") "wins" else field

#' @exportS3Method
#' @noRd
length_of.choice_model <- function(model) length_for(prod(dim(model$data$x)))

#' @exportS3Method
#' @noRd
samplers_of.choice_model <- function(model) "uncollapsed"

#' @exportS3Method
#' @noRd
check_starts.choice_model <- function(model, init, method) {
  prior <- model$prior
  check_init(init, nrow(model$data$x), learned_by(prior), prior, method)
}

#' @exportS3Method
#' @noRd
sweep_chains.choice_model <- function(model, method, plan, watch) {
  choice_gibbs_cpp(model$data$x, choice_spec(model, method), plan, watch)
}

#' The model as the core reads it
#' @noRd
choice_spec <- function(model, method) {
  list(
    prior = limited_prior_spec(model, method),
    weights = hyper_spec(model$weights), epsilon = model$epsilon
  )
}

#' Says which chains stayed where the likelihood is far below that of the best
#'
#' Their log likelihoods differ by a few units where they explore the same mode; a chain that is ten
#' below the best, and beyond the spread of both, is in another.
#' @noRd
warn_of_frozen <- function(fit) {
  log_lik <- matrix(fit$scalars[, , "log_lik"], dim(fit$scalars)[1])
  means <- colMeans(log_lik)
  spread <- stats::median(apply(log_lik, 2, stats::sd))
  far <- which(means < max(means) - max(10, 3 * spread, na.rm = TRUE))
  if (length(far) == 0) return(invisible())
  chains <- if (length(far) == 1) "chain %s is" else "chains %s are"
  warning(
    sprintf(chains, paste(far, collapse = ", ")), " far below the best by mean log likelihood (",
    paste(sprintf("%.1f", means[far]), collapse = ", "), " against ", sprintf("%.1f", max(means)),
    "), frozen in a lesser mode; run longer, or from another `seed`.",
    call. = FALSE
  )
}

#' @exportS3Method
#' @noRd
describe_data.fit_choice <- function(fit) {
  pairs <- observed_pairs(fit)
  judged <- sum(pair_counts(fit, pairs))
  left_out <- n_rows(fit) * (n_rows(fit) - 1) / 2 - nrow(pairs)
  sprintf(
    "Elimination by aspects: %.0f choices between pairs of %d items, %d pairs%s", judged,
    n_rows(fit), nrow(pairs), if (left_out > 0) sprintf(" (%d not judged)", left_out) else ""
  )
}

#' @exportS3Method
#' @noRd
likelihood_parameters.fit_choice <- function(fit) {
  unclass(fit$model)[c("weights", "epsilon")]
}

#' @export
nobs.fit_choice <- function(object, ...) nrow(observed_pairs(object))

#' @export
loadings_of.fit_choice <- function(fit) {
  z <- features(fit)
  known <- list(wins = fit$model$data$x, model = choice_spec(fit$model, fit$method), z = z)
  weights <- choice_weights_cpp(known, 500, fit$seed)
  out <- matrix(colMeans(weights / rowSums(weights)), ncol = 1)
  dimnames(out) <- list(colnames(z), "weight")
  out
}
