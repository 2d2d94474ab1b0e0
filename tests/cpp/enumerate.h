#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "gaussian_case.h"
#include "moves.h"
#include "scales.h"

namespace test {

/// The exact posterior of Z for three rows, given the entries that are not NaN, over all multisets
/// of the 7 nonzero histories.
class Enumeration {
 public:
  static constexpr int rows = 3, histories = 7;
  using Repeats = std::array<int, histories>;  ///< number of columns with history h + 1

  Enumeration(const PriorCase& prior, Eigen::MatrixXd x, Scales sigma)
      : Enumeration([=](const Repeats& repeats) { return log_class(prior.parameters, repeats); },
                    prior.most(), std::move(x), sigma) {
    prior_ = prior;
  }
  /// Enumeration under any prior, given its log probability of a class up to a constant; n_features
  /// > 0 limits the number of columns.
  template <class LogClass>
  Enumeration(LogClass log_class, int n_features, Eigen::MatrixXd x, Scales sigma)
      : log_class_(log_class),
        x_(std::move(x)),
        sigma_(sigma),
        observations_(Eigen::MatrixXd(x_.transpose())),
        complete_(n_features > 0),
        most_(complete_ ? n_features : 13) {
    Repeats repeats{};
    visit(0, most_, repeats);
    normalise();
  }

  const Eigen::MatrixXd& x() const { return x_; }
  Scales sigma() const { return sigma_; }
  int size() const { return static_cast<int>(states_.size()); }
  double probability(int s) const { return probabilities_[s]; }
  /// Z Z' for state s. Its trace is not K, which is stored separately.
  const Eigen::Matrix3d& gram(int s) const { return grams_[s]; }
  int features(int s) const {
    int n = 0;
    for (int r : states_[s]) n += r;
    return n;
  }
  /// The index of a matrix, or -1 if it is not enumerated.
  int index_of(const Features& z) const {
    Repeats repeats{};
    for (int k = 0; k < z.size(); ++k) ++repeats[z.at(0, k) + 2 * z.at(1, k) + 4 * z.at(2, k) - 1];
    const auto found = index_.find(key(repeats));
    return found == index_.end() ? -1 : found->second;
  }

  /// P(K+ = the largest number enumerated); the probability that is omitted is smaller.
  double last_mass() const {
    double sum = 0;
    for (int s = 0; s < size(); ++s)
      if (features(s) == most_) sum += probabilities_[s];
    return sum;
  }
  bool complete() const { return complete_; }

  int draw(Rng& rng) const {
    const auto at = std::upper_bound(cumulated_.begin(), cumulated_.end(), rng.uniform());
    return std::min<int>(static_cast<int>(at - cumulated_.begin()), size() - 1);
  }

  Features matrix(int s) const { return from_dense(dense_of(states_[s])); }

  /// A chain whose state is z, with these data and hyperparameters.
  template <class C = Chain>
  C chain(Features z, Rng rng) const {
    return chain_of<C>({rows, prior_.spec()}, std::move(z), rng);
  }
  template <class C>
  C chain_of(decltype(C::prior) prior, Features z, Rng rng) const {
    C chain(std::move(z), std::move(prior), {observations_, fixed_precisions(sigma_)}, rng);
    if (sigma_.columns.empty()) return chain;
    set_scales(chain.likelihood, sigma_);
    chain.likelihood.reset(chain.z);
    return chain;
  }

 private:
  static std::uint64_t key(const Repeats& repeats) {
    std::uint64_t sum = 0;
    for (int r : repeats) sum = 256 * sum + static_cast<std::uint64_t>(std::min(r, 255));
    return sum;
  }

  static Eigen::MatrixXd dense_of(const Repeats& repeats) {
    Eigen::MatrixXd z(rows, 0);
    for (int h = 1; h <= histories; ++h)
      for (int r = 0; r < repeats[h - 1]; ++r) {
        z.conservativeResize(rows, z.cols() + 1);
        z.col(z.cols() - 1) << (h & 1), (h >> 1 & 1), (h >> 2 & 1);
      }
    return z;
  }

  void visit(int h, int left, Repeats& repeats) {
    if (h == histories) {
      add(repeats);
      return;
    }
    for (int r = 0; r <= left; ++r) {
      repeats[h] = r;
      visit(h + 1, left - r, repeats);
    }
    repeats[h] = 0;
  }

  /// The class has size()! / prod_h repeats_h! distinct orders of its columns.
  static double log_class(const Parameters& p, const Repeats& repeats) {
    std::vector<int> counts;
    for (int h = 1; h <= histories; ++h)
      for (int r = 0; r < repeats[h - 1]; ++r) counts.push_back((h & 1) + (h >> 1 & 1) + (h >> 2));
    double sum = log_prob(counts, rows, p) + std::lgamma(counts.size() + 1.0);
    for (int r : repeats) sum -= std::lgamma(r + 1.0);
    return sum;
  }

  void add(const Repeats& repeats) {
    const Eigen::MatrixXd z = dense_of(repeats);
    index_[key(repeats)] = size();
    states_.push_back(repeats);
    grams_.push_back(z * z.transpose());
    probabilities_.push_back(log_class_(repeats) + log_lik(z, x_, sigma_));
  }

  void normalise() {
    const double largest = *std::max_element(probabilities_.begin(), probabilities_.end());
    double total = 0, sum = 0;
    for (double& p : probabilities_) total += p = std::exp(p - largest);
    for (double& p : probabilities_) cumulated_.push_back(sum += p /= total);
  }

  PriorCase prior_;
  std::function<double(const Repeats&)> log_class_;
  Eigen::MatrixXd x_;
  Scales sigma_;
  buffet::GaussianData observations_;
  bool complete_;
  int most_;
  std::vector<Repeats> states_;
  std::vector<Eigen::Matrix3d> grams_;
  std::vector<double> probabilities_, cumulated_;
  std::unordered_map<std::uint64_t, int> index_;
};

/// The prior cases for a chain. Slice sampling gets a smaller discount, because it represents about
/// s^-d unused features.
template <class C>
std::vector<PriorCase> cases_of() {
  auto cases = prior_cases();
  if constexpr (std::is_same_v<decltype(C::prior), buffet::Sticks>)
    cases[2].parameters.discount = 0.15;
  return cases;
}

/// Which entries of the 3 x 2 matrix are missing.
enum class Missing { none, two_entries, row, column };

/// Data under which the posterior is spread over several numbers of features.
inline Eigen::MatrixXd spread_data(Missing missing = Missing::none) {
  Eigen::MatrixXd x(3, 2);
  x << 1.4, -0.3, 0.6, 1.1, 1.9, 0.8;
  if (missing == Missing::two_entries) x(0, 1) = x(2, 0) = std::nan("");
  if (missing == Missing::row) x.row(1).setConstant(std::nan(""));
  if (missing == Missing::column) x.col(1).setConstant(std::nan(""));
  return x;
}

}  // namespace test
