library(testthat)
library(buffet)

# On CRAN's machines, one test of each behaviour is run, which takes about a minute. NOT_CRAN=true
# runs all tests.
of_cran <- c(
  "bad-input", "check", "check-matrix", "prior", "prior-dibp", "prior-rbeta-bernoulli",
  "prior-tree", "left-order", "fit", "fit-list", "features", "init", "update", "peers",
  "topics-data", "logistic-responses", "method-gibbs", "reexports", "refused"
)
everything <- identical(Sys.getenv("NOT_CRAN"), "true")
test_check("buffet", filter = if (!everything) sprintf("^(%s)$", paste(of_cran, collapse = "|")))
