# Draws man/figures/buffet.gif, an Indian buffet with one customer after another,
# man/figures/logo.png and the icon of the site. The buffet is the one in the tab "Draw" of
# buffet_demo(). Requires the R package magick and takes ten seconds.
#   Rscript data-raw/figures.R

library(buffet)

red <- "#a50f15"
grey <- c(empty = "grey94", taken = "grey25", text = "grey30")
customers <- 30
alpha <- 3

first_ones <- function(z) apply(z, 2, which.max)

#' Draws the empty axes of a panel
panel <- function(xlim, ylim, title, xlab, ylab) {
  par(mar = c(3.4, 3.6, 2.2, 0.6), mgp = c(2.2, 0.5, 0), las = 1, tcl = -0.2, fg = "grey60")
  plot(NULL, xlim = xlim, ylim = ylim, xlab = xlab, ylab = ylab, bty = "n", xaxs = "i", yaxs = "i")
  title(title, adj = 0, font.main = 1, cex.main = 1.15)
}

draw_matrix <- function(z, n) {
  new <- sum(first_ones(z) == n)
  title <- sprintf("Customer %d: %d known, %d new dishes", n, sum(z[n, ]) - new, new)
  panel(c(0.5, ncol(z) + 0.5), c(nrow(z) + 0.5, 0.5), title, "dish", "customer")
  is_seen <- row(z) <= n & z == 1
  is_new <- is_seen & row(z) == first_ones(z)[col(z)]
  colours <- ifelse(is_new, red, ifelse(is_seen, grey[["taken"]], grey[["empty"]]))
  rect(
    col(z) - 0.46, row(z) - 0.44, col(z) + 0.46, row(z) + 0.44, col = colours, border = NA
  )
}

draw_counts <- function(z, n) {
  expected <- alpha * cumsum(1 / seq_len(customers))
  counts <- cumsum(tabulate(first_ones(z), customers))
  panel(c(0, customers + 1), c(0, 1.05 * max(counts, expected)), "Dishes so far", "customer", "")
  lines(expected, lty = 3, lwd = 2, col = grey[["text"]])
  lines(counts[seq_len(n)], type = "s", lwd = 2.5, col = red)
  points(n, counts[n], pch = 19, cex = 1.2, col = red)
  legend(
    "bottomright", c("this buffet", "expected: 3 (1 + 1/2 + ... + 1/n)"), bty = "n",
    lty = c(1, 3), lwd = 2, col = c(red, grey[["text"]]), text.col = grey[["text"]], cex = 0.9
  )
}

draw_frames <- function(folder) {
  set.seed(8)
  z <- ribp(customers, alpha)
  png(file.path(folder, "frame-%02d.png"), 860, 360, res = 110)
  for (n in seq_len(customers)) {
    layout(t(1:2), c(1.15, 1))
    draw_matrix(z, n)
    draw_counts(z, n)
  }
  invisible(dev.off())
}

draw_gif <- function(file) {
  folder <- tempfile()
  dir.create(folder)
  draw_frames(folder)
  frames <- magick::image_read(list.files(folder, full.names = TRUE))
  delay <- c(rep(45, customers - 1), 400)
  moving <- magick::image_animate(
    magick::image_quantize(frames, 24, dither = FALSE), delay = delay, optimize = TRUE
  )
  magick::image_write(moving, file)
}

#' Draws a hexagon with a matrix in left-ordered form, on a transparent background
draw_logo <- function(file) {
  png(file, 480, 556, bg = "transparent", res = 144)
  par(mar = rep(0, 4))
  height <- 2 / sqrt(3)
  plot(NULL, xlim = c(-1, 1), ylim = c(-height, height), asp = 1, axes = FALSE, ann = FALSE,
    xaxs = "i", yaxs = "i"
  )
  angle <- pi / 6 + 0:5 * pi / 3
  polygon(0.97 * height * cos(angle), 0.97 * height * sin(angle),
    col = "#fff7ec", border = red, lwd = 9
  )
  z <- rbind(
    c(1, 1, 1, 0, 0, 0, 0), c(1, 1, 0, 1, 1, 0, 0), c(1, 0, 1, 1, 0, 1, 0),
    c(0, 1, 1, 0, 1, 0, 1), c(1, 0, 0, 1, 0, 1, 1)
  )
  x <- (col(z) - 4) * 0.2
  y <- 0.52 - (row(z) - 1) * 0.2
  is_first <- row(z) == first_ones(z)[col(z)]
  colours <- ifelse(z == 0, "#f3e3cd", ifelse(is_first, red, "grey25"))
  symbols(c(x), c(y), circles = rep(0.075, length(z)), inches = FALSE, add = TRUE,
    bg = c(colours), fg = NA
  )
  text(0, -0.58, "buffet", cex = 2.6, col = red, family = "sans", font = 2)
  invisible(dev.off())
}

draw_gif("man/figures/buffet.gif")
draw_logo("man/figures/logo.png")
# If there were no icon, pkgdown would request icons from another host.
icon <- magick::image_scale(magick::image_read("man/figures/logo.png"), "64")
magick::image_write(icon, "pkgdown/favicon/favicon.png")
