#include <testthat/vendor/catch.h>

#include <map>

#include "choice_case.h"
#include "moves.h"
#include "scale.h"
#include "statistics.h"
#include "tree_case.h"

using namespace test;

namespace {

constexpr double shape = 1.7, rate = 0.6;

/// The sum of the weights for each set of rows other than the set of all rows.
std::map<Bits, double> sums_of(const Features& z, const std::vector<double>& w) {
  std::map<Bits, double> sums;
  for (int k = 0; k < z.size(); ++k)
    if (z.count(k) < z.rows()) sums[z.column(k)] += w[k];
  return sums;
}

/// Quantities that the move can change.
std::vector<double> values(const Features& z, const std::vector<double>& w) {
  double squares = 0, equal = 0, first = 0;
  for (double v : w) squares += v * v;
  for (int k = 0; k < z.size(); ++k) {
    first += z.at(0, k);
    for (int l = 0; l < k; ++l) equal += z.column(k) == z.column(l);
  }
  const double size = z.size();
  return {size, size * size, squares, equal, first};
}

/// Compares prior draws after one move with other prior draws. Choices depend on sums that the move
/// leaves unchanged.
template <class C, class Draw>
void check_prior_kept(decltype(C::prior) prior, Draw draw, MoveOf<C> move) {
  Rng rng(241);
  const int rows = 3, draws = scaled(40000);
  const Eigen::MatrixXd wins = random_wins(rows, 3, rng);
  const auto data = as_choices(wins);
  C chain(Features(rows), prior, Choice(data, {0.3}, WeightPrior(shape, rate)), Rng(242));
  std::vector<Mean> moved(5), fresh(5);
  int changed = 0;
  const auto add = [](const std::vector<double>& v, std::vector<Mean>& to) {
    for (std::size_t n = 0; n < v.size(); ++n) to[n].add(v[n]);
  };
  for (int t = 0; t < draws; ++t) {
    std::vector<double> w, other;
    const Features z = draw(rng, w), another = draw(rng, other);
    chain.z = z;
    set_weights(chain.likelihood, z, w, 0.3);
    const double before = chain.likelihood.log_lik(z);
    move(chain);
    changed += chain.z.size() != z.size();
    const auto sums = sums_of(z, w), now = sums_of(chain.z, chain.likelihood.loadings());
    bool same = sums.size() == now.size();
    for (const auto& [column, sum] : sums)
      same = same && now.count(column) && std::abs(now.at(column) - sum) < 1e-10;
    if (!same || std::abs(chain.likelihood.log_lik(chain.z) - before) > 1e-9) FAIL("sums changed");
    add(values(chain.z, chain.likelihood.loadings()), moved);
    add(values(another, other), fresh);
  }
  CHECK(changed > 0.1 * draws);
  for (std::size_t n = 0; n < moved.size(); ++n) {
    INFO("value " << n << ": " << moved[n].value() << ", " << fresh[n].value());
    CHECK(std::abs(z_score(moved[n].value() - fresh[n].value(),
                           moved[n].variance() + fresh[n].variance())) < 4.5);
  }
}

std::vector<double> draw_weights(int size, Rng& rng) {
  std::vector<double> w;
  while (static_cast<int>(w.size()) < size) w.push_back(rng.gamma(shape, rate));
  return w;
}

void check_exchangeable(MoveOf<ChoiceChain> move) {
  for (auto prior : prior_cases()) {
    INFO(prior.name);
    prior.parameters.alpha *= 2;
    const auto draw = [&](Rng& rng, std::vector<double>& w) {
      const Features z = draw_features(3, prior.parameters, rng);
      w = draw_weights(z.size(), rng);
      return z;
    };
    check_prior_kept<ChoiceChain>(prior.fixed(3), draw, move);
  }
}

void check_tree(MoveOf<TreeChoiceChain> move) {
  const TreeProcess process(uneven_tree(3));
  const auto draw = [&](Rng& rng, std::vector<double>& w) {
    std::vector<double> log_rates;
    const Features z = process.draw(2.4, rng, log_rates);
    w = draw_weights(z.size(), rng);
    return z;
  };
  check_prior_kept<TreeChoiceChain>(
      phylogenetic(process.raw(), Hyper::fixed(2.4), Rates::integrated), draw, move);
}

}  // namespace

TEST_CASE("equal columns are found in groups") {
  Rng rng(243);
  for (int n = 0; n < 50; ++n) {
    const Features z = random_features(3 + 70 * rng.below(2), rng.below(9), rng);
    const auto groups = buffet::equal_columns(z);
    int size = 0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      size += static_cast<int>(groups[g].size());
      for (int k : groups[g]) CHECK(z.column(k) == z.column(groups[g][0]));
      for (std::size_t h = 0; h < g; ++h)
        CHECK_FALSE(z.column(groups[h][0]) == z.column(groups[g][0]));
    }
    CHECK(size == z.size());
  }
}

TEST_CASE("redrawing numbers of copies leaves exchangeable priors invariant") {
  check_exchangeable(copies_move);
}
TEST_CASE("redrawing numbers of copies leaves the prior on a tree invariant") {
  check_tree(copies_move);
}

TEST_CASE("redrawing features of all rows leaves exchangeable priors invariant") {
  check_exchangeable(held_by_all_move);
}
TEST_CASE("redrawing features of all rows leaves the prior on a tree invariant") {
  check_tree(held_by_all_move);
}

// Trees with this many tips have their rates in the state; otherwise, chains could never lose such
// a feature.
TEST_CASE("redrawing features of all rows leaves the prior on a large tree invariant") {
  const int rows = 14, draws = scaled(20000);
  const double alpha = 3;
  const TreeProcess process(comb(rows));
  const Phylogenetic prior = phylogenetic(comb(rows), Hyper::fixed(alpha), Rates::automatic);
  const auto data = as_choices(Eigen::MatrixXd::Zero(rows, rows));
  TreeChoiceChain chain(Features(rows), prior, Choice(data, {0.3}, WeightPrior(shape, rate)),
                        Rng(244));
  const auto values_of = [&](const Features& z, const std::vector<double>& log_rates) {
    double all = 0, sum = 0, squares = 0;
    for (int k = 0; k < z.size(); ++k)
      if (z.count(k) == rows) {
        ++all;
        sum += log_rates[k];
        squares += log_rates[k] * log_rates[k];
      }
    return std::vector<double>{all, all * all, sum, squares, double(z.size())};
  };
  Rng rng(245);
  std::vector<Mean> moved(5), fresh(5);
  int changed = 0;
  for (int t = 0; t < draws; ++t) {
    std::vector<double> log_rates;
    chain.z = process.draw(alpha, rng, log_rates);
    set_weights(chain.likelihood, chain.z, draw_weights(chain.z.size(), rng), 0.3);
    set_state(chain.prior, chain.z, alpha, log_rates);
    const auto before = values_of(chain.z, log_rates);
    held_by_all_move(chain);
    const auto after = values_of(chain.z, log_rates_of(chain.prior, chain.z));
    if (after[0] != before[0] && changed++ < 200) check_follows(chain, prior, alpha);
    for (int n = 0; n < 5; ++n) {
      fresh[n].add(before[n]);
      moved[n].add(after[n]);
    }
  }
  CHECK(changed > 0.1 * draws);
  for (int n = 0; n < 5; ++n) {
    INFO("value " << n << ": " << moved[n].value() << ", " << fresh[n].value());
    CHECK(std::abs(z_score(moved[n].value() - fresh[n].value(),
                           moved[n].variance() + fresh[n].variance())) < 4.5);
  }
}
