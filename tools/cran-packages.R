# Builds the latest CRAN versions of the packages in DESCRIPTION and of their dependencies from
# source, in a separate library. R CMD check must also pass with these versions, even if the
# packages of the distribution are years older. Packages that are already installed there in their
# latest version are not built again.
#
#   Rscript tools/cran-packages.R build/cran-packages
#
# Packages that take very long to build (mice requires lme4 and more) or require a browser are left
# out. The check then uses the distribution's versions, if any.

omitted <- c("arrow", "chromote", "mice")

read_named <- function() {
  fields <- read.dcf("DESCRIPTION", c("Imports", "LinkingTo", "Suggests"))
  sub("[[:space:](].*", "", trimws(unlist(strsplit(fields, ","))))
}

#' All packages to build, which are available for this version of R and are not part of R
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
  Sys.setenv(USE_BUNDLED_LIBUV = 1)  # needed by fs if the system has no headers for it
  source("tools/cran-mirror.R")
  available <- utils::available.packages()
  packages <- choose_packages(available)
  lacking <- function() {
    packages[!vapply(packages, is_current, NA, library = library, available = available)]
  }
  cat(length(packages), "CRAN packages, of which", length(lacking()), "are built now\n")
  if (length(lacking()) > 0) {
    utils::install.packages(
      lacking(), library, type = "source", Ncpus = parallel::detectCores(), quiet = TRUE,
      INSTALL_opts = c("--no-html", "--no-multiarch")
    )
  }
  if (length(lacking()) > 0) stop("Not built: ", toString(lacking()), call. = FALSE)
}

build_into(normalizePath(commandArgs(trailingOnly = TRUE), mustWork = FALSE))
