# Makes the table of agreement for one or more labels; see run.R.
#   Rscript agreement/table.R LABEL ...

#' Largest Rhat over those scalars that vary and that all labels have
rhats <- function(scalars, of = c("n_features", "log_joint", "sigma_x")) {
  of <- intersect(of, dimnames(scalars)[[3]])
  values <- vapply(of, function(name) {
    draws <- matrix(scalars[, , name], dim(scalars)[1])
    if (all(draws == draws[1])) NA_real_ else posterior::rhat(draws)
  }, 0)
  max(values, na.rm = TRUE)
}

figures <- function(result, best) {
  if (is.character(result)) return(NULL)
  joint <- matrix(result$scalars[, , "log_joint"], dim(result$scalars)[1])
  number <- matrix(result$scalars[, , "n_features"], nrow(joint))
  means <- colMeans(joint)
  within <- sqrt(mean(apply(joint, 2, stats::var)))
  list(
    rows = result$dim[1], columns = result$dim[2], rhat = rhats(result$scalars),
    spread = diff(range(means)) / within, short = best - min(means), within = within,
    features = mean(number), effective = suppressMessages(posterior::ess_bulk(number)),
    seconds = result$seconds,
    heldout_least = if (!is.null(result$heldout)) min(result$heldout) else NA,
    heldout_most = if (!is.null(result$heldout)) max(result$heldout) else NA
  )
}

read_label <- function(label) {
  files <- Sys.glob(file.path("build/agreement", label, "*.rds"))
  stats::setNames(lapply(files, readRDS), sub("-", "/", sub(".rds", "", basename(files))))
}

best_joint <- function(results) {
  joints <- lapply(results, function(r) {
    if (is.character(r)) return(-Inf)
    max(colMeans(matrix(r$scalars[, , "log_joint"], dim(r$scalars)[1])))
  })
  max(unlist(joints))
}

agreement <- function(labels) {
  runs <- lapply(stats::setNames(labels, labels), read_label)
  names <- unique(unlist(lapply(runs, names)))
  rows <- lapply(names, function(name) {
    results <- Filter(Negate(is.null), lapply(runs, `[[`, name))
    best <- best_joint(results)
    do.call(rbind, lapply(names(results), function(label) {
      f <- figures(results[[label]], best)
      if (!is.null(f)) data.frame(problem = name, label = label, f)
    }))
  })
  do.call(rbind, rows)
}

given <- commandArgs(TRUE)
if (length(given) > 0) {
  table <- agreement(given)
  numbers <- vapply(table, is.numeric, NA)
  table$per_second <- table$effective / table$seconds
  table[numbers] <- lapply(table[numbers], signif, 3)
  table$per_second <- signif(table$per_second, 3)
  options(width = 200)
  print(table, row.names = FALSE)
}
