// How often the warm-up finds the truth with default settings and a random start.
#include <cstdlib>

#include "chains.h"
#include "table.h"

using namespace bench;

namespace {

constexpr int data_sets = 20;

struct Tally {
  int exact = 0, within_one = 0, probable = 0, recovered = 0;
  std::vector<double> beyond_truth, beyond_chain, seconds;

  void add(const Trial& trial) {
    const int off = std::abs(trial.found.z.size() - trial.truth.size());
    const double score = score_of(trial.found.z, trial.found);
    const double beyond = score - score_of(trial.from_truth.z, trial.from_truth);
    exact += off == 0;
    within_one += off <= 1;
    probable += beyond > -20;
    recovered += off == 0 && beyond > -20;
    beyond_truth.push_back(score - score_of(trial.truth, trial.found));
    beyond_chain.push_back(beyond);
    seconds.push_back(trial.seconds);
  }
};

struct Task {
  Workload workload;
  Sigma sigma;
  const char* target;
  bool (*met)(const Tally& tally);
};

const std::vector<Task> tasks{
    {gauss1000, Sigma::fixed, "recovered in 19", [](auto& t) { return t.recovered >= 19; }},
    {gauss1000, Sigma::learned, "recovered in 19, warm-up 1 s",
     [](auto& t) { return t.recovered >= 19 && spread(t.seconds).most <= 1; }},
    {wide, Sigma::learned, "within one in 19", [](auto& t) { return t.within_one >= 19; }},
    {images100, Sigma::fixed, "true K in 19", [](auto& t) { return t.exact >= 19; }},
    {images100, Sigma::learned, "the next table", [](auto&) { return true; }}};

void measure(const Task& task) {
  Tally tally;
  for (int number = 1; number <= data_sets; ++number)
    tally.add(Trial(task.workload, task.sigma, number));
  const Spread seconds = spread(tally.seconds);
  row({task.workload.name, task.sigma == Sigma::fixed ? "fixed" : "learned",
       text("%d", tally.exact), text("%d", tally.within_one), text("%d", tally.probable),
       text("%d", tally.recovered), marked(task.target, task.met(tally)),
       with_range(spread(tally.beyond_truth), 1), with_range(spread(tally.beyond_chain), 1),
       text("%.2f, %.2f", seconds.median, seconds.most)});
}

}  // namespace

int main() {
  heading("Recovery: the state after warm-up, 20 data sets",
          {"workload", "sigma", "true K", "within one", "log joint", "recovered", "target",
           "nats above the true Z (range)", "nats above a chain from the truth (range)",
           "warm-up s: median, maximum"});
  for (const Task& task : tasks) measure(task);
}
