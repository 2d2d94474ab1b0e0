#include "moves.h"

namespace test {

void sweep(Chain& chain) {
  chain.sweep();
}

void visit_rows(Chain& chain) {
  for (int i = 0; i < chain.z.rows(); ++i)
    buffet::sweep_row(i, chain.z, chain.prior, chain.likelihood, chain.rng);
  chain.likelihood.refresh(chain.z);
}

void exclusive_or_moves(Chain& chain) {
  buffet::exclusive_or_pairs(chain.z, chain.prior, chain.likelihood, chain.rng);
}

void split_merge_move(Chain& chain) {
  buffet::split_merge(chain.z, chain.prior, chain.likelihood, chain.rng);
}

}  // namespace test
