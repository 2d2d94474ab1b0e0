// Binary data: time per sweep at the posterior, and how it grows.
#include <memory>

#include "binary.h"
#include "measure.h"
#include "sweeps.h"
#include "table.h"

using namespace bench;

namespace {

using BinarySweeps = Sweeps<SettledBinary>;

/// One exp() per entry, for log odds between -10 and 10.
class Exponentials {
 public:
  explicit Exponentials(const BinaryWorkload& w)
      : psi_(10 * Eigen::ArrayXXd::Random(w.columns, w.rows)), out_(w.columns, w.rows) {}
  void operator()() { out_ = psi_.exp(); }

 private:
  Eigen::ArrayXXd psi_, out_;
};

void measure_sweep(const BinaryWorkload& w, const char* target) {
  BinarySweeps sweeps(w, 1, 100);
  Exponentials exponentials(w);
  const auto seconds = seconds_in_turns({[&] { sweeps(); }, [&] { exponentials(); }}, 21);
  std::vector<double> ratio = ratios(seconds[0], seconds[1]);
  for (double& r : ratio) r /= BinarySweeps::each;
  const Spread sweep = BinarySweeps::per_sweep(seconds[0]);
  row({text("%d x %d, %.1f", w.rows, w.columns, sweeps.mean_features()), with_quartiles(sweep, 1e3),
       with_quartiles(spread(ratio)), at_most(target, sweep.median * 1e3)});
}

struct Growth {
  const char* what;
  std::vector<int> sizes;
  const char* target;
  bool features = false;  ///< true if the sizes are numbers of features; then the chains' own
                          ///< numbers are used
};

template <class Make>
void measure_growth(const Growth& growth, Make make) {
  std::vector<std::unique_ptr<BinarySweeps>> made;
  for (int size : growth.sizes) made.push_back(std::make_unique<BinarySweeps>(make(size), 1, 100));
  const SweepGrowth found = growth_of(growth.sizes, std::move(made), 9);
  const std::vector<double> sizes =
      growth.features ? found.features
                      : std::vector<double>(growth.sizes.begin(), growth.sizes.end());
  const auto last = [](const std::vector<double>& x) { return std::vector(x.end() - 2, x.end()); };
  const double overall = slope(sizes, found.seconds);
  row({growth.what, found.points, text("%.2f", overall),
       text("%.2f", slope(last(sizes), last(found.seconds))), at_most(growth.target, overall)});
}

}  // namespace

int main() {
  heading("Binary data: one sweep",
          {"N x D, mean K", "ms (quartiles)", "one exp per entry (quartiles)", "target"});
  measure_sweep({500, 60, 5}, "3.5 ms");
  measure_sweep({1000, 100, 10}, "15 ms");
  std::puts("");
  heading(
      "Binary data: growth of the time per sweep",
      {"against", "size (mean K): ms", "slope, log-log", "slope at the last doubling", "target"});
  measure_growth({"N (D=100, K=10)", {250, 500, 1000, 2000, 4000}, "1.05"}, [](int n) {
    return BinaryWorkload{n, 100, 10};
  });
  measure_growth({"D (N=1000, K=10)", {25, 50, 100, 200, 400}, "1.05"}, [](int d) {
    return BinaryWorkload{1000, d, 10};
  });
  measure_growth({"K (N=1000, D=100)", {2, 4, 8, 16, 32}, "1", true}, [](int k) {
    return BinaryWorkload{1000, 100, k};
  });
}
