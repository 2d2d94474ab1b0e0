# Pictures of the tab "Draw". They have the size of the whole draw from the beginning, so that
# nothing moves while customers come.

plot_demo_buffet <- function(draw, n, left_ordered = FALSE) {
  z <- first_customers(draw$z, n)
  if (left_ordered) z <- left_order(z)
  order <- if (left_ordered) "in left-ordered form" else "in order of appearance"
  plot_taken(z, dim(draw$z), "first to take it") +
    ggplot2::labs(
      x = paste("dish,", order), y = "customer", title = "Indian buffet process",
      subtitle = sprintf("Dishes that have been taken: %d", ncol(z))
    )
}

plot_demo_restaurant <- function(draw, n) {
  seats <- seat_matrix(draw$tables, n)
  plot_taken(seats, c(length(draw$tables), max(draw$tables)), "first at it") +
    ggplot2::labs(
      x = "table, in order of appearance", y = "customer", title = "Chinese restaurant process",
      subtitle = sprintf("Occupied tables: %d", ncol(seats))
    )
}

#' A matrix of customers by dishes or tables
#'
#' @param size Rows and columns of the picture.
#' @param first What the first customer of a column is called.
#' @noRd
plot_taken <- function(z, size, first) {
  data <- long_matrix(z)
  known <- data$row != first_ones(z)[data$column]
  kinds <- c("none", "new", "known")
  data$kind <- factor(ifelse(data$value == 0, "none", ifelse(known, "known", "new")), kinds)
  ggplot2::ggplot(data, ggplot2::aes(.data$column, .data$row, fill = .data$kind)) +
    ggplot2::geom_tile(width = 0.92, height = 0.92) +
    ggplot2::scale_fill_manual(
      values = demo_colours, breaks = kinds[-1], labels = c(first, "a later customer"),
      name = NULL, drop = FALSE
    ) +
    ggplot2::coord_cartesian(
      xlim = c(0.5, max(1, size[2]) + 0.5), ylim = c(size[1] + 0.5, 0.5), expand = FALSE
    ) +
    ggplot2::scale_y_reverse(breaks = whole_breaks(size[1])) +
    ggplot2::scale_x_continuous(breaks = whole_breaks(max(1, size[2]))) +
    demo_theme()
}

demo_theme <- function() {
  plain_theme() +
    ggplot2::theme(
      legend.position = "bottom", legend.margin = ggplot2::margin(),
      legend.key.size = ggplot2::unit(10, "pt")
    )
}

#' Dishes and tables after each customer, and how many are expected
#' @noRd
plot_demo_counts <- function(draw, n) {
  customers <- nrow(draw$z)
  dishes <- cumsum(tabulate(first_ones(draw$z), customers))
  tables <- cummax(draw$tables)
  expected <- rbind(
    data.frame(customer = seq_len(customers), n = draw$dishes, of = "dishes"),
    data.frame(customer = seq_len(customers), n = draw$occupied, of = "tables")
  )
  drawn <- expected
  drawn$n <- c(dishes, tables)
  drawn <- drawn[drawn$customer <= n, ]
  ggplot2::ggplot(expected, ggplot2::aes(.data$customer, .data$n, colour = .data$of)) +
    ggplot2::geom_line(ggplot2::aes(linetype = "expected")) +
    (if (n > 1) {
      ggplot2::geom_step(data = drawn, ggplot2::aes(linetype = "this draw"), linewidth = 0.8)
    }) +
    ggplot2::geom_point(data = drawn[drawn$customer == n, ], size = 2) +
    ggplot2::scale_colour_manual(values = c(dishes = "#a50f15", tables = "#2166ac"), name = NULL) +
    ggplot2::scale_linetype_manual(
      values = c("this draw" = "solid", "expected" = "22"), name = NULL
    ) +
    ggplot2::scale_x_continuous(breaks = whole_breaks(customers)) +
    ggplot2::scale_y_continuous(breaks = whole_numbers) +
    ggplot2::coord_cartesian(ylim = c(0, max(expected$n, dishes, tables))) +
    ggplot2::labs(
      x = "customers so far", y = "number", title = "Dishes and tables so far"
    ) +
    lined_theme() +
    ggplot2::theme(
      legend.position = "bottom", legend.margin = ggplot2::margin(), legend.box = "vertical",
      legend.spacing.y = ggplot2::unit(0, "pt")
    )
}
