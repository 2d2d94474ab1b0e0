#' A demonstration in the browser
#'
#' Opens a page with three tabs. **Draw**: the Indian buffet process and beside it the Chinese
#' restaurant process, customer by customer, with sliders for their parameters. **Watch**: a Gibbs
#' sampler at work on [block_images()], sweep by sweep. **Your data**: a CSV file, or a data frame
#' that comes with R, fitted by a model that suits its columns, with pictures, the code that does
#' the same in R, and the features as a CSV file.
#'
#' What is shown is what the package does: matrices are drawn by [ribp()], the sampler is
#' [fit_gaussian()] which goes on by [update()][update.fit_mcmc], and your data are fitted by the
#' code that the page shows, in an R process of its own, so that the page can be used meanwhile.
#' Files stay on the computer that R runs on. Those of up to 5 MB are taken, which
#' `options(shiny.maxRequestSize = )` changes.
#'
#' The packages shiny, bslib and callr are needed; if they are missing, you are asked whether they
#' should be installed, or, in a script, told so in an error.
#'
#' @param ... Arguments of [shiny::runApp()], such as `port` and `launch.browser`.
#' @return What [shiny::runApp()] returns, once the page is closed or R is interrupted.
#' @seealso `vignette("processes")` and `vignette("buffet")` on what is shown.
#' @examples
#' if (interactive()) {
#'   buffet_demo()
#'   buffet_demo(port = 4321, launch.browser = FALSE)
#' }
#' @export
buffet_demo <- function(...) {
  rlang::check_installed(c("shiny", "bslib", "callr"), "for buffet_demo().")
  shiny::runApp(demo_app(), ...)
}

demo_app <- function() shiny::shinyApp(demo_page(), demo_server)

demo_page <- function() {
  shiny::navbarPage("buffet",
    id = "tab", lang = "en", collapsible = TRUE, windowTitle = "buffet: a demonstration",
    theme = bslib::bs_theme(version = 5, primary = demo_colours[["new"]]),
    header = shiny::tags$style(shiny::HTML(demo_css)),
    shiny::tabPanel("Draw", demo_draw_ui("draw")),
    shiny::tabPanel("Watch", demo_watch_ui("watch")),
    shiny::tabPanel("Your data", demo_data_ui("data"))
  )
}

demo_server <- function(input, output, session) {
  demo_draw_server("draw")
  demo_watch_server("watch")
  demo_data_server("data")
}
