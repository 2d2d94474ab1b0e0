# Workers of an MPI cluster of the package snow. Its own loop on them collects garbage with every
# answer, as sending does here, which takes longer than an exchange. So for the time of a fit they
# run a loop of this package, whose messages have tags of their own.

mpi_tags <- list(SENDTAG = 24L, RECVTAG = 35L)

is_mpi <- function(node) inherits(node, c("MPInode", "mpi_worker"))

#' Has workers of MPI clusters serve; others are left as they are
#'
#' @return Those that listen then.
#' @noRd
engage <- function(workers) {
  if (!any(vapply(workers, is_mpi, NA))) return(workers)
  listening(lapply(workers, function(node) {
    if (!is_mpi(node)) return(node)
    of_parallel("sendCall")(node, serve_mpi, list(node$comm))
    structure(c(mpi_tags, node[c("rank", "comm")], list(node = node)), class = "mpi_worker")
  }))
}

#' Gives workers that serve back to their cluster, whose messages end their loop
#' @noRd
release <- function(workers) {
  serve <- vapply(workers, is_mpi, NA)
  listening(lapply(workers[serve], `[[`, "node"))
}

#' What a worker does for a team: it answers what it is asked, until something else comes
#' @noRd
serve_mpi <- function(comm) {
  master <- list(rank = 0L, comm = comm, SENDTAG = mpi_tags$RECVTAG, RECVTAG = mpi_tags$SENDTAG)
  anything <- replace(master, "RECVTAG", Rmpi::mpi.any.tag())
  repeat {
    if (!are_ready_mpi(list(anything))) next
    if (!has_message(master)) return(NULL)
    call <- receive_mpi(master)
    value <- tryCatch(do.call(call$fun, call$args, quote = TRUE), error = function(e) {
      structure(conditionMessage(e), class = "try-error")
    })
    send_mpi(master, value)
  }
}

send_mpi <- function(node, value) {
  bytes <- serialize(value, NULL, xdr = FALSE)
  Rmpi::mpi.send(bytes, type = 4, dest = node$rank, tag = node$SENDTAG, comm = node$comm)
}

receive_mpi <- function(node) {
  Rmpi::mpi.probe(node$rank, node$RECVTAG, node$comm)
  bytes <- raw(Rmpi::mpi.get.count(type = 4))
  unserialize(Rmpi::mpi.recv(bytes, type = 4, node$rank, node$RECVTAG, node$comm))
}

has_message <- function(node) Rmpi::mpi.iprobe(node$rank, node$RECVTAG, node$comm)

#' Which nodes have sent something, as soon as one has, or after so many seconds
#'
#' MPI itself would keep a core busy with waiting. Pauses make a wait a twentieth longer at most.
#' @noRd
are_ready_mpi <- function(nodes, seconds = 0.2) {
  begun <- seconds_now()
  repeat {
    ready <- vapply(nodes, has_message, NA)
    waited <- seconds_now() - begun
    if (any(ready) || waited > seconds) return(ready)
    if (waited > 0.001) Sys.sleep(waited / 20)
  }
}
