#pragma once

#include "inference/gibbs.h"
#include "likelihood/gaussian_collapsed.h"
#include "prior/exchangeable.h"

namespace test {

using Chain = buffet::Gibbs<buffet::Exchangeable, buffet::GaussianCollapsed>;

/// A transition of a chain. They are compiled once, in moves.cpp.
using Move = void (*)(Chain&);

void sweep(Chain& chain);
void visit_rows(Chain& chain);
void exclusive_or_moves(Chain& chain);
void split_merge_move(Chain& chain);

}  // namespace test
