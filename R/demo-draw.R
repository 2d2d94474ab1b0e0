# Draws of the Indian buffet process and the Chinese restaurant process, customer by customer.

#' Both processes with the same number of customers
#'
#' @return list(z: the buffet's matrix; tables: where each customer of the restaurant sits; dishes,
#'   occupied: how many dishes and tables are expected after each customer).
#' @noRd
draw_customers <- function(customers, alpha, concentration, discount, seed) {
  customers <- check_count(customers, "customers")
  z <- seeded(check_seed(seed), ribp(customers, alpha, concentration, discount))
  attr(z, "seed") <- NULL
  tables <- seeded(seed, draw_tables(customers, alpha, discount))
  list(
    z = z, tables = as.integer(tables),
    dishes = alpha * cumsum(ibp_rates(customers, concentration, discount)),
    occupied = expected_tables(customers, alpha, discount)
  )
}

#' Tables of the Chinese restaurant process: customer n sits down beside m others with probability
#' (m - d) / (n - 1 + alpha), otherwise at a new table
#' @noRd
draw_tables <- function(customers, alpha, discount) {
  tables <- integer(customers)
  for (n in seq_len(customers)) {
    sitting <- tabulate(tables, max(tables))
    weights <- c(sitting - discount, alpha + discount * length(sitting))
    tables[n] <- sample.int(length(weights), 1, prob = weights)
  }
  tables
}

#' Given K tables, customer n + 1 opens one with probability (alpha + d K) / (n + alpha)
#' @noRd
expected_tables <- function(customers, alpha, discount) {
  later <- seq_len(customers - 1)
  Reduce(\(k, n) k + (alpha + discount * k) / (n + alpha), later, 1, accumulate = TRUE)
}

#' What the first customers have taken
#' @noRd
first_customers <- function(z, n) used_columns(z[seq_len(n), , drop = FALSE])

#' Where the first customers sit, as a matrix of customers by tables
#' @noRd
seat_matrix <- function(tables, n) {
  here <- tables[seq_len(n)]
  outer(here, seq_len(max(here)), `==`) + 0L
}

#' What customer n does, as a sentence about each process
#' @noRd
describe_customer <- function(draw, n) {
  z <- first_customers(draw$z, n)
  fresh <- first_ones(z) == n
  old <- z[n, ] == 1 & !fresh
  table <- draw$tables[n]
  beside <- sum(draw$tables[seq_len(n - 1)] == table)
  c(
    sprintf(
      "Customer %d takes %d of the old dishes and %s.", n, sum(old), counted(sum(fresh), "new one")
    ),
    if (beside == 0) {
      sprintf("In the restaurant customer %d opens table %d.", n, table)
    } else {
      sprintf("In the restaurant customer %d joins %d at table %d.", n, beside, table)
    }
  )
}
