#' Fit a linear-Gaussian latent feature model
#'
#' Every row of the data holds some binary features and is the sum of their loadings plus noise. How
#' many features there are, who holds them and what they do is learned.
#'
#' @details
#' The model is
#' \deqn{X = Z A + E, \quad E_{ij} \sim N(0, \sigma_x^2), \quad A_{kj} \sim N(0, \sigma_a^2),}
#' with a prior on the binary matrix Z, by default the Indian buffet process. With `loadings =
#' "nonnegative"` those normals of A are truncated to \[0, Inf).
#'
#' ## Samplers
#' * `"collapsed"`, the default of normal loadings, integrates the loadings out (Griffiths and
#'   Ghahramani 2011, eq. 26) and visits rows as the accelerated sampler of Doshi-Velez and
#'   Ghahramani (2009), at a cost per row that does not depend on the number of columns beyond one
#'   pass over the data. Complete data with more columns than rows are rotated exactly, so that 100
#'   images of 76,800 pixels cost what 100 rows of 100 numbers cost.
#' * `"uncollapsed"`, the default of nonnegative loadings, holds the loadings. How many features
#'   only a row has is drawn with theirs integrated out; nonnegative ones are born and die one at a
#'   time, the loadings of the one that is born or dies integrated out.
#' * `"slice"` holds the probabilities of the features as well: the semi-ordered slice sampler of
#'   Teh, Gorur and Ghahramani (2007), with those unused features that lie above the slice. Not with
#'   [prior_pibp()].
#' * `"parallel"` is for many rows. It holds the loadings and the probabilities of the features that
#'   rows have. Rows are then independent of each other and need not be visited in turn: they can be
#'   on the workers of a cluster, `cl`, or come from [row_blocks()], which is then held in memory. A
#'   sweep is of one of two kinds. The first draws all entries of Z, except those that keep features
#'   in use: the first row that has a feature, in a cyclic order that begins anywhere, keeps it, and
#'   the rows before it stay without it. The second draws the entries of features that several rows
#'   have and then, with loadings and probabilities integrated out, how many features each row has
#'   alone. A row costs one product of it with the loadings. Chains start from a search on 2000 rows,
#'   evenly spread. `log_lik` is conditional on the loadings, whose draws are kept, so it cannot be
#'   compared with that of the collapsed sampler. Not with [prior_pibp()] or `noise = "column"`.
#'
#' All but `"slice"` draw up to five entries of a row jointly, those of features whose loadings can
#' make up for each other, and all other entries one by one.
#'
#' All have the same posterior. With normal loadings the first three also replace a feature by its
#' exclusive or with another, and split and merge features, with the loadings integrated out. With
#' nonnegative loadings they split and merge features that no row has both of, with the loadings of
#' these integrated out, given those of all others. `"parallel"` has no such moves: where chains have
#' begun with too few features it can stay there longer, and few rows are better left to the others.
#'
#' ## MEIBP
#' [method_meibp()], for nonnegative loadings, does not sample but climbs a lower bound of the log
#' evidence (Reed and Ghahramani 2013) and ends at one estimate of Z, with variational posteriors of
#' the loadings and of the hyperparameters that are learned. It is for data too large to sample, for
#' a first look, and for a start: `init` takes its fit. `alpha` must be a number there with
#' [prior_beta_bernoulli()], `concentration` with any prior. What the fit says of its own
#' uncertainty is too little; see `vignette("reed-ghahramani")`.
#'
#' ## Variational inference
#' [method_variational()] and [method_power_ep()], for loadings of both kinds, raise a bound of the
#' log evidence as well, but keep a probability for every entry of Z. They take the hyperparameters
#' that MEIBP does, and `discount` 0.
#'
#' ## Beam search
#' [method_beam()], for normal loadings, goes over the rows once and keeps the most probable feature
#' matrices of those so far. It ends at one estimate of Z as well.
#'
#' ## Warm-up
#' Warm-up begins with three starts of a sweep budget each (100 sweeps where `warmup` is at least
#' 350), by the collapsed sampler whatever the sampler is; the best goes on. The first begins from the
#' independent components of the data: of the principal components that stand out of the noise
#' (Marchenko and Pastur 1967), turned to be as far from normal as can be (FastICA, Hyvarinen and Oja
#' 1997), each cut in two. Features held independently by a third to a half of the rows are such
#' components. The two others begin from one random feature and are annealed from a noise as large as
#' the data. All are repaired on the way. Give `init` to start somewhere else; then there is no such
#' search. Later in the warm-up, chains that are far below the best go on from its state, see
#' [method_gibbs()].
#'
#' ## Missing entries
#' The posterior is that given the observed entries. The collapsed sampler draws the missing entries
#' of a row when it visits it, its features with them integrated out; methods that do not sample
#' leave them out of their sums. [predict()][predict.buffet_fit] and `fitted()` complete them,
#' [heldout_density()] says how probable the true ones were.
#'
#' ## Scale
#' Nothing is transformed unless asked. Loadings have mean zero, so data whose mean is far from zero
#' need a feature that every row holds, or `center = TRUE`, which in turn adds an always-on feature
#' where the truth is not centred. One standard deviation of loadings, and unless `noise = "column"`
#' one of the noise, serves all columns, and the default priors are vague where the standard
#' deviations of the data are within a few powers of ten of 1. So ask for `scale = TRUE` where
#' columns have different units; a message says where their standard deviations differ more than
#' tenfold.
#'
#' ## Noise of each column
#' With `noise = "column"` (Neal 2011) the noise of column j is \eqn{N(0, \sigma_j^2)}. Where
#' columns are measured with different precision this weighs them by it; one noise for all takes
#' what is left in the noisiest columns for features. It is for normal loadings, dense data and the
#' sampler `"uncollapsed"`, which draws each \eqn{\sigma_j} given the loadings, moves whole
#' features with the loadings integrated out given the \eqn{\sigma_j}, and searches for its starts
#' itself. The scalar `sigma_x` of the fit is the root mean square of the \eqn{\sigma_j}; their
#' posterior means are the attribute `"sigma_x"` of [loadings_of()]. No \eqn{\sigma_j} that is
#' learned falls below a thousandth of `sigma_a`.
#'
#' @param x (numeric matrix, data frame or sparse `Matrix`) N x D, one row an observation. `NA` is a
#'   missing entry; there must be one that is not. None may be infinite or beyond 1e100 in size.
#'   Names of rows and columns are kept; other attributes, such as units of measurement, are not. A
#'   sparse matrix is not made dense; what it does not hold is zero, not missing. For
#'   [method_meibp()], [method_variational()], [method_power_ep()] and the sampler `"parallel"` also
#'   [row_blocks()], data that are read block by block. Such a fit predicts new rows, but has neither
#'   residuals nor densities.
#' @param loadings (string) Prior of the loadings: `"normal"` or `"nonnegative"`. Draws of
#'   nonnegative ones, and with the sampler `"parallel"` of all, are kept in the fit of
#'   [method_gibbs()], D x K numbers a draw.
#' @param sigma_x,sigma_a (positive number or [gamma_prior()]) Standard deviation of the noise and
#'   of the loadings (of the normal that is truncated, where they are nonnegative). A number fixes
#'   it; a `gamma_prior()` is the prior of the precision 1/sigma^2, which is then learned. With
#'   normal loadings `sigma_x` is at least a thousandth of `sigma_a`: less noise is beyond the
#'   precision of doubles where features depend on each other. With `noise = "column"` the prior is
#'   that of the precision of every column, independently; a number fixes the noise of all columns,
#'   a vector of D numbers that of each.
#' @param center (flag or `NULL`) Subtract the column means of the observed entries first? They are
#'   recorded and added to all predictions again. `NULL` (default): where `scale = TRUE` and loadings
#'   are normal. Not for a sparse `x` or [row_blocks()].
#' @param scale (flag) Divide the columns by the standard deviations of their observed entries first?
#'   The model is then one of the scaled columns, and so are `sigma_x`, `sigma_a` and their priors.
#'   Everything that is told of columns has their own units again: loadings, predictions, residuals,
#'   simulated data and densities. Not for a sparse `x` or [row_blocks()].
#' @param noise (string) `"common"`: one standard deviation of the noise for all columns;
#'   `"column"`: each has its own, see below. Draws then keep D x (K + 1) numbers.
#' @param prior A prior on feature matrices: [prior_ibp()], [prior_beta_bernoulli()] or, for rows
#'   that are the tips of a tree, [prior_pibp()].
#' @param method [method_gibbs()], with `sampler` `"collapsed"`, `"uncollapsed"`, `"slice"` or
#'   `"parallel"` (see Samplers), [method_meibp()], [method_beam()], [method_variational()] or
#'   [method_power_ep()].
#' @param init Where chains start: `NULL` (default, see Warm-up), a binary matrix with a row per row
#'   of `x`, an earlier fit to as many rows, or a list with any of `features`, `alpha`,
#'   `concentration`, `sigma_x`, `sigma_a`; or an unnamed list of such, one a chain. Chains start
#'   from the last draws of a fit's chains, in turn. What is not given starts from its default: one
#'   feature that half of the rows hold, `alpha` and `concentration` 1, both standard deviations the
#'   root mean square of the data. For methods that do not sample one such start, without `alpha`,
#'   which they find from the features; where some row has one of them, the only ascent is from
#'   there. [method_beam()] takes no features.
#' @param seed (whole number or `NULL`) Same seed, same result, whatever `cores` or `threads` is.
#'   `NULL` draws it from R's generator, so that `set.seed()` governs.
#' @param verbose (flag) Show a progress bar? It appears where messages go to a terminal.
#' @param file (path or `NULL`) Where the run is saved every five seconds (or as many as
#'   `options(buffet.checkpoint_seconds = )` says) and at its end, replacing the file as a whole;
#'   where that is impossible a warning says so and the run goes on. After an interrupt, a crash or
#'   a kill the same call with the same `file`
#'   goes on from there, and its result is identical to that of a run that was never stopped; after
#'   the end it gives the fit at once. Where data, model, method, `init` or seed differ the file is
#'   refused. With `seed = NULL` the seed is the file's. A file is for one process at a time; one
#'   that is killed while it saves may leave another file whose name begins with that of `file`.
#' @param cl (cluster or `NULL`) A cluster, as [parallel::makeCluster()] makes it, whose workers
#'   share the rows. For [method_meibp()], [method_variational()], [method_power_ep()] and
#'   [method_gibbs()], which then uses the sampler `"parallel"`. The fit is identical to that of the
#'   same method and sampler without `cl`. See [distributed].
#' @return An object of class `c("fit_gaussian", "fit_mcmc", "buffet_fit")`, with the
#'   methods that do not sample of class `c("fit_gaussian", "fit_point", "buffet_fit")`; see
#'   [buffet_fit] for what can be asked of it. When interrupted, a fit of the draws so far or the
#'   best point so far, with a warning; a chain that fails is left out, with a warning, and the
#'   others stay. Fits with the same seed are [identical()].
#' @references
#' Griffiths, T. L. and Ghahramani, Z. (2011). The Indian buffet process: an introduction and
#' review.
#' *Journal of Machine Learning Research* 12, 1185-1224.
#'
#' Doshi-Velez, F. and Ghahramani, Z. (2009). Accelerated sampling for the Indian buffet process.
#' *ICML*. \doi{10.1145/1553374.1553409}
#'
#' Hyvarinen, A. and Oja, E. (1997). A fast fixed-point algorithm for independent component analysis.
#' *Neural Computation* 9, 1483-1492. \doi{10.1162/neco.1997.9.7.1483}
#'
#' Marchenko, V. A. and Pastur, L. A. (1967). Distribution of eigenvalues for some sets of random
#' matrices. *Mathematics of the USSR-Sbornik* 1, 457-483.
#' \doi{10.1070/SM1967v001n04ABEH001994}
#'
#' Neal, R. M. (2011). Models with multiple latent variables. *CSC 2541: Bayesian Methods for
#' Machine Learning*, lecture 9. University of Toronto.
#'
#' Reed, C. and Ghahramani, Z. (2013). Scaling the Indian buffet process via submodular
#' maximization. *ICML*. <https://arxiv.org/abs/1304.3285>
#'
#' Teh, Y. W., Gorur, D. and Ghahramani, Z. (2007). Stick-breaking construction for the Indian
#' buffet process. *AISTATS* 2, 556-563.
#' @seealso [buffet_fit], [plot()][plot.buffet_fit], [predict()][predict.buffet_fit],
#'   [best_chain()]
#' @examples
#' x <- block_images(50)
#' fit <- fit_gaussian(x, method = method_gibbs(chains = 2, iter = 400), seed = 1)
#' fit
#' summary(fit)
#' features(fit)[1:5, ]
#'
#' # missing entries, nonnegative loadings
#' x[1, 1:18] <- NA
#' fit <- fit_gaussian(x, "nonnegative", method = method_gibbs(chains = 1, iter = 400), seed = 1)
#' round(fitted(fit)[1, 1:18], 1)
#'
#' # columns that differ in noise
#' noisy <- x + rnorm(length(x), sd = rep(rep(c(0, 2), 18), each = 50))
#' fit <- fit_gaussian(noisy, noise = "column", method = method_gibbs(1, 400), seed = 1)
#' round(attr(loadings_of(fit), "sigma_x"), 1)
#'
#' # nonnegative loadings by maximisation
#' fit <- fit_gaussian(x, "nonnegative", method = method_meibp(), seed = 1)
#' fit
#' round(fitted(fit)[1, 1:18], 1)
#' @export
fit_gaussian <- function(x, loadings = c("normal", "nonnegative"), sigma_x = gamma_prior(1, 1),
                         sigma_a = gamma_prior(1, 1), center = NULL, scale = FALSE,
                         noise = c("common", "column"), prior = prior_ibp(),
                         method = method_gibbs(), init = NULL, seed = NULL, verbose = TRUE,
                         file = NULL, cl = NULL) {
  x <- check_data(x, method)
  if (count_observed(x) == 0) {
    stop_argument("x", "have an entry that is not missing", was = "NA throughout")
  }
  loadings <- check_choice(loadings, c("normal", "nonnegative"), "loadings")
  noise <- check_choice(noise, c("common", "column"), "noise")
  if (noise == "column") check_column_noise(x, loadings, method)
  sigma <- list(
    sigma_x = check_sigma_x(sigma_x, noise, ncol(x)), sigma_a = check_sigma(sigma_a, "sigma_a")
  )
  units <- column_scales(x, check_flag(scale, "scale"))
  if (is.null(center)) center <- scale && loadings == "normal"
  data <- gaussian_data(x, column_means(x, check_flag(center, "center")), units)
  prior <- check_unknown_prior(prior, "fit_gaussian()")
  model <- new_model("gaussian", data,
    loadings = loadings, sigma = sigma, noise = noise, prior = prior,
    prior_spec = prior_spec(prior, rownames(x)), loading_width = ncol(x),
    loading_extra = as.integer(noise == "column")
  )
  fit_model(model, method, init, seed, verbose, file, cl)
}

#' Only priors of features that are not known
#' @noRd
check_unknown_prior <- function(prior, by) {
  if (!is.null(known_features(check_prior(prior)))) {
    must <- sprintf("be one by which features are learned, as prior_ibp(), for %s", by)
    stop_argument("prior", must, was = "prior_fixed()")
  }
  prior
}

#' @exportS3Method
#' @noRd
length_of.gaussian_model <- function(model) {
  length_for(prod(dim(model$data$x)) / if (model$loadings == "nonnegative") 4 else 1)
}

#' @exportS3Method
#' @noRd
#' @srrstats {BS4.0} `?fit_gaussian` cites the papers of its samplers.
samplers_of.gaussian_model <- function(model) {
  if (model$noise == "column") return("uncollapsed")
  in_memory <- !is_in_blocks(model$data$x)
  c(
    if (model$loadings == "normal" && in_memory) "collapsed", if (in_memory) "uncollapsed",
    if (has_sticks(model$prior)) c(if (in_memory) "slice", "parallel")
  )
}

#' @exportS3Method
#' @noRd
searches.gaussian_model <- function(model) TRUE

#' @exportS3Method
#' @noRd
refuse_method.gaussian_model <- function(model, method) {
  stop_argument("method", "be one for fit_gaussian() (see there)", method)
}

#' @exportS3Method
#' @noRd
sweep_chains.gaussian_model <- function(model, method, plan, watch) {
  spec <- gaussian_spec(model, method)
  if (method$sampler == "parallel") return(run_alone(new_chains_job(model$data, spec, plan), watch))
  core <- switch(model$noise,
    common = gaussian_gibbs_cpp, column = gaussian_column_noise_gibbs_cpp,
    stop("unknown noise")
  )
  core(centred(model$data), spec, plan, watch)
}

#' What scaled columns take from the log density
#' @exportS3Method
#' @noRd
log_unit.gaussian_model <- function(model) log_unit_of_scales(model)

#' The model as the core reads it
#' @noRd
gaussian_spec <- function(model, method) {
  c(
    list(
      prior = limited_prior_spec(model, method), loadings = model$loadings,
      sampler = method$sampler
    ),
    lapply(model$sigma, precision_spec)
  )
}
