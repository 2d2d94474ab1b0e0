#include "moves.h"

namespace test {

void sweep(Chain& chain) {
  chain.sweep();
}

void visit_rows(Chain& chain) {
  for (int i = 0; i < chain.z.rows(); ++i) buffet::sweep_row(i, chain);
  chain.likelihood.refresh(chain.z);
}

void exclusive_or_moves(Chain& chain) {
  buffet::exclusive_or_pairs(chain);
}

void split_merge_move(Chain& chain) {
  buffet::split_merge(chain);
}

}  // namespace test
