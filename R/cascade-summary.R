# print(), summary() and broom methods of cascades.

#' @exportS3Method
describe_data.fit_cascade <- function(fit) {
  sprintf("Cascading belief network of %s", describe_matrix(model_data(fit)))
}

#' @exportS3Method
describe_result.fit_cascade <- function(fit, found) {
  widths <- cascade_widths(fit, fit$internal$point)
  point <- if (length(widths) == 0) {
    "The most probable draw has no layer."
  } else {
    sprintf(
      "Units of the most probable draw of %s, from layer 1 up: %s",
      counted(length(widths), "layer"), paste(widths, collapse = ", ")
    )
  }
  c(
    describe_model_size("Hidden layers:", fit, "n_layers", found),
    strwrap(point, 81, exdent = 2)
  )
}

#' @export
print.fit_cascade <- function(x, ...) {
  cat(format(x), sep = "\n")
  invisible(x)
}

# True for scalars of layers above the second, which only as_draws() and tidy() show
is_deep <- function(names) grepl("^(width|n_edges|alpha)_([3-9]|[0-9]{2,})$", names)

#' @export
summary.fit_cascade <- function(object, ...) {
  out <- NextMethod()
  out$table <- out$table[!is_deep(out$table$variable), ]
  shown <- !is_deep(out$names_constant)
  out$constant <- out$constant[shown]
  out$names_constant <- out$names_constant[shown]
  out
}

# nolint start: object_name_linter. broom's names.
#' A cascading belief network as data frames
#'
#' `tidy()` returns the scalars or the edges of a network in a long table.
#'
#' @param x A fit by [fit_cascade()].
#' @param matrix (string) What a row of the table is. `"scalars"` (default): a scalar parameter.
#'   `"edges"`: an edge of the point estimate, [network()].
#' @inheritParams tidy.buffet_fit
#' @return Tibbles.
#' * `tidy(x, "scalars")` has the columns `term`, `estimate`, `std.error`, `conf.low` and
#'   `conf.high`, as for [other fits][tidy.buffet_fit]. `tidy(x, "edges")` has the columns `layer`
#'   (of the child; layer 0 has the visible units), `child`, `parent` and `weight`.
#' * `glance()` is as for other fits. `n_features` is the number of units in layer 1 of the point
#'   estimate. Of the scalars it has the means of `n_layers`, `n_edges_1`, `log_lik` and
#'   `log_joint`.
#' * `augment()` has the data and `.resid`, the root mean square of the residuals of each row.
#' @seealso [network()], [plot()][plot.fit_cascade]
#' @examples
#' set.seed(1)
#' x <- block_images(30)
#' method <- method_gibbs(chains = 1, iter = 100, thin = 10)
#' fit <- fit_cascade(x, method = method, init = init_cascade(c(6, 2)), seed = 1)
#' # the strongest edges between pixels (v1 to v36) and the units of layer 1 (f1, f2, ...)
#' edges <- tidy(fit, "edges")
#' visible <- edges[edges$layer == 0, ]
#' head(visible[order(-abs(visible$weight)), ])
#' @export
tidy.fit_cascade <- function(x, matrix = c("scalars", "edges"), conf.level = 0.9, conf.int = TRUE,
                             ...) {
  check_no_more(...)
  matrix <- check_choice(matrix, c("scalars", "edges"), "matrix")
  conf.level <- check_number(conf.level, "conf.level", 0, 1, "()")
  check_conf_int(conf.int)
  if (matrix == "scalars") return(with_interval(tidy_scalars(x, conf.level), conf.int))
  net <- network(x)
  edges <- lapply(seq_along(net), function(m) {
    w <- methods::as(net[[m]]$weights, "TsparseMatrix")
    tibble::tibble(
      layer = rep(m - 1L, length(w@x)), child = as.character(colnames(w)[w@j + 1L]),
      parent = as.character(rownames(w)[w@i + 1L]), weight = w@x
    )
  })
  do.call(rbind, edges)
}
# nolint end

hidden_layers <- function(fit) {
  deepest <- max(scalar(fit, "n_layers"))
  names <- grep("^(width|n_edges|alpha)_", dimnames(fit$internal$scalars)[[3]], value = TRUE)
  layer <- as.integer(sub(".*_", "", names))
  fixed <- c(
    if (!is_learned(fit$prior$alpha)) "alpha_0",
    if (!is_learned(fit$prior$alpha_deep)) setdiff(grep("^alpha_", names, value = TRUE), "alpha_0")
  )
  c("n_features", names[layer > deepest], fixed)
}
