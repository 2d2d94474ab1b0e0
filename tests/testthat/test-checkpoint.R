# Files of runs: cut, altered, of others, and where none can be made.

few <- withr::with_seed(1, block_images(12))
saved_run <- function(file, x = few, ...) {
  quick_fit(x, sigma_x = 0.5, method = method_gibbs(2, 20, 10), file = file, ...)
}
refusal <- "^`file` must be new or hold an earlier run [^\n]+, not \"[^\n]+ cut or damaged\\.$"

test_that("a file that is cut anywhere, or altered at any byte, is refused and stays as it is", {
  file <- withr::local_tempfile(fileext = ".rds")
  fit <- saved_run(file)
  bytes <- readBin(file, "raw", 1e7)
  set.seed(2)
  for (at in c(1:40, sort(sample(length(bytes), 60)), length(bytes) - 0:40)) {
    altered <- replace(bytes, at, xor(bytes[at], as.raw(2^sample(0:7, 1))))
    for (damaged in list(altered, bytes[seq_len(at - 1)])) {
      writeBin(damaged, file)
      expect_error(read_checkpoint(file), refusal)
    }
  }
  expect_error(saved_run(file), refusal)
  expect_identical(readBin(file, "raw", 1e7), damaged)
  writeBin(c(bytes, as.raw(1)), file)
  expect_error(saved_run(file), refusal)
  writeBin(bytes, file)
  expect_identical(saved_run(file), fit)
})

test_that("a file of another layout is refused", {
  file <- withr::local_tempfile(fileext = ".rds")
  local({
    local_function("seal_of", function(bytes) paste0("buffet-2", rlang::hash(bytes)))
    saved_run(file)
  })
  expect_error(saved_run(file), refusal)
})

test_that("a file that cannot be written is refused before the run begins", {
  expect_unsaved <- function(file) {
    begun <- local_counter("run_sweeps")
    expect_error(saved_run(file), "^`file` must be the path of a file in a directory that exists ")
    expect_identical(begun(), 0)
  }
  directory <- withr::local_tempdir()
  expect_unsaved(file.path(directory, strrep("a", 300)))
  expect_length(list.files(directory), 0)
  if (dir.exists("/proc/self")) expect_unsaved("/proc/run.rds")
  skip_on_os("windows")
  skip_if(identical(Sys.info()[["effective_user"]], "root"), "root may write everywhere")
  Sys.chmod(directory, "0555")
  withr::defer(Sys.chmod(directory, "0755"))
  expect_unsaved(file.path(directory, "run.rds"))
})

test_that("paths and names in an invalid encoding are refused in one line", {
  skip_if_not(l10n_info()[["UTF-8"]])
  must <- "must be a string of characters of its encoding, not "
  expect_error(
    quick_fit(diag(3), file = "a\xffb.rds"), paste0("^`file` ", must, "\"a<ff>b\\.rds\"\\.$")
  )
  expect_error(method_gibbs(sampler = "\xff"), paste0("^`sampler` ", must))
})

test_that("a symbolic link is followed, and stays; nothing else is left in the directory", {
  directory <- withr::local_tempdir()
  dir.create(file.path(directory, "there"))
  link <- file.path(directory, "li*k.rds")
  file.create(file.path(directory, "link.rds"))
  to <- file.path(directory, "there", "run.rds")
  file.create(to)
  skip_if_not(file.symlink(to, link))
  expect_error(saved_run(link), refusal)
  expect_null(write_checkpoint(link, list()))
  expect_identical(Sys.readlink(link), to)
  expect_identical(read_checkpoint(to), list())
  expect_identical(list.files(file.path(directory, "there")), "run.rds")
  expect_setequal(list.files(directory), c("there", "li*k.rds", "link.rds"))
})
