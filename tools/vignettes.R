# Knits vignettes/NAME.Rmd.orig to vignettes/NAME.Rmd, with the figures in vignettes/figures. The
# fits in these vignettes run for minutes. Their output is therefore committed, and installing the
# package only converts it to HTML.
#
#   Rscript tools/vignettes.R [NAME ...]
#
# Without names, all vignettes that are older than their sources are knitted, each in its own
# process. The stamp in NAME.Rmd is the checksum of its source, which test-documents.R checks.

stamp <- function(source) {
  sprintf(
    "<!-- Knitted from %s (md5 %s) by `make vignettes`. Edit that file. -->",
    basename(source), tools::md5sum(source)
  )
}

is_current <- function(name) {
  made <- file.path("vignettes", paste0(name, ".Rmd"))
  file.exists(made) && any(readLines(made, n = 30) == stamp(paste0(made, ".orig")))
}

knit_here <- function(name) {
  setwd("vignettes")
  source <- paste0(name, ".Rmd.orig")
  unlink(Sys.glob(sprintf("figures/%s-*", name)))
  knitr::pat_md()
  knitr::render_markdown()
  knitr::opts_chunk$set(fig.path = sprintf("figures/%s-", name), error = FALSE)
  made <- knitr::knit(source, paste0(name, ".Rmd"), quiet = TRUE, envir = globalenv())
  lines <- sub("[ \t]+$", "", readLines(made, encoding = "UTF-8"))
  head <- seq_len(which(lines == "---")[2])
  writeLines(c(lines[head], "", stamp(source), lines[-head]), made, useBytes = TRUE)
}

knit_apart <- function(name) {
  begun <- proc.time()
  rscript <- file.path(R.home("bin"), "Rscript")
  failed <- system2(rscript, c("tools/vignettes.R", "--here", name)) != 0
  time <- proc.time() - begun
  cat(sprintf("%-26s %5.0f s, %5.0f s of processor time\n", name, time[[3]], sum(time[4:5])))
  if (failed) stop(name, " cannot be knitted", call. = FALSE)
}

main <- function(...) {
  names <- c(...)
  if (identical(names[1], "--here")) return(knit_here(names[2]))
  if (length(names) == 0) {
    names <- sub("[.]Rmd[.]orig$", "", list.files("vignettes", "[.]Rmd[.]orig$"))
    names <- Filter(Negate(is_current), names)
  }
  for (name in names) knit_apart(name)
}

if (sys.nframe() == 0) do.call(main, as.list(commandArgs(trailingOnly = TRUE)))
