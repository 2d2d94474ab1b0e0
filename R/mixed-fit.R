#' Fit a latent feature model of a data frame
#'
#' @description
#' Every row of a data frame has some binary features, which shift its numbers, multiply its counts
#' and change the probabilities of its categories (Valera et al. 2020). Column j has a family and a
#' linear predictor, or one per category if categories have no order:
#' \deqn{\eta_{ij} = b_j + \sum_k z_{ik} w_{kj}, \quad w_{kj} \sim N(0, \sigma_w^2), \quad
#' b_j \sim N(0, \sigma_b^2).}
#' The number of features, which rows have which features (Z), and their effects are learned. The
#' default fit of `iris` takes about 7 s on one core, and the fit of `prostate[1:100, ]` about 50 s.
#'
#' @details
#' ## Is it for my data?
#' Use it for data frames whose columns are numbers, counts, and ordered or unordered categories;
#' entries may be missing. If all columns are numbers, use [fit_gaussian()]; for zeros and ones, use
#' [fit_logistic()].
#'
#' ## Families
#' A column is `"gaussian"`, `"lognormal"`, `"bernoulli"`, `"ordinal"`, `"categorical"`,
#' `"negative_binomial"`, `"poisson"` or `"binomial(10)"`. [families] describes their distributions
#' and how they are chosen. Numbers (or their logarithms) are standardised; predictions are in the
#' units of the data. Character columns become factors, with a message.
#'
#' @section Priors:
#' \eqn{1/\sigma_w^2}, \eqn{1/\sigma_b^2} and the precision of each standardised numeric column are
#' Gamma(1, 1); \eqn{\sigma_w} and \eqn{\sigma_b} stay within \[0.01, 30\]. [families] gives the
#' priors of cut points and sizes. [prior_summary()][prior_summary.buffet_fit] shows all of them.
#'
#' @section Frequency weights:
#' A row with weight 3 counts as three rows, and [nobs()] is the sum of the weights. Rows with
#' weight 0 and columns equal to the weights are left out. [update()][update.fit_mcmc] keeps the
#' weights unless the data change. `prior` and `init` need one row for each repetition.
#'
#' @param data (data frame or table) Columns of numbers, logicals, factors and characters; `NA` is a
#'   [missing entry][missing_values]. Constant columns are left out, and a table of counts, such as
#'   `Titanic`, is expanded to a row per case.
#' @param families (string, named character vector or `NULL`) Family of all columns, or of some, as
#'   in `c(age = "gaussian")`. `NULL`, the default, chooses them; see [families].
#' @param sigma_w (number in \[0.01, 30\] or [gamma_prior()]) Standard deviation of the weights, for
#'   standardised numbers. A `gamma_prior()`, by default `gamma_prior(1, 1)`, is a prior on
#'   1/sigma_w^2.
#' @param bias (flag) Include a bias in every linear predictor? `TRUE` by default.
#' @param prior Prior on Z: [prior_ibp()] (default), [prior_beta_bernoulli()], [prior_pibp()],
#'   [prior_attraction()] or [prior_fixed()].
#' @param method [method_gibbs()]; see [samplers].
#' @param weights (`NULL` or whole numbers, one per row) Frequency weights. As in [stats::lm()], a
#'   column of `data` can be named, as in `weights = Freq` or `weights = "Freq"`.
#' @inheritParams fit_gaussian
#' @return A fit of class `fit_mixed` and `fit_mcmc`; see [buffet_fit].
#' @seealso [tidy()][tidy.fit_mixed] and [plot()][plot.fit_mixed] for the effects of features,
#'   [predict()][predict.fit_mixed], [complete()] for multiple imputation, `vignette("data-frames")`
#' @references Valera, I., Pradier, M. F., Lomeli, M. and Ghahramani, Z. (2020). General latent
#'   feature models for heterogeneous datasets. *Journal of Machine Learning Research* 21(100),
#'   1-49.
#' @examples
#' # 60 patients with prostate cancer: a short run, for speed
#' fit <- fit_mixed(prostate[1:60, ], method = method_gibbs(chains = 1, iter = 60), seed = 1)
#' # the families of the columns, and the features
#' fit
#' # which features occur together in patients
#' plot(fit, "patterns")
#' @export
fit_mixed <- function(data, families = NULL, sigma_w = gamma_prior(1, 1), bias = TRUE,
                      prior = prior_ibp(), method = method_gibbs(), init = NULL, seed = NULL,
                      verbose = TRUE, file = NULL, weights = NULL, ...) {
  arguments <- fit_arguments("fit_mixed", ..., except = "weights")
  data <- expand_table(data, "data")
  weights <- evaluate_weights(rlang::enquo(weights), data)
  arguments["weights"] <- list(weights)
  data <- mixed_data(data, families, weights)
  sigma <- list(sigma_w = check_sigma(sigma_w, "sigma_w", logistic_sigmas))
  if (check_flag(bias, "bias")) sigma$sigma_b <- gamma_prior(1, 1)
  prior <- match_prior(check_prior(prior), data$x)
  sigma_x <- gamma_prior(1, 1)
  size <- mixed_loading_size_cpp(core_families(data$columns, sigma_x, bias), bias)
  unknown <- is.null(prior$z)
  unit <- Map(function(column, code) sum(log_jacobian(column, code[!is.na(code)])),
    data$columns, as.data.frame(data$x)
  )
  traits <- new_traits(data$x, "uncollapsed",
    entries = 2 * length(data$x), searches = unknown, complements = bias && unknown,
    fitted = "expected", log_unit = -sum(unlist(unit))
  )
  model <- new_model("mixed", data, traits,
    sigma = sigma, bias = bias, sigma_x = sigma_x, prior = prior,
    prior_spec = prior_spec(prior, traits$rows), loading_width = size[1],
    loading_extra = size[2]
  )
  fit_model(model, arguments, match.call())
}

#' @exportS3Method
sweep_chains.mixed_model <- function(model, method, plan, watch) {
  mixed_gibbs_cpp(t(model$data$x), mixed_spec(model, method), plan, watch)
}

mixed_spec <- function(model, method) {
  list(
    prior = limited_prior_spec(model, method), sigma_w = precision_spec(model$sigma$sigma_w),
    families = core_families(model$data$columns, model$sigma_x, model$bias),
    bias = if (model$bias) precision_spec(model$sigma$sigma_b)
  )
}

#' @exportS3Method
check_starts.mixed_model <- function(model, init, method) {
  starts <- check_init(init, nrow(model$data$x), model$sigma, model$prior, method)
  lapply(starts, function(start) {
    given <- intersect(names(which(!is.na(start$values))), names(model$sigma))
    for (name in given) check_sigma(start$values[[name]], sprintf("init$%s", name), logistic_sigmas)
    start$values <- c(start$values, c(sigma_b = NA_real_)[!model$bias])
    start
  })
}

#' @exportS3Method
describe_data.fit_mixed <- function(fit) {
  columns <- fit$internal$model$data$columns
  families <- vapply(columns, function(column) {
    if (column$family == "binomial") sprintf("binomial(%d)", column$size) else column$family
  }, "")
  of_each <- vapply(unique(families), function(family) {
    paste0(family, ": ", paste(names(columns)[families == family], collapse = ", "))
  }, "")
  c(
    paste("Latent feature model of", describe_matrix(model_data(fit))),
    strwrap(of_each, getOption("width"), indent = 2, exdent = 4)
  )
}

#' @exportS3Method
further_priors.fit_mixed <- function(fit) {
  model <- fit$internal$model
  columns <- model$data$columns
  families <- vapply(columns, `[[`, "", "family")
  has <- function(...) any(families %in% c(...))
  rbind(
    prior_row("weights", "N(0, sigma_w^2)"),
    if (model$bias) prior_row("biases", "N(0, sigma_b^2)"),
    if (has("gaussian", "lognormal")) {
      text <- "%s on 1/sigma^2 of each numeric column, standardised"
      prior_row("sigma_x", sprintf(text, format(model$sigma_x)))
    },
    if (has("ordinal")) {
      first <- if (model$bias) "0" else "N(0, 1)"
      prior_row("cut_points", sprintf("first %s, gaps between them Exponential(1)", first))
    },
    if (has("negative_binomial")) {
      law <- "log(size) ~ N(1, 2^2), size within [exp(-7), exp(7)]"
      prior_row("size", paste0(law, ", of each negative_binomial column"))
    },
    if (has("poisson")) {
      of <- vapply(columns[families == "poisson"], poisson_size, 0)
      prior_row("size_poisson", paste(describe_hyper(of), "(100 times the mean)"), FALSE)
    }
  )
}

# weights: NULL, or one number per row.
# Returns list(x, columns, frame): the coded numbers, N x D, their columns, and the data with
# labelled columns converted and rows repeated.
mixed_data <- function(data, families, weights = NULL) {
  check_frame(data)
  frame <- own_frame(read_labelled_columns(data, "data"))
  tell_missing_codes(frame)
  if (is.null(weights)) tell_count_column(frame, "data", names(families))
  tell_identifiers(frame, names(families))
  frame <- repeat_rows(frame, weights, "data")
  families <- check_families(families, names(frame))
  for (column in names(frame)) check_column_numbers(frame[[column]], column, "data")
  data <- usable_columns(frame)
  columns <- Map(new_column, data, names(data), families[names(data)], frame[names(data)])
  x <- code_frame(columns, data, "data")
  tell_number_families(columns, data, names(Filter(Negate(is.null), families)))
  list(x = x, columns = columns, frame = frame)
}

# Reports columns that look like row identifiers: ten or more strings that are mostly distinct,
# consecutive whole numbers, and columns called id or row
# chosen: Names of the columns whose families were given.
tell_identifiers <- function(data, chosen, name = "data") {
  looks <- vapply(names(data), function(column) {
    known <- data[[column]][!is.na(data[[column]])]
    if (column %in% chosen) return(FALSE)
    if (tolower(column) %in% c("id", "row")) return(TRUE)
    if (length(known) < 10) return(FALSE)
    if (!is.numeric(known)) return(length(unique(known)) > length(known) / 2)
    !anyDuplicated(known) && is_all_whole(known) && diff(range(known)) == length(known) - 1
  }, NA)
  if (!any(looks)) return(invisible())
  code <- without_columns(names(data)[looks], name)
  message(cli::pluralize(
    "{names(data)[looks]} look{?s/} like {?an identifier/identifiers} of the rows of `{name}`. ",
    "To leave {cli::qty(sum(looks))}{?it/them} out: "
  ), "`", code, "`.")
}

# Reports values that may be codes for missing entries
# matrix: True if the user gave a matrix.
tell_missing_codes <- function(data, name = "data", matrix = FALSE) {
  codes <- Filter(Negate(is.null), lapply(data, missing_code))
  if (length(codes) == 0) return(invisible())
  values <- vapply(codes, describe_scalar, "")
  column <- if (matrix) {
    sprintf("%s[, %d]", name, match(names(codes)[1], names(data)))
  } else {
    paste0(name, "$", deparse(as.name(names(codes)[1]), backtick = TRUE))
  }
  message(
    "Values of `", name, "` that may be codes for missing entries: ",
    enumerate_some(paste(values, "in", names(codes))),
    sprintf(". If they are, set them to NA: `%1$s[%1$s %%in%% %2$s] <- NA`.", column, values[1])
  )
}

# The value that looks like a code for a missing entry: an empty string, or a repeated number whose
# digits are all nines (99, -999) and which is farther from all other numbers than they are from
# each other
missing_code <- function(values) {
  if (!is.numeric(values)) return(if (any(values %in% "")) "")
  values <- values[is.finite(values)]
  if (length(unique(values)) < 3) return(NULL)
  ends <- range(values)
  for (code in ends[abs(ends) %in% (10^(1:5) - 1)]) {
    others <- values[values != code]
    isolated <- min(abs(others - code)) > diff(range(others))
    if (isolated && sum(values == code) > 1) return(code)
  }
}

# Code that removes these columns from the data
without_columns <- function(names, data = "data") {
  names <- vapply(names, \(name) deparse(as.name(name), backtick = TRUE), "")
  one <- length(names) == 1
  left_out <- if (one) names else sprintf("c(%s)", toString(names))
  sprintf("subset(%s, select = -%s)", data, left_out)
}

# Code that converts an object to a data frame, or an empty string
frame_conversion <- function(x) {
  if (is.matrix(x) && !inherits(x, "table")) return(" (as.data.frame() converts it)")
  if (inherits(x, c("dist", "ts"))) return(" (as.data.frame(as.matrix()) converts it)")
  if (is.array(x) && is.numeric(x)) return(" (as.table() makes it a table of counts)")
  conversion_of(x)
}

check_frame <- function(data, name = "data") {
  if (!is.data.frame(data)) {
    cure <- if (is_vector(data)) "`d[, 1, drop = FALSE]` keeps a column of a data frame `d`"
    stop_argument(name, paste0("be a data frame", frame_conversion(data)), data, cure = cure)
  }
  if (any(dim(data) == 0)) {
    stop_argument(name, "have at least one row and one column", was = describe_size(data))
  }
  check_valid_names(names(data), name, "column names")
  if (.row_names_info(data) > 0) check_valid_names(rownames(data), name, "row names")
  check_column_names(names(data), name)
  for (column in names(data)) check_kind(data[[column]], column, name)
}

check_column_names <- function(names, name) {
  unnamed <- is.null(names) || anyNA(names) || !all(nzchar(names))
  if (!unnamed && !anyDuplicated(names)) return(invisible())
  twice <- setdiff(names[duplicated(names)], c("", NA))
  was <- if (length(twice) > 0) sprintf("two columns `%s`", twice[1]) else "empty or NA"
  code <- if (is.null(names)) {
    "paste0(\"V\", seq_along(d))"
  } else if (unnamed) {
    "make.names(names(d), unique = TRUE)"
  } else {
    "make.unique(names(d))"
  }
  cure <- sprintf("`names(d) <- %s` renames the columns of a data frame `d`", code)
  stop_argument(name, "have unique, non-empty column names", was = was, cure = cure)
}

# A plain data frame that shares no memory with `data`, because data.table changes columns in place
own_frame <- function(data) {
  columns <- rlang::duplicate(unclass(data))
  row_names <- rlang::duplicate(.row_names_info(data, 0L))
  names <- rlang::duplicate(names(data))
  attributes(columns) <- list(names = names, class = "data.frame", row.names = row_names)
  columns
}

check_kind <- function(values, column, name) {
  plain <- is.numeric(values) || is.logical(values) || is.character(values)
  usable <- is.factor(values) || plain && (!is.object(values) || is_labelled(values))
  if (usable && length(dim(values)) == 0) return(invisible())
  must <- "have columns of numbers, logicals, factors and characters only"
  cure <- numbers_of_times(values, column, name)
  stop_argument(name, must, was = describe_other_column(values, column), cure = cure)
}

check_column_numbers <- function(values, column, name) {
  if (!is.numeric(values)) return(invisible())
  if (any(is.infinite(values) | is.nan(values))) {
    must <- sprintf("have finite entries or NA in the column \"%s\"", column)
    stop_argument(name, must, was = "NaN or infinite ones")
  }
  if (any(abs(values) > 1e100, na.rm = TRUE)) {
    must <- sprintf("have entries of at most 1e100 in size in the column \"%s\"", column)
    stop_argument(name, must, was = "larger ones")
  }
}

# Converts characters to factors, and drops constant columns
usable_columns <- function(data) {
  text <- vapply(data, is.character, NA)
  if (any(text)) {
    names <- paste(names(data)[text], collapse = ", ")
    message("Converting character columns to factors: ", names, ".")
    data[text] <- lapply(data[text], factor)
  }
  data <- drop_unused_levels(data)
  distinct <- vapply(data, function(values) length(unique(values[!is.na(values)])), 1L)
  constant <- distinct < 2
  if (all(constant)) stop_argument("data", "have a column that varies", was = "constant")
  tell_left_out <- function(which, why) {
    if (any(which)) message("Leaving out columns ", why, ": ", toString(names(data)[which]), ".")
  }
  tell_left_out(distinct == 1, "that never vary")
  tell_left_out(distinct == 0, "without any value")
  data[!constant]
}

drop_unused_levels <- function(data) {
  factors <- vapply(data, is.factor, NA)
  used <- lapply(data[factors], droplevels, exclude = NA)
  levels_before <- vapply(data[factors], function(values) sum(!is.na(levels(values))), 1L)
  fewer <- vapply(used, nlevels, 1L) < levels_before
  if (any(fewer)) {
    names <- paste(names(used)[fewer], collapse = ", ")
    message("Dropping unused factor levels in ", names, ".")
  }
  data[factors] <- used
  data
}

code_frame <- function(columns, data, name) {
  x <- vapply(columns, function(column) {
    as.double(code_column(column, data[[column$name]], name))
  }, numeric(nrow(data)))
  named <- .row_names_info(data) > 0
  matrix(x, nrow(data), length(columns), dimnames = list(if (named) rownames(data), names(columns)))
}

frame_of <- function(columns, values, row_names = NULL) {
  frame <- as.data.frame(stats::setNames(values, names(columns)), optional = TRUE)
  if (!is.null(row_names)) rownames(frame) <- row_names
  frame
}

split_responses <- function(columns, responses) {
  lapply(split_rows(columns, response_width), function(at) responses[, at, drop = FALSE])
}
