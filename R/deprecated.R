# Deprecated names and arguments, from before version 1.0.0.

#' Deprecated functions
#'
#' These functions were renamed before version 1.0.0: `rftm()` is now [sim_topics()],
#' `block_images()` is [sim_images()] and `object_photos()` is [sim_photos()].
#'
#' @param ... Arguments of the function with the new name.
#' @return The result of the function with the new name.
#' @examples
#' set.seed(1)
#' dim(sim_images(10))
#' @keywords internal
#' @name deprecated
NULL

#' @rdname deprecated
#' @export
rftm <- function(...) {
  lifecycle::deprecate_soft("1.0.0", "rftm()", "sim_topics()")
  sim_topics(...)
}

#' @rdname deprecated
#' @export
block_images <- function(...) {
  lifecycle::deprecate_soft("1.0.0", "block_images()", "sim_images()")
  sim_images(...)
}

#' @rdname deprecated
#' @export
object_photos <- function(...) {
  lifecycle::deprecate_soft("1.0.0", "object_photos()", "sim_photos()")
  sim_photos(...)
}

# The argument `cores` of an optimisation method, which used to be called `threads`
cores_of <- function(cores, threads, method) {
  if (!lifecycle::is_present(threads)) return(cores)
  old <- sprintf("%s(threads)", method)
  # The call to blame is the caller of this function's caller.
  lifecycle::deprecate_soft(
    "1.0.0", old, sub("threads", "cores", old),
    env = rlang::caller_env(), user_env = rlang::caller_env(2)
  )
  threads
}
