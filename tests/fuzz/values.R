# Values of arguments as expressions, so that a case can be printed and run as a call. Most values
# of a type are correct or nearly correct; the hostile ones are wrong for almost every argument.

hostile <- expression(
  NULL, NA, NA_real_, NA_integer_, NA_character_, NaN, Inf, -Inf, -1, 0, -0.5, 1.5, 2, 1e10, 1e300,
  1e-320, 2^31, .Machine$integer.max, -.Machine$integer.max, TRUE, "", "a", "1", "\xff", "a\nb",
  strrep("a", 1e5), c(1, NA), c(a = 1), 1:3, c(2, 1), numeric(0), character(0), integer(0),
  logical(0),
  list(), list(1), list(NULL), factor("a"), sum, quote(x), y ~ x, 1i, raw(2), as.Date("2020-01-01"),
  .POSIXct(0), new.env(), function(...) stop("no"), function(...) NULL, data.frame(),
  data.frame(a = 1), data.frame(a = I(list(1))), matrix(0, 0, 0), matrix(0, 0, 3), matrix(0, 3, 0),
  matrix(NaN), matrix(1:4, 2), matrix("a"), matrix(list(1)), array(0, c(1, 1, 1)), array(1, 3),
  structure(1, class = "foo"), structure(list(), class = "buffet_fit"),
  structure(list(), class = c("fit_gaussian", "fit_mcmc", "buffet_fit")),
  structure(list(), class = "prior_ibp"), structure(list(), class = "method_gibbs"),
  structure(list(), class = "gamma_prior"), structure(list(), class = "phylo"),
  structure(1, dim = 1L), structure(list(1), class = "data.frame"), x, z, y, sparse, frame, tree,
  fits, fits$gaussian, fits$choice, prior_ibp(), method_gibbs(), gamma_prior(1, 1), x[, 0], x[0, ]
)

# Values of each type. A name with brackets means a call of that function, which is drawn like any
# other call. A random seed determines how broken or damaged objects are damaged.
near <- list(
  number = expression(1, 0.5, 2L, 0.1, 3, 1e-8, 1e8, 1e-300, 1e300, gamma_prior(1, 1)),
  share = expression(0, 0.2, 0.5, 0.9, 1, 1 - 1e-16, 1e-300),
  hyper = expression(1, 0.5, 2L, 1e-8, 1e8, gamma_prior(1, 1), gamma_prior(1e-3, 1e3)),
  count = expression(1, 2, 3L, 4, 8, 20),
  maybe_count = expression(NULL, 1, 2, 3L, 8, Inf),
  flag = expression(TRUE, FALSE),
  seed = expression(NULL, 1, -5L, 0, .Machine$integer.max),
  verbose = expression(FALSE),
  data = expression(
    x, x_na, sparse, positive, x[1, , drop = FALSE], x[, 1, drop = FALSE], x[1:2, ], x * 1e90,
    x * 1e-90, x * 0, unname(x), as.data.frame(x), round(x), x > 0, replace(x, 1:8, NA),
    x[, c(1, 1, 2)], x[c(1, 1, 2), ], sparse * NA, broken(sparse), as(sparse, "TsparseMatrix"),
    as(sparse, "RsparseMatrix"), Matrix::Diagonal(8), as(sparse != 0, "nMatrix"),
    broken(as(sparse, "TsparseMatrix"))
  ),
  binary = expression(
    z, y, z[1, , drop = FALSE], z[, 0], z[, 1, drop = FALSE], z == 1, unname(z), as.data.frame(z),
    cbind(z, 0), z[, c(1, 1)], replace(z, 1, NA), y[, 1:2], sparse != 0
  ),
  counts = expression(
    dtm, unname(dtm), dtm[1, , drop = FALSE], dtm * 0, dtm[, 1, drop = FALSE], dtm * 1e3, dtm / 2,
    dtm * 1e8, Matrix::Matrix(dtm, sparse = TRUE), broken(Matrix::Matrix(dtm, sparse = TRUE)),
    data.frame(document = c("a", "b"), term = c("x", "y"), count = 1:2)
  ),
  wins = expression(
    wins, wins[1:2, 1:2], wins * 0, wins / 3, unname(wins), wins[1, 1, drop = FALSE], t(wins),
    replace(wins, 3, NA), wins * 1e7,
    data.frame(winner = c("a", "b"), loser = c("b", "c"), n = 2:3),
    data.frame(winner = "a", loser = "a", n = 1),
    data.frame(winner = 1:2, loser = 2:1, n = c(NA, 1))
  ),
  frame = expression(
    frame, frame[1, ], frame[0, ], frame["kind"], x_na, transform(frame, count = NA),
    transform(frame, kind = NA), transform(frame, number = 1e99), transform(frame, count = 2^40),
    transform(frame, kind = letters[1:8]), transform(frame, flag = TRUE), rbind(frame, frame)
  ),
  families = expression(
    NULL, c(count = "poisson"), c(count = "negative_binomial"), c(number = "lognormal"),
    c(kind = "categorical"), c(kind = "gaussian"), list(count = "ordinal")
  ),
  tree = expression(
    tree, ape::rtree(8), ape::stree(8), ape::rcoal(2), ape::unroot(tree), broken_tree(tree)
  ),
  distance = expression(
    dist(x), as.matrix(dist(x)), dist(unname(x)), dist(y), dist(x) * 1e300, dist(x) * 1e-300,
    as.matrix(dist(x))[8:1, 8:1], dist(x[1:3, ]), damaged(dist(x))
  ),
  decay = expression("exponential", "reciprocal", "e"),
  order = expression(NULL, 1:8, 8:1, 1:3, c(1, 1:7)),
  class = expression("lof", "shifted", "ordered", "l"),
  word = expression("gaussian", "normal", "nonnegative", "features", "entry", "row", "lift", "all"),
  strings = expression("a", c("f1", "f2"), "row1", letters),
  counted = expression(1, 2:3, 1:8, c(8, 1), 0:2, 12),
  probs = expression(0.9, 0.5, c(0.1, 0.9), 1e-10),
  formula = expression(~x),
  file = expression(NULL, tempfile(fileext = ".rds"), file.path(tempfile(), "none"), tempdir()),
  path = expression(
    file.path(tempdir(), "none.h5"), function(i) x, function(i) if (i == 1) x else z
  ),
  cluster = expression(NULL),
  draws_of = expression(feature_draws(fits$gaussian), damaged(feature_draws(fits$gaussian))),
  prior = expression(
    `prior_ibp()`, `prior_ibp()`, `prior_beta_bernoulli()`, `prior_pibp()`,
    `prior_attraction()`, `prior_attraction()`, `prior_fixed()`, `prior_cascade()`
  ),
  method = expression(
    method_gibbs(chains = 2, iter = 8), method_gibbs(chains = 1, iter = 3, warmup = 1),
    `method_gibbs()`, `method_gibbs()`, `method_meibp()`, `method_variational()`,
    `method_power_ep()`, `method_beam()`, `method_icm()`
  ),
  init = expression(NULL, z, y, list(features = z), list(sigma_x = 1), list(z, z), `init_cascade()`,
    `init_topics()`
  ),
  sampler = expression(NULL, "collapsed", "uncollapsed", "slice", "parallel"),
  moves = expression(NULL, 0, 1, 5),
  fit = expression(
    fits$gaussian, fits$column, fits$tree, fits$attraction, fits$fixed, fits$sparse,
    fits$nonnegative, fits$meibp, fits$variational, fits$beam, fits$logistic, fits$factor,
    fits$factors, fits$mixed, fits$choice, fits$topics, fits$cascade, fits$icm, fits$nmf
  ),
  recipe = expression(recipes::recipe(~., frame[1:2]), recipes::recipe(number ~ ., frame)),
  small = expression(1, 2, 3L),
  range = expression(NULL, c(0, 1), c(-1, 2), c(1, 0), 3),
  search = expression("climb", "local", "double_greedy", "sweep", "row", "infinite", "finite"),
  plot_type = expression(
    "features", "loadings", "trace", "n_features", "coassignment", "fit", "tree", "chains",
    "weights", "worth"
  ),
  geom = expression("tile", "line"),
  cascade = expression(cascade, cascade[1], rev(unclass(cascade)), list(z, z), list(z, t(z))),
  simulated = expression(
    fits$gaussian, fits$choice, fits$topics, fits$cascade, `prior_ibp()`, `prior_beta_bernoulli()`,
    `prior_pibp()`, `prior_attraction()`, `prior_fixed()`, `prior_cascade()`
  ),
  shown = expression(
    fits$gaussian, fits$choice, fits$cascade, fits$icm, feature_draws(fits$topics), `prior_ibp()`,
    `prior_pibp()`, `prior_attraction()`, `method_gibbs()`, `method_meibp()`, `init_cascade()`,
    `init_topics()`
  )
)
