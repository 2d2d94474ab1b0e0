# The tables that vignettes/neal.Rmd plots. Each part takes a few minutes on one core and writes its
# own tables.
#   Rscript data-raw/neal.R [diseases] [finite] [sharing] [samplers] [films=movielens.rda]
# The last part is about films. Its file contains the sparse matrix `movielens` of ratings, films by
# users, which is MovieLens "latest small" from GroupLens. Only the most rated films and the most
# active users are used.
library(buffet)

arguments <- commandArgs(trailingOnly = TRUE)
parts <- sub("=.*", "", arguments)
if (length(parts) == 0) parts <- c("diseases", "finite", "sharing", "samplers")

write_table <- function(table, name) {
  number <- vapply(table, is.numeric, NA)
  table[number] <- lapply(table[number], signif, 5)
  write.csv(table, sprintf("vignettes/neal-%s.csv", name), row.names = FALSE)
}

log_bernoulli <- function(y, p) ifelse(y == 1, log(p), log1p(-p))

# The processor time of this process, which does not include waiting for other processes.
processor_seconds <- function(expr) {
  before <- proc.time()
  force(expr)
  sum((proc.time() - before)[c("user.self", "sys.self")])
}

#' Sets a share of the entries to NA
with_holes <- function(y, share) {
  y[sample(length(y), round(share * length(y)))] <- NA
  y
}

## Diseases and symptoms. There are 600 patients, 100 rare diseases and 100 symptoms. A fifth of the
## entries were not recorded. A disease makes about ten symptoms more likely.

if ("diseases" %in% parts) {
  set.seed(1)
  patients <- 600
  z <- rbeta_bernoulli(patients, 100, alpha = 3, concentration = 10)
  weights <- matrix(rbinom(1e4, 1, 0.1) * rnorm(1e4, 4), 100)
  bias <- rnorm(100, -3.5, 0.5)
  p <- plogis(z %*% weights + rep(bias, each = patients))
  y <- matrix(rbinom(length(p), 1, p), patients)
  asked <- with_holes(y, 0.2)
  method <- method_gibbs(chains = 2, iter = 4000)
  seconds <- c(
    default = processor_seconds(default <- fit_logistic(
      asked, prior = prior_ibp(concentration = gamma_prior(1, 1)), method = method, seed = 1,
      verbose = FALSE
    )),
    rare = processor_seconds(fit <- fit_logistic(
      asked, prior = prior_ibp(concentration = gamma_prior(1, 0.1)), bias = 5, method = method,
      seed = 1, verbose = FALSE
    ))
  )
  print(summary(fit))
  found <- features(fit)
  shared <- crossprod(z, found)
  overlap <- shared / pmax(1, outer(colSums(z), colSums(found), "+") - shared)
  match <- apply(overlap, 1, which.max)
  in_order <- order(-colSums(z))
  write_table(data.frame(
    disease = seq_len(100), patients = colSums(z)[in_order],
    symptoms = rowSums(weights != 0)[in_order],
    best = (colnames(found)[match])[in_order], found_patients = colSums(found)[match][in_order],
    shared = shared[cbind(seq_len(100), match)][in_order]
  ), "diseases")

  # Matches true diseases of the first patients to diseases in the draw, one to one, in decreasing
  # order of overlap.
  pairs <- NULL
  left <- overlap
  while (max(left) > 0.2) {
    at <- arrayInd(which.max(left), dim(left))
    pairs <- rbind(pairs, at)
    left[at[1], ] <- left[, at[2]] <- 0
  }
  shown <- seq_len(80)
  guess <- matrix(0, length(shown), 100)
  guess[, pairs[, 1]] <- found[shown, pairs[, 2]]
  truth <- z[shown, in_order]
  guess <- guess[, in_order]
  cells <- which(truth + guess > 0, arr.ind = TRUE)
  write_table(data.frame(
    patient = cells[, 1], disease = cells[, 2], true = truth[cells], found = guess[cells]
  ), "patients")

  hidden <- which(is.na(asked))
  predicted <- fitted(fit)[hidden]
  shares <- (colSums(asked, na.rm = TRUE) + 0.5) / (colSums(!is.na(asked)) + 1)
  column <- shares[col(y)[hidden]]
  of_fit <- function(fit, by, seconds) {
    means <- colMeans(as_draws_matrix(fit))
    data.frame(
      by, score = mean(heldout_density(fit, y)), features = means[["n_features"]],
      ones = means[["n_ones"]], common = sum(colMeans(buffet:::drawn_features(fit)) > 0.5),
      alpha = means[["alpha"]], concentration = means[["concentration"]], seconds
    )
  }
  nothing <- data.frame(
    by = NA, score = NA, features = NA, ones = NA, common = NA, alpha = NA, concentration = NA,
    seconds = NA
  )
  write_table(rbind(
    transform(
      nothing, by = "truth", score = mean(log_bernoulli(y[hidden], p[hidden])),
      features = sum(colSums(z) > 0), ones = sum(z), common = 0, alpha = 3, concentration = 10
    ),
    of_fit(fit, "bias = 5", seconds[["rare"]]),
    of_fit(default, "default bias", seconds[["default"]]),
    transform(nothing, by = "share", score = mean(log_bernoulli(y[hidden], column)))
  ), "completion")
  cut_at <- c(0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 1)
  calibration <- function(by, p) {
    bin <- cut(p, cut_at, include.lowest = TRUE)
    data.frame(
      by, predicted = as.vector(tapply(p, bin, mean)),
      share = as.vector(tapply(y[hidden], bin, mean)), cells = as.vector(table(bin))
    )
  }
  write_table(rbind(
    calibration("features", predicted), calibration("share of the symptom", column)
  ), "calibration")
}

## Data from the model itself

#' Simulates data from features Z, N x K, with N(0, sigma_a^2) weights and N(0, 1) biases
simulate_binary <- function(z, columns, sigma_a = 2) {
  weights <- matrix(rnorm(ncol(z) * columns, sd = sigma_a), ncol(z))
  p <- plogis(z %*% weights + rep(rnorm(columns), each = nrow(z)))
  list(z = z, p = p, y = matrix(rbinom(length(p), 1, p), nrow(z)))
}

#' Predictions of a fit to data with missing entries
scores <- function(data, holes, ..., iter = 1000, seed = 1) {
  seconds <- processor_seconds(fit <- suppressWarnings(fit_logistic(
    holes, ..., method = method_gibbs(chains = 2, iter = iter), seed = seed, verbose = FALSE
  )))
  hidden <- which(is.na(holes))
  draws <- as_draws_matrix(fit)
  mean_of <- function(name) if (name %in% colnames(draws)) mean(draws[, name]) else NA
  sizes <- lapply(seq_len(nrow(draws)), function(i) colSums(feature_draws(fit)[[i]]))
  data.frame(
    n_features = mean_of("n_features"), n_features_sd = sd(draws[, "n_features"]),
    large = mean(vapply(sizes, function(m) sum(m >= 0.05 * nrow(holes)), 0L)),
    alone = mean(vapply(sizes, function(m) sum(m == 1), 0L)),
    rhat = suppressWarnings(posterior::rhat(posterior::extract_variable_matrix(
      as_draws_array(fit), "n_features"
    ))),
    per_row = mean_of("n_ones") / nrow(holes), alpha = mean_of("alpha"),
    concentration = mean_of("concentration"),
    score = mean(heldout_density(fit, data$y)),
    truth = mean(log_bernoulli(data$y[hidden], data$p[hidden])), seconds
  )
}

## Finite numbers of features. There are eight true features, each in about 30 % of the 200 rows.

if ("finite" %in% parts) {
  sizes <- c(2, 4, 6, 8, 12, 16, 32)
  priors <- c(
    setNames(lapply(sizes, prior_beta_bernoulli), sizes), list(IBP = prior_ibp())
  )
  rows <- NULL
  for (replicate in 1:4) {
    set.seed(100 + replicate)
    data <- simulate_binary(matrix(rbinom(200 * 8, 1, 0.3), 200), 40)
    holes <- with_holes(data$y, 0.1)
    rows <- rbind(rows, do.call(rbind, lapply(names(priors), function(k) {
      cbind(replicate, k, scores(data, holes, prior = priors[[k]], iter = 600, seed = replicate))
    })))
    write_table(rows, "finite")
  }
}

## One or two parameters. Features are drawn with concentrations 0.2, 1 and 5 and the same mean
## number per row.

if ("sharing" %in% parts) {
  rows <- lapply(seq_len(4), function(replicate) {
    do.call(rbind, lapply(c(0.2, 1, 5), function(true) {
      set.seed(1000 * replicate + 10 * true)
      data <- simulate_binary(ribp(150, alpha = 3, concentration = true), 60, sigma_a = 3)
      holes <- with_holes(data$y, 0.1)
      given <- list(
        `0.2` = 0.2, `1` = 1, `5` = 5, learned = gamma_prior(1, 1)
      )
      do.call(rbind, lapply(names(given), function(name) {
        cbind(
          replicate, true, fitted = name, true_features = ncol(data$z),
          scores(
            data, holes, prior = prior_ibp(concentration = given[[name]]), iter = 600,
            seed = replicate
          )
        )
      }))
    }))
  })
  write_table(do.call(rbind, rows), "sharing")
}

## Samplers, compared by the effective number of draws of the number of features per second. All
## chains start at the features that generated the data and learn everything else.

if ("samplers" %in% parts) {
  one_run <- function(rows, sampler, data_set) {
    set.seed(10 * rows + data_set)
    data <- simulate_binary(matrix(rbinom(rows * 5, 1, 0.3), rows), 40)
    iter <- if (rows == 200) 6000 else 2000
    method <- method_gibbs(chains = 1, iter = iter, warmup = iter / 5, sampler = sampler)
    all <- processor_seconds(fit <- suppressWarnings(fit_logistic(
      data$y, method = method, init = list(features = data$z), seed = data_set, verbose = FALSE
    )))
    # The time that a call takes after its last sweep is subtracted.
    after <- processor_seconds(suppressWarnings(update(fit, iter = iter, verbose = FALSE)))
    n <- as.vector(as_draws_matrix(fit)[, "n_features"])
    seconds <- (all - after) * length(n) / iter
    list(n = n, table = data.frame(
      rows, sampler, data_set, sweeps = length(n), seconds, mean = mean(n), sd = sd(n),
      effective = posterior::ess_basic(n), per_second = posterior::ess_basic(n) / seconds
    ))
  }
  cases <- expand.grid(
    sampler = c("uncollapsed", "neal"), data_set = 1:3, rows = c(200, 1000),
    stringsAsFactors = FALSE
  )
  runs <- lapply(seq_len(nrow(cases)), function(i) {
    do.call(one_run, cases[i, c("rows", "sampler", "data_set")])
  })
  write_table(do.call(rbind, lapply(runs, `[[`, "table")), "samplers")
  write_table(do.call(rbind, lapply(which(cases$data_set == 1), function(i) {
    n <- runs[[i]]$n
    at <- seq(1, length(n), length.out = 800)
    data.frame(
      cases[i, c("rows", "sampler")], sweep = round(at), n_features = n[round(at)], row.names = NULL
    )
  })), "traces")
}

## Films. The data record which of the most active users rated which of the most frequently rated
## films.

#' Baselines for binary data, by penalised maximum likelihood. The log odds of y_ij = 1 are a + r_i
#' + c_j + u_i'v_j, where u_i and v_j have length `rank`. The penalty is small / 2 times the sum of
#' r_i^2 and c_j^2, plus lambda / 2 times the sum of u_ik^2 and v_jk^2. L-BFGS starts from small
#' random u and v.
logistic_factors <- function(y, rank, lambda, small = 0.05, iterations = 150) {
  n <- nrow(y)
  d <- ncol(y)
  seen <- !is.na(y)
  filled <- ifelse(seen, y, 0)
  take <- function(v) {
    rest <- v[-seq_len(1 + n + d)]
    list(
      a = v[1], r = v[1 + seq_len(n)], c = v[1 + n + seq_len(d)],
      u = matrix(rest[seq_len(n * rank)], n), v = matrix(rest[n * rank + seq_len(d * rank)], d)
    )
  }
  log_odds <- function(m) m$a + outer(m$r, m$c, "+") + tcrossprod(m$u, m$v)
  loss <- function(v) {
    m <- take(v)
    x <- log_odds(m)
    sum((pmax(x, 0) + log1p(exp(-abs(x))) - filled * x)[seen]) +
      small / 2 * (sum(m$r^2) + sum(m$c^2)) + lambda / 2 * (sum(m$u^2) + sum(m$v^2))
  }
  gradient <- function(v) {
    m <- take(v)
    e <- (plogis(log_odds(m)) - filled) * seen
    c(
      sum(e), rowSums(e) + small * m$r, colSums(e) + small * m$c,
      e %*% m$v + lambda * m$u, crossprod(e, m$u) + lambda * m$v
    )
  }
  set.seed(1)
  start <- c(qlogis(mean(y, na.rm = TRUE)), numeric(n + d), rnorm((n + d) * rank, sd = 0.1))
  best <- optim(
    start, loss, gradient, method = "L-BFGS-B", control = list(maxit = iterations, factr = 1e9)
  )
  plogis(log_odds(take(best$par)))
}

if ("films" %in% parts) {
  load(sub("^films=", "", grep("^films=", arguments, value = TRUE)))
  rated <- as.matrix(movielens > 0)
  films <- order(-rowSums(rated))[seq_len(500)]
  users <- order(-colSums(rated))[seq_len(300)]
  y <- rated[films, users] + 0
  set.seed(1)
  holes <- with_holes(y, 0.05)
  hidden <- which(is.na(holes))
  score <- function(p) log_bernoulli(y[hidden], p[hidden])
  # The table is rewritten after every model.
  rows <- NULL
  record <- function(model, log_p, seconds, n_features = NA, rank = NA, lambda = NA) {
    error <- function(v) sqrt(sum(rowsum(v - mean(v), row(y)[hidden])^2)) / length(v)
    rows <<- rbind(rows, data.frame(
      model, score = mean(log_p), se = error(log_p), against_factors_se = error(log_p - factors),
      seconds, n_features, rank, lambda
    ))
    message(model, " ", mean(log_p), ", ", seconds, " seconds")
    write_table(rows, "films")
  }

  # Rank and penalty are chosen by predicting another 5 % of the cells.
  inner <- holes
  inner[sample(which(!is.na(holes)), length(hidden))] <- NA
  left_out <- which(is.na(inner) & !is.na(holes))
  choices <- expand.grid(rank = c(4, 8, 16), lambda = c(1, 2, 4))
  seconds <- processor_seconds({
    choices$score <- mapply(function(rank, lambda) {
      p <- logistic_factors(inner, rank, lambda)
      mean(log_bernoulli(y[left_out], p[left_out]))
    }, choices$rank, choices$lambda)
    best <- choices[which.max(choices$score), ]
    factors <- score(logistic_factors(holes, best$rank, best$lambda))
  })
  write_table(choices, "film-ranks")
  record("factors", factors, seconds, rank = best$rank, lambda = best$lambda)
  columns <- (colSums(holes, na.rm = TRUE) + 0.5) / (colSums(!is.na(holes)) + 1)
  record("users", log_bernoulli(y[hidden], columns[col(y)[hidden]]), 0)
  seconds <- processor_seconds(additive <- score(logistic_factors(holes, 0, 1)))
  record("additive", additive, seconds)

  method <- method_gibbs(chains = 2, iter = 2000)
  prior <- prior_ibp(concentration = gamma_prior(1, 1))
  seconds <- processor_seconds(
    fit <- fit_logistic(holes, prior = prior, method = method, seed = 1, verbose = FALSE)
  )
  print(summary(fit))
  n_features <- function(fit) mean(as_draws_matrix(fit)[, "n_features"])
  record("films", heldout_density(fit, y), seconds, n_features(fit))

  # The features of films as they were drawn (features() may show their complements), and what each
  # of them adds to the log odds for the users.
  z <- features(fit)
  rows_of <- function(z) apply(z, 2, paste, collapse = "")
  flipped <- !rows_of(z) %in% rows_of(buffet:::drawn_features(fit))
  films <- ifelse(flipped, nrow(z) - colSums(z), colSums(z))
  weights <- loadings_of(fit) * ifelse(flipped, -1, 1)
  write_table(data.frame(
    feature = seq_len(ncol(z)), films, mean_weight = rowMeans(weights),
    sd_weight = apply(weights, 1, sd)
  )[films >= 10, ], "film-features")
}
