# The table in vignettes/how-many-factors.Rmd: fit_factor() and psych::fa() on questionnaires and
# tests from other packages. Takes ten minutes on one core. BFI_FIT can name a file to which the
# time and the fit of bfi are saved.
#   Rscript data-raw/factor-items.R [set] ...
library(buffet)

in_package <- function(name, package) {
  held <- new.env()
  data(list = name, package = package, envir = held)
  held[[name]]
}

sets <- list(
  bfi = function() in_package("bfi", "psychTools")[1:25],
  verbal = function() as.data.frame(in_package("VerbalAggression", "psychotools")$resp2 + 0L),
  holzinger = function() in_package("HolzingerSwineford1939", "lavaan")[paste0("x", 1:9)],
  lsat = function() in_package("LSAT", "ltm"),
  science = function() as.data.frame(lapply(in_package("Science", "ltm"), as.integer)),
  # Five correlated factors with five items each and no others, for as many people as in bfi
  simulated = function() {
    set.seed(1)
    scores <- matrix(rnorm(5 * 2800), 2800) %*% chol(0.7 * diag(5) + 0.3)
    u <- scores[, rep(1:5, each = 5)] * 0.65 + matrix(rnorm(25 * 2800, sd = sqrt(1 - 0.65^2)), 2800)
    as.data.frame(apply(u, 2, findInterval, c(-1.5, -0.75, 0, 0.75, 1.5)))
  }
)

compare <- function(name) {
  x <- sets[[name]]()
  numbers <- name == "holzinger"
  saved <- Sys.getenv("BFI_FIT")
  if (name == "bfi" && nzchar(saved)) {
    of_bfi <- readRDS(saved)
    time <- of_bfi[[1]]
    fit <- of_bfi[[2]]
  } else {
    method <- method_gibbs(iter = 1000, thin = 4)
    time <- system.time(fit <- suppressWarnings(fit_factor(x, if (!numbers) "ordinal",
      scale = TRUE, method = method, seed = 1, verbose = FALSE
    )))
  }
  found <- major_factors(fit)
  n <- nrow(found$variance)
  l <- matrix(found$loadings$estimate, ncol(x))
  r <- if (numbers) cor(x) else psych::polychoric(x, correct = 0)$rho
  of_peer <- system.time({
    parallel <- psych::fa.parallel(r, n.obs = nrow(x), fa = "both", plot = FALSE)
    peer <- psych::fa(r, n, n.obs = nrow(x), rotate = "varimax")
  })
  congruence <- apply(abs(psych::factor.congruence(l, peer$loadings)), 1, max)
  common <- posterior::extract_variable(as_draws(fit), "n_common")
  common <- quantile(common, c(0.05, 0.95), type = 1, names = FALSE)
  data.frame(
    set = name, rows = nrow(x), columns = ncol(x), major = n,
    probability = max(found$number), common_low = common[1], common_high = common[2],
    parallel_factors = parallel$nfact, parallel_components = parallel$ncomp,
    congruence_min = min(congruence), congruence_first = congruence[1],
    communality_difference = mean(found$columns$communality - peer$communality),
    worst_rhat_eigenvalues = max(found$eigenvalues$rhat[seq_len(n)]),
    worst_rhat_scalars = glance(fit)$rhat_max,
    seconds = sum(time[c(1, 2)]), peer_seconds = sum(of_peer[c(1, 2)])
  )
}

main <- function(...) {
  chosen <- c(...)
  if (length(chosen) == 0) chosen <- names(sets)
  file <- "vignettes/factor-items.csv"
  for (name in chosen) {
    before <- if (file.exists(file)) read.csv(file)
    rows <- rbind(before[before$set != name, ], compare(name))
    numbers <- vapply(rows, is.numeric, NA)
    rows[numbers] <- lapply(rows[numbers], signif, 4)
    write.csv(rows, file, row.names = FALSE)
  }
}

if (sys.nframe() == 0) do.call(main, as.list(commandArgs(trailingOnly = TRUE)))
