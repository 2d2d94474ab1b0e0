plot_trace <- function(fit, variables = scalar_names(fit)) {
  data <- rbind(
    trace_frame(
      fit$internal$warmup_scalars[, , variables, drop = FALSE], fit$method, before = TRUE
    ),
    trace_frame(fit$internal$scalars[, , variables, drop = FALSE], fit$method, before = FALSE)
  )
  data$variable <- factor(data$variable, variables)
  ggplot2::ggplot(data, ggplot2::aes(.data$sweep, .data$value, colour = .data$chain)) +
    shade_warmup(data, fit$method) +
    ggplot2::geom_line(linewidth = 0.3) +
    ggplot2::facet_wrap(~variable, scales = "free_y", ncol = 2) +
    ggplot2::scale_colour_viridis_d(end = 0.85) +
    ggplot2::scale_y_continuous(guide = ggplot2::guide_axis(check.overlap = TRUE)) +
    ggplot2::labs(
      y = NULL, title = "Trace", subtitle = describe_warmup(fit)
    ) +
    plain_theme()
}

describe_warmup <- function(fit) {
  recorded <- nrow(fit$internal$warmup_scalars)
  early <- if (recorded < fit$method$warmup %/% fit$method$thin) {
    "the search at its beginning is not recorded"
  }
  said <- paste(c(if (recorded > 0) "The warm-up is shaded", early), collapse = "; ")
  sub("^(.)", "\\U\\1", said, perl = TRUE)
}

# Recorded scalars with their sweeps
trace_frame <- function(scalars, method, before) {
  size <- dim(scalars)
  last <- method$warmup %/% method$thin
  records <- if (before) last - size[1] + seq_len(size[1]) else last + seq_len(size[1])
  data.frame(
    sweep = rep(records * method$thin, size[2] * size[3]),
    chain = factor(rep(rep(seq_len(size[2]), each = size[1]), size[3])),
    variable = rep(dimnames(scalars)[[3]], each = size[1] * size[2]),
    value = as.vector(scalars)
  )
}

shade_warmup <- function(data, method) {
  if (min(data$sweep, Inf) > method$warmup) return(NULL)
  ggplot2::annotate(
    "rect", xmin = min(data$sweep), xmax = method$warmup, ymin = -Inf, ymax = Inf, fill = "grey90"
  )
}

plot_objective <- function(fit) {
  data <- data.frame(iteration = seq_along(fit$internal$trace), bound = fit$internal$trace)
  ggplot2::ggplot(
    data[is.finite(data$bound), ], ggplot2::aes(.data$iteration, .data$bound)
  ) +
    ggplot2::geom_step() +
    ggplot2::labs(y = NULL, title = name_objective(fit$method)[[1]]) +
    plain_theme()
}

# Traces of the chains, or the objective
plot_course <- function(fit) {
  if (inherits(fit, "fit_mcmc")) plot_trace(fit) else plot_objective(fit)
}
