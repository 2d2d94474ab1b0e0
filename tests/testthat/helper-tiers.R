# Sizes of tests. The quick tier runs every kind of test. With BUFFET_TESTS=full, chains are longer
# and there are more data sets, and with BUFFET_EXTENDED_TESTS=true, there are still more.

extended <- function() identical(Sys.getenv("BUFFET_EXTENDED_TESTS"), "true")
is_quick <- function() !extended() && Sys.getenv("BUFFET_TESTS", "quick") != "full"

#' The size of a test in each tier
sized <- function(quick, full, extended = full) {
  if (extended()) extended else if (is_quick()) quick else full
}

#' Skips a test that is valid only at its full size
skip_if_quick <- function() skip_if(is_quick(), "a test of the full tier")
