# Fits Griffiths and Ghahramani's simulated images, and draws every plot of the fit.

library(buffet)

folder <- "demo-output"

draw <- function(fit, type, ...) {
  path <- file.path(folder, paste0(type, ".png"))
  ggplot2::ggsave(path, plot(fit, type = type, ...), width = 8, height = 6, dpi = 150, bg = "white")
  cat("  ", path, "\n", sep = "")
}

set.seed(1)
x <- sim_images()
fit <- fit_gaussian(x, method = method_gibbs(chains = 4, iter = 2000, cores = 2), verbose = TRUE)
print(summary(fit))

dir.create(folder, showWarnings = FALSE)
cat("\nFigures, in ", getwd(), ":\n", sep = "")
draw(fit, "loadings", dim = c(6, 6))
for (type in c("features", "trace", "n_features", "coassignment", "fit")) draw(fit, type)
