#include <testthat/vendor/catch.h>

#include <array>

#include "attraction_case.h"
#include "choice_case.h"
#include "moves.h"
#include "scale.h"
#include "statistics.h"
#include "tree_case.h"

using namespace test;

namespace {

constexpr int rows = 3, histories = 7;
constexpr double epsilon = 0.3, shape = 1.7, rate = 0.6;

/// Only a few judgements, some of which do not involve the third item.
Eigen::MatrixXd few_wins() {
  Eigen::MatrixXd wins(3, 3);
  wins << 0, 5, 3, 1, 0, 0, 1, 2, 0;
  return wins;
}

/// The number and total weight of the features with each history.
struct Draw {
  double alpha = 0;
  std::array<int, histories + 1> counts{};
  std::array<double, histories + 1> weights{};

  double chosen(int i, int j) const {
    double a = 0, b = 0;
    bool any = false;
    for (int h = 1; h <= histories; ++h) {
      const int of_i = h >> i & 1, of_j = h >> j & 1;
      a += of_i * (1 - of_j) * weights[h];
      b += of_j * (1 - of_i) * weights[h];
      any = any || (of_i != of_j && counts[h] > 0);
    }
    return (1 - epsilon) * (any ? a / (a + b) : 0.5) + epsilon / 2;
  }
  double log_lik(const Eigen::MatrixXd& wins) const {
    double sum = 0;
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < rows; ++j)
        if (i != j && wins(i, j) > 0) sum += wins(i, j) * std::log(chosen(i, j));
    return sum;
  }

  static Draw of(const Features& z, const std::vector<double>& w, double alpha) {
    Draw d;
    d.alpha = alpha;
    for (int k = 0; k < z.size(); ++k) {
      ++d.counts[z.column(k).words()[0]];
      d.weights[z.column(k).words()[0]] += w[k];
    }
    return d;
  }

  std::vector<double> values() const {
    double size = 0, ones = 0, total = 0;
    for (int h = 1; h <= histories; ++h) {
      size += counts[h];
      ones += counts[h] * ((h & 1) + (h >> 1 & 1) + (h >> 2));
      total += weights[h];
    }
    std::vector<double> v{size, ones, total, alpha, double(counts[3] > 0), double(counts[4] > 0)};
    for (double k : {0, 1, 2, 3, 4, 5}) v.push_back(size == k);
    for (auto [i, j] : {std::pair(0, 1), std::pair(0, 2), std::pair(1, 2)}) {
      v.push_back(chosen(i, j));
      v.push_back(chosen(i, j) * chosen(i, j));
    }
    return v;
  }
};

constexpr std::array<const char*, 18> names{
    "K+",        "ones",        "weight",    "alpha",       "any of 1, 2", "any of 3 alone",
    "P(K+ = 0)", "P(K+ = 1)",   "P(K+ = 2)", "P(K+ = 3)",   "P(K+ = 4)",   "P(K+ = 5)",
    "p12",       "p12 squared", "p13",       "p13 squared", "p23",         "p23 squared"};

/// Weighted means, and the variances of these means.
class Weighted {
 public:
  void add(double log_weight, std::vector<double> values) {
    weights_.push_back(std::exp(log_weight));
    total_ += weights_.back();
    sums_.resize(values.size());
    for (std::size_t n = 0; n < values.size(); ++n) sums_[n] += weights_.back() * values[n];
    values_.push_back(std::move(values));
  }
  double mean(int n) const { return sums_[n] / total_; }
  double variance(int n) const {
    double sum = 0;
    for (std::size_t t = 0; t < weights_.size(); ++t)
      sum += std::pow(weights_[t] * (values_[t][n] - mean(n)), 2);
    return sum / (total_ * total_);
  }
  /// Effective sample size.
  double effective() const {
    double squares = 0;
    for (double w : weights_) squares += w * w;
    return total_ * total_ / squares;
  }

 private:
  std::vector<double> weights_, sums_;
  std::vector<std::vector<double>> values_;
  double total_ = 0;
};

/// Prior draws weighted by the likelihood; `draw_counts` draws alpha and counts.
template <class DrawCounts>
Weighted weighted_prior(DrawCounts draw_counts) {
  Weighted all;
  Rng rng(251);
  const Eigen::MatrixXd wins = few_wins();
  for (int t = 0; t < scaled(shorter(400000), 10); ++t) {
    Draw d = draw_counts(rng);
    for (int h = 1; h <= histories; ++h)
      if (d.counts[h] > 0) d.weights[h] = rng.gamma(d.counts[h] * shape, rate);
    all.add(d.log_lik(wins), d.values());
  }
  return all;
}

template <class C, class DrawCounts>
void compare(decltype(C::prior) prior, DrawCounts draw_counts) {
  const Weighted exact = weighted_prior(draw_counts);
  CHECK(exact.effective() > scaled(shorter(400000), 10) / 100);
  const int sweeps = scaled(shorter(200000));
  const auto data = as_choices(few_wins());
  C chain(Features(rows), prior, Choice(data, {epsilon}, WeightPrior(shape, rate)), Rng(252));
  std::vector<BatchMean> means(names.size(), BatchMean(sweeps, 200));
  Limits limits(40);
  for (int t = -200; t < sweeps; ++t) {
    test::sweep(chain);
    limits.check(chain.z.size());
    if (t < 0) continue;
    const auto values =
        Draw::of(chain.z, chain.likelihood.loadings(), chain.prior.alpha()).values();
    for (std::size_t n = 0; n < means.size(); ++n) means[n].add(values[n]);
  }
  for (int n = 0; n < static_cast<int>(names.size()); ++n) {
    INFO(names[n] << " is " << exact.mean(n) << ", sampled " << means[n].value());
    const double difference = means[n].value() - exact.mean(n);
    if (std::abs(difference) < 1e-9) continue;  // a fixed alpha, up to rounding
    const double z = z_score(difference, means[n].variance() + exact.variance(n));
    CHECK(std::abs(z) < 4.5);
  }
}

/// alpha, which is fixed or learned.
double draw_alpha(const Hyper& alpha, Rng& rng) {
  return alpha.learned ? rng.gamma(alpha.shape, alpha.rate) : alpha.value;
}

/// Independent Poisson counts for each history.
auto poisson_counts(Hyper alpha, std::vector<double> rates) {
  return [alpha, rates](Rng& rng) {
    Draw d;
    d.alpha = draw_alpha(alpha, rng);
    for (int h = 1; h <= histories; ++h) d.counts[h] = draw_poisson(d.alpha * rates[h], rng);
    return d;
  };
}

/// Rates under the Indian buffet process with a concentration.
std::vector<double> buffet_rates(double c) {
  std::vector<double> rates(1, 0);
  for (int h = 1; h <= histories; ++h) {
    const int m = (h & 1) + (h >> 1 & 1) + (h >> 2);
    rates.push_back(c * std::exp(log_beta_integral(m, rows - m + c)));
  }
  return rates;
}

const Hyper fixed_alpha = Hyper::fixed(0.9), learned_alpha = Hyper::gamma(2.3, 1.9);

template <class Check>
void for_both_alphas(Check check) {
  for (const Hyper& alpha : {fixed_alpha, learned_alpha}) {
    INFO("alpha " << (alpha.learned ? "learned" : "fixed"));
    check(alpha);
  }
}

void compare_on_tree(Rates rates) {
  for_both_alphas([&](const Hyper& alpha) {
    compare<TreeChoiceChain>(phylogenetic(uneven_tree(3), alpha, rates),
                             poisson_counts(alpha, column_rates(uneven_tree(3))));
  });
}

}  // namespace

TEST_CASE("sweeps of choices have the posterior of weighted draws from the buffet process") {
  for_both_alphas([](const Hyper& alpha) {
    compare<ChoiceChain>(Exchangeable(rows, {alpha}), poisson_counts(alpha, buffet_rates(1)));
  });
  const Hyper c = Hyper::fixed(2.3);
  compare<ChoiceChain>(Exchangeable(rows, {fixed_alpha, c, 0, 0}),
                       poisson_counts(fixed_alpha, buffet_rates(2.3)));
}

TEST_CASE("sweeps of choices have the posterior under a tree with pi integrated out") {
  compare_on_tree(Rates::integrated);
}
TEST_CASE("sweeps of choices have the posterior under a tree with pi in the state") {
  compare_on_tree(Rates::sampled);
}

TEST_CASE("sweeps of choices have the posterior under attraction, fixed and learned") {
  for (const Learned& learned : {Learned{}, Learned{Hyper::gamma(2, 0.8), true}})
    compare<AttractionChoiceChain>(attraction(three_rows(), learned_alpha, learned),
                                   [learned](Rng& rng) {
                                     RawAttraction raw = three_rows();
                                     if (learned.temperature.learned)
                                       raw.temperature = rng.gamma(2, 0.8);
                                     if (learned.order) rng.permutation(3, raw.order);
                                     return poisson_counts(learned_alpha, raw.rates())(rng);
                                   });
}

TEST_CASE("sweeps of choices have the posterior under the finite prior") {
  for_both_alphas([](const Hyper& alpha) {
    const double c = 1.4;
    const int most = 4;
    compare<ChoiceChain>(Exchangeable(rows, {alpha, Hyper::fixed(c), 0, most}), [=](Rng& rng) {
      Draw d;
      d.alpha = draw_alpha(alpha, rng);
      const Features z = draw_finite(rows, {d.alpha, c, 0, most}, rng);
      for (int k = 0; k < z.size(); ++k) ++d.counts[z.column(k).words()[0]];
      return d;
    });
  });
}

TEST_CASE(
    "truncated sweeps of choices have the posterior given the limit on the number of features") {
  const int most = 3;
  const auto no_more = [](auto draw) {
    return [draw](Rng& rng) {
      for (;;) {
        const Draw d = draw(rng);
        int size = 0;
        for (int count : d.counts) size += count;
        if (size <= most) return d;
      }
    };
  };
  for_both_alphas([&](const Hyper& alpha) {
    Exchangeable::Spec spec{alpha};
    spec.max_features = most;
    compare<ChoiceChain>(Exchangeable(rows, spec), no_more(poisson_counts(alpha, buffet_rates(1))));
    const auto on_tree = poisson_counts(alpha, column_rates(uneven_tree(3)));
    compare<TreeChoiceChain>(phylogenetic(uneven_tree(3), alpha, Rates::integrated, most),
                             no_more(on_tree));
  });
}

// The share of the first item in the weight of both items' singletons; the weight of common
// features has its prior.
TEST_CASE("weights given features have their posterior") {
  const int draws = scaled(shorter(400000));
  Eigen::MatrixXd wins(2, 2);
  wins << 0, 7, 2, 0;
  const auto data = as_choices(wins);
  Features z(2);
  for (int h : {1, 2, 3}) z.add(bits_of(2, h));
  Choice likelihood(data, {epsilon}, WeightPrior(shape, rate));
  likelihood.reset(z);
  std::vector<BatchMean> means(5, BatchMean(draws, 200));
  Rng rng(253);
  for (int t = 0; t < draws; ++t) {
    likelihood.update(z, rng);
    const auto& w = likelihood.loadings();
    const double share = w[0] / (w[0] + w[1]), total = w[0] + w[1];
    const std::vector<double> values{share, share * share, total, w[2], total * w[2]};
    for (std::size_t n = 0; n < values.size(); ++n) means[n].add(values[n]);
  }
  const auto expected = [](auto f) {
    return integral(
        [&](long double s) {
          const long double p = (1 - epsilon) * s + epsilon / 2;
          return f(s) * std::pow(s * (1 - s), shape - 1) * std::pow(p, 7) * std::pow(1 - p, 2);
        },
        0, 1, 64);
  };
  const long double total = expected([](long double) { return 1.0L; });
  const double mean = shape / rate;
  CHECK(std::abs(means[0].z(double(expected([](long double s) { return s; }) / total))) < 4.5);
  CHECK(std::abs(means[1].z(double(expected([](long double s) { return s * s; }) / total))) < 4.5);
  CHECK(std::abs(means[2].z(2 * mean)) < 4.5);
  CHECK(std::abs(means[3].z(mean)) < 4.5);
  CHECK(std::abs(means[4].z(2 * mean * mean)) < 4.5);
}
