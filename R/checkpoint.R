# The file in which a run is kept. It holds the run's key, which says of what it is, its seed, and
# what each chain has left, and is replaced as a whole, so that it is always readable.

check_file <- function(file) {
  if (is.null(file)) return(NULL)
  file <- path.expand(check_string(file, "file"))
  if (dir.exists(file) || !dir.exists(dirname(file))) {
    stop_argument("file", "be the path of a file in a directory that exists", file)
  }
  file
}

#' What must be the same for a run to be resumed
#' @noRd
run_key <- function(run) {
  method <- run$method[c("chains", "iter", "warmup", "thin", "sampler")]
  parts <- c(
    list(x = run$model$data), run$model[setdiff(names(run$model), "data")],
    list(method = method, init = run$starts)
  )
  c(vapply(parts, rlang::hash, ""), version = format(utils::packageVersion("buffet")))
}

#' The file's seed and chains, or NULL where there is no such file yet
#' @noRd
open_checkpoint <- function(file, run) {
  if (is.null(file) || !file.exists(file)) return(NULL)
  saved <- tryCatch(readRDS(file), error = function(e) NULL, warning = function(w) NULL)
  if (!inherits(saved, "buffet_checkpoint")) {
    stop_argument("file", "be new or hold an earlier run of this fit", was = "another file")
  }
  check_same_run(saved, run)
  saved
}

check_same_run <- function(saved, run) {
  key <- run_key(run)
  refuse <- function(what) {
    must <- sprintf("hold a run with the same %s (give another file, or remove it)", what)
    stop_argument("file", must, was = "one with another")
  }
  if (!identical(saved$key[["version"]], key[["version"]])) refuse("version of buffet")
  differs <- names(key)[!mapply(identical, saved$key[names(key)], key)]
  if (length(differs) > 0) refuse(sprintf("`%s`", differs[1]))
  if (!is.null(run$seed) && !identical(saved$seed, run$seed)) refuse("`seed`")
}

#' Chains that were stopped within a sweep or failed have no state to go on from: the file keeps
#' what it had of them
#' @noRd
write_checkpoint <- function(file, run, chains) {
  lost <- vapply(chains, function(chain) length(chain$state) == 0, NA)
  if (any(lost)) {
    chains[lost] <- if (file.exists(file)) readRDS(file)$chains[lost] else list(NULL)
  }
  saved <- list(key = run_key(run), seed = run$seed, chains = chains)
  new <- paste0(file, ".new")
  tryCatch(
    {
      saveRDS(structure(saved, class = "buffet_checkpoint"), new, compress = FALSE)
      file.rename(new, file)
    },
    error = function(e) {
      warning("the run could not be saved: ", conditionMessage(e), call. = FALSE)
    }
  )
  invisible()
}

#' @export
format.buffet_checkpoint <- function(x, ...) {
  kept <- vapply(x$chains, function(chain) length(chain$sizes), 1L)
  c(
    sprintf("A run of buffet with %s draws kept of its chains", paste(kept, collapse = ", ")),
    "Give the file to `file` of the same call again to have the fit."
  )
}

#' @export
print.buffet_checkpoint <- function(x, ...) {
  cat(format(x), sep = "\n")
  invisible(x)
}
