# The table in vignettes/knowles-ghahramani.Rmd on the agreement of chains of fit_factor() with
# default settings, for five complete data sets. Takes five minutes on two cores.
#   Rscript data-raw/factor-agreement.R
library(buffet)
source("data-raw/factor-sets.R")

#' Split Rhat of a scalar, and the effective number of draws of the number of common factors
row_of <- function(set) {
  x <- scale(sets[[set]]())
  seconds <- system.time(
    fit <- fit_factor(
      x, sigma_a = gamma_prior(1, 1), method = method_gibbs(cores = 2), seed = 1, verbose = FALSE
    )
  )[["elapsed"]]
  draws <- as_draws_array(fit)
  of <- function(name, f) f(posterior::extract_variable_matrix(draws, name))
  data.frame(
    set = set, rows = nrow(x), columns = ncol(x), factors = of("n_common", mean),
    rhat_factors = of("n_common", posterior::rhat),
    rhat_log_joint = of("log_joint", posterior::rhat),
    rhat_variance = of("variance", posterior::rhat),
    effective = of("n_common", posterior::ess_bulk), seconds = seconds
  )
}

table <- do.call(rbind, lapply(names(sets), row_of))
table[-1] <- lapply(table[-1], signif, 4)
print(table, row.names = FALSE)
write.csv(table, "vignettes/factor-agreement.csv", row.names = FALSE)
