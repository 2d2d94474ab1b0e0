# Builds CRAN's newest versions of the packages that DESCRIPTION names, and of all that these need,
# into a library of their own, of sources: R CMD check must pass with these, too, where a
# distribution's are years older. Those that are there in that version are not built again.
#
#   Rscript tools/cran-packages.R build/cran-packages
#
# Left out, so that the check uses those of the distribution, or none: what takes longest to build
# (mice needs lme4 and more) and what needs a browser.

omitted <- c("arrow", "chromote", "mice")

read_named <- function() {
  fields <- read.dcf("DESCRIPTION", c("Imports", "LinkingTo", "Suggests"))
  sub("[[:space:](].*", "", trimws(unlist(strsplit(fields, ","))))
}

#' All that is to be built, of packages that come for this version of R and not with it
choose_packages <- function(available) {
  named <- setdiff(read_named(), omitted)
  needed <- unlist(tools::package_dependencies(named, available, recursive = TRUE))
  ours <- rownames(utils::installed.packages(priority = "base"))
  intersect(setdiff(c(named, needed), ours), rownames(available))
}

is_current <- function(package, library, available) {
  description <- file.path(library, package, "DESCRIPTION")
  file.exists(description) && read.dcf(description, "Version") == available[package, "Version"]
}

build_into <- function(library) {
  dir.create(library, recursive = TRUE, showWarnings = FALSE)
  .libPaths(c(library, .libPaths()))
  Sys.setenv(USE_BUNDLED_LIBUV = 1)  # of fs, where the system has no headers of it
  source("tools/cran-mirror.R")
  available <- utils::available.packages()
  packages <- choose_packages(available)
  lacking <- function() {
    packages[!vapply(packages, is_current, NA, library = library, available = available)]
  }
  cat(length(packages), "packages of CRAN, of which", length(lacking()), "are built now\n")
  if (length(lacking()) > 0) {
    utils::install.packages(
      lacking(), library, type = "source", Ncpus = parallel::detectCores(), quiet = TRUE,
      INSTALL_opts = c("--no-html", "--no-multiarch")
    )
  }
  if (length(lacking()) > 0) stop("Not built: ", toString(lacking()), call. = FALSE)
}

build_into(normalizePath(commandArgs(trailingOnly = TRUE), mustWork = FALSE))
