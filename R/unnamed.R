# Data whose rows or columns have no names.

#' A message to people at a terminal, once a session
#' @noRd
tell_unnamed <- function(x, verbose) {
  sides <- c("rows", "columns")[vapply(list(rownames(x), colnames(x)), is.null, NA)]
  if (length(sides) == 0 || !verbose || !shows_bars()) return(invisible())
  text <- sprintf(
    "The %s of the data have no names: they are numbered wherever they are shown.",
    paste(sides, collapse = " and ")
  )
  rlang::inform(text, .frequency = "once", .frequency_id = "buffet_unnamed")
}
