#pragma once

#include <testthat/vendor/catch.h>

#include <string>
#include <vector>

#include "enumerate.h"
#include "scale.h"
#include "statistics.h"

namespace test {

/// Follows a chain and compares E[K+], the pmf of K+ and E[Z Z'].
class Comparison {
 public:
  Comparison(const Enumeration& exact, int sweeps)
      : exact_(exact), batches_(sweeps, 200), size_(batches_), gram_(6, batches_) {
    for (int s = 0; s < exact.size(); ++s) {
      const int k = exact.features(s);
      if (k >= static_cast<int>(pmf_.size())) pmf_.resize(k + 1, 0);
      pmf_[k] += exact.probability(s);
      mean_size_ += k * exact.probability(s);
      mean_gram_ += exact.gram(s) * exact.probability(s);
    }
    size_is_.assign(pmf_.size(), batches_);
  }

  void add(const Features& z) {
    size_.add(z.size());
    for (std::size_t k = 0; k < pmf_.size(); ++k) size_is_[k].add(z.size() == static_cast<int>(k));
    int n = 0;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j <= i; ++j) {
        int shared = 0;
        for (int k = 0; k < z.size(); ++k) shared += z.at(i, k) && z.at(j, k);
        gram_[n++].add(shared);
      }
  }

  void check() const {
    check_one("E[K+]", size_, mean_size_);
    int n = 0;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j <= i; ++j)
        check_one("E[z" + std::to_string(i) + ".z" + std::to_string(j) + "]", gram_[n++],
                  mean_gram_(i, j));
    for (std::size_t k = 0; k < pmf_.size(); ++k)
      if (pmf_[k] > 0.01) check_one("P(K+ = " + std::to_string(k) + ")", size_is_[k], pmf_[k]);
  }

  /// Number of values of K+ that are neither rare nor certain.
  int spread() const {
    int n = 0;
    for (double p : pmf_) n += p > 0.03;
    return n;
  }

 private:
  static void check_one(const std::string& name, const BatchMean& mean, double truth) {
    INFO(name << " is " << truth << ", sampled " << mean.value());
    const double z = mean.z(truth);
    CHECK(std::abs(z) < 4.5);
  }

  const Enumeration& exact_;
  BatchMean batches_, size_;
  std::vector<BatchMean> gram_, size_is_;
  std::vector<double> pmf_;
  double mean_size_ = 0;
  Eigen::Matrix3d mean_gram_ = Eigen::Matrix3d::Zero();
};

/// Compares a long chain of one move with the exact posterior.
template <class C>
void compare_with_enumeration(const Enumeration& exact, C chain, MoveOf<C> move, int sweeps) {
  if (!exact.complete()) CHECK(exact.last_mass() < 1e-5);
  Comparison comparison(exact, sweeps);
  REQUIRE(comparison.spread() >= 3);
  Limits limits(20);
  for (int t = 0; t < 100; ++t) move(chain);
  for (int t = 0; t < sweeps; ++t) {
    move(chain);
    limits.check(chain.z.size());
    comparison.add(chain.z);
  }
  comparison.check();
}

template <class C>
void compare_with_enumeration(const Enumeration& exact, MoveOf<C> move, int sweeps) {
  compare_with_enumeration<C>(exact, exact.chain<C>(Features(3), Rng(71)), move, sweeps);
}

/// Result of one move from independent draws of the exact posterior, after which the draws must
/// still have that posterior.
struct Outcome {
  double p = 1;        ///< p-value for the states after the move
  double changed = 0;  ///< fraction of draws that the move has changed
};

/// draw_rest(chain, rng): draws everything in the chain except Z, given Z. follows(chain): checks
/// stored values after the first moves that change Z.
template <class C, class DrawRest, class Move, class Follows>
Outcome moved_once(const Enumeration& exact, C chain, int draws, Rng rng, DrawRest draw_rest,
                   Move move, Follows follows) {
  std::vector<double> seen(exact.size(), 0), expected(exact.size());
  Limits limits(20);
  int changed = 0;
  for (int n = 0; n < draws; ++n) {
    const int before = exact.draw(rng);
    chain.z = exact.matrix(before);
    draw_rest(chain, rng);
    move(chain);
    limits.check(chain.z.size());
    const int after = exact.index_of(chain.z);
    if (after != before && changed < 500) follows(chain);
    changed += after != before;
    if (after >= 0) ++seen[after];
  }
  for (int s = 0; s < exact.size(); ++s) expected[s] = draws * exact.probability(s);
  return {chi_squared_p(seen, expected), changed / double(draws)};
}

}  // namespace test
