// One method on one data set: held-out log density against time, as in figures 3 and 4 of Reed &
// Ghahramani (2013).
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

#include "../measure.h"
#include "methods.h"

using namespace bench;

namespace {

/// Runs iterations until the method stops or the time is up.
class Race {
 public:
  Race(const Problem& problem, double cap, std::string label)
      : problem_(problem), cap_(cap), label_(std::move(label)) {}

  /// `seconds`: the time that the initialisation has taken.
  void run(Competitor& c, double seconds) {
    Rest rest;
    for (int n = 1; !over_; ++n) {
      seconds += seconds_of([&] { c.iterate(); });
      const bool rests = rest.reached_with(c.has_state() ? c.training() : NAN);
      if (c.ending() == Ending::by_itself) return end(c, n, seconds, "converged");
      if (seconds > cap_) return end(c, n, seconds, "capped");
      if (n % 5 > 0) continue;
      if (rests && c.ending() == Ending::by_rule) return end(c, n, seconds, "converged");
      if (c.has_state() && seconds > 1.25 * last_)
        print(c, {n, seconds, "going", problem_.step_on_way});
    }
  }

 private:
  struct Point {
    int iteration;
    double seconds;
    const char* state;
    int step;
  };

  void end(const Competitor& c, int n, double seconds, const char* state) {
    over_ = true;
    print(c, {n, seconds, state, problem_.step_end});
  }

  void print(const Competitor& c, const Point& p) {
    last_ = p.seconds;
    const double density = c.has_state() ? c.log_density({problem_, p.step}).mean() : NAN;
    std::printf("%s,%d,%.4f,%.1f,%.5f,%d,%s\n", label_.c_str(), p.iteration, p.seconds,
                c.training(), density, c.features(), p.state);
    std::fflush(stdout);
  }

  const Problem& problem_;
  double cap_, last_ = 0;
  std::string label_;
  bool over_ = false;
};

int main_of(char** arguments) {
  const std::string name = arguments[1], method = arguments[2];
  const auto known = methods();
  if (known.count(method) == 0) throw std::runtime_error("unknown method " + method);
  const Method& chosen = known.at(method);
  Problem problem = problem_of(name);
  const Moments moments = moments_of(problem.x);
  put_on_scale(problem, moments, chosen.scale);
  const Input input(problem.x);
  const int features = std::atoi(arguments[3]), seed = std::atoi(arguments[4]);
  const Entry entry{problem, input, moments, features, seed};
  std::unique_ptr<Competitor> competitor;
  const double seconds = seconds_of([&] { competitor = chosen.make(entry); });
  const std::string label =
      name + ',' + method + ',' + arguments[3] + ',' + std::to_string(entry.seed);
  Race(problem, std::atof(arguments[5]), label).run(*competitor, seconds);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 6) {
    std::fputs("usage: compare <data> <method> <K, 0: unbounded> <seed> <seconds>\n", stderr);
    return 1;
  }
  try {
    return main_of(arguments);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
