// Memory used by the saved draws, and peak memory of a run on many columns.
#include <sys/resource.h>

#include "chains.h"
#include "gibbs/run.h"
#include "table.h"

using namespace bench;

namespace {

constexpr double megabyte = 1e6;

/// The peak memory of this process so far, in megabytes.
double peak() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * 1024.0 / megabyte;
}

struct Kept {
  double features = 0, scalars = 0;  ///< megabytes
};

/// 1000 draws from each of four chains, which start from the truth.
Kept keep_draws(const Workload& w) {
  const SettledChain settled(w);
  Kept kept;
  for (int c = 0; c < 4; ++c) {
    buffet::Run<Chain> run(chain_at(settled.truth, settled.data, Sigma::learned, buffet::Rng(1, c)),
                           {1000, 0, 1, false});
    while (!run.finished()) run.step([] {});
    const buffet::Trace& trace = run.trace();
    kept.features +=
        (trace.sizes().size() * sizeof(int) + trace.bits().size() * sizeof(std::uint64_t)) /
        megabyte;
    kept.scalars += trace.scalars().size() * sizeof(double) / megabyte;
  }
  return kept;
}

}  // namespace

int main() {
  const double before = peak();
  { const SettledChain settled(many_columns); }
  const double used = peak() - before;
  const double data = 8.0 * many_columns.rows * many_columns.columns / megabyte;
  const Kept kept = keep_draws(gauss1000);

  heading("Memory", {"figure", "MB", "target"});
  row({"Z in 1000 draws of 4 chains, N=1000, K=10", text("%.1f", kept.features),
       at_most("10", kept.features)});
  row({"scalars of the same draws", text("%.2f", kept.scalars), ""});
  row({text("core on N=100, D=76,800, %.0f MB of data", data), text("%.0f", used),
       at_most(text("%.0f", 2 * data).c_str(), used)});
}
