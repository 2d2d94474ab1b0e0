#' Choices between celebrities
#'
#' In each pair of nine celebrities, 234 students chose the one with whom they would rather spend an
#' hour of conversation (Rumelhart and Greeno 1971).
#'
#' @format A numeric matrix of counts, 9 x 9. An entry is the number of students who chose the
#'   celebrity of the row over the celebrity of the column; the diagonal is 0. The two counts of a
#'   pair add up to 234. The celebrities are
#'   * three politicians: L. B. Johnson (`LBJ`), Harold Wilson (`HW`), Charles de Gaulle (`CDG`);
#'   * three athletes: Johnny Unitas (`JU`), Carl Yastrzemski (`CY`), A. J. Foyt (`AJF`);
#'   * three film stars: Brigitte Bardot (`BB`), Elizabeth Taylor (`ET`), Sophia Loren (`SL`).
#' @source Rumelhart, D. L. and Greeno, J. G. (1971). Similarity between stimuli: an experimental
#'   test of the Luce and Restle choice models. *Journal of Mathematical Psychology* 8, 370-381.
#' @seealso [celebrity_tree], [fit_choice()]
#' @examples
#' # the share of the students who chose Johnson over Bardot
#' celebrities["LBJ", "BB"] / 234
#' # how often each celebrity was chosen in all
#' sort(rowSums(celebrities), decreasing = TRUE)
"celebrities"

#' A tree of the celebrities
#'
#' The tree of the [celebrities] in figure 2 of Miller, Griffiths and Jordan (2008): the three
#' professions branch off from the root, and the three celebrities of each profession branch off
#' from it. The paper does not give the edge lengths. Here the length of every edge is 0.5, so the
#' distance from the root to a tip is 1. `vignette("miller-griffiths-jordan")` shows the effect of
#' other lengths.
#'
#' @format A tree of class `phylo` of the package ape, with nine tips that are named as the rows of
#'   [celebrities].
#' @references Miller, K. T., Griffiths, T. L. and Jordan, M. I. (2008). The phylogenetic Indian
#'   buffet process: a non-exchangeable nonparametric prior for latent features. *UAI* 24, 403-410.
#' @seealso [celebrities], [prior_pibp()]
#' @examples
#' # a prior under which celebrities of one profession tend to share features
#' prior_pibp(celebrity_tree)
"celebrity_tree"
