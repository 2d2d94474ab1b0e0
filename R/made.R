# Objects of this package's classes that were made by hand.

#' Refuses a prior or a method that has none of the arguments of the function that makes it
#' @noRd
check_made <- function(x, name) {
  maker <- get0(class(x)[1], topenv(environment()), mode = "function", inherits = FALSE)
  if (is.null(maker) || any(names(formals(maker)) %in% names(unclass(x)))) return(x)
  stop_argument(name, sprintf("be made by %s()", class(x)[1]), was = "by hand")
}

#' The same of any other object, by a part that it must have
#' @noRd
check_part <- function(x, part, maker) {
  if (!is.null(as.list(unclass(x))[[part]])) return(invisible())
  stop_argument("x", paste("be made by", maker), was = "by hand")
}
