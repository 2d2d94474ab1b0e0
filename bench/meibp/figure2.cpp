// The amount of work in the search of a row: figure 2 of Reed & Ghahramani (2013).
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "counted.h"
#include "row_problems.h"

using namespace bench;

namespace {

constexpr int rows = 1000, columns = 1000, searched = 200;
constexpr int sizes[] = {5, 10, 20, 50, 100, 200, 350, 500};

struct Work {
  int problems = 0;
  double local = 0, climb = 0, on = 0;

  void print(int k, const char* state) const {
    for (const auto& [rule, updates] : {std::pair("local", local), std::pair("climb", climb)})
      std::printf("%d,%s,%s,%.0f,%.3f,%.1f,%d\n", k, state, rule, updates / problems,
                  updates / problems / (k * std::log(k)), on / problems, problems);
    std::fflush(stdout);
  }
};

void expect_same(double counted, double searched_value) {
  if (std::abs(counted - searched_value) > 1e-6)
    throw std::logic_error("the counted search differs from the search of the core");
}

double updates_of_local(const buffet::RowProblem& problem) {
  CountedState counted(problem), complement(problem);
  counted.local();
  complement.set([&](int k) { return !counted.on(k); });
  buffet::RowState state(problem);
  state.local();
  expect_same(std::max({counted.value(), complement.value(), 0.0}), state.value());
  return counted.updates();
}

template <class F>
double updates_of_climb(const buffet::RowProblem& problem, F is_on, const buffet::RowState& best) {
  CountedState current(problem), none(problem), all(problem);
  current.set(is_on);
  all.set([](int) { return true; });
  current.climb();
  CountedState* top = &current;
  double updates = current.updates();
  for (CountedState* state : {&none, &all}) {
    state->climb(top);
    if (state->value() > top->value()) top = state;
    updates += state->updates();
  }
  expect_same(top->value(), best.value());
  return updates;
}

/// Rows that are spread over the data, each in its state before the iteration.
Work count(const State& state, const Input& input) {
  const RowProblems problems(state, input);
  Work work;
  buffet::Rng rng(1);
  for (int i = 0; i < rows; i += rows / searched) {
    const auto problem = problems.of(state.z, i);
    if (!problem.log_new.empty()) continue;
    const auto is_on = [&](int k) { return state.z.at(i, k); };
    buffet::RowSearch search(problem, buffet::RowRule::climb);
    search.improve(is_on, rng);
    work.climb += updates_of_climb(problem, is_on, search.best);
    work.local += updates_of_local(problem);
    for (int k = 0; k < problem.size(); ++k) work.on += search.best.on(k);
    ++work.problems;
  }
  return work;
}

void measure(int k) {
  const Input input(generate(NonnegativeWorkload{"", rows, columns, k, 0}, 1).x);
  buffet::Rng rng(1);
  State state = random_start(empty_state(input, plan_for(k), fixed(2, 1, 1)), rng);
  count(state, input).print(k, "first iteration");
  state.iterate(rng, [] {});
  count(state, input).print(k, "second iteration");
}

}  // namespace

int main() {
  std::puts("K,state,rule,updates,per_k_log_k,features_on,problems");
  for (int k : sizes) measure(k);
}
