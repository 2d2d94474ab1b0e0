# Writes RcppExports, NAMESPACE and man. Nothing is compiled. roxygen2 needs only the R code, so its
# warning that there is no shared library yet can be ignored.

load_r_code <- function(path) {
  loaded <- suppressWarnings(pkgload::load_all(path,
    compile = FALSE, helpers = FALSE, attach_testthat = FALSE, quiet = TRUE
  ))
  loaded$env
}

Rcpp::compileAttributes()
roxygen2::roxygenise(load_code = load_r_code)
