#' Fit a model of choices between two items
#'
#' @description
#' Fits elimination by aspects (Tversky 1972). Items have binary features, called aspects, each with
#' a weight. Item i is chosen over item j in proportion to the weight of the features that it has
#' and j lacks:
#' \deqn{P(i \mid i, j) = (1 - \epsilon)\frac{a_{ij}}{a_{ij} + a_{ji}} + \frac{\epsilon}{2}, \quad
#' a_{ij} = \sum_k w_k z_{ik}(1 - z_{jk}).}
#' The number of features, which items have which features (Z), and the weights are learned. The
#' default fit of `celebrities` (nine items) with its tree takes about 16 s on one core.
#'
#' @details
#' ## Is it for my data?
#' Use it for counts of choices between pairs of items when items that share properties are easier
#' or harder to compare. If one worth per item is enough, use the model of Bradley, Terry and Luce:
#' `prior = prior_fixed(diag(n))`.
#'
#' Choices are independent, so the counts of a pair are binomial; half wins are allowed as
#' fractional counts. If neither item has a feature that the other lacks, the probability is 1/2. A
#' share `epsilon` of the choices are lapses, made at random. Choices depend neither on the sum of
#' all weights nor on features that all items have; both are drawn from the prior.
#'
#' Under [prior_ibp()] any items may share features (Gorur, Jakel and Rasmussen 2006). Under
#' [prior_pibp()] and [prior_attraction()] items tend to share features if they are close on a tree
#' (Miller, Griffiths and Jordan 2008) or at a small distance. The number of features changes slowly
#' from sweep to sweep: if you set `iter`, use 4000 or more.
#'
#' @param wins How often each item was chosen over every other item:
#'   * a square matrix: `wins["a", "b"]` is how often a was chosen over b. `NA` on both sides leaves
#'     a pair out;
#'   * a data frame with columns `winner`, `loser` and `n` (1 by default), or `player1`, `player2`,
#'     `win1` and `win2`, and optionally `ties`, which count as half a win for each item;
#'   * a `paircomp()` object from psychotools; only the signs of its entries are used.
#' @param weights ([gamma_prior()]) Prior on each weight, `gamma_prior(1, 1)` by default. A smaller
#'   shape makes the weights more uneven; the rate has no effect.
#' @param epsilon (number in \[0, 1)) Probability of a lapse, 0.01 by default. It is not learned.
#' @param prior Prior on Z, whose rows are the items: [prior_ibp()] (default), [prior_pibp()],
#'   [prior_attraction()], [prior_beta_bernoulli()] or [prior_fixed()].
#' @param method [method_gibbs()]; see [samplers].
#' @inheritParams fit_gaussian
#' @return A fit of class `fit_choice` and `fit_mcmc`; see [buffet_fit].
#' @references Gorur, D., Jakel, F. and Rasmussen, C. E. (2006). A choice model with infinitely many
#'   latent features. *ICML* 23, 361-368. \doi{10.1145/1143844.1143890}
#'
#' Miller, K. T., Griffiths, T. L. and Jordan, M. I. (2008). The phylogenetic Indian buffet process.
#' *UAI* 24, 403-410.
#'
#' Tversky, A. (1972). Elimination by aspects. *Psychological Review* 79, 281-299.
#' @seealso [predict.fit_choice()], [plot.fit_choice()], [summary.fit_choice()],
#'   `vignette("choices")`
#' @examples
#' # one chain for a first look
#' method <- method_gibbs(chains = 1, iter = 3000)
#' fit <- fit_choice(celebrities, prior = prior_pibp(celebrity_tree), method = method, seed = 1)
#' # which sets of celebrities have a feature in common, and its weight
#' summary(fit)
#' # how often each celebrity would be chosen
#' plot(fit)
#'
#' # one known feature for each item: the model of Bradley, Terry and Luce
#' btl <- fit_choice(celebrities, prior = prior_fixed(diag(9)), method = method, seed = 1)
#' tidy(btl, "worth")
#' @export
fit_choice <- function(wins, weights = gamma_prior(1, 1), epsilon = 0.01, prior = prior_ibp(),
                       method = method_gibbs(), init = NULL, seed = NULL, verbose = TRUE,
                       file = NULL, ...) {
  arguments <- fit_arguments("fit_choice", ...)
  wins <- check_wins(wins)
  if (!is_gamma_prior(weights)) stop_argument("weights", "be a gamma_prior()", weights)
  epsilon <- check_number(epsilon, "epsilon", 0, 1, "[)")
  prior <- match_prior(check_prior(prior), wins, "item")
  traits <- new_traits(wins, "uncollapsed", entries = length(wins), side = "item")
  model <- new_model("choice", list(x = wins), traits,
    weights = weights, epsilon = epsilon, prior = prior,
    prior_spec = prior_spec(prior, traits$rows), loading_width = 1L
  )
  fit_model(model, arguments, match.call())
}

#' @exportS3Method
check_starts.choice_model <- function(model, init, method) {
  check_init(init, nrow(model$data$x), NULL, model$prior, method)
}

#' @exportS3Method
sweep_chains.choice_model <- function(model, method, plan, watch) {
  choice_gibbs_cpp(model$data$x, choice_spec(model, method), plan, watch)
}

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
    "Elimination by aspects: %s choice%s between pairs of %d items, %s%s",
    format(judged, digits = 10, scientific = FALSE), if (judged == 1) "" else "s",
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

# Counts as a square double matrix, in which an entry is how often its row was chosen over its
# column. The diagonal is 0, and NA marks a pair that is left out.
check_wins <- function(wins, name = "wins") {
  if (inherits(wins, "paircomp")) wins <- wins_from_paircomp(wins, name)
  if (is.data.frame(wins)) wins <- wins_from_frame(wins, name)
  if (!is_table_like(wins)) stop_no_wins(name, describe_value(wins))
  wins <- data_matrix(wins, name)
  if (nrow(wins) != ncol(wins)) stop_no_wins(name, describe_value(wins))
  if (nrow(wins) < 2) stop_argument(name, "have at least two items", wins)
  wins <- name_items(wins, name)
  diag(wins) <- 0
  check_entries(wins, name)
  refuse_entries(!is.na(wins) & !is_pair_count(wins), wins, name, "have numbers from 0 to 1e9")
  lone <- which(is.na(wins) & !is.na(t(wins)))
  if (length(lone) > 0) {
    was <- sprintf("on only one side at %s", place(lone[1], wins))
    stop_argument(name, "have NA on both sides of a pair that is left out", was = was)
  }
  if (!any(wins > 0, na.rm = TRUE)) stop_argument(name, "have at least one choice", was = "none")
  refuse_shares(wins, name)
  wins
}

# Rejects shares given in place of counts. If each pair was judged once, the counts are 0, 1/2 or 1.
refuse_shares <- function(wins, name) {
  judgements <- wins + t(wins)
  of_one <- abs(judgements[!is.na(judgements) & judgements > 0] - 1) < 1e-6
  if (!all(of_one) || all((2 * wins) %in% c(0:2, NA))) return(invisible())
  cure <- sprintf("multiply them, as in `10 * %s` if each pair was judged 10 times", name)
  stop_argument(name, "have counts", was = "shares that add up to 1 for each pair", cure = cure)
}

name_items <- function(wins, name) {
  columns <- colnames(wins)
  if (!is.null(columns) && !is.null(rownames(wins)) && !identical(columns, rownames(wins))) {
    if (!setequal(columns, rownames(wins))) {
      stop_argument(name, "have the same names on its rows and columns", was = "different ones")
    }
    wins <- wins[, rownames(wins), drop = FALSE]
  }
  names <- rownames(wins) %||% columns
  if (anyNA(names)) stop_argument(name, "have a name for every item or for none", was = "NA")
  check_unique(names, name, "have unique item names")
  dimnames(wins) <- if (!is.null(names)) list(names, names)
  wins
}

is_pair_count <- function(n) !is.na(n) & n >= 0 & n <= 1e9

# All pairs of items, with the later item first, in column-major order of the lower triangle
all_pairs <- function(items) {
  pairs <- utils::combn(items, 2)
  cbind(pairs[2, ], pairs[1, ])
}

observed_pairs <- function(fit) {
  pairs <- all_pairs(n_rows(fit))
  total <- pair_counts(fit, pairs)
  pairs[!is.na(total) & total > 0, , drop = FALSE]
}

pair_counts <- function(fit, pairs) {
  wins <- model_data(fit)
  wins[pairs] + wins[pairs[, 2:1, drop = FALSE]]
}

pair_names <- function(fit, pairs) {
  items <- item_names(fit)
  sprintf("%s-%s", items[pairs[, 1]], items[pairs[, 2]])
}

item_names <- function(fit) rownames(model_data(fit)) %||% as.character(seq_len(n_rows(fit)))

stop_no_wins <- function(name, was, cure = NULL) {
  must <- paste(
    "be a square matrix of counts, a paircomp() or a data frame with columns winner and loser (and",
    "n) or player1, player2, win1 and win2"
  )
  stop_argument(name, must, was = was, cure = cure)
}

wins_from_frame <- function(rows, name) {
  if (nrow(rows) == 0) stop_argument(name, "have at least one row", rows)
  names(rows) <- in_lower_case(names(rows))
  if (all(c("player1", "player2", "win1", "win2") %in% names(rows))) {
    return(wins_from_rows(rows, c("player1", "player2"), c("win1", "win2"), name))
  }
  lost <- setdiff(c("winner", "loser"), names(rows))
  if (length(lost) > 0) {
    cure <- if (all(vapply(rows, is.numeric, NA)) && nrow(rows) == ncol(rows)) {
      sprintf("`as.matrix(%s)` makes it a matrix", name)
    } else if (all(vapply(rows[-1], is.numeric, NA)) && nrow(rows) == ncol(rows) - 1) {
      code <- "as.matrix(data.frame(%1$s[-1], row.names = %1$s[[1]], check.names = FALSE))"
      sprintf(paste0("`", code, "` makes it a matrix"), name)
    }
    stop_no_wins(name, sprintf("a data frame without `%s`", lost[1]), cure)
  }
  if ("ties" %in% names(rows)) {
    must <- "have columns player1, player2, win1 and win2 next to `ties`"
    stop_argument(name, must, was = "winner and loser")
  }
  wins_from_rows(rows, c("winner", "loser"), "n", name)
}

# Converts the recognised column names to lower case, unless two of them differ only in case
in_lower_case <- function(names) {
  read <- c("winner", "loser", "n", "player1", "player2", "win1", "win2", "ties")
  lower <- tolower(names)
  twice <- duplicated(lower) | duplicated(lower, fromLast = TRUE)
  ifelse(lower %in% read & !twice, lower, names)
}

# items: Names of the two columns that contain items.
# counts: Name of the column that counts how often the first item was chosen over the second. If
# there is no such column, every row counts once. A second name, if given, is the column for the
# opposite choice.
wins_from_rows <- function(rows, items, counts, name) {
  left <- setdiff(names(rows), c(items, counts, "ties"))
  if (length(left) > 0) {
    read <- paste0("`", c(items, counts, if (length(counts) == 2) "ties"), "`", collapse = ", ")
    text <- "Ignoring `%s` of `%s`: only %s are read."
    message(sprintf(text, paste(left, collapse = ", "), name, read))
  }
  counts <- c(counts, intersect("ties", names(rows)))
  first <- names_in(rows, items[1], name)
  second <- names_in(rows, items[2], name)
  own <- as.character(first) == as.character(second)
  given <- lapply(counts, function(column) {
    if (column %in% names(rows)) rows[[column]] else rep(1, nrow(rows))
  })
  n <- Map(function(n, column) {
    must <- sprintf("have numbers from 0 to 1e9 in every row of `%s`", column)
    if (!is.numeric(n)) stop_argument(name, must, n)
    n[own] <- 0
    wrong <- which(!is_pair_count(n))
    if (length(wrong) > 0) {
      stop_argument(name, must, was = sprintf("%s in row %d", format(n[wrong[1]]), wrong[1]))
    }
    as.double(n)
  }, given, counts)
  ignored <- which(own & Reduce(`|`, lapply(given, \(n) !(n %in% c(0, NA)))))
  if (length(ignored) > 0) {
    text <- "Ignoring %s of `%s` with an item against itself (the first is %s in row %d)."
    item <- describe_scalar(as.character(first[ignored[1]]))
    message(sprintf(text, counted(length(ignored), "row"), name, item, ignored[1]))
  }
  pairs <- list(as.character(first), as.character(second))
  if (length(counts) == 3) {
    tell_ties(sum(n[[3]]), name)
    n <- Map(function(won) won + n[[3]] / 2, n[1:2])
  }
  losers <- if (length(n) == 2) rev(pairs) else pairs[2]
  all <- union(levels_of(first), levels_of(second))
  count_wins(unlist(pairs[seq_along(n)]), unlist(losers), unlist(n), all)
}

tell_ties <- function(ties, name) {
  if (ties == 0) return(invisible())
  text <- "Counting ties of `%s`, %s in all, as half a win for each item."
  message(sprintf(text, name, format(ties)))
}

names_in <- function(rows, column, name) {
  values <- rows[[column]]
  must <- sprintf("have a name in every row of `%s`", column)
  if (!is.atomic(values) || length(dim(values)) > 1) stop_argument(name, must, values)
  lacking <- which(is.na(values))
  if (length(lacking) > 0) stop_argument(name, must, was = sprintf("NA in row %d", lacking[1]))
  values
}

count_wins <- function(winner, loser, n, items) {
  wins <- tapply(n, list(factor(winner, items), factor(loser, items)), sum, default = 0)
  matrix(wins, length(items), length(items), dimnames = list(items, items))
}

# Comparisons, subjects x pairs, are positive if the first item of the pair is preferred
# With `ordered`, every pair occurs again in the opposite order.
wins_from_paircomp <- function(comparisons, name) {
  values <- unclass(comparisons)
  if (!is.matrix(values)) {
    stop_argument(name, "be a paircomp() with a row per subject and a column per pair", values)
  }
  items <- attr(values, "labels")
  tell_ties(sum(values == 0, na.rm = TRUE), name)
  if (any(abs(values) > 1, na.rm = TRUE)) {
    message(sprintf("`%s`: the strength of preferences is ignored.", name))
  }
  pairs <- which(upper.tri(diag(length(items))), arr.ind = TRUE)
  if (attr(values, "ordered")) pairs <- rbind(pairs, pairs[, 2:1])
  first <- pairs[col(values), 1]
  second <- pairs[col(values), 2]
  judged <- !is.na(values)
  won <- (sign(values[judged]) + 1) / 2
  pairs <- list(items[first[judged]], items[second[judged]])
  count_wins(unlist(pairs), unlist(rev(pairs)), c(won, 1 - won), items)
}

# Items in the order of a factor's levels, or else in order of appearance
levels_of <- function(items) if (is.factor(items)) levels(items) else unique(as.character(items))
