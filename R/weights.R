expand_table <- function(x, name) {
  if (!inherits(x, "table")) return(x)
  cells <- as.data.frame(x, responseName = "n", stringsAsFactors = TRUE)
  counts <- check_frequencies(cells[[ncol(cells)]], name, "have whole numbers as counts")
  cases <- cells[rep(seq_along(counts), counts), -ncol(cells), drop = FALSE]
  rownames(cases) <- NULL
  text <- "Expanding the table `%s`: %s become %s.%s"
  hint <- sample_hint(nrow(cases), "d", "if `d` is the table")
  message(sprintf(text, name, counted(nrow(cells), "cell"), counted(nrow(cases), "row"), hint))
  cases
}

# Advice on how to fit a random sample of many rows
sample_hint <- function(rows, counts, what) {
  text <- paste(
    "The time of a fit grows with the number of rows, even if they are identical. To draw a random",
    "sample of 500, %2$s:",
    "`%1$s[] <- tabulate(sample(rep(seq_along(%1$s), %1$s), 500), length(%1$s))`."
  )
  if (rows > 1000) paste0(" ", sprintf(text, counts, what)) else ""
}

# Evaluates the argument `weights`: numbers, or the name of a column, which may be unquoted
# weights: A quosure.
evaluate_weights <- function(weights, data) {
  must <- "be numbers or the name of a column of the data"
  given <- weights
  fails <- function(e) {
    why <- sub("[.]?$", "", one_line(conditionMessage(e)))
    abort_argument("`weights` must ", must, ", but its evaluation failed: ", why, ".")
  }
  columns <- if (is.data.frame(data)) as.list(data)[setdiff(names(data), c("", NA))]
  weights <- tryCatch(rlang::eval_tidy(given, columns), error = fails)
  # For instance, d$wrong_name is NULL.
  if (is.null(weights) && rlang::quo_is_call(given)) stop_argument("weights", must, weights)
  if (!rlang::is_string(weights)) return(weights)
  if (!weights %in% colnames(data)) stop_argument("weights", must, weights)
  if (is.data.frame(data)) data[[weights]] else as.vector(data[, weights])
}

# Repeats each row of the data as many times as its weight, and drops the weight columns
# data: A plain data frame or a matrix.
repeat_rows <- function(data, weights, name) {
  if (is.null(weights)) return(data)
  if (is_labelled(weights)) weights <- read_labelled(weights, FALSE)
  if (!is.numeric(weights) || length(weights) != nrow(data)) {
    must <- "be a whole number for each of the %s of `%s`"
    stop_argument("weights", sprintf(must, counted(nrow(data), "row"), name), weights)
  }
  weights <- check_frequencies(weights, "weights", "be whole numbers of at least 0 (frequencies)")
  own <- vapply(seq_len(ncol(data)), function(j) {
    values <- if (is.data.frame(data)) data[[j]] else data[, j]
    is.numeric(values) && isTRUE(all(values == weights))
  }, NA)
  if (all(own)) stop_argument(name, "have a column other than the weights", data)
  none <- sum(weights == 0)
  left_out <- colnames(data)[own]
  message(
    sprintf("Repeating rows of `%s` by `weights`: ", name),
    sprintf("%s become %.0f", counted(length(weights), "row"), sum(weights)),
    if (none > 0) sprintf("; %s with weight 0 left out", counted(none, "row")),
    if (length(left_out) > 0) sprintf("; not modelled: %s", enumerate_some(left_out)), ".",
    sample_hint(sum(weights), "w", "if `w` are the weights")
  )
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
    at <- if (name == "weights") "row" else "cell"
    stop_argument(name, must, was = sprintf("%s at %s %d", format(n[wrong[1]]), at, wrong[1]))
  }
  if (sum(n) == 0) abort_argument("`", name, "` must not all be 0.")
  if (sum(n) > 1e6) {
    must <- "add up to at most 1000000, since every case becomes a row"
    stop_argument(name, must, was = format(sum(n)))
  }
  as.double(n)
}

# chosen: Names of the columns whose families were given.
tell_count_column <- function(data, name, chosen = NULL) {
  counts <- names(data) %in% c("n", "count", "Freq", "freq") & !names(data) %in% chosen
  is_category <- function(x) is.factor(x) || is.character(x) || is.logical(x)
  categories <- vapply(data, is_category, NA)
  if (sum(counts) != 1 || !all(categories[!counts]) || all(counts)) return(invisible())
  values <- data[[which(counts)]]
  if (!is.numeric(values) || !is_all_whole(values)) return(invisible())
  column <- deparse(as.name(names(data)[counts]), backtick = TRUE)
  text <- "`%s`: %s is modelled as a column. If it counts repeated rows, use `weights = %s`."
  message(sprintf(text, name, names(data)[counts], column))
}

# Draws of biases (if any), weights and parameters of families given `features(fit)`, with
# everything else integrated out. If the features are known, the draws come from the fit, and
# otherwise from an additional chain.
# cost: Cost of a sweep, in units of about 100 ns. It sets the number of draws, which take about a
# second.
weight_draws <- function(fit, cost = prod(dim(model_data(fit)))) {
  model <- fit$internal$model
  width <- c(model$loading_width, point_size(fit) + model$loading_extra)
  if (!is.null(model$prior$z)) {
    return(array(as.double(fit$internal$draws_loadings), c(width, length(fit$feature_draws))))
  }
  if (prod(width) == 0) return(array(double(), c(width, 1)))
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
  array(as.double(chain$loadings), c(width, draws))
}
