# Runs that begin at starting points or continue from saved states.

# starts: The result of check_starts(), recycled over chains.
# control: list(seed, search, ...): the seed, or NULL to draw it from R's generator, and whether
# chains search for a start.
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

# Adds the seed to the run and, if there is a file, its key, and reads the chains saved in the file
# chains: Earlier results of each chain, or NULL.
open_run <- function(run, file = NULL, chains = NULL) {
  saved <- NULL
  if (!is.null(file)) {
    run$key <- run_key(run, chains)
    if (file.exists(file)) {
      saved <- read_checkpoint(file)
      check_same_run(saved, run)
    }
  }
  # A beam search is deterministic, and must not advance R's generator.
  run$seed <- saved$seed %||% run$seed %||%
    if (inherits(run$method, "method_beam")) 1L else sample.int(.Machine$integer.max, 1)
  further <- (saved$doublings %||% 0L) - (run$method$doublings %||% 0L)
  for (n in seq_len(max(0L, further))) run$method <- double_length(run$method)
  chains <- saved$chains %||% chains %||% rep(list(NULL), run$method$chains %||% 1L)
  list(run = run, chains = chains)
}

# Runs the core until it ends or is interrupted
# run,chains: The results of open_run().
# core: Function of the run, its plan and list(stop, report, save, seconds), which has callbacks and
# the time between saves.
# report: The result of reporter().
# Returns list(result, chains, seed, file, run): the result of the core, and the chains joined with
# their earlier results.
advance <- function(run, chains, core, file, report) {
  saved <- chains
  failure <- NULL
  join <- function(left) {
    # An optimisation that has not ended has only a state.
    if (!samples(run$method)) {
      left <- list(list(state = if (is.list(left)) left$state else left, failure = ""))
    }
    join_chains(chains, left)
  }
  # Chains that failed or were stopped within a sweep have no state from which to resume, so their
  # previous results stay in the file. A warning is given only when saving first fails.
  save <- function(left) {
    now <- join(left)
    usable <- vapply(now, function(chain) length(chain$state) > 0, NA)
    saved[usable] <<- now[usable]
    before <- failure
    failure <<- write_checkpoint(file, list(
      key = run$key, seed = run$seed, doublings = run$method$doublings, chains = saved
    ))
    if (is.null(before) && !is.null(failure)) {
      warning("the run could not be saved: ", failure, call. = FALSE)
    }
  }
  watch <- list(stop = is_interrupted, report = report, save = NULL, seconds = 5)
  if (!is.null(file)) {
    seconds <- getOption("buffet.checkpoint_seconds", 5)
    watch$seconds <- check_positive(seconds, "options(buffet.checkpoint_seconds = )")
    watch$save <- save
  }
  # An interrupt while R saves or collects garbage would leave threads of the core running, so
  # interrupts are suspended until the core polls for them.
  result <- suspendInterrupts(core(run, run_plan(run, chains), watch))
  if (!is.null(file)) save(result)
  list(
    result = result, chains = join(result), seed = run$seed, file = if (is.null(failure)) file,
    run = run
  )
}

# The parts of a method and a run that the core needs, as a list
run_plan <- function(run, chains) {
  method <- run$method
  # More threads than chains, or more than 256, bring no benefit.
  if (!is.null(method$cores)) method$cores <- min(method$cores, 256L)
  if (!samples(method)) {
    start <- run$starts[[1]]
    return(c(unclass(method), list(
      seed = run$seed, init = start, features = start$features,
      sigma = start$values[c("sigma_x", "sigma_a")], state = chains[[1]]$state
    )))
  }
  c(unclass(method)[c("iter", "thin")], list(
    # Search and restarts depend on the whole warm-up, even if only its last draws are kept.
    warmup = run$warmup %||% method$warmup, keep_after = method$warmup,
    cores = min(method$cores %||% 1L, length(chains)), seed = run$seed, search = run$search,
    regroup = run$regroup, bare = run$bare, until = "end", numbers = seq_along(chains) - 1L,
    init = rep_len(run$starts, length(chains)),
    states = lapply(chains, `[[`, "state")
  ))
}

# Runs the chains in this process, on the workers of a cluster, or in futures
run_sweeps <- function(run, plan, watch) {
  if (!is.null(run$cl)) {
    spec <- gaussian_spec(run$model, run$method)
    work <- list(data = run$model$data, model = spec, plan = plan)
    join <- new_chains_joiner(length(plan$numbers))
    return(run_on_cluster(shared_gibbs_member_cpp, work, join, watch, run$cl))
  }
  # A plan can have been set only if the namespace of future is loaded.
  in_futures <- isNamespaceLoaded("future") && (run$method$cores %||% 1L) <= 1 &&
    (future::nbrOfWorkers() > 1 || future::nbrOfFreeWorkers(background = TRUE) > 0)
  sweep <- if (in_futures) sweep_in_futures else sweep_chains
  sweep(run$model, run$method, plan, watch)
}

# True after an interrupt, which is detected by sleeping
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
    scalars <- Filter(Negate(is.null), list(before$scalars, after$scalars))
    # A corrupted state may have different scalars. Without draws, scalars have no names, only a
    # count.
    same <- if (all(lengths(scalars) > 0)) rownames else nrow
    if (length(unique(lapply(scalars, same))) > 1) abort("the saved state is damaged in `scalars`.")
    list(
      scalars = do.call(cbind, scalars), sizes = c(before$sizes, after$sizes),
      bits = c(before$bits, after$bits), loadings = c(before$loadings, after$loadings),
      bytes = c(before$bytes, after$bytes),
      byte_counts = c(before$byte_counts, after$byte_counts),
      state = after$state, failure = after$failure, regrouped = after$regrouped,
      moves = after$moves
    )
  }, old, new)
}

# True in a terminal, but not in logs and documents
shows_bars <- function() !isTRUE(getOption("knitr.in.progress")) && isTRUE(cli::is_dynamic_tty())

# Returns a function that counts processed draws, with a progress bar after two seconds
draws_ticker <- function(total, env = parent.frame()) {
  if (total < 2 || !shows_bars()) return(function(n = 1) NULL)
  bar <- cli::cli_progress_bar(
    format = "{cli::pb_bar} {cli::pb_percent} of the draws | time left {cli::pb_eta}",
    total = total, .envir = env
  )
  function(n = 1) cli::cli_progress_update(inc = n, id = bar, .envir = env)
}

# True if progressr has a handler, either global or set by with_progress()
progressr_listens <- function() {
  is_listening <- function(n) identical(sys.function(n), progressr::with_progress)
  isTRUE(progressr::handlers(global = NA)) || any(vapply(seq_len(sys.nframe()), is_listening, NA))
}

# Returns a function that the core calls to report its progress. If `verbose`, it shows the sweeps
# of all chains in a single progress bar, with the time left. If progressr has handlers, they are
# used instead.
reporter <- function(method, verbose, env = parent.frame()) {
  if (!samples(method)) return(point_reporter(method, verbose, env))
  refresh <- method$refresh %||% max(1, method$iter %/% 100)
  if (!verbose || refresh == 0) return(function(done) NULL)
  before <- if (isTRUE(method$doublings > 0)) method$chains * (method$warmup %/% 2L) else 0
  total <- method$chains * method$iter - before
  show <- if (isNamespaceLoaded("progressr") && progressr_listens()) {
    progress <- progressr::progressor(total, envir = env)
    function(done) progress(amount = done - shown)
  } else if (shows_bars()) {
    bar <- cli::cli_progress_bar(
      format = paste(
        "{cli::pb_bar} {cli::pb_percent} | {cli::pb_current}/{cli::pb_total} sweeps",
        "| time left {cli::pb_eta}"
      ),
      total = total, clear = FALSE, auto_terminate = FALSE, .envir = env
    )
    function(done) cli::cli_progress_update(set = done, id = bar, .envir = env)
  }
  if (is.null(show)) return(function(done) NULL)
  shown <- 0
  function(done) {
    done <- sum(done) - before
    if (done - shown >= refresh || (done == total && shown < total)) {
      show(done)
      shown <<- done
    }
  }
}

# The number of steps of an optimisation is unknown, so its progress bar shows the step and the
# time, and is updated ten times a second.
point_reporter <- function(method, verbose, env) {
  if (!verbose || !shows_bars()) return(function(at) NULL)
  bar <- cli::cli_progress_bar(
    format = "{cli::pb_spin} {cli::pb_extra$where} [{cli::pb_elapsed}]", clear = FALSE,
    auto_terminate = FALSE, extra = list(where = ""), .envir = env
  )
  last <- -Inf
  function(at) {
    now <- proc.time()[["elapsed"]]
    if (now < last + 0.1) return(NULL)
    last <<- now
    part <- if (isFALSE(at$all_rows)) " (on some of the rows)" else ""
    features <- if (!is.null(at$features)) sprintf(" %d features,", at$features)
    value <- at$bound %||% at$log_joint
    name <- if (is.null(at$bound)) "log joint density" else "bound"
    where <- sprintf("step %d%s:%s %s %.1f", at$done, part, features %||% "", name, value)
    cli::cli_progress_update(extra = list(where = where), id = bar, .envir = env)
  }
}
