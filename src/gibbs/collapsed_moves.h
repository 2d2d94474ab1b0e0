#pragma once

#include "core/check.h"
#include "core/features.h"
#include "core/rng.h"
#include "exclusive_or.h"
#include "split_merge.h"

namespace buffet {

/// A chain seen with a likelihood whose loadings are integrated out, by value or reference.
template <class Prior, class Likelihood>
struct ColumnView {
  Features& z;
  Prior& prior;
  Likelihood likelihood;
  Rng& rng;
};

/// Exclusive-or, split and merge of whole columns.
template <class Chain>
void move_collapsed_columns(Chain& chain, const Check& check) {
  exclusive_or_pairs(chain, check);
  const int tries = chain.z.rows() <= 300 ? 3 : 1;
  for (int n = 0; n < tries; ++n) {
    check();
    split_merge(chain);
  }
}

}  // namespace buffet
