# The tab "Watch" of buffet_demo().

demo_watch_ui <- function(id) {
  ns <- shiny::NS(id)
  demo_layout(
    demo_watch_controls(ns),
    demo_picture(ns("images"), "150px", "Some of the images that are the data"),
    demo_picture(ns("features"), "290px", "The features after the last sweep, as images"),
    demo_picture(ns("trace"), "340px", "Number of features and log joint density by sweep")
  )
}

demo_watch_controls <- function(ns) {
  shiny::tagList(
    shiny::sliderInput(ns("images_n"), "Images", 20, 200, 100, step = 20, ticks = FALSE),
    shiny::sliderInput(ns("noise"), "Noise", 0.1, 1, 0.5, step = 0.1, ticks = FALSE),
    shiny::radioButtons(ns("moves"), "Sampler", c(
      "buffet's, with moves of whole features" = "with", "as published, entry by entry" = "without"
    )),
    shiny::selectInput(
      ns("sweeps"), "Sweeps in a step", c(1, 5, 20), selectize = FALSE
    ),
    shiny::numericInput(ns("seed"), "Seed", 1, step = 1),
    demo_buttons(
      shiny::actionButton(ns("play"), "Play", class = "btn-primary"),
      shiny::actionButton(ns("step"), "Step"), shiny::actionButton(ns("restart"), "Restart")
    ),
    shiny::div(class = "demo-says", `aria-live` = "polite", shiny::textOutput(ns("says")))
  )
}

#' A chain goes no farther: a copy of all its sweeps is made at each step
#' @noRd
most_demo_sweeps <- 2000

demo_watch_server <- function(id) {
  shiny::moduleServer(id, function(input, output, session) {
    asked <- shiny::debounce(shiny::reactive(list(
      input$images_n, input$noise, input$moves == "with", input$seed
    )), 200)
    begun <- shiny::reactive({
      input$restart
      or_problem(do.call(begin_chain, asked()))
    })
    fit <- shiny::reactiveVal(NULL)
    go_on <- function() {
      fit(go_on_chain(fit(), min(as.integer(input$sweeps), most_demo_sweeps - sweeps_made(fit()))))
      sweeps_made(fit()) < most_demo_sweeps
    }
    may_go_on <- function() !is.null(fit()) && sweeps_made(fit()) < most_demo_sweeps
    playing <- demo_player(input, session, function() may_go_on() && go_on(), 300)
    shiny::observeEvent(begun(), {
      playing(FALSE)
      fit(if (!is_problem(begun())) begun()$fit)
    })
    shiny::observeEvent(input$step, if (may_go_on()) go_on())
    show_chain(
      output, session, shiny::reactive(need_sound(begun())$x), shiny::reactive(shiny::req(fit()))
    )
  })
}

show_chain <- function(output, session, x, fit) {
  across <- function(id) if (is_narrow(session, id)) 4 else 8
  output$images <- shiny::renderPlot(plot_demo_images(x(), across("images")), res = 96)
  output$features <- shiny::renderPlot(
    plot_demo_features(fit(), attr(x(), "image"), across("features")), res = 96
  )
  output$trace <- shiny::renderPlot(
    plot_demo_trace(fit(), ncol(attr(x(), "features"))), res = 96
  )
  output$says <- shiny::renderText(describe_chain(fit()))
}

#' Where a chain stands, as a sentence
#' @noRd
describe_chain <- function(fit) {
  sprintf(
    "After %s: %s, noise %.2f, log joint density %.1f.", counted(sweeps_made(fit), "sweep"),
    counted(utils::tail(scalar(fit, "n_features"), 1), "feature"),
    utils::tail(scalar(fit, "sigma_x"), 1), utils::tail(scalar(fit, "log_joint"), 1)
  )
}
