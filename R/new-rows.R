# Rows that are not in the data, drawn given each draw of a fit: their features, what these make of
# them, and noise. predict() averages what the core finds; here single states are needed.

# What draws new rows given a draw of a fit
# rows: As new_row_data() has them.
# apart: As row_plan() has it.
# Returns A function of a draw that gives list(mean, data), rows x what posterior_epred() and
#   posterior_predict() have, on the data's scale. How many of R's random numbers it takes does not
#   depend on the rows.
new_row_drawer <- function(fit, rows, apart) UseMethod("new_row_drawer")

# New rows in the form of the data
new_row_data <- function(fit, newdata) {
  if (inherits(fit, "fit_topics")) return(match_words(newdata, fit))
  if (inherits(fit, "fit_nmf")) return(check_newdata(newdata, fit))
  if (!inherits(fit, "fit_cascade")) return(checked_rows(newdata, fit))
  within_range(check_newdata(newdata, fit), fit$internal$model$range)
}

# How the core samples new rows
# sweeps: Gibbs sweeps given each draw, of which the last half is averaged.
# drawn: Are rows drawn, beside the means?
# apart: Are equal rows independent draws? Otherwise the random numbers of a row come from its
#   entries and the seed, whichever rows stand beside it.
# first: How many draws there were before: each has its own random numbers.
row_plan <- function(fit, sweeps = new_row_sweeps, seed = fit$seed, drawn = FALSE, apart = FALSE,
                     first = 0L) {
  list(
    sweeps = sweeps, seed = seed, drawn = drawn, apart = apart, first = first,
    threads = check_count(getOption("mc.cores", 1L), "mc.cores")
  )
}
new_row_sweeps <- 20

# What draws new rows where the core does all of it
drawer_of_core <- function(fit, rows, apart) {
  function(draw) {
    plan <- row_plan(fit, seed = draw_seed(), drawn = TRUE, apart = apart)
    drawn <- new_rows(fit, rows, draw, plan)[c("mean", "data")]
    lapply(drawn, function(values) from_model_units(fit, t(values)))
  }
}

# Draws of new rows, draws x rows x columns: their `"mean"` or `"data"`
stack_new_rows <- function(fit, newdata, ndraws, what) {
  which <- check_ndrawn(ndraws, fit)
  rows <- new_row_data(fit, newdata)
  drawer <- new_row_drawer(fit, rows, apart = TRUE)
  size <- dim(rows)
  values <- over_draws(which, function(draw) drawer(draw)[[what]], matrix(0, size[1], size[2]))
  names <- list(rownames(rows), colnames(model_data(fit)), NULL)
  aperm(array(values, c(size, length(which)), names), c(3, 1, 2))
}

# One number that governs the random numbers of the core
draw_seed <- function() sample.int(.Machine$integer.max, 1)
