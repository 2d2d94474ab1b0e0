# The table of held-out densities that vignettes/knowles-ghahramani.Rmd plots: fit_factor() and
# other packages on five splits of each of five data sets. Takes an hour on one core.
#   Rscript data-raw/factor-comparisons.R [set] ...
# In a fifth of the rows, half of the entries are hidden and predicted. Methods that do not support
# missing entries learn a covariance matrix from the other rows, and predict the hidden entries of a
# row from its observed entries.
library(buffet)

source("data-raw/factor-sets.R")

#' The data, scaled by the complete rows; `holes` has the positions of the hidden entries
split_data <- function(x, seed) {
  set.seed(seed)
  incomplete <- sort(sample(nrow(x), round(nrow(x) / 5)))
  whole <- x[-incomplete, ]
  x <- sweep(sweep(x, 2, colMeans(whole)), 2, apply(whole, 2, sd), "/")
  dimnames(x) <- list(NULL, colnames(x))
  columns <- lapply(incomplete, function(i) sample(ncol(x), ncol(x) %/% 2))
  holes <- cbind(rep(incomplete, lengths(columns)), unlist(columns))
  list(x = x, shown = replace(x, holes, NA), whole = x[-incomplete, ], holes = holes)
}

#' Log density of each hidden entry given the observed entries of its row, if columns are normal
#' with this covariance
conditional <- function(split, covariance) {
  rows <- unique(split$holes[, 1])
  unlist(lapply(rows, function(i) {
    hidden <- split$holes[split$holes[, 1] == i, 2]
    inverse <- solve(covariance[-hidden, -hidden])
    on_seen <- covariance[hidden, -hidden, drop = FALSE] %*% inverse
    mean <- drop(on_seen %*% split$x[i, -hidden])
    variance <- diag(covariance)[hidden] - rowSums(on_seen * covariance[hidden, -hidden])
    dnorm(split$x[i, hidden], mean, sqrt(pmax(variance, 1e-8)), log = TRUE)
  }))
}
log_mean_exp <- function(m) {
  most <- apply(m, 2, max)
  most + log(colMeans(exp(sweep(m, 2, most))))
}

methods <- list(
  "fit_factor()" = function(split) {
    fit <- fit_factor(split$shown, sigma_a = gamma_prior(1, 1), seed = 1, verbose = FALSE)
    common <- as.vector(posterior::extract_variable(as_draws_array(fit), "n_common"))
    list(density = heldout_density(fit, split$x), factors = mean(common))
  },
  "fit_gaussian()" = function(split) {
    fit <- fit_gaussian(
      split$shown, sigma_x = gamma_prior(1, 1), sigma_a = gamma_prior(1, 1), noise = "column",
      seed = 1, verbose = FALSE
    )
    features <- as.vector(posterior::extract_variable(as_draws_array(fit), "n_features"))
    list(density = heldout_density(fit, split$x), factors = mean(features))
  },
  "stats::factanal()" = function(split) {
    fits <- list()
    for (k in seq_len(ncol(split$whole))) {
      fit <- tryCatch(factanal(split$whole, k, nstart = 5), error = function(e) NULL)
      if (is.null(fit) || fit$dof < 0) break
      fits[[k]] <- fit
    }
    if (length(fits) == 0) return(NULL)
    rows <- nrow(split$whole)
    bic <- vapply(fits, function(fit) {
      # The discrepancy is 2 / rows times the deficit of the log likelihood.
      rows * fit$criteria[["objective"]] - log(rows) * fit$dof
    }, 1)
    best <- fits[[which.min(bic)]]
    covariance <- tcrossprod(best$loadings) + diag(best$uniquenesses)
    list(density = conditional(split, covariance), factors = which.min(bic))
  },
  "psych::fa()" = function(split) {
    correlation <- cor(split$whole)
    k <- parallel_analysis(split$whole)
    fit <- psych::fa(correlation, k, n.obs = nrow(split$whole), rotate = "none")
    covariance <- tcrossprod(unclass(fit$loadings)) + diag(pmax(fit$uniquenesses, 0.005))
    list(density = conditional(split, covariance), factors = k)
  },
  "flashier::flash()" = function(split) {
    fit <- flashier::flash(
      split$shown, ebnm_fn = c(ebnm::ebnm_normal, ebnm::ebnm_point_normal), var_type = 2,
      greedy_Kmax = 30, backfit = TRUE, verbose = 0
    )
    if (fit$n_factors == 0) {
      return(list(density = dnorm(split$x[split$holes], log = TRUE), factors = 0))
    }
    l <- fit$L_pm
    f <- fit$F_pm
    spread <- tcrossprod(fit$L_psd^2 + l^2, fit$F_psd^2 + f^2) - tcrossprod(l^2, f^2)
    sd <- sqrt(spread + rep(pmax(fit$residuals_sd^2, 0.005), each = nrow(l)))
    mean <- tcrossprod(l, f)
    list(
      density = dnorm(split$x[split$holes], mean[split$holes], sd[split$holes], log = TRUE),
      factors = fit$n_factors
    )
  },
  "IMIFA (infinite factors)" = function(split) {
    capture.output(suppressMessages(suppressWarnings(
      sims <- IMIFA::mcmc_IMIFA(
        split$whole, method = "IFA", n.iters = 10000, scaling = "none", verbose = FALSE
      )
    )))
    kept <- sims[[1]][[1]]
    draws <- round(seq(1, dim(kept$load)[3], length.out = 500))
    used <- apply(kept$load, 3, function(l) sum(colSums(l^2) > 0))
    densities <- t(vapply(draws, function(draw) {
      l <- matrix(kept$load[, , draw], ncol(split$whole))
      conditional(split, tcrossprod(l) + diag(kept$psi[, draw]))
    }, numeric(nrow(split$holes))))
    list(density = log_mean_exp(densities), factors = mean(used[draws]))
  },
  "PMA::SPC()" = function(split) {
    k <- parallel_analysis(split$whole)
    set.seed(1)
    bounds <- seq(1.2, min(5, sqrt(ncol(split$x))), length.out = 10)
    cv <- PMA::SPC.cv(split$whole, bounds, trace = FALSE, center = FALSE)
    v <- PMA::SPC(split$whole, cv$bestsumabsv, K = k, trace = FALSE, center = FALSE)$v
    scores <- split$whole %*% v %*% MASS::ginv(crossprod(v))
    residual <- apply(split$whole - tcrossprod(scores, v), 2, var)
    covariance <- v %*% cov(scores) %*% t(v) + diag(pmax(residual, 0.005))
    list(density = conditional(split, covariance), factors = k)
  }
)

#' Number of factors by Horn's comparison with data without factors
parallel_analysis <- function(x) {
  set.seed(1)
  capture.output(out <- suppressMessages(suppressWarnings(
    psych::fa.parallel(x, fa = "fa", plot = FALSE)
  )))
  max(1, out$nfact)
}

wanted <- commandArgs(trailingOnly = TRUE)
if (length(wanted) == 0) wanted <- names(sets)
for (set in wanted) {
  x <- sets[[set]]()
  table <- NULL
  for (seed in 1:5) {
    split <- split_data(x, seed)
    for (method in names(methods)) {
      seconds <- system.time(answer <- tryCatch(
        suppressWarnings(methods[[method]](split)),
        error = function(e) message(method, ": ", conditionMessage(e))
      ))[["elapsed"]]
      if (is.null(answer)) next
      row <- data.frame(
        set = set, rows = nrow(x), columns = ncol(x), seed = seed, method = method,
        density = mean(answer$density), factors = answer$factors, seconds = seconds
      )
      print(row, row.names = FALSE)
      table <- rbind(table, row)
    }
  }
  number <- c("density", "factors", "seconds")
  table[number] <- lapply(table[number], signif, 5)
  write.csv(table, sprintf("vignettes/factor-heldout-%s.csv", set), row.names = FALSE)
}
