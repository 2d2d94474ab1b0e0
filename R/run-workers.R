# The workers of future::plan(): which are free, and what to do when they die.

#' How many stretches can be sent
#' @noRd
free_workers <- function(crew) {
  own <- length(under_way(crew))
  most <- future::nbrOfWorkers() - own
  if (most <= 0) return(0)
  free <- tryCatch(future::nbrOfFreeWorkers(), error = function(e) most)
  # A dead worker is not offered as long as nobody asks.
  if (free == 0 && (crew$lost == 0 || own == 0)) nudge(crew)
  min(most, free)
}

#' Has future find the workers that are done with what others gave them: it looks for them when it
#' has something to run
#' @noRd
nudge <- function(crew) {
  if (is.null(crew$nudge)) crew$nudge <- future::future(NULL, lazy = TRUE, globals = FALSE)
  resolved <- talk(crew, tryCatch(future::resolved(crew$nudge), error = identity))
  if (inherits(resolved, "error")) refused(crew, resolved)
  if (!isFALSE(resolved)) crew$nudge <- NULL
}

#' A worker died: its stretch is sent again, at most three times
#' @noRd
lost <- function(crew, c) {
  crew$lost <- crew$lost + 1L
  crew$broken <- TRUE
  crew$deaths[c] <- crew$deaths[c] + 1L
  if (crew$deaths[c] < 3) return()
  failure <- sprintf("its worker died three times in a row after sweep %d.", crew$done[c])
  add_left(crew, c, list(list(state = raw(), failure = failure)))
}

#' A future could not be made
#' @noRd
refused <- function(crew, error) {
  crew$broken <- TRUE
  crew$refusals <- crew$refusals + 1L
  if (crew$refusals >= 3) crew$gave_up <- sub("\n.*", "", conditionMessage(error))
}

#' Once nothing is under way, a plan of which workers died is made one whose workers live
#' @noRd
repair_plan <- function(crew) {
  if (!crew$broken) return()
  stack <- future::plan("list")
  nodes <- nodes_of(stack[[1]])
  starts <- inherits(stack[[1]], "multisession")
  if ((starts || !is.null(nodes)) && length(under_way(crew)) > 0) return()
  if (starts) start_anew(crew, stack) else if (!is.null(nodes)) leave_dead(crew, stack, nodes)
  crew$broken <- FALSE
}

#' Starts the workers anew, by setting the plan again, unless others have futures there
#' @noRd
start_anew <- function(crew, stack) {
  own <- crew$lost + length(under_way(crew))
  if (future::nbrOfWorkers() - future::nbrOfFreeWorkers() > own) return()
  future::plan(stack, substitute = FALSE)
  crew$lost <- 0L
}

#' Does future replace workers that died by new ones?
#' @noRd
relaunches <- function() utils::packageVersion("future") >= "1.40.0"

#' The nodes of a plan whose workers somebody else has started, where nobody replaces those that
#' die; NULL: it is no such plan
#' @noRd
nodes_of <- function(strategy) {
  if (relaunches()) return()
  workers <- tryCatch(eval(formals(strategy)$workers, baseenv()), error = function(e) NULL)
  if (inherits(workers, "cluster")) workers
}

#' Goes on with the nodes that live. There is nothing to be read from one that has nothing to do,
#' but the end of the connection to one that died
#' @noRd
leave_dead <- function(crew, stack, nodes) {
  connections <- lapply(unclass(nodes), `[[`, "con")
  if (any(vapply(connections, is.null, NA))) return()
  dead <- socketSelect(connections, timeout = 0)
  if (all(dead)) return(crew$gave_up <- "all its workers have died")
  if (!any(dead)) return()
  crew$plan_before <- crew$plan_before %||% stack
  stack[[1]] <- future::tweak(stack[[1]], workers = nodes[!dead])
  future::plan(stack, substitute = FALSE)
  crew$lost <- 0L
}

#' Leaves the plan as others set it, with workers that wait for whole messages
#' @noRd
restore_plan <- function(crew) {
  if (!is.null(crew$plan_before)) future::plan(crew$plan_before, substitute = FALSE)
  stack <- future::plan("list")
  if (crew$cut && inherits(stack[[1]], "multisession")) start_anew(crew, stack)
}
