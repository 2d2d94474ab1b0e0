# Files in which runs are saved: their names, files of other kinds, and paths that cannot be
# written.

few <- withr::with_seed(1, sim_images(12))
method <- method_gibbs(2, 20, 10)
saved_run <- function(file, ...) quick_fit(few, sigma_x = 0.5, ..., method = method, file = file)
refusal <- "^`file` \"[^\n]+\" does not contain a buffet run, [^\n]+ delete it"

test_that("a file that is truncated, or altered at any byte, is rejected and left unchanged", {
  file <- withr::local_tempfile(fileext = ".rds")
  fit <- saved_run(file)
  expect_match(capture.output(print(readRDS(file)))[1], "with 2 chains of 10 saved draws each$")
  bytes <- readBin(file, "raw", 1e7)
  set.seed(2)
  for (at in c(1:10, sort(sample(length(bytes), 20)), length(bytes) - 0:40)) {
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

test_that("a file with a different layout or version, or a truncated state, is rejected", {
  file <- withr::local_tempfile(fileext = ".rds")
  local({
    local_function("seal_of", function(bytes) paste0("buffet-2", rlang::hash(bytes)))
    saved_run(file)
  })
  expect_error(saved_run(file), refusal)
  unlink(file)
  saved_run(file)
  saved <- read_checkpoint(file)
  state <- saved$chains[[1]]$state
  for (cut in list(state[1:20], c(state, as.raw(1)))) {
    saved$chains[[1]]$state <- cut
    write_checkpoint(file, saved)
    expect_error(saved_run(file), "saved state is (damaged in|incomplete)")
  }
  saved$key[["version"]] <- "0.0.1"
  write_checkpoint(file, saved)
  expect_error(saved_run(file), "^`file` contains a run from another version of buffet: ")
})

test_that("a file that is not a run is rejected and left unchanged", {
  file <- withr::local_tempfile(fileext = ".rds")
  cases <- list(
    text = function() writeLines("some text", file), empty = function() file.create(file),
    fit = function() saveRDS(small_fit(), file),
    class = function() saveRDS(structure(list(), class = "buffet_checkpoint"), file)
  )
  for (case in names(cases)) {
    unlink(file)
    cases[[case]]()
    before <- tools::md5sum(file)
    expect_error(saved_run(file), refusal, label = case)
    expect_identical(tools::md5sum(file), before)
  }
})

test_that("a file that cannot be written is rejected before the run starts", {
  directory <- withr::local_tempdir()
  expect_unsaved <- function(file) {
    begun <- local_counter("run_sweeps")
    expect_error(saved_run(file), "^`file` must be the path of a file in a directory that exists ")
    expect_identical(begun(), 0)
  }
  for (name in c(strrep("a", 300), "none/file")) expect_unsaved(file.path(directory, name))
  expect_unsaved("/")
  expect_length(list.files(directory), 0)
  if (dir.exists("/proc/self")) expect_unsaved("/proc/run.rds")
  skip_on_os("windows")
  skip_if(identical(Sys.info()[["effective_user"]], "root"), "root may write everywhere")
  Sys.chmod(directory, "0555")
  withr::defer(Sys.chmod(directory, "0755"))
  expect_unsaved(file.path(directory, "run.rds"))
})

test_that("paths and names in an invalid encoding are rejected with a one-line error", {
  skip_if_not(l10n_info()[["UTF-8"]])
  must <- "must be a string that is valid in its encoding, not "
  expect_error(saved_run("a\xffb.rds"), paste0("^`file` ", must, "\"a<ff>b\\.rds\"\\.$"))
  expect_error(method_gibbs(sampler = "\xff"), paste0("^`sampler` ", must))
})

test_that("the interval between saves must be a positive number of seconds", {
  file <- withr::local_tempfile(fileext = ".rds")
  expect_refusals(function(v) {
    withr::local_options(buffet.checkpoint_seconds = v)
    saved_run(file)
  }, "options\\(buffet.checkpoint_seconds = \\)", a_positive$values[-1])
  expect_false(file.exists(file))
})

test_that("a symbolic link is followed and kept, and nothing else is left in the directory", {
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

test_that("\".rds\" is added to a file name without it, and either name resumes the run", {
  directory <- withr::local_tempdir()
  names <- c("a.rds", "b.RDS", "d.csv", "e.rds.gz", "rds")
  for (name in names) saved_run(file.path(directory, name))
  names <- c("a.rds", "b.RDS", "d.csv.rds", "e.rds.gz.rds", "rds.rds")
  expect_setequal(list.files(directory), names)
  whole <- saved_run(file.path(directory, "a.rds"))
  # If no seed is given, the fit uses the seed in the file.
  expect_identical(saved_run(file.path(directory, "a"), seed = NULL), whole)
})

test_that("a run that cannot be saved continues to its end and gives one warning", {
  withr::local_options(buffet.checkpoint_seconds = 0.001)
  directory <- withr::local_tempdir()
  local_wrapper("run_plan", function(plain, ...) {
    unlink(directory, recursive = TRUE)
    plain(...)
  })
  calls <- list(
    function(...) quick_fit(few, method = method_gibbs(2, 500, 30), ...),
    function(...) quick_point(bare(easy_data()), ...)
  )
  for (fit_of in calls) {
    dir.create(directory, showWarnings = FALSE)
    out <- with_warnings(fit_of(file = file.path(directory, "run.rds")))
    expect_match(out$warned, "^the run could not be saved: .+")
    expect_identical(out$value, fit_of())
  }
})
