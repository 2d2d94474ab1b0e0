#include "moves.h"

namespace test {

template <class C>
void sweep(C& chain) {
  chain.sweep();
}
template void sweep(Chain&);
template void sweep(UncollapsedChain&);
template void sweep(SliceChain&);
template void sweep(NonnegativeChain&);
template void sweep(NonnegativeSliceChain&);
template void sweep(ColumnNoiseChain&);
template void sweep(TreeChain&);
template void sweep(UncollapsedTreeChain&);
template void sweep(AttractionChain&);
template void sweep(UncollapsedAttractionChain&);
template void sweep(ChoiceChain&);
template void sweep(TreeChoiceChain&);
template void sweep(AttractionChoiceChain&);
template void sweep(LogisticChain&);
template void sweep(NealChain&);
template void sweep(TreeLogisticChain&);
template void sweep(TreeNealChain&);
template void sweep(AttractionLogisticChain&);
template void sweep(KnownLogisticChain&);
template void sweep(KnownNealChain&);

template <class C>
buffet::Tallies sweep_and_count(C& chain) {
  return chain.sweep(buffet::no_check);
}
template buffet::Tallies sweep_and_count(Chain&);
template buffet::Tallies sweep_and_count(NonnegativeChain&);
template buffet::Tallies sweep_and_count(ColumnNoiseChain&);
template buffet::Tallies sweep_and_count(LogisticChain&);

template <class C>
void visit_rows(C& chain) {
  for (int i = 0; i < chain.z.rows(); ++i) buffet::sweep_row(i, chain);
  if constexpr (std::is_same_v<C, Chain>) chain.likelihood.refresh(chain.z);
}
template void visit_rows(Chain&);
template void visit_rows(UncollapsedChain&);
template void visit_rows(ColumnNoiseChain&);

template <>
void visit_rows(SliceChain& chain) {
  const int unused = chain.prior.represent(chain.z, chain.rng);
  for (int n = 0; n < unused; ++n) chain.likelihood.append_unused();
  for (int i = 0; i < chain.z.rows(); ++i) buffet::sweep_represented_row(i, chain);
  for (int k = chain.z.size() - 1; k >= 0; --k)
    if (chain.z.count(k) == 0) {
      chain.z.drop(k);
      chain.likelihood.drop(k);
    }
}

template <class C>
void exclusive_or_moves(C& chain) {
  buffet::ExclusiveOr::run(chain);
}
template void exclusive_or_moves(Chain&);
template void exclusive_or_moves(TreeChain&);
template void exclusive_or_moves(AttractionChain&);

template <class C>
void split_merge_move(C& chain) {
  chain.rng.bernoulli(0.5) ? buffet::split(chain) : buffet::merge(chain);
}
template void split_merge_move(Chain&);
template void split_merge_move(TreeChain&);
template void split_merge_move(AttractionChain&);

template <class C>
void separate_share_move(C& chain) {
  for (int n = 0; n < 10; ++n) buffet::SeparateShareIntegrated::run(chain);
}
template void separate_share_move(Chain&);
template void separate_share_move(TreeChain&);
template void separate_share_move(AttractionChain&);

template <class C>
void copies_move(C& chain) {
  buffet::RedrawCopies::run(chain);
}
template void copies_move(ChoiceChain&);
template void copies_move(TreeChoiceChain&);

template <class C>
void held_by_all_move(C& chain) {
  buffet::RedrawHeldByAll::run(chain);
}
template void held_by_all_move(ChoiceChain&);
template void held_by_all_move(TreeChoiceChain&);

template <class C>
void union_moves(C& chain) {
  chain.rng.bernoulli(0.5) ? buffet::unite(chain) : buffet::divide(chain);
}
template void union_moves(ChoiceChain&);
template void union_moves(TreeChoiceChain&);

void prior_births(ChoiceChain& chain) {
  buffet::birth_or_death_by_prior(chain);
}
void prior_births(TreeChoiceChain& chain) {
  buffet::birth_or_death_by_prior(chain);
}

namespace {

template <class C, class Move>
void given_regressions(C& chain, Move move) {
  auto& [z, prior, likelihood, rng] = chain;
  const buffet::RegressionData data = likelihood.augment(z, rng);
  buffet::ColumnView<std::decay_t<decltype(prior)>, buffet::Regressions> view{
      z, prior, likelihood.regressions(z, data), rng};
  move(view);
  for (int n = 0; n < 2; ++n) buffet::birth_or_death(view);
  likelihood.draw_weights(view.likelihood, rng);
}

}  // namespace

template <>
void separate_share_move(ColumnNoiseChain& chain) {
  auto& [z, prior, likelihood, rng] = chain;
  const buffet::RegressionData data = likelihood.augment(z, rng);
  buffet::ColumnView<buffet::Exchangeable, buffet::Regressions> view{
      z, prior, likelihood.regressions(z, data), rng};
  for (int n = 0; n < 10; ++n) buffet::SeparateShareIntegrated::run(view);
  likelihood.draw_weights(view.likelihood, rng);
}

template <class C>
void births_and_deaths(C& chain) {
  given_regressions(chain, [](auto&) {});
}
template void births_and_deaths(LogisticChain&);
template void births_and_deaths(TreeLogisticChain&);
template void births_and_deaths(AttractionLogisticChain&);

template <class C>
void births_and_complements(C& chain) {
  given_regressions(chain, [](auto& view) { buffet::Complement::run(view); });
}
template void births_and_complements(LogisticChain&);
template void births_and_complements(TreeLogisticChain&);

template <class C>
void births_and_column_moves(C& chain) {
  given_regressions(chain, [](auto& view) {
    buffet::ExclusiveOr::run(view);
    buffet::SplitMerge::run(view);
  });
}
template void births_and_column_moves(LogisticChain&);
template void births_and_column_moves(TreeLogisticChain&);

}  // namespace test
