# The tables that vignettes/miller-griffiths-jordan.Rmd plots: leave-one-pair-out cross entropies
# for the celebrities, and a simulation study. Takes one to two hours on one core.
#   Rscript data-raw/miller-griffiths-jordan.R [loo] [simulated] [depth] [starts]
library(buffet)

parts <- commandArgs(trailingOnly = TRUE)
if (length(parts) == 0) parts <- c("loo", "simulated", "depth", "starts")

## Leaving one pair out (Gorur's protocol). A model is trained on 35 pairs and predicts the other
## pair with the posterior mean of its probability. The loss is the cross entropy with the observed
## share.

tree_of_depth <- function(depth) {
  tree <- celebrity_tree
  leaves <- tree$edge[, 2] <= 9
  tree$edge.length <- ifelse(leaves, 1 - depth, depth)
  tree
}

with_professions <- cbind(diag(9), kronecker(diag(3), rep(1, 3)))

models <- list(
  BTL = list(prior = prior_fixed(diag(9))),
  tree = list(prior = prior_fixed(with_professions)),
  IBP = list(prior = prior_ibp()),
  pIBP = list(prior = prior_pibp(tree_of_depth(0.5)))
)
for (depth in c(0.1, 0.3, 0.7, 0.9)) {
  models[[sprintf("pIBP, depth %g", depth)]] <- list(prior = prior_pibp(tree_of_depth(depth)))
}
for (name in c("BTL", "tree", "IBP", "pIBP")) {
  for (epsilon in c(0, 0.05)) {
    models[[sprintf("%s, epsilon %g", name, epsilon)]] <-
      c(models[[name]][1], list(epsilon = epsilon))
  }
  for (shape in c(0.5, 2)) {
    models[[sprintf("%s, shape %g", name, shape)]] <-
      c(models[[name]][1], list(weights = gamma_prior(shape, 1)))
  }
}

pairs <- t(utils::combn(9, 2))
items <- rownames(celebrities)
method <- method_gibbs(chains = 8, iter = 5000, warmup = 1000)

#' Posterior mean of the probability of the pair, in each chain
leave_out <- function(pair, model) {
  wins <- celebrities
  wins[pair[1], pair[2]] <- wins[pair[2], pair[1]] <- NA
  fit <- do.call(fit_choice, c(list(wins, method = method, seed = 1, verbose = FALSE), model))
  p <- buffet:::choice_probabilities(fit, matrix(pair, 1))
  colMeans(matrix(p, ncol = method$chains))
}

loss <- function(p, share) -share * log(p) - (1 - share) * log(1 - p)

if ("loo" %in% parts) {
  rows <- lapply(names(models), function(name) {
    message(name)
    means <- t(apply(pairs, 1, leave_out, model = models[[name]]))
    share <- celebrities[pairs] / (celebrities[pairs] + celebrities[pairs[, 2:1]])
    p <- rowMeans(means)
    # The standard error of the loss is computed from its derivative.
    slope <- abs((p - share) / (p * (1 - p)))
    data.frame(
      model = name, item1 = items[pairs[, 1]], item2 = items[pairs[, 2]], share = share,
      predicted = p, loss = loss(p, share),
      loss_error = slope * apply(means, 1, sd) / sqrt(ncol(means))
    )
  })
  write.csv(
    do.call(rbind, rows), "vignettes/choice-loo.csv", row.names = FALSE, quote = 1
  )
}

## Small samples of choices by aspects that follow a tree. A third of the pairs of twelve items have
## a few judgements each, and the other pairs are predicted.

#' A balanced tree with twelve tips: three groups of two pairs each
study_tree <- function(depths = c(0.35, 0.7)) {
  groups <- 14:16
  twos <- 17:22
  structure(
    list(
      edge = rbind(
        cbind(13L, groups), cbind(rep(groups, each = 2), twos), cbind(rep(twos, each = 2), 1:12)
      ),
      edge.length = c(rep(depths[1], 3), rep(depths[2] - depths[1], 6), rep(1 - depths[2], 12)),
      Nnode = 10L, tip.label = letters[1:12]
    ),
    class = "phylo"
  )
}

probability_of <- function(z, w, epsilon) {
  a <- (z * rep(w, each = nrow(z))) %*% t(1 - z)
  p <- ifelse(a + t(a) > 0, a / (a + t(a)), 0.5)
  (1 - epsilon) * p + epsilon / 2
}

#' Divergence of predictions from the true probabilities, averaged over pairs
divergence <- function(p, truth) {
  mean(truth * log(truth / p) + (1 - truth) * log((1 - truth) / (1 - p)))
}

one_study <- function(replicate, judgements, tree = study_tree()) {
  set.seed(1000 * judgements + replicate)
  names <- tree$tip.label
  z <- rpibp(tree, alpha = 4)
  truth <- probability_of(z, rgamma(ncol(z), 1), 0.01)
  all <- t(utils::combn(12, 2))
  seen <- sample(nrow(all), 22)
  wins <- matrix(NA_real_, 12, 12, dimnames = list(names, names))
  won <- rbinom(22, judgements, truth[all[seen, ]])
  wins[all[seen, ]] <- won
  wins[all[seen, 2:1]] <- judgements - won
  unseen <- all[-seen, ]
  wrong <- tree
  wrong$tip.label <- sample(names)
  priors <- list(
    BTL = prior_fixed(diag(12)), IBP = prior_ibp(), pIBP = prior_pibp(tree),
    `pIBP, wrong tree` = prior_pibp(wrong)
  )
  losses <- vapply(priors, function(prior) {
    fit <- fit_choice(wins,
      prior = prior, method = method_gibbs(chains = 2, iter = 3000, warmup = 1000),
      seed = replicate, verbose = FALSE
    )
    p <- colMeans(buffet:::choice_probabilities(fit, unseen))
    divergence(p, truth[unseen])
  }, 0)
  data.frame(
    replicate = replicate, judgements = judgements, model = names(losses), divergence = losses
  )
}

if ("simulated" %in% parts) {
  rows <- lapply(c(5, 20, 80), function(judgements) {
    message(judgements, " judgements")
    do.call(rbind, lapply(seq_len(100), one_study, judgements = judgements))
  })
  write.csv(
    do.call(rbind, rows), "vignettes/choice-simulated.csv", row.names = FALSE, quote = c(3)
  )
}

## The depth of the tree. Features follow the tree to one depth and are fitted with a different
## depth.

if ("depth" %in% parts) {
  depth_study <- function(true_depth) {
    do.call(rbind, lapply(seq_len(60), function(replicate) {
      set.seed(1e5 * true_depth + replicate)
      truth_tree <- tree_of_depth(true_depth)
      z <- rpibp(truth_tree, alpha = 4)
      truth <- probability_of(z, rgamma(ncol(z), 1), 0.01)
      seen <- sample(36, 18)
      wins <- matrix(NA_real_, 9, 9, dimnames = dimnames(celebrities))
      won <- rbinom(18, 20, truth[pairs[seen, ]])
      wins[pairs[seen, ]] <- won
      wins[pairs[seen, 2:1]] <- 20 - won
      unseen <- pairs[-seen, ]
      losses <- vapply(c(0, 0.1, 0.3, 0.5, 0.7, 0.9), function(depth) {
        fit <- fit_choice(wins,
          prior = if (depth == 0) prior_ibp() else prior_pibp(tree_of_depth(depth)),
          method = method_gibbs(chains = 2, iter = 3000, warmup = 1000), seed = replicate,
          verbose = FALSE
        )
        divergence(colMeans(buffet:::choice_probabilities(fit, unseen)), truth[unseen])
      }, 0)
      data.frame(
        true_depth = true_depth, replicate = replicate,
        fitted_depth = c(0, 0.1, 0.3, 0.5, 0.7, 0.9), divergence = losses
      )
    }))
  }
  rows <- lapply(c(0.1, 0.5, 0.9), depth_study)
  write.csv(do.call(rbind, rows), "vignettes/choice-depth.csv", row.names = FALSE)
}

## Starting points of chains. Features follow the tree to a depth of 0.9, and alpha is known. Chains
## start at the default, at features of the groups, or at the true features.

if ("starts" %in% parts) {
  groups <- kronecker(diag(3), rep(1, 3))
  one_start <- function(replicate) {
    set.seed(90000 + replicate)
    z <- rpibp(tree_of_depth(0.9), alpha = 4)
    truth <- probability_of(z, rgamma(ncol(z), 1), 0.01)
    seen <- sample(36, 18)
    wins <- matrix(NA_real_, 9, 9, dimnames = dimnames(celebrities))
    won <- rbinom(18, 20, truth[pairs[seen, ]])
    wins[pairs[seen, ]] <- won
    wins[pairs[seen, 2:1]] <- 20 - won
    unseen <- pairs[-seen, ]
    run <- function(start, depth, init = NULL, iter = 3000) {
      fit <- suppressWarnings(fit_choice(wins,
        prior = prior_pibp(tree_of_depth(depth), 4), init = init, seed = replicate, verbose = FALSE,
        method = method_gibbs(chains = 2, iter = iter, warmup = iter / 3)
      ))
      data.frame(
        replicate, fitted_depth = depth, start,
        divergence = divergence(
          colMeans(buffet:::choice_probabilities(fit, unseen)), truth[unseen]
        ),
        log_joint = mean(as_draws_matrix(fit)[, "log_joint"])
      )
    }
    rbind(
      run("default", 0.9), run("groups", 0.9, groups), run("truth", 0.9, z),
      run("own and groups, long", 0.9, cbind(diag(9), groups), 21000),
      run("truth, long", 0.9, z, 21000), run("default", 0.5), run("truth", 0.5, z)
    )
  }
  rows <- do.call(rbind, lapply(seq_len(16), one_start))
  write.csv(rows, "vignettes/choice-starts.csv", row.names = FALSE, quote = 3)
}
