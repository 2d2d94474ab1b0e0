# What the tab "Your data" shows of a fit.

#' How far a fit is, what it had to say, or what was wrong
#' @noRd
show_demo_state <- function(job, done) {
  if (!is.null(job)) {
    return(shiny::p(
      shiny::span(class = "spinner-border spinner-border-sm", `aria-hidden` = "true"),
      sprintf(" %s is running: %.0f s", rlang::call_name(job$call), seconds_now() - job$began)
    ))
  }
  if (is.null(done)) return(shiny::p("Choose data and a model, then press Fit."))
  if (is_problem(done)) return(shiny::p(class = "demo-problem", as.character(done)))
  shiny::tagList(lapply(done$notes, function(note) shiny::p(shiny::tags$small(note))))
}

show_demo_fit <- function(input, output, session, done) {
  sound <- shiny::reactive({
    shiny::req(done(), !is_problem(done()))
    done()
  })
  shiny::observe({
    types <- demo_plot_types(sound()$fit)
    shiny::updateSelectInput(session, "type", choices = types, selected = types[1])
  })
  # The type that is shown may still be one of the fit before.
  type <- shiny::reactive({
    types <- demo_plot_types(sound()$fit)
    if (isTRUE(input$type %in% types)) input$type else types[1]
  })
  output$picture <- shiny::renderPlot(suppressWarnings(print(plot(sound()$fit, type()))), res = 96)
  output$print <- shiny::renderPrint(print(sound()$fit))
  output$summary <- shiny::renderPrint(suppressWarnings(print(summary(sound()$fit))))
  output$code <- shiny::renderText({
    fit <- sound()
    paste(demo_code(fit$source, fit$columns, fit$call, type()), collapse = "\n")
  })
  output$features <- shiny::downloadHandler("features.csv", function(file) {
    utils::write.csv(features(sound()$fit), file)
  }, "text/csv")
}
