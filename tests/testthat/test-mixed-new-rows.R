# Predictions of rows that were not among the data.

test_that("probabilities of features of new rows are those of enumeration", {
  data <- mixed_frame()[c("size", "member", "town")]
  fit <- quick_mixed(data, families = c(size = "gaussian"))
  new <- data.frame(size = c(11, 11.5, NA), member = c(TRUE, NA, FALSE), town = c("Oslo", NA, NA))
  ours <- predict(fit, new, type = "features")
  all <- as.matrix(expand.grid(rep(list(0:1), ncol(ours))))
  z <- draw_features_cpp(unclass(fit$feature_draws), fit$internal$point)
  kept <- matrix(select_loadings(fit, fit$internal$point), 5)
  eta <- tcrossprod(cbind(1, all), kept[, seq_len(ncol(z) + 1)])
  size <- fit$internal$model$data$columns$size
  oslo <- function(eta) {
    f <- function(t) dnorm(t - eta[2]) * pnorm(t - eta[1]) * pnorm(t - eta[3])
    stats::integrate(f, -15, 15)$value
  }
  log_lik <- cbind(
    dnorm((11 - size$center) / size$scale, eta[, 1], kept[1, ncol(z) + 2], TRUE) +
      plogis(eta[, 2], log.p = TRUE) + log(apply(eta[, 3:5], 1, oslo)),
    dnorm((11.5 - size$center) / size$scale, eta[, 1], kept[1, ncol(z) + 2], TRUE),
    plogis(-eta[, 2], log.p = TRUE)
  )
  log_odds <- log(colSums(z) / (61 - colSums(z)))
  weights <- exp(log_lik + as.vector(all %*% log_odds))
  exact <- t(weights) %*% all / colSums(weights)
  # Features of a row alone are rare with so many rows.
  shown <- match_columns(features(fit), z)
  expect_lt(max(abs(exact[, shown, drop = FALSE] - ours)), 0.08)
})
