#' Fit a model of choices between two items
#'
#' Fits elimination by aspects (Tversky 1972). Items have features, which are called aspects, and
#' each feature has a weight. When two items are compared, the probability of choosing an item is
#' proportional to the total weight of the features that it has and the other item lacks. The
#' features of the items, and their number, are learned.
#'
#' @details
#' With features Z and weights w, item i is chosen over item j with probability
#' \deqn{(1 - \epsilon)\frac{a_{ij}}{a_{ij} + a_{ji}} + \frac{\epsilon}{2}, \quad
#' a_{ij} = \sum_k w_k z_{ik}(1 - z_{jk}),}
#' and with probability 1/2 if neither item has a feature that the other lacks. A share `epsilon` of
#' the choices are lapses, made at random (Gorur, Jakel and Rasmussen 2006; Miller, Griffiths and
#' Jordan 2008, eqs. 9 and 10). Judgements are independent, so the counts of a pair are binomial.
#' The weights have a gamma prior. Choices depend only on the proportions of the weights, so the
#' rate of that prior has no effect.
#'
#' The prior on features determines the model:
#' * [prior_ibp()]: any items may share features (Gorur and others 2006).
#' * [prior_pibp()]: items that are close on a tree tend to share features (Miller and others 2008).
#' * [prior_beta_bernoulli()]: the number of features is limited.
#' * [prior_fixed()]: the features are known, and only the weights are learned. With one feature per
#'   item, `prior_fixed(diag(n))`, this is the model of Bradley, Terry and Luce. With features in
#'   the form of a tree it is a preference tree (Tversky and Sattath 1979).
#'
#' ## Sampling
#' Every sweep has these steps:
#' * It visits all entries of Z.
#' * For each item it draws the number of features that only this item has, and their total weight,
#'   among draws from the prior. Then it draws their number exactly, given the total weight. It
#'   draws the number of features with the same items in that way, too (not on trees with more than
#'   12 tips).
#' * It exchanges the weight of an item's own features for a feature that other items have.
#' * It merges two features that no item has both of, or splits a feature into two.
#' * It updates the weights on the log scale, all at once by a Hamiltonian trajectory and one by
#'   one.
#'
#' Choices depend neither on the sum of all weights nor on features that all items have, so both are
#' drawn from the prior.
#'
#' A sweep with nine items takes about 150 microseconds. The number of features changes slowly from
#' sweep to sweep: use `iter = 4000` or more, and look at `ess_bulk` in `summary()`.
#'
#' Chains start with one feature for each item alone and with weights adapted to the data. From
#' random features many chains would get stuck far below the main mode. If [prior_beta_bernoulli()]
#' has fewer features than there are items, short runs with any number of features find the start:
#' they lose the least important features one after the other until few enough are left. Chains
#' start from the best of several such runs, or from a single run if there are more than 30 items.
#' That takes some seconds with 80 items. Chains can still get stuck if there are few features or
#' many items. Where chains differ, a warning names the scalars that do, and `print()` the best
#' chain.
#'
#' If there are few judgements and many similar items, chains from this start agree with chains from
#' the true features on simulated data; see `vignette("miller-griffiths-jordan")`.
#'
#' @param wins How often each item was chosen over each other item, in one of these forms:
#'   * A square matrix of counts: `wins["a", "b"]` is how often a was chosen over b, and
#'     `wins["b", "a"]` how often b was chosen over a. The row names are the names of the items, and
#'     the column names are the same or missing. `NA` on both sides leaves a pair out. The diagonal
#'     is ignored.
#'   * A data frame with columns `winner` and `loser` (names) and `n`, a column of counts. Without
#'     `n` every row is one choice. Counts of rows with the same items are added, and pairs without
#'     a row were not judged. Other columns are left out, with a message.
#'   * A data frame with columns `player1` and `player2` (names) and `win1` and `win2`, the number
#'     of times that each was chosen over the other, as `countsToBinomial()` of the package
#'     BradleyTerry2 returns it. Counts of rows with the same items are added. Here and in the form
#'     above, items can also be factors, whose levels are the items in their order. Rows of an item
#'     against itself are ignored, as the diagonal of a matrix is; a message says so if they have
#'     counts.
#'   * A `paircomp()` object of the package psychotools without ties. Only which item was preferred
#'     counts, not by how much.
#' @param weights ([gamma_prior()]) Prior of each weight, `gamma_prior(1, 1)` by default. A smaller
#'   shape makes the weights more uneven. The rate has no effect.
#' @param epsilon (number in \[0, 1)) Probability of a lapse, 0.01 by default. It is not learned.
#' @param prior Prior on the features: [prior_ibp()] (default), [prior_pibp()] with the items as the
#'   tips of its tree, [prior_beta_bernoulli()] or [prior_fixed()].
#' @param method [method_gibbs()]. Its `sampler` is `"uncollapsed"` or `NULL`, which is the same.
#' @param init Where chains start: `NULL` (default, see Sampling), a binary matrix with a row per
#'   item, an earlier fit to as many items, or a list with some of the elements `features`, `alpha`
#'   and `concentration`. An unnamed list of these has one element per chain. With [prior_fixed()]
#'   it must be `NULL`.
#' @inheritParams fit_gaussian
#' @return An object of class `c("fit_choice", "fit_mcmc", "buffet_fit")`; [buffet_fit] lists the
#'   functions that read it. If the run is interrupted, the fit has the draws so far, with a
#'   warning.
#' @references Tversky, A. (1972). Elimination by aspects: a theory of choice. *Psychological
#'   Review* 79, 281-299.
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
#' # one chain, for a first look: only of several can it be seen whether they agree
#' method <- method_gibbs(chains = 1, iter = 3000)
#' fit <- fit_choice(celebrities, prior = prior_pibp(celebrity_tree), method = method, seed = 1)
#' # which sets of celebrities have a feature in common, and how much it weighs
#' summary(fit)
#' # the probability of choosing Johnson over Wilson and over Bardot
#' predict(fit, data.frame(item1 = "LBJ", item2 = c("HW", "BB")), interval = 0.9)
#'
#' # counts as a data frame
#' wins <- data.frame(
#'   winner = c("tea", "coffee", "tea", "milk"), loser = c("coffee", "tea", "milk", "tea"),
#'   n = c(12, 8, 15, 5)
#' )
#' drinks <- fit_choice(wins, method = method, seed = 1)
#' # coffee and milk were not compared, but both were compared with tea
#' predict(drinks)
#' tidy(drinks, "worth")
#'
#' # one known feature for each item: the model of Bradley, Terry and Luce
#' btl <- fit_choice(celebrities, prior = prior_fixed(diag(9)), method = method, seed = 1)
#' round(loadings_of(btl), 3)
#' @export
fit_choice <- function(wins, weights = gamma_prior(1, 1), epsilon = 0.01, prior = prior_ibp(),
                       method = method_gibbs(), init = NULL, seed = NULL, verbose = TRUE,
                       file = NULL, ...) {
  check_no_others("fit_choice", ...)
  check_given(wins, "wins")
  arguments <- mget(setdiff(names(formals()), "..."))
  wins <- check_wins(wins)
  if (!is_gamma_prior(weights)) stop_hyper("weights", "be a gamma_prior()", weights)
  epsilon <- check_number(epsilon, "epsilon", 0, 1, "[)")
  prior <- match_prior(check_prior(prior), wins, "item")
  traits <- new_traits(wins, "uncollapsed", entries = length(wins), side = "item")
  model <- new_model("choice", list(x = wins), traits,
    weights = weights, epsilon = epsilon, prior = prior,
    prior_spec = prior_spec(prior, rownames(wins)), loading_width = 1L
  )
  fit_model(model, arguments, match.call())
}

#' @exportS3Method
check_starts.choice_model <- function(model, init, method) {
  prior <- model$prior
  check_init(init, nrow(model$data$x), learned_by(prior), prior, method)
}

#' @exportS3Method
sweep_chains.choice_model <- function(model, method, plan, watch) {
  choice_gibbs_cpp(model$data$x, choice_spec(model, method), plan, watch)
}

# The model as the core reads it
choice_spec <- function(model, method) {
  list(
    prior = limited_prior_spec(model, method),
    weights = hyper_spec(model$weights), epsilon = model$epsilon
  )
}

#' @exportS3Method
describe_data.fit_choice <- function(fit) {
  pairs <- observed_pairs(fit)
  judged <- sum(pair_counts(fit, pairs))
  left_out <- n_rows(fit) * (n_rows(fit) - 1) / 2 - nrow(pairs)
  sprintf(
    "Elimination by aspects: %s between pairs of %d items, %s%s", counted(judged, "choice"),
    n_rows(fit), counted(nrow(pairs), "pair"),
    if (left_out > 0) sprintf(" (%d not judged)", left_out) else ""
  )
}

#' @export
nobs.fit_choice <- function(object, ...) nrow(observed_pairs(object))

#' @exportS3Method
mean_loadings.fit_choice <- function(fit) {
  z <- fit$features
  model <- fit$internal$model
  known <- list(wins = model$data$x, model = choice_spec(model, fit$method), z = z)
  weights <- choice_weights_cpp(known, 500, fit$seed)
  out <- matrix(colMeans(weights / rowSums(weights)), ncol = 1)
  dimnames(out) <- list(colnames(z), "weight")
  out
}
