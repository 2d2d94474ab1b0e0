// The time per sweep for weighted features and its growth, compared with the collapsed sampler for
// binary features.
#include <memory>

#include "table.h"
#include "weighted.h"

using namespace bench;
using buffet::NoiseOf;

namespace {

constexpr Workload loadings{"", 100, 1000, 10, 0.3}, narrow{"", 100, 100, 5, 0.3},
    broad{"", 100, 10000, 5, 0.3};
const std::vector<int> rows{250, 500, 1000, 2000, 4000}, columns{25, 50, 100, 200, 400};

void measure_sweeps() {
  SettledChain collapsed(gauss1000);
  NormalWeights normal(gauss1000, NoiseOf::column), common(gauss1000, NoiseOf::all),
      sparse(loadings, NoiseOf::row);
  NonnegativeWeights nonnegative(gauss1000, NoiseOf::column);
  LaplaceWeights laplace(gauss1000, NoiseOf::column);
  CountWeights counts(gauss1000, NoiseOf::column);
  const auto seconds = seconds_in_turns(
      {[&] { collapsed.chain.sweep(); }, [&] { normal(); }, [&] { common(); }, [&] { sparse(); },
       [&] { nonnegative(); }, [&] { laplace(); }, [&] { counts(); }},
      41);

  heading("Weighted features: one sweep",
          {"weights", "noise", "N x D, mean K", "ms (quartiles)",
           "ratio to the collapsed sampler on gauss1000 (quartiles)", "target"});
  const auto write = [&](const char* weights, const char* noise, const Workload& w, int work,
                         double features, const char* target) {
    const Spread ratio = spread(ratios(seconds[work], seconds[0]));
    row({weights, noise, text("%d x %d, %.1f", w.rows, w.columns, features),
         with_quartiles(spread(seconds[work]), 1e3), with_quartiles(ratio),
         at_most(target, ratio.median)});
  };
  write("normal", "of each column", gauss1000, 1, normal.features(), "4");
  write("normal", "common", gauss1000, 2, common.features(), "");
  write("normal", "of each row", loadings, 3, sparse.features(), "");
  write("nonnegative", "of each column", gauss1000, 4, nonnegative.features(), "");
  write("Laplace", "of each column", gauss1000, 5, laplace.features(), "");
  write("counts", "of each column", gauss1000, 6, counts.features(), "");
}

template <class Make>
void measure_growth(const char* against, const std::vector<int>& sizes, Make workload) {
  std::vector<std::unique_ptr<NormalWeights>> chains;
  std::vector<std::function<void()>> works;
  for (int size : sizes) {
    chains.push_back(std::make_unique<NormalWeights>(workload(size), NoiseOf::column));
    works.push_back([chain = chains.back().get()] { (*chain)(); });
  }
  std::vector<double> medians;
  for (const auto& repeats : seconds_in_turns(works, 15)) medians.push_back(spread(repeats).median);
  std::string points;
  for (std::size_t n = 0; n < sizes.size(); ++n)
    points += text("%s%d: %.3g", n > 0 ? "; " : "", sizes[n], medians[n] * 1e3);
  const std::size_t last = sizes.size() - 1;
  const double overall = slope(sizes, medians);
  row({against, points, text("%.2f", overall),
       text("%.2f", std::log2(medians[last] / medians[last - 1])), at_most("1.05", overall)});
}

void measure_many_columns() {
  NormalWeights many(broad, NoiseOf::column), few(narrow, NoiseOf::column);
  const auto seconds = seconds_in_turns({[&] { many(); }, [&] { few(); }}, 41);
  heading("Weighted features: many columns", {"figure", "measured (quartiles)"});
  row({"ms per sweep, N=100, D=10,000, K=5", with_quartiles(spread(seconds[0]), 1e3)});
  row({"ms per sweep, N=100, D=100, K=5", with_quartiles(spread(seconds[1]), 1e3)});
  row({"ratio", with_quartiles(spread(ratios(seconds[0], seconds[1])))});
}

}  // namespace

int main() {
  measure_sweeps();
  std::puts("");
  heading("Weighted features: growth of the time per sweep",
          {"against", "size: ms", "slope, log-log", "slope at the last doubling", "target"});
  measure_growth("N (D=100, K=10)", rows, [](int n) { return Workload{"", n, 100, 10, 0.3}; });
  measure_growth("D (N=1000, K=10)", columns, [](int d) { return Workload{"", 1000, d, 10, 0.3}; });
  std::puts("");
  measure_many_columns();
}
