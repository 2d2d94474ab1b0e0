// If the number of features is uncertain, shows whether its posterior depends on where the chain
// starts.
#include <array>
#include <cmath>

#include "chains.h"
#include "table.h"

using namespace bench;

namespace {

constexpr int data_sets = 20, sweeps = 1000;

/// The distribution of K over the sweeps of a chain.
struct Distribution {
  std::array<double, 100> share{};
  double mean = 0;

  explicit Distribution(Chain& chain) {
    for (int n = 0; n < sweeps; ++n) {
      chain.sweep();
      share[std::min(chain.z.size(), 99)] += 1.0 / sweeps;
      mean += chain.z.size() / double(sweeps);
    }
  }
};

double total_variation(const Distribution& a, const Distribution& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.share.size(); ++k) sum += std::abs(a.share[k] - b.share[k]);
  return sum / 2;
}

}  // namespace

int main() {
  heading("images100, sigma learned: the number of features in 1000 sweeps",
          {"data set", "mean K from a random start", "mean K from the truth", "total variation",
           "total variation between two chains from the truth"});
  std::vector<double> apart, between, yardstick;
  for (int number = 1; number <= data_sets; ++number) {
    Trial trial(images100, Sigma::learned, number);
    Chain other = chain_at(trial.truth, trial.data, Sigma::learned, buffet::Rng(number, 2));
    sweep(other, 150);
    const Distribution found(trial.found), first(trial.from_truth), second(other);
    apart.push_back(found.mean - first.mean);
    between.push_back(total_variation(found, first));
    yardstick.push_back(total_variation(first, second));
    row({text("%d", number), text("%.2f", found.mean), text("%.2f", first.mean),
         text("%.2f", between.back()), text("%.2f", yardstick.back())});
  }
  row({"median (range)", with_range(spread(apart), 2) + " more", "", with_range(spread(between), 2),
       with_range(spread(yardstick), 2)});
}
