#' Simulated images of four blocks
#'
#' The standard test data of latent feature models: 6 x 6 images, each a sum of some of four fixed
#' pictures (a plus, a box, a staircase and a T) and Gaussian noise (Griffiths and Ghahramani 2011,
#' section 5.4).
#'
#' The pictures, numbered in the order of the `loadings`, do not overlap:
#' ```
#' . 1 . 2 2 2
#' 1 1 1 2 . 2
#' . 1 . 2 2 2
#' 3 . . 4 4 4
#' 3 3 . . 4 .
#' 3 3 3 . 4 .
#' ```
#'
#' @param n Number of images: one whole number of at least 1 (default 100).
#' @param sigma Standard deviation of the noise: one number of at least 0 (default 0.5).
#' @param prob Probability with which each image contains each picture: one number in \[0, 1\]
#'   (default 0.5), or one for each of the four.
#' @return A numeric matrix with one image per row, n x 36, the pixels row by row from the upper
#'   left. Its attributes are the truth: `features`, the n x 4 integer matrix of which image
#'   contains what; `loadings`, the 4 x 36 matrix of the pictures, 0 and 1; and `image = c(6, 6)`,
#'   height and width.
#' @references
#' Griffiths, T. L. and Ghahramani, Z. (2011). The Indian buffet process: an introduction and
#' review. *Journal of Machine Learning Research* 12, 1185-1224.
#' @examples
#' set.seed(1)
#' x <- block_images(20)
#' dim(x)
#' head(attr(x, "features"))
#' image(matrix(x[1, ], 6, byrow = TRUE))
#' @export
block_images <- function(n = 100, sigma = 0.5, prob = 0.5) {
  n <- check_count(n, "n")
  sigma <- check_number(sigma, "sigma", lower = 0)
  prob <- check_block_prob(prob)
  check_matrix_size(n, 36, "n", n)
  images <- paste0("image", seq_len(n))
  loadings <- block_loadings()
  on <- stats::runif(4 * n) < rep(prob, each = n)
  z <- matrix(as.integer(on), n, 4, dimnames = list(images, rownames(loadings)))
  x <- z %*% loadings + stats::rnorm(n * 36, sd = sigma)
  structure(x, features = z, loadings = loadings, image = c(6L, 6L))
}

check_block_prob <- function(prob) {
  valid <- is.numeric(prob) && length(prob) %in% c(1, 4) && !anyNA(prob) &&
    all(prob >= 0 & prob <= 1)
  if (!valid) stop_argument("prob", "be one number in [0, 1] or four", prob)
  rep_len(as.double(prob), 4)
}

block_loadings <- function() {
  pixels <- list(
    plus = c(2, 7, 8, 9, 14),
    box = c(4, 5, 6, 10, 12, 16, 17, 18),
    staircase = c(19, 25, 26, 31, 32, 33),
    T = c(22, 23, 24, 29, 35)
  )
  t(vapply(pixels, \(on) as.double(seq_len(36) %in% on), double(36)))
}
