// Binary data: the time of a sweep at the posterior, and how it grows.
#include <memory>

#include "binary.h"
#include "measure.h"
#include "table.h"

using namespace bench;

namespace {

/// Every tenth sweep moves whole features, so that twenty one after the other have what two such
/// cycles have.
class Sweeps {
 public:
  static constexpr int each = 20;

  explicit Sweeps(const BinaryWorkload& w) : settled_(w, 1, 100) {}
  void operator()() {
    for (int n = 0; n < each; ++n) {
      settled_.chain.sweep();
      features_ += settled_.chain.z.size();
    }
    sweeps_ += each;
  }
  double mean_features() const { return features_ / sweeps_; }

 private:
  SettledBinary settled_;
  double features_ = 0, sweeps_ = 0;
};

Spread per_sweep(std::vector<double> seconds) {
  for (double& s : seconds) s /= Sweeps::each;
  return spread(seconds);
}

/// One exp an entry, of log odds between -10 and 10.
class Exponentials {
 public:
  explicit Exponentials(const BinaryWorkload& w)
      : psi_(10 * Eigen::ArrayXXd::Random(w.columns, w.rows)), out_(w.columns, w.rows) {}
  void operator()() { out_ = psi_.exp(); }

 private:
  Eigen::ArrayXXd psi_, out_;
};

void measure_sweep(const BinaryWorkload& w, const char* target) {
  Sweeps sweeps(w);
  Exponentials exponentials(w);
  const auto seconds = seconds_in_turns({[&] { sweeps(); }, [&] { exponentials(); }}, 21);
  std::vector<double> ratio = ratios(seconds[0], seconds[1]);
  for (double& r : ratio) r /= Sweeps::each;
  row({text("%d x %d, %.1f", w.rows, w.columns, sweeps.mean_features()),
       with_quartiles(per_sweep(seconds[0]), 1e3), with_quartiles(spread(ratio)), target});
}

struct Growth {
  const char* what;
  std::vector<int> sizes;
  const char* target;
  bool features = false;  ///< are the sizes numbers of features? Then what the chains have counts.
};

template <class Make>
void measure_growth(const Growth& growth, Make make) {
  std::vector<std::unique_ptr<Sweeps>> made;
  std::vector<std::function<void()>> works;
  for (int size : growth.sizes) {
    made.push_back(std::make_unique<Sweeps>(make(size)));
    works.push_back([work = made.back().get()] { (*work)(); });
  }
  std::vector<double> sizes, seconds;
  for (const auto& repeats : seconds_in_turns(works, 9))
    seconds.push_back(per_sweep(repeats).median);
  std::string points;
  for (std::size_t n = 0; n < made.size(); ++n) {
    const double mean = made[n]->mean_features();
    sizes.push_back(growth.features ? mean : growth.sizes[n]);
    points += text("%s%d (%.1f): %.3g", n > 0 ? "; " : "", growth.sizes[n], mean, seconds[n] * 1e3);
  }
  const auto last = [](const std::vector<double>& x) { return std::vector(x.end() - 2, x.end()); };
  row({growth.what, points, text("%.2f", slope(sizes, seconds)),
       text("%.2f", slope(last(sizes), last(seconds))), growth.target});
}

}  // namespace

int main() {
  heading("Binary data: one sweep",
          {"N x D, mean K", "ms (quartiles)", "one exp an entry (quartiles)", "target"});
  measure_sweep({500, 60, 5}, "3.5 ms");
  measure_sweep({1000, 100, 10}, "15 ms");
  std::puts("");
  heading(
      "Binary data: growth of the time of a sweep",
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
