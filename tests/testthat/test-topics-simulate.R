many <- function(n, ...) lapply(seq_len(n), \(i) sim_topics(...))

#' One row for each topic of each document, with its size, its tokens and the totals of the document
pairs_of <- function(drawn) {
  pairs <- lapply(drawn, function(d) {
    at <- which(d$topics == 1, arr.ind = TRUE)
    sum <- as.vector(d$topics %*% d$phi)
    length <- rowSums(d$counts)
    data.frame(phi = d$phi[at[, 2]], n = d$counts[at], sum = sum[at[, 1]], length = length[at[, 1]])
  })
  do.call(rbind, pairs)
}

expect_z <- function(deviations, variances) {
  expect_lt(abs(sum(deviations)) / sqrt(sum(variances)), 4.5)
}

test_that("the parts of a simulation agree in shapes and names", {
  set.seed(1)
  given <- many(sized(15, 50), 4, 6, alpha = 2, lengths = c(3, 1, 1e6, 5))
  for (d in c(many(sized(15, 50), 4, 6, alpha = 2), given)) {
    expect_s4_class(d$dtm, "dgCMatrix")
    topics <- sprintf("t%d", seq_len(ncol(d$topics)))
    documents <- paste0("d", 1:4)
    expect_identical(dimnames(d$dtm), list(documents, paste0("w", 1:6)))
    expect_identical(rownames(d$topics), documents)
    expect_true(is.integer(d$topics) && all(d$topics %in% 0:1) && all(colSums(d$topics) > 0))
    expect_true(is.integer(d$counts) && all(d$counts >= 0) && all(d$counts[d$topics == 0] == 0))
    expect_equal(Matrix::rowSums(d$dtm), rowSums(d$counts))
    expect_identical(dim(d$loadings), c(length(topics), 6L))
    expect_equal(unname(rowSums(d$loadings)), rep(1, length(topics)))
    expect_true(all(d$phi > 0) && all(d$pi > 0 & d$pi < 1))
    if (length(topics) == 0) next
    expect_identical(colnames(d$topics), topics)
    expect_identical(list(rownames(d$loadings), names(d$phi), names(d$pi)), rep(list(topics), 3))
  }
  for (d in given) expect_identical(unname(rowSums(d$counts)), c(3, 1, 1e6, 5))
  draw <- function(seed) withr::with_seed(seed, sim_topics(4, 6, alpha = 2))
  expect_identical(draw(1), draw(1))
  expect_identical(dim(sim_topics(3, 2, alpha = 1e-12)$dtm), 3:2)
})

set.seed(2)
free <- many(sized(1000, 2500), 5, 1, alpha = 1.4, gamma = 0.7)

test_that("with free lengths, topics follow the IBP, with gamma sizes and beta shares", {
  takers <- vapply(free, \(d) tabulate(colSums(d$topics), 5), double(5))
  for (j in 1:5) expect_poisson(takers[j, ], 1.4 / j)
  pooled <- function(part) unlist(lapply(free, part), use.names = FALSE)
  expect_gt(stats::ks.test(pooled(\(d) d$phi), "pgamma", 0.7)$p.value, 1e-4)
  c <- pooled(\(d) colSums(d$topics))
  pi <- pooled(\(d) d$pi)
  expect_z(pi - c / 6, c * (6 - c) / 36 / 7)
  expect_gt(stats::ks.test(stats::pbeta(pi, c, 6 - c), "punif")$p.value, 1e-4)
})

test_that("with free lengths, counts of tokens and of observed topics have their distributions", {
  alpha <- 1.4
  gamma <- 0.7
  pairs <- pairs_of(free)
  # Given its size r, a count has mean r, variance 2r and fourth cumulant 26r.
  r <- pairs$phi
  expect_z(pairs$n - r, 2 * r)
  expect_z((pairs$n - r)^2 - 2 * r, 26 * r + 8 * r^2)
  mass <- vapply(0:12, \(n) mean(stats::dnbinom(n, r, 0.5)), 0)
  seen <- table(factor(pmin(pairs$n, 13), 0:13))
  expect_chisq(as.vector(seen), c(mass, 1 - sum(mass)))
  first <- vapply(free, \(d) sum(d$counts[1, ]), 1)
  expect_mean(first, alpha * gamma, sqrt(alpha * (3 * gamma + gamma^2)))
  with_tokens <- vapply(free, \(d) sum(colSums(d$counts) > 0), 1)
  j <- 1:5
  expect_poisson(with_tokens, alpha * sum((1 - (1 + j * log(2))^-gamma) / j))
})

test_that("with given lengths, tokens are Dirichlet-multinomial", {
  for (gamma in c(0.02, 0.5, 20)) {
    set.seed(4)
    # Only documents that have topic 1 and other topics are used. Sizes are small, so they determine
    # which topic has all the tokens.
    size <- sized(250, 700)
    pairs <- lapply(many(size, 3, 1, 1.5, gamma, lengths = c(2, 7, 30)), function(d) {
      pairs <- pairs_of(list(d))
      pairs[d$topics[, 1] == 1, ][seq_len(sum(d$topics[, 1])), ]
    })
    pairs <- do.call(rbind, pairs)
    pairs <- pairs[pairs$sum > pairs$phi & pairs$phi > 1e-300, ]
    p <- pairs$phi / pairs$sum
    n <- pairs$length
    variance <- n * p * (1 - p) * (n + pairs$sum) / (1 + pairs$sum)
    expect_gt(nrow(pairs), size * 6 / 7)
    expect_z(pairs$n - n * p, variance)
    excess <- (pairs$n - n * p)^2 - variance
    expect_mean(excess, 0, stats::sd(excess))
  }
})

test_that("with given lengths, topics agree with an IBP without empty rows", {
  set.seed(5)
  drawn <- many(sized(600, 1500), 2, 1, alpha = 0.8, lengths = 1)
  takers <- vapply(drawn, \(d) tabulate(colSums(d$topics), 2), double(2))
  # A topic belongs to both documents or to one, and each document has at least one topic.
  p_both <- 1 - 2 * exp(-0.8) + exp(-1.2)
  expect_mean(takers[2, ] > 0, (1 - exp(-0.4)) / p_both, 0.5)
  expect_mean(takers[1, ], 0.8 * (1 - exp(-0.8)) / p_both, stats::sd(takers[1, ]))
  c <- unlist(lapply(drawn, \(d) colSums(d$topics)))
  pi <- unlist(lapply(drawn, \(d) d$pi))
  expect_z(pi - c / 3, c * (3 - c) / 9 / 4)
})

test_that("words are drawn from their topics in short and in long documents", {
  for (gamma in c(0.5, 200)) {
    set.seed(6)
    drawn <- many(150, 6, 8, alpha = 2, gamma = gamma, eta = 0.5)
    score <- (1:8)^2
    deviations <- lapply(drawn, function(d) {
      mean <- d$loadings %*% score
      variance <- d$counts %*% (d$loadings %*% score^2 - mean^2)
      by <- as.vector(d$dtm %*% score - d$counts %*% mean)
      data.frame(by = by, variance = as.vector(variance))
    })
    deviations <- subset(do.call(rbind, deviations), variance > 1e-6)
    expect_z(deviations$by, deviations$variance)
    squares <- deviations$by^2 / deviations$variance
    expect_mean(squares, 1, stats::sd(squares))
  }
  for (n in c(3, 3000)) {
    one <- sim_topics(500, 20, alpha = 1e-9, eta = 2, lengths = n)
    expect_chisq(Matrix::colSums(one$dtm), one$loadings[1, ])
  }
})

test_that("the words of a topic are Dirichlet, even in topics with one word", {
  set.seed(7)
  # There are few documents, but hundreds of topics without tokens.
  loadings_of <- function(eta) sim_topics(10, 5, alpha = 700, gamma = 1e-9, eta = eta)$loadings
  for (eta in c(0.3, 4)) {
    beta <- loadings_of(eta)
    expect_gt(stats::ks.test(beta[, 1], "pbeta", eta, 4 * eta)$p.value, 1e-4)
    expect_gt(stats::ks.test(beta[, 5], "pbeta", eta, 4 * eta)$p.value, 1e-4)
    square <- rowSums(beta^2)
    expect_mean(square, (eta + 1) / (5 * eta + 1), stats::sd(square))
  }
  for (eta in c(1e-3, 1e-8, 1e-300, 5e-324)) {
    beta <- loadings_of(eta)
    expect_equal(rowSums(beta), rep(1, nrow(beta)), ignore_attr = TRUE)
    expect_chisq(tabulate(max.col(beta), 5), rep(0.2, 5))
  }
  expect_equal(range(loadings_of(1e300)), c(0.2, 0.2))
})

test_that("sizes outside the range of doubles do not give NaN", {
  set.seed(8)
  for (gamma in c(1e-3, 1e-10, 1e-300, 5e-324)) {
    given <- sim_topics(20, 5, 3, gamma = gamma, lengths = 10)
    expect_identical(unname(rowSums(given$counts)), rep(10, 20))
    expect_true(all(given$counts[given$topics == 0] == 0) && all(given$phi > 0))
    expect_false(anyNA(sim_topics(20, 5, 3, gamma = gamma)$counts))
  }
  given <- sim_topics(2000, 5, 3, gamma = 1e-3, lengths = 10)
  expect_true(all(apply(given$counts, 1, max) == 10))
  # Even if parameters round to 0, they determine which value is likely to be 1.
  for (log_shape in c(-50, -800, -1e5)) {
    theta <- draw_dirichlet(matrix(log_shape + log(c(1, 3)), 4000, 2, byrow = TRUE))
    expect_true(all(theta %in% 0:1))
    expect_mean(theta[, 2], 0.75, sqrt(3) / 4)
  }
  expect_identical(sum(sim_topics(3, 5, 3, gamma = 1e100, lengths = 10)$dtm), 30)
})
