# The tab "Draw" of buffet_demo().

demo_draw_ui <- function(id) {
  ns <- shiny::NS(id)
  demo_layout(
    demo_draw_controls(ns),
    demo_row(
      demo_picture(ns("buffet"), "360px", "Matrix of customers by dishes of the buffet"),
      demo_picture(ns("restaurant"), "360px", "Matrix of customers by tables of the restaurant")
    ),
    demo_picture(ns("counts"), "310px", "Curves of the numbers of dishes and tables"),
    shiny::p(
      "Every customer of the buffet takes any number of dishes, which are the features of a row;",
      "every customer of the restaurant sits at one table, the cluster of a row. Both have the",
      "same alpha and discount; the concentration is the buffet's alone."
    )
  )
}

demo_draw_controls <- function(ns) {
  shiny::tagList(
    shiny::sliderInput(ns("customers"), "Customers", 2, 60, 25, step = 1, ticks = FALSE),
    shiny::sliderInput(ns("alpha"), "alpha: dishes of a customer", 0.5, 8, 3, 0.5, ticks = FALSE),
    shiny::sliderInput(
      ns("concentration"), "Concentration: how little is shared", 0.25, 10, 1, 0.25, ticks = FALSE
    ),
    shiny::sliderInput(
      ns("discount"), "Discount: how many rare dishes", 0, 0.8, 0, 0.1, ticks = FALSE
    ),
    shiny::checkboxInput(ns("left_ordered"), "Left-ordered form"),
    shiny::numericInput(ns("seed"), "Seed", 1, step = 1),
    demo_buttons(
      shiny::actionButton(ns("back"), "Back"), shiny::actionButton(ns("forward"), "Forward"),
      shiny::actionButton(ns("play"), "Play", class = "btn-primary"),
      shiny::actionButton(ns("redraw"), "Redraw")
    ),
    shiny::div(class = "demo-says", `aria-live` = "polite", shiny::textOutput(ns("says")))
  )
}

demo_draw_server <- function(id) {
  shiny::moduleServer(id, function(input, output, session) {
    # Sliders that are being moved ask for a new draw when they rest.
    parameters <- shiny::debounce(shiny::reactive(list(
      input$customers, input$alpha, input$concentration, input$discount, input$seed
    )), 200)
    draw <- shiny::reactive(or_problem(do.call(draw_customers, parameters())))
    last <- shiny::reactive(nrow(need_sound(draw())$z))
    at <- demo_customer(input, session, draw, last)
    show <- function(picture) {
      shiny::renderPlot(picture(need_sound(draw()), at()), res = 96)
    }
    output$buffet <- shiny::renderPlot(
      plot_demo_buffet(need_sound(draw()), at(), input$left_ordered), res = 96
    )
    output$restaurant <- show(plot_demo_restaurant)
    output$counts <- show(plot_demo_counts)
    output$says <- shiny::renderText({
      paste(describe_customer(need_sound(draw()), at()), collapse = " ")
    })
  })
}

#' Which customer was the last to come: all have, until somebody steps or plays
#' @noRd
demo_customer <- function(input, session, draw, last) {
  wanted <- shiny::reactiveVal(Inf)
  at <- shiny::reactive(max(1, min(wanted(), last())))
  playing <- demo_player(input, session, function() {
    wanted(min(wanted(), last()) + 1)
    wanted() < last()
  }, 400)
  # Before the player makes its first step, so that what is complete begins anew.
  shiny::observeEvent(input$play, if (at() == last()) wanted(0), priority = 1)
  shiny::observeEvent(input$back, wanted(at() - 1))
  shiny::observeEvent(input$forward, wanted(at() + 1))
  shiny::observeEvent(draw(), {
    playing(FALSE)
    wanted(Inf)
  })
  shiny::observeEvent(input$redraw, {
    seed <- or_problem(check_seed(input$seed))
    shiny::updateNumericInput(session, "seed", value = if (is_problem(seed)) 1 else seed + 1)
  })
  at
}
