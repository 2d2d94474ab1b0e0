// Maximisation-expectation: an iteration compared with its two matrix products, and complete runs.
#include "meibp.h"

#include <chrono>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "child.h"
#include "table.h"

using namespace bench;

namespace {

struct Task {
  NonnegativeWorkload workload;
  int max_features, data_sets;
  int step;        ///< step between the held-out rows that are evaluated
  int least;       ///< data sets in which all features must be found; 0: any number
  double seconds;  ///< upper limit for the slowest run
};

const std::vector<Task> tasks{
    {nonneg500, 20, 20, 1, 19, 2},
    {nonneg500, 30, 20, 1, 19, 2},
    {nonneg2000, 30, 5, 1, 5, 8},
    {nonneg1e5, 50, 1, 50, 0, 60},
};

/// A data set in the form for a maximisation.
struct Problem {
  NonnegativeSet set;
  Input input;

  Problem(const NonnegativeWorkload& w, std::uint64_t number) : Problem(generate(w, number)) {}
  explicit Problem(NonnegativeSet from) : set(std::move(from)), input(set.x) { set.x.resize(0, 0); }
};

/// A complete run and its duration.
class Result {
 public:
  double seconds = 0, on_the_clock = 0;

  Result(const Input& input, const buffet::MeibpPlan& plan, const buffet::AscentStart& start)
      : run_(input.data, &input.x, plan, learned()) {
    using Clock = std::chrono::steady_clock;
    const auto begun = Clock::now();
    seconds = seconds_of([&] {
      run_.start(start, [] {});
      while (!run_.finished()) run_.step([] {});
    });
    on_the_clock = std::chrono::duration<double>(Clock::now() - begun).count();
  }

  const State& state() const { return run_.best().result(); }

 private:
  Maximisation run_;
};

/// The unavoidable products E X and X Z, on one thread.
class TwoProducts {
 public:
  TwoProducts(const Eigen::MatrixXd& x, int features)
      : x_(x),
        a_(Eigen::MatrixXd::Random(x.rows(), features)),
        z_(Eigen::MatrixXd::Random(x.cols(), features)) {}
  void operator()() {
    scores_.noalias() = a_.transpose() * x_;
    sums_.noalias() = x_ * z_;
  }

 private:
  const Eigen::MatrixXd& x_;
  Eigen::MatrixXd a_, z_, scores_, sums_;
};

/// The first iteration from a random start, and an iteration after the bound has converged.
void measure_iteration(const NonnegativeWorkload& w, int repeats, const char* target) {
  const Problem problem(w, 1);
  const State empty = empty_state(problem.input, plan_for(w.features), learned());
  buffet::Rng rng(1);
  const State early = random_start(empty, rng);
  State late = state_at(empty, problem.set.z);
  for (int n = 0; n < 5; ++n) late.iterate(rng, [] {});
  const auto iterate = [&](const State& from) {
    return [&rng, &from] {
      State state = from;
      state.iterate(rng, [] {});
    };
  };
  TwoProducts products(problem.input.x.dense(), w.features);
  const auto seconds =
      seconds_in_turns({iterate(early), iterate(late), [&] { products(); }}, repeats);
  const auto write = [&](const char* name, const std::vector<double>& iteration) {
    const Spread ratio = spread(ratios(iteration, seconds[2]));
    row({w.name, name, with_quartiles(spread(iteration), 1e3), with_quartiles(ratio),
         at_most(target, ratio.median)});
  };
  write("first after a random start", seconds[0]);
  write("at convergence", seconds[1]);
}

struct Tally {
  int features = 0, bound = 0, density = 0, all = 0;
  std::vector<double> beyond, denser, seconds;

  void add(const Result& found, const Result& from_truth, const Problem& problem, int step) {
    const State &state = found.state(), &truth = from_truth.state();
    const bool right = state.z.size() == problem.set.z.size();
    beyond.push_back(state.bound() - truth.bound());
    denser.push_back(held_out_density(state, problem.set, step) -
                     held_out_density(truth, problem.set, step));
    seconds.push_back(found.seconds);
    const bool high = beyond.back() > -1, dense = denser.back() > -0.001;
    features += right;
    bound += high;
    density += dense;
    all += right && high && dense;
  }
};

/// Speed-up in elapsed time from two threads; the result must be the same.
std::string gain_of_threads(const Problem& problem, buffet::MeibpPlan plan, const Result& one) {
  plan.threads = 2;
  const Result two(problem.input, plan, start_at(buffet::Features(problem.input.x.rows()), 1));
  const bool same = two.state().bound() == one.state().bound();
  return text("%.2f%s", one.on_the_clock / two.on_the_clock, same ? "" : ", another result");
}

void measure_runs(const Task& task) {
  Tally tally;
  std::string gain;
  for (int number = 1; number <= task.data_sets; ++number) {
    const Problem problem(task.workload, number);
    const auto plan = plan_for(task.max_features);
    const Result found(problem.input, plan, start_at(buffet::Features(task.workload.rows), number));
    const Result from_truth(problem.input, plan, start_at(problem.set.z, number));
    tally.add(found, from_truth, problem, task.step);
    if (number == 1) gain = gain_of_threads(problem, plan, found);
  }
  const Spread seconds = spread(tally.seconds);
  const auto target =
      (task.least > 0 ? text("all in %d, ", task.least) : "") + text("%.0f s", task.seconds);
  const bool met = tally.all >= task.least && seconds.most <= task.seconds;
  const auto of_all = [&](int count) { return text("%d of %d", count, task.data_sets); };
  row({task.workload.name, text("%d", task.max_features), of_all(tally.features),
       of_all(tally.bound), of_all(tally.density), of_all(tally.all), marked(target, met),
       with_range(spread(tally.beyond), 2), with_range(spread(tally.denser), 5),
       text("%.2f, %.2f", seconds.median, seconds.most), gain});
}

/// Sparse data: ones that belong to features, and some ones that belong to no feature.
Eigen::SparseMatrix<double> draw_sparse(int rows, int columns) {
  buffet::Rng rng(1, 100);
  std::vector<int> order;
  std::vector<std::vector<int>> features(20);
  for (auto& feature : features) {
    rng.permutation(columns, order);
    feature.assign(order.begin(), order.begin() + 15);
  }
  std::vector<Eigen::Triplet<double>> ones;
  for (int i = 0; i < rows; ++i) {
    for (const auto& feature : features)
      if (rng.bernoulli(0.1))
        for (int d : feature)
          if (rng.bernoulli(0.25)) ones.emplace_back(d, i, 1);
    for (int n = rng.poisson(4.6); n > 0; --n) ones.emplace_back(rng.below(columns), i, 1);
  }
  Eigen::SparseMatrix<double> x(columns, rows);
  x.setFromTriplets(ones.begin(), ones.end(), [](double, double) { return 1.0; });
  return x;
}

void measure_sparse() {
  const Input input(draw_sparse(25000, 1500));
  const double share = input.data.total / input.data.observed();
  const Result found(input, plan_for(20), start_at(buffet::Features(input.x.rows()), 1));
  row({text("sparse: 25,000 x 1,500, %.2f %% ones", 100 * share), text("%.2f", found.seconds),
       text("%d", found.state().z.size())});
}

}  // namespace

int main() {
  heading("MEIBP: one iteration",
          {"workload", "iteration", "ms (quartiles)", "its two products (quartiles)", "target"});
  for (const auto& [w, repeats, target] :
       {std::tuple(nonneg500, 41, "3"), std::tuple(nonneg2000, 9, "2"),
        std::tuple(nonneg1e5, 3, "2")})
    peak_of_child(
        [&, &w = w, repeats = repeats, target = target] { measure_iteration(w, repeats, target); });

  std::puts("");
  heading("MEIBP: whole runs from default starts",
          {"workload", "max_features", "true K", "bound within a nat", "density within .001", "all",
           "target", "bound minus bound from the truth (range)",
           "held-out log density per entry minus density from the truth (range)",
           "s: median, maximum", "speed-up with two threads"});
  double peak = 0;
  for (const Task& task : tasks) peak = peak_of_child([&] { measure_runs(task); });

  std::puts("");
  heading("MEIBP: sparse data", {"workload", "s", "K"});
  const double peak_of_sparse = peak_of_child(measure_sparse);

  std::puts("");
  heading("MEIBP: peak memory, including the data", {"workload", "MB", "target"});
  row({nonneg1e5.name, text("%.0f", peak), at_most("2000", peak)});
  row({"sparse", text("%.0f", peak_of_sparse), "300 would be dense"});
}
