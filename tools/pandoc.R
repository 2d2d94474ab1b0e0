# Looks for pandoc on the path, in RStudio's folder, and in the folder of the R package pandoc.

find_pandoc <- function() {
  places <- c(dirname(Sys.which("pandoc")), Sys.getenv("RSTUDIO_PANDOC"), pandoc_of_package())
  places <- places[nzchar(places)]
  found <- file.exists(file.path(places, "pandoc")) | file.exists(file.path(places, "pandoc.exe"))
  c(places[found], "")[1]
}

pandoc_of_package <- function() {
  if (!nzchar(system.file(package = "pandoc"))) return("")
  program <- tryCatch(pandoc::pandoc_bin(), error = function(e) NULL)
  if (is.null(program)) "" else dirname(program)
}
