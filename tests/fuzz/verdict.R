# Judges the outcome of a call. Returns NULL if it is good, and otherwise the problem.

#' @param outcome A condition, or the value.
#' @param call The case.
judge <- function(outcome, call) {
  if (inherits(outcome, "interrupt")) return(NULL)
  if (identical(call[[1]], quote(resume))) return(judge_resumption(outcome))
  # If a fit was damaged, the process must survive, but R itself may raise the error.
  if ("damaged" %in% all.names(call)) return(NULL)
  if (inherits(outcome, "error")) judge_error(outcome) else judge_value(outcome)
}

# Matches errors that name an argument or, if there is none, their subject, and R's own errors about
# requests for more memory than is available.
one_of_ours <- paste0(
  "`[^`]+`|^A further argument |^interrupted |^the fit has |^A log density is not a number: |",
  "^cannot allocate |\\(\\) ran out of memory: |^argument \"[a-z]+\" is missing"
)

#' An error must be one line that names an argument in backticks. Generics of other packages may
#' report that they have no method.
judge_error <- function(error) {
  text <- conditionMessage(error)
  if (grepl("\n", trimws(text, "right"), fixed = TRUE)) return(paste("several lines:", text))
  if (grepl("no applicable method", text, fixed = TRUE)) return(NULL)
  if (!grepl(one_of_ours, text)) return(paste("names no argument:", text))
}

#' A damaged file must be rejected, unless only an unused state was damaged. On a busy machine, the
#' run may take too long and be interrupted.
judge_resumption <- function(outcome) {
  if (!inherits(outcome, "error")) return(NULL)
  text <- conditionMessage(outcome)
  if (startsWith(text, "interrupted before ")) return(NULL)
  of_file <- "^`file` (contains a run|[^\n]+ does not contain a buffet run)[^\n]+$"
  refused <- grepl(of_file, text) || grepl("^[^\n]*the (saved state|kept draws) [^\n]+$", text)
  if (!refused) paste("does not refuse the file:", text)
}

#' No result may have NaN, and no log density of a fit may be infinite
judge_value <- function(value) {
  if (inherits(value, "buffet_fit")) {
    densities <- if (inherits(value, "fit_point")) objective(value) else log_densities_of(value)
    return(if (!all(is.finite(densities))) "log densities are not finite")
  }
  if (is.numeric(value) && any(is.nan(value))) "NaN in the answer"
}

log_densities_of <- function(fit) {
  draws <- as_draws_matrix(fit)
  draws[, intersect(variables(draws), c("log_lik", "log_joint"))]
}
