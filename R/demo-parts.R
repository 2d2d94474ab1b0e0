# What the tabs of buffet_demo() are put together from.

#' Colours of what is new, what is known and what is not there
#' @noRd
demo_colours <- c(new = "#a50f15", known = "grey25", none = "grey94")

# Long lines of printed text are scrolled on small screens, and buttons keep their distance.
demo_css <- "
.tab-content { padding: 1rem 0.25rem; }
.demo-buttons .btn { margin: 0 0.25rem 0.5rem 0; }
.demo-says { min-height: 3rem; }
pre.shiny-text-output, pre { white-space: pre; overflow-x: auto; font-size: 0.8rem; }
.demo-problem { color: #a50f15; }
.control-label { margin-bottom: 0.25rem; }
.card { margin-bottom: 1rem; }
.demo-wide { overflow-x: auto; }
.demo-wide .shiny-plot-output { min-width: 640px; }
.demo-controls .shiny-input-container { width: 100%; }
select.form-control:not([multiple]) { appearance: auto; }
"

#' Controls beside pictures; on small screens above them
#' @noRd
demo_layout <- function(controls, ...) {
  shiny::fluidRow(
    shiny::column(3, bslib::card(bslib::card_body(class = "demo-controls", controls))),
    shiny::column(9, ...)
  )
}

#' A picture in a frame, with what it shows for those who cannot see it
#'
#' @param class "demo-wide": it is scrolled on small screens, and not made narrower.
#' @noRd
demo_picture <- function(id, height, label, class = NULL) {
  bslib::card(shiny::div(
    class = class, role = "img", `aria-label` = label, shiny::plotOutput(id, height = height)
  ))
}

#' Several pictures beside each other; on small screens below each other
#' @noRd
demo_row <- function(...) {
  pictures <- list(...)
  shiny::fluidRow(lapply(pictures, function(p) shiny::column(12 %/% length(pictures), p)))
}

demo_buttons <- function(...) shiny::div(class = "demo-buttons", ...)

#' Is the picture of an output that narrow, as on a telephone?
#' @noRd
is_narrow <- function(session, output) {
  width <- session$clientData[[sprintf("output_%s_width", session$ns(output))]]
  !is.null(width) && width < 500
}

#' Steps one after the other, begun and stopped by the button `play`
#'
#' @param step Function that makes a step and says whether there may be another.
#' @param wait Milliseconds from one step to the next.
#' @return A reactive value: does it play?
#' @noRd
demo_player <- function(input, session, step, wait) {
  playing <- shiny::reactiveVal(FALSE)
  shiny::observeEvent(input$play, playing(!playing()))
  shiny::observe({
    if (!playing()) return()
    shiny::invalidateLater(wait, session)
    if (!shiny::isolate(step())) playing(FALSE)
  })
  shiny::observeEvent(playing(), {
    shiny::updateActionButton(session, "play", label = if (playing()) "Pause" else "Play")
  }, ignoreInit = TRUE)
  playing
}

#' The value of an expression, or what was wrong with it as text of class "demo_problem"
#' @noRd
or_problem <- function(code) {
  tryCatch(code, error = function(e) structure(conditionMessage(e), class = "demo_problem"))
}

is_problem <- function(x) inherits(x, "demo_problem")

#' A value without a problem; a problem is shown in its place
#' @noRd
need_sound <- function(x) {
  shiny::validate(shiny::need(!is_problem(x), as.character(x)))
  x
}
