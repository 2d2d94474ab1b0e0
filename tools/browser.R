# Installs chromote and shinytest2, by which tests open a browser, where they are missing. They need
# newer packages than distributions have, testthat above all. So they have a library of their own,
# build/browser, which only the programs that these tests start have on their path.
#
#   Rscript tools/browser.R

library <- file.path("build", "browser")
dir.create(library, recursive = TRUE, showWarnings = FALSE)
Sys.setenv(R_LIBS = paste(c(normalizePath(library), .libPaths()), collapse = .Platform$path.sep))
rscript <- file.path(R.home("bin"), "Rscript")

# In a process of its own, for a package that has been loaded cannot be replaced.
run <- function(code, log = FALSE) {
  system2(rscript, c("-e", shQuote(code)), stdout = log, stderr = log)
}

loads <- function(package) run(sprintf("loadNamespace(\"%s\")", package)) == 0

is_missing <- Negate(loads)

lacking <- Filter(is_missing, c("chromote", "shinytest2"))
if (length(lacking) > 0) {
  cat("browser: install.packages:", lacking, "into", library, "(four minutes of processor)\n")
  install <- sprintf(
    paste(
      "source(\"tools/cran-mirror.R\");",
      "install.packages(c(%s), lib = \"%s\", Ncpus = parallel::detectCores(), quiet = TRUE)"
    ),
    toString(dQuote(lacking, FALSE)), library
  )
  run(install, file.path("build", "browser.log"))
  for (package in Filter(is_missing, lacking)) {
    cat("browser:", package, "is not installed, tests that need it are skipped (log:",
      "build/browser.log)\n")
  }
}
