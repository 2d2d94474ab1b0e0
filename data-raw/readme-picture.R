# Draws man/figures/README-loadings.png, observed images and the features learned from them, and
# man/figures/README-tree.png, a fit to choices beside its tree.
#
#   Rscript data-raw/readme-picture.R

library(buffet)
library(ggplot2)

set.seed(1)
x <- block_images(100)
fit <- fit_gaussian(x, sigma_a = 1, method = method_gibbs(iter = 1000), seed = 1, verbose = FALSE)

pixels <- function(m, part) {
  data.frame(
    value = as.vector(t(m)), x = rep(1:6, 6), y = rep(1:6, each = 6),
    image = rep(seq_len(nrow(m)), each = 36), part = part
  )
}
images <- rbind(pixels(x[1:6, ], "observed"), pixels(loadings_of(fit), "learned"))
images$part <- factor(images$part, c("observed", "learned"))

picture <- ggplot(images, aes(x, y, fill = value)) +
  geom_raster() +
  facet_grid(part ~ image, switch = "y") +
  scale_fill_gradient(
    low = "black", high = "white", limits = c(-0.5, 1.5), guide = "none",
    oob = function(x, range) pmin(pmax(x, range[1]), range[2])
  ) +
  scale_y_reverse() +
  coord_fixed(expand = FALSE) +
  theme_void(base_size = 11) +
  theme(
    strip.text.x = element_blank(), panel.spacing = unit(4, "pt"), plot.margin = margin(l = 4),
    strip.text.y.left = element_text(hjust = 1, margin = margin(r = 6))
  )
dir.create("man/figures", showWarnings = FALSE)
ggsave("man/figures/README-loadings.png", picture, width = 6, height = 1.8, dpi = 120, bg = "white")

fit <- fit_choice(
  celebrities, prior = prior_pibp(celebrity_tree), method = method_gibbs(iter = 4000), seed = 1,
  verbose = FALSE
)
picture <- plot(fit, "tree") + labs(title = NULL, subtitle = NULL)
ggsave("man/figures/README-tree.png", picture, width = 6.5, height = 3, dpi = 120, bg = "white")
