# A fit is one object, whose parts are not for use: what users see of them.

#' A part of a fit, by its whole name: any for the code of this package, for all other code only
#' `loadings`, which is what stats::loadings() asks for
#' @export
#' @noRd
`$.buffet_fit` <- function(x, name) part_of(x, name, parent.frame())

#' @export
#' @noRd
`[[.buffet_fit` <- function(x, i, ...) part_of(x, i, parent.frame())

#' @param from The environment of the code that asks.
#' @noRd
part_of <- function(fit, name, from) {
  if (!has_this_form(fit)) stop_other_form(fit)
  if (is_own_code(from)) return(.subset2(fit, name))
  if (identical(name, "loadings")) return(loadings_of(fit))
  stop(
    "a fit has no element ", describe_value(name), ": read it with functions such as features() ",
    "and as_draws(), which `?buffet_fit` lists.", call. = FALSE
  )
}

#' Does code belong to this package? By the name of its package, which copies of the namespace have,
#' too, as testthat makes them
#' @noRd
is_own_code <- function(from) {
  identical(get0(".packageName", topenv(from, NULL), inherits = FALSE), "buffet")
}

#' Parts are given by the code of this package alone
#' @export
#' @noRd
`$<-.buffet_fit` <- function(x, name, value) with_part(x, name, value, parent.frame())

#' @export
#' @noRd
`[[<-.buffet_fit` <- function(x, i, value) with_part(x, i, value, parent.frame())

#' @export
#' @noRd
`[<-.buffet_fit` <- function(x, i, value) {
  if (!is_own_code(parent.frame())) stop_unchanged()
  parts <- unclass(x)
  parts[i] <- value
  structure(parts, class = class(x))
}

#' @export
#' @noRd
`names<-.buffet_fit` <- function(x, value) stop_unchanged()

#' @export
#' @noRd
`length<-.buffet_fit` <- function(x, value) stop_unchanged()

#' @export
#' @noRd
`levels<-.buffet_fit` <- function(x, value) stop_unchanged()

with_part <- function(fit, name, value, from) {
  if (!is_own_code(from)) stop_unchanged()
  parts <- unclass(fit)
  parts[[name]] <- value
  structure(parts, class = class(fit))
}

stop_unchanged <- function() {
  stop(
    "a fit cannot be changed: update() refits it with other arguments, and notes can be kept ",
    "beside it, as in list(fit = fit, note = \"\").", call. = FALSE
  )
}

#' The earliest version of the package whose fits have the parts that those of this version have
#' @noRd
first_of_this_form <- "0.8.0"

#' Has a fit the parts that this version reads? Those of the first versions have no model
#' @noRd
has_this_form <- function(fit) {
  version <- made_by(fit)
  if (is.null(version) || is.null(.subset2(fit, "model"))) return(FALSE)
  # The usual case, as each part that is read asks for it.
  identical(version, own_version()) ||
    utils::compareVersion(version, first_of_this_form) >= 0 && !is_later(version)
}

is_later <- function(version) utils::compareVersion(version, own_version()) > 0

#' The version by which a fit was made, as text; NULL where it says none
#' @noRd
made_by <- function(fit) {
  version <- .subset2(fit, "version")
  numbers <- if (inherits(version, "package_version")) unclass(version)
  sound <- is.list(numbers) && length(numbers) == 1 && is.integer(numbers[[1]])
  if (sound && length(numbers[[1]]) > 0) paste(numbers[[1]], collapse = ".")
}

stop_other_form <- function(fit) {
  if (length(unclass(fit)) == 0) {
    stop("the fit has no parts: it must be made by a fit_*() function, not by hand.", call. = FALSE)
  }
  version <- made_by(fit)
  by <- if (!is.null(version)) sprintf(" made by buffet %s", version)
  later <- !is.null(version) && is_later(version)
  end <- if (later) {
    sprintf(" has a later form, which version %s cannot read: update buffet.", own_version())
  } else {
    " has an earlier form, which this version cannot read: run it again."
  }
  stop("the fit", by, end, call. = FALSE)
}

#' @export
#' @noRd
names.buffet_fit <- function(x) "loadings"

#' @export
#' @noRd
length.buffet_fit <- function(x) 1L

#' @export
#' @noRd
is.na.buffet_fit <- function(x) FALSE

#' @importFrom utils str
#' @export
#' @noRd
str.buffet_fit <- function(object, ...) {
  cat(" ", class(object)[1], ": ", describe_data(object), "\n", sep = "")
}

# What would take a fit apart, or fits together to one list of their parts. What R dispatches to no
# method, `?buffet_fit` names.

stop_one_object <- function(call) {
  stop(
    call, " does not work on a fit, which is one object: keep several fits in a list(); ",
    "`?buffet_fit` lists the functions that read one.", call. = FALSE
  )
}

#' @export
#' @noRd
`[.buffet_fit` <- function(x, i, ...) stop_one_object("`[`")

#' @export
#' @noRd
c.buffet_fit <- function(...) stop_one_object("c()")

#' @export
#' @noRd
rbind.buffet_fit <- function(..., deparse.level = 1) stop_one_object("rbind()") # nolint

#' @export
#' @noRd
cbind.buffet_fit <- function(..., deparse.level = 1) stop_one_object("cbind()") # nolint

#' purrr's functions, and columns of tibbles that are to be a fit, not a list of fits, call this
#' @exportS3Method vctrs::vec_proxy
#' @noRd
vec_proxy.buffet_fit <- function(x, ...) stop_one_object("map()")

#' What tibbles show of a fit in a column of fits, which otherwise calls vec_proxy()
#' @exportS3Method pillar::obj_sum
#' @noRd
obj_sum.buffet_fit <- function(x) class(x)[1]

#' @export
#' @noRd
rep.buffet_fit <- function(x, ...) stop_one_object("rep()")

#' @export
#' @noRd
rev.buffet_fit <- function(x) stop_one_object("rev()")

#' @importFrom utils head
#' @export
#' @noRd
head.buffet_fit <- function(x, ...) stop_one_object("head()")

#' @importFrom utils tail
#' @export
#' @noRd
tail.buffet_fit <- function(x, ...) stop_one_object("tail()")

#' @export
#' @noRd
unique.buffet_fit <- function(x, incomparables = FALSE, ...) stop_one_object("unique()")

#' @export
#' @noRd
sort.buffet_fit <- function(x, decreasing = FALSE, ...) stop_one_object("sort()")

#' order() and rank() call this
#' @export
#' @noRd
xtfrm.buffet_fit <- function(x) stop_one_object("order()")

#' @export
#' @noRd
split.buffet_fit <- function(x, f, drop = FALSE, ...) stop_one_object("split()")

#' @export
#' @noRd
t.buffet_fit <- function(x) stop_one_object("t()")

#' lapply() and its kin call this
#' @export
#' @noRd
as.list.buffet_fit <- function(x, ...) stop_one_object("as.list()")

#' matrix() and array() call this
#' @export
#' @noRd
as.vector.buffet_fit <- function(x, mode = "any") stop_one_object("as.vector()")

#' What data frames show of a column of fits, as tibbles do
#' @export
#' @noRd
as.character.buffet_fit <- function(x, ...) sprintf("<%s>", class(x)[1])

#' format() calls this of a list of fits
#' @method unlist buffet_fit
#' @export
#' @noRd
unlist.buffet_fit <- function(x, recursive = TRUE, use.names = TRUE) { # nolint: object_name_linter.
  as.character(x)
}

#' @export
#' @noRd
with.buffet_fit <- function(data, expr, ...) stop_one_object("with()")
