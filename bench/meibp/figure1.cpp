// How often the row searches find the best features: figure 1 of Reed & Ghahramani (2013).
#include <array>
#include <cstdio>
#include <optional>

#include "row_problems.h"

using namespace bench;

namespace {

constexpr int data_sets = 10, problems_per_feature = 1000, rows = 500, columns = 50;

/// Searches of rows, which start from the current features of the row except for the "alone"
/// variants. Random sets are for comparison.
enum Rule { climb, local, double_greedy, local_alone, double_greedy_alone, random_set, rules };
constexpr std::array<const char*, rules> names{
    "climb", "local", "double_greedy", "local alone", "double_greedy alone", "random"};

struct Tally {
  int problems = 0;
  std::array<int, rules> optimum{}, within95{};

  void add(int rule, const Extremes& extremes, double value) {
    optimum[rule] += extremes.reached(value);
    within95[rule] += extremes.normalised(value) >= 0.95;
  }
  void print(int k, const char* state) const {
    for (int rule = 0; rule < rules; ++rule)
      std::printf("%d,%s,%s,%.5f,%.5f,%d\n", k, state, names[rule],
                  double(optimum[rule]) / problems, double(within95[rule]) / problems, problems);
  }
};

/// Applies all rules to one problem; returns the state of the row after the default rule.
template <class F>
buffet::RowState solve(const buffet::RowProblem& problem, F is_on, buffet::Rng& rng, Tally& tally) {
  const Extremes extremes(problem);
  buffet::RowSearch search(problem, buffet::RowRule::climb);
  search.improve(is_on, rng);
  tally.add(climb, extremes, search.best.value());
  for (const auto& [rule, as] : {std::pair(local, buffet::RowRule::local),
                                 std::pair(double_greedy, buffet::RowRule::double_greedy)}) {
    buffet::RowSearch other(problem, as);
    other.improve(is_on, rng);
    tally.add(rule, extremes, other.best.value());
  }
  buffet::RowState alone(problem);
  alone.local();
  tally.add(local_alone, extremes, alone.value());
  alone.double_greedy(rng);
  tally.add(double_greedy_alone, extremes, alone.value());
  alone.set([&](int) { return rng.bernoulli(0.5); });
  tally.add(random_set, extremes, alone.value());
  ++tally.problems;
  return search.best;
}

/// The problems in one iteration, each given the features that earlier rows have found.
void search_rows(const State& state, const Input& input, buffet::Rng& rng, Tally& tally) {
  const RowProblems problems(state, input);
  buffet::Features z = state.z;
  for (int i = 0; i < z.rows(); ++i) {
    const auto problem = problems.of(z, i);
    const auto best = solve(
        problem, [&](int k) { return z.at(i, k); }, rng, tally);
    for (int k = 0; k < z.size(); ++k)
      if (best.on(k) != z.at(i, k)) z.flip(i, k);
  }
}

/// The problems in one iteration in which the loadings are updated after every changed row, as long
/// as no feature disappears.
void search_by_rows(State state, const Input& input, buffet::Rng& rng, Tally& tally) {
  const int size = state.z.size();
  std::optional<RowProblems> problems;
  for (int i = 0; i < state.z.rows() && state.z.size() == size; ++i) {
    if (!problems) problems.emplace(state, input);
    const auto problem = problems->of(state.z, i);
    const auto is_on = [&](int k) { return state.z.at(i, k); };
    const auto best = solve(problem, is_on, rng, tally);
    bool changes = false;
    for (int k = 0; k < size; ++k) changes |= best.on(k) != is_on(k);
    if (!changes) continue;
    state.search_some({i}, rng, [] {});
    state.drop_empty();
    state.settle({1, 0, 0});
    problems.reset();
  }
}

void measure(int k) {
  Tally first, second, following;
  for (int number = 1; number <= data_sets; ++number) {
    const Input input(generate(NonnegativeWorkload{"", rows, columns, k, 0}, number).x);
    double harmonic = 0;
    for (int i = 1; i <= rows; ++i) harmonic += 1.0 / i;
    const Model model = fixed((1 + k) / (1 + harmonic), 1, 1);
    for (int start = 0; start < problems_per_feature * k / rows; ++start) {
      buffet::Rng rng(number, start);
      State state = random_start(empty_state(input, plan_for(k), model), rng);
      State by_rows = state;
      search_rows(state, input, rng, first);
      state.iterate(rng, [] {});
      if (state.z.size() == k) search_rows(state, input, rng, second);
      search_by_rows(std::move(by_rows), input, rng, following);
    }
  }
  first.print(k, "first iteration");
  second.print(k, "second iteration");
  following.print(k, "row by row");
}

}  // namespace

int main() {
  std::puts("K,state,rule,optimum,within95,problems");
  for (int k = 2; k <= 12; ++k) measure(k);
}
