#include "choice_runs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

#include "maker.h"

namespace buffet {

namespace {

/// One feature per item; if fewer are allowed, items are assigned to them at random. Every choice
/// then has positive probability.
Features one_each(int rows, int most, Rng& rng) {
  const int size = std::min(rows, most);
  std::vector<Bits> columns(size, Bits(rows));
  std::vector<int> order;
  rng.permutation(rows, order);
  for (int n = 0; n < rows; ++n) columns[n % size].set(order[n]);
  Features z(rows);
  for (Bits& column : columns) z.add(std::move(column));
  return z;
}

/// Starts a chain from these features, with weights drawn given them.
template <class Chain>
void put_with_weights(Chain& chain, Features features, const Start& from, const Check& check) {
  put(chain, std::move(features), from);
  if (!std::isfinite(chain.likelihood.log_lik(chain.z)))
    throw std::invalid_argument(
        "`epsilon` must be above 0 where the features of `prior` or `init` rule out a choice that "
        "was made, not 0.");
  for (int n = 0; n < 200; ++n) {
    check();
    chain.likelihood.update(chain.z, chain.rng);
  }
}

/// Drops the feature whose removal leaves the highest likelihood of the judgements.
void drop_least(Features& z, Choice& likelihood) {
  int least = 0;
  double best = -std::numeric_limits<double>::infinity();
  for (int k = 0; k < z.size(); ++k) {
    const double log_ratio = likelihood.log_ratio_lost(z.column(k), k);
    if (log_ratio > best) {
      best = log_ratio;
      least = k;
    }
  }
  likelihood.lose(least, z.column(least));
  likelihood.settle(z.column(least));
  z.drop(least);
}

/// An Indian buffet process with a mean of `wanted` features and at most `most`.
Exchangeable buffet_of(int rows, int wanted, int most) {
  double harmonic = 0;
  for (int i = 1; i <= rows; ++i) harmonic += 1.0 / i;
  Exchangeable::Spec spec{Hyper::fixed(wanted / harmonic)};
  spec.max_features = most;
  return Exchangeable(rows, spec);
}

/// Features found by a chain that starts without a limit on their number and then loses the least
/// important ones step by step. If the remaining ones rule out an observed choice, random features
/// are used instead.
Features narrowed_to(int wanted, const Choice& likelihood, Rng& rng, const Check& check) {
  const int rows = likelihood.data().rows();
  auto chain = chain_of(buffet_of(rows, wanted, rows), likelihood, rng);
  put_with_weights(chain, one_each(rows, rows, chain.rng), {}, check);
  const auto run = [&](int sweeps) {
    for (int t = 0; t < sweeps; ++t) chain.sweep(check);
  };
  run(100);
  while (chain.z.size() > wanted) {
    // Drops one feature at a time once few are left.
    for (int n = 1 + (chain.z.size() - wanted) / 20; n > 0; --n) {
      check();
      drop_least(chain.z, chain.likelihood);
    }
    chain.prior = buffet_of(rows, wanted, chain.z.size());
    run(20);
  }
  rng = std::move(chain.rng);
  const bool possible = std::isfinite(chain.likelihood.log_density());
  return possible ? std::move(chain.z) : one_each(rows, wanted, rng);
}

/// The duration of a run grows with about the cube of the number of items.
inline int runs_for(int rows) {
  return rows > 30 ? 1 : std::max(6, 120 / rows);
}

/// The best of several short runs; the fewer the items, the more runs. If items have to share
/// features from the outset, they often share the wrong ones permanently.
template <class Chain>
void start_sharing(Chain& chain, int most, const Start& from, const Check& check) {
  Chain best = chain;
  double best_log_lik = -std::numeric_limits<double>::infinity();
  for (int n = runs_for(chain.z.rows()); n > 0; --n) {
    put_with_weights(chain, narrowed_to(most, chain.likelihood, chain.rng, check), from, check);
    for (int t = 0; t < 100; ++t) chain.sweep(check);
    const double log_lik = chain.likelihood.log_lik(chain.z);
    if (log_lik > best_log_lik) {
      best = chain;
      best_log_lik = log_lik;
    }
    best.rng = chain.rng;
  }
  chain = std::move(best);
}

/// Starts from the given features, or one per item. Chains that start from random features and
/// weights get stuck far below the main mode. bare: no search, even if fewer features than items
/// are allowed.
template <class Chain>
void start_choices(Chain& chain, const Start& from, bool bare, const Check& check) {
  const int rows = chain.z.rows(), most = chain.prior.most_features();
  if (from.features)
    put_with_weights(chain, *from.features, from, check);
  else if (most < rows && !bare)
    start_sharing(chain, most, from, check);
  else
    put_with_weights(chain, one_each(rows, most, chain.rng), from, check);
}

}  // namespace

RunMaker choice_runs(const AnyPrior& prior, const Choice& likelihood) {
  return std::visit(
      [&](const auto& of) -> RunMaker {
        return [=](const Start& from, Rng rng, const Plan& plan, const Check& check) {
          auto chain = chain_of(of, likelihood, std::move(rng));
          start_choices(chain, from, plan.bare, check);
          return run_of(std::move(chain), plan);
        };
      },
      prior);
}

}  // namespace buffet
