// The cost of a bit under the phylogenetic prior, as a function of the number of rows.
#include "../tests/cpp/flat.h"
#include "chains.h"
#include "table.h"
#include "trees.h"

using namespace bench;

namespace {

const std::vector<int> sizes{100, 316, 1000, 3162, 10000};
constexpr int features = 20, sets = 5;

/// A chain without data whose features come from the prior.
struct TreeChain {
  buffet::Features z;
  buffet::Phylogenetic prior;
  buffet::Flat likelihood;
  buffet::Rng rng;

  TreeChain(const buffet::Tree& tree, std::uint64_t number)
      : z(tree.rows()), prior(sampled_prior(tree)), rng(number, tree.rows()) {
    z = draw_features(tree, features, rng);
    prior.reset(z, rng);
  }

  /// Computes the odds of every bit whose feature other rows also have, without using them.
  void look() {
    double sum = 0;
    for (int i = 0; i < z.rows(); ++i)
      for (int k = 0; k < z.size(); ++k)
        if (!z.is_own(i, k)) sum += prior.log_odds(z, i, k);
    volatile double kept = sum;
    (void)kept;
  }
  /// Draws these bits.
  void draw() {
    for (int i = 0; i < z.rows(); ++i) {
      likelihood.enter(z, i);
      buffet::sweep_shared(i, *this);
    }
  }
  void draw_rates() { prior.update(z, rng); }
};

/// The textbook method for computing the probability of a column: messages from the leaves to the
/// root. The odds of a bit are the ratio of the probabilities of two columns, one of which is
/// known.
class SumProduct {
 public:
  SumProduct(const buffet::Tree& tree, double gamma) : tree_(&tree) {
    for (int v = 0; v < tree.size(); ++v) stays_.push_back(std::exp(-gamma * tree.length(v)));
  }

  double log_prob(const buffet::Bits& column) {
    const buffet::Tree& tree = *tree_;
    off_.assign(tree.size(), 1);
    on_.assign(tree.size(), 1);
    int scaled = 0;
    for (int v = 0; v < tree.root(); ++v) {
      if (tree.is_leaf(v)) (column.at(v) ? off_ : on_)[v] = 0;
      const int p = tree.parent(v);
      off_[p] *= stays_[v] * off_[v] + (1 - stays_[v]) * on_[v];
      on_[p] *= on_[v];
      if (on_[p] == 0 && off_[p] < 1e-100) off_[p] *= 1e100, ++scaled;
    }
    return std::log(off_[tree.root()]) - scaled * std::log(1e100);
  }

 private:
  const buffet::Tree* tree_;
  std::vector<double> stays_, off_, on_;  ///< given 0 and given 1 at the node
};

/// The measurements, in nanoseconds per bit: sizes x sets.
using Figures = std::vector<std::vector<double>>;

void print(const char* tree, const char* what, const Figures& nanoseconds, const char* target) {
  std::vector<double> medians;
  std::string points;
  for (std::size_t n = 0; n < sizes.size(); ++n) {
    medians.push_back(spread(nanoseconds[n]).median);
    points += text("%s%d: %.3g", n > 0 ? "; " : "", sizes[n], medians[n]);
  }
  const double overall = slope(sizes, medians);
  row({tree, what, points, text("%.2f", overall), at_most(target, overall)});
}

template <class MakeTree>
void measure(const char* name, MakeTree make_tree, const char* target) {
  const std::vector<void (TreeChain::*)()> works{&TreeChain::look, &TreeChain::draw,
                                                 &TreeChain::draw_rates};
  std::vector<Figures> figures(works.size(), Figures(sizes.size()));
  for (std::size_t n = 0; n < sizes.size(); ++n) {
    const buffet::Tree tree = make_tree(sizes[n]);
    for (int number = 1; number <= sets; ++number) {
      TreeChain chain(tree, number);
      for (std::size_t w = 0; w < works.size(); ++w) {
        const auto work = [&] { (chain.*works[w])(); };
        const double seconds = seconds_of(work, enough_calls(work));
        figures[w][n].push_back(1e9 * seconds / sizes[n] / features);
      }
    }
  }
  print(name, "odds of a bit", figures[0], target);
  print(name, "draw of a bit", figures[1], target);
  print(name, "redraw of pi, per bit of its column", figures[2], "");
}

void measure_sum_product() {
  Figures figures(sizes.size());
  for (std::size_t n = 0; n < sizes.size(); ++n) {
    const buffet::Tree tree = balanced_tree(sizes[n]);
    buffet::Rng rng(1);
    for (int number = 1; number <= sets; ++number) {
      const auto [column, gamma] = draw_feature(tree, rng);
      SumProduct messages(tree, gamma);
      const auto work = [&, &bits = column] {
        volatile double kept = messages.log_prob(bits);
        (void)kept;
      };
      figures[n].push_back(1e9 * seconds_of(work, enough_calls(work)));
    }
  }
  print("balanced", "odds of a bit from messages from all leaves", figures, "");
}

/// Data like gauss1000, but with features drawn from the tree.
DataSet generate_on_tree(const buffet::Tree& tree) {
  buffet::Rng rng(1, 100);
  buffet::Features z(gauss1000.rows);
  while (z.size() < gauss1000.features) {
    buffet::Bits column = draw_column(tree, -std::log1p(-gauss1000.density), rng);
    if (column.count() > 0) z.add(std::move(column));
  }
  const Eigen::MatrixXd loadings = draw_normal(gauss1000.columns, z.size(), 1, rng);
  Eigen::MatrixXd x = draw_normal(gauss1000.columns, z.rows(), sigma_x, rng);
  for (int k = 0; k < z.size(); ++k)
    z.column(k).for_each([&](int i) { x.col(i) += loadings.col(k); });
  return {std::move(z), std::move(x)};
}

void measure_gaussian() {
  const buffet::Tree tree = balanced_tree(gauss1000.rows);
  DataSet set = generate_on_tree(tree);
  const buffet::Features truth = set.z;
  const buffet::GaussianData data(std::move(set.x));
  const buffet::Hyper tau{1, true, 1, 1}, alpha = buffet::Hyper::gamma(1, 1);
  const buffet::GaussianCollapsed likelihood(data, {tau, tau});
  Chain ibp(truth, buffet::Exchangeable(data.rows(), {alpha}), likelihood, buffet::Rng(1));
  buffet::Gibbs<buffet::Phylogenetic, buffet::GaussianCollapsed> pibp(
      truth, {tables_of(tree, buffet::TreeTables::Rates::sampled), alpha}, likelihood,
      buffet::Rng(1));
  for (int n = 0; n < 50; ++n) ibp.sweep(), pibp.sweep();
  const auto seconds = seconds_in_turns({[&] { ibp.sweep(); }, [&] { pibp.sweep(); }}, 15);
  row({"IBP", text("%d", ibp.z.size()), with_quartiles(spread(seconds[0]), 1e3), ""});
  row({"pIBP", text("%d", pibp.z.size()), with_quartiles(spread(seconds[1]), 1e3),
       with_quartiles(spread(ratios(seconds[1], seconds[0])))});
}

}  // namespace

int main() {
  heading("Trees: time per bit under the pIBP",
          {"tree", "operation", "rows: ns", "slope, log-log", "target"});
  measure("balanced", balanced_tree, "0.2");
  measure_sum_product();
  measure("caterpillar", caterpillar, "");
  std::puts("");
  heading("Trees: one sweep of gauss1000 with its rows on a balanced tree",
          {"prior", "K", "ms (quartiles)", "ratio to IBP (quartiles)"});
  measure_gaussian();
}
