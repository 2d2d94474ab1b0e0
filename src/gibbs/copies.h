#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "core/check.h"
#include "core/features.h"
#include "core/number_law.h"
#include "core/tally.h"
#include "likelihood/weight_prior.h"

namespace buffet {

/// Groups of equal columns of Z, by their indices.
inline std::vector<std::vector<int>> equal_columns(const Features& z) {
  std::vector<int> order(z.size());
  for (int k = 0; k < z.size(); ++k) order[k] = k;
  std::sort(order.begin(), order.end(), [&](int k, int l) { return z.column(k) < z.column(l); });
  std::vector<std::vector<int>> groups;
  for (int k : order) {
    if (groups.empty() || !(z.column(groups.back()[0]) == z.column(k))) groups.emplace_back();
    groups.back().push_back(k);
  }
  return groups;
}

/// For every set of rows that some feature has, draws the number of features with these rows given
/// the sum of their weights, then the individual weights. Used with priors that count copies.
struct RedrawCopies {
  static constexpr const char* name = "copies";

  template <class Chain>
  static Tally run(Chain& chain, const Check& = no_check) {
    auto& [z, prior, likelihood, rng] = chain;
    Tally tally;
    if (!prior.counts_copies()) return tally;
    std::vector<int> dropped;
    std::vector<std::pair<Bits, double>> added;
    std::vector<double> parts;
    int size = z.size();
    for (const auto& group : equal_columns(z)) {
      const Bits& rows = z.column(group[0]);
      const int before = static_cast<int>(group.size()), others = size - before;
      Copies copies{before, 0};
      for (int k : group) copies.weight += likelihood.loadings()[k];
      const double log_rate = prior.log_copies(rows);
      const auto log_ratio = [&](int j) { return log_rate + prior.log_number_ratio(others, j); };
      copies.count = likelihood.prior().draw_count(copies.weight, log_ratio, rng);
      likelihood.prior().split(copies, rng, parts);
      for (int n = 0; n < std::min(before, copies.count); ++n)
        likelihood.set_weight(group[n], parts[n]);
      for (int n = copies.count; n < before; ++n) dropped.push_back(group[n]);
      for (int n = before; n < copies.count; ++n) added.emplace_back(rows, parts[n]);
      size = others + copies.count;
      tally.add(copies.count != before);
    }
    std::sort(dropped.rbegin(), dropped.rend());  // from last to first, because drop() moves the
                                                  // last column
    for (int k : dropped) {
      z.drop(k);
      likelihood.drop(k);
    }
    for (auto& [rows, weight] : added) {
      z.add(std::move(rows));
      prior.born(z, z.size() - 1);
      likelihood.append(weight);
    }
    return tally;
  }
};

/// Draws the number and weights of the features that all rows have from the prior, because choices
/// do not depend on them.
struct RedrawHeldByAll {
  static constexpr const char* name = "held by all";

  template <class Chain>
  static Tally run(Chain& chain, const Check& = no_check) {
    auto& [z, prior, likelihood, rng] = chain;
    const int before = z.size();
    for (int k = z.size() - 1; k >= 0; --k)
      if (z.count(k) == z.rows()) {
        z.drop(k);
        likelihood.drop(k);
      }
    const int others = z.size();
    const double log_rate = prior.log_held_by_all();
    NumberLaw law;
    law.set([&](int j) { return log_rate + prior.log_number_ratio(others, j); });
    for (int count = law.draw(rng); count > 0; --count) {
      z.add(complement(Bits(z.rows()), z.rows()));
      prior.added_to_all(z, z.size() - 1, rng);
      likelihood.append(likelihood.prior().draw(1, rng));
    }
    Tally tally;
    tally.add(z.size() != before);
    return tally;
  }
};

}  // namespace buffet
