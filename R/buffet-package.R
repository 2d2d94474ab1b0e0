# nolint start: line_length_linter. Rows of a table cannot be broken.
#' buffet: Indian buffet process latent feature models
#'
#' Objects often share several properties at once. A latent feature model says which properties there
#' are, which rows of the data have which, and what each does to the data. Under the Indian buffet
#' process the number of features is learned. A model is *data + a prior over features + a likelihood +
#' a method*: the likelihood is the `fit_*()` function that is called, the prior is made by a `prior_*()`
#' function, and the method by a `method_*()` function. [buffet_fit] lists what a fit can be asked.
#'
#' @section Which model for which data:
#' | a row of the data is | function | vignette |
#' |---|---|---|
#' | numbers, an image | [fit_gaussian()] | `vignette("buffet")` |
#' | parts that add up, such as a spectrum | [fit_gaussian()] with `loadings = "nonnegative"` | `vignette("reed-ghahramani")` |
#' | numbers that features change by degrees | [fit_factor()] | `vignette("knowles-ghahramani")` |
#' | zeros and ones, yes and no | [fit_logistic()] | `vignette("neal")` |
#' | numbers, counts and categories side by side | [fit_mixed()] | `vignette("data-frames")` |
#' | an item that people compared with others | [fit_choice()] | `vignette("miller-griffiths-jordan")` |
#' | the words of a document | [fit_topics()] | `vignette("williamson")` |
#' | an image or a profile, with features of features | [fit_cascade()] | `vignette("adams-wallach-ghahramani")` |
#' | amounts of a given number of components | [fit_nmf()], the baseline without the process | `vignette("methods-compared")` |
#'
#' @section Which prior:
#' [prior_ibp()] is the default, with one, two or three parameters. [prior_beta_bernoulli()] has at most so
#' many features. Under [prior_pibp()] rows are the tips of a tree, and close ones tend to share features.
#' [prior_fixed()] takes features that are known. `vignette("processes")` draws them.
#'
#' @section Which method for which size:
#' | you want | data | method |
#' |---|---|---|
#' | draws from the posterior | up to some thousand rows | [method_gibbs()], the default |
#' | draws from the posterior | many rows | [method_gibbs()] with `sampler = "parallel"` |
#' | one estimate, nonnegative loadings | up to millions of rows | [method_meibp()] |
#' | a probability of every entry, loadings of either kind | up to millions of rows | [method_variational()], [method_power_ep()] |
#' | a first look, normal loadings | some thousand rows | [method_beam()] |
#'
#' Data beyond memory are [row_blocks()]; chains and rows may be on several machines, see [distributed].
#' `vignette("which-model")` has all of this with a first fit.
#'
#' @section Strings:
#' Strings that choose, as `loadings = "nonnegative"` or `type = "trace"`, are case-sensitive.
#'
#' @section Terms:
#' * A **feature** is a property that a row of the data has or does not have. The binary matrix `Z` says
#'   which rows have which features.
#' * The **loadings** `A` say what a feature does to the data: the data are `Z A` plus noise. Of binary
#'   data they are called **weights**, and add to the log odds of a 1; its log odds in rows without
#'   features are the **bias** of a column. In a model of choices features are called **aspects**,
#'   and each has a **weight**.
#' * A **hyperparameter** is a parameter of a prior, such as `alpha`, which governs how many
#'   features there are, or of the noise. A number fixes it, [gamma_prior()] learns it.
#'
#' @examples
#' fit <- fit_gaussian(block_images(40), method = method_gibbs(chains = 2, iter = 300), seed = 1)
#' fit
#' @useDynLib buffet, .registration = TRUE
#' @importFrom Rcpp evalCpp
#' @importFrom rlang .data
#' @srrstats {G1.0} The papers are in `citation("buffet")`, in README.md and on the page of each
#'   `fit_*()` function.
#' @srrstats {G1.1} README.md, Prior art: the first package for these models in R alone, and what
#'   there is elsewhere.
#' @srrstats {G1.2} CONTRIBUTING.md, Life cycle.
#' @srrstats {G1.3} The section Terms of `?buffet`; diagnostics and bounds are explained or cited on
#'   the pages that give them.
#' @srrstats {G1.4} tools/document.R makes all of man and NAMESPACE by roxygen2.
#' @srrstats {G1.4a} In part: four of five internal functions have a block with `@noRd`; where the
#'   name says it all there is none (CONTRIBUTING.md, Style).
#' @srrstats {G1.6} data-raw/factor-comparisons.R and data-raw/mixed-comparisons.R run the other
#'   packages of vignettes/knowles-ghahramani.Rmd and vignettes/data-frames.Rmd.
#' @srrstats {BS1.1} README.md has a fit for each kind of data, and `?fit_gaussian` says of `x` what
#'   it may be.
#' @srrstats {BS1.2, BS1.2a} README.md, Priors.
#' @srrstats {BS1.2b} vignettes/buffet.Rmd, Priors, fits the same data under five priors;
#'   vignettes/processes.Rmd draws them.
#' @srrstats {BS1.3b} `?fit_gaussian` has the samplers and methods with examples,
#'   vignettes/samplers-compared.Rmd runs them on the same data.
#' @srrstats {BS4.1} vignettes/knowles-ghahramani.Rmd beside the sampler of IMIFA
#'   (data-raw/factor-comparisons.R); vignettes/methods-compared.Rmd beside samplers of papers, as
#'   bench/comparison/samplers.h has them.
#' @srrstats {BS7.3} In part: vignettes/reed-ghahramani.Rmd and bench/meibp/complexity.cpp measure
#'   how time grows with rows, columns and features; tests bound the times of draws from priors
#'   alone.
#' @srrstats {UL1.4b} In part: vignettes/buffet.Rmd, Scale and centring, contrasts data as they are
#'   with scaled and centred ones; the examples of `?fit_factor` call scale() for the reason that
#'   its section Scale gives, without the contrast.
"_PACKAGE"
# nolint end
