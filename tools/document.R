# Writes RcppExports, NAMESPACE and man. Nothing is compiled: roxygen2 needs the R code alone, so
# the warning that there is no shared library yet means nothing.

load_r_code <- function(path) {
  loaded <- suppressWarnings(pkgload::load_all(path,
    compile = FALSE, helpers = FALSE, attach_testthat = FALSE, quiet = TRUE
  ))
  loaded$env
}

# Tags of rOpenSci's standards are for the package srr and for tools/standards.R: roxygen2 makes
# nothing of them, whether srr is installed or not.
ignore_tag <- function(tag) {
  class <- paste0("roxy_tag_", tag)
  registerS3method("roxy_tag_parse", class, function(x) NULL, asNamespace("roxygen2"))
}
for (tag in c("srrstats", "srrstatsNA", "srrstatsTODO")) ignore_tag(tag)

Rcpp::compileAttributes()
roxygen2::roxygenise(load_code = load_r_code)
