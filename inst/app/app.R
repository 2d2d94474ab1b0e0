# The page that buffet_demo() opens: a Shiny app with the tabs "Your data", "Draw" and "Watch".
library(shiny)

red <- "#a50f15"
blue <- "#2166ac"
css <- "
.tab-content { padding: 1rem 0.25rem; }
.demo-controls .btn { margin: 0 0.25rem 0.5rem 0; }
.demo-controls .shiny-input-container { width: 100%; }
.card { margin-bottom: 1rem; } #fit_figure { min-width: 640px; }
pre { white-space: pre; overflow-x: auto; font-size: 0.8rem; }
select.form-control:not([multiple]) { appearance: auto; }
.slider-animate-button { font-size: 2rem; opacity: 1; }
"
script <- "Shiny.addCustomMessageHandler('enable', function(on) {
  for (const id in on) $('#' + id).prop('disabled', !on[id]).toggleClass('disabled', !on[id]);
});"

two_columns <- function(controls, ...) {
  controls <- bslib::card(bslib::card_body(class = "demo-controls", controls))
  fluidRow(column(3, controls), column(9, ...))
}

figure <- function(id, height, label) {
  plot <- plotOutput(id, height = height)
  plot <- div(style = "overflow-x: auto;", role = "img", `aria-label` = label, plot)
  save <- downloadButton(paste0(id, "_png"), "PNG", class = "btn-sm text-nowrap align-self-start")
  bslib::card(plot, div(class = "small d-flex justify-content-between", label, save))
}

show <- function(id, draw, session = getDefaultReactiveDomain()) {
  output <- session$output
  output[[id]] <- renderPlot(draw(), res = 96)
  output[[paste0(id, "_png")]] <- downloadHandler(paste0(id, ".png"), function(file) {
    pixels <- function(side) 2 * session$clientData[[paste("output", id, side, sep = "_")]]
    plotPNG(draw, file, pixels("width"), pixels("height"), res = 192)
  }, "image/png")
}

slider <- function(...) sliderInput(..., ticks = FALSE)
play <- animationOptions(400)

# If `code` fails, the page shows the error in place of everything that depends on `code`.
shown <- function(code) tryCatch(code, error = function(e) validate(conditionMessage(e)))

axes <- function(xlim, ylim, title, xlab, ylab = "") {
  par(mar = c(3.2, 3.6, 2, 0.5), mgp = c(2.1, 0.5, 0), las = 1, tcl = -0.2, fg = "grey60")
  plot(NULL, xlim = xlim, ylim = ylim, xlab = xlab, ylab = ylab, bty = "n", xaxs = "i", yaxs = "i")
  title(title, adj = 0, font.main = 1, cex.main = 1.1)
}

# Draw: the Indian buffet and the Chinese restaurant, one customer at a time --------------------
most_customers <- 40
draw_customers <- function(alpha, concentration, discount, seed) {
  stopifnot("The seed must be a whole number." = isTRUE(seed %% 1 == 0))
  n <- seq_len(most_customers - 1)
  # Customer n takes alpha r_n new dishes on average.
  r <- cumprod(c(1, (n - 1 + concentration + discount) / (n + concentration)))
  # With K tables, customer n + 1 opens another with probability (alpha + d K) / (n + alpha).
  open <- function(k, n) k + (alpha + discount * k) / (n + alpha)
  list(
    dishes = repeatable(buffet::ribp, seed)(most_customers, alpha, concentration, discount),
    tables = repeatable(draw_tables, seed)(alpha, discount),
    expected = cbind(alpha * cumsum(r), Reduce(open, n, 1, accumulate = TRUE))
  )
}

# Matrix of customers x tables. Customer n joins a table of m with probability (m - d) / (n - 1 +
# alpha).
draw_tables <- function(alpha, discount) {
  at <- integer(most_customers)
  for (n in seq_len(most_customers)) {
    sitting <- tabulate(at, max(at))
    weights <- c(sitting - discount, alpha + discount * length(sitting))
    at[n] <- sample.int(length(weights), 1, prob = weights)
  }
  outer(at, seq_len(max(at)), `==`) + 0L
}

first_ones <- function(z) vapply(seq_len(ncol(z)), \(k) which.max(z[, k]), 1L)

describe_customer <- function(draw, n) {
  new <- sum(first_ones(draw$dishes) == n)
  table <- which(draw$tables[n, ] == 1)
  sprintf("Customer %d takes %d known and %d new dishes and is number %d at table %d.",
    n, sum(draw$dishes[n, ]) - new, new, sum(draw$tables[seq_len(n), table]), table
  )
}

# Plots the dishes of the first n customers, with room for all customers, so nothing moves.
plot_taken <- function(z, n, title, columns, left_ordered = FALSE) {
  title <- sprintf("%s: %d %s", title, sum(first_ones(z) <= n), columns)
  x <- paste(columns, if (left_ordered) "in left-ordered form" else "in order of appearance")
  axes(c(0.5, max(1, ncol(z)) + 0.5), c(nrow(z) + 0.5, 0.5), title, x, "customer")
  z[seq_len(nrow(z)) > n, ] <- 0L
  if (left_ordered) z <- buffet::left_order(z)
  kind <- 1 + z + z * (row(z) == first_ones(z)[col(z)])
  rect(col(z) - 0.46, row(z) - 0.46, col(z) + 0.46, row(z) + 0.46,
    col = c("grey94", "grey25", red)[kind], border = NA
  )
}

plot_counts <- function(draw, n) {
  drawn <- sapply(draw[c("dishes", "tables")], \(z) cumsum(tabulate(first_ones(z), nrow(z))))
  axes(c(0, nrow(drawn) + 1), c(0, 1.04 * max(drawn, draw$expected)), "So far", "customers")
  matlines(draw$expected, col = c(red, blue), lty = 3, lwd = 1.5)
  matlines(drawn[seq_len(n), , drop = FALSE], type = "s", col = c(red, blue), lty = 1, lwd = 2)
  points(c(n, n), drawn[n, ], pch = 19, col = c(red, blue))
}

draw_page <- two_columns(
  tagList(
    slider("customers", "Customers so far", 1, most_customers, 25, 1, animate = play),
    slider("alpha", "alpha: dishes per customer", 0.5, 8, 3, 0.5),
    slider("concentration", "Concentration: larger means less sharing", 0.25, 10, 1, 0.25),
    slider("discount", "Discount: larger means more rare dishes", 0, 0.8, 0, 0.1),
    numericInput("draw_seed", "Seed", 1), checkboxInput("left_ordered", "Left-ordered form"),
    div(`aria-live` = "polite", textOutput("customer"))
  ),
  fluidRow(
    column(6, figure("dishes", "340px", "Customers by dishes (red: first)")),
    column(6, figure("tables", "340px", "Customers by tables (red: first)"))
  ),
  figure("counts", "270px", "Dishes (red) and tables (blue); dotted: expected"),
  p(
    "A customer of the buffet takes any number of dishes, the features of a row. A customer of",
    "the restaurant sits at one table, the cluster of a row; concentration does not change tables."
  )
)

draw_server <- function(input, output, session) {
  draw <- reactive(shown(
    draw_customers(input$alpha, input$concentration, input$discount, input$draw_seed)
  ))
  n <- reactive(input$customers)
  show("dishes", \() plot_taken(draw()$dishes, n(), "Indian buffet", "dishes", input$left_ordered))
  show("tables", \() plot_taken(draw()$tables, n(), "Chinese restaurant", "tables"))
  show("counts", \() plot_counts(draw(), n()))
  output$customer <- renderText(describe_customer(draw(), n()))
}

# Watch: a Gibbs sampler at work on simulated images ---------------------------------------------
# The state after one sweep. `init`, a random feature, replaces the search, which would already find
# most of the features.
start_chain <- function(images, noise, moves, seed) {
  x <- repeatable(buffet::sim_images, seed)(images, noise)
  init <- matrix(repeatable(stats::rbinom, seed)(images, 1, 0.5))
  method <- buffet::method_gibbs(1, iter = 1, warmup = 0, cores = 1, moves = if (!moves) 0)
  list(x = x, fit = buffet::fit_gaussian(x,
    sigma_a = 1, method = method, init = init, seed = seed, verbose = FALSE
  ))
}

# Z after some sweeps, and the posterior mean of its loadings given sigma_a = 1:
# (Z'Z + sigma_x^2 I)^-1 Z'X.
features_at <- function(fit, x, sweep) {
  z <- buffet::feature_draws(fit)[[sweep]]
  sigma <- c(buffet::as_draws_array(fit)[sweep, 1, "sigma_x"])
  loadings <- if (ncol(z) > 0) solve(crossprod(z) + sigma^2 * diag(ncol(z)), crossprod(z, x))
  list(z = z, loadings = loadings, truth = ncol(attr(x, "features")), sigma = sigma)
}

# Plots at most 16 rows of `m` as images of 6 x 6 pixels, on the same scale in all sweeps.
plot_images <- function(m, labels, across) {
  shown <- seq_len(min(length(labels), 16))
  down <- max(8, 4 * ceiling(length(shown) / 4)) / across
  par(mfrow = c(down, across), mar = c(0.3, 0.3, 1.6, 0.3), pty = "s", cex = 0.9)
  m <- pmin(pmax(m, -0.5), 1.5)
  for (i in shown) {
    image(matrix(m[i, ], 6)[, 6:1], zlim = c(-0.5, 1.5), col = grey.colors(64, 0, 1), axes = FALSE)
    title(labels[i], font.main = 1, cex.main = 1, line = 0.4)
  }
}

plot_trace <- function(fit, sweep, truth) {
  par(mfrow = c(2, 1))
  for (name in c("n_features", "log_joint")) {
    y <- c(buffet::as_draws_array(fit)[seq_len(sweep), 1, name])
    axes(c(0, 1.03 * sweep), range(y, if (name == "n_features") c(0, truth + 0.2)), name, "sweep")
    abline(h = truth, col = red, lty = 3, lwd = 1.5)
    lines(y, col = 1)
    points(sweep, y[sweep], pch = 19, col = 1)
  }
}

watch_page <- two_columns(
  tagList(
    slider("sweep", "Sweeps so far", 1, 501, 1, 5, animate = play),
    slider("images", "Images", 20, 200, 100, 20),
    slider("noise", "Noise", 0.1, 1, 0.5, 0.1),
    radioButtons("moves", "Sampler", c(
      "with buffet's moves of whole features" = "with", "as published, entry by entry" = "without"
    )),
    numericInput("watch_seed", "Seed", 1), div(`aria-live` = "polite", textOutput("chain"))
  ),
  figure("data_images", "130px", "The data: eight of the images"),
  fluidRow(
    column(6, figure("features", "340px", "Features, and the number of images that have them")),
    column(6, figure("trace", "340px", "Features and log joint; dotted: truth"))
  )
)

watch_server <- function(input, output, session) {
  start <- reactive(shown(
    start_chain(input$images, input$noise, input$moves == "with", input$watch_seed)
  ))
  fit <- reactiveVal(NULL)
  observeEvent(start(), fit(start()$fit))
  observe(if (buffet::niterations(req(fit())) < input$sweep) {
    fit(update(fit(), iter = input$sweep, verbose = FALSE, cores = 1))
  })
  sweep <- reactive(min(input$sweep, buffet::niterations(req(fit()))))
  now <- reactive(features_at(fit(), start()$x, sweep()))
  show("data_images", \() plot_images(start()$x, 1:8, 8))
  show("features", \() plot_images(now()$loadings, paste("in", colSums(now()$z)), 4))
  show("trace", \() plot_trace(fit(), sweep(), now()$truth))
  output$chain <- renderText(sprintf("Sweep %d: features %d (truth: %d), noise %.2f",
    sweep(), ncol(now()$z), now()$truth, now()$sigma
  ))
}

# Your data: a CSV file or an example, fitted in another R process -------------------------------
examples <- list(
  "iris: 150 flowers" = quote(datasets::iris), "swiss: 47 provinces" = quote(datasets::swiss),
  "mtcars: 32 cars" = quote(datasets::mtcars), "prostate: 502 patients" = quote(buffet::prostate)
)

# Returns list(data, code, notes), where `code` has the calls that make the data. `path` is the
# uploaded copy of the file `name`.
read_file <- function(path, name) {
  read <- function(file) {
    bquote(data.table::fread(.(file),
      data.table = FALSE, stringsAsFactors = TRUE, na.strings = c("NA", ""), integer64 = "double"
    ))
  }
  notes <- NULL
  data <- withCallingHandlers(eval(read(path)), warning = function(w) {
    notes <<- c(notes, conditionMessage(w))
    invokeRestart("muffleWarning")
  })
  stopifnot(
    "The file needs a header and at least two rows." = nrow(data) > 1,
    "The file has columns with the same name." = !anyDuplicated(names(data)),
    "The file is not in UTF-8." = all(validUTF8(c(names(data), unlist(lapply(data, levels)))))
  )
  code <- list(bquote(data <- .(read(name))))
  # Row names are distinct texts, or any distinct values without a header, as write.csv() writes
  # them.
  first <- data[[1]]
  named <- is.factor(first) || names(data)[1] == "V1" && !"V2" %in% names(data)
  if (named && ncol(data) > 1 && !anyNA(first) && !anyDuplicated(first)) {
    notes <- c(notes, sprintf("Column \"%s\" contains the row names.", names(data)[1]))
    code <- c(code, quote(rownames(data) <- data[[1]]), quote(data <- data[-1]))
    data <- data.frame(data[-1], row.names = first, check.names = FALSE)
  }
  list(data = data, code = code, notes = notes)
}

is_number <- function(values) is.numeric(values) || is.logical(values)
usable_columns <- function(data) names(Filter(\(x) is_number(x) || is.factor(x), data))

describe_source <- function(source) {
  data <- source$data
  missing <- Filter(\(n) n > 0, colSums(is.na(data)))
  line <- \(title, names) if (length(names) > 0) paste0(title, ": ", toString(names))
  c(
    sprintf("Rows: %d, columns: %d", nrow(data), ncol(data)),
    line("Categories", names(Filter(is.factor, data))),
    line("Missing entries", paste(names(missing), missing, recycle0 = TRUE)),
    line("Neither numbers nor categories, not used", setdiff(names(data), usable_columns(data))),
    source$notes
  )
}

models <- c(
  "fit_choice: winner and loser", "fit_logistic: zeros and ones", "fit_topics: counts of words",
  "fit_factor: numbers, sparse factors", "fit_gaussian: numbers, binary features",
  "fit_mixed: any columns"
)

suitable_models <- function(data) {
  x <- if (all(vapply(data, is_number, NA))) as.matrix(data)
  numbers <- !is.null(x)
  binary <- numbers && all(x %in% c(0, 1, NA))
  counts <- numbers && ncol(x) >= 10 && !anyNA(x) && all(x >= 0 & x %% 1 == 0) && !binary
  choices <- all(c("winner", "loser") %in% names(data))
  models[c(choices, binary, counts, numbers, numbers, TRUE)]
}

fit_call <- function(model, chains, iter, seed) {
  model <- sub(":.*", "", model)
  method <- as.call(c(quote(method_gibbs), chains = chains + 0, iter = if (!is.na(iter)) iter + 0))
  scale <- if (model %in% c("fit_factor", "fit_gaussian")) list(scale = TRUE)
  given <- if (model == "fit_topics") quote(as.matrix(data)) else quote(data)
  bquote(fit <- .(as.call(c(as.name(model), given, scale, method = method, seed = seed + 0))))
}

longer_call <- function(fit) bquote(fit <- update(fit, iter = .(2 * fit$method$iter)))

# Runs a call in another process, and shows its messages on the page. describe_fit() replaces the
# warning about Rhat.
run_call <- function(call, data, fit) {
  library(buffet)
  options(mc.cores = getOption("mc.cores", max(1L, parallel::detectCores(), na.rm = TRUE)))
  inform <- function(w) {
    if (!inherits(w, "buffet_rhat_warning")) message(conditionMessage(w))
    invokeRestart("muffleWarning")
  }
  tryCatch(withCallingHandlers(eval(call[[3]], list(data = data, fit = fit)), warning = inform),
    error = identity, interrupt = function(i) simpleError("Stopped before the first draw.")
  )
}

elapsed <- function(job) sprintf("%.0f s", as.double(Sys.time() - job$start, "secs"))
describe_fit <- function(fit) {
  rhat <- buffet::glance(fit)$rhat_max
  agree <- if (isTRUE(rhat <= 1.05)) "agree" else "do not agree yet; press Run longer"
  if (buffet::nchains(fit) > 1) sprintf("The chains %s (largest Rhat %.2f).", agree, rhat)
}

plot_types <- function(fit) {
  methods <- lapply(class(fit), utils::getS3method, f = "plot", optional = TRUE)
  types <- eval(formals(Filter(Negate(is.null), methods)[[1]])$type)
  setdiff(types, c("tree", if (buffet::nchains(fit) == 1) "chains"))
}

code_of <- function(code, type) {
  figure <- bquote(plot(fit, .(type)))
  save <- quote(write.csv(features(fit), "features.csv"))
  lines <- c(quote(library(buffet)), code, quote(summary(fit)), figure, save)
  paste(trimws(unlist(lapply(lines, deparse, 80)), "right"), collapse = "\n")
}

data_page <- two_columns(
  tagList(
    fileInput("file", "CSV file", accept = c(".csv", ".tsv", ".txt", "text/csv", "text/plain")),
    selectInput("example", "or an example", c(names(examples), none = ""), selectize = FALSE),
    div(class = "small mb-3", uiOutput("source")),
    selectInput("columns", "Columns", NULL, multiple = TRUE),
    selectInput("model", "Model", NULL, selectize = FALSE),
    numericInput("iter", "Iterations (empty: automatic)", NA, 10, step = 1000),
    numericInput("chains", "Chains", 4, 1, 8), numericInput("seed", "Seed", 1),
    actionButton("fit", "Fit", class = "btn-primary"), actionButton("stop", "Stop"),
    actionButton("longer", "Run longer"), downloadButton("features_csv", "Features as CSV")
  ),
  div(`aria-live` = "polite", uiOutput("state")),
  tabsetPanel(
    tabPanel("Figures", selectInput("type", "Figure", NULL, selectize = FALSE),
      figure("fit_figure", "520px", "Figure of the fit")
    ),
    tabPanel("Summary", verbatimTextOutput("summary")),
    tabPanel("R code", p("R code for the same fit:"), verbatimTextOutput("code"))
  )
)

data_server <- function(input, output, session) {
  chosen <- reactiveVal(NULL)
  observeEvent(input$example, if (input$example != "") chosen(input$example))
  observeEvent(input$file, {
    chosen(input$file)
    updateSelectInput(session, "example", selected = "")
  })
  source <- reactive({
    from <- req(chosen())
    if (is.list(from)) return(shown(read_file(from$datapath, from$name)))
    list(data = eval(examples[[from]]), code = list(bquote(data <- .(examples[[from]]))))
  })
  output$source <- renderUI(lapply(describe_source(source()), div))
  usable <- reactive(usable_columns(source()$data))
  observe(updateSelectInput(session, "columns", choices = usable(), selected = usable()))
  data <- reactive(source()$data[req(intersect(usable(), input$columns))])
  suitable <- reactive(suitable_models(data()))
  observe(updateSelectInput(session, "model", choices = suitable()))
  # The running `job`, `notes` about it, and the latest `fit` with its `code`.
  state <- reactiveValues(notes = "Upload a CSV file or choose an example, then press Fit.")
  run_jobs(input, session, state, source, data, suitable)
  output$state <- renderUI({
    if (!is.null(state$job)) invalidateLater(1000)
    lapply(c(if (!is.null(state$job)) paste("Running for", elapsed(state$job)), state$notes), p)
  })
  fit <- reactive(req(state$fit))
  types <- reactive(plot_types(fit()))
  observe(updateSelectInput(session, "type", choices = types()))
  # Until the browser has responded, input$type refers to the previous fit.
  type <- reactive(c(intersect(input$type, types()), types())[1])
  show("fit_figure", \() print(plot(fit(), type())))
  output$summary <- renderPrint(summary(fit()))
  output$code <- renderText(code_of(state$code, req(type())))
  save <- function(file) write.csv(buffet::features(fit()), file)
  output$features_csv <- downloadHandler("features.csv", save)
}

run_jobs <- function(input, session, state, source, data, suitable) {
  can <- reactive({
    ready <- tryCatch(isTRUE(input$model %in% suitable()), error = function(e) FALSE)
    free <- is.null(state$job)
    fitted <- !is.null(state$fit)
    c(fit = ready && free, stop = !free, longer = fitted && free, features_csv = fitted,
      fit_figure_png = fitted)
  })
  observe(session$sendCustomMessage("enable", as.list(can())))
  start <- function(call, code, data = NULL, fit = NULL) {
    req(is.null(state$job))
    process <- callr::r_bg(run_call, list(call, data, fit), stderr = "|", supervise = TRUE)
    state$notes <- NULL
    state$job <- list(process = process, start = Sys.time(), code = c(code, call))
  }
  observeEvent(input$fit, {
    req(can()[["fit"]])
    select <- bquote(data <- data[.(as.call(c(quote(c), names(data()))))])
    if (ncol(data()) == ncol(source()$data)) select <- NULL
    call <- fit_call(input$model, input$chains, input$iter, input$seed)
    start(call, c(source()$code, select), data())
  })
  observeEvent(input$longer, start(longer_call(state$fit), state$code, fit = state$fit))
  # An interrupt returns the draws so far. A process that does not respond is killed.
  observeEvent(input$stop, {
    process <- req(state$job)$process
    process$interrupt()
    process$wait(3000)
    if (process$is_alive()) process$kill()
  })
  session$onSessionEnded(function() isolate(if (!is.null(state$job)) state$job$process$kill()))
  observe({
    job <- req(state$job)
    runs <- job$process$is_alive()
    note <- function(text) state$notes <- c(isolate(state$notes), text)
    note(tryCatch(job$process$read_error_lines(), error = \(e) NULL)) # file of a killed process
    if (runs) return(invalidateLater(250, session))
    fit <- tryCatch(job$process$get_result(), error = identity)
    state$job <- NULL
    if (inherits(fit, "error")) return(note(conditionMessage(fit)))
    note(c(paste0("Done in ", elapsed(job), "."), describe_fit(fit)))
    state$fit <- fit
    state$code <- job$code
  })
}

ui <- navbarPage("buffet",
  id = "tab", lang = "en", collapsible = TRUE, windowTitle = "buffet: a demonstration",
  theme = bslib::bs_theme(version = 5, primary = blue),
  header = tagList(tags$style(HTML(css)), tags$script(HTML(script))),
  tabPanel("Your data", data_page), tabPanel("Draw", draw_page), tabPanel("Watch", watch_page)
)

server <- function(input, output, session) {
  for (part in c(data_server, draw_server, watch_server)) part(input, output, session)
}

shinyApp(ui, server)
