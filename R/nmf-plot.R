#' Plots of a factorisation
#'
#' @param x A fit by [fit_nmf()].
#' @param type (string) What is shown. Without `type` it is `"loadings"`.
#'   * `"loadings"`: [loadings_of()] the components; with `dim` as images;
#'   * `"fit"`: observed, reconstructed and residual data; with `dim` some rows as images;
#'   * `"trace"`: [objective()]; for a fit by sampling every scalar over the sweeps of each chain,
#'     with the warm-up shaded.
#' @param which (whole numbers, names such as `"c3"`, or `NULL`) Components that `"loadings"` show;
#'   an error for other types. `NULL`, the default, is all of them, or the first 24 as images.
#' @param ... Must be empty.
#' @inheritParams plot.buffet_fit
#' @inheritSection plot.buffet_fit Names
#' @return A `ggplot`.
#' @examples
#' fit <- fit_nmf(block_images(40), rank = 4, seed = 1)
#' # the components are the four pictures of block_images()
#' plot(fit, "loadings", dim = c(6, 6))
#' # the log joint density after every iteration
#' plot(fit, "trace")
#' @export
plot.fit_nmf <- function(x, type = c("loadings", "fit", "trace"), dim = NULL, rows = NULL,
                         which = NULL, ...) {
  check_no_more(...)
  type <- check_choice(type, c("loadings", "fit", "trace"), "type")
  dim <- check_dim(dim, ncol(model_data(x)))
  rows <- check_rows(rows, nobs(x))
  which <- check_which(which, type, "loadings", rownames(loadings_of(x)))
  switch(type,
    loadings = plot_loadings(loadings_of(x), dim, which, "component"),
    fit = plot_fit(x, dim, rows),
    trace = plot_course(x)
  )
}
