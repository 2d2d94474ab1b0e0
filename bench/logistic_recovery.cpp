// Binary data: how often the warm-up finds the true features with default settings.
#include <algorithm>
#include <map>

#include "binary.h"
#include "gibbs/logistic_predict.h"
#include "gibbs/warmup.h"
#include "measure.h"
#include "table.h"

using namespace bench;

namespace {

constexpr int kept = 200, between_scores = 10;

/// The largest share of rows in which any feature agrees with this column.
double best_match(const buffet::Bits& column, const buffet::Features& z) {
  double best = 0;
  for (int k = 0; k < z.size(); ++k) {
    buffet::Bits differing = z.column(k);
    differing ^= column;
    best = std::max(best, 1 - double(differing.count()) / z.rows());
  }
  return best;
}

/// Means over the sweeps after the warm-up.
class Summary {
 public:
  Summary(LogisticChain chain, const BinarySet& set)
      : matches_(set.z.size()), densities_(set.hidden.size()) {
    for (int n = 1; n <= kept; ++n) {
      chain.sweep();
      add(chain, set);
      if (n % between_scores == 0) score_ += chain.score() * between_scores / kept;
    }
  }

  /// Agreement of the true feature whose match is worst.
  double worst_match() const { return *std::min_element(matches_.begin(), matches_.end()); }
  /// The mode of the number of features that at least one in twenty rows has.
  int large_features() const {
    const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
    return std::max_element(large_.begin(), large_.end(), fewer)->first;
  }
  double score() const { return score_; }
  /// Log of the mean probability of the true value of a held-out entry.
  double log_density() const {
    double sum = 0;
    for (double p : densities_) sum += std::log(p);
    return sum / densities_.size();
  }

 private:
  void add(const LogisticChain& chain, const BinarySet& set) {
    int large = 0;
    for (int k = 0; k < chain.z.size(); ++k) large += 20 * chain.z.count(k) >= chain.z.rows();
    ++large_[large];
    for (int k = 0; k < set.z.size(); ++k)
      matches_[k] += best_match(set.z.column(k), chain.z) / kept;
    const Eigen::MatrixXd ones = buffet::probabilities(chain.z, chain.likelihood);
    for (std::size_t n = 0; n < set.hidden.size(); ++n) {
      const auto& [row, column, one] = set.hidden[n];
      densities_[n] += (one ? ones(column, row) : 1 - ones(column, row)) / kept;
    }
  }

  std::vector<double> matches_, densities_;
  std::map<int, int> large_;
  double score_ = 0;
};

struct Tally;

struct Task {
  BinaryWorkload workload;
  int data_sets;
  const char* target;
  bool (*met)(const Tally& tally);
};

struct Tally {
  int features = 0, probable = 0, predicts = 0, all = 0;
  std::vector<double> match, scores, densities, seconds;

  void add(const Task& task, std::uint64_t number) {
    const BinarySet set = generate(task.workload, number);
    LogisticChain found(
        binary_chain(buffet::Features(set.z.rows()), set.data, buffet::Rng(number, 0)));
    seconds.push_back(seconds_of([&] { warm_up(found); }));
    LogisticChain from_truth(binary_chain(set.z, set.data, buffet::Rng(number, 1)));
    for (int n = 0; n < 150; ++n) from_truth.sweep();
    compare(Summary(found, set), Summary(from_truth, set), set.z.size());
  }

 private:
  static void warm_up(LogisticChain& chain) {
    const auto plan = buffet::SearchPlan::within(1000, buffet::Logistic::search_shape);
    buffet::Search<LogisticChain> search(chain, plan);
    for (int n = 0; n < search.total(); ++n) search.step(n, [] {});
    chain = search.chain();
  }

  void compare(const Summary& found, const Summary& truth, int size) {
    match.push_back(found.worst_match());
    scores.push_back(found.score() - truth.score());
    densities.push_back(found.log_density() - truth.log_density());
    const bool has = match.back() > 0.85 && found.large_features() == size,
               as_probable = scores.back() > -100, predicts_as_well = densities.back() > -0.003;
    features += has;
    probable += as_probable;
    predicts += predicts_as_well;
    all += has && as_probable && predicts_as_well;
  }
};

void measure(const Task& task) {
  Tally tally;
  for (int number = 1; number <= task.data_sets; ++number) tally.add(task, number);
  const BinaryWorkload& w = task.workload;
  const auto of = [&](int count) { return text("%d of %d", count, task.data_sets); };
  const Spread seconds = spread(tally.seconds);
  row({text("%d x %d, K=%d, %.1f", w.rows, w.columns, w.features, w.density), of(tally.features),
       of(tally.probable), of(tally.predicts), of(tally.all), marked(task.target, task.met(tally)),
       with_range(spread(tally.match), 2), with_range(spread(tally.scores), 0),
       with_range(spread(tally.densities), 4), text("%.1f, %.1f", seconds.median, seconds.most)});
}

}  // namespace

int main() {
  heading("Binary data: recovery after the warm-up",
          {"N x D, K, density", "features", "J within 100 nats", "density within .003", "all",
           "target", "worst match (range)", "J above a chain from the truth (range)",
           "held-out log density per entry minus density of that chain (range)",
           "warm-up s: median, maximum"});
  const auto each_in_9 = [](const Tally& t) {
    return std::min({t.features, t.probable, t.predicts}) >= 9;
  };
  measure({{500, 60, 5, 0.3}, 10, "each in 9", each_in_9});
  measure({{500, 60, 5, 0.5}, 10, "each in 9", each_in_9});
  measure({{1000, 100, 10, 0.3}, 5, "features in 4, warm-up 10 s", [](const Tally& t) {
             return t.features >= 4 && spread(t.seconds).most <= 10;
           }});
}
