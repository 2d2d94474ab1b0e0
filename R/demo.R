#' A demonstration in the browser
#'
#' Opens a page with three tabs. **Your data** fits a CSV file, or an example data set, by a model
#' that suits its columns. It shows figures, a summary and the R code that does the same,
#' and saves the features as a CSV file and every figure as a PNG file. **Draw** shows the Indian
#' buffet process next to the Chinese restaurant process, customer by customer, with sliders for
#' their parameters. **Watch** shows a Gibbs sampler at work on [block_images()], sweep by sweep.
#'
#' [ribp()] draws the matrices of the buffet, [fit_gaussian()] and [update()][update.fit_mcmc] run
#' the sampler, and your data are fitted by the code that the page shows. By default chains have the
#' lengths of [method_gibbs()]. Fits run in another R process, so the page stays usable and a fit
#' can be stopped; a stopped fit has the draws so far. *Run longer* continues the chains to twice as
#' many sweeps.
#'
#' Files are read by [data.table::fread()] and stay on the computer that runs R. They can have up to
#' 5 MB; `options(shiny.maxRequestSize = )` changes this limit.
#'
#' The packages shiny, bslib, callr and data.table are needed. If one is missing, an interactive
#' session offers to install it; a script stops with an error.
#'
#' @param ... Arguments of [shiny::runApp()], such as `port` and `launch.browser`.
#' @return The result of [shiny::runApp()], once the page is closed or R is interrupted.
#' @seealso `vignette("processes")` and `vignette("buffet")`, which explain what the page shows.
#' @examples
#' if (interactive()) {
#'   buffet_demo()
#'   buffet_demo(port = 4321, launch.browser = FALSE)
#' }
#' @export
buffet_demo <- function(...) {
  rlang::check_installed(c("shiny", "bslib", "callr", "data.table"), "for buffet_demo().")
  shiny::runApp(system.file("app", package = "buffet"), ...)
}
