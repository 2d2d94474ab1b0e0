# Names along the axes of plots, to be added after the theme.

every_kth <- function(n, most) if (n > 0) seq(1, n, by = ceiling(n / most)) else integer()

# Text size, in points, of n names that share `room`: at most as large as usual, and always legible
name_size <- function(n, room) min(8.8, max(4.5, room / n))

# Largest number of row names, and the points that they share; they do not overlap even in a plot of
# 7 x 3.5 inches
most_rows <- 40
room_of_rows <- 220

# Rows down the side, the first at the top; without names numbers
rows_down <- function(names, n = length(names), position = "left") {
  at <- if (is.null(names)) whole_breaks(n) else every_kth(n, most_rows)
  list(
    ggplot2::scale_y_reverse(
      breaks = at, labels = if (is.null(names)) as.character(at) else shorten_apart(names[at], 30),
      expand = c(0, 0), minor_breaks = NULL, position = position
    ),
    ggplot2::theme(axis.text.y = ggplot2::element_text(size = name_size(length(at), room_of_rows)))
  )
}

# Columns across, with upright names if they would overlap; without names numbers

# room: Points that names share in a plot of 7 x 5 inches.

columns_across <- function(names, at = seq_along(names), most = 60, room = 300,
                           position = "bottom", expand = c(0, 0), ...) {
  if (is.null(names)) {
    return(ggplot2::scale_x_continuous(breaks = whole_numbers, expand = expand, ...))
  }
  shown <- every_kth(length(names), most)
  labels <- shorten_apart(names[shown], 25)
  n <- length(shown)
  # A character is about half as wide as it is high.
  lying <- room / (0.52 * n * (1 + max(0, nchar(unlist(strsplit(labels, "\n"))))))
  text <- if (n == 0 || lying >= 6) {
    ggplot2::element_text(size = min(8.8, lying))
  } else {
    ggplot2::element_text(
      angle = 90, hjust = if (position == "top") 0 else 1, vjust = 0.5, size = name_size(n, room)
    )
  }
  list(
    ggplot2::scale_x_continuous(
      breaks = at[shown], labels = labels, position = position, expand = expand,
      minor_breaks = NULL, ...
    ),
    ggplot2::theme(axis.text.x = text)
  )
}

square_names <- function(names) {
  if (!is.null(names)) {
    return(list(rows_down(names), columns_across(names, most = most_rows, room = 215)))
  }
  list(
    ggplot2::scale_y_reverse(expand = c(0, 0), breaks = NULL),
    ggplot2::scale_x_continuous(expand = c(0, 0), breaks = NULL)
  )
}

# Rows up the side, the first at the bottom; without names nothing
rows_up <- function(names) {
  if (is.null(names)) return(ggplot2::scale_y_continuous(breaks = NULL))
  at <- every_kth(length(names), most_rows)
  list(
    ggplot2::scale_y_continuous(
      breaks = at, labels = shorten_apart(names[at], 30), minor_breaks = NULL
    ),
    ggplot2::theme(axis.text.y = ggplot2::element_text(size = name_size(length(at), room_of_rows)))
  )
}
