# Compares the size of the code with its budget: lines per function and per file, and parameters per
# C++ function. Universal Ctags finds the C++ functions.

limits <- c(median = 10, p90 = 30, max = 80)
file_limits <- c(max = 400)
parameter_limits <- c(max = 4)

list_sources <- function(folder, pattern) {
  paths <- list.files(folder, pattern, recursive = TRUE, full.names = TRUE)
  paths[!grepl("RcppExports", paths)]
}

is_named_function <- function(code) {
  is.call(code) && as.character(code[[1]])[1] %in% c("<-", "=") &&
    is.call(code[[3]]) && identical(code[[3]][[1]], as.name("function"))
}

r_functions <- function(path) {
  code <- parse(path, keep.source = TRUE)
  chosen <- vapply(code, is_named_function, NA)
  data.frame(
    name = vapply(code[chosen], function(f) paste0(path, " ", deparse(f[[2]])), ""),
    lines = vapply(attr(code, "srcref")[chosen], function(at) at[3] - at[1] + 1, 0)
  )
}

has_ctags <- function() {
  nzchar(Sys.which("ctags")) &&
    any(grepl("Universal", system2("ctags", "--version", stdout = TRUE)))
}

cpp_functions <- function(paths) {
  format <- shQuote("--_xformat=%F %N\t%n\t%{end}\t%S")
  options <- c("-x", "--language-force=C++", "--kinds-C++=f", format)
  found <- system2("ctags", c(options, paths), stdout = TRUE)
  found <- utils::read.delim(text = found, header = FALSE, quote = "")
  data.frame(
    name = found[[1]],
    lines = found[[3]] - found[[2]] + 1,
    parameters = vapply(found[[4]], count_parameters, 0)
  )
}

# Number of parameters of a signature such as `(std::array<int, 2> a, int b) const`, which is one
# more than the number of commas outside the brackets of types.
count_parameters <- function(signature) {
  letters <- strsplit(signature, "")[[1]]
  depth <- cumsum(letters %in% c("(", "<", "{", "[")) - cumsum(letters %in% c(")", ">", "}", "]"))
  end <- which(depth == 0)[1]
  inside <- letters[seq_len(end - 1)]
  if (!any(grepl("\\w", inside))) return(0)
  1 + sum(inside == "," & depth[seq_len(end - 1)] == 1)
}

figures <- function(sizes) {
  c(
    median = stats::median(sizes), p90 = stats::quantile(sizes, 0.9, names = FALSE),
    max = max(sizes)
  )
}

report <- function(what, sizes, limits) {
  measured <- figures(sizes)[names(limits)]
  over <- measured > limits
  marks <- ifelse(over, " OVER", "")
  cat(sprintf("%-16s %5d", what, length(sizes)))
  cat(sprintf("   %s %g of %g%s", names(limits), measured, limits, marks), "\n", sep = "")
}

list_over <- function(names, sizes, limit) {
  over <- sizes > limit
  if (any(over)) cat(sprintf("    %s: %g\n", names[over], sizes[over]), sep = "")
}

report_files <- function(what, paths) {
  lines <- vapply(paths, function(path) length(readLines(path)), 0L)
  report(what, lines, file_limits)
  list_over(paths, lines, file_limits[["max"]])
}

report_functions <- function(what, functions) {
  report(what, functions$lines, limits)
  list_over(functions$name, functions$lines, limits[["max"]])
}

report_r <- function() {
  paths <- list_sources("R", "[.]R$")
  report_files("R files", paths)
  report_functions("R functions", do.call(rbind, lapply(paths, r_functions)))
}

report_cpp <- function() {
  paths <- list_sources("src", "[.](h|cpp)$")
  report_files("C++ files", paths)
  if (!has_ctags()) return(cat("C++ functions not measured: Universal Ctags is not installed\n"))
  functions <- cpp_functions(paths)
  report_functions("C++ functions", functions)
  report("C++ parameters", functions$parameters, parameter_limits)
  list_over(functions$name, functions$parameters, parameter_limits[["max"]])
}

report_r()
report_cpp()
