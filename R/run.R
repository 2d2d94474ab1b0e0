# Runs, from their starts or from saved states.

# starts: From check_starts(), recycled over chains.
# control: list(seed, search, ...): the seed, or NULL for one drawn from R's generator, and whether
#   chains search for a start.
new_run <- function(method, model, starts, control) {
  bare <- is_bare(method, model)
  list(
    model = model, method = method, planned = method, starts = starts, seed = control$seed,
    cl = control$cl, search = isTRUE(control$search) && !bare, bare = bare,
    regroup = isTRUE(method$restart_stuck) && isTRUE(control$own_starts) && !bare
  )
}

run_to_end <- function(run, core, file = NULL, verbose = TRUE, chains = NULL) {
  opened <- open_run(run, file, chains)
  report <- reporter(run$method, verbose)
  advance(opened$run, opened$chains, core, file, report)
}

# Adds the seed and, with a file, the key of the run, and reads saved chains
# chains: Earlier results of each chain, or NULL.

open_run <- function(run, file = NULL, chains = NULL) {
  run$key <- if (!is.null(file)) run_key(run, chains)
  checkpoint <- open_checkpoint(file, run)
  # A beam search is deterministic and does not advance R's generator.
  run$seed <- checkpoint$seed %||% run$seed %||%
    if (inherits(run$method, "method_beam")) 1L else sample.int(.Machine$integer.max, 1)
  further <- (checkpoint$doublings %||% 0L) - (run$method$doublings %||% 0L)
  for (n in seq_len(max(0L, further))) run$method <- double_length(run$method)
  chains <- checkpoint$chains %||% chains %||% rep(list(NULL), run$method$chains %||% 1L)
  list(run = run, chains = chains)
}

# Runs the core to its end, or until interrupted
# run,chains: From open_run().
# core: Function of the run, its plan and list(stop, report, save, seconds): callbacks, and the time
# between saves.
# report: From reporter().
# Returns list(result, chains, seed, file, run): the result of the core, and the chains joined with
# their earlier results.
advance <- function(run, chains, core, file, report) {
  seconds <- if (is.null(file)) 5 else checkpoint_seconds()
  store <- new_store(file, run, chains)
  save <- if (!is.null(file)) function(left) store$save(chains_left(run$method, left))
  watch <- list(stop = is_interrupted, report = report, save = save, seconds = seconds)
  # An interrupt while R saves or collects garbage would abandon threads of the core, so interrupts
  # wait until the core polls for them.
  result <- suspendInterrupts(core(run, run_plan(run$method, run, chains), watch))
  if (!is.null(save)) save(result)
  list(
    result = result, chains = join_chains(chains, chains_left(run$method, result)),
    seed = run$seed, file = if (store$intact()) file, run = run
  )
}

run_plan <- function(method, run, chains) UseMethod("run_plan")

#' @exportS3Method
run_plan.method_gibbs <- function(method, run, chains) {
  c(unclass(method)[c("iter", "thin")], list(
    # If the last draws of a warm-up are kept, search and restarts still refer to all of it.
    warmup = run$warmup %||% method$warmup, keep_after = method$warmup,
    # More threads than chains are useless.
    cores = min(method$cores %||% 1L, length(chains), 256L), seed = run$seed, search = run$search,
    regroup = run$regroup, bare = run$bare, until = "end", numbers = seq_along(chains) - 1L,
    init = rep_len(run$starts, length(chains)),
    states = lapply(chains, `[[`, "state")
  ))
}

#' @exportS3Method
run_plan.method_point <- function(method, run, chains) {
  start <- run$starts[[1]]
  c(unclass(method), list(
    seed = run$seed, features = start$features, sigma = start$values[c("sigma_x", "sigma_a")],
    state = chains[[1]]$state
  ))
}

# The results of the core to be stored for each chain; an optimisation in progress has only a state
chains_left <- function(method, left) {
  if (samples(method)) return(left)
  list(list(state = if (is.list(left)) left$state else left, failure = ""))
}

# Runs the chains here, on the workers of a cluster, or in futures
run_sweeps <- function(run, plan, watch) {
  if (!is.null(run$cl)) {
    spec <- gaussian_spec(run$model, run$method)
    work <- list(data = run$model$data, model = spec, plan = plan)
    join <- new_chains_joiner(length(plan$numbers))
    return(run_on_cluster(shared_gibbs_member_cpp, work, join, watch, run$cl))
  }
  sweep <- if (uses_plan(run$method)) sweep_in_futures else sweep_chains
  sweep(run$model, run$method, plan, watch)
}

# True after an interrupt; sleeping checks for one
is_interrupted <- function() {
  tryCatch(
    {
      allowInterrupts(Sys.sleep(0))
      FALSE
    },
    interrupt = function(i) TRUE
  )
}

join_chains <- function(old, new) {
  Map(function(before, after) {
    if (is.null(before)) return(after)
    list(
      scalars = join_scalars(before$scalars, after$scalars), sizes = c(before$sizes, after$sizes),
      bits = c(before$bits, after$bits), loadings = c(before$loadings, after$loadings),
      bytes = c(before$bytes, after$bytes),
      byte_counts = c(before$byte_counts, after$byte_counts),
      state = after$state, failure = after$failure, regrouped = after$regrouped
    )
  }, old, new)
}

# A damaged state may have other scalars
join_scalars <- function(before, after) {
  # Without draws there are no names.
  same <- if (length(before) == 0 || length(after) == 0) nrow else rownames
  known <- is.null(before) || is.null(after) || identical(same(before), same(after))
  if (!known) {
    abort("the saved state is damaged in `scalars`.")
  }
  cbind(before, after)
}

# A function to which chains report their numbers of sweeps
# Shows one progress bar over all chains, with the time left, or has progressr show it where that
# has handlers.
progress_reporter <- function(method, verbose, env) {
  refresh <- method$refresh %||% max(1, method$iter %/% 100)
  if (!verbose || refresh == 0) return(function(done) NULL)
  if (!shows_bars() && !progressr_listens()) return(function(done) NULL)
  before <- sweeps_before(method)
  total <- method$chains * method$iter - before
  show <- if (progressr_listens()) progressr_shower(total, env) else bar_shower(total, env)
  shown <- 0
  function(done) {
    done <- sum(done) - before
    if (done - shown >= refresh || (done == total && shown < total)) {
      shown <<- done
      show(done)
    }
  }
}

sweeps_before <- function(method) {
  if (isTRUE(method$doublings > 0)) method$chains * (method$warmup %/% 2L) else 0
}

bar_shower <- function(total, env) {
  bar <- cli::cli_progress_bar(
    format = paste(
      "{cli::pb_bar} {cli::pb_percent} | {cli::pb_current}/{cli::pb_total} sweeps",
      "| time left {cli::pb_eta}"
    ),
    total = total, clear = FALSE, auto_terminate = FALSE, .envir = env
  )
  function(done) cli::cli_progress_update(set = done, id = bar, .envir = env)
}

progressr_shower <- function(total, env) {
  progress <- progressr::progressor(total, envir = env)
  shown <- 0
  function(done) {
    progress(amount = done - shown)
    shown <<- done
  }
}

# True in a terminal, not in logs and documents
shows_bars <- function() {
  !isTRUE(getOption("knitr.in.progress")) && isTRUE(cli::is_dynamic_tty())
}

# A function that counts processed draws, with a bar after two seconds
draws_ticker <- function(total, env = parent.frame()) {
  if (total < 2 || !shows_bars()) return(function(n = 1) NULL)
  bar <- cli::cli_progress_bar(
    format = "{cli::pb_bar} {cli::pb_percent} of the draws | time left {cli::pb_eta}",
    total = total, .envir = env
  )
  function(n = 1) cli::cli_progress_update(inc = n, id = bar, .envir = env)
}

# True if progressr has handlers, global or by with_progress()
progressr_listens <- function() {
  if (!isNamespaceLoaded("progressr")) return(FALSE)
  is_listening <- function(n) identical(sys.function(n), progressr::with_progress)
  isTRUE(progressr::handlers(global = NA)) || any(vapply(seq_len(sys.nframe()), is_listening, NA))
}

# A function that the core calls with its progress, which is shown if `verbose`. The number of steps
# of an optimisation is unknown, so its bar shows the step and the time, ten times a second.
reporter <- function(method, verbose, env = parent.frame()) {
  if (samples(method)) return(progress_reporter(method, verbose, env))
  if (!verbose || !shows_bars()) return(function(...) NULL)
  bar <- cli::cli_progress_bar(
    format = "{cli::pb_spin} {cli::pb_extra$where} [{cli::pb_elapsed}]", clear = FALSE,
    auto_terminate = FALSE, extra = list(where = ""), .envir = env
  )
  shown <- -Inf
  function(at) {
    now <- seconds_now()
    if (now < shown + 0.1) return(NULL)
    shown <<- now
    where <- describe_step(method, at)
    cli::cli_progress_update(extra = list(where = where), id = bar, .envir = env)
  }
}

# at: What the core reports: list(done: its steps, ...).
describe_step <- function(method, at) {
  if (inherits(method, "method_icm")) {
    return(sprintf("iteration %d: log joint density %.1f", at$done, at$log_joint))
  }
  sprintf(
    "step %d%s: %d features, bound %.1f", at$done,
    if (at$all_rows) "" else " (on some of the rows)", at$features, at$bound
  )
}

seconds_now <- function() proc.time()[["elapsed"]]
