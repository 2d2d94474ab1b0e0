# The file in which a run is kept. It holds the run's key, which says of what it is, its seed, and
# what each chain has left. It is replaced as a whole, so that it is always readable; its bytes are
# those of R/checkpoint-file.R.

#' The path of a file of R's, whose name ends in ".rds"
#' @noRd
check_file <- function(file) {
  if (is.null(file)) return(NULL)
  check_path_length(check_string(file, "file"))
  file <- path.expand(file)
  if (dir.exists(file) || !dir.exists(dirname(file))) {
    stop_argument("file", "be the path of a file in a directory that exists", file)
  }
  if (grepl("[.]rds$", file, ignore.case = TRUE)) return(file)
  check_no_old_file(file)
  paste0(file, ".rds")
}

#' Longer ones are an error of R's own in basename() and dirname()
#' @noRd
check_path_length <- function(file) {
  if (nchar(file, "bytes") > longest_path) {
    stop_argument("file", sprintf("be a path of at most %d bytes", longest_path), file)
  }
  if (nchar(basename(file), "bytes") > longest_name) {
    stop_argument("file", sprintf("have a name of at most %d bytes", longest_name), file)
  }
}

#' Runs were once saved without the ending: they are not ignored
#' @noRd
check_no_old_file <- function(file) {
  if (!file.exists(file) || file.exists(paste0(file, ".rds"))) return(invisible())
  shown <- encodeString(basename(c(file, paste0(file, ".rds"))), quote = "\"")
  must <- sprintf("have the ending \".rds\": rename %s to %s", shown[1], shown[2])
  stop_argument("file", must, was = "that of an earlier run without it")
}

#' Seconds from one saving of a run to the next
#' @noRd
checkpoint_seconds <- function() {
  check_positive(
    getOption("buffet.checkpoint_seconds", 5), "options(buffet.checkpoint_seconds = )"
  )
}

#' What must be the same for a run to be resumed
#'
#' The whole model counts, field by field, so that an error can say which argument differs.
#' @param chains Those of the fit that update() goes on from, its `object`; NULL for a new fit.
#' @noRd
run_key <- function(run, chains) {
  parts <- c(
    list(model = class(run$model), method = class(run$planned)), model_key(run$model),
    method_key(run$planned), list(init = run$starts, object = chains)
  )
  c(vapply(parts, rlang::hash, ""), version = own_version())
}

#' The version of the package, as text
#' @noRd
own_version <- function() unname(getNamespaceVersion("buffet"))

#' What another process evaluates to tell its version, which needs nothing of the package
#' @noRd
version_there <- quote(
  tryCatch(unname(getNamespaceVersion("buffet")), error = function(e) "none")
)

#' The fields of a model, those of plain lists one by one
#'
#' Not what was given to make its data: the data themselves say more, and are the same with
#' `center = NULL` as with what it stands for.
#' @noRd
model_key <- function(model) {
  fields <- unclass(model)
  fields$given <- NULL
  fields$data$x <- data_key(fields$data$x)
  is_plain <- function(field) is.list(field) && !is.object(field)
  one_by_one <- lapply(names(fields), function(name) {
    if (is_plain(fields[[name]])) fields[[name]] else fields[name]
  })
  do.call(c, one_by_one)
}

#' What of a method determines the result
#' @noRd
method_key <- function(method) {
  unclass(method)[setdiff(names(method), c("cores", "threads", "refresh"))]
}

#' The file's seed and chains, or NULL where there is no such file yet
#' @noRd
open_checkpoint <- function(file, run) {
  if (is.null(file)) return(NULL)
  remove_leftovers(file)
  if (!file.exists(file)) return(NULL)
  saved <- read_checkpoint(file)
  check_saved_run(saved, file)
  check_same_run(saved, run)
  check_saved_chains(saved$chains, run, file)
  saved
}

#' Is what is saved of a whole run what it should be?
#' @noRd
check_saved_run <- function(saved, file) {
  if (!identical(names(saved), c("key", "seed", "doublings", "chains"))) {
    stop_damaged(file, "names of parts")
  }
  key <- saved$key
  sound <- c(
    key = is.character(key) && !anyNA(key) && length(names(key)) > 0 &&
      all(c("version", "model") %in% names(key)),
    seed = is.integer(saved$seed) && is_scalar_number(saved$seed),
    # Each doubles the length of a run that has no more than integers count.
    doublings = is.null(saved$doublings) ||
      is_whole(saved$doublings) && saved$doublings >= 0 && saved$doublings <= 31,
    chains = is.list(saved$chains)
  )
  if (!all(sound)) stop_damaged(file, sprintf("`%s`", names(which(!sound))[1]))
}

#' Are chains those that a run of this model leaves? They go to the core, and into the fit
#' @noRd
check_saved_chains <- function(chains, run, file) {
  if (length(chains) != (run$method$chains %||% 1L)) stop_damaged(file, "`chains`")
  for (number in seq_along(chains)) {
    wrong <- if (!is.null(chains[[number]])) wrong_in_chain(chains[[number]], run)
    if (!is.null(wrong)) stop_damaged(file, sprintf("`%s` of chain %d", wrong, number))
  }
}

#' What is wrong in a saved chain, by its name; NULL where nothing is
#' @noRd
wrong_in_chain <- function(chain, run) {
  if (!has_chain_parts(chain)) return("parts")
  of_kind <- function(name) is.null(chain[[name]]) || typeof(chain[[name]]) == parts_of_chain[name]
  wrong <- c(
    Filter(Negate(of_kind), names(chain)), if (length(chain$state) == 0) "state",
    if (length(chain$failure) > 1 || anyNA(chain$failure)) "failure"
  )
  if (length(wrong) > 0) return(wrong[1])
  if (samples(run$method)) wrong_in_draws(chain, feature_rows(run$model)$n)
}

has_chain_parts <- function(chain) {
  known <- is.list(chain) && !is.null(names(chain)) && !anyDuplicated(names(chain))
  known && all(names(chain) %in% names(parts_of_chain))
}

#' The parts of a saved chain, and of what type each is
#' @noRd
parts_of_chain <- c(
  scalars = "double", sizes = "integer", bits = "raw", loadings = "double", bytes = "raw",
  byte_counts = "integer", state = "raw", failure = "character", regrouped = "logical",
  waits = "logical"
)

#' @param rows Of Z.
#' @noRd
wrong_in_draws <- function(chain, rows) {
  sizes <- chain$sizes
  if (anyNA(sizes) || any(sizes < 0)) return("sizes")
  enough <- is.matrix(chain$scalars) && ncol(chain$scalars) >= length(sizes)
  if (!enough || is.null(rownames(chain$scalars))) return("scalars")
  if (length(chain$bits) != sum(bytes_of_columns(sizes, rows))) return("bits")
  wrong_in_bytes(chain)
}

#' What is kept in bytes, those of each draw counted
#' @noRd
wrong_in_bytes <- function(chain) {
  counts <- chain$byte_counts
  known <- length(counts) %in% c(0, length(chain$sizes)) && !anyNA(counts) && all(counts >= 0)
  if (!known) return("byte_counts")
  if (length(chain$bytes) != sum(as.double(counts))) "bytes"
}

check_same_run <- function(saved, run) {
  key <- run$key
  refuse <- function(what) {
    must <- sprintf("hold a run with the same %s (give another file, or delete it)", what)
    stop_argument("file", must, was = "one with another")
  }
  if (!identical(saved$key[["version"]], key[["version"]])) refuse("version of buffet")
  if (!identical(saved$key["model"], key["model"])) {
    must <- sprintf("hold a run of %s() (give another file, or delete it)", fit_class(run$model))
    stop_argument("file", must, was = "one of another model")
  }
  parts <- union(names(key), names(saved$key))
  differs <- parts[!mapply(identical, saved$key[parts], key[parts])]
  if (!is.null(run$seed) && !identical(saved$seed, run$seed)) differs <- c(differs, "seed")
  # Where the seed differs so does the object: the seed says more.
  named <- c(setdiff(differs, "object"), intersect(differs, "object"))
  if (length(named) > 0) refuse(sprintf("`%s`", argument_of(run$model, named[1])))
}

#' Saves a run on its way
#'
#' Chains that were stopped within a sweep or failed have no state to go on from: what they had
#' before stays in the file. A warning is given when saving begins to fail, not every time.
#' @noRd
new_store <- function(file, run, chains) {
  kept <- chains
  failure <- NULL
  save <- function(new) {
    now <- join_chains(chains, new)
    usable <- vapply(now, function(chain) length(chain$state) > 0, NA)
    kept[usable] <<- now[usable]
    before <- failure
    saved <- list(
      key = run$key, seed = run$seed, doublings = run$method$doublings, chains = kept
    )
    failure <<- write_checkpoint(file, saved)
    if (is.null(before) && !is.null(failure)) {
      warning("the run could not be saved: ", failure, call. = FALSE)
    }
  }
  list(save = save, intact = function() is.null(failure))
}

#' @export
format.buffet_checkpoint <- function(x, ...) {
  kept <- vapply(x$chains, function(chain) length(chain$sizes), 1L)
  sampled <- "warmup" %in% names(x$key)
  draws <- sprintf("with %s draws kept of its chains", paste(kept, collapse = ", "))
  c(
    paste("A run of buffet", if (sampled) draws else "on its way to a point estimate"),
    "To get the fit, make the same call again with this `file`."
  )
}

#' @export
print.buffet_checkpoint <- function(x, ...) {
  cat(format(x), sep = "\n")
  invisible(x)
}
