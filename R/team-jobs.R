# What is run on all rows: a program of the core, its arguments, and what becomes of what the
# members of a team leave.

#' An optimisation
#'
#' @param program Its name: <program>_cpp() runs it in one process, <program>_member_cpp() as a
#'   member of a team.
#' @param data,model,plan Its arguments.
#' @noRd
new_ascent_job <- function(program, data, model, plan) {
  job <- list(program = program, data = data, model = model, plan = plan, goes_on = FALSE)
  structure(job, class = "ascent_job")
}

#' Chains whose rows are shared
#'
#' Besides the arguments a job has `left`, what its chains have left that came home.
#' @param goes_on Does a fit go on for which all this has run before?
#' @noRd
new_chains_job <- function(data, model, plan, goes_on = FALSE) {
  # Without any worker the chains of such a fit stay as they are.
  left <- lapply(plan$states, function(state) {
    if (goes_on) list(state = state, failure = "", regrouped = FALSE)
  })
  job <- list(
    program = "shared_gibbs", data = data, model = model, plan = plan, left = left,
    goes_on = goes_on
  )
  structure(job, class = "chains_job")
}

run_alone <- function(job, watch) {
  run <- get(paste0(job$program, "_cpp"), envir = asNamespace("buffet"))
  run(core_data(job$data), job$model, job$plan, watch)
}

#' How far a job is, as it is reported
#'
#' @param status Numbers from the core.
#' @noRd
describe_status <- function(job, status) UseMethod("describe_status")

#' @exportS3Method
#' @noRd
describe_status.ascent_job <- function(job, status) {
  list(done = status[1], all_rows = status[2] != 0, features = status[3], bound = status[4])
}

#' @exportS3Method
#' @noRd
describe_status.chains_job <- function(job, status) as.integer(status)

#' Which members are asked for what was kept, by number
#' @noRd
keepers <- function(job, team) UseMethod("keepers")

#' @exportS3Method
#' @noRd
keepers.ascent_job <- function(job, team) 1L

#' @exportS3Method
#' @noRd
keepers.chains_job <- function(job, team) seq_along(team$workers)

#' A job that goes on from what its members have kept
#' @noRd
going_on_from <- function(job, kept, team) UseMethod("going_on_from")

#' @exportS3Method
#' @noRd
going_on_from.ascent_job <- function(job, kept, team) {
  job$plan$state <- kept[[1]]
  job
}

#' @exportS3Method
#' @noRd
going_on_from.chains_job <- function(job, kept, team) {
  job$left <- join_chains(job$left, join_members(kept, team))
  job$plan$states <- lapply(job$left, `[[`, "state")
  job
}

#' What is saved of a job on its way, as core functions give it; NULL: nothing yet
#' @noRd
left_by <- function(job) UseMethod("left_by")

#' @exportS3Method
#' @noRd
left_by.ascent_job <- function(job) job$plan$state

#' @exportS3Method
#' @noRd
left_by.chains_job <- function(job) if (!is.null(job$left[[1]])) job$left

#' What a job has found, as one process would have, from what its members have
#' @noRd
found_by <- function(job, found, team) UseMethod("found_by")

#' @exportS3Method
#' @noRd
found_by.ascent_job <- function(job, found, team) {
  result <- found[[1]]
  for (name in intersect(of_rows, names(result))) {
    parts <- lapply(found, `[[`, name)
    result[[name]] <- do.call(rbind, parts)
    # Without columns rbind() gives them names of nothing.
    if (is.null(dimnames(parts[[1]]))) dimnames(result[[name]]) <- NULL
  }
  result
}

#' @exportS3Method
#' @noRd
found_by.chains_job <- function(job, found, team) {
  join_chains(job$left, join_members(found, team))
}

#' The best so far, where no worker is left, from what was kept last
#' @noRd
found_without_workers <- function(job, watch) UseMethod("found_without_workers")

#' @exportS3Method
#' @noRd
found_without_workers.ascent_job <- function(job, watch) {
  watch$stop <- function() TRUE
  run_alone(job, watch)
}

#' @exportS3Method
#' @noRd
found_without_workers.chains_job <- function(job, watch) job$left

#' Chains of all rows from those of the members, of which all but the first give their bits alone
#' @noRd
join_members <- function(members, team) {
  lapply(seq_along(members[[1]]), function(c) {
    chain <- members[[1]][[c]]
    bits <- lapply(members, function(member) member[[c]]$bits)
    chain$bits <- join_rows_cpp(bits, team$rows, chain$sizes)
    chain
  })
}
