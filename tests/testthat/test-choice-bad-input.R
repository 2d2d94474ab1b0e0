# Every argument of fits to choices, with values that are not what it must be.

short <- method_gibbs(chains = 1, iter = 2)
wins <- celebrities[1:4, 1:4]
rows <- data.frame(winner = c("a", "b"), loser = c("b", "a"), n = c(2, 1))

#' As expect_refusals(), and no random number is drawn: nothing had begun
expect_refused_early <- function(call, name, values) {
  set.seed(1)
  before <- .Random.seed
  expect_refusals(call, name, values)
  expect_identical(.Random.seed, before, label = sprintf("the generator after bad `%s`", name))
}

with_column <- function(name, value) {
  rows[[name]] <- value
  rows
}

bad_wins <- list(
  NULL, NA, 1, 1:4, "a", list(), list(wins), sum, factor(1:3), Sys.Date(), y ~ x, environment(),
  matrix("1", 2, 2), matrix(1i, 2, 2), matrix(list(1), 2, 2), array(1, c(2, 2, 2)),
  # shape
  wins[1:3, ], wins[, 1:3], wins[1, 1, drop = FALSE], matrix(0, 0, 0), data.frame(),
  # counts
  wins * 0, wins - 200, wins + 0.5, wins * 1e300, wins * 1e8, replace(wins, 2, NaN),
  replace(wins, 2, Inf), replace(wins, 2, -1), replace(wins, 2, 1e300), replace(wins, 2, 2e9),
  replace(wins, 2, 1.5), replace(wins, 2, NA), replace(wins, TRUE, NA), wins * NA,
  diag(3), data.frame(a = c("0", "1"), b = c("1", "0")),
  # names
  `dimnames<-`(wins, list(letters[1:4], letters[2:5])), `rownames<-`(wins, c("a", "a", "b", "c")),
  `dimnames<-`(wins, list(NULL, c("a", "a", "b", "c"))),
  `dimnames<-`(wins, list(c("a", "b", "c", NA), NULL)),
  # rows
  rows[c(1, 3)], rows[2:3], rows[0, ], with_column("n", c(-1, 2)),
  with_column("n", c(0.5, 2)), with_column("n", c(NA, 2)), with_column("n", c(NaN, 2)),
  with_column("n", c(Inf, 2)), with_column("n", c("1", "2")), with_column("n", 0),
  with_column("n", factor(1:2)), with_column("n", 1e300), with_column("winner", c("a", NA)),
  with_column("loser", NA), with_column("n", I(list(1, 2)))
)

test_that("counts that cannot be fitted are refused", {
  expect_refused_early(\(v) quick_choice(v, method = short, seed = NULL), "wins", bad_wins)
  expect_error(fit_choice(), "^`wins` must be given\\.$")
})

test_that("errors say what is wrong with counts", {
  message_of <- function(v) tryCatch(quick_choice(v, method = short), error = conditionMessage)
  expect_identical(
    message_of(replace(wins, 2, NA)),
    "`wins` must have NA on both sides of a pair that is left out, not only one way at row 2, column 1."  # nolint: line_length_linter.
  )
  expect_identical(
    message_of(replace(wins, 2, -3)),
    "`wins` must have whole numbers from 0 to 1e9, not -3 at row 2, column 1."
  )
  expect_match(message_of(rows[2:3]), "not a data frame without `winner`.", fixed = TRUE)
})

test_that("every argument of fit_choice() refuses what it cannot be", {
  cases <- list(
    weights = list(NULL, NA, 1, "gamma", list(), prior_ibp(), gamma_prior, c(1, 1)),
    epsilon = c(not_numbers, -0.1, 1, 2, list(gamma_prior(1, 1))),
    prior = list(NULL, NA, 1, "ibp", list(), prior_ibp, gamma_prior(1, 1), short, wins),
    method = list(NULL, NA, 1, "gibbs", list(), method_gibbs, prior_ibp(), method_meibp()),
    seed = not_seeds, verbose = not_flags,
    file = list(NA, 1, "", c("a", "b"), tempdir(), file.path(tempdir(), "no", "file"))
  )
  defaults <- list(wins = wins, method = short, verbose = FALSE)
  for (name in names(cases)) {
    call <- function(v) {
      arguments <- defaults
      arguments[name] <- list(v)
      do.call(fit_choice, arguments)
    }
    expect_refused_early(call, name, cases[[name]])
  }
  for (sampler in c("collapsed", "slice", "gibbs")) {
    expect_error(
      quick_choice(wins, method = method_gibbs(1, 2, sampler = sampler)),
      sprintf("^`sampler` must be \"uncollapsed\" for this .*, not \"%s\"\\.$", sampler)
    )
  }
})

test_that("starting points that do not fit the items or the prior are refused", {
  z <- matrix(1, 4, 1)
  expect_refused_early(\(v) quick_choice(wins, init = v, method = short), "init", list(
    NA, 1, "a", sum, 1:4, matrix(1, 3, 1), matrix(1, 5, 1), matrix(0, 0, 0), matrix(2, 4, 1),
    matrix(NA, 4, 1), matrix(0.5, 4, 1), list(), list(1, 2), list(z, z), list(features = 1),
    list(zeta = z), list(features = z, sigma_x = 1), prior_ibp(), tree_choice(),
    list(concentration = 1)
  ))
  expect_refused_early(
    \(v) quick_choice(wins, init = list(alpha = v), method = short), "init\\$alpha", not_positive
  )
  expect_refused_early(
    \(v) quick_choice(wins, init = v, prior = prior_beta_bernoulli(2), method = short), "init",
    list(diag(4))
  )
  expect_refused_early(
    \(v) quick_choice(wins, init = v, prior = prior_ibp(2), method = short), "init",
    list(list(alpha = 3))
  )
  expect_refused_early(
    \(v) quick_choice(wins, init = v, prior = prior_fixed(diag(4)), method = short), "init",
    list(diag(4), list(), 1)
  )
})

test_that("what is asked of a fit to choices refuses what it cannot be", {
  fit <- tree_choice()
  pair <- data.frame(item1 = "LBJ", item2 = "HW")
  expect_refused_early(\(v) predict(fit, v), "newdata", list(
    NA, 1, "LBJ", list(), sum, c("LBJ", "HW"), pair[1], pair[2], data.frame(), celebrities,
    transform(pair, item1 = "lbj"), transform(pair, item1 = NA), transform(pair, item1 = "HW"),
    transform(pair, item1 = 10), transform(pair, item1 = 0), transform(pair, item1 = 1.5),
    transform(pair, item1 = -1), transform(pair, item2 = TRUE), transform(pair, item2 = 1i)
  ))
  expect_refused_early(\(v) predict(fit, type = v), "type", not_choices)
  expect_refused_early(\(v) predict(fit, v, type = "features"), "newdata", list(pair))
  expect_refused_early(
    \(v) predict(fit, interval = v), "interval", c(not_numbers[-1], 0, 1, -1, 2)
  )
  too_many <- c(not_ndraws, 601)
  expect_refused_early(\(v) posterior_predict(fit, ndraws = v), "ndraws", too_many)
  expect_refused_early(\(v) log_lik(fit, ndraws = v), "ndraws", too_many)
  expect_refused_early(\(v) simulate(fit, nsim = v), "nsim", not_counts)
  expect_refused_early(\(v) simulate(fit, seed = v), "seed", not_seeds)
  expect_refused_early(\(v) summary(fit, aspects = v), "aspects", not_counts)
  expect_refused_early(\(v) tidy(fit, v), "matrix", not_choices)
  expect_refused_early(\(v) tidy(fit, conf.level = v), "conf.level", c(not_numbers, 0, 1))
  expect_refused_early(\(v) plot(fit, v), "type", not_choices)
  expect_refused_early(\(v) plot(fixed_choice(), v), "type", list("tree"))
  expect_error(plot(fit, dim = c(1, 9)), "^`dim` must be left out: ")
})

test_that("heldout_density() of choices refuses what are not the full counts", {
  fit <- holes_choice()
  names <- rownames(celebrities)
  expect_refused_early(\(v) heldout_density(fit, v), "actual", c(bad_wins, list(
    celebrities[1:8, 1:8], unname(celebrities), celebrities[9:1, 9:1],
    `dimnames<-`(celebrities, list(tolower(names), tolower(names)))
  )))
  expect_error(
    heldout_density(fit, data.frame(winner = names[9:2], loser = names[8:1])),
    "items of the data in the same order, not a data frame with 8 rows and 2 columns\\.$"
  )
})
