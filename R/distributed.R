#' Beyond one machine
#'
#' Chains can run in other processes and on other machines, as [future::plan()] says. If data are
#' too large for one process, the workers of a cluster (`cl` of [fit_gaussian()]) can share the
#' rows. This works with [method_meibp()], [method_variational()], [method_power_ep()] and the
#' sampler `"parallel"` of [method_gibbs()], but not with other methods, samplers and models.
#'
#' @details
#' The draws are identical to the last bit, whatever the plan, with any cluster or none: they depend
#' only on the data, the method and the seed. All processes must have the same version of buffet,
#' and processors and libraries that round identically.
#'
#' ## Chains in futures
#' Chains usually run in threads of this process, as many as `cores` of [method_gibbs()]. If the
#' package future is loaded, its plan has workers and `cores` is 1, they run on these workers
#' instead:
#'
#' ```
#' future::plan(future::cluster, workers = c("one", "two", "two", "three"))
#' fit <- fit_gaussian(x, method = method_gibbs(chains = 8))
#' ```
#'
#' Each chain is one future, which runs it to its end. Chains that are compared come back once
#' during the warm-up and are sent out again, as are chains whose warm-up is extended. There are at
#' most as many futures at a time as the plan has workers. The progress bar moves when a chain comes
#' back.
#'
#' The plan is yours: it is neither set nor repaired. If a worker dies, an error names its chain and
#' quotes the message from future. If `file` was given, the error is raised once the other running
#' chains have come back. This process writes `file`, which contains every chain that has come back.
#' The same call with the same `file` runs the others again from where they were sent out and gives
#' the identical fit, with this plan, another or none. If a worker dies or this process ends, what
#' has been computed since a chain was sent out is lost.
#'
#' After an interrupt, a warning is given and the fit has the chains that have come back with draws.
#' Futures that are still running are cancelled if the installed version of future can do that. With
#' older versions they run to their ends and keep their workers busy until then.
#'
#' ## Rows on workers
#' `cl` can be any cluster that the functions of the package parallel accept.
#'
#' ```
#' options(socketOptions = "no-delay")
#' cl <- parallelly::makeClusterPSOCK(c("one", "one", "two"))
#' fit <- fit_gaussian(x, "nonnegative", method = method_meibp(), cl = cl, file = "fit.rds")
#' parallel::stopCluster(cl)
#' ```
#'
#' If the option is set before the cluster is made, this process sends messages at once, as the
#' workers of parallelly do. By default, R's connections wait for acknowledgements: with
#' [parallel::makeCluster()] exchanges of some sizes take about 90 ms. `mirai::make_cluster()` does
#' not use these connections. MEIBP needs one or two exchanges per iteration, chains two to five per sweep.
#' The table gives the milliseconds per exchange of messages of each size with one worker on the
#' same machine (Linux):
#'
#' | | 1 kB | 30 kB | 1 MB |
#' |---|---|---|---|
#' | `parallel::makeCluster()` | 0.3 | 93 | 48 |
#' | `makeClusterPSOCK()` without the option | 0.4 | 44 | 48 |
#' | `makeClusterPSOCK()` with the option | 0.3 | 0.6 | 14 |
#'
#' MPI clusters (`snow::makeMPIcluster()`) work as well, but `mpirun` ends the whole job when one of
#' its processes dies, and messages cannot exceed 2 GB.
#'
#' The rows are sent once, or read by the workers themselves if `x` is [row_blocks()], and stay with
#' the workers, together with their part of Z. In every iteration or sweep each worker sends its
#' sums over rows, of D x K and K x K numbers, and receives the sums over all rows. These are taken
#' over fixed blocks in a fixed, tree-shaped order. Data in memory have blocks of 4096 rows, or more
#' if there are millions of rows. Blocks are not split: a message says if some workers have none.
#' The chains of [method_gibbs()] take turns, one sweep each, and `cores` has no effect. Draws of Z
#' come back every five seconds, so this process needs memory for the whole fit, N x K bits per
#' draw. `threads` of other methods applies to each worker.
#'
#' If a worker dies, an error names it. If `file` was given, the same call with the same `file`
#' resumes the run, with the remaining workers (`cl[-2]` if the second died), a new cluster or none,
#' and gives the identical fit. The state is saved every five seconds
#' (`options(buffet.checkpoint_seconds = )`). An interrupt takes effect at the end of the current
#' exchange and returns the fit so far. A worker that hangs makes the fit wait without limit.
#'
#' @examplesIf requireNamespace("parallelly", quietly = TRUE)
#' \donttest{
#' cl <- parallelly::makeClusterPSOCK(2)
#' x <- block_images(9000)
#' fit <- fit_gaussian(x, "nonnegative", method = method_meibp(10), seed = 1, cl = cl)
#' parallel::stopCluster(cl)
#' here <- fit_gaussian(x, "nonnegative", method = method_meibp(10), seed = 1)
#' identical(fit$draws, here$draws)
#' }
#' @name distributed
NULL
