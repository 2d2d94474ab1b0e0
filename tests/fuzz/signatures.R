# The type of every argument of every function. Cases omit arguments without a type.

runs <- list(seed = "seed", verbose = "verbose", file = "file", init = "init", method = "method")

signatures <- list(
  acceptance = list(fit = "fit"),
  as_draws = list(x = "fit"), as_draws_array = list(x = "fit"), as_draws_df = list(x = "fit"),
  as_draws_list = list(x = "fit"), as_draws_matrix = list(x = "fit"),
  as_draws_rvars = list(x = "fit"),
  augment = list(x = "fit", data = "data", newdata = "data"),
  bayes_R2 = list(object = "fit", ndraws = "maybe_count"), best_chain = list(fit = "fit"),
  sim_images = list(n = "count", sigma = "number", prob = "share"),
  cascade_depth = list(k = "count", alpha = "number", concentration = "number"),
  cascade_width = list(k = "count", alpha = "number", concentration = "number"),
  coassignment = list(fit = "fit"), compare_heldout = list(actual = "data"),
  complete = list(data = "fit", action = "counted"),
  dbeta_bernoulli = list(
    z = "binary", alpha = "number", concentration = "number", n_features = "count", class = "class",
    log = "flag"
  ),
  dattraction = list(
    z = "binary", distance = "distance", alpha = "number", temperature = "number", decay = "decay",
    order = "order", log = "flag"
  ),
  dcascade = list(
    z = "cascade", alpha = "number", alpha_deep = "number", concentration = "number", log = "flag",
    units = "count"
  ),
  dibp = list(
    z = "binary", alpha = "number", concentration = "number", discount = "share", class = "class",
    log = "flag"
  ),
  dpibp = list(z = "binary", tree = "tree", alpha = "number", log = "flag"),
  expected_loss = list(fit = "fit", z = "binary", cost = "number"),
  feature_draws = list(fit = "fit"),
  features = list(fit = "fit", estimate = "word", cost = "number"),
  features_of = list(fit = "fit"),
  fit_cascade = c(list(x = "data", range = "range", prior = "prior"), runs),
  fit_choice = c(list(wins = "wins", weights = "hyper", epsilon = "share", prior = "prior"), runs),
  fit_factor = c(list(
    x = "data", families = "families", sparse = "word", weights = "word", sigma_x = "hyper",
    sigma_a = "hyper", noise = "word", scales = "word", center = "flag", scale = "flag",
    prior = "prior"
  ), runs),
  fit_gaussian = c(list(
    x = "data", loadings = "word", sigma_x = "hyper", sigma_a = "hyper", center = "flag",
    scale = "flag", noise = "word", prior = "prior", cl = "cluster"
  ), runs),
  fit_logistic = c(list(y = "binary", sigma_a = "hyper", bias = "flag", prior = "prior"), runs),
  fit_mixed = c(list(
    data = "frame", families = "families", sigma_w = "hyper", bias = "flag", prior = "prior"
  ), runs),
  fit_nmf = c(
    list(x = "data", rank = "count", sigma_x = "hyper", rate_w = "number", rate_a = "number"), runs
  ),
  fit_topics = c(
    list(dtm = "counts", lengths = "word", gamma = "hyper", eta = "hyper", prior = "prior"), runs
  ),
  gamma_prior = list(shape = "number", rate = "number"), glance = list(x = "fit"),
  heldout_density = list(fit = "fit", actual = "data"),
  init_cascade = list(widths = "counted", density = "share"),
  init_topics = list(n_topics = "count"),
  left_order = list(z = "binary"), loadings_of = list(fit = "fit"),
  log_lik = list(object = "fit", by = "word", ndraws = "maybe_count"),
  major_factors = list(fit = "fit", n = "maybe_count", rotate = "word"),
  method_beam = list(width = "count", max_features = "count", lookahead = "count"),
  method_gibbs = list(
    chains = "small", iter = "count", warmup = "count", thin = "small", cores = "small",
    sampler = "sampler", refresh = "count", max_features = "maybe_count", moves = "moves",
    restart_stuck = "flag", max_iter = "maybe_count", max_time = "maybe_count"
  ),
  method_icm = list(restarts = "small", tol = "number", iter = "count", cores = "small"),
  method_meibp = list(
    max_features = "count", restarts = "small", tol = "number", search = "search",
    cores = "small", update = "search"
  ),
  method_power_ep = list(
    max_features = "count", restarts = "small", tol = "number", cores = "small"
  ),
  method_variational = list(
    max_features = "count", form = "search", restarts = "small", tol = "number", cores = "small"
  ),
  nchains = list(x = "fit"), ndraws = list(x = "fit"), network = list(fit = "fit"),
  niterations = list(x = "fit"),
  sim_photos = list(n = "small", height = "count", width = "count"),
  objective = list(fit = "fit"),
  perplexity = list(
    fit = "fit", newdata = "counts", completion = "share", sweeps = "count", ndraws = "maybe_count",
    seed = "seed"
  ),
  posterior_epred = list(object = "fit", newdata = "data", ndraws = "maybe_count"),
  posterior_interval = list(object = "fit", prob = "share"),
  posterior_predict = list(object = "fit", newdata = "data", ndraws = "maybe_count"),
  predictive_interval = list(
    object = "fit", prob = "share", newdata = "data", ndraws = "maybe_count"
  ),
  prior_attraction = list(
    distance = "distance", alpha = "hyper", temperature = "hyper", decay = "decay", order = "order"
  ),
  prior_beta_bernoulli = list(n_features = "count", alpha = "hyper", concentration = "hyper"),
  prior_cascade = list(
    alpha = "hyper", alpha_deep = "hyper", concentration = "hyper", max_layers = "count",
    max_units = "count"
  ),
  prior_fixed = list(z = "binary"),
  prior_ibp = list(alpha = "hyper", concentration = "hyper", discount = "share"),
  prior_pibp = list(tree = "tree", alpha = "hyper"), prior_summary = list(object = "fit"),
  rattraction = list(
    distance = "distance", alpha = "number", temperature = "number", decay = "decay",
    order = "order"
  ),
  rbeta_bernoulli = list(
    rows = "count", n_features = "count", alpha = "number", concentration = "number"
  ),
  rcascade = list(
    units = "count", alpha = "number", alpha_deep = "number", concentration = "number",
    max_layers = "count", max_units = "count"
  ),
  sim_topics = list(
    documents = "count", words = "count", alpha = "number", gamma = "number", eta = "number",
    lengths = "counted"
  ),
  ribp = list(rows = "count", alpha = "number", concentration = "number", discount = "share"),
  ribp_sticks = list(n = "count", alpha = "number"),
  row_blocks = list(read = "path", blocks = "count", rows = "count", name = "word"),
  rpibp = list(tree = "tree", alpha = "number"),
  step_ibp = list(
    recipe = "recipe", role = "strings", trained = "flag", model = "word", prior = "prior",
    method = "method", seed = "seed", threshold = "share", prefix = "strings",
    keep_original_cols = "flag", skip = "flag"
  ),
  thresholds = list(fit = "fit"),
  tidy = list(x = "fit", matrix = "word", conf.level = "share"),
  top_words = list(fit = "fit", n = "count", by = "word"), topic_table = list(fit = "fit"),
  variables = list(x = "fit"), weights_of = list(fit = "fit"),

  # These are methods for generics in R's own packages.
  predict = list(
    object = "fit", newdata = "data", type = "word", ndraws = "maybe_count", sweeps = "count"
  ),
  fitted = list(object = "fit"),
  residuals = list(object = "fit"),
  simulate = list(object = "simulated", nsim = "small", seed = "seed", rows = "count"),
  summary = list(object = "fit", aspects = "count"), print = list(x = "shown"),
  format = list(x = "shown"), logLik = list(object = "fit"), nobs = list(object = "fit"),
  update = list(
    object = "fit", iter = "count", verbose = "verbose", chains = "small", seed = "seed",
    thin = "small", prior = "prior", method = "method"
  ),
  plot = list(
    x = "fit", type = "plot_type", dim = "counted", rows = "counted", which = "counted",
    geom = "geom"
  ),
  `[[` = list(x = "draws_of", i = "count"), `[` = list(x = "draws_of", i = "counted")
)

# Functions without cases: buffet_demo(), which serves a page until it is closed, and deprecated
# names.
not_called <- c("buffet_demo", "rftm", "block_images", "object_photos")

#' Stops if an exported function has no signature in this file
check_signatures <- function() {
  exported <- Filter(function(name) is.function(getExportedValue("buffet", name)),
    getNamespaceExports("buffet")
  )
  without <- setdiff(exported, c(names(signatures), not_called))
  if (length(without)) stop("tests/fuzz/signatures.R lacks ", paste(without, collapse = ", "))
  types <- unique(unlist(signatures))
  untyped <- setdiff(types, names(near))
  if (length(untyped)) stop("tests/fuzz/values.R lacks ", paste(untyped, collapse = ", "))
}
