# rOpenSci's standards for statistical software, version 0.2.0. What is met is tagged at the code
# and the tests that meet it; here is what does not apply. What applies and is not met would have
# the tag @srrstatsTODO. vignettes/articles/standards.Rmd shows all of it.

#' NA_standards
#'
#' @srrstatsNA {G3.1, G3.1a} No covariance is estimated by stats::cov() or its kin: that of
#'   `vcov.fit_factor()` is a function of the model's parameters.
#' @srrstatsNA {BS2.10} There is one seed for all chains, so that no two can be given the same.
#' @srrstatsNA {BS3.1, BS3.2, UL2.3} Nothing is regressed on the columns of the data, and loadings
#'   have proper priors: collinear columns are what features explain, and test-gaussian-fit.R fits
#'   them.
#' @srrstatsNA {BS2.11} `init` takes no vector, which the standard is about: it is a matrix, a fit
#'   or a list of named elements. Its name is that of rstan, cmdstanr and brms.
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
