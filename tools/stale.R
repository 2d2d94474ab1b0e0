# Removes object files that a changed header makes stale: R's own make rules do not track which
# headers an object needs. The compiler has listed these in a file next to the object.

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
