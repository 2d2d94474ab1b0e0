#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/logistic_normal.h"
#include "gibbs/gibbs.h"
#include "likelihood/binary_data.h"
#include "likelihood/logistic.h"
#include "prior/exchangeable.h"
#include "workloads.h"

namespace bench {

/// Data from the logistic model: weights with sd 2, biases with sd 1, one entry in twenty missing.
struct BinaryWorkload {
  int rows, columns, features;
  double density = 0.3;  ///< z ~ Bernoulli(density)
};

struct HiddenEntry {
  int row, column;
  bool one;
};

struct BinarySet {
  buffet::Features z;
  buffet::BinaryData data;
  std::vector<HiddenEntry> hidden;  ///< true values of the missing entries
};

/// The data set of a workload with this number.
inline BinarySet generate(const BinaryWorkload& w, std::uint64_t number) {
  buffet::Rng rng(number, 100);
  buffet::Features z = draw_features(w, rng);
  const Eigen::MatrixXd weights = draw_normal(w.columns, w.features, 2, rng);
  Eigen::MatrixXd psi = draw_normal(w.columns, 1, 1, rng).replicate(1, w.rows);
  for (int k = 0; k < z.size(); ++k)
    z.column(k).for_each([&](int i) { psi.col(i) += weights.col(k); });
  buffet::BinaryData::Signs signs(w.columns, w.rows);
  std::vector<HiddenEntry> hidden;
  for (int i = 0; i < w.rows; ++i)
    for (int j = 0; j < w.columns; ++j) {
      const bool one = rng.bernoulli(buffet::sigmoid(psi(j, i)));
      const bool hides = rng.bernoulli(0.05);
      signs(j, i) = static_cast<signed char>(hides ? 0 : one ? 1 : -1);
      if (hides) hidden.push_back({i, j, one});
    }
  return {std::move(z), buffet::BinaryData(std::move(signs)), std::move(hidden)};
}

/// A chain that starts from these features; everything is learned under Gamma(1, 1) priors.
template <class Likelihood = buffet::Logistic>
buffet::Gibbs<buffet::Exchangeable, Likelihood> binary_chain(buffet::Features z,
                                                             const buffet::BinaryData& data,
                                                             buffet::Rng rng) {
  const auto learned = buffet::Hyper::gamma(1, 1);
  return {std::move(z), buffet::Exchangeable(data.rows(), {learned}),
          Likelihood(data, {learned, learned, true}), rng};
}
using LogisticChain = buffet::Gibbs<buffet::Exchangeable, buffet::Logistic>;

/// A data set, and a chain that has made this many sweeps from the truth.
struct SettledBinary {
  BinarySet set;
  LogisticChain chain;

  SettledBinary(const BinaryWorkload& w, std::uint64_t number, int sweeps)
      : set(generate(w, number)), chain(binary_chain(set.z, set.data, buffet::Rng(number))) {
    for (int n = 0; n < sweeps; ++n) chain.sweep();
  }
  SettledBinary(const SettledBinary&) = delete;
};

}  // namespace bench
