# One list per chain with the given `weights`, `loadings` and `sigma_x`
#' @exportS3Method
check_starts.nmf_model <- function(model, init, method) {
  chains <- method$chains %||% 1L
  lapply(rep_len(split_nmf_init(init, model, chains), chains), check_nmf_start, model = model)
}

# One element per chain, or one for all
split_nmf_init <- function(init, model, chains) {
  if (is.null(init)) return(list(list()))
  if (inherits(init, "fit_nmf")) return(list(start_at(init, model)))
  if (is.object(init) || !is.list(init)) {
    must <- "be NULL, a fit by fit_nmf() or a list of `weights`, `loadings`, `sigma_x`"
    stop_argument("init", must, init)
  }
  if (!is.null(names(init))) return(list(init))
  if (length(init) != chains) {
    must <- sprintf("have one element per chain (%d)", chains)
    if (chains == 1) must <- "have named elements"
    stop_argument("init", must, was = sprintf("an unnamed list of %d", length(init)))
  }
  init
}

# The most probable draw of a fit
start_at <- function(fit, model) {
  if (fit$internal$model$rank != model$rank) {
    must <- sprintf("be a fit of rank %d", model$rank)
    stop_argument("init", must, was = sprintf("one of rank %d", fit$internal$model$rank))
  }
  if (!identical(dim(model_data(fit)), dim(model$data$x))) {
    must <- paste("be a fit to data of", describe_size(model$data$x))
    stop_argument("init", must, was = paste("one to", describe_size(model_data(fit))))
  }
  start <- nmf_factors(fit, fit$internal$point)
  if (is_learned(model$sigma$sigma_x)) start$sigma_x <- scalar(fit, "sigma_x")[fit$internal$point]
  start
}

check_nmf_start <- function(start, model) {
  known <- c("weights", "loadings", "sigma_x")
  named <- is.list(start) && !is.object(start) && length(names(start)) == length(start)
  if (!named || !all(names(start) %in% known) || anyDuplicated(names(start))) {
    unknown <- setdiff(names(start), c(known, ""))
    was <- if (length(unknown)) sprintf("`%s`", unknown[1]) else "another list"
    stop_argument("init", "have elements named `weights`, `loadings`, `sigma_x`", was = was)
  }
  start <- Filter(Negate(is.null), start)
  size <- dim(model$data$x)
  if (!is.null(start$weights)) {
    start$weights <- check_factor(start$weights, "init$weights", c(size[1], model$rank))
  }
  if (!is.null(start$loadings)) {
    start$loadings <- check_factor(start$loadings, "init$loadings", c(model$rank, size[2]))
  }
  if (!is.null(start$sigma_x)) start$sigma_x <- check_start_noise(start$sigma_x, model)
  start
}

check_start_noise <- function(sigma_x, model) {
  if (!is_learned(model$sigma$sigma_x)) {
    stop_argument("init", "not give `sigma_x`, which is fixed", sigma_x)
  }
  check_noise(check_positive(sigma_x, "init$sigma_x"), model$data$x, "init$sigma_x")
}

check_factor <- function(m, name, size) {
  m <- check_data_matrix(m, name)
  if (!identical(dim(m), size)) {
    stop_argument(name, sprintf("be a matrix of %d x %d", size[1], size[2]), m)
  }
  wrong <- which(is.na(m) | m < 0 | m > 1e50)
  if (length(wrong)) {
    was <- sprintf("one with the entry %s at %s", format(m[wrong[1]]), place(wrong[1], m))
    stop_argument(name, "have entries from 0 to 1e50", was = was)
  }
  unname(m)
}
