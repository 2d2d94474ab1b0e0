# Whatever happens to the process, its directory or its disk: `file` is the old or the new one,
# whole.

images <- withr::with_seed(1, block_images(20))

# So many sweeps that even a quick machine saves far more often than the faults below need.
saving <- function(file, iter = 12000) {
  method <- method_gibbs(chains = 2, iter = iter, warmup = 50, thin = 4)
  list(x = images, method = method, seed = 1, file = file)
}

#' A function that fits and tells its warnings, saving after every sweep or so
run_saving <- function(file) {
  withr::local_options(buffet.checkpoint_seconds = 0.001)
  with_warnings(do.call(fit_gaussian, c(saving(file), verbose = FALSE)))
}

alone <- function() once("alone", quick_fit(images, method = saving("")$method))

#' Sweeps of a file that is whole
expect_whole <- function(file) {
  saved <- read_checkpoint(file)
  expect_identical(saved$key[["version"]], own_version())
  min(sweeps_of(saved))
}

#' Calls `act(file, saves)` before each saving, the `saves`th of this file
before_each_saving <- function(act, frame = parent.frame()) {
  saves <- 0
  local_wrapper("write_checkpoint", function(write, file, saved) {
    saves <<- saves + 1
    act(file, saves)
    write(file, saved)
  }, frame)
}

#' A folder that is a disk of a size of its own, until the test ends
local_disk <- function(size, frame = parent.frame()) {
  skip_on_os(c("windows", "mac", "solaris"))
  folder <- withr::local_tempdir(.local_envir = frame)
  mount <- function(...) suppressWarnings(system2("mount", c(...), stdout = FALSE, stderr = FALSE))
  status <- mount("-t", "tmpfs", "-o", paste0("size=", size), "tmpfs", folder)
  skip_if(status != 0, "mount is refused")
  withr::defer(system2("umount", folder), frame)
  folder
}

test_that("a disk that fills up leaves the file as it was, and saving goes on once there is room", {
  disk <- local_disk("2m")
  file <- file.path(disk, "run.rds")
  filler <- file.path(disk, "filler")
  fill <- function() suppressWarnings(try(writeBin(raw(4e6), filler), silent = TRUE))
  before <- NULL
  failed <- 0
  before_each_saving(function(file, saves) {
    if (saves == 3) {
      fill()
      before <<- tools::md5sum(file)
    }
    if (saves > 3 && saves <= 6) {
      failed <<- failed + 1
      expect_identical(tools::md5sum(file), before)
      expect_setequal(list.files(disk), c("filler", "run.rds"))
    }
    if (saves == 6) unlink(filler)
  })
  out <- run_saving(file)
  expect_identical(failed, 3)
  expect_match(out$warned, "^the run could not be saved: ")
  expect_identical(out$value, alone())
  expect_identical(expect_whole(file), 12000L)
  expect_identical(list.files(disk), "run.rds")
})

test_that("a disk that becomes read-only leaves the file as it was, and the fit is made", {
  disk <- local_disk("2m")
  file <- file.path(disk, "run.rds")
  before <- NULL
  before_each_saving(function(file, saves) {
    if (saves == 3) {
      system2("mount", c("-o", "remount,ro", disk))
      before <<- tools::md5sum(file)
    }
  })
  out <- run_saving(file)
  expect_match(out$warned, "^the run could not be saved: ")
  expect_identical(out$value, alone())
  expect_identical(tools::md5sum(file), before)
  expect_gt(expect_whole(file), 0)
  expect_identical(list.files(disk), "run.rds")
})

test_that("a directory without the right to write is one in which nothing is saved", {
  skip_on_os("windows")
  skip_if(identical(Sys.info()[["effective_user"]], "root"), "root may write everywhere")
  folder <- withr::local_tempdir()
  file <- file.path(folder, "run.rds")
  Sys.chmod(folder, "0555")
  withr::defer(Sys.chmod(folder, "0755"))
  out <- run_saving(file)
  expect_match(out$warned, "^the run could not be saved: ")
  expect_identical(out$value, alone())
  expect_length(list.files(folder), 0)
})

test_that("a directory that goes away and comes back has the whole file again", {
  folder <- withr::local_tempdir()
  file <- file.path(folder, "run.rds")
  before_each_saving(function(file, saves) {
    if (saves == 3) unlink(folder, recursive = TRUE)
    if (saves == 5) dir.create(folder)
  })
  out <- run_saving(file)
  expect_match(out$warned, "^the run could not be saved: ")
  expect_identical(out$value, alone())
  expect_identical(expect_whole(file), 12000L)
  expect_identical(list.files(folder), "run.rds")
})

test_that("two processes that save to one file leave a whole one at any time", {
  folder <- withr::local_tempdir()
  file <- file.path(folder, "run.rds")
  children <- replicate(2, start_child(saving(file, iter = 1e6), seconds = 0.001))
  on.exit(lapply(children, function(child) child$kill()))
  wait_until(function() file.exists(file))
  until <- Sys.time() + sized(2, 20)
  while (Sys.time() < until) expect_gt(expect_whole(file), -1)
  expect_true(all(vapply(children, function(child) child$is_alive(), NA)))
})

test_that("processes that are killed at any moment leave the old file or the new one", {
  file <- file.path(withr::local_tempdir(), "run.rds")
  seconds <- withr::with_seed(1, stats::runif(sized(4, 200), 0, 0.3))
  done <- 0L
  for (wait in seconds) {
    child <- start_child(saving(file, iter = 1e6), seconds = 0.001)
    Sys.sleep(wait)
    expect_true(child$kill())
    if (!file.exists(file)) next
    now <- expect_whole(file)
    expect_gte(now, done)
    done <- now
  }
  expect_gt(done, 0)
})
