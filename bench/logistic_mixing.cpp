// Binary data: how fast the number of features mixes, compared with the sampler from Neal's
// lecture.
#include "binary.h"
#include "effective.h"
#include "likelihood/logistic.h"
#include "measure.h"
#include "table.h"

using namespace bench;

namespace {

constexpr int data_sets = 4;

struct Mixing {
  double features = 0, seconds = 0, effective = 0;

  double per_second() const { return effective / seconds; }
};

/// Makes sweeps from the state of another chain.
template <class Likelihood>
Mixing mixing_from(const SettledBinary& settled, int sweeps) {
  const LogisticChain& from = settled.chain;
  auto chain = binary_chain<Likelihood>(from.z, settled.set.data, buffet::Rng(1, 200));
  chain.prior.adopt(from.prior);
  chain.likelihood.adopt(from.likelihood, from.z);
  std::vector<double> features;
  Mixing mixing;
  mixing.seconds = seconds_of([&] {
    for (int n = 0; n < sweeps; ++n) {
      chain.sweep();
      features.push_back(chain.z.size());
    }
  });
  for (double k : features) mixing.features += k / sweeps;
  mixing.effective = effective_draws(features);
  return mixing;
}

template <class Quantity>
Spread spread_of(const std::vector<Mixing>& all, Quantity quantity) {
  std::vector<double> values;
  for (const Mixing& mixing : all) values.push_back(quantity(mixing));
  return spread(values);
}

/// The chains of one sampler, one per data set.
struct Sampler {
  const char* name;
  int sweeps;
  std::vector<Mixing> chains;
};

void print(int rows, const Sampler& sampler, const std::string& ratio, const std::string& target) {
  const auto& [name, sweeps, chains] = sampler;
  const double n = sweeps;
  row({text("%d", rows), name, text("%d", sweeps),
       with_range(spread_of(chains, [](const Mixing& m) { return m.features; }), 1),
       text("%.3g", spread_of(chains, [=](const Mixing& m) { return m.seconds / n; }).median * 1e3),
       with_range(spread_of(chains, [=](const Mixing& m) { return n / m.effective; }), 0),
       text("%.0f", spread_of(chains, [](const Mixing& m) { return m.effective; }).least),
       with_range(spread_of(chains, [](const Mixing& m) { return m.per_second(); }), 1), ratio,
       target});
}

void measure(int rows, Sampler ours, Sampler neal, const char* target) {
  std::vector<double> ratio;
  for (int number = 1; number <= data_sets; ++number) {
    const SettledBinary settled({rows, 60, 5}, number, 500);
    ours.chains.push_back(mixing_from<buffet::Logistic>(settled, ours.sweeps));
    neal.chains.push_back(mixing_from<buffet::LogisticNeal>(settled, neal.sweeps));
    ratio.push_back(ours.chains.back().per_second() / neal.chains.back().per_second());
  }
  const Spread times = spread(ratio);
  print(rows, ours, with_range(times, 1), marked(target, times.median >= std::atof(target)));
  print(rows, neal, "", "");
}

}  // namespace

int main() {
  heading("Binary data: effective draws of the number of features, range over four data sets",
          {"N", "sampler", "sweeps each", "mean K", "ms per sweep", "sweeps per effective draw",
           "fewest effective draws", "effective draws per s", "ratio to Neal's", "target"});
  measure(200, {"default", 4000, {}}, {"Neal's", 8000, {}}, "3");
  measure(1000, {"default", 4000, {}}, {"Neal's", 8000, {}}, "8");
}
