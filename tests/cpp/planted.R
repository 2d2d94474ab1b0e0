# For planted.sh: changes the sources in TO/src so that each bug can be switched on by its number.
# The body of a function with bugs is included once with each bug and once without bugs.
#   Rscript planted.R BUGS SRC [TO]
# A bug outside such bodies gets its own file, TO/alone/NUMBER/FILE. Without TO, this script only
# checks that SRC contains the code that each bug replaces.

stop_plainly <- function(...) {
  message("error: ", ...)
  quit(status = 2)
}

read_text <- function(file) {
  if (!file.exists(file)) stop_plainly("no file ", file)
  readChar(file, file.size(file), useBytes = TRUE)
}

write_text <- function(text, file) {
  dir.create(dirname(file), showWarnings = FALSE, recursive = TRUE)
  cat(text, file = file)
}

# planted.sh separates fields and bugs with control characters.
read_bugs <- function(file) {
  bugs <- strsplit(strsplit(read_text(file), "\036", fixed = TRUE)[[1]], "\037", fixed = TRUE)
  field <- function(n) vapply(bugs, function(bug) if (length(bug) < n) "" else bug[n], "")
  data.frame(number = as.integer(field(1)), file = field(2), old = field(3), new = field(4))
}

place_of <- function(old, text, file) {
  at <- gregexpr(old, text, fixed = TRUE)[[1]]
  if (length(at) != 1 || at < 0) stop_plainly("'", old, "' must occur exactly once in ", file)
  at[[1]]
}

# The same text with comments, strings and directives blanked out.
without_words <- function(text) {
  pattern <- "//[^\n]*|/[*](?s:.*?)[*]/|\"(\\\\.|[^\"\\\\\n])*\"|'(\\\\.|[^'\\\\\n])'|(?m:^#.*$)"
  found <- gregexpr(pattern, text, perl = TRUE)
  regmatches(text, found) <- lapply(regmatches(text, found), function(x) strrep(" ", nchar(x)))
  text
}

# Positions of the braces around function bodies. The text before a brace shows whether it opens a
# body. If the last initialiser of a constructor has braces, there is no text between them and the
# body.
bodies_of <- function(text) {
  bare <- without_words(text)
  at <- gregexpr("[{};]", bare)[[1]]
  marks <- substring(bare, at, at)
  before <- trimws(substring(bare, c(1, head(at, -1) + 1), at - 1))
  depth <- cumsum((marks == "{") - (marks == "}"))
  last <- function(n) n + which(depth[-seq_len(n)] < depth[n])[1]
  is_body <- grepl("([)]|const|override|noexcept)$|->[^)]*$", before) |
    (before == "" & c("", head(marks, -1)) == "}")
  bodies <- data.frame(from = integer(), to = integer())
  for (n in which(marks == "{" & is_body & !grepl("\\bconstexpr\\b", before)))
    if (!any(bodies$from < at[n] & at[n] < bodies$to))
      bodies[nrow(bodies) + 1, ] <- c(at[n], at[last(n)])
  bodies
}

with_bug <- function(text, bug) {
  paste0(substr(text, 1, bug$at - 1), bug$new, substring(text, bug$at + nchar(bug$old)))
}

# The text between the braces of a body, repeated with each of the bugs and once without bugs.
switched <- function(inside, bugs) {
  branch <- function(bug) {
    sprintf("if (planted_bug == %d) {%s} else ", bug$number, with_bug(inside, bug))
  }
  branches <- vapply(split(bugs, bugs$number), branch, "")
  paste0(paste(branches, collapse = ""), "{", inside, "}")
}

plant <- function(bugs, text, to) {
  bodies <- bodies_of(text)
  ends <- bugs$at + nchar(bugs$old) - 1
  bugs$body <- mapply(function(s, e) match(TRUE, bodies$from < s & e < bodies$to), bugs$at, ends)
  for (bug in split(bugs, bugs$number)[is.na(bugs$body)])
    write_text(with_bug(text, bug), file.path(to, "alone", bug$number, bug$file))
  for (b in rev(sort(unique(bugs$body)))) {
    from <- bodies$from[b]
    here <- transform(bugs[which(bugs$body == b), ], at = at - from)
    inside <- switched(substr(text, from + 1, bodies$to[b] - 1), here)
    text <- paste0(substr(text, 1, from), inside, substring(text, bodies$to[b]))
  }
  write_text(paste0("extern int planted_bug;\n", text), file.path(to, "src", bugs$file[1]))
}

arguments <- commandArgs(TRUE)
bugs <- read_bugs(arguments[1])
for (of_file in split(bugs, bugs$file)) {
  file <- of_file$file[1]
  text <- read_text(file.path(arguments[2], file))
  of_file$at <- vapply(of_file$old, place_of, 1, text, file)
  if (!is.na(arguments[3])) plant(of_file, text, arguments[3])
}
