library(testthat)
library(buffet)

test_check("buffet")
