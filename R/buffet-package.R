# nolint start: line_length_linter. Rows of a table cannot be broken.
#' buffet: Indian buffet process latent feature models
#'
#' Objects often have several properties at once. A latent feature model finds out which properties
#' there are, which rows of the data have them, and how each of them affects the data. Under the
#' Indian buffet process the number of features is learned as well.
#'
#' A model has four parts: *data + a prior over features + a likelihood + a method*. The `fit_*()`
#' function that you call determines the likelihood, a `prior_*()` function creates the prior, and a
#' `method_*()` function the method of inference. [buffet_fit] lists the functions that work on a
#' fit.
#'
#' @section Present or absent, or a matter of degree?: Answer this question first. Binary features
#' are for properties that a row has or does not have: an object is in the image or not, a patient
#' has a disease or not. If properties vary in degree, as size and ability do, use [fit_factor()],
#' or [fit_nmf()] for nonnegative amounts; binary features would split each such property into many.
#' If you do not know, fit both and compare them with [compare_heldout()]. `print()` warns you if
#' presence or absence may not describe the data well; see [stability].
#'
#' @section Which model for which data:
#' | a row of the data is | function | vignette |
#' |---|---|---|
#' | numbers, an image | [fit_gaussian()] | `vignette("images-and-spectra")` |
#' | parts that add up, such as a spectrum | [fit_gaussian()] with `loadings = "nonnegative"` | `vignette("images-and-spectra")` |
#' | correlated numbers, with properties that vary in degree | [fit_factor()] | `vignette("how-many-factors")` |
#' | answers to test or questionnaire items, yes/no or ordered | [fit_factor()] with `families = "ordinal"` | `vignette("how-many-factors")` |
#' | zeros and ones, yes and no | [fit_logistic()] | `vignette("binary-data")` |
#' | numbers, counts and categories side by side, with or without missing entries | [fit_mixed()]; [fit_factor()] if properties vary in degree | `vignette("data-frames")` |
#' | an item that people compared with others (pairwise preferences) | [fit_choice()] | `vignette("choices")` |
#' | the words of a document | [fit_topics()] | `vignette("topics")` |
#' | an image or a profile, with features of features | [fit_cascade()] | `vignette("networks")` |
#' | amounts of a given number of components | [fit_nmf()], the baseline without the process | `vignette("images-and-spectra")` |
#'
#' @section Which prior:
#' * [prior_ibp()], the default, is the Indian buffet process with one, two or three parameters.
#' * [prior_beta_bernoulli()] limits the number of features.
#' * [prior_pibp()] is for rows that are the tips of a tree. Rows that are close on the tree tend to
#'   share features.
#' * [prior_attraction()] is for rows with known distances. Rows that are close to each other tend
#'   to share features.
#' * [prior_fixed()] is for features that are known.
#'
#' `vignette("processes")` shows draws from these priors.
#'
#' @section Which method for which size:
#' | you want | data | method |
#' |---|---|---|
#' | draws from the posterior | up to a few thousand rows | [method_gibbs()], the default |
#' | draws from the posterior | many rows, measured up to 131,072 | [method_gibbs()] with `sampler = "parallel"` |
#' | one estimate, nonnegative loadings | many rows, measured up to 131,072 | [method_meibp()] |
#' | a probability for every entry, normal or nonnegative loadings | measured up to 10,000 rows | [method_variational()], [method_power_ep()] |
#' | a first look, normal loadings | measured up to 10,000 rows | [method_beam()] |
#'
#' All methods except the first are for [fit_gaussian()] only; [fit_nmf()] also has [method_icm()].
#' For data that do not fit into memory, use [row_blocks()]. Chains and rows can be distributed over
#' several machines; see [distributed]. `vignette("which-model")` walks through these choices and a
#' first fit.
#'
#' @section Concepts: [convergence] of chains, [stability] of features, [samplers], [init],
#' [families], [factor_priors], [factor_families], [missing_values], [checkpoints] and [seeds] have
#' their own pages.
#'
#' @section Terms:
#' * A **feature** is a property that a row of the data has or does not have. The binary matrix `Z`
#'   shows which rows have which features.
#' * The **loadings** `A` describe how each feature affects the data: the data are `Z A` plus noise.
#'   In models of binary data and of data frames, loadings are called **weights**: in binary data, a
#'   weight is added to the log odds of a one. The **bias** of a column is its value in rows without
#'   features. In a model of choices, features are called **aspects**, and each aspect has one
#'   **weight**.
#' * A **hyperparameter** is a parameter of the noise or of a prior, such as `alpha`, which governs
#'   the number of features. A number fixes it; with a [gamma_prior()] it is learned.
#' * A **sweep** is one iteration of a sampler, and a **chain** is a sequence of sweeps. The first
#'   part of a chain, the **warm-up**, is not used for estimates. A **mode** is a region of high
#'   posterior density; chains can be stuck in different ones.
#' * A **point estimate** is a single value instead of draws. The **bound** is the lower bound on
#'   the log evidence that [method_meibp()] and [method_variational()] maximise; see [objective()].
#' * The **held-out density** is the log density of entries that the fit did not see.
#' * A **topic** is a distribution over words. A **cascade** is a network of hidden layers in which
#'   the units of each layer choose parents in the next one.
#'
#' @section Default priors: `prior_summary(fit)` shows the priors of a fit. By default they are:
#'
#' * features: `prior_ibp()` with `concentration = 1` and `discount = 0`;
#' * `alpha`: Gamma with shape 1 and rate 1, but rate 0.1 for [fit_topics()] and [fit_cascade()];
#' * `1 / sigma_x^2`, the precision of the noise: Gamma with shape 1 and rate s^2, where s is the
#'   standard deviation of the data; for [fit_factor()] shape 2.5 and a rate computed from the data;
#' * `1 / sigma_a^2`, the precision of the loadings: Gamma with shape 1 and rate s^2; for
#'   [fit_logistic()], and for `1 / sigma_w^2` in [fit_mixed()], rate 1;
#' * `1 / sigma_b^2`, the precision of the biases: Gamma with shape 1 and rate 1;
#' * weights of aspects: Gamma with shape 1 and rate 1; `epsilon`, the share of choices made at
#'   random, is fixed at 0.01.
#'
#' Rescaling the data as a whole makes no difference, but rescaling single columns does: nothing is
#' centred or scaled unless you ask for it with `center` or `scale`, except that [fit_factor()]
#' centres, and scales if columns have families, and that [fit_mixed()] standardises numbers.
#'
#' @examples
#' # a fit in one line: 40 images that are sums of four features, by Gibbs sampling
#' fit <- fit_gaussian(sim_images(40), method = method_gibbs(chains = 2, iter = 300), seed = 1)
#' fit
#' # which features the first images have
#' head(features(fit))
#' @useDynLib buffet, .registration = TRUE
#' @importFrom Rcpp evalCpp
#' @importFrom posterior as_draws as_draws_array as_draws_df as_draws_list as_draws_matrix
#' @importFrom posterior as_draws_rvars nchains ndraws niterations variables
#' @importFrom generics augment glance tidy
#' @importFrom rstantools log_lik posterior_predict prior_summary posterior_epred posterior_interval
#' @importFrom rstantools predictive_interval bayes_R2
#' @rawNamespace import(ggplot2, except = Position)
#' @importFrom rlang .data %||%
"_PACKAGE"
# nolint end

#' @export
posterior::as_draws
#' @export
posterior::as_draws_array
#' @export
posterior::as_draws_df
#' @export
posterior::as_draws_list
#' @export
posterior::as_draws_matrix
#' @export
posterior::as_draws_rvars
#' @export
generics::augment
#' @export
generics::glance
#' @export
generics::tidy
#' @export
rstantools::log_lik
#' @export
rstantools::posterior_predict
#' @export
rstantools::prior_summary
#' @export
posterior::nchains
#' The page ?ndraws documents the argument `ndraws`, and notes that the function is from posterior.
#' @export
#' @noRd
posterior::ndraws
#' @export
posterior::niterations
#' @export
posterior::variables
#' @export
rstantools::posterior_epred
#' @export
rstantools::posterior_interval
#' @export
rstantools::predictive_interval
#' @export
rstantools::bayes_R2

#' A demonstration in the browser
#'
#' Opens a page with three tabs. **Your data** reads a CSV file or an example data set and fits a
#' model that suits its columns. It shows figures, a summary and the equivalent R code, and saves
#' the features as a CSV file and every figure as a PNG file. **Draw** shows the Indian buffet
#' process next to the Chinese restaurant process, customer by customer, with sliders for their
#' parameters. **Watch** shows a Gibbs sampler at work on [sim_images()], sweep by sweep.
#'
#' Chains have the default length of [method_gibbs()]. Fits run in another R process, so
#' the page stays usable and a fit can be stopped; a stopped fit keeps the draws so far. *Run
#' longer* continues the chains until they have twice as many sweeps. Files are read by
#' [data.table::fread()] and stay on the computer that runs R. They can be up to 5 MB in size;
#' `options(shiny.maxRequestSize = )` changes this limit.
#'
#' `buffet_demo()` needs the packages shiny, bslib, callr and data.table. If one is missing, an
#' interactive session offers to install it; a script stops with an error.
#'
#' @param ... Arguments of [shiny::runApp()], such as `port` and `launch.browser`.
#' @return The result of [shiny::runApp()], once the page is closed or R is interrupted.
#' @seealso `vignette("processes")`, which explains what the page draws
#' @examples
#' if (interactive()) {
#'   buffet_demo()
#'   buffet_demo(port = 4321, launch.browser = FALSE)
#' }
#' @export
buffet_demo <- function(...) {
  rlang::check_installed(c("shiny", "bslib", "callr", "data.table"), "for buffet_demo().")
  shiny::runApp(system.file("app", package = "buffet"), ...)
}

# A print() method for classes that have a format() method. It is defined in this file because R
# files are sourced in alphabetical order.
print_lines <- function(x, ...) {
  cat(format(x), sep = "\n")
  invisible(x)
}
