expand_table <- function(x, name) {
  if (!inherits(x, "table")) return(x)
  cells <- as.data.frame(x, responseName = "n", stringsAsFactors = TRUE)
  counts <- check_frequencies(cells[[ncol(cells)]], name, "have whole numbers as counts")
  cases <- cells[rep(seq_along(counts), counts), -ncol(cells), drop = FALSE]
  rownames(cases) <- NULL
  text <- "Expanding the table `%s`: %s become %s."
  message(sprintf(text, name, counted(nrow(cells), "cell"), counted(nrow(cases), "row")))
  cases
}

# The argument `weights`: numbers, or the name of a column, which may be a bare name
# weights: A quosure.
evaluate_weights <- function(weights, data) {
  must <- "be numbers or the name of a column of the data"
  given <- weights
  columns <- if (is.data.frame(data)) as.list(data)[setdiff(names(data), c("", NA))]
  weights <- tryCatch(
    rlang::eval_tidy(given, columns),
    error = function(e) stop_argument("weights", must, was = one_line(conditionMessage(e)))
  )
  # For instance d$wrong_name.
  if (is.null(weights) && rlang::quo_is_call(given)) stop_argument("weights", must, weights)
  if (!rlang::is_string(weights)) return(weights)
  if (!weights %in% colnames(data)) stop_argument("weights", must, weights)
  if (is.data.frame(data)) data[[weights]] else as.vector(data[, weights])
}

# Data with each row as often as its weight says, without columns that have the weights
# data: A plain data frame or a matrix.
repeat_rows <- function(data, weights, name) {
  if (is.null(weights)) return(data)
  if (is_labelled(weights)) weights <- read_labelled(weights, FALSE)
  if (!is.numeric(weights) || length(weights) != nrow(data)) {
    must <- sprintf("be a whole number for each of the %s of `%s`", counted(nrow(data), "row"), name)
    stop_argument("weights", must, weights)
  }
  weights <- check_frequencies(weights, "weights", "be whole numbers of at least 0 (frequencies)")
  own <- columns_equal_to(data, weights)
  if (all(own)) stop_argument(name, "have a column that is not the weights", data)
  tell_repeated(weights, colnames(data)[own], name)
  at <- rep(seq_along(weights), weights)
  named <- if (is.data.frame(data)) .row_names_info(data) > 0 else !is.null(rownames(data))
  names <- if (named) make.unique(rownames(data)[at])
  data <- data[at, !own, drop = FALSE]
  if (is.data.frame(data) || named) rownames(data) <- names
  data
}

check_frequencies <- function(n, name, must) {
  wrong <- which(!(is.finite(n) & n >= 0 & n == round(n)))
  if (length(wrong) > 0) {
    stop_argument(name, must, was = sprintf("%s at %d", format(n[wrong[1]]), wrong[1]))
  }
  if (sum(n) == 0) stop_argument(name, "not be 0 throughout", was = "so")
  if (sum(n) > most_cases) {
    must <- sprintf("add up to at most %.0f, since every case becomes a row", most_cases)
    stop_argument(name, must, was = format(sum(n)))
  }
  as.double(n)
}

most_cases <- 1e6

columns_equal_to <- function(data, weights) {
  vapply(seq_len(ncol(data)), function(j) {
    values <- if (is.data.frame(data)) data[[j]] else data[, j]
    is.numeric(values) && isTRUE(all(values == weights))
  }, NA)
}

tell_repeated <- function(weights, own, name) {
  none <- sum(weights == 0)
  message(
    sprintf("Repeating rows of `%s` by `weights`: ", name),
    sprintf("%s become %.0f", counted(length(weights), "row"), sum(weights)),
    if (none > 0) sprintf("; %s with weight 0 left out", counted(none, "row")),
    if (length(own) > 0) sprintf("; not modelled: %s", enumerate_some(own)), "."
  )
}

# chosen: Names of columns whose families were given.
tell_count_column <- function(data, name, chosen = NULL) {
  if (!is.data.frame(data)) return(invisible())
  counts <- names(data) %in% c("n", "count", "Freq", "freq") & !names(data) %in% chosen
  is_category <- function(x) is.factor(x) || is.character(x) || is.logical(x)
  categories <- vapply(data, is_category, NA)
  if (sum(counts) != 1 || !all(categories[!counts]) || all(counts)) return(invisible())
  values <- data[[which(counts)]]
  if (!is.numeric(values) || !is_all_whole(values)) return(invisible())
  column <- deparse(as.name(names(data)[counts]), backtick = TRUE)
  text <- "`%s`: %s is modelled as a column. If it says how often a row occurs: `weights = %s`."
  message(sprintf(text, name, names(data)[counts], column))
}

# Draws of biases (if any), weights and parameters of families given `features(fit)`, with
# everything else integrated out: from the fit if features are known, otherwise from one more chain
# cost: Of a sweep, in units of about 100 ns, so that the draws take about a second.
weight_draws <- function(fit, cost) {
  model <- fit$internal$model
  known <- !is.null(model$prior$z)
  kept <- if (known) fit$internal$draws_loadings else loadings_given_features(fit, cost)
  width <- c(model$loading_width, point_size(fit) + model$loading_extra)
  draws <- if (known) length(fit$feature_draws) else max(1, length(kept) / max(1, prod(width)))
  array(as.double(kept), c(width, draws))
}

loadings_given_features <- function(fit, cost) {
  model <- fit$internal$model
  if (prod(model$loading_width, point_size(fit) + model$loading_extra) == 0) return(double())
  model$prior <- prior_fixed(fit$features)
  model$prior_spec <- prior_spec(model$prior)
  model$traits[c("searches", "complements")] <- FALSE
  draws <- as.integer(min(4000, max(500, 1e7 / cost)))
  warmup <- draws %/% 4L
  method <- check_model(method_gibbs(1, draws + warmup, warmup, cores = 1), model)
  run <- new_run(method, model, check_starts(model, NULL, method), list(seed = fit$seed))
  done <- run_to_end(run, function(run, plan, watch) {
    sweep_chains(run$model, run$method, plan, watch)
  })
  chain <- drop_failed(done$chains, run)[[1]]
  if (length(chain$sizes) < draws) rlang::interrupt()
  chain$loadings
}
