// Growth of the time per sweep, or per iteration of MEIBP, with the numbers of rows, columns and
// features.
#include <memory>

#include "chains.h"
#include "meibp.h"
#include "table.h"

using namespace bench;

namespace {

/// All numbers of rows exceed 300, so that every sweep attempts the same number of moves.
const std::vector<int> rows{500, 1000, 2000, 4000, 8000}, columns{25, 50, 100, 200, 400},
    features{5, 10, 20, 40};

/// One sweep of the collapsed sampler at the posterior.
class Sweep {
 public:
  Sweep(int n, int d, int k) : settled_(Workload{"", n, d, k, 0.3}) {}
  void operator()() { settled_.chain.sweep(); }

 private:
  SettledChain settled_;
};

/// An iteration of MEIBP after the bound has converged.
class Iteration {
 public:
  Iteration(int n, int d, int k) : Iteration(generate(NonnegativeWorkload{"", n, d, k, 0}, 1)) {}
  void operator()() {
    State state = state_;
    state.iterate(rng_, [] {});
  }

 private:
  explicit Iteration(const NonnegativeSet& set)
      : input_(set.x),
        state_(state_at(empty_state(input_, plan_for(set.z.size()), learned()), set.z)) {
    for (int n = 0; n < 5; ++n) state_.iterate(rng_, [] {});
  }

  Input input_;
  State state_;
  buffet::Rng rng_{1};
};

template <class Make>
void measure(const char* what, const std::vector<int>& sizes, Make make) {
  std::vector<decltype(make(0))> made;
  std::vector<std::function<void()>> works;
  for (int size : sizes) {
    made.push_back(make(size));
    works.push_back([work = made.back().get()] { (*work)(); });
  }
  std::vector<double> seconds;
  for (const auto& repeats : seconds_in_turns(works, 15)) seconds.push_back(spread(repeats).median);
  std::string points;
  for (std::size_t n = 0; n < sizes.size(); ++n)
    points += text("%s%d: %.3g", n > 0 ? "; " : "", sizes[n], seconds[n] * 1e3);
  const std::size_t last = sizes.size() - 1;
  row({what, points, text("%.2f", slope(sizes, seconds)),
       text("%.2f", std::log2(seconds[last] / seconds[last - 1]))});
}

template <class Work>
void measure_all(const char* title) {
  heading(title, {"against", "size: ms", "slope, log-log", "slope at the last doubling"});
  measure("N (D=100, K=10)", rows, [](int n) { return std::make_unique<Work>(n, 100, 10); });
  measure("D (N=1000, K=10)", columns, [](int d) { return std::make_unique<Work>(1000, d, 10); });
  measure("K (N=1000, D=100)", features,
          [](int k) { return std::make_unique<Work>(1000, 100, k); });
}

}  // namespace

int main() {
  measure_all<Sweep>("Growth of the time per sweep");
  std::puts("");
  measure_all<Iteration>("Growth of the time per MEIBP iteration");
}
