# Runs whose files are damaged before the runs are resumed.

#' Resumes an unfinished run from a damaged file. The damage is to bits of the file or, before the
#' hash is computed, to the length of a chain's state. The file must be rejected, or give the same
#' fit if nothing was damaged.
resume <- function(name, within, seed) {
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  change <- if (within) function(saved) damage_within(saved, seed) else identity
  whole <- leave_half(name, file, change)
  if (!within) damage_bytes(file, seed)
  again <- run_kept(name, file)
  same <- identical(again[c("draws", "feature_draws")], whole[c("draws", "feature_draws")])
  if (!within && !same) stop("a damaged file made another fit")
  invisible(again)
}

#' Makes a fit whose file is the file of the first save, except for a change
leave_half <- function(name, file, change = identity) {
  write <- utils::getFromNamespace("write_checkpoint", "buffet")
  write_once <- function(file, saved) if (!file.exists(file)) write(file, change(saved))
  utils::assignInNamespace("write_checkpoint", write_once, "buffet")
  on.exit(utils::assignInNamespace("write_checkpoint", write, "buffet"))
  before <- options(buffet.checkpoint_seconds = 1e-6)
  on.exit(options(before), add = TRUE)
  run_kept(name, file)
}

run_kept <- function(name, file) {
  fit <- pool$fits[[name]]
  ask <- function(what, ...) utils::getFromNamespace(what, "buffet")(...)
  longer <- if (inherits(fit$method, "method_gibbs")) list(iter = 600)
  arguments <- fit$args
  arguments$method <- ask("change_method", ask("as_given", fit), longer)
  do.call(class(fit)[1], c(
    list(fit$data), arguments, list(seed = 1, verbose = FALSE, file = file)
  ))
}

damage_bytes <- function(file, seed) {
  set.seed(seed)
  bytes <- readBin(file, "raw", 1e8)
  writeBin(flip_bits(bytes, sample.int(3, 1)), file)
}

damage_within <- function(saved, seed) {
  set.seed(seed)
  chain <- sample.int(length(saved$chains), 1)
  state <- saved$chains[[chain]]$state
  n <- length(state)
  if (n > 0) {
    state <- switch(sample.int(3, 1),
      utils::head(state, sample.int(n, 1) - 1),
      c(state, state),
      state[0]
    )
    saved$chains[[chain]]$state <- state
  }
  saved
}
