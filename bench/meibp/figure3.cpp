// Test log likelihood against time: the synthetic sets of figure 3 of Reed & Ghahramani (2013).
#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

#include "../measure.h"
#include "../meibp.h"

using namespace bench;

namespace {

using buffet::Ascent;

/// A data set, the number of starts, and the step between the rows that are evaluated.
struct Set {
  const char* name;
  NonnegativeWorkload workload;
  int starts, step;
};

/// Writes the points of a curve. A point is omitted if its time is within a tenth of the time of
/// the previous point, unless it is the last one.
class Curve {
 public:
  Curve(const Set& set, const NonnegativeSet& data) : set_(set), data_(data) {}

  void begin(const char* method, int start) {
    method_ = method;
    start_ = start;
    seconds_ = 0;
  }
  void add(double seconds, const State& state, bool last) {
    if (seconds < 1.1 * seconds_ && !last) return;
    seconds_ = seconds;
    const double density = held_out_density(state, data_, set_.step);
    std::printf("%s,%s,%d,%.3f,%.1f,%.6f,%d\n", set_.name, method_, start_, seconds,
                density * static_cast<double>(data_.held_out.size()), density, state.z.size());
    std::fflush(stdout);
  }

 private:
  const Set& set_;
  const NonnegativeSet& data_;
  const char* method_ = "";
  int start_ = 0;
  double seconds_ = 0;
};

template <class Work>
void timed(double& seconds, Work work) {
  seconds += seconds_of(work);
}

/// Runs the ascents in turns, with a point after every round of steps.
void follow(std::vector<Ascent>& ascents, double seconds, Curve& curve) {
  const auto less = [](const Ascent& a, const Ascent& b) {
    return a.result().bound() < b.result().bound();
  };
  for (bool any = true; any;) {
    any = false;
    for (Ascent& ascent : ascents) {
      if (!ascent.finished()) timed(seconds, [&] { ascent.step([] {}); });
      any = any || !ascent.finished();
    }
    curve.add(seconds, std::max_element(ascents.begin(), ascents.end(), less)->result(), !any);
  }
}

/// The maximisation in smaller steps, for data in memory that do not have too many rows.
void run_default(const Input& input, int features, int start, Curve& curve) {
  double seconds = 0;
  std::vector<Ascent> ascents;
  timed(seconds, [&] {
    const State empty = empty_state(input, plan_for(features), learned());
    buffet::Rng random(start, 0), single(start, 1);
    buffet::Bits all(input.data.rows());
    for (int i = 0; i < input.data.rows(); ++i) all.set(i);
    buffet::Features one(input.data.rows());
    one.add(std::move(all));
    State state = random_start(empty, random);
    ascents.emplace_back(std::move(state), random, buffet::Proposals::all, &input.x);
    ascents.emplace_back(state_at(empty, one), single, buffet::Proposals::all, &input.x);
  });
  follow(ascents, seconds, curve);
}

/// The maximisation for many rows; points begin when all rows have features.
void run_large(const Input& input, int features, int start, Curve& curve) {
  double seconds = 0;
  std::optional<Maximisation> run;
  timed(seconds, [&] {
    run.emplace(input.data, &input.x, plan_for(features), learned());
    run->start(start_at(buffet::Features(input.data.rows()), start), [] {});
  });
  while (!run->finished()) {
    timed(seconds, [&] { run->step([] {}); });
    if (run->has_all_rows()) curve.add(seconds, run->best().result(), run->finished());
  }
}

/// The procedure in the paper: its search of rows from a random start, without proposals. Loadings
/// are updated after every changed row or once per sweep.
void run_as_paper(const Input& input, const Model& model, bool by_rows, int features, int start,
                  Curve& curve) {
  double seconds = 0;
  std::vector<Ascent> ascents;
  timed(seconds, [&] {
    buffet::MeibpPlan plan = plan_for(features);
    plan.rule = buffet::RowRule::local;
    plan.by_rows = by_rows;
    buffet::Rng rng(start);
    State state = random_start(empty_state(input, plan, model), rng);
    ascents.emplace_back(std::move(state), rng, buffet::Proposals::none, nullptr);
  });
  follow(ascents, seconds, curve);
}

/// The fixed hyperparameters of the paper: three quarters of the standard deviation of the data.
Model papers(const Input& input) {
  const double mean = input.x.dense().sum() / input.data.observed(),
               square = input.data.total / input.data.observed(),
               sigma = 0.75 * std::sqrt(square - mean * mean);
  return fixed(3, sigma, sigma);
}

void measure(const Set& set) {
  NonnegativeSet data = generate(set.workload, 1);
  const Input input(data.x);
  data.x.resize(0, 0);
  Curve curve(set, data);
  const int features = set.workload.features;
  for (int start = 1; start <= set.starts; ++start) {
    curve.begin("default", start);
    if (input.data.rows() > 5000)
      run_large(input, features, start, curve);
    else
      run_default(input, features, start, curve);
    curve.begin("as the paper", start);
    run_as_paper(input, papers(input), true, features, start, curve);
    curve.begin("as the paper but sweep by sweep", start);
    run_as_paper(input, papers(input), false, features, start, curve);
    curve.begin("as the paper but sigma learned", start);
    run_as_paper(input, learned(), true, features, start, curve);
  }
}

}  // namespace

/// The argument "small" omits the large set, which takes hours.
int main(int count, char**) {
  std::puts("set,method,start,seconds,log_lik,per_entry,features");
  measure({"small", nonneg500, 5, 1});
  if (count == 1) measure({"large", nonneg1e5, 1, 50});
}
