# What a worker does: it holds the members of teams that are its own, each with its rows.

#' The members that this process has, by their keys
#' @noRd
members <- new.env(parent = emptyenv())

#' Makes a member of this process, which reads its rows
#'
#' @param key String that names it.
#' @param work list(open, x, model, plan, share): the core's function that opens it, by
#'   name, and its arguments.
#' @return What it asks first, raw.
#' @noRd
open_member <- function(key, work) {
  close_members()
  open <- get(work$open, envir = asNamespace("buffet"))
  members[[key]] <- open(core_data(list(x = work$x)), work$model, work$plan, work$share)
  member_question_cpp(members[[key]], raw())
}

#' What a member asks next, given the answer to what it asked last
#' @noRd
ask_member <- function(key, answer) member_question_cpp(members[[key]], answer)

#' What a member has kept, or found: all of it, or what is of its own rows alone
#' @noRd
member_kept <- function(key, all) some_of(member_kept_cpp(members[[key]]), all)
member_result <- function(key, all) some_of(member_result_cpp(members[[key]]), all)

some_of <- function(found, all) {
  if (all) return(found)
  if (is.null(names(found))) lapply(found, `[`, "bits") else found[intersect(of_rows, names(found))]
}

#' What of it has a row for each of the data
#' @noRd
of_rows <- c("features", "probabilities")

#' Ends all members that this process has
#' @noRd
close_members <- function() {
  for (key in ls(members)) close_member_cpp(members[[key]])
  rm(list = ls(members), envir = members)
}

#' Ends what this process does for a team, as far as it has begun
#' @noRd
leave_team <- function() {
  tryCatch(
    {
      close_members()
      hold_interrupts_cpp(FALSE, forget = TRUE)
    },
    error = function(e) NULL
  )
}

#' Tells that the worker listens
#'
#' From now on it takes no interrupts, which would have it forget what it is asked: a terminal sends
#' them to the workers that it started, too.
#' @noRd
echo <- function(token) {
  # What is wrong with the package there is told later.
  try(hold_interrupts_cpp(TRUE, forget = FALSE), silent = TRUE)
  token
}
