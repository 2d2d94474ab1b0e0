# Writes vignettes/articles/errata.csv, with a small example for every misprint in the article.
# Values are computed from the printed formula, from the corrected formula, and in a third way that
# uses neither. Takes half a minute.
#   Rscript data-raw/errata.R
# If buffet computes the quantity, its value is also given. Nothing else in this file depends on
# buffet.
library(buffet)

row_of <- function(key, paper, place, quantity, example, printed, right, independent, method,
                   package = NA, kind = "misprint") {
  data.frame(
    key = key, kind = kind, paper = paper, where = place, quantity = quantity, printed = printed,
    right = right, independent = independent, package = package, method = method,
    example = example
  )
}

integral <- function(f, from, to, ...) integrate(f, from, to, rel.tol = 1e-10, ...)$value

harmonic <- function(n) sum(1 / seq_len(n))

log_column <- function(m, n) lfactorial(n - m) + lfactorial(m - 1) - lfactorial(n)

# The prior ---------------------------------------------------------------------------------------

#' Probability, in the order of the process, that two customers share `both` dishes, and that only
#' the first has `first` dishes and only the second has `second`
path_of_two <- function(both, first, second, alpha) {
  dpois(both + first, alpha) * 0.5^(both + first) * dpois(second, alpha / 2)
}

class_of_two <- function(both, first, second, alpha) {
  choose(both + first, both) * path_of_two(both, first, second, alpha)
}

lof_prior <- function() {
  alpha <- 1.3
  counts <- c(both = 3, first = 0, second = 1)
  z <- cbind(matrix(1, 2, 3), c(0, 1))
  terms <- function(divisor) {
    m <- colSums(z)
    alpha^4 / divisor * exp(-alpha * harmonic(2)) * exp(sum(log_column(m, 2)))
  }
  row_of(
    "lof", "Reed and Ghahramani 2013", "eq. 32 (supplement, eq. 10)",
    "probability of a class of left-ordered matrices",
    example = "two rows, the columns 11, 11, 11 and 01, alpha 1.3",
    printed = terms(prod(counts[counts > 0])), right = terms(prod(factorial(counts))),
    independent = class_of_two(counts[[1]], counts[[2]], counts[[3]], alpha),
    method = "product of Poisson and binomial probabilities along the process",
    package = dibp(z, alpha, class = "lof")
  )
}

slide_prior <- function() {
  alpha <- 0.7
  z <- rbind(c(1, 1, 0), c(1, 0, 1))
  value <- function(sign) {
    alpha^3 / (factorial(2) * factorial(1)) * exp(sign * alpha * harmonic(2)) *
      exp(sum(log_column(colSums(z), 2)))
  }
  row_of(
    "slide-prior", "Bingham and Dickenson 2014", "slide on the Indian buffet process",
    "probability of a matrix",
    example = "the rows 110 and 101, alpha 0.7",
    printed = value(1), right = value(-1), independent = path_of_two(1, 1, 1, alpha),
    method = "product of Poisson and Bernoulli probabilities along the process",
    package = dibp(z, alpha, class = "ordered")
  )
}

# The Gibbs recipe in the slides ------------------------------------------------------------------

#' Density of two values with the loadings integrated out. The first object has `first` features, of
#' which it shares `shared` with the second object, which has `own` additional features.
two_values <- function(x, shared, first, own, sigma_x = 1, sigma_a = 1) {
  v1 <- sigma_x^2 + sigma_a^2 * first
  v2 <- sigma_x^2 + sigma_a^2 * (shared + own)
  covariance <- sigma_a^2 * shared
  determinant <- v1 * v2 - covariance^2
  squares <- v2 * x[1]^2 - 2 * covariance * x[1] * x[2] + v1 * x[2]^2
  exp(-squares / (2 * determinant)) / (2 * pi * sqrt(determinant))
}

#' The posterior of the numbers of shared features and of singletons of the second object, before
#' and after one update of its row
second_row <- function(x, alpha, first, most, delete_first) {
  bits <- if (first > 0) as.matrix(expand.grid(rep(list(0:1), first))) else matrix(0, 1, 0)
  code <- drop(bits %*% 2^(seq_len(first) - 1))
  own <- 0:most
  likelihood <- outer(rowSums(bits), own, function(s, o) two_values(x, s, first, o))
  prior_own <- rep(dpois(own, alpha / 2), each = nrow(bits))
  before <- dpois(first, alpha) * 0.5^first * prior_own * likelihood
  after <- before
  if (delete_first) {
    after[] <- 0
    after[, 1] <- rowSums(before)
  }
  for (k in seq_len(first)) {
    flipped <- match(code + ifelse(bits[, k] == 1, -1, 1) * 2^(k - 1), code)
    after <- (after + after[flipped, , drop = FALSE]) *
      likelihood / (likelihood + likelihood[flipped, , drop = FALSE])
  }
  new <- prior_own * likelihood
  after <- rowSums(after) * new / rowSums(new)
  list(
    before = rowsum(before, rowSums(bits)), after = rowsum(after, rowSums(bits)),
    features = outer(0:first, own, "+")
  )
}

one_update <- function(x, alpha, delete_first, most = 9) {
  parts <- lapply(0:most, function(first) second_row(x, alpha, first, most, delete_first))
  total <- sum(vapply(parts, function(part) sum(part$before), 0))
  mean_of <- function(name) {
    sum(vapply(parts, function(part) sum(part[[name]] * part$features), 0)) / total
  }
  distance <- sum(vapply(parts, function(part) sum(abs(part$before - part$after)), 0)) / 2
  list(distance = distance / total, before = mean_of("before"), after = mean_of("after"))
}

gibbs_example <- paste(
  "two objects with the values 1 and 2, alpha 1, noise and loadings with variance 1, loadings",
  "integrated out, at most 9 features of each kind; the row of the second object is updated"
)

slide_gibbs <- function() {
  x <- c(1, 2)
  recipe <- one_update(x, alpha = 1, delete_first = TRUE)
  valid <- one_update(x, alpha = 1, delete_first = FALSE)
  rbind(
    row_of(
      "slide-distance", "Bingham and Dickenson 2014", "slide on Gibbs sampling",
      "total variation between the posterior and its image under one update of a row",
      gibbs_example,
      printed = recipe$distance, right = valid$distance, independent = 0,
      method = "an update that leaves the posterior unchanged has distance 0"
    ),
    row_of(
      "slide-mean", "Bingham and Dickenson 2014", "slide on Gibbs sampling",
      "mean number of features of the row after one update started from the posterior",
      gibbs_example,
      printed = recipe$after, right = valid$after, independent = recipe$before,
      method = "posterior mean by enumeration"
    )
  )
}

# MEIBP -------------------------------------------------------------------------------------------

#' Moments and entropy of a normal truncated to [0, inf), by quadrature
truncated <- function(mu, s) {
  density <- function(a) dnorm(a, mu, s) / pnorm(mu / s)
  to <- max(0, mu) + 12 * s
  information <- function(a) -density(a) * (dnorm(a, mu, s, log = TRUE) - pnorm(mu / s, log = TRUE))
  c(
    mean = integral(function(a) a * density(a), 0, to),
    square = integral(function(a) a^2 * density(a), 0, to),
    entropy = integral(information, 0, to)
  )
}

erfc <- function(x) 2 * pnorm(-x * sqrt(2))
erfcx <- function(x) exp(x^2) * erfc(x)

#' Equations 26 and 27
entropy_formula <- function(mu, s, sign) {
  p <- -mu / (s * sqrt(2))
  log(pi * exp(1) * s^2 / 2) / 2 + log(erfc(p)) + sign * mu / s / sqrt(2 * pi) / erfcx(p)
}

#' The entropy, H = -E ln q, from the mean and variance in buffet
entropy_of_package <- function(mu, s) {
  moments <- buffet:::nonnegative_moments_cpp(matrix(mu), matrix(s))
  square <- moments$variance[1] + (moments$mean[1] - mu)^2
  log(2 * pi * s^2) / 2 + pnorm(mu / s, log.p = TRUE) + square / (2 * s^2)
}

meibp_entropy <- function() {
  row_of(
    "entropy", "Reed and Ghahramani 2013", "eq. 26-27 (supplement, eq. 4-5)",
    "entropy",
    example = "location 0.5, scale 0.7",
    printed = entropy_formula(0.5, 0.7, 1), right = entropy_formula(0.5, 0.7, -1),
    independent = truncated(0.5, 0.7)[["entropy"]], method = "quadrature",
    package = entropy_of_package(0.5, 0.7)
  )
}

#' Posterior mean of a nonnegative loading that all `x` have, by quadrature
loading_mean <- function(x, noise, sigma_a) {
  density <- function(a) {
    vapply(a, function(b) exp(sum(dnorm(x, b, noise, log = TRUE)) - b^2 / (2 * sigma_a^2)), 0)
  }
  integral(function(a) a * density(a), 0, 10) / integral(density, 0, 10)
}

meibp_likelihood <- function() {
  x <- c(1.2, 0.4, 0.9)
  sigma_x <- 0.5
  sigma_a <- 2
  rho <- 1 / (length(x) + sigma_x^2 / sigma_a^2)
  mu <- rho * sum(x)
  s <- sqrt(rho) * sigma_x
  row_of(
    "likelihood", "Reed and Ghahramani 2013", "eq. 6",
    "posterior mean of a loading that all rows have",
    example = "values 1.2, 0.4 and 0.9, noise with standard deviation 0.5, loading with scale 2",
    printed = loading_mean(x, sigma_a, sigma_a), right = loading_mean(x, sigma_x, sigma_a),
    independent = mu + s * dnorm(mu / s) / pnorm(mu / s),
    method = "the paper's own eq. 14 to 16",
    package = buffet:::nonnegative_moments_cpp(matrix(mu), matrix(s))$mean[1]
  )
}

#' Data, features, and a distribution of the loadings with its moments. The last feature is a
#' singleton of row 2.
meibp_state <- function() {
  set.seed(1)
  state <- list(sigma_x = 0.8, sigma_a = 1.2, alpha = 1.7, x = matrix(rnorm(24, 1), 8))
  mu <- rnorm(12, 0.5)
  s <- runif(12, 0.2, 0.6)
  moments <- mapply(truncated, mu, s)
  state$mean <- matrix(moments["mean", ], 4)
  state$square <- matrix(moments["square", ], 4)
  state$entropy <- matrix(moments["entropy", ], 4)
  state$z <- matrix(rbinom(32, 1, 0.4), 8)
  state$z[, 4] <- as.numeric(seq_len(8) == 2)
  state
}

#' The bound computed from its definition, E ln p(X, A, Z) + H[q], over the features in use
bound <- function(z, state) {
  m <- colSums(z)
  used <- m > 0
  residual <- state$x - z %*% state$mean
  squares <- sum(residual^2) + sum(z %*% (state$square - state$mean^2))
  log_likelihood <- -length(state$x) / 2 * log(2 * pi * state$sigma_x^2) -
    squares / (2 * state$sigma_x^2)
  log_loadings <- -log(pi * state$sigma_a^2 / 2) / 2 - state$square / (2 * state$sigma_a^2)
  log_prior <- sum(used) * log(state$alpha) - lfactorial(sum(used)) -
    state$alpha * harmonic(nrow(z)) + sum(log_column(m[used], nrow(z)))
  log_likelihood + sum((log_loadings + state$entropy)[used, ]) + log_prior
}

#' Equation 19 for row 2. `indicated` determines, from the counts without the row, which eta are
#' part of omega, and `over` is the logarithm of the divisor of nu.
row_objective <- function(row, state, indicated, over) {
  n <- nrow(state$z)
  m <- colSums(state$z[-2, ])
  eta <- rowSums(
    -log(pi * state$sigma_a^2 / (2 * state$alpha^(2 / ncol(state$x)))) / 2 -
      state$square / (2 * state$sigma_a^2) + state$entropy
  )
  nu_1 <- lfactorial(n - m - 1) + lfactorial(m) - over
  nu_0 <- ifelse(m == 0, 0, lfactorial(n - m) + lfactorial(m - 1) - over)
  omega <- nu_1 - nu_0 + indicated(m) * eta +
    (drop(state$mean %*% state$x[2, ]) + rowSums(state$mean^2 - state$square) / 2) / state$sigma_x^2
  -sum(crossprod(state$mean, row)^2) / (2 * state$sigma_x^2) + sum(row * omega) -
    lfactorial(sum(m > 0) + sum((m == 0) * row))
}

meibp_row <- function() {
  state <- meibp_state()
  without <- replace(state$z[2, ], 4, 0)
  with <- replace(without, 4, 1)
  gain <- function(objective, ...) objective(with, ...) - objective(without, ...)
  bound_of_row <- function(row) {
    state$z[2, ] <- row
    bound(state$z, state)
  }
  over <- lfactorial(8)
  right <- gain(row_objective, state, function(m) m == 0, over)
  common <- list(
    paper = "Reed and Ghahramani 2013", right = right, independent = gain(bound_of_row),
    method = "difference in the bound, computed from its definition with moments by quadrature",
    quantity = "gain in the row's objective from a feature that no other row has",
    example = paste(
      "8 rows with 3 values and up to 4 features, alpha 1.7;",
      "a random draw with a fixed seed"
    )
  )
  rbind(
    do.call(row_of, c(common, list(
      key = "indicator", place = "eq. 19, 51 and 55",
      printed = gain(row_objective, state, function(m) m > 0, over)
    ))),
    do.call(row_of, c(common, list(
      key = "nu", place = "definition of nu below eq. 19",
      printed = gain(row_objective, state, function(m) m == 0, 0)
    )))
  )
}

#' Four features, the last of which belongs to no other row
meibp_code <- function() {
  alone <- 4
  row_of(
    "curk", "Program of Reed and Ghahramani", "local_search_opt.m",
    "penalty for one more feature",
    example = "feature 4 of 4 is the one that no other row has",
    printed = log(4 - sum(alone) + 1), right = log(4 - length(alone) + 1),
    independent = lfactorial(4) - lfactorial(3), method = "difference of ln K+!", kind = "program"
  )
}

# Variational inference ---------------------------------------------------------------------------

vibp <- function() {
  tau <- rbind(c(2.5, 1.7, 3.2), c(1.2, 2, 0.8))
  k <- 3
  mean_log <- function(a, b) integral(function(v) log(v) * dbeta(v, a, b), 0, 1)
  common <- list(
    quantity = "E ln pi, the expected logarithm of a product of sticks",
    example = "three sticks, Beta(2.5, 1.2), Beta(1.7, 2) and Beta(3.2, 0.8)",
    right = sum(digamma(tau[1, ]) - digamma(colSums(tau))),
    independent = sum(mapply(mean_log, tau[1, ], tau[2, ])), method = "quadrature, stick by stick"
  )
  before <- tau[, seq_len(k - 1)]
  rbind(
    do.call(row_of, c(common, list(
      key = "vibp", paper = "Doshi-Velez, Miller, Van Gael and Teh 2009", place = "section 3.3",
      printed = k * (digamma(tau[2, k]) - digamma(sum(tau[, k])))
    ))),
    do.call(row_of, c(common, list(
      key = "vb", paper = "PyNPB, after Doshi-Velez et al.", place = "vb.py",
      printed = sum(digamma(before[1, ]) - digamma(sum(before))), kind = "program"
    )))
  )
}

#' E ln N(x; z a, variance) by enumeration of z and quadrature over z a
expected_log_likelihood <- function(x, q, mean, covariance, variance) {
  z <- as.matrix(expand.grid(0:1, 0:1))
  inner <- function(row) {
    centre <- sum(row * mean)
    spread <- sqrt(drop(row %*% covariance %*% row))
    if (spread == 0) return(dnorm(x, centre, sqrt(variance), log = TRUE))
    integral(function(y) {
      dnorm(x, y, sqrt(variance), log = TRUE) * dnorm(y, centre, spread)
    }, centre - 12 * spread, centre + 12 * spread)
  }
  sum(apply(z, 1, function(row) prod(dbinom(row, 1, q)) * inner(row)))
}

ding_likelihood <- function() {
  x <- 1.5
  q <- c(0.3, 0.8)
  mean <- c(1, -0.5)
  covariance <- matrix(c(0.4, 0.1, 0.1, 0.3), 2)
  variance <- 0.5
  both <- tcrossprod(q)
  diag(both) <- q
  value <- function(factor) {
    -log(2 * pi * variance) / 2 + factor * x / variance * sum(q * mean) -
      sum(both * (covariance + tcrossprod(mean))) / (2 * variance) - x^2 / (2 * variance)
  }
  row_of(
    "ding-likelihood", "Ding, Qi, Xiang, Molloy and Li 2010", "appendix, first term of the bound",
    "E ln p(x | z, a)",
    example = paste(
      "the value 1.5, two features with q(z = 1) equal to 0.3 and 0.8,",
      "noise with variance 0.5"
    ),
    printed = value(2), right = value(1),
    independent = expected_log_likelihood(x, q, mean, covariance, variance),
    method = "enumeration of z, quadrature over the loadings"
  )
}

ding_entropy <- function() {
  a <- 3.5
  b <- 1.8
  value <- function(sign) {
    (a - 1) * (digamma(a) - digamma(a + b)) + (b - 1) * (digamma(b) - digamma(a + b)) +
      sign * lbeta(a, b)
  }
  row_of(
    "ding-entropy", "Ding, Qi, Xiang, Molloy and Li 2010", "appendix, entropy of q(pi)",
    "E ln q(pi)",
    example = "Beta(3.5, 1.8)",
    printed = value(1), right = value(-1),
    independent = integral(function(p) dbeta(p, a, b) * dbeta(p, a, b, log = TRUE), 0, 1),
    method = "quadrature"
  )
}

pyibp_alpha <- function() {
  z <- cbind(c(1, 1, 0, 1), c(1, 0, 1, 0), c(0, 1, 1, 1))
  posterior_mean <- function(likelihood) {
    density <- function(alpha) dexp(alpha) * vapply(alpha, likelihood, 0)
    integral(function(alpha) alpha * density(alpha), 0, 60) / integral(density, 0, 60)
  }
  new <- tabulate(apply(z, 2, which.max), nrow(z))
  row_of(
    "pyibp", "PyIBP, after Doshi-Velez and Ghahramani", "PyIBP.py",
    "posterior mean of alpha",
    example = "4 rows with 3 features, 8 ones, prior Gamma(1, 1)",
    printed = (1 + sum(z)) / (1 + nrow(z)), right = (1 + ncol(z)) / (1 + harmonic(nrow(z))),
    independent = posterior_mean(function(alpha) prod(dpois(new, alpha / seq_along(new)))),
    method = "quadrature of the prior times the Poisson probabilities of the new dishes",
    package = posterior_mean(function(alpha) dibp(z, alpha)), kind = "program"
  )
}

# The cascading process ---------------------------------------------------------------------------

sigmoid <- function() {
  inverse <- function(u) log((1 + u) / (1 - u))
  row_of(
    "sigmoid", "Adams, Wallach and Ghahramani 2010", "definition of the sigmoid",
    "sigmoid",
    example = "x = 1",
    printed = 2 / (1 + exp(1)) - 1, right = 2 / (1 + exp(-1)) - 1,
    independent = uniroot(function(u) inverse(u) - 1, c(-0.99, 0.99), tol = 1e-12)$root,
    method = "root of the paper's inverse function"
  )
}

#' Mean of the stationary distribution of a chain on 0, 1, ... that proposes births and deaths with
#' equal probability
stationary_mean <- function(birth, death, most = 40) {
  k <- 0:most
  transition <- matrix(0, most + 1, most + 1)
  up <- pmin(1, birth(k)) / 2
  down <- pmin(1, death(k)) / 2
  transition[cbind(k[-1], k[-1] + 1)] <- up[-(most + 1)]
  transition[cbind(k[-1] + 1, k[-1])] <- down[-1]
  diag(transition) <- 1 - rowSums(transition)
  equations <- rbind(t(diag(most + 1) - transition), 1)
  sum(k * qr.solve(equations, c(rep(0, most + 1), 1)))
}

#' Number of dishes that only the first of `units` customers has. Its distribution is the same for
#' every customer.
own_parents <- function(draws, units, alpha, beta) {
  alone <- prod((beta + seq_len(units - 1) - 1) / (beta + seq_len(units - 1)))
  mean(rbinom(draws, rpois(draws, alpha), alone))
}

births <- function() {
  alpha <- 1.5
  beta <- 0.8
  units <- 5
  lambda <- alpha * beta / (beta + units - 1)
  set.seed(2)
  chance <- function(own) dibp(cbind(c(1, 1, 1, 1, 0), diag(units)[, rep(units, own)]), alpha, beta)
  row_of(
    "births", "Adams, Wallach and Ghahramani 2010", "section 4.4, acceptance of births and deaths",
    "mean number of singleton parents with a flat likelihood",
    example = "5 units, alpha 1.5, beta 0.8",
    printed = stationary_mean(
      function(k) 1 / (lambda * (k + 1)^2), function(k) lambda * k^2
    ),
    right = stationary_mean(function(k) lambda / (k + 1), function(k) k / lambda),
    independent = own_parents(4e6, units, alpha, beta), method = "simulation of the process",
    package = chance(1) / chance(0)
  )
}

# Focused topics ----------------------------------------------------------------------------------

after_williamson <- "CLML, after Williamson, Wang, Heller and Blei"

topic_variance <- function() {
  alpha <- 2
  gamma <- 1.3
  set.seed(3)
  total <- numeric(4e5)
  stick <- rep(1, length(total))
  for (k in 1:60) {
    stick <- stick * rbeta(length(total), alpha, 1)
    total <- total + (runif(length(total)) < stick) * rgamma(length(total), gamma)
  }
  row_of(
    "topic-variance", after_williamson, "ftm.lisp, VYdagger",
    "variance of a document's total weight of new topics",
    example = "alpha 2, gamma 1.3",
    printed = gamma * (gamma + 1) * alpha - (alpha * gamma)^2 / (1 + 2 * alpha),
    right = gamma * (gamma + 1) * alpha, independent = var(total),
    method = "simulation of the sticks", kind = "program"
  )
}

topic_taylor <- function() {
  n <- 6
  s <- 2.4
  variance <- 0.5
  g <- function(s) 2^-s / (n - 1 + s)
  step <- 1e-3
  base <- n - 1 + s
  l <- log(2)
  row_of(
    "topic-taylor", after_williamson, "ftm.lisp, second-order terms",
    "second-order term of the mean of 2^-s / (n - 1 + s)",
    example = "n = 6, s = 2.4, variance 0.5",
    printed = variance * (base^2 + l * base + 2) / (2^s * base),
    right = variance * 2^-s * (l^2 * base^2 + 2 * l * base + 2) / (2 * base^3),
    independent = variance / 2 * (g(s + step) - 2 * g(s) + g(s - step)) / step^2,
    method = "second difference", kind = "program"
  )
}

#' p(n, z, b) summed over b for one document and three topics, up to a constant
topic_joint <- function(counts, pi, phi) {
  chosen <- as.matrix(expand.grid(0:1, 0:1, 0:1))
  chosen <- chosen[apply(chosen, 1, function(b) all(b[counts > 0] == 1)), , drop = FALSE]
  n <- sum(counts)
  sum(apply(chosen, 1, function(b) {
    total <- sum(b * phi)
    own <- b == 1
    exp(
      sum(dbinom(b, 1, pi, log = TRUE)) + dnbinom(n, total, 0.5, log = TRUE) + lgamma(total) -
        lgamma(total + n) + sum(lgamma(phi + counts)[own] - lgamma(phi)[own])
    )
  }))
}

topic_token <- function() {
  pi <- c(0.6, 0.3, 0.2)
  phi <- c(0.8, 1.5, 0.4)
  counts <- c(2, 1, 0)
  joint <- vapply(1:3, function(k) topic_joint(counts + (1:3 == k), pi, phi), 0)
  g <- function(s) 2^-s / (sum(counts) + s)
  used <- sum(phi[1:2])
  printed <- c(
    (counts + phi)[1:2] * (pi[3] * g(used + phi[3]) + (1 - pi[3]) * g(used)),
    pi[3] * phi[3] * g(used + phi[3])
  )
  waiting <- pi[3] * 2^-phi[3]
  right <- c((counts + phi)[1:2], phi[3] * waiting / (1 - pi[3] + waiting))
  row_of(
    "topic-token", after_williamson, "ftm.lisp, conditional of a token",
    "probability that one more token belongs to a topic that has no words in the document",
    example = paste(
      "three topics with pi equal to 0.6, 0.3, 0.2 and phi equal to 0.8, 1.5, 0.4, which have",
      "2, 1 and 0 tokens in the document"
    ),
    printed = printed[3] / sum(printed), right = right[3] / sum(right),
    independent = joint[3] / sum(joint), method = "enumeration of the topics' presences",
    kind = "program"
  )
}

topic_new <- function() {
  alpha <- 2
  gamma <- 1.3
  documents <- 7
  inner <- function(phi) {
    vapply(phi, function(f) {
      integral(function(p) (1 - p + p * 2^-f)^(documents - 1), 0, 1) * f * 2^-f * dgamma(f, gamma)
    }, 0)
  }
  row_of(
    "topic-new", after_williamson, "ftm.lisp, weight of a new topic (A3)",
    "weight of a new topic for a token, relative to n + phi for an old topic",
    example = "7 documents, alpha 2, gamma 1.3",
    printed = alpha * gamma,
    right = alpha * gamma / documents * sum((1 + seq_len(documents) * log(2))^-(gamma + 1)),
    independent = alpha * integrate(inner, 0, Inf, rel.tol = 1e-8)$value,
    method = "double quadrature over pi and phi", kind = "program"
  )
}

#' The proposal of a new topic and its correction, with given lengths, for the first of four
#' documents
topic_given <- function() {
  alpha <- 2
  gamma <- 1.3
  ell <- c(0.3, 0.9, 0.5, 1.4)
  documents <- length(ell)
  mean_ell <- mean(ell)
  proposed <- alpha * ((1 + ell[1])^-gamma - (1 + ell[1] + documents * mean_ell)^-gamma) /
    (documents * mean_ell)
  set.seed(4)
  phi <- rgamma(6e5, gamma, 1 + ell[1])
  phi <- phi[runif(length(phi)) < 1 - exp(-documents * mean_ell * phi)]
  s <- 1 - exp(-mean_ell * phi)
  u <- runif(length(phi))
  pi <- (1 - (1 - u * (1 - exp(-documents * mean_ell * phi)))^(1 / documents)) / s
  others <- rowSums(log1p(-outer(pi, rep(1, 3)) * (1 - exp(-outer(phi, ell[-1])))))
  h <- log(phi * mean_ell / s) + others - (documents - 1) * log1p(-pi * s)
  inner <- function(phi) {
    vapply(phi, function(f) {
      absent <- function(p) Reduce(`*`, lapply(ell[-1], function(l) 1 - p + p * exp(-l * f)))
      integral(absent, 0, 1) * f * exp(-ell[1] * f) * dgamma(f, gamma)
    }, 0)
  }
  row_of(
    "topic-given", "Focused topics with given lengths", "A4",
    "weight of a new topic for a token, for documents with unequal lengths",
    example = "the first of 4 documents with l equal to 0.3, 0.9, 0.5 and 1.4, alpha 2, gamma 1.3",
    printed = proposed, right = proposed * mean(exp(h)),
    independent = alpha * integrate(inner, 0, Inf, rel.tol = 1e-8)$value,
    method = "double quadrature over pi and phi", kind = "caution"
  )
}

seen_topics <- function(gamma, documents) {
  j <- seq_len(documents)
  vapply(gamma, function(g) sum((1 - (1 + j * log(2))^-g) / j), 0)
}

#' The number of topics with words in any of the documents, and the sum of their ln phi, in each
#' draw
draw_seen <- function(gamma, alpha, documents) {
  number <- matrix(rpois(length(gamma) * documents, alpha / seq_len(documents)), documents)
  draw <- rep(rep(seq_along(gamma), each = documents), number)
  presences <- rep(rep(seq_len(documents), length(gamma)), number)
  phi <- rgamma(length(draw), gamma[draw])
  seen <- runif(length(phi)) < 1 - 2^(-presences * phi)
  draw <- factor(draw[seen], seq_along(gamma))
  sums <- tapply(log(phi[seen]), draw, sum, default = 0)
  list(number = as.vector(table(draw)), log_phi = as.vector(sums))
}

topic_seen <- function() {
  alpha <- 2
  gamma <- 1.3
  documents <- 7
  set.seed(5)
  row_of(
    "topic-seen", "Focused topics", "A5",
    "expected number of topics with words",
    example = "7 documents, alpha 2, gamma 1.3",
    printed = alpha * harmonic(documents), right = alpha * seen_topics(gamma, documents),
    independent = mean(draw_seen(rep(gamma, 4e5), alpha, documents)$number),
    method = "simulation of the model", kind = "caution"
  )
}

topic_gamma <- function() {
  alpha <- 2
  documents <- 4
  set.seed(6)
  gamma <- rgamma(2e4, 4, 2.5)
  data <- draw_seen(gamma, alpha, documents)
  grid <- seq(0.01, 9, length.out = 500)
  posterior_mean <- function(correction) {
    log_density <- outer(data$number, lgamma(grid)) * -1 + outer(data$log_phi, grid - 1)
    log_density <- t(t(log_density) + dgamma(grid, 4, 2.5, log = TRUE) + correction)
    weights <- exp(log_density - apply(log_density, 1, max))
    mean(drop(weights %*% grid) / rowSums(weights))
  }
  row_of(
    "topic-gamma", after_williamson, "ftm.lisp, density of gamma (A5)",
    "mean of the conditional mean of gamma, over data drawn from the model",
    example = "4 documents, alpha 2, prior Gamma(4, 2.5) on gamma",
    printed = posterior_mean(0), right = posterior_mean(-alpha * seen_topics(grid, documents)),
    independent = mean(gamma), method = "mean of the values of gamma that were drawn",
    kind = "program"
  )
}

# -------------------------------------------------------------------------------------------------

rows <- rbind(
  meibp_entropy(), meibp_row(), meibp_likelihood(), lof_prior(), meibp_code(), slide_prior(),
  slide_gibbs(), vibp(), ding_likelihood(), ding_entropy(), pyibp_alpha(), births(), sigmoid(),
  topic_token(), topic_taylor(), topic_variance(), topic_new(), topic_gamma(), topic_seen(),
  topic_given()
)
number <- c("printed", "right", "independent", "package")
rows[number] <- lapply(rows[number], signif, 6)
rows$right[abs(rows$right) < 1e-12] <- 0
write.csv(rows, "vignettes/articles/errata.csv", row.names = FALSE)
print(rows[c("key", number)], row.names = FALSE)
