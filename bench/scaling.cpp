// How the time of a sweep grows with the numbers of rows, columns and features.
#include <cmath>
#include <memory>

#include "chains.h"
#include "table.h"

using namespace bench;

namespace {

/// More than 300 rows everywhere: from there on a sweep has the same moves.
const std::vector<int> rows{500, 1000, 2000, 4000, 8000}, columns{25, 50, 100, 200, 400},
    features{5, 10, 20, 40};

Workload of_size(int n, int d, int k) {
  return {"", n, d, k, 0.3};
}

/// Slope of the line through the logarithms, by least squares.
double slope(const std::vector<int>& sizes, const std::vector<double>& seconds) {
  Eigen::MatrixXd design(sizes.size(), 2);
  Eigen::VectorXd log_seconds(sizes.size());
  for (std::size_t n = 0; n < sizes.size(); ++n) {
    design.row(n) << 1, std::log(sizes[n]);
    log_seconds(n) = std::log(seconds[n]);
  }
  return design.colPivHouseholderQr().solve(log_seconds)(1);
}

template <class MakeWorkload>
void measure(const char* what, const std::vector<int>& sizes, MakeWorkload workload) {
  std::vector<std::unique_ptr<SettledChain>> chains;
  std::vector<std::function<void()>> works;
  for (int size : sizes) {
    chains.push_back(std::make_unique<SettledChain>(workload(size)));
    works.push_back([chain = &chains.back()->chain] { chain->sweep(); });
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

}  // namespace

int main() {
  heading("Growth of the time of a sweep",
          {"against", "size: ms", "slope, log-log", "slope at the last doubling"});
  measure("N (D=100, K=10)", rows, [](int n) { return of_size(n, 100, 10); });
  measure("D (N=1000, K=10)", columns, [](int d) { return of_size(1000, d, 10); });
  measure("K (N=1000, D=100)", features, [](int k) { return of_size(1000, 100, k); });
}
