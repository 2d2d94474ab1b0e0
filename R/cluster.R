#' Run fits on several processes or machines
#'
#' Chains can run in other processes and on other machines, according to [future::plan()]. If data
#' are too large for one process, the workers of a cluster (`cl` of [fit_gaussian()]) can share the
#' rows. This works with [method_meibp()] (but not `update = "row"`), [method_variational()],
#' [method_power_ep()] and the sampler `"parallel"` of [method_gibbs()], but not with other methods,
#' samplers and models.
#'
#' The draws are identical to the last bit with any plan and with any cluster or none: they depend
#' only on the data, the method and the seed. All processes must use the same version of buffet, and
#' processors and libraries that round identically.
#'
#' ## Chains in futures
#' Chains usually run in this process, in as many threads as `cores` of [method_gibbs()]. If the
#' package future is loaded, its plan has workers and `cores` is 1, each chain runs to its end in
#' one future. Chains that are compared during the warm-up return once and are sent out again, as
#' are chains whose warm-up is extended.
#'
#' You control the plan: buffet neither sets nor repairs it. If a worker dies, an error names its
#' chain and quotes the message from future. If `file` was given, the error is raised once the other
#' running chains have returned. The same call with the same `file` then reruns the missing chains
#' from the state in which they were sent to workers, and returns the same fit under this plan,
#' another plan or none. After an interrupt, there is a warning, and the fit contains the chains
#' that have returned draws. Futures that are still running are cancelled if the installed version
#' of future can do that; with older versions they run to the end.
#'
#' ## Rows on workers
#' `cl` can be any cluster that the functions of the package parallel accept, including MPI clusters
#' and clusters from `mirai::make_cluster()`. The rows are sent once, or read by the workers
#' themselves if `x` is [row_blocks()], and stay on the workers, together with their part of Z. In
#' every iteration or sweep the workers exchange sums over their rows, of D x K and K x K numbers.
#' These sums are computed over fixed blocks in a fixed, tree-shaped order. Data in memory have
#' blocks of 4096 rows, or more if there are millions of rows. Blocks are not split; a message
#' reports workers that get none. The chains of [method_gibbs()] take turns, one sweep each, and
#' `cores` has no effect. Draws of Z are sent back every five seconds, so this process needs memory
#' for the whole fit, N x K bits per draw. `cores` of other methods applies to each worker.
#'
#' If a worker dies, an error names it. If `file` was given, the same call with the same `file`
#' resumes the run, with the remaining workers (`cl[-2]` if the second died), a new cluster or none,
#' and returns the same fit. An interrupt takes effect at the end of the current exchange and
#' returns the fit so far. If a worker hangs, the fit waits indefinitely.
#'
#' `vignette("beyond-one-machine")` has examples, and explains how to make exchanges fast.
#'
#' @examplesIf requireNamespace("parallelly", quietly = TRUE)
#' \donttest{
#' cl <- parallelly::makeClusterPSOCK(2)
#' x <- sim_images(9000)
#' fit <- fit_gaussian(x, "nonnegative", method = method_meibp(10), seed = 1, cl = cl)
#' parallel::stopCluster(cl)
#' here <- fit_gaussian(x, "nonnegative", method = method_meibp(10), seed = 1)
#' identical(fit$draws, here$draws)
#' }
#' @name distributed
NULL

# Fits whose rows are divided among the workers of a cluster. Every worker runs the same program of
# the core on its own rows. When the program needs a sum over all rows, it stops with a request.
# This process collects the requests of all workers and sends the reply. It uses only public
# functions of parallel.

# Checks that `cl` is a parallel cluster, and that the method can divide rows among workers
check_cluster <- function(cl, method) {
  if (!inherits(cl, "cluster")) {
    stop_argument("cl", "be a cluster, as made by parallel::makeCluster()", cl)
  }
  if (length(cl) == 0) stop_argument("cl", "have at least one worker", was = "none")
  shares_rows <- inherits(method, "method_soft") || identical(method$update, "sweep") ||
    identical(method$sampler, "parallel")
  if (!shares_rows) {
    must <- paste(
      "be NULL unless `method` is method_meibp(), method_variational(), method_power_ep() or",
      "method_gibbs() with the sampler \"parallel\""
    )
    kind <- if (inherits(method, "method_meibp")) " for update = \"row\"" else ""
    stop_argument("cl", must, was = paste0("a cluster", kind))
  }
  if (anyDuplicated(unclass(cl)) > 0) {
    stop_argument("cl", "contain each worker once", was = "one of them twice")
  }
  cl
}

# Runs a core program on all rows, in this process or on the workers of a cluster.
# alone: Core function that runs the program in one process.
# member: Core function that opens a worker of a cluster.
# work: The arguments of these functions, list(data, model, plan).
# watch: See advance().
run_on_rows <- function(alone, member, work, watch, cl) {
  if (is.null(cl)) return(alone(core_data(work$data), work$model, work$plan, watch))
  run_on_cluster(member, work, join_point, watch, cl)
}

# open: Core function that opens a worker.
# join: Function of the parts from all workers and of their numbers of rows. It returns what a
# single process would have returned.
run_on_cluster <- function(open, work, join, watch, cl) {
  resumes <- !is.null(watch$save)
  # While R waits for a socket, it allows interrupts, even suspended ones, which would leave unread
  # answers in the connections. Interrupts are therefore held back, except for a moment in
  # is_stopped().
  hold_interrupts_cpp(TRUE, forget = FALSE)
  on.exit(hold_interrupts_cpp(FALSE, forget = FALSE))
  is_stopped <- function() {
    hold_interrupts_cpp(FALSE, forget = FALSE)
    hold_interrupts_cpp(TRUE, forget = FALSE)
    watch$stop()
  }
  stopped <- is_stopped()
  check_versions(cl, resumes)
  shares <- shares_of(work$data, length(cl))
  blocks <- length(shares)
  idle <- length(cl) - blocks
  if (idle > 0) {
    message(sprintf(
      "%d of the %d workers of `cl` %s nothing to do: the rows form %s, and blocks are not split.",
      idle, length(cl), if (idle == 1) "has" else "have",
      if (blocks == 1) "one block" else paste(blocks, "blocks")
    ))
  }
  cl <- cl[seq_along(shares)]
  on.exit(settle(cl, close_member), add = TRUE, after = FALSE)
  answers <- exchange(cl, open_member, lapply(shares, function(share) {
    list(open = open, x = share$x, model = work$model, plan = work$plan, share = share$share)
  }), resumes)
  rows <- vapply(shares, `[[`, 1L, "rows")
  saved <- proc.time()[["elapsed"]]
  repeat {
    if (!is.null(answers[[1]]$status)) watch$report(answers[[1]]$status)
    stopped <- stopped || is_stopped()
    due <- proc.time()[["elapsed"]] > saved + watch$seconds
    reply <- member_reply_cpp(lapply(answers, `[[`, "request"), due, stopped)
    if (is.null(reply) || !is.null(answers[[1]]$left)) {
      left <- join(lapply(answers, `[[`, "left"), rows)
      if (is.null(reply)) return(left)
      if (resumes) watch$save(left)
      saved <- proc.time()[["elapsed"]]
    }
    answers <- exchange(cl, ask_member, rep(list(reply), length(cl)), resumes)
  }
}

# Calls a function on every worker and waits for all answers. `resumes` is true if the run has a
# file.
exchange <- function(cl, fun, args, resumes) {
  answers <- tryCatch(parallel::clusterApply(cl, args, fun), error = function(e) {
    dead <- settle(cl, identity)
    if (length(dead) == 0) abort(conditionMessage(e))
    numbers <- paste(dead, collapse = ", ")
    one <- length(dead) == 1
    who <- sprintf(if (one) "worker %s of `cl` has" else "workers %s of `cl` have", numbers)
    rest <- sprintf(if (one) "`cl[-%s]` or " else "`cl[-c(%s)]` or ", numbers)
    how <- if (resumes) {
      paste0(
        "the same call with the same `file` and ", if (length(dead) < length(cl)) rest,
        "a new cluster resumes the run."
      )
    } else {
      "give a `file` so that such a run can be resumed."
    }
    abort(who, " died or been stopped: ", how)
  })
  failed <- which(vapply(answers, inherits, NA, "error"))[1]
  if (is.na(failed)) return(answers)
  what <- conditionMessage(answers[[failed]])
  abort(sprintf("worker %d of `cl` failed: %s", failed, what))
}

check_versions <- function(cl, resumes) {
  arguments <- alist(ignored =) # nolint: infix_spaces_linter. It has no default.
  find_version <- as.function(c(arguments, list(version_there)), envir = baseenv())
  found <- unlist(exchange(cl, find_version, rep(list(NULL), length(cl)), resumes))
  wrong <- which(found != own_version())[1]
  if (is.na(wrong)) return(invisible())
  was <- if (found[wrong] == "none") "none in its library" else paste("buffet", found[wrong])
  was <- sprintf("worker %d, which has %s", wrong, was)
  stop_argument("cl", paste("be workers with buffet", own_version()), was = was)
}

# Collects the outstanding answers of workers, and returns the numbers of workers that have died
# fun: A function that is called on the workers and returns its argument.
settle <- function(cl, fun) {
  token <- basename(tempfile("token"))
  is_dead <- function(n) {
    tryCatch(
      {
        answer <- parallel::clusterCall(cl[n], fun, token)[[1]]
        # If a call failed on another worker, the answer received first is an old one that was left
        # unread.
        if (!identical(answer, token)) unserialize(cl[[n]]$con)
        FALSE
      },
      error = function(e) TRUE
    )
  }
  which(vapply(seq_along(cl), is_dead, NA))
}

# Returns list(x, share, rows) for each worker: its rows, what the core must know about them, and
# their number. If there are fewer blocks than workers, some workers get none and are left out.
shares_of <- function(data, workers) {
  x <- centred(data)
  if (is_in_blocks(x)) {
    sizes <- x$sizes
  } else {
    size <- block_rows_cpp(nrow(x))
    blocks <- ceiling(nrow(x) / size)
    sizes <- c(rep(size, blocks - 1L), nrow(x) - (blocks - 1L) * size)
  }
  workers <- min(workers, length(sizes))
  ends <- round(length(sizes) * seq_len(workers) / workers)
  Map(function(from, to, member) {
    own <- (from + 1):to
    rows <- sum(sizes[own])
    if (is_in_blocks(x)) {
      part <- x
      part$own <- own
      part["row_names"] <- list(NULL)
    } else {
      part <- x[sum(sizes[seq_len(from)]) + seq_len(rows), , drop = FALSE]
    }
    list(
      x = part, rows = as.integer(rows),
      share = list(
        members = workers, member = member, rows = sum(sizes), first_block = as.integer(from),
        block_rows = sizes[1]
      )
    )
  }, c(0L, ends[-workers]), ends, seq_len(workers) - 1L)
}

# Joins the parts of all workers. Intermediate states already cover all rows. In the final result,
# matrices with one row per row of the data come in parts.
join_point <- function(parts, rows) {
  whole <- parts[[1]]
  for (name in intersect(c("features", "probabilities"), names(whole))) {
    whole[[name]] <- unname(do.call(rbind, lapply(parts, `[[`, name)))
  }
  whole
}

# Returns a function that joins the bits of chains. Each save passes only the new bits to it.
new_chains_joiner <- function(chains) {
  so_far <- vector("list", chains)
  function(parts, rows) {
    new <- lapply(seq_len(chains), function(c) {
      chain <- parts[[1]][[c]]
      chain$bits <- join_rows_cpp(lapply(parts, function(part) part[[c]]$bits), rows, chain$sizes)
      chain
    })
    so_far <<- join_chains(so_far, new)
  }
}

# The core worker that is open in this process, if any
member <- new.env(parent = emptyenv())

# Opens a core worker in this process, which reads its rows, and returns its first request.
# From now on, interrupts are suspended, because an interrupt would lose the answer. A terminal
# sends interrupts to the workers as well.
open_member <- function(work) {
  close_member()
  hold_interrupts_cpp(TRUE, forget = FALSE)
  or_condition({
    member$it <- work$open(core_data(list(x = work$x)), work$model, work$plan, work$share)
    member_request_cpp(member$it, raw())
  })
}

# Returns the next request of the worker, given the reply to its last one
ask_member <- function(reply) or_condition(member_request_cpp(member$it, reply))

# Returns errors as answers, because all workers must answer
or_condition <- function(code) tryCatch(code, error = function(e) simpleError(conditionMessage(e)))

# Closes the core worker that is open in this process, if any
close_member <- function(token = NULL) {
  if (!is.null(member$it)) close_member_cpp(member$it)
  member$it <- NULL
  hold_interrupts_cpp(FALSE, forget = TRUE)
  token
}
