# The Indian buffet process, given that no row is empty
# Drawing whole matrices until one has no empty row is hopeless for small alpha and many rows. But
# given the probabilities pi_k of the dishes the rows are independent, and empty with probability q
# = prod_k (1 - pi_k), so that only the law of pi differs from the process's own:
# 1. Row 1 has a dish: its number of dishes is Poisson given that it is not 0. 2. The other M - 1
# rows then have one with probability (1 - q)^(M - 1). pi is drawn from its law times q^-theta and
# accepted with probability proportional to q^theta (1 - q)^(M - 1), with the theta that is accepted
# most often: of 10,000 rows a tenth of the time for alpha near 0, always for a large one. 3. The
# other rows are drawn given pi, each until it is not empty.
# The law of pi times q^-theta is that of a process of concentration c = 1 - theta, with intensity
# alpha pi^-1 (1 - pi)^(c - 1). Row 1 takes a share pi of its dishes, which is Poisson(alpha / c)
# dishes with pi ~ Beta(1, c), and leaves those of intensity alpha pi^-1 (1 - pi)^c.

draw_ibp_without_gaps <- function(rows, alpha) {
  # A row is then empty with probability exp(-100) at most.
  if (alpha > 100) return(draw_ibp(rows, alpha, 1, 0))
  others <- rows - 1
  theta <- best_tilt(alpha, others)
  log_highest <- log_peak(theta, others)
  repeat {
    # Dishes as -log(1 - pi), which does not round where pi does.
    taken <- stats::rexp(draw_positive_poisson(alpha / (1 - theta)), 1 - theta)
    left <- draw_dishes_left(alpha, 1 - theta)
    log_q <- -sum(taken, left)
    log_chance <- theta * log_q + others * log1p(-exp(log_q)) - log_highest
    if (log(stats::runif(1)) < log_chance) break
  }
  fill_rows(rows, -expm1(-c(taken, left)), length(taken))
}

# It is inversely proportional to the mean of q^-theta over matrices in which row 1 has a dish,
# times the highest value of q^theta (1 - q)^others.
best_tilt <- function(alpha, others) {
  log_cost <- function(theta) {
    c <- 1 - theta
    log(-expm1(-alpha / c)) + alpha * (digamma(1) - digamma(c)) + log_peak(theta, others)
  }
  stats::optimize(log_cost, c(0, 1), tol = 0.01)$minimum
}

# Maximum of log q^theta (1 - q)^others, at q = theta / (theta + others)
log_peak <- function(theta, others) {
  if (others == 0) return(0)
  theta * log(theta / (theta + others)) - others * log1p(theta / others)
}

# The first of the events of a Poisson process on (0, mean), then the number of those after it
draw_positive_poisson <- function(mean) {
  first <- -log1p(stats::runif(1) * expm1(-mean))
  1L + stats::rpois(1, max(mean - first, 0))
}

# Dishes of intensity alpha pi^-1 (1 - pi)^c, as -log(1 - pi)
# Those of intensity alpha pi^-1, whose log pi is uniform, are kept with probability (1 - pi)^c.
# There are infinitely many, but none whose pi is below 1e-20 would be taken.
draw_dishes_left <- function(alpha, c) {
  lowest <- log(1e-20)
  p <- exp(lowest * stats::runif(stats::rpois(1, -alpha * lowest)))
  x <- -log1p(-p)
  x[stats::runif(length(x)) < exp(-c * x)]
}

# Row 1 has the first `taken` dishes, the others choose with probabilities p until they have one
fill_rows <- function(rows, p, taken) {
  at <- cbind(rep(1L, taken), seq_len(taken))
  empty <- seq_len(rows)[-1]
  while (length(empty) > 0) {
    takers <- stats::rbinom(length(p), length(empty), p)
    chosen <- unlist(lapply(takers, \(n) sample.int(length(empty), n)))
    at <- rbind(at, cbind(empty[chosen], rep(seq_along(p), takers)))
    empty <- setdiff(empty, at[, 1])
  }
  dishes <- unique(at[order(at[, 1]), 2])
  z <- matrix(0L, rows, length(dishes))
  z[cbind(at[, 1], match(at[, 2], dishes))] <- 1L
  z
}
