# rOpenSci's standards for statistical software, version 0.2.0. What is met is tagged at the code
# and the tests that meet it; here is what does not apply, and what applies and is not met.
# vignettes/articles/standards.Rmd shows all of it.

#' NA_standards
#'
#' @srrstatsNA {G3.1, G3.1a} No covariance is estimated by stats::cov() or its kin: that of
#'   `vcov.fit_factor()` is a function of the model's parameters.
#' @srrstatsNA {BS2.10} There is one seed for all chains, so that no two can be given the same.
#' @srrstatsNA {BS3.1, BS3.2, UL2.3} Nothing is regressed on the columns of the data, and loadings
#'   have proper priors: collinear columns are what features explain, and test-gaussian-fit.R fits
#'   them.
#' @srrstatsNA {BS4.7} The threshold of Rhat, 1.05, is no parameter.
#' @srrstatsNA {UL3.2} Matrices and data frames carry the names of their rows, and pictures number
#'   rows without any.
#' @srrstatsNA {UL4.1} A standard that says "may": `format()`, `print()` and `simulate()` of a
#'   prior need no fit, and there is no fit without draws.
#' @srrstatsNA {UL6.1} `plot()` is the generic itself.
#' @srrstatsNA {PD2.0} No package represents distributions of binary matrices of unbounded width;
#'   scalars have R's own functions.
#' @noRd
NULL

#' Standards that apply and are not met
#'
#' @srrstatsTODO {G2.14, G2.14a, G2.14b, UL2.2} No argument says what becomes of `NA`: they are
#'   entries to be completed. Who wants an error or whole rows alone gives `na.fail(x)` or
#'   `na.omit(x)`.
#' @srrstatsTODO {G2.16} NaN and infinite entries are always refused, with their number and the
#'   first of their places; there is no option to leave them out.
#' @srrstatsTODO {G4.0} `file` is taken as it is given, without a suffix that is added.
#' @srrstatsTODO {G5.4b} No test has results of another program; articles compare with some.
#' @srrstatsTODO {BS2.11} `init`, which may be a list, is singular, as rstan has it.
#' @srrstatsTODO {UL1.2} Rows and columns without names are numbered without a message.
#' @noRd
NULL
