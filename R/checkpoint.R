# The file in which a run is saved. It starts with the output of saveRDS() for list(key, seed,
# doublings, chains), in which `key` identifies the run and `chains` has the result of each chain. A
# seal follows: the number of this layout and a hash. readRDS() ignores the seal. read_checkpoint()
# checks it first, because altered bytes can crash unserialize(). Every save writes the whole file
# under a temporary name and then renames it.

# The seal of a file that contains these bytes
seal_of <- function(bytes) paste0("buffet-5", rlang::hash(bytes))

check_file <- function(file) {
  path <- path.expand(check_string(file, "file"))
  is_directory <- dir.exists(path)
  if (!grepl("[.]rds$", path, ignore.case = TRUE)) path <- paste0(path, ".rds")
  # Saving creates a temporary file next to `path`, and its longer name may not be allowed.
  create <- function(new) file.create(new) && unlink(new, expand = FALSE) == 0
  writable <- tryCatch(
    create(name_beside(path)), error = function(e) FALSE, warning = function(w) FALSE
  )
  if (is_directory || !writable) {
    must <- "be the path of a file in a directory that exists and can be written to"
    stop_argument("file", must, file)
  }
  path
}

# Hashes of everything that must be the same for a run to be resumed
# The model is hashed field by field, and its plain lists element by element, so that an error can
# name the argument that differs. Arguments that only transform the data are left out, because the
# transformed data are included. So `center = NULL` is equivalent to the value that it implies.
# chains: Chains of `object`, the fit that update() extends; NULL for a new fit.
run_key <- function(run, chains) {
  fields <- unclass(run$model)
  fields[c("given", "traits")] <- NULL
  if (is_in_blocks(fields$data$x)) fields$data$x <- fields$data$x$hashes
  fields <- lapply(names(fields), function(name) {
    plain <- is.list(fields[[name]]) && !is.object(fields[[name]])
    if (plain) fields[[name]] else fields[name]
  })
  method <- unclass(run$planned)
  method[c("cores", "refresh")] <- NULL
  parts <- c(
    list(model = class(run$model), method = class(run$planned)), do.call(c, fields), method,
    list(init = run$starts, object = chains)
  )
  c(vapply(parts, rlang::hash, ""), version = own_version())
}

own_version <- function() unname(getNamespaceVersion("buffet"))

# Code that another process evaluates to report its version. It does not depend on this package.
version_there <- quote(tryCatch(unname(getNamespaceVersion("buffet")), error = function(e) "none"))

check_same_run <- function(saved, run) {
  key <- run$key
  model <- run$model
  refuse <- function(what) {
    abort_argument("`file` contains a run ", what, ": give another file, or delete it.")
  }
  if (!identical(saved$key[["version"]], key[["version"]])) refuse("from another version of buffet")
  if (!identical(saved$key["model"], key["model"])) {
    refuse(sprintf("of another model, not of %s()", fit_class(model)))
  }
  made_by <- function(key) {
    if (key[["object"]] == rlang::hash(NULL)) paste0(fit_class(model), "()") else "update()"
  }
  if (made_by(key) != made_by(saved$key)) {
    refuse(sprintf("of %s, not of %s", made_by(saved$key), made_by(key)))
  }
  parts <- union(names(key), names(saved$key))
  differs <- parts[!mapply(identical, saved$key[parts], key[parts])]
  if (!is.null(run$seed) && !identical(saved$seed, run$seed)) differs <- c(differs, "seed")
  if (length(differs) == 0) return(invisible())
  # If the seed differs, so does the object, but the seed is more informative. `scale` sets the
  # default of `center`.
  name <- c(intersect("scale", differs), setdiff(differs, "object"), "object")[1]
  data <- names(formals(fit_class(model)))[1]
  # `families` determines the codes of the data, and `iter` whether chains may be extended.
  if ("columns" %in% differs && !"frame" %in% differs) name <- "families"
  if (any(c("ordinal", "others") %in% differs) && !"x" %in% differs) name <- "families"
  if (all(c("max_iter", "thins") %in% differs) && name == "max_iter") name <- "iter"
  argument <- c(
    x = data, coding = data, columns = data, frame = data, sigma_b = "bias", thins = "thin"
  )
  refuse(sprintf(
    "with a different `%s`", if (name %in% names(argument)) argument[[name]] else name
  ))
}

# Replaces the whole file. Returns NULL on success and otherwise the reason for the failure; if the
# disk is full, R may not raise an error.
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

# A path for a temporary file in the same directory that no other process uses. If the file is a
# symbolic link, the link is kept and its target is replaced.
name_beside <- function(file) {
  file <- normalizePath(file, mustWork = FALSE)
  tempfile(paste0(basename(file), ".part-"), dirname(file))
}

# Reads the run that is saved in a file
read_checkpoint <- function(file) {
  unreadable <- function(condition) raw()
  bytes <- tryCatch(readBin(file, "raw", file.size(file)), error = unreadable, warning = unreadable)
  size <- nchar(seal_of(raw()))
  run <- utils::head(bytes, -size)
  if (!identical(utils::tail(bytes, size), charToRaw(seal_of(run)))) {
    abort_argument(
      "`file` ", describe_scalar(basename(file)), " does not contain a buffet run, or is ",
      "truncated or damaged: give another file, or delete it."
    )
  }
  unclass(unserialize(run))
}

#' @export
format.buffet_checkpoint <- function(x, ...) {
  kept <- vapply(x$chains, function(chain) length(chain$sizes), 1L)
  sampled <- "warmup" %in% names(x$key)
  each <- if (length(kept) > 1 && length(unique(kept)) == 1) " each"
  saved <- paste0(enumerate(unique(kept)), " saved draws", each)
  draws <- sprintf("with %s of %s", counted(length(kept), "chain"), saved)
  c(
    paste("A run of buffet", if (sampled) draws else "on its way to a point estimate"),
    "To get the fit, make the same call again with this `file`."
  )
}

#' @export
print.buffet_checkpoint <- print_lines
