#' Beam search for the most probable features
#'
#' Rows are added one at a time, and after each the `width` best feature matrices of the rows so far
#' are kept, loadings integrated out (after Rai and Daume 2011). It ends at one estimate of Z, near
#' the most probable, in one pass over the rows. For [fit_gaussian()] with normal loadings.
#'
#' @details
#' **Score.** Of n rows a matrix has the score \deqn{\log P([Z_{1:n}]) + \log p(X_{1:n} | Z_{1:n}),}
#' the prior of its left-ordered class, with `alpha` integrated out where the Indian buffet process
#' learns it, and the density of the observed entries with the loadings integrated out. With
#' `width = Inf` every class of at most `max_features` features is kept and scored: the result is
#' then that of enumeration, for a handful of rows.
#'
#' **Candidates.** Each kept matrix proposes features for the next row: the assignment that the best
#' single change, again and again, leads to, and from there the best `width` that a second beam,
#' over the features one by one, finds; each of them with no new feature, one, two and so on. Of `2
#' width` candidates those stay whose score together with a bonus is highest: the sum over the next
#' `lookahead` rows of the best that such a row would add to the score, each by itself, in the same
#' way the best single changes lead to.
#'
#' **Order.** Rows come in the order of their mean squares, small ones first. A small row has few
#' features, and what rows of one or two features show is what later rows combine; in the order of
#' the data the first rows fill `max_features` with sums of features.
#'
#' **Standard deviations** that are learned are held at a value for a search; then they take the
#' most probable values given what was found, on the log scale, and there is another search, until
#' that does not raise the joint density, ten times at most. `sigma_x` starts from a half, a quarter
#' and an eighth of the root mean square of the data (`sigma_a` from all of it), and the best end is
#' kept; `init` can give one start instead.
#'
#' **Departures from the paper.** Its own scores, with bounds on what rows to come can add, are not
#' public; the score and the bonus here are ours, and so are the order of the rows and the second
#' beam: the paper scores all of the \eqn{2^K} assignments of a row.
#'
#' **Cost.** A row takes \eqn{O(B (K D + B K^2))} operations for a width of B and K features, where
#' entries are missing \eqn{O(B^2 K^2)} for every set of columns that lack the same rows, and as
#' much again, L times, for a `lookahead` of L. The paper has \eqn{O(N^3 (K + D) 2^K)} in all. A
#' search of 500 rows and 500 columns with 20 features takes about a second, a fifth of that without
#' looking ahead, and a fit that learns both standard deviations ten to twenty searches.
#'
#' The fit has the loadings' normal posterior given its features. `objective()` is the log of the
#' joint density of data, features and learned standard deviations (on the log scale): the best so
#' far after each search. Nothing is random: `seed` is without effect.
#'
#' @param width (positive integer or `Inf`) How many matrices are kept.
#' @param max_features (positive integer) Most features that the fit may have.
#' @param lookahead (non-negative integer) Rows to come that decide with.
#' @return An object of class `method_beam`.
#' @references
#' Rai, P. and Daume III, H. (2011). Beam search based MAP estimates for the Indian buffet process.
#' *ICML*, 705-712.
#' @seealso [objective()], [summary.fit_point()]
#' @examples
#' x <- block_images(50)
#' fit <- fit_gaussian(x, method = method_beam(max_features = 8))
#' fit
#' features(fit)[1:5, ]
#' @export
method_beam <- function(width = 10, max_features = 20, lookahead = 5) {
  structure(
    list(
      width = check_width(width), max_features = check_count(max_features, "max_features"),
      lookahead = check_count(lookahead, "lookahead", lower = 0)
    ),
    class = c("method_beam", "method_factor", "method_point", "buffet_method")
  )
}

check_width <- function(width) {
  if (identical(width, Inf)) return(width)
  if (!is_scalar_number(width) || width < 1 || width > 1e6 || width != round(width)) {
    stop_argument("width", "be one whole number from 1 to 1e6, or Inf", width)
  }
  as.double(width)
}

#' @export
format.method_beam <- function(x, ...) {
  sprintf(
    "beam search: width %g, at most %d features%s", x$width, x$max_features,
    if (x$lookahead > 0) sprintf(", looking %d rows ahead", x$lookahead) else ""
  )
}
