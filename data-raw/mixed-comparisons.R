# The table that compares fit_mixed() with imputation by other packages. In six data frames, 10, 30
# or 50 % of the entries are hidden at random. The hidden entries are the same for all methods.
#   Rscript data-raw/mixed-comparisons.R [method] ... [set] ... [share] ...
# Every result is saved in a file, and only missing results are computed; methods that are named are
# run again. The files are in the folder BUFFET_COMPARISONS, which is build/mixed-comparisons by
# default.
#
# Skewed numbers and counts are compared on the log scale. The other packages receive the
# logarithms, and fit_mixed() receives the original data. To make errors comparable across columns,
# they are divided by the error of the column's mean or most frequent category.
library(buffet)

source("data-raw/mixed-sets.R")

shares <- c(0.1, 0.3, 0.5)
folder <- Sys.getenv("BUFFET_COMPARISONS", "build/mixed-comparisons")

# --- Data and their scales ------------------------------------------------------------------------

#' The scale on which a column is compared: "class" or, for numbers, "none", "log" or "log1p"
scale_of <- function(values) {
  if (!is.numeric(values)) return("class")
  known <- values[!is.na(values)]
  count <- is.integer(values) && var(known) > mean(known)
  skewed <- mean((known - mean(known))^3) / sd(known)^3 > 1
  if (min(known) < 0 || !(count || skewed)) "none" else if (min(known) > 0) "log" else "log1p"
}

#' Converts columns to the scale of comparison, and keeps numbers within the range of the data
to_scale <- function(x, scales, like = x) {
  x[] <- Map(function(values, scale, known) {
    if (scale == "class") return(factor(values, levels_of(known), ordered = is.ordered(known)))
    if (scale == "none") return(as.double(values))
    values <- pmax(as.double(values), min(known, na.rm = TRUE))
    if (scale == "log") log(values) else log1p(values)
  }, x, scales, like)
  x
}
levels_of <- function(values) if (is.logical(values)) c("FALSE", "TRUE") else levels(values)

#' A data frame, a logical matrix of its hidden entries, and the data on the scale of comparison
split_data <- function(x, share) {
  set.seed(round(100 * share))
  hidden <- matrix(FALSE, nrow(x), ncol(x), dimnames = list(NULL, names(x)))
  known <- which(!is.na(x))
  hidden[sample(known, round(share * length(known)))] <- TRUE
  scales <- vapply(x, scale_of, "")
  truth <- to_scale(x, scales)
  list(
    x = x, shown = hide(x, hidden), hidden = hidden, scales = scales, truth = truth,
    given = droplevels(hide(truth, hidden))
  )
}
hide <- function(x, hidden) {
  for (j in seq_along(x)) x[hidden[, j], j] <- NA
  x
}

# --- Methods --------------------------------------------------------------------------------------

most_frequent <- function(values) names(which.max(table(values)))

#' Fills in means and most frequent categories, without using any other information
fill <- function(completed, split) {
  for (name in names(split$truth)) {
    values <- completed[[name]]
    given <- split$given[[name]]
    numeric <- is.numeric(given)
    if (is.null(values)) values <- given
    if (!numeric) values <- as.character(values)
    values[is.na(values)] <- if (numeric) mean(given, na.rm = TRUE) else most_frequent(given)
    completed[[name]] <- values
  }
  completed[names(split$truth)]
}

#' The families that columns would have if nothing were hidden
families_of <- function(x) {
  fit <- fit_quietly(x, method = method_gibbs(chains = 1, iter = 2))
  vapply(fit$internal$model$data$columns, `[[`, "", "family")
}
fit_quietly <- function(...) {
  suppressWarnings(suppressMessages(fit_mixed(..., seed = 1, verbose = FALSE)))
}

#' Log densities of hidden entries, except for categories that are never observed
density_of <- function(fit, split) {
  actual <- split$x
  has_levels <- vapply(fit$internal$model$data$columns, function(of) !is.null(of$levels), NA)
  for (name in names(actual)[has_levels]) {
    actual[[name]][!actual[[name]] %in% split$shown[[name]]] <- NA
  }
  mean(heldout_density(fit, actual), na.rm = TRUE)
}

fit_mixed_to <- function(split, ...) {
  fit_quietly(split$shown, families = families_of(split$x), ...)
}

#' Posterior means of numbers on the scale of comparison. predict() returns the mean of a count,
#' whose logarithm is not the mean of the logarithm.
mean_on_scale <- function(fit, split) {
  draws <- posterior_predict(fit, ndraws = min(400, glance(fit)$draws))
  completed <- split$truth
  for (name in intersect(dimnames(draws)[[3]], names(which(split$scales != "class")))) {
    values <- lapply(seq_len(nrow(draws)), function(i) {
      to_scale(data.frame(draws[i, , name]), split$scales[name], split$x[name])[[1]]
    })
    completed[[name]] <- Reduce(`+`, values) / length(values)
  }
  completed
}

#' Averages several completed data frames: the means of numbers, and the majority of categories
average <- function(completed) {
  out <- completed[[1]]
  for (name in names(out)) {
    values <- lapply(completed, `[[`, name)
    out[[name]] <- if (is.numeric(out[[name]])) {
      Reduce(`+`, values) / length(values)
    } else {
      apply(vapply(values, as.character, character(nrow(out))), 1, most_frequent)
    }
  }
  out
}

#' Data in the form that missMDA requires: standardised, so that the choice of components does not
#' depend on units, and with unordered categories
standard <- function(x) {
  x[] <- lapply(x, function(values) {
    if (is.numeric(values)) as.vector(scale(values)) else factor(values, ordered = FALSE)
  })
  x
}
not_standard <- function(completed, like) {
  completed[] <- Map(function(values, known, name) {
    if (is.numeric(values)) return(mean(known, na.rm = TRUE) + sd(known, na.rm = TRUE) * values)
    # missMDA sorts categories, and prefixes some of them with the name of the column.
    named <- setdiff(levels(values), levels(known))
    stopifnot(named %in% paste(name, levels(known), sep = "_"))
    short <- levels(values) %in% named
    levels(values)[short] <- substring(levels(values)[short], nchar(name) + 2)
    as.character(values)
  }, completed, like[names(completed)], names(completed))
  completed
}

methods <- list(
  independent = function(split) {
    none <- prior_fixed(matrix(integer(), nrow(split$x), 0))
    fit <- fit_mixed_to(split, prior = none, method = method_gibbs(chains = 2, iter = 400))
    list(completed = split$given, density = density_of(fit, split))
  },
  mice = function(split, m = 5) {
    imputed <- mice::mice(split$given, m = m, seed = 1, printFlag = FALSE)
    # average() requires complete data, so entries that mice does not impute are filled in
    # afterwards.
    list(completed = average(lapply(seq_len(m), function(i) mice::complete(imputed, i))))
  },
  missforest = function(split) {
    set.seed(1)
    list(completed = missForest::missForest(split$given, num.threads = 2)$ximp)
  },
  famd = function(split) {
    set.seed(1)
    given <- standard(split$given)
    ncp <- missMDA::estim_ncpFAMD(
      given, ncp.max = 8, method.cv = "Kfold", nbsim = 5, verbose = FALSE
    )$ncp
    completed <- missMDA::imputeFAMD(given, ncp = max(1, ncp))$completeObs
    list(completed = not_standard(completed, split$given), features = ncp)
  },
  mixed = function(split) {
    fit <- fit_mixed_to(split)
    count <- posterior::extract_variable(posterior::as_draws_array(fit), "n_features")
    list(
      completed = to_scale(predict(fit)[names(split$x)], split$scales, split$x),
      means = mean_on_scale(fit, split), density = density_of(fit, split),
      features = mean(count), rhat = glance(fit)$rhat_max
    )
  }
)

# --- Measures -------------------------------------------------------------------------------------

#' The error of every column: the root mean squared error divided by the standard deviation for
#' numbers, and the share of errors for categories. `relative` is divided by the error of the most
#' frequent category.
column_errors <- function(completed, split) {
  rows <- lapply(names(split$truth), function(name) {
    hidden <- split$hidden[, name]
    truth <- split$truth[[name]]
    guess <- completed[[name]][hidden]
    if (split$scales[[name]] == "class") {
      error <- mean(as.character(guess) != as.character(truth[hidden]))
      relative <- error / mean(truth != most_frequent(truth), na.rm = TRUE)
    } else {
      error <- relative <- sqrt(mean((guess - truth[hidden])^2)) / sd(truth, na.rm = TRUE)
    }
    data.frame(
      column = name, scale = split$scales[[name]], cells = sum(hidden), error = error,
      relative = relative
    )
  })
  do.call(rbind, rows)
}

#' @return A row of the table
measures <- function(errors) {
  class <- errors$scale == "class"
  data.frame(
    nrmse = mean(errors$error[!class]),
    wrong = weighted.mean(errors$error[class], errors$cells[class]),
    combined = mean(errors$relative)
  )
}

# --- Computations -----------------------------------------------------------------------------

file_of <- function(set, share, method) {
  file.path(folder, sprintf("%s-%d-%s.rds", set, round(100 * share), method))
}

#' Computes and saves the result of one method for one data set
run <- function(set, share, method) {
  split <- split_data(sets[[set]](), share)
  seconds <- system.time(answer <- tryCatch(
    suppressWarnings(methods[[method]](split)), error = function(e) conditionMessage(e)
  ))[["elapsed"]]
  if (is.character(answer)) {
    message(method, " of ", set, ", ", share, ": ", answer)
    answer <- list(failed = answer)
  } else {
    of <- intersect(c("completed", "means"), names(answer))
    answer[of] <- lapply(answer[of], fill, split)
    answer$errors <- column_errors(answer$completed, split)
    if (!is.null(answer$means)) answer$errors_of_means <- column_errors(answer$means, split)
  }
  answer$seconds <- seconds
  saveRDS(answer, file_of(set, share, method))
  print(row_of(set, share, method), row.names = FALSE)
}

row_of <- function(set, share, method) {
  file <- file_of(set, share, method)
  if (!file.exists(file)) return(NULL)
  answer <- readRDS(file)
  if (!is.null(answer$failed)) return(NULL)
  of_means <- if (is.null(answer$errors_of_means)) answer$errors else answer$errors_of_means
  # Means have the hidden categories, so the categories are those from predict().
  class <- of_means$scale == "class"
  of_means[class, ] <- answer$errors[class, ]
  number <- function(value) if (is.null(value)) NA_real_ else as.double(value)
  data.frame(
    set = set, share = share, method = method, measures(answer$errors),
    nrmse_means = measures(of_means)$nrmse, combined_means = measures(of_means)$combined,
    density = number(answer$density), features = number(answer$features),
    rhat = number(answer$rhat), seconds = answer$seconds
  )
}

#' The rows of all saved results
tabulate_all <- function(of = row_of) {
  cases <- expand.grid(
    method = names(methods), share = shares, set = names(sets), stringsAsFactors = FALSE
  )
  do.call(rbind, Map(of, cases$set, cases$share, cases$method))
}

#' Errors by column, which show where a method is worse
columns_of <- function(set, share, method) {
  file <- file_of(set, share, method)
  if (!file.exists(file)) return(NULL)
  errors <- readRDS(file)$errors
  if (is.null(errors)) return(NULL)
  data.frame(set = set, share = share, method = method, errors)
}

write_table <- function(table, file) {
  number <- setdiff(names(Filter(is.numeric, table)), c("share", "cells"))
  table[number] <- lapply(table[number], signif, 4)
  write.csv(table, file, row.names = FALSE)
}

#' Computes missing results for the methods, data sets and shares that are named, or for all of them
main <- function(wanted, table) {
  dir.create(folder, recursive = TRUE, showWarnings = FALSE)
  unknown <- setdiff(wanted, c(names(methods), names(sets), shares))
  if (length(unknown) > 0) stop("No method, set or share: ", paste(unknown, collapse = ", "))
  chosen <- function(of) {
    named <- of[of %in% wanted]
    if (length(named) > 0) named else of
  }
  again <- any(names(methods) %in% wanted)
  run_wanted <- function(set, share, method) {
    if (again || !file.exists(file_of(set, share, method))) run(set, share, method)
  }
  cases <- expand.grid(
    set = chosen(names(sets)), share = chosen(shares), method = chosen(names(methods)),
    stringsAsFactors = FALSE
  )
  Map(run_wanted, cases$set, cases$share, cases$method)
  write_table(tabulate_all(), table)
  write_table(tabulate_all(columns_of), file.path(folder, "columns.csv"))
}

if (sys.nframe() == 0) {
  main(commandArgs(trailingOnly = TRUE), "vignettes/mixed-comparisons.csv")
}
