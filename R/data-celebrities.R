#' Choices between celebrities
#'
#' 234 students said, of every pair of nine celebrities, with whom they would rather spend an hour
#' of conversation (Rumelhart and Greeno 1971).
#'
#' @format A 9 x 9 matrix of counts: how often the row was chosen over the column; 0 on the
#'   diagonal. Three politicians (`LBJ` L. B. Johnson, `HW` Harold Wilson, `CDG` Charles de Gaulle),
#'   three athletes (`JU` Johnny Unitas, `CY` Carl Yastrzemski, `AJF` A. J. Foyt), three film stars
#'   (`BB` Brigitte Bardot, `ET` Elizabeth Taylor, `SL` Sophia Loren).
#' @source Rumelhart, D. L. and Greeno, J. G. (1971). Similarity between stimuli: an experimental
#'   test of the Luce and Restle choice models. *Journal of Mathematical Psychology* 8, 370-381.
#' @seealso [celebrity_tree], [fit_choice()]
#' @examples
#' celebrities["LBJ", "BB"] / 234
"celebrities"

#' A tree of the celebrities
#'
#' The three professions under one root, as in Miller, Griffiths and Jordan (2008), figure 2. Their
#' edge lengths are not known: here all edges are 0.5 long. `vignette("miller-griffiths-jordan")`
#' shows what other lengths do.
#'
#' @format A tree of class `phylo`, as package ape has them, with nine tips.
#' @references
#' Miller, K. T., Griffiths, T. L. and Jordan, M. I. (2008). The phylogenetic Indian buffet process:
#' a non-exchangeable nonparametric prior for latent features. *UAI* 24, 403-410.
#' @seealso [celebrities], [prior_pibp()]
#' @examples
#' prior_pibp(celebrity_tree)
"celebrity_tree"
