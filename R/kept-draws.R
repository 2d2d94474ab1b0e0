# The stored draws of chains, concatenated.

# Bytes of columns of Z, each padded to words of 64 bits
bytes_of_columns <- function(columns, rows) 8 * ceiling(rows / 64) * as.double(columns)

kept_bits <- function(chain, kept, rows) {
  chain$bits[seq_len(bytes_of_columns(sum(chain$sizes[seq_len(kept)]), rows))]
}

kept_loadings <- function(chain, kept, model) {
  count <- sum(loading_counts(model, chain$sizes[seq_len(kept)]))
  chain$loadings[seq_len(min(length(chain$loadings), count))]
}

# Numbers stored per draw: `loading_width` per feature, and as many for each of `loading_extra`
# further rows, such as a bias
loading_counts <- function(model, sizes) {
  (sizes + (model$loading_extra %||% 0)) * as.double(model$loading_width)
}

kept_bytes <- function(chain, kept) {
  utils::head(chain$bytes, sum(as.double(utils::head(chain$byte_counts, kept))))
}

select_bytes <- function(fit, which) {
  if (length(fit$internal$byte_counts) == 0) return(NULL)
  ends <- cumsum(as.double(fit$internal$byte_counts))
  first <- ends[which[1]] - fit$internal$byte_counts[which[1]]
  fit$internal$draws_bytes[first + seq_len(ends[which[length(which)]] - first)]
}

# What update() needs: the state of a chain, all its scalars, and the draws that not all chains have
beyond <- function(chain, kept, model) {
  after <- function(x, n) x[seq_along(x) > n]
  list(
    scalars = chain$scalars, sizes = after(chain$sizes, kept),
    bits = after(chain$bits, length(kept_bits(chain, kept, model$traits$rows$n))),
    loadings = after(chain$loadings, length(kept_loadings(chain, kept, model))),
    bytes = after(chain$bytes, length(kept_bytes(chain, kept))),
    byte_counts = after(chain$byte_counts, kept),
    state = chain$state, regrouped = chain$regrouped
  )
}
