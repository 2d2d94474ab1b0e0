#' Simulated images of four blocks, and of four objects on a table
#'
#' `sim_images()` simulates the standard test data for latent feature models: images of 6 x 6
#' pixels. Each image is the sum of a random subset of four fixed pictures (a plus, a box, a
#' staircase and a T) and Gaussian noise (Griffiths and Ghahramani 2011, section 5.4).
#' `sim_photos()` simulates greyscale images that stand in for the photographs in that section. They
#' show a dark table with up to four objects: a mug, a book, an apple and an alarm clock. An object
#' is in an image with probability 1/2, always in nearly the same place.
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
#' As in photographs, an image of `sim_photos()` is only approximately the sum of its objects. Every
#' object is moved from its place by up to two pixels in each direction, in an image of height 240
#' (the offset is proportional to the height), and reflects up to 10 % more or less light; the whole
#' image is up to 2 % brighter or darker. Offsets and lighting are uniform and independent. Objects
#' do not overlap, but they cast shadows. Every pixel has Gaussian noise of standard deviation 0.12.
#'
#' @param n (positive integer) Number of images, 100 by default.
#' @param sigma (number of at least 0) Standard deviation of the noise, 0.5 by default. The pixels
#'   of a picture have the value 1.
#' @param prob (one number in \[0, 1\], or four) Probability that an image contains a picture: the
#'   same for all pictures, or one for each. The default is 0.5 for all.
#' @return A numeric matrix with one image per row, `n` x 36 or `n` x (`height` * `width`), and the
#'   row names `image1` or `photo1` and so on. The pixels of an image are listed row by row, from
#'   the upper left. Values of `sim_photos()` are grey levels, 0 for black and 1 for white; light
#'   and noise can take them out of this range. The attributes contain the true values:
#'   * `features`: the integer matrix, `n` x 4, that shows which image contains which picture or
#'     object;
#'   * `loadings` (only `sim_images()`): the matrix of the pictures, 4 x 36, with entries 0 and 1;
#'   * `image`: height and width.
#' @inherit fit_gaussian references
#' @examples
#' set.seed(1)
#' x <- sim_images(20)
#' dim(x)
#' # which pictures the first images contain
#' head(attr(x, "features"))
#' # the first image, flipped because image() draws from the bottom up
#' pixels <- matrix(x[1, ], 6, byrow = TRUE)
#' image(t(pixels[6:1, ]), asp = 1, axes = FALSE)
#'
#' x <- sim_photos(1, height = 120, width = 160)
#' photo <- matrix(x, 120, byrow = TRUE)
#' image(t(photo[120:1, ]), col = grey.colors(256, 0, 1), asp = 120 / 160, axes = FALSE)
#' @export
sim_images <- function(n = 100, sigma = 0.5, prob = 0.5) {
  n <- check_count(n, "n")
  sigma <- check_number(sigma, "sigma", lower = 0)
  valid <- is.numeric(prob) && length(prob) %in% c(1, 4) && !anyNA(prob) &&
    all(prob >= 0 & prob <= 1)
  if (!valid) stop_argument("prob", "be one number in [0, 1] or four", prob)
  prob <- rep_len(as.double(prob), 4)
  check_matrix_size(n, 36, "n", n)
  images <- paste0("image", seq_len(n))
  pixels <- list(
    plus = c(2, 7, 8, 9, 14), box = c(4, 5, 6, 10, 12, 16, 17, 18),
    staircase = c(19, 25, 26, 31, 32, 33), T = c(22, 23, 24, 29, 35)
  )
  loadings <- t(vapply(pixels, \(on) as.double(seq_len(36) %in% on), double(36)))
  on <- stats::runif(4 * n) < rep(prob, each = n)
  z <- matrix(as.integer(on), n, 4, dimnames = list(images, rownames(loadings)))
  x <- z %*% loadings + stats::rnorm(n * 36, sd = sigma)
  structure(x, features = z, loadings = loadings, image = c(6L, 6L))
}

#' @rdname sim_images
#' @param height,width (positive integers) Size of the images in pixels, 240 and 320 by default.
#'   The objects keep their shape. Below about 24 x 32 pixels they cannot be distinguished.
#' @export
sim_photos <- function(n = 100, height = 240, width = 320) {
  n <- check_count(n, "n")
  height <- check_count(height, "height")
  width <- check_count(width, "width")
  check_matrix_size(height, width, "width", width)
  check_matrix_size(n, height * width, "n", n)
  objects <- list(mug = paint_mug, book = paint_book, apple = paint_apple, clock = paint_clock)
  z <- matrix(
    as.integer(stats::runif(4 * n) < 0.5), n, 4,
    dimnames = list(paste0("photo", seq_len(n)), names(objects))
  )
  # A table of dark wood: the light comes from the upper left, the grain runs along the width, and
  # there are three boards. Images are width x height, so as.vector() returns their pixels row by
  # row.
  u <- (seq_len(width) - 0.5) / width
  v <- (seq_len(height) - 0.5) / height
  bend <- outer(0.012 * sin(5 * u + 1) + 0.006 * sin(13 * u), rep(1, height)) + rep(v, each = width)
  grain <- 0.5 * sin(95 * bend) + 0.3 * sin(212 * bend + 2) + 0.2 * sin(391 * bend + 4 * u)
  light <- outer(-0.08 * u, -0.06 * v, "+") + 0.3
  gaps <- rep(pmin(abs(v - 0.36), abs(v - 0.75)) * height < 0.6, each = width)
  table <- light + 0.015 * grain - 0.08 * gaps
  places <- list(mug = c(84, 64), book = c(236, 62), apple = c(82, 178), clock = c(238, 176))
  photos <- vapply(seq_len(n), function(i) {
    photo <- table
    for (name in names(objects)[z[i, ] == 1]) {
      photo <- place_object(photo, objects[[name]], places[[name]] + stats::runif(2, -2, 2))
    }
    as.vector(photo) * stats::runif(1, 0.98, 1.02) + stats::rnorm(length(photo), sd = 0.12)
  }, double(length(table)))
  x <- matrix(photos, n, byrow = TRUE, dimnames = list(rownames(z), NULL))
  structure(x, features = z, image = c(height, width))
}

# Paints one object with its own lighting, within the window that bounds it
# Lengths are in units of 1/240 of the height (or 1/320 of the width if the image is narrower).
place_object <- function(photo, paint, place) {
  unit <- min(dim(photo) / c(320, 240))
  x <- (seq_len(nrow(photo)) - 0.5 - place[1] / 320 * nrow(photo)) / unit
  y <- (seq_len(ncol(photo)) - 0.5 - place[2] / 240 * ncol(photo)) / unit
  across <- abs(x) < 75
  down <- abs(y) < 62
  window <- photo[across, down, drop = FALSE]
  at <- list(x = x[across][row(window)], y = y[down][col(window)], unit = unit)
  photo[across, down] <- paint(window, at, stats::runif(1, 0.9, 1.1))
  photo
}

# Paints a shape with smooth edges, given the signed distance to its edge, which is negative inside
brush <- function(window, at, distance, grey) {
  window + pmin(pmax(0.5 - distance * at$unit, 0), 1) * (grey - window)
}

# Paints a soft elliptical shadow that is darkest in the middle
cast_shadow <- function(window, at, x, y, width, height) {
  window * (1 - 0.5 * exp(-(((at$x - x) / width)^2 + ((at$y - y) / height)^2)^2))
}

# Signed distances to the edges of shapes. The distance to an ellipse is exact only on its edge.
to_ellipse <- function(at, x, y, width, height = width) {
  (sqrt(((at$x - x) / width)^2 + ((at$y - y) / height)^2) - 1) * min(width, height)
}

to_box <- function(x, y, width, height) pmax(abs(x) - width, abs(y) - height)

to_line <- function(at, from, to, thickness) {
  way <- to - from
  share <- ((at$x - from[1]) * way[1] + (at$y - from[2]) * way[2]) / sum(way^2)
  share <- pmin(pmax(share, 0), 1)
  sqrt((at$x - from[1] - share * way[1])^2 + (at$y - from[2] - share * way[2])^2) - thickness
}

paint_mug <- function(window, at, light) {
  window <- cast_shadow(window, at, 16, 38, 52, 17)
  ring <- abs(to_ellipse(at, 36, 2, 20, 21)) - 5
  window <- brush(window, at, ring, light * (0.84 - 0.006 * at$y))
  body <- pmax(abs(at$x) - 36 + 0.06 * (at$y + 34), -34 - at$y, at$y - 30)
  body <- pmin(body, to_ellipse(at, 0, 30, 32, 12))
  across <- at$x / 36
  window <- brush(window, at, body, light * (0.66 + 0.24 * cos(2.4 * (across + 0.35))))
  window <- brush(window, at, to_ellipse(at, 0, -34, 36, 13), light * 0.98)
  window <- brush(window, at, to_ellipse(at, 0, -33, 31, 10), light * (0.42 + 0.12 * across))
  coffee <- pmax(to_ellipse(at, 0, -33, 31, 10), to_ellipse(at, 0, -29, 28, 8))
  brush(window, at, coffee, light * 0.12)
}

paint_book <- function(window, at, light) {
  turned <- 0.16
  x <- cos(turned) * at$x + sin(turned) * at$y
  y <- cos(turned) * at$y - sin(turned) * at$x
  window <- cast_shadow(window, at, 8, 10, 66, 48)
  pages <- 0.8 + 0.08 * sin(2.2 * y)
  window <- brush(window, at, to_box(x - 4, y - 7, 51, 36), light * 0.14)
  window <- brush(window, at, to_box(x - 3, y - 5, 50, 35), light * pages)
  cover <- to_box(x, y, 52, 34)
  window <- brush(window, at, cover, light * (0.58 - 0.0008 * (x + y)))
  window <- brush(window, at, pmax(abs(x + 43) - 1, cover), light * 0.3)
  window <- brush(window, at, to_box(x - 5, y + 14, 32, 6), light * 0.12)
  window <- brush(window, at, to_box(x - 5, y + 1, 22, 2.5), light * 0.2)
  brush(window, at, to_box(x - 5, y - 20, 12, 2), light * 0.25)
}

paint_apple <- function(window, at, light) {
  window <- cast_shadow(window, at, 14, 36, 46, 16)
  angle <- atan2(at$x, -at$y - 2)
  radius <- 39 - 11 * exp(-(angle / 0.38)^2) - 3 * exp(-((abs(angle) - pi) / 0.25)^2)
  far <- sqrt(at$x^2 + (at$y + 2)^2) / radius
  lit <- pmax(0, sqrt(pmax(0, 1 - far^2)) * 0.62 - 0.5 * at$x / 39 - 0.45 * at$y / 39)
  window <- brush(window, at, (far - 1) * 36, light * (0.36 + 0.46 * lit))
  shine <- exp(-((at$x + 15)^2 + (at$y + 14)^2) / 70)
  window <- brush(window, at, (far - 1) * 36, window + 0.2 * light * shine * (far < 1))
  window <- brush(window, at, to_line(at, c(0, -24), c(5, -46), 2), light * 0.08)
  leaf <- pmax(
    sqrt((at$x - 16)^2 + (at$y + 24)^2) - 18.5, sqrt((at$x - 20)^2 + (at$y + 51)^2) - 18.5
  )
  brush(window, at, leaf, light * (0.72 - 0.015 * (at$y + 38)))
}

paint_clock <- function(window, at, light) {
  window <- cast_shadow(window, at, 14, 42, 44, 13)
  for (side in c(-1, 1)) {
    foot <- to_line(at, c(18, 28) * c(side, 1), c(27, 46) * c(side, 1), 4)
    window <- brush(window, at, foot, light * 0.45)
    x <- at$x - 23 * side
    y <- at$y + 37
    bell <- pmax(to_ellipse(at, 23 * side, -37, 16), 0.85 * y - 0.5 * side * x)
    window <- brush(window, at, bell, light * (0.55 - 0.012 * x - 0.01 * y))
  }
  window <- brush(window, at, to_line(at, c(0, -34), c(0, -50), 3), light * 0.6)
  window <- brush(window, at, to_ellipse(at, 0, 4, 39), light * (0.5 - 0.004 * (at$x + at$y)))
  window <- brush(window, at, to_ellipse(at, 0, 4, 32), light * (0.93 - 0.001 * (at$x + at$y)))
  for (hour in 1:12) {
    way <- c(sin(hour * pi / 6), -cos(hour * pi / 6))
    inner <- if (hour %% 3 == 0) 22 else 25
    window <- brush(window, at, to_line(at, inner * way + c(0, 4), 28 * way + c(0, 4), 1.3), 0.1)
  }
  window <- brush(window, at, to_line(at, c(0, 4), c(-13, -4), 2.2), light * 0.08)
  brush(window, at, to_line(at, c(0, 4), c(12, -15), 1.7), light * 0.08)
}

#' Choices between celebrities
#'
#' For each pair of nine celebrities, 234 students chose the one with whom they would rather have an
#' hour of conversation (Rumelhart and Greeno 1971). `celebrity_tree` is the tree of the celebrities
#' in figure 2 of Miller, Griffiths and Jordan (2008): the three professions branch off from the
#' root, and the three celebrities of each profession branch off from their profession. The paper
#' does not give the edge lengths. Here the length of every edge is 0.5, so each tip is at distance
#' 1 from the root. `vignette("miller-griffiths-jordan")` shows the effect of other lengths.
#'
#' @format A numeric matrix of counts, 9 x 9. An entry is the number of students who chose the
#'   celebrity in the row over the celebrity in the column; the diagonal is 0. The two counts of a
#'   pair add up to 234. The celebrities are
#'   * three politicians: L. B. Johnson (`LBJ`), Harold Wilson (`HW`), Charles de Gaulle (`CDG`);
#'   * three athletes: Johnny Unitas (`JU`), Carl Yastrzemski (`CY`), A. J. Foyt (`AJF`);
#'   * three film stars: Brigitte Bardot (`BB`), Elizabeth Taylor (`ET`), Sophia Loren (`SL`).
#'
#'   The tree has the class `phylo` of the package ape, and its tips have the names of the rows.
#' @source Rumelhart, D. L. and Greeno, J. G. (1971). Similarity between stimuli: an experimental
#'   test of the Luce and Restle choice models. *Journal of Mathematical Psychology* 8, 370-381.
#' @inherit prior_pibp references
#' @seealso [fit_choice()], [prior_pibp()]
#' @examples
#' # the share of students who chose Johnson over Bardot
#' celebrities["LBJ", "BB"] / 234
#' # how often each celebrity was chosen in total
#' sort(rowSums(celebrities), decreasing = TRUE)
#' # a prior under which celebrities with the same profession tend to share features
#' prior_pibp(celebrity_tree)
"celebrities"

#' @rdname celebrities
"celebrity_tree"

#' Patients with prostate cancer
#'
#' Data on 502 patients with stage 3 or 4 prostate cancer, who took part in a randomised trial of
#' diethylstilbestrol, an oestrogen. The columns are numbers, counts, and ordered and unordered
#' categories, with 27 missing entries. Valera et al. (2020) explore these data with latent
#' features.
#'
#' @format A data frame with a row per patient and 16 columns:
#' \describe{
#'   \item{stage}{Stage of the disease: factor `"3"` (289 patients) or `"4"` (213).}
#'   \item{rx}{Daily dose of oestrogen: ordered, `"0 mg"` < `"1 mg"` < `"5 mg"`. The 251 patients
#'     with `"0 mg"` received a placebo or 0.2 mg.}
#'   \item{dtime}{Months of follow-up: integer from 0 to 76.}
#'   \item{status}{State at the end of the follow-up: factor `"alive"`, or died of `"vascular"`
#'     disease, `"prostatic ca"` (prostate cancer) or `"others"` (other causes).}
#'   \item{age}{Age in years: integer from 48 to 89; 1 missing.}
#'   \item{wt}{Weight index, weight in kg minus height in cm plus 200: integer from 69 to 152; 2
#'     missing.}
#'   \item{pf}{Performance, how active the patient is: ordered, `"confined to bed"` <
#'     `"in bed more than half daytime"` < `"in bed less than half daytime"` < `"normal activity"`.}
#'   \item{hx}{History of cardiovascular disease: factor `"no"` or `"yes"`.}
#'   \item{sbp}{Systolic blood pressure in cm of mercury (a tenth of the value in mmHg): integer
#'     from 8 to 30.}
#'   \item{dbp}{Diastolic blood pressure in the same unit: integer from 4 to 18.}
#'   \item{ekg}{Electrocardiogram: factor `"normal"`, `"benign"`,
#'     `"rhythmic disturb & electrolyte ch"` (disturbed rhythm and electrolyte changes),
#'     `"heart block or conduction def"` (heart block or conduction defects), `"heart strain"`,
#'     `"old MI"` or `"recent MI"` (myocardial infarction); 8 missing.}
#'   \item{hg}{Serum haemoglobin in g per 100 ml: number from 5.9 to 21.2.}
#'   \item{sz}{Size of the primary tumour in square cm: integer from 0 to 69; 5 missing.}
#'   \item{sg}{Combined index of stage and histological grade: integer from 5 to 15; 11 missing.}
#'   \item{ap}{Serum prostatic acid phosphatase in King-Armstrong units: number from 0.1 to 999.9.}
#'   \item{bm}{Bone metastases: factor `"no"` or `"yes"`.}
#' }
#' The attribute `"labels"` is a named character vector with a short description of each column.
#' @source Byar, D. P. and Green, S. B. (1980). The choice of treatment for cancer patients based on
#'   covariate information: application to prostate cancer. *Bulletin du Cancer* 67, 477-490.
#'
#'   Andrews, D. F. and Herzberg, A. M. (1985). *Data: a collection of problems from many fields for
#'   the student and research worker.* Springer, 261-274.
#' @inherit fit_mixed references
#' @seealso [fit_mixed()]; `vignette("data-frames")` explores these data.
#' @examples
#' attr(prostate, "labels")
#' summary(prostate)
#' # the outcomes of the patients, by dose of oestrogen
#' table(prostate$status, prostate$rx)
"prostate"
