// Choices: the time per sweep and the effective draws per sweep, with and without each move.
#include "celebrities.h"
#include "choice_chains.h"
#include "table.h"
#include "trees.h"

using namespace bench;

namespace {

constexpr int chains = 4;
const buffet::Hyper alpha = buffet::Hyper::gamma(1, 1);

PartialChoice likelihood(const buffet::ChoiceData& data, double shape = 1, Moves moves = {}) {
  return {buffet::Choice(data, {0.01}, buffet::WeightPrior(shape, 1)), moves};
}

/// Effective draws per second over several chains.
std::string figure(const std::vector<Mixing>& runs, double Mixing::*of) {
  std::vector<double> values;
  for (const Mixing& run : runs) values.push_back(run.*of / run.seconds);
  return with_quartiles(spread(values));
}

template <class Prior>
std::vector<Mixing> run(const Prior& prior, const PartialChoice& likelihood,
                        const buffet::Features& z, int sweeps) {
  std::vector<Mixing> runs;
  for (int c = 0; c < chains; ++c)
    runs.push_back(mixing_of(ChoiceChain<Prior>(prior, likelihood, z, c), sweeps));
  return runs;
}

void print(const char* name, const std::vector<Mixing>& runs, int sweeps) {
  std::vector<double> microseconds, accepted, size, fewest;
  for (const Mixing& one : runs) {
    microseconds.push_back(1e6 * one.seconds);
    accepted.push_back(one.accepted);
    size.push_back(one.features);
    fewest.push_back(one.least_pair * sweeps);
  }
  row({name, text("%.3g", spread(microseconds).median), text("%.2f", spread(accepted).median),
       text("%.3g", spread(size).median), figure(runs, &Mixing::size), figure(runs, &Mixing::ones),
       figure(runs, &Mixing::least_pair), figure(runs, &Mixing::mean_pair),
       text("%.0f", spread(fewest).median)});
}

const std::vector<std::string> columns{"us per sweep",
                                       "accepted",
                                       "mean K",
                                       "K per s (quartiles)",
                                       "ones per s",
                                       "slowest pair per s",
                                       "mean over pairs per s",
                                       "effective draws of the slowest pair"};

void head(const char* title, const char* first) {
  std::vector<std::string> names{first};
  names.insert(names.end(), columns.begin(), columns.end());
  heading(title, names);
}

/// Features of the tree: one per item and one per group.
buffet::Features tree_features() {
  buffet::Features z = one_feature_each(9);
  for (int group = 0; group < 3; ++group) {
    buffet::Bits column(9);
    for (int i = 0; i < 3; ++i) column.set(3 * group + i);
    z.add(column);
  }
  return z;
}

void measure_priors(const buffet::ChoiceData& data, int sweeps) {
  using Rates = buffet::TreeTables::Rates;
  const buffet::Features start = one_feature_each(9);
  const auto measure = [&](const char* name, const auto& prior, const buffet::Features& z) {
    print(name, run(prior, likelihood(data), z, sweeps), sweeps);
  };
  measure("IBP", buffet::Exchangeable(9, {alpha}), start);
  measure("finite, 20", buffet::Exchangeable(9, {alpha, buffet::Hyper::fixed(1), 0, 20}), start);
  for (auto [name, rates] :
       {std::pair{"pIBP, integrated", Rates::integrated}, {"pIBP, sampled", Rates::sampled}})
    measure(name, buffet::Phylogenetic(tables_of(three_by_three(), rates), alpha), start);
  measure("known", buffet::Fixed(), tree_features());
}

void measure_moves(const buffet::ChoiceData& data, int sweeps) {
  const std::vector<std::pair<const char*, bool Moves::*>> moves{
      {"trajectories of the weights", &Moves::trajectory},
      {"steps of single weights", &Moves::each},
      {"the sum of the weights", &Moves::total},
      {"steps of the weights of singletons", &Moves::own_step},
      {"numbers of singletons", &Moves::own_count},
      {"exchanges", &Moves::exchange},
      {"numbers of copies", &Moves::copies},
      {"features that all items have", &Moves::held_by_all}};
  const buffet::Exchangeable prior(9, {alpha});
  for (const auto& [name, move] : moves) {
    Moves without;
    without.*move = false;
    print(name, run(prior, likelihood(data, 1, without), one_feature_each(9), sweeps), sweeps);
  }
}

void measure_shapes(const buffet::ChoiceData& celebrities) {
  const auto measure = [](const char* name, const buffet::ChoiceData& data, double shape,
                          int sweeps) {
    const buffet::Exchangeable prior(data.rows(), {alpha});
    print(name, run(prior, likelihood(data, shape), one_feature_each(data.rows()), sweeps), sweeps);
  };
  measure("celebrities, Gamma(.3, 1)", celebrities, 0.3, 20000);
  measure("celebrities, Gamma(5, 1)", celebrities, 5, 20000);
  measure("9 items, 10 judgements a pair", simulated_choices(9, 10), 1, 20000);
  measure("30 items, 10 judgements a pair", simulated_choices(30, 10), 1, 2000);
  measure("30 items, 234 judgements a pair", simulated_choices(30, 234), 1, 2000);
}

}  // namespace

int main() {
  const buffet::ChoiceData data = celebrities();
  head("Choice: the celebrities", "prior");
  measure_priors(data, 20000);
  std::puts("");
  head("Choice: the celebrities, IBP, without one of the moves", "without");
  measure_moves(data, 20000);
  std::puts("");
  head("Choice: other data, IBP", "data, weights");
  measure_shapes(data);
}
