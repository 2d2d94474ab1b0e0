#include <testthat/vendor/catch.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>
#include <vector>

#include "draws.h"
#include "quadrature.h"
#include "scale.h"
#include "shared/own_exchange.h"
#include "statistics.h"

using namespace test;

namespace {

/// The free features that a row has, and the loadings of its singletons (D x j).
struct State {
  unsigned bits;
  Eigen::MatrixXd own;

  int size() const { return static_cast<int>(own.cols()); }
  Eigen::VectorXd sum() const { return own.rowwise().sum(); }
  State without(int n) const {
    State s = *this;
    for (int m = n + 1; m < size(); ++m) s.own.col(m - 1) = own.col(m);
    s.own.conservativeResize(Eigen::NoChange, size() - 1);
    return s;
  }
};

int count(unsigned bits) {
  return bits == 0 ? 0 : static_cast<int>(bits % 2) + count(bits / 2);
}

/// A row and five shared features. The row has the second, lacks the fourth, and may have each of
/// the others; it may also have singletons.
class OneRow {
 public:
  static constexpr int columns = 3, features = 5, states = 8;

  /// places: number of places for singletons, whose number is then binomial; 0: Poisson.
  OneRow(bool hides, int places) : OneRow(Eigen::Vector3d(2.1, hides ? NAN : 1.9, 1.4), places) {}

  /// A posterior draw: a prior draw that is accepted with the probability given by the row's
  /// density.
  State draw(Rng& rng) const {
    for (;;) {
      State s{0, draw_normal(columns, draw_size(rng), sigma_a, rng).cwiseAbs()};
      for (int n = 0; n < 3; ++n)
        if (rng.bernoulli(1 / (1 + 1 / odds(n)))) s.bits |= 1u << n;
      if (rng.uniform() < likelihood(s)) return s;
    }
  }

  State moved(const State& from, Rng& rng) {
    State to = from;
    Features z = matrix(from.bits);
    buffet::RowByScores fit(a_, variance);
    const Eigen::VectorXd scores = a_.transpose() * (x_ - seen(from.sum()));
    fit.enter(data_, 0, scores, on(from.bits));
    buffet::RowChain chain{z, prior_, fit, rng};
    const auto log_ratio = [&](int j) { return std::log(ratio(j)); };
    buffet::OwnExchange({variance, 1 / (sigma_a * sigma_a)}, a_, free, {observed_, rest(from)})
        .move(row, to.own, log_ratio, chain);
    to.bits = 0;
    for (int n = 0; n < 3; ++n)
      if (z.at(row, free[n])) to.bits |= 1u << n;
    if (fit.on() != on(to.bits)) FAIL("the likelihood does not have the bits of the row");
    return to;
  }

  /// The probabilities of the bits after a move.
  std::vector<double> outcomes(const State& s) const {
    std::vector<double> p(states, 0);
    for (unsigned k : {1u, 2u, 4u}) {
      p[s.bits ^ k] = s.bits & k ? birth(s, k) : death(s, k);
      p[s.bits] -= p[s.bits ^ k];
    }
    p[s.bits] += 1;
    return p;
  }

 private:
  static constexpr int rows = 8, row = 5;
  static constexpr double variance = 0.64, sigma_a = 1.1, rate = 1.2;
  static constexpr std::array<int, features> counts{3, 4, 2, 5, 6};
  inline static const std::vector<int> free{4, 0, 2};

  OneRow(const Eigen::Vector3d& x, int places)
      : places_(places),
        data_(x, false),
        observed_(x.array().isNaN().select(Eigen::Array3d::Zero(), 1)),
        x_(x.array().isNaN().select(0, x)),
        a_(columns, features),
        prior_(rows, {Hyper::fixed(1)}) {
    a_ << 0.2, 0.4, 0.1, 2.0, 1.5,  //
        0.4, 0.8, 1.4, 0.5, 0.3,    //
        1.3, 0.1, 0.5, 1.1, 0.2;
    Features z = matrix(0);
    for (int k = 0; k < features; ++k) z.set_count(k, counts[k]);
    prior_.estimate(z, rows);
  }

  /// P(j + 1) / P(j) for the number of singletons.
  double ratio(int j) const { return rate * (places_ > 0 ? places_ - j : 1) / (j + 1.0); }
  int draw_size(Rng& rng) const {
    if (places_ == 0) return draw_poisson(rate, rng);
    int size = 0;
    for (int n = 0; n < places_; ++n) size += rng.bernoulli(rate / (1 + rate));
    return size;
  }
  static double odds(int n) { return (counts[free[n]] + 0.5) / (rows - counts[free[n]] + 0.5); }

  static std::vector<int> on(unsigned bits) {
    std::vector<int> numbers{1};
    for (int n = 0; n < 3; ++n)
      if (bits >> n & 1) numbers.push_back(free[n]);
    std::sort(numbers.begin(), numbers.end());
    return numbers;
  }
  static Features matrix(unsigned bits) {
    Features z(rows);
    for (int k = 0; k < features; ++k) z.add(buffet::Bits(rows));
    for (int k : on(bits)) z.flip(row, k);
    return z;
  }

  Eigen::VectorXd seen(const Eigen::VectorXd& v) const { return observed_ * v.array(); }
  Eigen::VectorXd rest(const State& s) const {
    Eigen::VectorXd fitted = s.sum();
    for (int k : on(s.bits)) fitted += a_.col(k);
    return x_ - seen(fitted);
  }
  /// Likelihood of the row, at most 1.
  double likelihood(const State& s) const {
    return std::exp(-0.5 * rest(s).squaredNorm() / variance);
  }
  /// Joint weight of the bits and the row.
  double weight(const State& s) const {
    double product = likelihood(s);
    for (int n = 0; n < 3; ++n)
      if (s.bits >> n & 1) product *= odds(n);
    return product;
  }
  /// The likelihood with one more singleton, integrated over its loadings, divided by the
  /// likelihood without it.
  double evidence(const State& s) const {
    const Eigen::VectorXd left = rest(s);
    long double product = 1;
    for (int d = 0; d < columns; ++d)
      if (observed_(d) > 0)
        product *= integral(
            [&](long double a) {
              const long double log_lik = a * (left(d) - 0.5L * a) / variance;
              return std::exp(log_lik - 0.5L * a * a / sigma_a / sigma_a);
            },
            0, 12);
    return static_cast<double>(product) * std::pow(std::sqrt(2 / M_PI) / sigma_a, observed_.sum());
  }

  /// Exchange between s with feature k and s with one more singleton: the weight of each state
  /// times the probability of proposing the other, and the probability that the proposed shared
  /// feature is k.
  struct Exchange {
    double shared, own, proposed;
  };
  Exchange exchange(const State& s, unsigned k) const {
    double total = 0;
    for (unsigned l : {1u, 2u, 4u})
      if (!(s.bits & l)) total += weight({s.bits | l, s.own});
    const double shared = weight({s.bits | k, s.own}), proposed = shared / total;
    const double own = weight(s) * ratio(s.size()) * evidence(s);
    return {shared / (count(s.bits) + 1), own * proposed, proposed};
  }
  double birth(const State& s, unsigned k) const {
    const Exchange e = exchange({s.bits ^ k, s.own}, k);
    return 0.5 / count(s.bits) * std::min(1.0, e.own / e.shared);
  }
  double death(const State& s, unsigned k) const {
    double sum = 0;
    for (int n = 0; n < s.size(); ++n) {
      const Exchange e = exchange(s.without(n), k);
      sum += 0.5 / s.size() * e.proposed * std::min(1.0, e.shared / e.own);
    }
    return sum;
  }

  int places_;
  buffet::GaussianData data_;
  Eigen::ArrayXd observed_;
  Eigen::VectorXd x_;  ///< 0 for missing entries
  Eigen::MatrixXd a_;
  buffet::KnownProbabilities prior_;
};

template <class Check>
void for_rows(Check check) {
  for (bool hides : {false, true})
    for (int places : {0, 2}) {
      INFO((hides ? "missing entry, " : "") << places << " places");
      check(OneRow(hides, places));
    }
}

/// True if the states differ by one more singleton and one shared feature less.
bool is_exchange(const State& fewer, const State& more) {
  return more.size() == fewer.size() + 1 && count(more.bits) == count(fewer.bits) - 1 &&
         (more.bits & fewer.bits) == more.bits;
}

/// The number of births minus the number of deaths, over draws from the posterior.
class Balance {
 public:
  void add(const State& from, const State& to) {
    const int born = to.size() - from.size();
    const auto& [fewer, more] = born > 0 ? std::tie(from, to) : std::tie(to, from);
    const bool same = born == 0 && to.bits == from.bits && to.own == from.own;
    if (!same && !is_exchange(fewer, more)) FAIL("the change is not an exchange");
    if (same) return;
    Eigen::ArrayXd values(1 + OneRow::columns);
    values << 1, more.sum() - fewer.sum();
    flows_[{fewer.bits, more.bits, unsigned(fewer.size())}].add(born, values);
  }

  void check() const {
    int frequent = 0;
    for (const auto& [states, flow] : flows_) {
      if (flow.squares(0) < 40) continue;
      ++frequent;
      INFO(states[0] << " to " << states[1] << " with " << states[2] << " others");
      for (int n = 0; n < flow.sums.size(); ++n)
        CHECK(std::abs(z_score(flow.sums(n), flow.squares(n))) < 4.5);
    }
    CHECK(frequent >= 15);
  }

 private:
  /// How often an exchange occurs, and the loadings of the singleton that is exchanged.
  struct Flow {
    Eigen::ArrayXd sums = Eigen::ArrayXd::Zero(1 + OneRow::columns), squares = sums;

    void add(int born, const Eigen::ArrayXd& values) {
      sums += born * values;
      squares += values.square();
    }
  };
  /// Indexed by the bits in the states with fewer and with more singletons, and by the smaller
  /// number of singletons.
  std::map<std::array<unsigned, 3>, Flow> flows_;
};

}  // namespace

TEST_CASE("exchanges of singletons for shared features balance the reverse, with equal loadings") {
  for_rows([](OneRow at) {
    Rng rng(5301);
    Balance balance;
    for (int n = 0; n < scaled(shorter(2000000)); ++n) {
      const State from = at.draw(rng);
      balance.add(from, at.moved(from, rng));
    }
    balance.check();
  });
}

TEST_CASE("singletons are exchanged for shared features and back with the right probabilities") {
  for_rows([](OneRow at) {
    Rng rng(5302);
    const int draws = scaled(shorter(20000, 5));
    for (int n = 0; n < 60; ++n) {
      const State from = at.draw(rng);
      INFO(from.size() << " own features, bits " << from.bits);
      std::vector<double> seen(OneRow::states), expected = at.outcomes(from);
      for (int t = 0; t < draws; ++t) ++seen[at.moved(from, rng).bits];
      for (double& p : expected) p *= draws;
      for (int b = 0; b < OneRow::states; ++b) CHECK((seen[b] == 0 || expected[b] > 0));
      CHECK(chi_squared_p(seen, expected) > 1e-5);
    }
  });
}
