#' Beyond one machine
#'
#' Chains can run in other processes and on other machines, wherever [future::plan()] says. Rows of
#' data too large for one process can be shared among the workers of a cluster.
#'
#' | | what is distributed | how |
#' |---|---|---|
#' | [method_gibbs()], every `fit_*()` | chains | `future::plan()` |
#' | [method_meibp()] | rows | `cl` of [fit_gaussian()] |
#' | [method_variational()], [method_power_ep()] | rows | `cl` of [fit_gaussian()] |
#' | [method_gibbs()] with the sampler `"parallel"` | rows | `cl` of [fit_gaussian()] |
#' | [method_beam()], [method_icm()] | nothing | |
#'
#' Other samplers and models cannot share rows. The samplers `"collapsed"`, `"uncollapsed"` and
#' `"slice"` of [fit_gaussian()] visit the rows one at a time, and each draw depends on those
#' made for the rows before it. In [fit_logistic()] every column would need a K x K sum of its own
#' over all rows; in [fit_topics()] the counts of words that all documents share change with every
#' word that is drawn.
#'
#' @details
#' ## Chains in futures
#' Chains usually run in threads of this process, as many as `cores` of [method_gibbs()]. If the
#' package future is loaded and its plan has workers (`multisession`, `cluster`, or a plan of
#' future.callr, future.batchtools or a similar package), chains run there instead:
#'
#' ```
#' future::plan(future::cluster, workers = c("one", "two", "two", "three"))
#' fit <- fit_gaussian(x, method = method_gibbs(chains = 8))
#' ```
#'
#' This holds for the chains of every `fit_*()` function with [method_gibbs()], for
#' [update()][update.fit_mcmc], and for runs that are extended because chains do not agree. Methods
#' of optimisation do not use the plan. The workers must have the same version of buffet; for a
#' `cluster` that you create yourself, set their library path with `rscript_libs`. If `cores` is
#' more than 1, as it is where `options(mc.cores = )` is set, chains stay in this process whatever
#' the plan is.
#'
#' ## What is identical
#' The fit is identical to the last bit, whatever the plan and however often workers fail: it
#' depends only on the data, the method and the seed. Only different compilers or processors may
#' round differently, as they do without a plan.
#'
#' ## Stretches
#' Every chain runs in stretches, each of them one future: the data and the state of the chain are
#' sent to a worker, and its new state and its draws come back. The first stretch takes about a
#' second. Later ones take five seconds, or as many as `options(buffet.checkpoint_seconds = )`
#' says, but at least 20 times as long as sending, queueing and fetching take together, so that
#' these cost at most a twentieth of the time. A stretch always ends with a complete sweep, so it
#' may take longer. The comparison of chains during warm-up (see [method_gibbs()]) takes place in
#' this process. If there are more chains than workers, they take turns. This process writes `file`
#' from what has come back; a run can begin with a plan and be resumed without one, or the other way
#' round.
#'
#' ## When the worker of a chain dies
#' The chain goes on from the last state that came back, on another worker. A multisession plan
#' starts its workers again, as soon as the other stretches have ended; a `cluster` continues with
#' the nodes that are alive. A chain whose worker dies three times in a row, as happens where there
#' is not enough memory, is left out of the fit with a warning. When the plan can no longer run
#' anything, a warning says why, and the result is the fit so far, as after an interrupt. It can be
#' resumed from its `file`, or by [update()][update.fit_mcmc].
#'
#' ## Interrupts and progress
#' An interrupt returns the fit of what has come back, within about a second. Stretches that are
#' running come to their end, and no more are sent. The progress bar advances when a stretch comes
#' back. Within `progressr::with_progress()`, or after `progressr::handlers(global = TRUE)`, the
#' handlers of progressr show it instead, with or without a plan.
#'
#' ## Rows on workers
#' `cl` is a cluster of the package parallel, made of sockets or of forks, or an MPI cluster of the
#' package snow. Every worker must have the same version of buffet.
#'
#' ```
#' cl <- parallelly::makeClusterPSOCK(c("one", "one", "two"), useXDR = FALSE)
#' fit <- fit_gaussian(x, "nonnegative", method = method_meibp(), cl = cl)
#' parallel::stopCluster(cl)
#' ```
#'
#' The rows are sent once, or read by the workers themselves if `x` is [row_blocks()]. They stay
#' with the workers for the whole fit, together with their part of Z. Every worker runs the same
#' program on its own rows, and asks this process for whatever depends on all rows. In an iteration
#' it sends and receives sums of D x K and K x K numbers. If entries are missing, it also exchanges
#' K x K numbers for each group of columns that are missing in the same rows.
#'
#' Sums are taken over fixed blocks of rows and in a fixed, tree-shaped order, whatever the number
#' of workers. That is why any number of workers, and none, give the same fit to the last bit, as
#' long as the processors and libraries of the workers compute alike; if they do not, the fit stops
#' with an error. Data in memory have blocks of 4096 rows, or more where there are millions of rows.
#' A block is never split, so workers beyond the number of blocks have nothing to do, and a message
#' says so.
#'
#' The chains of [method_gibbs()] take turns, one sweep each, and random numbers belong to rows. A
#' sweep exchanges the same sums, and the few new features that belong to a single row. Draws of Z
#' come back whenever the state is saved. This process must therefore have memory for the whole fit,
#' N x K bits per draw.
#'
#' On Windows, set `options(socketOptions = "no-delay")` before the cluster is made, and on its
#' workers, as clusters made by parallelly do; for [parallel::makeCluster()] add
#' `rscript_args = c("-e", shQuote("options(socketOptions = 'no-delay')"))`. Without this option,
#' Windows delays each message by tens of milliseconds. On other systems the fit itself sets it for
#' the connections of `cl`.
#'
#' The argument `threads` of the method applies to each worker. `cores` of [method_gibbs()] has no
#' effect, because a worker runs its chains in turn.
#'
#' A worker is lost if it dies, or does not answer within `options(buffet.worker_timeout = )`
#' seconds (600 by default, at least 1). A warning says so. The rows are divided anew among the
#' remaining workers, which go on from the state that was saved last, about five seconds of work
#' earlier (`options(buffet.checkpoint_seconds = )`). The fit is the same. If no worker is left, the
#' result is the best point or the draws so far, with a warning, or an error if there is no point or
#' draw yet.
#' The same call with the same `file` goes on from there, with any cluster or none.
#' `parallel::stopCluster(cl)` can fail if a worker has been lost; to stop the remaining workers,
#' use `for (n in seq_along(cl)) try(parallel::stopCluster(cl[n]), silent = TRUE)`.
#'
#' A worker that was lost because it was too slow may still answer. The next fit with `cl` discards
#' this answer, but functions such as [parallel::parLapply()] would take it for the result of their
#' own call, without an error: make a new cluster for them.
#'
#' If a worker has taken at least 10 seconds, and twice as long as the others on average, a message
#' says so, once. An interrupt takes effect when the current step is finished, and returns the fit
#' so far.
#'
#' ## Rows on an MPI cluster
#' `mpirun` starts the script, which finds its workers waiting:
#'
#' ```
#' cl <- snow::makeMPIcluster()
#' fit <- fit_gaussian(x, "nonnegative", method = method_meibp(), cl = cl, file = "fit.rds")
#' snow::stopCluster(cl)
#' Rmpi::mpi.quit()
#' ```
#'
#' This command starts one leading process and eight workers, using the packages snow and Rmpi:
#'
#' ```
#' mpirun -n 9 RMPISNOW -f script.R
#' ```
#'
#' `RMPISNOW` is a script in the folder of snow, `system.file("RMPISNOW", package = "snow")`.
#' Clusters whose workers the script starts itself, `snow::makeMPIcluster(8)`, can share rows as
#' well; but with Open MPI 4.1 the script can hang when such a cluster is stopped or one of its
#' workers dies.
#'
#' An MPI job does not survive the death of one of its processes: `mpirun` ends all of them. Give a
#' `file`, and submit the job again; the number of workers may differ. The timeout applies only to
#' waiting for answers: sending to a suspended worker can block forever. The rows of a worker
#' are sent in one message of at most 2 GB; workers read larger shares themselves ([row_blocks()]).
#' Open MPI may bind each process to one core: if you use `threads`, pass `--bind-to none` to
#' `mpirun`, or tell it how many cores each process may use.
#'
#' @examples
#' if (requireNamespace("future", quietly = TRUE)) {
#'   before <- future::plan(future::multisession, workers = 2)
#'   x <- block_images(30)
#'   fit <- fit_gaussian(x, method = method_gibbs(chains = 2, iter = 100), seed = 1)
#'   future::plan(before)
#'   here <- fit_gaussian(x, method = method_gibbs(chains = 2, iter = 100), seed = 1)
#'   identical(fit, here)
#' }
#'
#' \donttest{
#' cl <- parallel::makeCluster(2)
#' x <- block_images(9000)
#' fit <- fit_gaussian(x, "nonnegative", method = method_meibp(10), seed = 1, cl = cl)
#' parallel::stopCluster(cl)
#' here <- fit_gaussian(x, "nonnegative", method = method_meibp(10), seed = 1)
#' identical(fit, here)
#' }
#' @name distributed
NULL
