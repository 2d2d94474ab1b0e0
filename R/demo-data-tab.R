# The tab "Your data" of buffet_demo().

demo_data_ui <- function(id) {
  ns <- shiny::NS(id)
  demo_layout(
    shiny::tagList(demo_source_controls(ns), demo_model_controls(ns)),
    shiny::div(`aria-live` = "polite", shiny::uiOutput(ns("state"))),
    shiny::tabsetPanel(
      id = ns("shown"),
      shiny::tabPanel("Pictures",
        shiny::selectInput(ns("type"), "Picture", NULL, selectize = FALSE),
        demo_picture(ns("picture"), "520px", "Picture of the fit", "demo-wide")
      ),
      shiny::tabPanel("Summary",
        shiny::verbatimTextOutput(ns("print")), shiny::verbatimTextOutput(ns("summary"))
      ),
      shiny::tabPanel("R code",
        shiny::p("This does the same in R:"), shiny::verbatimTextOutput(ns("code"))
      )
    )
  )
}

demo_source_controls <- function(ns) {
  shiny::tagList(
    shiny::selectInput(
      ns("source"), "Data", c("a CSV file" = "file", names(demo_frames())), names(demo_frames())[2],
      selectize = FALSE
    ),
    shiny::conditionalPanel("input.source == 'file'", ns = ns, shiny::fileInput(
      ns("file"), "CSV file", accept = c(".csv", ".tsv", ".txt", "text/csv", "text/plain")
    )),
    shiny::textOutput(ns("size")),
    shiny::selectInput(ns("columns"), "Columns that are used", NULL, multiple = TRUE)
  )
}

demo_model_controls <- function(ns) {
  shiny::tagList(
    shiny::selectInput(ns("model"), "Model", NULL, selectize = FALSE),
    shiny::p(shiny::tags$small(shiny::textOutput(ns("why")))),
    shiny::numericInput(ns("iter"), "Iterations", 500, 10, 20000, 100),
    shiny::numericInput(ns("chains"), "Chains", 2, 1, 8, 1),
    shiny::numericInput(ns("seed"), "Seed", 1, step = 1),
    demo_buttons(
      shiny::actionButton(ns("fit"), "Fit", class = "btn-primary"),
      shiny::actionButton(ns("stop"), "Stop"),
      shiny::downloadButton(ns("features"), "Features as CSV")
    )
  )
}

demo_data_server <- function(id) {
  shiny::moduleServer(id, function(input, output, session) {
    source <- demo_source(input, output, session)
    data <- demo_columns(input, session, source)
    demo_model(input, output, session, data)
    fitting <- demo_fitting(input, output, session, source, data)
    show_demo_fit(input, output, session, fitting$done)
  })
}

#' The data frame that is chosen, with its code, or a problem
#' @noRd
demo_source <- function(input, output, session) {
  source <- shiny::reactive(or_problem(find_demo_data(shiny::req(input$source), input$file)))
  output$size <- shiny::renderText(describe_size(need_sound(source())$data))
  source
}

#' The columns of it that are used, or NULL
#' @noRd
demo_columns <- function(input, session, source) {
  names_of <- function() if (!is_problem(source())) names(source()$data)
  shiny::observe({
    names <- as.character(names_of())
    shiny::updateSelectInput(session, "columns", choices = names, selected = names)
  })
  shiny::reactive({
    kept <- intersect(names_of(), input$columns)
    if (length(kept) > 0) source()$data[kept]
  })
}

#' Offers the models that are apt for the data
#' @noRd
demo_model <- function(input, output, session, data) {
  apt <- shiny::reactive(if (!is.null(data())) apt_models(data()))
  shiny::observe({
    kept <- if (isTRUE(shiny::isolate(input$model) %in% apt())) shiny::isolate(input$model)
    shiny::updateSelectInput(session, "model", choices = as.character(apt()), selected = kept)
  })
  output$why <- shiny::renderText({
    shiny::req(data())
    if (length(apt()) == 0) return(why_no_model(data()))
    sub("^(.)", "\\U\\1", demo_models()[[shiny::req(input$model)]]$why, perl = TRUE)
  })
}

#' Runs fits when asked to
#'
#' @return Reactive values: `job`, from begin_demo_job(), NULL when none runs; `done`, the last of
#'   them with its `fit` and `notes`, or a problem.
#' @noRd
demo_fitting <- function(input, output, session, source, data) {
  job <- shiny::reactiveVal(NULL)
  done <- shiny::reactiveVal(NULL)
  end <- function() {
    if (!is.null(job())) job()$process$kill()
    job(NULL)
  }
  shiny::observeEvent(input$fit, {
    end()
    done(NULL)
    begun <- or_problem(begin_demo_job(input, source(), data()))
    if (is_problem(begun)) done(begun) else job(begun)
  })
  shiny::observeEvent(input$stop, end())
  session$onSessionEnded(function() shiny::isolate(end()))
  shiny::observe({
    now <- shiny::req(job())
    if (now$process$is_alive()) return(shiny::invalidateLater(250, session))
    found <- end_demo_fit(now$process)
    job(NULL)
    done(if (is_problem(found)) found else c(now, found))
  })
  output$state <- shiny::renderUI({
    if (!is.null(job())) shiny::invalidateLater(1000, session)
    show_demo_state(job(), done())
  })
  list(job = job, done = done)
}

#' @return list(process, began, call, source, columns).
#' @noRd
begin_demo_job <- function(input, source, data) {
  if (is_problem(source)) stop(source, call. = FALSE)
  if (is.null(data)) stop("Choose a column.", call. = FALSE)
  # The model that is shown may still be one for the data before.
  model <- check_demo_model(input$model, data)
  call <- fit_demo_call(model, data, input$chains, input$iter, input$seed)
  list(
    process = start_demo_fit(call, data), began = seconds_now(), call = call, source = source,
    columns = names(data)
  )
}
