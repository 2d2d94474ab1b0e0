#' @export
print.buffet_prior <- print_lines

check_prior <- function(prior) {
  if (!inherits(prior, "buffet_prior")) {
    stop_argument("prior", "be made by a prior_*() function", prior)
  }
  prior
}

# Hyperparameters as given, by name
prior_hyperparameters <- function(prior) {
  unclass(prior)[intersect(c("alpha", "alpha_deep", "concentration", "temperature"), names(prior))]
}

is_exchangeable <- function(prior) inherits(prior, "exchangeable_prior")

# Samplers and methods of fit_gaussian() that need closed forms of a prior support these two priors
has_closed_forms <- function(prior) inherits(prior, c("prior_ibp", "prior_beta_bernoulli"))

check_new_rows <- function(prior, newdata) {
  if (is_exchangeable(prior)) return(invisible())
  must <- if (!is.null(prior$z)) {
    "be NULL: the features of new rows are not known"
  } else if (!is.null(prior$tree)) {
    "be NULL: new rows have no place on the tree of the prior"
  } else if (!is.null(prior$distance)) {
    "be NULL, because the prior has no distances to new rows"
  } else {
    "be NULL: the prior says nothing about new rows"
  }
  cure <- if (!is.null(prior$distance)) {
    "fit them together with the other rows, with NA for unknown entries"
  }
  stop_argument("newdata", must, newdata, cure = cure)
}

# Puts known features in the order of the rows of the data
match_prior <- function(prior, x, row = "row of the data") {
  z <- prior$z
  if (is.null(z)) return(prior)
  if (nrow(z) != nrow(x)) stop_argument("z", sprintf("have a row per %s (%d)", row, nrow(x)), z)
  if (is.null(rownames(z)) || is.null(rownames(x))) return(prior)
  lost <- setdiff(rownames(x), rownames(z))
  if (length(lost) > 0) {
    must <- sprintf("have a row named like every %s, or no row names", row)
    stop_argument("z", must, was = sprintf("one without \"%s\"", lost[1]))
  }
  prior$z <- z[rownames(x), , drop = FALSE]
  prior
}

# A prior as a plain list for the core
# rows: list(n, names) of the units that have features; NULL if the features are known.
# side: Whether the `"row"`s or the `"column"`s of the data have features.
# Returns a list: `kind`, and every hyperparameter in the form of hyper_spec(). Exchangeable priors
# also have `discount` and `n_features`, which is 0 if unbounded. A prior on a tree has `tree`, from
# tree_spec(), and `sampled`, TRUE if probabilities are drawn even if there are few rows. An
# attraction prior has `distance`, the numbers x of similarities exp(-temperature x); `order`, in
# which rows are numbered from 0; and `samples_order`. Priors of unknown features have
# `max_features`, which a method may lower.
prior_spec <- function(prior, rows = NULL, side = "row") UseMethod("prior_spec")

#' @exportS3Method
prior_spec.exchangeable_prior <- function(prior, rows = NULL, side = "row") {
  new_prior_spec("exchangeable",
    alpha = hyper_spec(prior$alpha), concentration = hyper_spec(prior$concentration),
    discount = prior$discount %||% 0, n_features = prior$n_features %||% 0L,
    max_features = .Machine$integer.max
  )
}

new_prior_spec <- function(kind, ...) structure(list(kind = kind, ...), class = "prior_spec")

format_prior <- function(law, parameters) {
  learned <- vapply(parameters, is_learned, NA)
  values <- vapply(parameters, \(p) if (is.numeric(p)) short(p) else "", "")
  arguments <- ifelse(learned, names(parameters), paste(names(parameters), "=", values))
  hyper <- vapply(parameters[learned], format, "")
  c(
    sprintf("Z ~ %s(%s)", law, paste(arguments, collapse = ", ")),
    sprintf("%s ~ %s", names(hyper), hyper)
  )
}

short <- function(x) format(x, digits = 4)

# The specification of a prior, with the `max_features` of the method
limited_prior_spec <- function(model, method) {
  spec <- model$prior_spec
  spec$max_features <- method$max_features %||% spec$max_features
  spec
}

#' Gamma prior of a hyperparameter
#'
#' A *hyperparameter* is a parameter of a prior distribution, or the standard deviation of the
#' noise. Wherever a model has one, a number fixes it; with a `gamma_prior()` it is learned together
#' with everything else. The quantity that has the prior depends on the argument:
#'
#' * `alpha`, `alpha_deep`, `concentration`, `temperature`, and `gamma` and `eta` of [fit_topics()]:
#'   the hyperparameter itself;
#' * `sigma_x`, `sigma_a`, `sigma_w`, and `bias` of [fit_logistic()]: the precision 1/sigma^2, not
#'   the standard deviation sigma;
#' * `weights` of [fit_choice()]: each of the weights, which are parameters.
#'
#' @param shape,rate (positive numbers) Shape and rate, as in [stats::dgamma()], without defaults.
#'   The mean is `shape / rate` and the variance `shape / rate^2`.
#' @return An object of class `gamma_prior`.
#' @seealso [prior_ibp()], [prior_pibp()], [prior_attraction()], [prior_beta_bernoulli()],
#'   [prior_summary.buffet_fit()]
#' @examples
#' gamma_prior(2, 1)
#' # alpha is learned, with mean 2 and variance 2
#' prior_ibp(alpha = gamma_prior(2, 1))
#' # the noise is learned: its precision is around 4, so its standard deviation is around 0.5
#' sigma_x <- gamma_prior(8, 2)
#' fit <- fit_gaussian(sim_images(40), sigma_x = sigma_x, method = method_beam())
#' prior_summary(fit)
#' @export
gamma_prior <- function(shape, rate) {
  new_gamma_prior(check_positive(shape, "shape"), check_positive(rate, "rate"))
}

new_gamma_prior <- function(shape, rate) {
  structure(list(shape = shape, rate = rate), class = "gamma_prior")
}

#' @export
format.gamma_prior <- function(x, ...) {
  rates <- paste(unique(short(range(x$rate))), collapse = " to ")
  sprintf("Gamma(shape = %s, rate = %s)", short(x$shape), rates)
}

#' @export
print.gamma_prior <- print_lines

# False for malformed objects
is_gamma_prior <- function(x) {
  parts <- unclass(x)
  inherits(x, "gamma_prior") && is.list(parts) && is_positive(parts$shape) &&
    is_positive(parts$rate)
}

is_learned <- function(hyper) inherits(hyper, "gamma_prior") && is.numeric(unclass(hyper)$shape)

prior_mean <- function(hyper) if (is_learned(hyper)) hyper$shape / hyper$rate else hyper

# The core clamps draws from gamma priors to this range, because draws with extreme shapes and rates
# would exceed the range of doubles
held_range <- c(1e-150, 1e150)

hyper_spec <- function(hyper) {
  if (!is_learned(hyper)) return(list(value = hyper, learned = FALSE, shape = 1, rate = 1))
  list(value = 1, learned = TRUE, shape = hyper$shape, rate = hyper$rate)
}

# A standard deviation, or the prior of its precision. By default, its square and the inverse of the
# square must be finite.
check_sigma <- function(x, name, range = c(1e-100, 1e100)) {
  x <- check_hyper(x, name)
  if (is.numeric(x) && (x < range[1] || x > range[2])) {
    stop_argument(name, sprintf("be between %g and %g", range[1], range[2]), x)
  }
  x
}

precision_spec <- function(sigma) {
  if (is_learned(sigma)) return(hyper_spec(sigma))
  hyper_spec(1 / sigma^2)
}

#' Known features
#'
#' Fixes which rows have which features. The fit then learns only the weights of these features.
#'
#' For [fit_choice()] the features determine the model of choice. If every item has one feature that
#' no other item has, it is the model of Bradley, Terry and Luce. If the features form a tree, it is
#' the preference tree of Tversky and Sattath (1979). Otherwise it is elimination by aspects with
#' the given aspects. If an item has no aspect that another item lacks, it is chosen over that item
#' only by a lapse. With `epsilon = 0`, counts that contradict this raise an error.
#'
#' [fit_logistic()] becomes a Bayesian logistic regression of every column on the features, and
#' [fit_mixed()] a regression of every column with its family.
#'
#' @param z (numeric, integer or logical matrix, data frame, or sparse matrix of the Matrix package)
#'   The features: zeros and ones with a row per row of the data (for choices, per item) and a
#'   column per feature. Rows are matched to the rows of the data by name if both have names,
#'   otherwise by position. Columns without ones are left out. The others keep their order and their
#'   names; columns without a name are called `f1`, `f2`, ... by their position. Names must differ.
#' @return An object of class `prior_fixed`, for the `prior` argument of [fit_choice()],
#'   [fit_logistic()] and [fit_mixed()]; other fits do not accept it. It has methods for `format()`,
#'   `print()` and [simulate()][simulate.buffet_prior], which returns copies of `z`.
#' @references
#' Tversky, A. and Sattath, S. (1979). Preference trees. *Psychological Review* 86, 542-573.
#' @examples
#' prior_fixed(diag(9)) # Bradley-Terry-Luce for nine items
#'
#' # a preference tree: one aspect for each person and one for each profession
#' professions <- kronecker(diag(3), rep(1, 3))
#' colnames(professions) <- c("politician", "athlete", "film star")
#' people <- diag(9)
#' colnames(people) <- rownames(celebrities)
#' tree <- prior_fixed(cbind(people, professions))
#' fit <- fit_choice(celebrities, prior = tree, method = method_gibbs(2, 1000), seed = 1)
#' # the share of each aspect in the sum of all weights
#' round(loadings_of(fit), 3)
#' @export
prior_fixed <- function(z) {
  check_given(z, "z")
  z <- used_columns(check_binary_matrix(z))
  names <- colnames(z)[nzchar(colnames(z))]
  if (anyDuplicated(names)) {
    was <- sprintf("two named \"%s\"", names[anyDuplicated(names)])
    stop_argument("z", "have unique column names", was = was)
  }
  structure(list(z = z), class = c("prior_fixed", "buffet_prior"))
}

# Names of known features, which are f1, f2, ... by default
known_names <- function(z) {
  names <- paste0("f", seq_len(ncol(z)), recycle0 = TRUE)
  given <- which(nzchar(colnames(z)))
  names[given] <- colnames(z)[given]
  make.unique(names)
}

#' @export
format.prior_fixed <- function(x, ...) {
  sprintf("Z known: %d feature%s", ncol(x$z), if (ncol(x$z) == 1) "" else "s")
}

#' @exportS3Method
prior_spec.prior_fixed <- function(prior, rows = NULL, side = "row") new_prior_spec("fixed")

#' @exportS3Method
draw_features.prior_fixed <- function(prior, rows) {
  check_drawn_rows(rows, nrow(prior$z), "the rows of `z`")
  prior$z
}

#' @exportS3Method
prior_n_features.prior_fixed <- function(prior, rows, n) as.numeric(n == ncol(prior$z))

#' @rdname ribp
#' @param n (positive integer) Number of sticks, the largest probabilities.
#' @export
ribp_sticks <- function(n, alpha) {
  n <- check_count(n, "n")
  alpha <- check_positive(alpha, "alpha")
  ibp_sticks_cpp(n, alpha)
}

#' Draw feature matrices from a prior
#'
#' `simulate()` shows what a prior implies before there are data.
#'
#' @param object A prior: [prior_ibp()], [prior_beta_bernoulli()], [prior_pibp()],
#'   [prior_attraction()], [prior_fixed()] or [prior_cascade()].
#' @param nsim (positive integer) Number of matrices (default 1).
#' @param seed (whole number or `NULL`) Seed of this call, after which R's generator is restored.
#'   `NULL`, the default, uses the current state of R's generator, as in [stats::simulate()].
#' @param rows (positive integer or `NULL`) Number of rows; of [prior_cascade()], the number of
#'   visible units. [prior_pibp()], [prior_attraction()] and [prior_fixed()] imply this number, so
#'   for them `NULL` (default) suffices; the other priors need a number.
#' @param ... Ignored.
#' @return A list of `nsim` integer matrices of zeros and ones with `rows` rows. Attributes
#'   `alpha`, `concentration` and `temperature` of each matrix are the values with which it was
#'   drawn, if the prior has them; a hyperparameter with a [gamma_prior()] is drawn anew for every
#'   matrix. Matrices from [prior_ibp()] have their columns in order of appearance, matrices from
#'   [prior_beta_bernoulli()] keep their empty columns, and matrices from [prior_fixed()] are all
#'   the same. For [prior_cascade()] the list contains networks in the form returned by
#'   [rcascade()]. Attribute `seed` of the list is the state of the generator before the first draw,
#'   or `seed`.
#' @examples
#' z <- simulate(prior_ibp(), nsim = 100, seed = 1, rows = 5)
#' # how many features five rows have under this prior
#' table(vapply(z, ncol, 1))
#' # a larger alpha gives more of them
#' cor(vapply(z, attr, 1, "alpha"), vapply(z, ncol, 1))
#' @importFrom stats simulate
#' @export
simulate.buffet_prior <- function(object, nsim = 1, seed = NULL, rows = NULL, ...) {
  nsim <- check_count(nsim, "nsim")
  seed <- check_seed(seed)
  seeded(seed, lapply(seq_len(nsim), \(i) draw_features(object, rows)))
}

# Draws one matrix from a prior, for simulate()
draw_features <- function(prior, rows) UseMethod("draw_features")

check_drawn_rows <- function(rows, known, what) {
  if (!is.null(rows) && check_count(rows, "rows") != known) {
    stop_argument("rows", sprintf("be %d, %s", known, what), rows)
  }
}

draw_hyper <- function(hyper) {
  if (!is_learned(hyper)) return(hyper)
  draw <- stats::rgamma(1, hyper$shape, hyper$rate)
  min(max(draw, held_range[1]), held_range[2])
}

# Evaluates `code` as stats::simulate() would, including the attribute "seed"
seeded <- function(seed, code) {
  if (!exists(".Random.seed", envir = globalenv(), inherits = FALSE)) stats::runif(1)
  before <- get(".Random.seed", envir = globalenv())
  state <- before
  if (!is.null(seed)) {
    on.exit(assign(".Random.seed", before, envir = globalenv()))
    set.seed(seed)
    state <- structure(seed, kind = as.list(RNGkind()))
  }
  structure(code, seed = state)
}
