#' Fit a linear-Gaussian latent feature model
#'
#' Every row of the data has some binary features and is the sum of their loadings plus noise. The
#' number of features, which rows have which features, and the loadings are learned.
#'
#' @details
#' The model is
#' \deqn{X = Z A + E, \quad E_{ij} \sim N(0, \sigma_x^2), \quad A_{kj} \sim N(0, \sigma_a^2),}
#' where the prior on the binary matrix Z is by default the Indian buffet process. With
#' `loadings = "nonnegative"` the normal priors of A are truncated to \[0, Inf).
#'
#' ## Samplers
#' All samplers of [method_gibbs()] have the same posterior.
#' * `"collapsed"`, the default for normal loadings, integrates the loadings out (Griffiths and
#'   Ghahramani 2011, eq. 26). It visits rows as the accelerated sampler of Doshi-Velez and
#'   Ghahramani (2009) does: apart from one pass over the data, the cost of a row does not depend on
#'   the number of columns. Complete data with more columns than rows are rotated exactly, so that
#'   100 images of 76,800 pixels cost as much as 100 rows of 100 numbers.
#' * `"uncollapsed"`, the default for nonnegative loadings, keeps the loadings. The number of
#'   features that only one row has is drawn with the loadings of these features integrated out.
#'   Nonnegative features are added and removed one at a time, with the loadings of that feature
#'   integrated out.
#' * `"slice"` also keeps the probabilities of the features. It is the semi-ordered slice sampler of
#'   Teh, Gorur and Ghahramani (2007), with the unused features that lie above the slice. It does
#'   not work with [prior_pibp()].
#' * `"parallel"` is for many rows. It keeps the loadings and the probabilities of the features that
#'   rows have. Given these, rows are independent of each other and need not be visited in turn.
#'   They can be on the workers of a cluster, `cl`, or come from [row_blocks()], which are then held
#'   in memory. It works neither with [prior_pibp()] nor with `noise = "column"`.
#'
#'   There are two kinds of sweeps. A sweep of the first kind draws all entries of Z, except for
#'   those that keep features in use: in a cyclic order of the rows with a random beginning, the
#'   first row that has a feature keeps it, and the rows before it stay without it. A sweep of the
#'   second kind draws the entries of features that several rows have. Then it draws, with loadings
#'   and probabilities integrated out, how many features each row has alone. The cost of a row is
#'   its product with the loadings.
#'
#'   Chains start from a search on 2000 evenly spaced rows. The draws of the loadings are kept, and
#'   `log_lik` is conditional on them, so it cannot be compared with the `log_lik` of the other
#'   samplers of normal loadings.
#'
#' Entries of Z whose features can compensate for each other are drawn jointly, up to five in a row.
#' All other entries are drawn one by one, as are all entries with `"slice"`.
#'
#' With normal loadings the first three samplers also replace a feature by its exclusive or with
#' another feature, and split and merge features, with the loadings integrated out. With nonnegative
#' loadings they split and merge features that no row has both of, with the loadings of these
#' features integrated out. `"parallel"` has no such moves. If its chains start with too few
#' features, they can stay there for longer. With few rows use another sampler.
#'
#' ## MEIBP
#' [method_meibp()], for nonnegative loadings, does not sample. It increases a lower bound of the
#' log marginal likelihood (Reed and Ghahramani 2013) and ends at one estimate of Z, with
#' variational posteriors of the loadings and of the hyperparameters that are learned. Use it for
#' data that are too large to sample, for a first look, or for a start: `init` takes its fit. The
#' prior is [prior_ibp()] or [prior_beta_bernoulli()]. `concentration` must be a number, and so must
#' `alpha` with [prior_beta_bernoulli()]. The fit understates its uncertainty; see
#' `vignette("reed-ghahramani")`.
#'
#' ## Variational inference
#' [method_variational()] and [method_power_ep()], for loadings of both kinds, also increase a bound
#' of the log marginal likelihood, but keep a probability for every entry of Z. The prior is
#' [prior_ibp()] with `discount = 0` or [prior_beta_bernoulli()]. `concentration` must be a number,
#' and `alpha`, too, unless `concentration` is 1.
#'
#' ## Beam search
#' [method_beam()], for normal loadings, passes over the rows once and keeps the most probable
#' feature matrices of the rows so far. It also ends at one estimate of Z. The prior is that of
#' MEIBP.
#'
#' ## Warm-up
#' The warm-up begins with a search from three starts. Each start gets the same number of sweeps of
#' the collapsed sampler (100 if `warmup` is at least 350), whatever the `sampler` is, and the best
#' one goes on. The first start uses the independent components of the data: the principal
#' components that stand out from the noise (Marchenko and Pastur 1967), rotated to be as far from
#' normal as possible (FastICA, Hyvarinen and Oja 1997), and each cut in two. With at most 8
#' columns, all principal components are used if none stands out. Features that a third to a half of
#' the rows hold independently are such components. The other two starts have one random feature and
#' are annealed, from a noise as large as the data. Repair moves help all three. With `init` there
#' is no such search.
#'
#' Later in the warm-up, chains that are far below the best chain continue from its state; see
#' [method_gibbs()].
#'
#' ## Missing entries
#' The posterior is that given the observed entries. The collapsed sampler draws the missing entries
#' of a row when it visits the row, and draws its features with them integrated out. Methods that do
#' not sample leave them out of their sums. [predict()][predict.buffet_fit] and `fitted()` complete
#' them, and [heldout_density()] says how probable the true entries were. To leave rows with missing
#' entries out instead, pass `x[complete.cases(x), ]`.
#'
#' ## Scale
#' The data are not transformed by default. The prior mean of normal loadings is zero. Data whose
#' mean is far from zero therefore need features that every row has, or `center = TRUE`. If the
#' true model is not centred, `center = TRUE` in turn adds a feature that every row has.
#'
#' One standard deviation of the loadings serves all columns, and so does one of the noise, unless
#' `noise = "column"`. Use `scale = TRUE` if columns have different units. A message says if their
#' standard deviations differ more than tenfold, or if the means are more than three times as large
#' as the standard deviations.
#'
#' ## Priors
#' Default priors are scaled by the data. With s the standard deviation of all observed entries,
#' after `center` and `scale`, the precisions \eqn{1/\sigma_x^2} and \eqn{1/\sigma_a^2} have the
#' prior \eqn{\mathrm{Gamma}(1, s^2)}, and so \eqn{\sigma/s} has the same prior whatever the unit
#' of the data: the fit of `c * x` is the fit of `x` in units of c. (If all entries are equal, s is
#' their size, or 1 if they are 0.) A prior that you give is taken literally.
#' [prior_summary()][prior_summary.buffet_fit] shows all priors with their numbers. `alpha` is
#' \eqn{\mathrm{Gamma}(1, 1)} by default; see [prior_ibp()].
#'
#' ## Noise of each column
#' With `noise = "column"` (Neal 2011) the noise of column j is \eqn{N(0, \sigma_j^2)}. If the
#' columns are measured with different precision, this weights them accordingly; with one noise for
#' all columns, the noise of the noisiest columns would be taken for features. It is for normal
#' loadings, dense data and the sampler `"uncollapsed"`. That sampler draws each \eqn{\sigma_j}
#' given the loadings, and moves whole features with the loadings integrated out given the
#' \eqn{\sigma_j}. It also makes the search for a start. The scalar `sigma_x` of the fit is the root
#' mean square of the \eqn{\sigma_j}; their posterior means are the attribute `"sigma_x"` of
#' [loadings_of()]. No \eqn{\sigma_j} that is learned falls below a thousandth of `sigma_a`. By
#' default \eqn{1/\sigma_j^2} has the prior \eqn{\mathrm{Gamma}(1, s_j^2)}, with \eqn{s_j} the
#' standard deviation of the observed entries of the column.
#'
#' @param x (numeric matrix, data frame or sparse `Matrix`, N x D) The data, one observation per
#'   row. Entries for which [is.na()] is `TRUE` are missing. Labelled columns, as read by haven, are
#'   taken as numbers, with a message, and values that they declare missing are missing. At least
#'   one entry must be observed. No entry may be infinite or larger than 1e100 in absolute value.
#'   Names of rows are unique or missing. They are kept, and so are those of columns; other
#'   attributes, such as units of measurement, are not. A sparse matrix is not made dense; entries
#'   that are not stored are zero, not missing. For [method_meibp()], [method_variational()],
#'   [method_power_ep()] and the sampler `"parallel"`, `x` can also be [row_blocks()], data that are
#'   read block by block. Such a fit predicts new rows but has neither residuals nor densities.
#' @param loadings (string) Prior of the loadings: `"normal"` (default) or `"nonnegative"`. With
#'   [method_gibbs()] the fit keeps the draws of nonnegative loadings, and of all loadings with the
#'   sampler `"parallel"`, D x K numbers per draw.
#' @param sigma_x,sigma_a (positive number, [gamma_prior()] or `NULL`) Standard deviations of the
#'   noise and of the loadings (if they are nonnegative, of the normal before truncation). A number
#'   fixes a standard deviation; with a `gamma_prior()`, the prior of its precision 1/sigma^2, it is
#'   learned. `NULL`, the default, is a prior that is scaled by the data; see Priors. With normal
#'   loadings `sigma_x` is at least a thousandth of `sigma_a`, because double precision does not
#'   suffice for less noise if features depend on each other. With `noise = "column"` a prior
#'   applies to the precision of every column independently, a number applies to all columns, and a
#'   vector of D numbers gives one for each.
#' @param center (flag or `NULL`) Subtract the means of the observed entries from the columns first?
#'   The means are added to all predictions again. `NULL`, the default, centres if `scale = TRUE`
#'   and loadings are normal. `TRUE` is not possible for a sparse `x` or [row_blocks()].
#' @param scale (flag) Divide the columns by the standard deviations of their observed entries
#'   first? `FALSE` by default. With `TRUE` the model is one of the scaled columns, and so are
#'   `sigma_x`, `sigma_a` and their priors. Loadings, predictions, residuals, simulated data and
#'   densities are in the units of the data. `TRUE` is not possible for a sparse `x` or
#'   [row_blocks()].
#' @param noise (string) `"common"`, the default: all columns have the same standard deviation of
#'   the noise. `"column"`: every column has its own; see Noise of each column. Draws then keep D x
#'   (K + 1) numbers.
#' @param prior Prior on Z: [prior_ibp()] (default), [prior_beta_bernoulli()] or, if the rows are
#'   the tips of a tree, [prior_pibp()].
#' @param method [method_gibbs()] (default) with the `sampler` `"collapsed"`, `"uncollapsed"`,
#'   `"slice"` or `"parallel"` (see Samplers), [method_meibp()], [method_beam()],
#'   [method_variational()] or [method_power_ep()].
#' @param init Where chains start: `NULL` (default, see Warm-up), a binary matrix with a row per row
#'   of `x` in the same order (row names are not looked at), an earlier fit to as many rows, or a
#'   list with some of the elements `features`, `alpha`, `concentration`, `sigma_x` and `sigma_a`.
#'   An unnamed list of these has one element per chain. With a fit, chain 1 starts from the last
#'   draw of its chain 1, and so on, cycling if there are more chains. Whatever a list does not give
#'   has a default: one feature that half of the rows have, `alpha` and `concentration` 1, and both
#'   standard deviations equal to the root mean square of the data. Where only features are given,
#'   these numbers are drawn given the features before the first sweep (but not with `moves = 0` in
#'   [method_gibbs()]).
#'
#'   Methods that do not sample take one such start, without `alpha`, which they find from the
#'   features. If some row has a feature, the only ascent is from this start. [method_beam()] takes
#'   no features.
#' @param seed (whole number or `NULL`) The same seed gives the same result, whatever `cores` or
#'   `threads` is. `NULL`, the default, draws the seed from R's generator, so that `set.seed()` has
#'   its usual effect.
#' @param verbose (flag) Show a progress bar? `TRUE` by default. It appears if messages go to a
#'   terminal.
#' @param file (path or `NULL`) File in which the run is saved every five seconds (or as many as
#'   `options(buffet.checkpoint_seconds = )` says) and at its end. `NULL`, the default, saves
#'   nothing. A name that does not end in `".rds"` gets this ending. After an interrupt, a crash or
#'   a kill the same call with the same `file` resumes the run, and its result is identical to that
#'   of a run that was never stopped. After the end it returns the fit at once. If data, model,
#'   method, `init` or seed differ from those in the file, this is an error. With `seed = NULL` the
#'   seed is that of the file.
#'
#'   `options(warn = 2)` makes an error of the warning that chains do not agree (Rhat), and the fit
#'   is lost unless it has a `file`. The same call under `options(warn = 1)` then returns it.
#'
#'   You need permission to write to its directory. Every save replaces the file as a whole. If a
#'   save fails during the run, a warning says so and the run continues. Only one process may use a
#'   file at a time. A process that is killed while it saves may leave a temporary file, named like
#'   `file` followed by `.part-` and a number; you can delete it.
#'
#'   A truncated or altered file is an error, and is left as it is. Its hash detects accidental
#'   damage; it does not authenticate the file. Use a `file` only from a source whose code you would
#'   run.
#' @param cl (cluster or `NULL`) A cluster as [parallel::makeCluster()] returns it, whose workers
#'   share the rows. `NULL`, the default, uses this process alone. It is for [method_meibp()],
#'   [method_variational()], [method_power_ep()] and [method_gibbs()], which then uses the sampler
#'   `"parallel"`. The same method and sampler without `cl` give the identical fit. The death of a
#'   worker is an error; with `file`, the same call resumes the run. See [distributed].
#' @param ... Must be empty. What is for the chains goes into `method`.
#' @return An object of class `c("fit_gaussian", "fit_mcmc", "buffet_fit")`, or
#'   `c("fit_gaussian", "fit_point", "buffet_fit")` with a method that does not sample; [buffet_fit]
#'   lists the functions that read it. If the run is interrupted, the fit has the draws so far or
#'   the best point so far, with a warning. A chain that fails is left out, with a warning, and the
#'   other chains stay. Fits with the same seed have the same draws.
#' @references Griffiths, T. L. and Ghahramani, Z. (2011). The Indian buffet process: an
#'   introduction and review. *Journal of Machine Learning Research* 12, 1185-1224.
#'
#' Doshi-Velez, F. and Ghahramani, Z. (2009). Accelerated sampling for the Indian buffet process.
#' *ICML*. \doi{10.1145/1553374.1553409}
#'
#' Hyvarinen, A. and Oja, E. (1997). A fast fixed-point algorithm for independent component
#' analysis. *Neural Computation* 9, 1483-1492. \doi{10.1162/neco.1997.9.7.1483}
#'
#' Marchenko, V. A. and Pastur, L. A. (1967). Distribution of eigenvalues for some sets of random
#' matrices. *Mathematics of the USSR-Sbornik* 1, 457-483. \doi{10.1070/SM1967v001n04ABEH001994}
#'
#' Neal, R. M. (2011). Models with multiple latent variables. *CSC 2541: Bayesian Methods for
#' Machine Learning*, lecture 9. University of Toronto.
#'
#' Reed, C. and Ghahramani, Z. (2013). Scaling the Indian buffet process via submodular
#' maximization. *ICML*. <https://arxiv.org/abs/1304.3285>
#'
#' Teh, Y. W., Gorur, D. and Ghahramani, Z. (2007). Stick-breaking construction for the Indian
#' buffet process. *AISTATS* 2, 556-563.
#' @seealso [buffet_fit], [plot()][plot.buffet_fit], [predict()][predict.buffet_fit], [best_chain()]
#' @examples
#' set.seed(1)
#' x <- block_images(50)
#' fit <- fit_gaussian(x, method = method_gibbs(chains = 2, iter = 400), seed = 1)
#' # the images are sums of four features
#' fit
#' summary(fit)
#' features(fit)[1:5, ]
#'
#' # missing entries are completed: here every other pixel of the first image
#' missing <- seq(1, 36, by = 2)
#' true <- x[1, missing]
#' x[1, missing] <- NA
#' fit <- fit_gaussian(x, "nonnegative", method = method_gibbs(chains = 1, iter = 400), seed = 1)
#' round(rbind(completed = fitted(fit)[1, missing], true), 1)
#'
#' # every other column has more noise: a standard deviation of about 2
#' noisy <- x + rnorm(length(x), sd = rep(rep(c(0, 2), 18), each = 50))
#' fit <- fit_gaussian(noisy, noise = "column", method = method_gibbs(1, 400), seed = 1)
#' round(attr(loadings_of(fit), "sigma_x"), 1)
#'
#' # one estimate with nonnegative loadings, by maximisation
#' fit <- fit_gaussian(x, "nonnegative", method = method_meibp(), seed = 1)
#' fit
#' @export
fit_gaussian <- function(x, loadings = c("normal", "nonnegative"), sigma_x = NULL, sigma_a = NULL,
                         center = NULL, scale = FALSE, noise = c("common", "column"),
                         prior = prior_ibp(), method = method_gibbs(), init = NULL, seed = NULL,
                         verbose = TRUE, file = NULL, cl = NULL, ...) {
  check_no_others("fit_gaussian", ...)
  check_given(x, "x")
  arguments <- mget(setdiff(names(formals()), "..."))
  x <- check_data(x, method)
  if (count_observed(x) == 0) {
    stop_argument("x", "have an entry that is not missing", was = "NA throughout")
  }
  loadings <- check_choice(loadings, c("normal", "nonnegative"), "loadings")
  noise <- check_choice(noise, c("common", "column"), "noise")
  if (noise == "column") check_column_noise(x, loadings, method)
  units <- column_scales(x, check_flag(scale, "scale"))
  if (is.null(center)) center <- scale && loadings == "normal"
  data <- gaussian_data(x, column_means(x, check_flag(center, "center")), units)
  sigma <- list(
    sigma_x = check_noise_of(sigma_x, noise, data),
    sigma_a = check_sigma(sigma_a %||% scaled_prior(spread_of(centred(data))), "sigma_a")
  )
  prior <- check_unknown_prior(prior, "fit_gaussian()")
  traits <- new_traits(data$x, gaussian_samplers(data$x, loadings, noise, prior),
    entries = prod(dim(x)) / if (loadings == "nonnegative") 4 else 1, searches = TRUE,
    normal_noise = TRUE, log_unit = log_unit_of_scales(data)
  )
  model <- new_model("gaussian", data, traits,
    given = arguments["center"], loadings = loadings, noise = noise, sigma = sigma, prior = prior,
    prior_spec = prior_spec(prior, rownames(x)), loading_width = ncol(x),
    loading_extra = as.integer(noise == "column")
  )
  fit_model(model, arguments, match.call())
}

# Only priors of features that are not known
check_unknown_prior <- function(prior, by) {
  if (!is.null(check_prior(prior)$z)) {
    must <- sprintf("be one by which features are learned, such as prior_ibp(), for %s", by)
    stop_argument("prior", must, was = "prior_fixed()")
  }
  prior
}
