# The table that compares fit_factor() with imputation by other packages. It has the same measures
# and hidden entries as data-raw/mixed-comparisons.R: 10 and 30 % of the entries of the data frames
# in mixed-sets.R, without columns of unordered categories.
#   Rscript data-raw/family-comparisons.R [method] ... [set] ... [share] ...
# Chains are as short as in factor-items.R. Results are saved in build/family-comparisons.
if (!nzchar(Sys.getenv("BUFFET_COMPARISONS"))) {
  Sys.setenv(BUFFET_COMPARISONS = "build/family-comparisons")
}
source("data-raw/mixed-comparisons.R")

shares <- c(0.1, 0.3)

ordered_only <- function(x) {
  unordered <- vapply(x, function(values) {
    is.character(values) || is.factor(values) && !is.ordered(values) && nlevels(values) > 2
  }, NA)
  x[!unordered]
}
sets <- lapply(sets, function(set) function() ordered_only(set()))

#' Draws of the hidden entries of a data frame, which average() uses as imputations
impute <- function(fit, split) {
  ordinal <- fit$internal$model$ordinal
  draws <- posterior_predict(fit, ndraws = min(400, glance(fit)$draws))
  lapply(seq_len(nrow(draws)), function(draw) {
    completed <- data.frame(draws[draw, , ], check.names = FALSE)
    for (name in names(ordinal)) {
      values <- completed[[name]]
      completed[[name]] <- buffet:::decode_item(ordinal[[name]], values)
    }
    to_scale(completed[names(split$x)], split$scales, split$x) # nolint: object_usage_linter.
  })
}

of_mixed <- methods
methods <- list(
  means = function(split) list(completed = split$given),
  mice = function(split) of_mixed$mice(split, 20),
  missforest = of_mixed$missforest,
  famd = function(split) {
    if ("class" %in% split$scales) return(of_mixed$famd(split))
    # For numeric columns only, FAMD is PCA, for which missMDA has separate functions.
    set.seed(1)
    given <- standard(split$given)
    ncp <- missMDA::estim_ncpPCA(
      given, ncp.max = min(8, ncol(given) - 2), method.cv = "Kfold", nbsim = 5, verbose = FALSE
    )$ncp
    completed <- missMDA::imputePCA(given, ncp = max(1, ncp))$completeObs
    completed <- not_standard(as.data.frame(completed), split$given)
    list(completed = completed, features = ncp)
  },
  factor = function(split) {
    families <- families_of(split$x)
    fit <- suppressWarnings(suppressMessages(
      fit_factor(split$shown, families, method = method_gibbs(iter = 1000, thin = 4), seed = 1,
        verbose = FALSE)
    ))
    count <- posterior::extract_variable(posterior::as_draws_array(fit), "n_common")
    list(
      completed = average(impute(fit, split)), features = mean(count), rhat = glance(fit)$rhat_max
    )
  }
)

if (sys.nframe() == 0) {
  main(commandArgs(trailingOnly = TRUE), "vignettes/family-comparisons.csv")
}
