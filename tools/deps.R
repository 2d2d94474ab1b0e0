# Installs the missing packages among those in DESCRIPTION and in the arguments, and nothing else.
# `pandoc`, `qpdf`, `chromium` and names that begin with `lib` are programs and libraries, not R
# packages. --needed omits suggested packages, and --dry-run only reports what would be done.
#
# tools/arrow.sh installs arrow, because distributions do not package it and CRAN's version takes
# long to build. tools/browser.R installs chromote, which only the test of the web site needs.
#
#   Rscript tools/deps.R [--dry-run] [--needed] [roxygen2 pkgdown pandoc qpdf ...]
#   Rscript tools/deps.R [--dry-run] chromium libssl-dev libcurl4-openssl-dev

source("tools/pandoc.R")

# These are not needed in a usual installation.
elsewhere <- c("R", "arrow", "chromote")

needed <- c("Depends", "Imports", "LinkingTo")

read_wanted <- function(fields) {
  text <- read.dcf("DESCRIPTION", fields)
  items <- trimws(unlist(strsplit(text[!is.na(text)], ",")))
  version <- ifelse(grepl(">=", items), sub(".*>= *([0-9.-]+).*", "\\1", items), "0")
  wanted <- data.frame(package = sub("[[:space:](].*", "", items), version = version)
  unique(wanted[!wanted$package %in% elsewhere, ])
}

is_installed <- function(package, version) {
  nzchar(system.file(package = package)) && utils::packageVersion(package) >= version
}

missing_of <- function(wanted) {
  wanted[!mapply(is_installed, wanted$package, wanted$version), , drop = FALSE]
}

say <- function(...) cat("deps:", ..., "\n")

# The distribution's packages work only with the distribution's version of R.
can_use_apt <- function() {
  identical(Sys.info()[["effective_user"]], "root") &&
    startsWith(R.home(), "/usr/lib/R") && nzchar(Sys.which("apt-get"))
}

in_apt <- function(name) {
  system2("apt-cache", c("show", name), stdout = FALSE, stderr = FALSE) == 0
}

apt_name <- function(package) paste0("r-cran-", tolower(package))

apt_update <- function() {
  say("apt-get update")
  if (system2("apt-get", c("-qq", "update")) != 0) say("the package lists could not be updated")
}

apt_install <- function(names, dry_run) {
  names <- Filter(in_apt, names)
  if (length(names) == 0) return(invisible())
  options <- c("install", "-y", "-qq", "--no-install-recommends", "--no-upgrade")
  say("apt-get", options, names)
  if (dry_run) return(invisible())
  status <- system2("apt-get", c(options, names), env = "DEBIAN_FRONTEND=noninteractive")
  if (status != 0) say("apt-get failed")
}

# The library that install.packages() would use: the first writable library, or else the user's
# library.
choose_library <- function() {
  writable <- Filter(function(path) file.access(path, 2) == 0, .libPaths())
  if (length(writable) > 0) return(writable[1])
  path.expand(strsplit(Sys.getenv("R_LIBS_USER"), .Platform$path.sep)[[1]][1])
}

use_library <- function(path) {
  dir.create(path, recursive = TRUE, showWarnings = FALSE)
  .libPaths(c(path, .libPaths()))
}

cran_install <- function(packages, dry_run) {
  library <- choose_library()
  say("install.packages:", packages, "into", library)
  if (dry_run) return(invisible())
  use_library(library)
  source("tools/cran-mirror.R")
  cores <- max(1L, parallel::detectCores(), na.rm = TRUE)
  utils::install.packages(packages, lib = library, Ncpus = cores, quiet = TRUE)
}

install_missing <- function(wanted, apt, dry_run) {
  if (nrow(missing_of(wanted)) == 0) return(invisible())
  if (apt) apt_install(apt_name(missing_of(wanted)$package), dry_run)
  rest <- missing_of(wanted)$package
  if (dry_run && apt) rest <- rest[!vapply(apt_name(rest), in_apt, NA)]
  if (length(rest) > 0) cran_install(rest, dry_run)
}

# Paths where the R package chromote looks for a browser.
find_chromium <- function() {
  names <- c("google-chrome", "google-chrome-stable", "chromium-browser", "chromium")
  places <- c(Sys.getenv("CHROMOTE_CHROME"), Sys.which(names))
  c(places[nzchar(places)], "")[[1]]
}

# Libraries that the sources of R packages need for compilation, by their pkg-config names.
find_headers <- function(name) {
  function() {
    found <- nzchar(Sys.which("pkg-config")) && system2("pkg-config", c("--exists", name)) == 0
    if (found) name else ""
  }
}

# Programs that are not R packages: the path of each program, which is "" if it is missing, and the
# consequence of its absence.
find_program <- list(
  pandoc = find_pandoc, qpdf = function() Sys.which("qpdf"), chromium = find_chromium,
  "libssl-dev" = find_headers("openssl"), "libcurl4-openssl-dev" = find_headers("libcurl")
)
lost_without <- c(
  pandoc = "vignettes are skipped", qpdf = "R CMD check gives a warning",
  chromium = "tests in a browser are skipped",
  "libssl-dev" = "tests in a browser are skipped",
  "libcurl4-openssl-dev" = "tests in a browser are skipped"
)

missing_programs <- function(programs) {
  Filter(function(program) !nzchar(find_program[[program]]()), programs)
}

# If the distribution has no pandoc, the R package pandoc installs it.
install_own_pandoc <- function(apt, dry_run) {
  if (dry_run) return(say("pandoc, with the R package pandoc"))
  install_missing(data.frame(package = "pandoc", version = "0"), apt, dry_run)
  try(pandoc::pandoc_install(), silent = TRUE)
}

install_programs <- function(programs, apt, dry_run) {
  if (apt) for (program in missing_programs(programs)) apt_install(program, dry_run)
  if ("pandoc" %in% missing_programs(programs) && !(apt && dry_run)) {
    install_own_pandoc(apt, dry_run)
  }
}

report_missing <- function(wanted, programs) {
  lacking <- missing_of(wanted)$package
  fatal <- intersect(lacking, read_wanted(needed)$package)
  if (length(lacking) > 0) say("could not be installed:", lacking)
  for (program in missing_programs(programs)) {
    say(program, "could not be installed:", paste0(lost_without[[program]], ", tests still run"))
  }
  if (length(fatal) > 0) quit(status = 1)
}

main <- function(arguments) {
  dry_run <- "--dry-run" %in% arguments
  programs <- intersect(arguments, names(find_program))
  fields <- c(needed, if (!"--needed" %in% arguments) "Suggests")
  tools <- setdiff(arguments, c("--dry-run", "--needed", programs))
  wanted <- rbind(
    read_wanted(fields),
    data.frame(package = tools, version = rep("0", length(tools)))
  )
  if (nrow(missing_of(wanted)) == 0 && length(missing_programs(programs)) == 0) return(invisible())
  apt <- can_use_apt()
  if (apt && !dry_run) apt_update()
  install_missing(wanted, apt, dry_run)
  install_programs(programs, apt, dry_run)
  if (!dry_run) report_missing(wanted, programs)
}

main(commandArgs(trailingOnly = TRUE))
