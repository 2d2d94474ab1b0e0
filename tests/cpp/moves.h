#pragma once

#include "core/tally.h"
#include "gaussian/gaussian_collapsed.h"
#include "gaussian/gaussian_nonnegative.h"
#include "gaussian/gaussian_uncollapsed.h"
#include "gibbs/gibbs.h"
#include "likelihood/choice.h"
#include "likelihood/logistic.h"
#include "prior/attraction.h"
#include "prior/exchangeable.h"
#include "prior/fixed.h"
#include "prior/phylogenetic.h"
#include "prior/sticks.h"
#include "regression/gaussian_column_noise.h"

namespace test {

using Chain = buffet::Gibbs<buffet::Exchangeable, buffet::GaussianCollapsed>;
using UncollapsedChain = buffet::Gibbs<buffet::Exchangeable, buffet::GaussianUncollapsed>;
using SliceChain = buffet::Gibbs<buffet::Sticks, buffet::GaussianUncollapsed>;
using NonnegativeChain = buffet::Gibbs<buffet::Exchangeable, buffet::GaussianNonnegative>;
using NonnegativeSliceChain = buffet::Gibbs<buffet::Sticks, buffet::GaussianNonnegative>;
using ColumnNoiseChain = buffet::Gibbs<buffet::Exchangeable, buffet::GaussianColumnNoise>;
using TreeChain = buffet::Gibbs<buffet::Phylogenetic, buffet::GaussianCollapsed>;
using UncollapsedTreeChain = buffet::Gibbs<buffet::Phylogenetic, buffet::GaussianUncollapsed>;
using AttractionChain = buffet::Gibbs<buffet::Attraction, buffet::GaussianCollapsed>;
using UncollapsedAttractionChain = buffet::Gibbs<buffet::Attraction, buffet::GaussianUncollapsed>;
using ChoiceChain = buffet::Gibbs<buffet::Exchangeable, buffet::Choice>;
using TreeChoiceChain = buffet::Gibbs<buffet::Phylogenetic, buffet::Choice>;
using AttractionChoiceChain = buffet::Gibbs<buffet::Attraction, buffet::Choice>;
using LogisticChain = buffet::Gibbs<buffet::Exchangeable, buffet::Logistic>;
using NealChain = buffet::Gibbs<buffet::Exchangeable, buffet::LogisticNeal>;
using TreeLogisticChain = buffet::Gibbs<buffet::Phylogenetic, buffet::Logistic>;
using TreeNealChain = buffet::Gibbs<buffet::Phylogenetic, buffet::LogisticNeal>;
using AttractionLogisticChain = buffet::Gibbs<buffet::Attraction, buffet::Logistic>;
using KnownLogisticChain = buffet::Gibbs<buffet::Fixed, buffet::Logistic>;
using KnownNealChain = buffet::Gibbs<buffet::Fixed, buffet::LogisticNeal>;

/// A transition of a chain.
template <class C>
using MoveOf = void (*)(C&);
using Move = MoveOf<Chain>;

// Compiled only once, in moves.cpp, for the chains above.
template <class C>
void sweep(C& chain);
template <class C>
buffet::Tallies sweep_and_count(C& chain);
template <class C>
void visit_rows(C& chain);
template <>
void visit_rows(SliceChain& chain);
template <class C>
void exclusive_or_moves(C& chain);
template <class C>
void split_merge_move(C& chain);
template <class C>
void separate_share_move(C& chain);
template <class C>
void copies_move(C& chain);
template <class C>
void held_by_all_move(C& chain);
template <class C>
void union_moves(C& chain);
template <>
void separate_share_move(ColumnNoiseChain& chain);
void prior_births(ChoiceChain& chain);
void prior_births(TreeChoiceChain& chain);

// Moves whole features given Polya-Gamma variables, then draws the weights given the same
// variables.
template <class C>
void births_and_deaths(C& chain);
template <class C>
void births_and_complements(C& chain);
template <class C>
void births_and_column_moves(C& chain);

}  // namespace test
