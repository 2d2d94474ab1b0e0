# Files of runs that are cut, altered or made on purpose.

few <- withr::with_seed(1, block_images(12))
saved_run <- function(file, x = few, ...) {
  quick_fit(x, sigma_x = 0.5, method = method_gibbs(2, 20, 10), file = file, ...)
}
refusal <- "^`file` must [^\n]+, not \"[^\n]+\\.$"

#' A file as write_checkpoint() leaves it, with other values in it
write_sealed <- function(file, bytes) write_parts(file, list(bytes, seal_of(bytes)))

#' Bytes of a list whose last element is a promise of a call, that base R evaluates by its name
promise_bytes <- function(call, values = list(NULL)) {
  bytes <- function(x) serialize(x, NULL, version = 2)
  # A promise (type 5) of the base environment, without a value (252), and the call behind its
  # header.
  c(utils::head(bytes(values), -4), as.raw(c(0, 0, 0, 5, 0, 0, 0, 252)), bytes(call)[-(1:14)])
}

test_that("a file that is cut anywhere, or altered at any byte, is refused in one line", {
  file <- withr::local_tempfile(fileext = ".rds")
  fit <- saved_run(file)
  bytes <- readBin(file, "raw", 1e7)
  set.seed(2)
  places <- sort(sample(length(bytes), 60))
  for (at in c(1:8, places, length(bytes))) {
    writeBin(replace(bytes, at, xor(bytes[at], as.raw(2^sample(0:7, 1)))), file)
    expect_error(read_checkpoint(file), refusal)
    writeBin(bytes[seq_len(at - 1)], file)
    expect_error(read_checkpoint(file), refusal)
  }
  writeBin(c(bytes, as.raw(1)), file)
  expect_error(saved_run(file), refusal)
  writeBin(bytes, file)
  expect_identical(saved_run(file), fit)
})

test_that("a file that R could not read at all is refused before R reads it", {
  skip_if_not_installed("callr")
  file <- withr::local_tempfile(fileext = ".rds")
  saved_run(file)
  bytes <- readBin(file, "raw", 1e7)
  # Lengths of a vector that would take all memory.
  for (at in c(27, 31, 100)) {
    writeBin(replace(bytes, at + 0:3, as.raw(c(0x7f, 0xff, 0xff, 0xff))), file)
    said <- callr::r(
      function(file) {
        read <- utils::getFromNamespace("read_checkpoint", "buffet")
        tryCatch(read(file), error = conditionMessage)
      }, list(file), libpath = .libPaths(), timeout = 60
    )
    expect_match(said, refusal)
  }
})

test_that("the parts of a file are checked, and errors name the file and the part", {
  file <- file.path(withr::local_tempdir(), "run.rds")
  saved_run(file)
  saved <- unclass(readRDS(file))
  expect_part <- function(part, change) {
    expect_null(write_checkpoint(file, change(saved)))
    expect_error(saved_run(file), sprintf("not \"run.rds\", which is damaged in its %s.", part),
      fixed = TRUE, label = part
    )
  }
  in_chain <- function(name, value) {
    function(s) {
      s$chains[[2]][[name]] <- value
      s
    }
  }
  expect_part("`key`", \(s) replace(s, "key", list(1)))
  expect_part("`key`", \(s) replace(s, "key", list(NULL)))
  expect_part("`seed`", \(s) replace(s, "seed", list("1")))
  expect_part("`doublings`", \(s) replace(s, "doublings", list(1e9)))
  expect_part("`chains`", \(s) replace(s, "chains", list(1)))
  expect_part("`chains`", \(s) replace(s, "chains", list(list())))
  expect_part("names of parts", \(s) s[-4])
  expect_part("`parts` of chain 1", \(s) replace(s, "chains", list(list(list(), list()))))
  expect_part("`state` of chain 2", in_chain("state", raw()))
  expect_part("`state` of chain 2", in_chain("state", "a"))
  expect_part("`sizes` of chain 2", in_chain("sizes", -saved$chains[[2]]$sizes))
  expect_part("`bits` of chain 2", in_chain("bits", saved$chains[[2]]$bits[-1]))
  expect_part("`scalars` of chain 2", in_chain("scalars", 1))
  expect_part("`byte_counts` of chain 2", in_chain("byte_counts", 1L))
  expect_part("`bytes` of chain 2", in_chain("bytes", as.raw(1)))
  expect_part("`failure` of chain 2", in_chain("failure", c("a", "b")))
  expect_part("`parts` of chain 2", in_chain("other", 1))
  # Which scalars a chain has is known once it has gone on.
  write_checkpoint(file, in_chain("scalars", saved$chains[[2]]$scalars[-1, , drop = FALSE])(saved))
  expect_error(saved_run(file), "^the saved state is damaged in `scalars`\\.$")
  write_checkpoint(file, saved)
  expect_no_error(saved_run(file))
})

test_that("nothing in a file is evaluated: environments, promises, classes and calls are refused", {
  file <- withr::local_tempfile(fileext = ".rds")
  run <- file.path(withr::local_tempdir(), "it-ran")
  hostile <- new.env()
  makeActiveBinding("key", eval(bquote(function() file.create(.(run)))), hostile)
  trap <- bquote(file.create(.(run)))
  values <- list(
    structure(hostile, class = "buffet_checkpoint"), list(key = hostile), list(key = trap),
    list(key = structure(list(), class = "data.frame")), list(key = function() 1),
    list(list(quote(a))), structure(list(1), other = 2), pairlist(key = 1), 1, NULL
  )
  for (value in values) {
    write_sealed(file, serialize(value, NULL))
    expect_error(saved_run(file), "damaged in its values")
  }
  for (before in list(list(NULL), list(1, "a", NULL))) {
    write_sealed(file, promise_bytes(trap, before))
    expect_error(saved_run(file), "damaged in its values")
  }
  expect_false(file.exists(run))
  # It would have run.
  promised <- unserialize(promise_bytes(trap))[[1]]
  expect_true(promised)
  expect_true(file.exists(run))
})

test_that("paths and names in an invalid encoding are refused in one line", {
  skip_if_not(l10n_info()[["UTF-8"]])
  must <- "must be a string of characters of its encoding, not "
  expect_error(
    quick_fit(diag(3), file = "a\xffb.rds"), paste0("^`file` ", must, "\"a<ff>b\\.rds\"\\.$")
  )
  expect_error(method_gibbs(sampler = "\xff"), paste0("^`sampler` ", must))
})

test_that("a pipe is refused, and not waited for", {
  skip_if_not_installed("callr")
  skip_on_os("windows")
  file <- withr::local_tempfile(fileext = ".rds")
  skip_if(system2("mkfifo", file, stdout = FALSE, stderr = FALSE) != 0)
  said <- callr::r(
    function(file) {
      read <- utils::getFromNamespace("read_checkpoint", "buffet")
      tryCatch(read(file), error = conditionMessage)
    }, list(file), libpath = .libPaths(), timeout = 30
  )
  expect_match(said, refusal)
})

test_that("what killed processes left is removed at the next start, and nothing else", {
  directory <- withr::local_tempdir()
  file <- file.path(directory, "run.rds")
  left <- basename(replicate(2, name_beside(file)))
  others <- c(
    "run.rds.1", "run.rds.part-z", "arun.rds.part-1a", "run2.rds.part-1a", "run.rds.part-"
  )
  file.create(file.path(directory, c(left, others)))
  saved_run(file)
  expect_setequal(list.files(directory), c("run.rds", others))
})

test_that("a symbolic link is followed, and stays", {
  directory <- withr::local_tempdir()
  dir.create(file.path(directory, "there"))
  link <- file.path(directory, "link.rds")
  for (to in c("there/run.rds", file.path(directory, "there", "other.rds"))) {
    unlink(link)
    skip_if_not(file.symlink(to, link))
    fit <- saved_run(link)
    expect_identical(Sys.readlink(link), to)
    expect_identical(saved_run(link), fit)
  }
  expect_setequal(list.files(file.path(directory, "there")), c("run.rds", "other.rds"))
  expect_setequal(list.files(directory), c("there", "link.rds"))
})

test_that("a name that is too long is refused in one line", {
  directory <- withr::local_tempdir()
  name <- function(length) file.path(directory, strrep("a", length))
  expect_refusals(
    saved_run, "file", list(name(221), file.path(name(5000), "a"), name(5000), name(4070))
  )
  expect_silent(saved_run(name(220)))
  expect_length(list.files(directory), 1)
})

test_that("a full disk is noticed", {
  skip_if_not(file.exists("/dev/full"))
  expect_error(suppressWarnings(write_parts("/dev/full", list(as.raw(1:10)))))
})
