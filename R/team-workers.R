# Workers of a cluster: what they are asked, how long they may take, and which of them are lost.

#' A cluster as the package parallel has it, for a method that shares rows
#' @noRd
check_cluster <- function(cl, method) {
  if (is.null(cl)) return(NULL)
  if (!inherits(cl, "cluster")) {
    stop_argument("cl", "be a cluster, as made by parallel::makeCluster()", cl)
  }
  if (length(cl) == 0) stop_argument("cl", "have a worker", was = "a cluster without any")
  if (!shares_rows(method)) {
    must <- paste(
      "be NULL unless `method` is method_meibp(), method_variational(), method_power_ep() or",
      "method_gibbs() with the sampler \"parallel\""
    )
    kind <- if (inherits(method, "method_meibp")) " for update = \"row\"" else ""
    stop_argument("cl", must, was = paste0("a cluster", kind))
  }
  if (anyDuplicated(unclass(cl)) > 0) {
    stop_argument("cl", "contain each worker once", was = "one of them twice")
  }
  worker_timeout()
  # Whatever becomes of the others, messages name a worker by its place in the cluster.
  names(cl) <- seq_along(cl)
  cl
}

#' Workers of another version, or without the package, are told by what needs nothing of it
#' @noRd
check_versions <- function(workers) {
  find_version <- as.function(list(version_there), envir = baseenv())
  answers <- ask_all(workers, find_version, rep(list(list()), length(workers)))
  # Those that are lost are told of later.
  found <- vapply(answers, function(answer) if (is.null(answer)) own_version() else answer[[1]], "")
  wrong <- which(found != own_version())
  if (length(wrong) == 0) return(invisible())
  was <- if (found[wrong[1]] == "none") "none in its library" else paste("buffet", found[wrong[1]])
  must <- sprintf("be workers with buffet %s", own_version())
  stop_argument("cl", must, was = sprintf("worker %s, which has %s", names(workers)[wrong[1]], was))
}

#' A function of the package parallel that it does not export, as other packages on clusters use it
#' @noRd
of_parallel <- function(name) get(name, envir = environment(parallel::clusterCall))

#' Asks every worker, each with arguments of its own, without waiting
#'
#' @return Which were asked: a connection that is broken says so.
#' @noRd
send_all <- function(workers, fun, args) {
  as.logical(mapply(function(node, args) {
    tryCatch(
      {
        send_to(node, fun, args)
        TRUE
      },
      error = function(e) FALSE
    )
  }, workers, args))
}

send_to <- function(node, fun, args) {
  if (inherits(node, "mpi_worker")) return(send_mpi(node, list(fun = fun, args = args)))
  of_parallel("sendCall")(node, fun, args)
}

#' Has messages to workers and from them leave at once, however their sockets were made
#' @noRd
send_at_once <- function(workers) {
  ports <- vapply(workers, port_of, 1L)
  sockets <- !is.na(ports)
  for (port in unique(ports[sockets])) no_delay_cpp(port)
  ask_all(workers[sockets], no_delay_cpp, lapply(ports[sockets], list))
}

#' The port through which a worker is connected, NA where it has no socket
#' @noRd
port_of <- function(node) {
  tryCatch(as.integer(sub(".*:", "", summary(node$con)$description)),
    error = function(e) NA_integer_, warning = function(w) NA_integer_
  )
}

#' Seconds that a worker may take for an answer
#' @noRd
worker_timeout <- function() {
  check_number(
    getOption("buffet.worker_timeout", 600), "options(buffet.worker_timeout = )", lower = 1
  )
}

#' How long to wait for a worker that is stopped while it sends or receives
#'
#' @param seconds As a connection has them; one for all workers, or one each.
#' @return What they were before, NA where there is no socket.
#' @noRd
limit_waits <- function(workers, seconds) {
  mapply(function(node, seconds) {
    tryCatch(socketTimeout(node$con, seconds), error = function(e) NA_integer_)
  }, workers, seconds)
}

#' Waits for what workers answer
#'
#' @param asked Which of them were asked.
#' @return One list(value) a worker, NULL for those that are lost.
#' @noRd
receive_all <- function(workers, asked, seconds = worker_timeout()) {
  answers <- vector("list", length(workers))
  waiting <- which(asked)
  end <- seconds_now() + seconds
  while (length(waiting) > 0 && seconds_now() < end) {
    ready <- waiting[are_ready(workers[waiting])]
    for (n in ready) answers[n] <- list(receive(workers[[n]], names(workers)[n]))
    waiting <- setdiff(waiting, ready)
  }
  answers
}

#' Have workers answered? Of those that do not tell, an answer is waited for
#' @noRd
are_ready <- function(workers) {
  if (all(vapply(workers, is_mpi, NA))) return(are_ready_mpi(workers))
  connections <- lapply(workers, function(node) if (is.environment(node) || is.list(node)) node$con)
  tells <- vapply(connections, inherits, NA, what = "connection")
  if (!all(tells)) return(!tells)
  socketSelect(connections, write = FALSE, timeout = 0.2)
}

#' list(value), or NULL of a worker that is lost
#' @noRd
receive_any <- function(node) {
  tryCatch(list(suppressWarnings(receive_from(node))), error = function(e) NULL)
}

receive_from <- function(node) {
  if (inherits(node, "mpi_worker")) receive_mpi(node) else of_parallel("recvResult")(node)
}

#' The same; what fails there fails here
#' @noRd
receive <- function(node, name) {
  value <- receive_any(node)
  if (inherits(value[[1]], "try-error")) {
    stop(sprintf("worker %s failed: %s", name, trimws(value[[1]])), call. = FALSE)
  }
  value
}

#' Asks workers and waits for what they answer
#' @noRd
ask_all <- function(workers, fun, args, ...) {
  receive_all(workers, send_all(workers, fun, args), ...)
}

#' The workers of a cluster that listen: what one has not answered yet is thrown away
#' @noRd
listening <- function(workers, seconds = worker_timeout()) {
  if (length(workers) == 0) return(workers)
  token <- basename(tempfile("token"))
  asked <- send_all(workers, echo, rep(list(list(token)), length(workers)))
  hears <- mapply(function(node, asked) asked && drain(node, token, seconds), workers, asked)
  workers[hears]
}

#' Receives from a worker until it has answered with the token
#' @noRd
drain <- function(node, token, seconds) {
  end <- seconds_now() + seconds
  while (seconds_now() < end) {
    if (!are_ready(list(node))) next
    value <- receive_any(node)
    if (is.null(value)) return(FALSE)
    if (identical(value[[1]], token)) return(TRUE)
  }
  FALSE
}
