# nolint start: line_length_linter. Rows of a table cannot be broken.
# Help pages about concepts that several functions share.

#' Save a run to a file and resume it
#'
#' With the argument `file`, every `fit_*()` function and [update()][update.fit_mcmc] save the run
#' every five seconds and at its end. After an interrupt or a crash, or if the process was killed,
#' the same call with the same `file` resumes the run. The result is identical to the result of a
#' run that was never stopped.
#'
#' ## Resuming
#' `".rds"` is appended to a name that does not end in it. When the run has ended, the same call
#' returns the fit at once. It is an error if the file is from another version of buffet, or if the
#' data, model, method, `init` or seed differ from those in the file. `cores`, `refresh`,
#' `verbose` and `cl` may differ. With `seed = NULL` the seed is read from the file.
#'
#' `options(buffet.checkpoint_seconds = )` sets the number of seconds between saves. To run a fit
#' for longer than planned, use [update()][update.fit_mcmc] with a different `file` or none: this is
#' a new run, which starts from the fit.
#'
#' Under `options(warn = 2)` the warning that chains do not agree becomes an error, and the fit is
#' lost unless it has a `file`. The same call under `options(warn = 1)` then returns it.
#'
#' ## The file
#' Every save replaces the whole file, so you need permission to write to its directory. If a save
#' fails during the run, a warning is given and the run continues. Only one process may use a file
#' at a time. A process that is killed while it saves may leave a temporary file, named like `file`
#' followed by `.part-` and random characters; you can delete it. After a power cut, the last save
#' may be lost.
#'
#' A truncated or altered file raises an error and is not changed. Its hash detects only accidental
#' damage: use a `file` only if you would also run code from its source.
#'
#' @seealso [distributed], for runs on several machines, `vignette("save-and-resume")`
#' @examples
#' x <- sim_images(50)
#' file <- tempfile(fileext = ".rds")
#' method <- method_gibbs(chains = 2, iter = 400)
#' fit <- fit_gaussian(x, method = method, seed = 1, file = file)
#' # what the file contains
#' readRDS(file)
#' # the same call returns the fit at once
#' system.time(again <- fit_gaussian(x, method = method, seed = 1, file = file))[["elapsed"]]
#' identical(fit$draws, again$draws)
#' @name checkpoints
NULL

#' Missing values
#'
#' Data can have missing entries. They are assumed to be missing at random, and the posterior is
#' conditional on the observed entries alone. Missing entries can be predicted from the fit, with
#' their uncertainty.
#'
#' Entries that are `NA` are missing; `NaN`, infinite numbers and numbers above 1e100 in absolute
#' value raise an error. Values that a labelled column (package haven) declares missing are treated
#' as missing, even if haven is not installed. Entries that a sparse matrix does not store are zero,
#' not missing.
#'
#' | fit | missing entries |
#' |---|---|
#' | [fit_gaussian()] | the collapsed sampler draws them when it visits their row, and draws the features of the row with them integrated out; methods that do not sample leave them out |
#' | [fit_logistic()], [fit_mixed()] | left out |
#' | [fit_factor()] | left out, except in the step with all loadings integrated out, which draws them first |
#' | [fit_cascade()] | drawn with everything else |
#' | [fit_nmf()] | left out; the default method is then [method_gibbs()] |
#' | [fit_choice()] | `NA` on both sides leaves a pair out |
#' | [fit_topics()] | an error |
#'
#' [fit_gaussian()], [fit_logistic()], [fit_factor()] and [fit_nmf()] need at least one observed
#' entry. To leave out rows with missing entries, fit `x[complete.cases(x), ]`.
#'
#' ## Predicting missing entries
#' * `fitted()` and [predict()][predict.buffet_fit] return the posterior means of missing entries,
#'   or the probability of a one.
#' * [posterior_predict()][posterior_predict.buffet_fit] draws missing entries, and [complete()]
#'   makes multiple imputations of the data frame of a [fit_mixed()] or [fit_factor()].
#' * [heldout_density()] returns the log predictive density of the true values. To compare models,
#'   set some observed entries to `NA`, fit the models, and call [compare_heldout()].
#'
#' @examples
#' set.seed(1)
#' x <- sim_images(50)
#' hidden <- sample(length(x), 180)
#' true <- x[hidden]
#' x[hidden] <- NA
#' fit <- fit_gaussian(x, method = method_gibbs(chains = 2, iter = 400), seed = 1)
#' # a tenth of the entries are missing: errors of the completed entries and of column means
#' rms <- function(error) sqrt(mean(error^2))
#' means <- colMeans(x, na.rm = TRUE)[col(x)[hidden]]
#' c(completed = rms(fitted(fit)[hidden] - true), means = rms(means - true))
#' @name missing_values
NULL

#' Where chains start
#'
#' The argument `init` of the `fit_*()` functions sets the initial state of the chains, or of the
#' optimisation in methods that do not sample. With `NULL`, the default, they find their own
#' starting point.
#'
#' `init` is one of
#'
#' * `NULL`;
#' * a binary matrix with a row per row of the feature matrix Z, in the same order (row names are
#'   ignored). For [fit_factor()] with sparse loadings these are the columns of the data, for
#'   [fit_choice()] the items;
#' * an earlier fit with the same number of rows. Chain 1 starts from the last draw of chain 1 of
#'   that fit, and so on, recycling chains if needed; see also [best_chain()];
#' * a list with some of the elements in the table;
#' * an unnamed list with one of the above per chain.
#'
#' | fit | elements of a list | default for elements that are not given |
#' |---|---|---|
#' | [fit_gaussian()] | `features`, `alpha`, `concentration`, `sigma_x`, `sigma_a` | a random feature of about half of the rows; standard deviations equal to the root mean square of the data |
#' | [fit_factor()] | the same | such a feature (with Laplace weights, independent components); loadings and noise each explain half of the mean square of the data |
#' | [fit_logistic()] | `features`, `alpha`, `concentration`, `sigma_a`, `sigma_b` | one random feature, and 1 |
#' | [fit_mixed()] | `features`, `alpha`, `concentration`, `sigma_w`, `sigma_b` | one random feature, and 1 |
#' | [fit_choice()] | `features`, `alpha`, `concentration` | one feature per item |
#' | [fit_nmf()] | `weights`, `loadings`, `sigma_x` | random factors |
#' | [fit_topics()] | none: [init_topics()] or a fit | `init_topics(50)` |
#' | [fit_cascade()] | none: [init_cascade()] or a fit | a network from principal components |
#'
#' A list can also contain the `temperature` of [prior_attraction()], if it is learned. `alpha`,
#' `concentration` and `temperature` start at 1 by default. In [fit_gaussian()], if only features
#' are given, the other numbers are drawn given the features before the first sweep (but not with
#' `moves = 0` in [method_gibbs()]). With [prior_fixed()], `init` must be `NULL`. Hyperparameters
#' that are fixed cannot be given. [fit_nmf()] starts from the most probable draw of an earlier fit,
#' which must have the same rank and size.
#'
#' Methods of [fit_gaussian()] that do not sample accept one start, without `alpha`, which they find
#' from the features. If some row has a feature, no other starts are tried. [method_beam()] does not
#' accept features.
#'
#' ## The default search
#' * [fit_gaussian()]: the warm-up begins with a search from three starts, each with the same number
#'   of sweeps (100 if `warmup` is at least 350) of the collapsed sampler, or of the uncollapsed one
#'   with `noise = "column"`. The best one continues. One start uses the independent components of
#'   the data: the principal components that stand out from the noise (Marchenko and Pastur 1967),
#'   or all of at most 8 columns if none does, rotated by FastICA (Hyvarinen and Oja 1997), with
#'   each component split in two. The others start with one random feature and are annealed,
#'   starting from noise as large as the data. The sampler `"parallel"` searches on 2000 evenly
#'   spaced rows.
#' * [fit_logistic()] and [fit_mixed()]: six or four short runs from one random feature each. They
#'   use 770 or 450 sweeps of the warm-up; if it has fewer, the runs are shorter.
#' * [fit_choice()]: one feature for each item, which no other item has. If [prior_beta_bernoulli()]
#'   has fewer features than there are items, short runs remove the least important features step by
#'   step; this takes a few seconds for 80 items.
#'
#' @references Marchenko, V. A. and Pastur, L. A. (1967). Distribution of eigenvalues for some sets
#'   of random matrices. *Mathematics of the USSR-Sbornik* 1, 457-483.
#'   \doi{10.1070/SM1967v001n04ABEH001994}
#'
#' Hyvarinen, A. and Oja, E. (1997). A fast fixed-point algorithm for independent component
#' analysis. *Neural Computation* 9, 1483-1492. \doi{10.1162/neco.1997.9.7.1483}
#' @examples
#' method <- method_gibbs(chains = 2, iter = 200)
#' # each chain starts with a different number of random features
#' set.seed(1)
#' random <- function(k) matrix(rbinom(50 * k, 1, 0.5), 50)
#' fit <- fit_gaussian(sim_images(50), method = method, init = list(random(1), random(6)), seed = 1)
#' plot(fit, "trace")
#' @name init
NULL

#' Convergence of chains
#'
#' Chains of [method_gibbs()] start in different places. If they agree, their draws can be pooled.
#' If they do not, the fit gives a warning that says what to do.
#'
#' ## The warning
#' Rhat (rank-normalised split Rhat, Vehtari et al. 2021) is computed for every scalar, such as the
#' number of features and `log_joint`. If the largest Rhat of the saved draws is above 1.05, the fit
#' gives a warning of class `buffet_rhat_warning`. The warning, `print()` and
#' [summary()][summary.fit_mcmc] say, in the same words, how the chains differ and what to do.
#' The advice depends on the cause:
#'
#' * The chains **do not yet agree**: they overlap, but mix slowly. Run longer: `update(fit, iter =
#'   8000)`.
#' * The chains are **separated**: the means of `log_joint` differ by more than two standard
#'   deviations within chains, so the chains are in different modes. The text names the chain with
#'   the highest log joint.
#'     1. Run longer: `update(fit, iter = 8000)`.
#'     2. If that does not help, restart all chains from the best one: `update(fit, init =
#'        best_chain(fit))`. Agreement is then weaker evidence; see [best_chain()].
#'     3. Or change the model, for instance by `update(fit, noise = "column")` if columns differ in
#'        noise.
#' * The chains were run **without the extra moves** (`moves = 0`). Turn the extra moves on:
#'   `update(fit, moves = NULL)`.
#'
#' If the chains agree, `print()` gives the largest Rhat, the scalars with fewer than 400 effective
#' draws, and the number of sweeps that may be enough. `plot(fit, "chains")` and `plot(fit,
#' "trace")` show what differs. If the chains are separated, point estimates such as [features()]
#' come from the best chain.
#'
#' ## Extension of the warm-up
#' How many sweeps are enough depends on the data. The last two fifths of the warm-up decide
#' whether to extend it. The chains have not settled if any Rhat is above 1.1 there, if the
#' bulk effective sample size of a scalar is below 2.5 % of these draws (40 of 1,600 in a default
#' run), or if there are fewer than 4 draws per chain. The run is then doubled: the warm-up, the
#' sweeps after it and the distance between draws, so the number of saved draws stays the same. This
#' is repeated until the chains have settled, or `max_iter` or `max_time` leaves no room for another
#' doubling. The limit on Rhat is higher than 1.05 because fewer draws are compared. A message gives
#' the new length and the time it may take. A single chain and chains without a warm-up are not
#' extended.
#'
#' By default `max_iter` is 8 times the initial number of sweeps if the data have at most 100,000
#' entries, counted as in [method_gibbs()], and `max_time` is 60 seconds of processor time. If
#' `max_time` stops an extension, the same call may run more sweeps on a faster machine; if you set
#' `max_time = Inf` or `iter`, the result does not depend on the machine. Chains are not extended by
#' default if `iter` is given, nor in [fit_nmf()] and [fit_cascade()].
#'
#' The saved draws play no part in this decision, so they are not selected by it. If you instead
#' extend a run with `update(fit, iter = )` until its own draws pass a check, you select draws that
#' happen to pass. The resulting bias decreases as the run becomes longer.
#'
#' ## Restart of stuck chains
#' A chain can be stuck in a mode far below the others. If the warm-up has at least 700 sweeps,
#' chains are compared once, after three fifths of it, by the mean log joint over the preceding
#' tenth of the warm-up. A chain that is more than two standard deviations (within chains) below the
#' best chain continues from the state of the best chain, with its own random numbers. `print()`
#' shows how many chains were restarted. This is repeated in every extended warm-up, but never
#' afterwards. Rhat then measures how well the chains mix in the mode that they share; it does not
#' reveal modes that only the restarted chains had found. With `restart_stuck = FALSE`, or if `init`
#' is given, chains stay independent.
#'
#' ## Interrupts
#' An interrupt returns the draws so far, with a warning. In a warm-up that may be extended these
#' are the draws from its last two fifths or, if there are none, from the warm-up before its last
#' extension. With a `file` the same call resumes the run; see [checkpoints].
#'
#' @references Vehtari, A., Gelman, A., Simpson, D., Carpenter, B. and Burkner, P.-C. (2021).
#'   Rank-normalization, folding, and localization: an improved R-hat. *Bayesian Analysis* 16,
#'   667-718.
#' @seealso [summary()][summary.fit_mcmc], [best_chain()], [plot()][plot.buffet_fit],
#'   [update()][update.fit_mcmc]
#' @examples
#' # the warning says what differs and what to do
#' fit <- fit_gaussian(scale(iris[, 1:4]), method = method_gibbs(chains = 4, iter = 200), seed = 1)
#' # which features each chain has found, with the best chain at the top
#' plot(fit, "chains")
#' @name convergence
NULL

#' Seeds, threads and reproducible fits
#'
#' Fits with the same data, model, method and seed have the same draws, whatever the number of
#' threads and the machines on which they run.
#'
#' `seed = NULL`, the default of the `fit_*()` functions, draws the seed from R's generator, so
#' `set.seed()` has its usual effect. The seed is stored in `fit$seed`. Every chain has its own
#' random numbers, which are determined by the seed and the number of the chain.
#'
#' The draws do not depend on
#' * `cores` of the method, the number of threads, by default the option `mc.cores` or 1;
#' * the plan of the package future and the cluster `cl`; see [distributed];
#' * interrupts and crashes, if the run has a `file`; see [checkpoints];
#' * `verbose` and `refresh`.
#'
#' They can depend on the version of buffet, and on processors and mathematical libraries that round
#' differently. [method_beam()] is deterministic.
#'
#' [predict()][predict.buffet_fit] gives a new row the same result at every call, whichever other
#' rows are given, because its random numbers are determined by the row and the seed of the fit. The
#' option `mc.cores` sets the number of threads that sample rows; the result does not depend on it.
#' Functions that draw from a fit, such as `simulate()`, use R's generator or have their own `seed`.
#'
#' @examples
#' x <- sim_images(30)
#' one <- fit_gaussian(x, method = method_gibbs(2, 600, cores = 1), seed = 1)
#' two <- fit_gaussian(x, method = method_gibbs(2, 600, cores = 2), seed = 1)
#' identical(one$draws, two$draws)
#' @name seeds
NULL

#' Samplers for each model
#'
#' The argument `sampler` of [method_gibbs()] names a sampler; the first one below is the default.
#' All of them sample from the same posterior.
#'
#' ## fit_gaussian()
#' * `"collapsed"`, for normal loadings, integrates the loadings out (Griffiths and Ghahramani 2011,
#'   eq. 26; Doshi-Velez and Ghahramani 2009). The cost of an entry of Z does not depend on the
#'   number of columns. Complete data with more columns than rows are rotated exactly.
#' * `"uncollapsed"`, the default for nonnegative loadings and the only one with `noise = "column"`,
#'   also samples the loadings. Features of a single row are drawn with their loadings integrated
#'   out.
#' * `"slice"` samples the probabilities of the features as well: the semi-ordered slice sampler of
#'   Teh, Gorur and Ghahramani (2007).
#' * `"parallel"`, for many rows, samples the loadings and the probabilities of the features in use.
#'   Given these, rows are independent, so they can be divided among workers (`cl`) or read from
#'   [row_blocks()]. It has no extra moves, and its `log_lik` is conditional on the loadings.
#'
#' With [prior_pibp()] and [prior_attraction()], `"slice"` and `"parallel"` are not available.
#' Entries of Z whose features can compensate for each other are drawn jointly, up to five in a row
#' (not with `"slice"`). [acceptance()] lists the extra moves of whole features.
#'
#' ## fit_logistic()
#' * `"uncollapsed"` draws the entries of Z, then weights and biases by slice sampling. The number
#'   of features that only one row has is drawn with their weights integrated out. Given Polya-Gamma
#'   variables, rows are regularly visited once more with the weights integrated out.
#' * `"neal"` is the sampler of Neal (2011).
#'
#' ## fit_mixed()
#' Given auxiliary variables, every column is a normal regression on the features: Polya-Gamma
#' variables for binary columns and counts, normal variables for categories. Rows are visited, and
#' extra moves change whole features, with all weights integrated out. Then the weights of a column
#' are drawn, and rows are visited again with auxiliary variables integrated out.
#'
#' ## fit_factor()
#' The entries of a row of Z are drawn with its normal weights integrated out; other weights are
#' integrated out one at a time. Then loadings, scales and standard deviations are drawn. Pairs of
#' features with normal weights are rotated against each other, and features of a single row can
#' turn into noise of that row and back. With normal weights, and sparse loadings or `noise =
#' "common"`, a sweep also makes up to 100 visits to rows of Z with all loadings integrated out.
#'
#' ## fit_choice()
#' A sweep visits all entries of Z; redraws the features that only one item has and the number of
#' features with the same items; exchanges an item's own weight for a shared feature; merges
#' disjoint features and splits features; and updates the weights.
#'
#' ## fit_topics()
#' A sweep visits every token and opens new topics. Then `moves` proposals per document change its
#' set of topics and reassign all of its tokens. theta, beta and b are integrated out.
#'
#' ## fit_cascade()
#' A sweep goes up the layers. Units propose to gain or lose parents that no other unit has; a new
#' parent comes with all of its ancestors. Then every unit draws its edges with the weights
#' integrated out, its bias and weights, and its precision. The activations of the layer above are
#' drawn by `"slice"`, univariate slice sampling; `"multiple_try"`, Metropolis with five proposals
#' from the parents; or `"elliptical"`, elliptical slice sampling.
#'
#' @references Doshi-Velez, F. and Ghahramani, Z. (2009). Accelerated sampling for the Indian buffet
#'   process. *ICML*. \doi{10.1145/1553374.1553409}
#'
#' Teh, Y. W., Gorur, D. and Ghahramani, Z. (2007). Stick-breaking construction for the Indian
#' buffet process. *AISTATS* 2, 556-563.
#' @seealso [method_gibbs()], `vignette("samplers-compared")`
#' @examples
#' x <- sim_images(50)
#' # the same posterior from two samplers
#' one <- fit_gaussian(x, method = method_gibbs(2, 1000), seed = 1)
#' two <- fit_gaussian(x, method = method_gibbs(2, 1000, sampler = "slice"), seed = 1)
#' c(glance(one)$sigma_x, glance(two)$sigma_x)
#' @name samplers
NULL
# nolint end
