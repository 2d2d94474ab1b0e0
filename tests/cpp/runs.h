#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "gaussian_case.h"
#include "gibbs/chains.h"
#include "gibbs/run.h"
#include "moves.h"

namespace test {

/// Eight rows and three columns.
inline const GaussianCase& small_case() {
  static Rng rng(121);
  static const GaussianCase g(8, 3, {0.6, 1.7}, rng);
  return g;
}

/// A chain for these data in which everything is learned.
inline Chain small_chain(std::uint64_t seed, std::uint64_t stream) {
  const auto& g = small_case();
  return Chain(Features(8), Exchangeable(8, {Hyper::gamma(2.7, 1.6), Hyper::gamma(1.7, 1.2), 0, 0}),
               buffet::GaussianCollapsed(g.data, {Hyper::gamma(1.3, 0.7), Hyper::gamma(1.4, 0.8)}),
               Rng(seed, stream));
}

inline void advance(buffet::AnyRun& run, int sweeps) {
  while (sweeps-- > 0) run.step([] {});
}

/// Runs the chain to the end; returns the trace.
inline const buffet::Trace& finish(buffet::AnyRun& run) {
  while (!run.finished()) run.step([] {});
  return run.trace();
}

template <class C>
std::unique_ptr<buffet::AnyRun> run_of(C chain, const buffet::Plan& plan) {
  return std::make_unique<buffet::Run<C>>(std::move(chain), plan);
}

template <class Run>
buffet::Chains chains_of(std::vector<Run> runs) {
  std::vector<std::unique_ptr<buffet::AnyRun>> any;
  for (Run& run : runs) any.push_back(std::make_unique<Run>(std::move(run)));
  return buffet::Chains(std::move(any));
}

/// Takes the final snapshots of all chains.
inline std::vector<buffet::Snapshot> take_all(buffet::Chains& chains) {
  std::vector<buffet::Snapshot> all;
  for (int c = 0; c < chains.size(); ++c) all.push_back(chains.take(c));
  return all;
}

/// Runs three chains on `cores` cores; begin(c) makes chain c.
template <class Begin>
std::vector<buffet::Snapshot> run_three(int cores, bool search, Begin begin) {
  std::vector<std::unique_ptr<buffet::AnyRun>> runs;
  for (int c = 0; c < 3; ++c) runs.push_back(run_of(begin(c), {60, 20, 1, search}));
  buffet::Chains chains(std::move(runs));
  chains.work(cores, [](auto&) { return true; });
  return take_all(chains);
}

/// True if the two traces are bit-identical.
inline bool same(const buffet::Trace& a, const buffet::Trace& b) {
  return a.records() == b.records() && a.scalars() == b.scalars() && a.sizes() == b.sizes() &&
         a.bits() == b.bits() && a.loadings() == b.loadings() && a.bytes() == b.bytes() &&
         a.byte_counts() == b.byte_counts();
}

inline bool same(const buffet::Tallies& a, const buffet::Tallies& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const buffet::Tally& x, const buffet::Tally& y) {
                      return x.tried == y.tried && x.accepted == y.accepted;
                    });
}

/// True if `holds(all, part)` for each of the recorded quantities of the two.
template <class Holds>
bool all_parts(const buffet::Trace& whole, const buffet::Trace& part, Holds holds) {
  return holds(whole.scalars(), part.scalars()) && holds(whole.sizes(), part.sizes()) &&
         holds(whole.bits(), part.bits()) && holds(whole.loadings(), part.loadings()) &&
         holds(whole.bytes(), part.bytes()) && holds(whole.byte_counts(), part.byte_counts());
}

/// True if the records in `whole` begin with `start`.
inline bool starts_with(const buffet::Trace& whole, const buffet::Trace& start) {
  return all_parts(whole, start, [](const auto& all, const auto& first) {
    return first.size() <= all.size() && std::equal(first.begin(), first.end(), all.begin());
  });
}

/// True if the records in `whole` end with `end`.
inline bool ends_with(const buffet::Trace& whole, const buffet::Trace& end) {
  return all_parts(whole, end, [](const auto& all, const auto& last) {
    const auto equal = [](auto a, auto b) { return a == b || (a != a && b != b); };  // true for NaN
    return last.size() <= all.size() && std::equal(last.rbegin(), last.rend(), all.rbegin(), equal);
  });
}

}  // namespace test
