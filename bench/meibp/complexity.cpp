// The cost of an iteration as a function of the numbers of rows, columns and features: table 1 of
// Reed & Ghahramani (2013), measured.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "../comparison/methods.h"
#include "../measure.h"

using namespace bench;

namespace {

constexpr int rows = 1000, columns = 200, features = 16;
constexpr const char* chosen[] = {"meibp", "meibp by sweeps", "f-vibp", "t-aibp", "t-ugibbs"};

/// The minimum processor time over five iterations, after two that are discarded.
double seconds_of_iteration(const NonnegativeWorkload& w, const char* name) {
  Problem problem = synthetic(w, 1);
  const Method method = methods().at(name);
  const Moments moments = moments_of(problem.x);
  put_on_scale(problem, moments, method.scale);
  const Input input(problem.x);
  const auto competitor = method.make({problem, input, moments, w.features, 1});
  for (int n = 0; n < 2; ++n) competitor->iterate();
  double least = INFINITY;
  for (int n = 0; n < 5; ++n) least = std::min(least, seconds_of([&] { competitor->iterate(); }));
  return least;
}

void measure(const char* grows, const NonnegativeWorkload& w) {
  for (const char* name : chosen)
    std::printf("%s,%s,%d,%d,%d,%.6f\n", name, grows, w.rows, w.columns, w.features,
                seconds_of_iteration(w, name));
  std::fflush(stdout);
}

}  // namespace

int main() {
  std::puts("method,grows,rows,columns,features,seconds");
  for (int times : {1, 2, 4, 8, 16}) {
    measure("rows", {"", rows * times, columns, features});
    measure("columns", {"", rows, columns * times, features});
    measure("features", {"", rows, columns, 4 * times});
  }
}
