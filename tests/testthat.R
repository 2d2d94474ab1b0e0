library(testthat)
library(buffet)

# CRAN's machines run one test of each behaviour, in about a minute. NOT_CRAN=true runs all.
of_cran <- c(
  "bad-input", "check", "check-matrix", "prior", "prior-dibp", "prior-rbeta-bernoulli",
  "prior-tree", "left-order", "fit", "fit-list", "features", "init", "update", "peers",
  "topics-data", "logistic-responses", "method-gibbs", "reexports", "refused"
)
everything <- identical(Sys.getenv("NOT_CRAN"), "true")
test_check("buffet", filter = if (!everything) sprintf("^(%s)$", paste(of_cran, collapse = "|")))
