#' Simulated images of four blocks
#'
#' Simulates the standard test data of latent feature models: images of 6 x 6 pixels. Each image is
#' the sum of some of four fixed pictures (a plus, a box, a staircase and a T) and of Gaussian noise
#' (Griffiths and Ghahramani 2011, section 5.4).
#'
#' The pictures do not overlap. Numbered in the order of the attribute `loadings`, they are:
#' ```
#' . 1 . 2 2 2
#' 1 1 1 2 . 2
#' . 1 . 2 2 2
#' 3 . . 4 4 4
#' 3 3 . . 4 .
#' 3 3 3 . 4 .
#' ```
#'
#' @param n (positive integer) Number of images, 100 by default.
#' @param sigma (number of at least 0) Standard deviation of the noise, 0.5 by default. The pixels
#'   of a picture have the value 1.
#' @param prob (one number in \[0, 1\], or four) Probability that an image contains a picture: the
#'   same for all pictures, or one for each. The default is 0.5 for all.
#' @return A numeric matrix, `n` x 36, with one image per row and the row names `image1`, `image2`
#'   and so on. The pixels of an image are read row by row from the upper left. The attributes are
#'   the truth:
#'   * `features`: the integer matrix, `n` x 4, that says which image contains which picture;
#'   * `loadings`: the matrix of the pictures, 4 x 36, with entries 0 and 1;
#'   * `image`: height and width, `c(6, 6)`.
#' @references Griffiths, T. L. and Ghahramani, Z. (2011). The Indian buffet process: an
#'   introduction and review. *Journal of Machine Learning Research* 12, 1185-1224.
#' @examples
#' set.seed(1)
#' x <- block_images(20)
#' dim(x)
#' # which pictures the first images contain
#' head(attr(x, "features"))
#' # the first image, its first row at the top: image() draws from the bottom
#' pixels <- matrix(x[1, ], 6, byrow = TRUE)
#' image(t(pixels[6:1, ]), asp = 1, axes = FALSE)
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
