# The file in which a run is saved. It contains what saveRDS() would write for list(key, seed,
# doublings, chains), where `key` identifies the run and `chains` has the result of each chain,
# followed by a seal: the number of this layout and a hash. readRDS() does not read the seal. Here
# it is checked first, because altered bytes can crash unserialize(). Every save writes the whole
# file to a temporary file, which is then renamed.

# The seal of a file with these bytes
seal_of <- function(bytes) paste0("buffet-4", rlang::hash(bytes))

check_file <- function(file) {
  if (is.null(file)) return(NULL)
  path <- path.expand(check_string(file, "file"))
  is_directory <- dir.exists(path)
  if (!grepl("[.]rds$", path, ignore.case = TRUE)) path <- paste0(path, ".rds")
  if (is_directory || !can_be_written(path)) {
    must <- "be the path of a file in a directory that exists and can be written to"
    stop_argument("file", must, file)
  }
  path
}

# True if a file can be created next to this one; its name or path may be too long
can_be_written <- function(file) {
  create <- function(new) file.create(new) && unlink(new, expand = FALSE) == 0
  tryCatch(create(name_beside(file)), error = function(e) FALSE, warning = function(w) FALSE)
}

checkpoint_seconds <- function() {
  check_positive(
    getOption("buffet.checkpoint_seconds", 5), "options(buffet.checkpoint_seconds = )"
  )
}

# Hashes of everything that must be the same for a run to be resumed
# The model is hashed field by field, so an error can name the argument that differs.
# chains: Chains of the fit that update() extends, its `object`; NULL for a new fit.
run_key <- function(run, chains) {
  parts <- c(
    list(model = class(run$model), method = class(run$planned)), model_key(run$model),
    method_key(run$planned), list(init = run$starts, object = chains)
  )
  c(vapply(parts, rlang::hash, ""), version = own_version())
}

own_version <- function() unname(getNamespaceVersion("buffet"))

# What another process evaluates to report its version. It needs nothing from the package
version_there <- quote(
  tryCatch(unname(getNamespaceVersion("buffet")), error = function(e) "none")
)

# The fields of a model; the elements of plain lists are fields of their own.
# Arguments that only transform the data are left out, because the transformed data are included:
# `center = NULL` equals the value that it means.
model_key <- function(model) {
  fields <- unclass(model)
  fields[c("given", "traits")] <- NULL
  fields$data$x <- data_key(fields$data$x)
  is_plain <- function(field) is.list(field) && !is.object(field)
  one_by_one <- lapply(names(fields), function(name) {
    if (is_plain(fields[[name]])) fields[[name]] else fields[name]
  })
  do.call(c, one_by_one)
}

method_key <- function(method) {
  unclass(method)[setdiff(names(method), c("cores", "refresh"))]
}

# The file's seed and chains, or NULL if there is no such file yet
open_checkpoint <- function(file, run) {
  if (is.null(file) || !file.exists(file)) return(NULL)
  saved <- read_checkpoint(file)
  check_same_run(saved, run)
  saved
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
  # If the seed differs, so does the object, but the seed says more.
  named <- c(setdiff(differs, "object"), intersect(differs, "object"))
  if (length(named) > 0) refuse(sprintf("`%s`", argument_of(run$model, named[1])))
}

# Saves a run in progress
# Chains that failed or were stopped within a sweep have no state to resume from: their previous
# results stay in the file. A warning is given when saving begins to fail, not every time.
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

# Replaces the whole file. Returns NULL, or the reason for a failure: a full disk need not raise an
# error in R
write_checkpoint <- function(file, saved) {
  new <- name_beside(file)
  on.exit(unlink(new, expand = FALSE))
  tryCatch(
    {
      bytes <- serialize(structure(saved, class = "buffet_checkpoint"), NULL)
      seal <- seal_of(bytes)
      writeBin(bytes, new)
      cat(seal, file = new, append = TRUE)
      whole <- file.size(new) == length(bytes) + nchar(seal)
      if (!whole) abort("not all of it could be written.")
      file.rename(new, normalizePath(file, mustWork = FALSE))
      NULL
    },
    error = conditionMessage, warning = conditionMessage
  )
}

# A name in the file's directory that no other process uses. A symbolic link is kept, and its target
# is replaced
name_beside <- function(file) {
  file <- normalizePath(file, mustWork = FALSE)
  tempfile(paste0(basename(file), ".part-"), dirname(file))
}

# The run that is saved in a file
read_checkpoint <- function(file) {
  unreadable <- function(condition) raw()
  bytes <- tryCatch(readBin(file, "raw", file.size(file)), error = unreadable, warning = unreadable)
  size <- nchar(seal_of(raw()))
  run <- utils::head(bytes, -size)
  if (!identical(utils::tail(bytes, size), charToRaw(seal_of(run)))) {
    must <- "be new or hold an earlier run of this fit (give another file, or delete it)"
    was <- sprintf("%s, which is another file, cut or damaged", describe_scalar(basename(file)))
    stop_argument("file", must, was = was)
  }
  unclass(unserialize(run))
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
