# Data as activations of visible units. Their range is mapped to (-0.98, 0.98), because
# pre-activations at -1 and 1 are infinite.

cascade_reach <- 0.98

activations <- function(v, range) {
  cascade_reach * (2 * (v - range[1]) / (range[2] - range[1]) - 1)
}

preactivations <- function(v, range) {
  u <- activations(v, range)
  log1p(u) - log1p(-u)
}

from_activations <- function(u, range) {
  range[1] + (range[2] - range[1]) * (u / cascade_reach + 1) / 2
}

# Log of the derivative of the pre-activation by the data
log_slope <- function(v, range) {
  u <- activations(v, range)
  log(2) - log1p(-u^2) + log(2 * cascade_reach / (range[2] - range[1]))
}
