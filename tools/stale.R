# Removes object files that are out of date because a header has changed. R's own make rules do not
# track which headers an object file depends on, but the compiler lists them in a file next to it.

is_stale <- function(object) {
  listed <- sub("[.]o$", ".d", object)
  if (!file.exists(listed)) return(TRUE)
  rules <- gsub("\\\\\n", " ", paste(readLines(listed), collapse = "\n"))
  words <- unlist(strsplit(rules, "[ \n]+"))
  own <- grep("^[^/]", words[-1], value = TRUE)
  needed <- file.path("src", c("Makevars", own))
  changed <- file.mtime(needed) > file.mtime(object)
  any(is.na(changed) | changed)
}

objects <- list.files("src", "[.]o$", recursive = TRUE, full.names = TRUE)
unlink(Filter(is_stale, objects))
