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

/// One feature an item; where the prior has fewer, items share them at random.
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

/// Puts a chain at these features, with weights for them.
template <class Chain>
void put_with_weights(Chain& chain, Features features, const Start& from) {
  put(chain, std::move(features), from);
  if (!std::isfinite(chain.likelihood.log_lik(chain.z)))
    throw std::invalid_argument(
        "`epsilon` must be above 0 where the features of `prior` or `init` rule out a choice that "
        "was made, not 0.");
  for (int n = 0; n < 200; ++n) chain.likelihood.update(chain.z, chain.rng);
}

/// The best of short runs, 40 with nine items and fewer with more: items that must share features
/// at once often do so wrongly, for good.
template <class Chain>
void start_sharing(Chain& chain, int most, const Start& from, const Check& check) {
  Chain best = chain;
  double best_log_lik = -std::numeric_limits<double>::infinity();
  for (int n = std::max(4, 360 / chain.z.rows()); n > 0; --n) {
    check();
    put_with_weights(chain, one_each(chain.z.rows(), most, chain.rng), from);
    for (int t = 0; t < 100; ++t) chain.sweep();
    const double log_lik = chain.likelihood.log_lik(chain.z);
    if (log_lik > best_log_lik) {
      best = chain;
      best_log_lik = log_lik;
    }
    best.rng = chain.rng;
  }
  chain = std::move(best);
}

/// From its features or one each. From random features and weights chains freeze far below the main
/// mode.
template <class Chain>
void start_choices(Chain& chain, const Start& from, const Check& check) {
  const int rows = chain.z.rows(), most = chain.prior.most_features();
  if (from.features)
    put_with_weights(chain, *from.features, from);
  else if (most < rows)
    start_sharing(chain, most, from, check);
  else
    put_with_weights(chain, one_each(rows, most, chain.rng), from);
}

}  // namespace

RunMaker choice_runs(const AnyPrior& prior, const Choice& likelihood) {
  return std::visit(
      [&](const auto& of) -> RunMaker {
        return [=](const Start& from, Rng rng, const Plan& plan, const Check& check) {
          auto chain = chain_of(of, likelihood, std::move(rng));
          start_choices(chain, from, check);
          return run_of(std::move(chain), plan);
        };
      },
      prior);
}

}  // namespace buffet
