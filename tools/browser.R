# Installs the R package chromote, which a test uses to open a browser, if it is missing. It may
# require newer packages than distributions provide, so it is installed in its own library,
# build/browser, which is on the library path only of programs started by this test.
#
#   Rscript tools/browser.R

library <- file.path("build", "browser")
dir.create(library, recursive = TRUE, showWarnings = FALSE)
Sys.setenv(R_LIBS = paste(c(normalizePath(library), .libPaths()), collapse = .Platform$path.sep))
rscript <- file.path(R.home("bin"), "Rscript")

# This runs in a separate process, because a loaded package cannot be replaced.
run <- function(code, log = FALSE) {
  system2(rscript, c("-e", shQuote(code)), stdout = log, stderr = log)
}

loads <- function(package) run(sprintf("loadNamespace(\"%s\")", package)) == 0

is_missing <- Negate(loads)

lacking <- Filter(is_missing, "chromote")
if (length(lacking) > 0) {
  cat("browser: install.packages:", lacking, "into", library, "\n")
  install <- sprintf(
    paste(
      "source(\"tools/cran-mirror.R\");",
      "install.packages(c(%s), lib = \"%s\", Ncpus = parallel::detectCores(), quiet = TRUE)"
    ),
    toString(dQuote(lacking, FALSE)), library
  )
  run(install, file.path("build", "browser.log"))
  for (package in Filter(is_missing, lacking)) {
    cat("browser:", package, "is not installed; tests that need it are skipped (log:",
      "build/browser.log)\n")
  }
}
