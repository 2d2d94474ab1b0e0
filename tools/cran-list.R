# Prints settings for R CMD check where CRAN's web pages are not reached, and otherwise nothing. The
# check asks CRAN's list of packages who maintains suggested packages that are not installed, and
# ends with an error if there is no list: the list of the repository at hand, which knows no
# maintainers, then takes its place in the folder given. What CRAN asks of new packages alone is
# left out.
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
  message("check: CRAN's web pages are not reached: orphaned packages are not looked for")
  cat(paste0("R_CRAN_WEB=file://", normalizePath(folder)), "_R_CHECK_CRAN_INCOMING_=false")
}
