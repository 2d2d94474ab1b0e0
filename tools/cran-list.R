# Prints settings for R CMD check if CRAN's web pages cannot be reached, and otherwise prints
# nothing. The check uses CRAN's list of packages to look up the maintainers of suggested packages
# that are not installed, and fails without this list. In that case, the package list of the
# configured repository, which does not include maintainers, is saved in the given folder and used
# instead, and checks that apply only to new packages are skipped.
#
#   Rscript tools/cran-list.R build/cran

read_cran <- function() {
  utils::capture.output(list <- suppressWarnings(tools::CRAN_package_db()), type = "message")
  list
}

write_known <- function(folder) {
  names <- rownames(utils::available.packages())
  path <- file.path(normalizePath(folder, mustWork = FALSE), "web/packages")
  dir.create(path, recursive = TRUE, showWarnings = FALSE)
  known <- data.frame(Package = names, Maintainer = "")
  saveRDS(known, file.path(path, "packages.rds"))
}

folder <- commandArgs(TRUE)
if (inherits(try(read_cran(), silent = TRUE), "try-error")) {
  write_known(folder)
  message("check: CRAN's web pages cannot be reached, so there is no check for orphaned packages")
  cat(paste0("R_CRAN_WEB=file://", normalizePath(folder)), "_R_CHECK_CRAN_INCOMING_=false")
}
