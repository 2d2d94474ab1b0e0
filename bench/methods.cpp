// Seconds per iteration, and how they grow, for every method with which MEIBP was compared.
#include "comparison/methods.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "measure.h"
#include "table.h"

using namespace bench;

namespace {

/// A method, whether it makes many iterations or only one, and the time per iteration of published
/// programs, in ms.
struct Task {
  const char* title;
  Method method;
  bool whole;
  const char* published;
};

/// Methods that add features one by one start here with all of them.
std::vector<Task> tasks() {
  const auto known = methods();
  const auto one = [&](const char* title, const char* name, const char* published = "") {
    return Task{title, known.at(name), false, published};
  };
  return {one("MEIBP, as published", "meibp", "590 (500 x 500)"),
          one("variational, finite", "f-vibp", "16 to 247 (1000 x 100)"),
          one("variational, infinite", "i-vibp", "16 to 247 (1000 x 100)"),
          {"power EP, normal", {Scale::centred, maker<OneAscent<Imf>>(false)}, false, ""},
          {"power EP, nonnegative", {Scale::shifted, maker<OneAscent<Inmf>>(false)}, false, ""},
          one("Gibbs, collapsed", "aibp"),
          one("the same, truncated", "t-aibp"),
          one("Gibbs, nonnegative", "ugibbs"),
          one("the same, truncated", "t-ugibbs"),
          {"beam search, all rows", known.at("beam"), true, ""},
          one("NMF, modes", "bnmf"),
          one("NMF, draws", "bnmf draws")};
}

/// A method applied to synthetic data.
class Runner {
 public:
  Runner(const Method& method, const NonnegativeWorkload& w)
      : problem_(synthetic(w, 1)), moments_(moments_of(problem_.x)) {
    put_on_scale(problem_, moments_, method.scale);
    input_ = std::make_unique<Input>(problem_.x);
    competitor_ = method.make({problem_, *input_, moments_, w.features, 1});
  }
  Runner(const Runner&) = delete;

  void iterate() { competitor_->iterate(); }
  bool ended() const { return competitor_->ending() == Ending::by_itself; }

 private:
  Problem problem_;
  Moments moments_;
  std::unique_ptr<Input> input_;
  std::unique_ptr<Competitor> competitor_;
};

/// Median time, in ms, of the iterations after the fortieth, or of all iterations.
double milliseconds(const Task& task, const NonnegativeWorkload& w) {
  constexpr int repeats = 15, before = 40;
  Runner run(task.method, w);
  if (task.whole)
    return 1e3 * seconds_of([&] {
             while (!run.ended()) run.iterate();
           });
  for (int n = 0; n < before; ++n) run.iterate();
  std::vector<double> seconds;
  for (int n = 0; n < repeats; ++n) seconds.push_back(seconds_of([&] { run.iterate(); }));
  return 1e3 * spread(seconds).median;
}

std::string slope_against(const Task& task, const std::vector<int>& sizes,
                          const std::function<NonnegativeWorkload(int)>& workload) {
  std::vector<double> times;
  for (int size : sizes) times.push_back(milliseconds(task, workload(size)));
  return text("%.2f", slope(sizes, times));
}

}  // namespace

int main() {
  heading("Every method: one iteration",
          {"method", "nonneg500: ms", "1000 x 100, K = 20: ms", "published: ms", "slope in N",
           "slope in D", "slope in K"});
  const auto of = [](int n, int d, int k) { return NonnegativeWorkload{"", n, d, k, 0.2}; };
  for (const Task& task : tasks())
    row({task.title, text("%.2f", milliseconds(task, nonneg500)),
         text("%.2f", milliseconds(task, of(1000, 100, 20))), task.published,
         slope_against(task, {500, 1000, 2000, 4000}, [&](int n) { return of(n, 100, 10); }),
         slope_against(task, {50, 100, 200, 400}, [&](int d) { return of(1000, d, 10); }),
         slope_against(task, {5, 10, 20, 40}, [&](int k) { return of(1000, 100, k); })});
}
