# New rows drawn given each draw of a fit: features, means and noise. predict() averages over
# states; here single states are needed.

# rows: From new_row_data().
# apart: See row_plan().
# Returns a function of a draw that gives list(mean, data) as posterior_epred() and
# posterior_predict() return them. The number of R's random numbers that it uses does not depend on
# the rows.
new_row_drawer <- function(fit, rows, apart) UseMethod("new_row_drawer")

# New rows in the form of the data
new_row_data <- function(fit, newdata) {
  if (inherits(fit, "fit_topics")) return(match_words(newdata, fit))
  if (inherits(fit, "fit_nmf")) return(check_newdata(newdata, fit))
  if (!inherits(fit, "fit_cascade")) return(checked_rows(newdata, fit))
  within_range(check_newdata(newdata, fit), fit$internal$model$range)
}

# sweeps: Gibbs sweeps given each draw, of which the last half is averaged.
# drawn: Draw rows as well as means?
# apart: Are equal rows independent draws? Otherwise the random numbers of a row come only from its
# entries and the seed.
# first: Number of draws before these; each has its own random numbers.
row_plan <- function(fit, sweeps = new_row_sweeps, seed = fit$seed, drawn = FALSE, apart = FALSE,
                     first = 0L) {
  list(
    sweeps = sweeps, seed = seed, drawn = drawn, apart = apart, first = first,
    threads = check_count(getOption("mc.cores", 1L), "mc.cores")
  )
}
new_row_sweeps <- 20

# For models whose new rows are drawn by the core
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

# A seed for the core
draw_seed <- function() sample.int(.Machine$integer.max, 1)
