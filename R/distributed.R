#' Beyond one machine
#'
#' Chains run on other processes and machines, wherever [future::plan()] says. Rows of data that are
#' too many for one process are shared by the workers of a cluster.
#'
#' | | what is distributed | how |
#' |---|---|---|
#' | [method_gibbs()], every `fit_*()` | chains | `future::plan()` |
#' | [method_meibp()], [method_variational()], [method_power_ep()] | rows | `cl` of [fit_gaussian()] |
#' | [method_gibbs()] with the sampler `"parallel"` | rows | the same |
#' | [method_beam()], [method_icm()] | nothing | |
#'
#' Chains of other samplers and models cannot share rows. The samplers `"collapsed"`, `"uncollapsed"` and `"slice"` of
#' [fit_gaussian()] visit one row after the other, each given what was drawn for those before. In
#' [fit_logistic()] every column has a K x K matrix of its own to be summed over rows, and in
#' [fit_topics()] all documents share counts of words that change with every word.
#'
#' @details
#' ## Chains in futures
#' Chains run in threads of this process, `cores` of them ([method_gibbs()]). Where the package
#' future is loaded and its plan has workers, `multisession`, `cluster` or one of those of
#' future.callr, future.batchtools and the like, they run there instead:
#'
#' ```
#' future::plan(future::cluster, workers = c("one", "two", "two", "three"))
#' fit <- fit_gaussian(x, method = method_gibbs(chains = 8))
#' ```
#'
#' That holds for all chains: of every `fit_*()` with [method_gibbs()], of
#' [update()][update.fit_mcmc] and of chains that go on by themselves. Optimisations do not use the
#' plan. The workers must have the same version of buffet; on a `cluster` of your own say where, by
#' `rscript_libs`. With `cores` of more than 1, also where `options(mc.cores = )` is the reason,
#' chains stay in this process whatever the plan.
#'
#' ## What is the same
#' The fit, to the last bit: it depends on the seed, neither on the plan nor on how often a worker
#' failed. Only other compilers or processors may round differently, as they do without a plan.
#'
#' ## Stretches
#' Every chain runs stretch by stretch. A stretch is one future: the data and the state of the chain
#' go there, its new state and its draws come home. The first takes about a second, later ones five,
#' or as many seconds as `options(buffet.checkpoint_seconds = )` says, and at least 20 times as long
#' as sending, waiting in a queue and fetching take together, so that these cost a twentieth of the
#' time at most. A stretch ends with a sweep, which can make it longer. Chains that
#' [meet][method_gibbs] do so in this process. More chains than workers take turns. `file` is
#' written here, from what has come home; a run can be begun with a plan and taken up without, or
#' the other way round.
#'
#' ## When a worker dies
#' Its chain goes on from the state that came home last, on another worker. Multisession plans start
#' workers anew once the stretches of the others have ended, for which the plan is set again; a
#' `cluster` goes on with the nodes that live. A chain whose worker dies three times in a row, as
#' where there is not memory enough, is left out of the fit with a warning. When the plan can run
#' nothing any more a warning says why, and the fit is that so far, as after an interrupt: it can be
#' taken up from its `file`, or by [update()][update.fit_mcmc].
#'
#' ## Interrupts and progress
#' An interrupt gives the fit of what has come home, within about a second. What is under way ends
#' with its stretch, and nothing is sent after it. The progress bar moves when stretches come home.
#' Within `progressr::with_progress()` or after `progressr::handlers(global = TRUE)` the handlers of
#' progressr show it instead, with a plan and without.
#'
#' ## Rows on workers
#' `cl` is a cluster of the package parallel, of sockets or of forks, or an MPI cluster of the
#' package snow, with the same version of buffet on every worker:
#'
#' ```
#' options(socketOptions = "no-delay")
#' cl <- parallelly::makeClusterPSOCK(c("one", "one", "two"), useXDR = FALSE)
#' fit <- fit_gaussian(x, "nonnegative", method = method_meibp(), cl = cl)
#' parallel::stopCluster(cl)
#' ```
#'
#' The rows are sent once, or read by the workers themselves where `x` is [row_blocks()], and stay
#' there for the fit, with their part of Z. A block is never split, so there is no work for more
#' workers than blocks: data in memory have one block for every 4096 rows. Every worker runs the same program on its own rows; what
#' depends on all of them it asks for. In an iteration sums of D x K and K x K numbers go to and fro,
#' where entries are missing also K x K for every group of columns that lack the same rows. Sums are
#' taken over fixed blocks of rows, 4096 each in memory and those of `row_blocks()`, along one fixed
#' tree: any number of workers, and none, give the same fit to the last bit, as long as the workers'
#' processors and libraries compute alike. Where they do not the fit stops and says so.
#'
#' Chains of [method_gibbs()] advance by a sweep each in turn; random numbers belong to rows. In a
#' sweep the same sums go to and fro, and the few new features that single rows have. Draws of Z come
#' home whenever the state is kept, and with them all that the fit will hold: N x K bits a draw.
#'
#' Without the option `socketOptions`, which has to be set before the cluster is made, every answer
#' waits for some 40 milliseconds. Clusters of parallelly have it on the workers, too; with
#' [parallel::makeCluster()] say
#' `rscript_args = c("-e", shQuote("options(socketOptions = 'no-delay')"))`. `threads` of the method
#' are those of each worker; `cores` of [method_gibbs()] play no part, a worker runs chains in turn.
#'
#' A worker that dies, or does not answer for `options(buffet.worker_timeout = )` seconds (600), is
#' lost: a warning says so, the others read its rows again, go on from the state that was kept last,
#' some five seconds ago (`options(buffet.checkpoint_seconds = )`), and end where they would have
#' ended. When none is left, the fit is the best point so far, or that of the draws that came home,
#' with a warning, or an error where nothing was kept yet. The same call with the same `file` goes
#' on from there, with any cluster or none. `parallel::stopCluster(cl)` fails at a worker that is
#' lost; what stops the others is `for (n in seq_along(cl)) try(parallel::stopCluster(cl[n]))`.
#'
#' A worker that takes twice as long as the others is reported once. An interrupt ends the step that
#' is under way and gives the fit so far.
#'
#' ## Rows on an MPI cluster
#' Under MPI the script is started by `mpirun` and finds its workers in place:
#'
#' ```
#' cl <- snow::makeMPIcluster()
#' fit <- fit_gaussian(x, "nonnegative", method = method_meibp(), cl = cl, file = "fit.rds")
#' snow::stopCluster(cl)
#' Rmpi::mpi.quit()
#' ```
#'
#' ```
#' mpirun -n 9 RMPISNOW -f script.R
#' ```
#'
#' makes one process that leads and eight workers, by the packages snow and Rmpi. `RMPISNOW` is a
#' script in the folder of snow, `system.file("RMPISNOW", package = "snow")`. The option
#' `socketOptions` plays no part. Clusters whose workers the script starts itself,
#' `snow::makeMPIcluster(8)`, share rows, too; but with Open MPI 4.1 the script can hang where such a
#' cluster is stopped or one of its workers dies.
#'
#' An MPI job does not go on without one of its processes: where a worker dies, `mpirun` ends all of
#' it. Give a `file` and start the job again, with as many workers as there are then. The worker
#' timeout holds for answers; sending to a worker that is stopped can wait for ever. The rows of a
#' worker are sent in one message of at most 2 GB; larger shares the workers read themselves
#' ([row_blocks()]). Open MPI may bind each process to one core: with `threads` of the method say
#' `--bind-to none` to `mpirun`, or how many cores each may use.
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
