choose_moves <- function(method, model) {
  default <- model$traits$moves
  if (is.null(default) && !is.null(method$moves) && method$moves != 0) {
    stop_argument("moves", "be 0 or NULL: only fit_topics() has a number of them", method$moves)
  }
  method["moves"] <- list(method$moves %||% default)
  method
}

# True for the plain Gibbs sampler, without extra moves
is_bare <- function(method, model) is.null(model$traits$moves) && identical(method$moves, 0L)

choose_sampler <- function(method, model) {
  samplers <- model$traits$samplers
  sampler <- method$sampler %||% samplers[1]
  if (!sampler %in% samplers) {
    known <- paste(encodeString(samplers, quote = "\""), collapse = ", ")
    must <- if (length(samplers) == 1) paste("be", known) else paste("be one of", known)
    stop_argument("sampler", paste(must, "for this likelihood and prior"), sampler)
  }
  check_few_sticks(model$prior, sampler)
  method$sampler <- sampler
  method
}

# These samplers store a probability per feature, used or not
check_few_sticks <- function(prior, sampler) {
  most <- 1e5
  if (!sampler %in% c("slice", "parallel") || (prior$n_features %||% 0) <= most) return(invisible())
  stop_argument("n_features", sprintf("be at most %.0f for sampler = \"%s\"", most, sampler),
    prior$n_features
  )
}
