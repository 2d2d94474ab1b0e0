#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/rng.h"

namespace buffet {

/// Of a topic: in how many documents it is, as a probability, and its weight where it is.
struct TopicAtom {
  double pi, phi;
};

/// pi of a topic that is in one document, and in M - 1 more with probability pi e^(-x), with
/// density proportional to (1 - pi s)^(M - 1), s = 1 - e^(-x): by inversion.
inline double draw_fresh_pi(double x, int documents, Rng& rng) {
  const double log_rest = std::log1p(rng.uniform() * std::expm1(-documents * x)) / documents;
  const double share = -std::expm1(-x);
  return share > 0 ? std::min(1.0, std::expm1(log_rest) / -share) : rng.uniform();
}

/// Sum over j = 0, ..., n of (x + j y)^-(g + 1): the first terms, then Euler & Maclaurin.
inline double sum_of_powers(double x, double y, double g, int n) {
  const auto term = [&](double at) { return std::exp(-(g + 1) * std::log(at)); };
  const int first = std::min(n, 16);
  const double from = x + first * y, to = x + n * y, of_from = term(from), of_to = term(to);
  double sum = 0.5 * (of_from + of_to);
  for (int j = 0; j < first; ++j) sum += term(x + j * y);
  if (first == n) return sum;
  sum -= from * of_from * std::expm1(-g * std::log(to / from)) / (g * y);
  return sum + (g + 1) * y / 12 * (of_from / from - of_to / to);
}

/// Topics that no other token is in yet, where all documents have the same exposure: their mass in
/// the conditional of a token, and draws of their (pi, phi). Exact.
class FreshTopicEqual {
 public:
  /// The mass is alpha gamma / M times the sum over j = 1, ..., M of (1 + j ell)^-(gamma + 1).
  FreshTopicEqual(double alpha, double gamma, double ell, int documents)
      : gamma_(gamma), ell_(ell), documents_(documents), cumulated_(documents) {
    double sum = 0;
    for (int j = 1; j <= documents; ++j)
      cumulated_[j - 1] = sum += std::exp(-(gamma + 1) * std::log1p(j * ell));
    mass_ = alpha * gamma / documents * sum;
  }

  static constexpr bool equal = true;
  double mass(double) const { return mass_; }
  double log_ratio(double, const TopicAtom&) const { return 0; }

  TopicAtom draw(double, Rng& rng) const {
    const double at = rng.uniform() * cumulated_.back();
    const auto found = std::upper_bound(cumulated_.begin(), cumulated_.end() - 1, at);
    const auto j = 1 + (found - cumulated_.begin());
    const double phi = rng.gamma(gamma_ + 1, 1 + j * ell_);
    return {draw_fresh_pi(ell_ * phi, documents_, rng), phi};
  }

 private:
  double gamma_, ell_;
  int documents_;
  std::vector<double> cumulated_;
  double mass_;
};

/// The same where exposures differ: draws as if all others had the mean exposure, which an
/// acceptance with log_ratio() mends.
class FreshTopic {
 public:
  static constexpr bool equal = false;

  FreshTopic(double alpha, double gamma, Eigen::ArrayXd ell)
      : alpha_(alpha), gamma_(gamma), ell_(std::move(ell)), mean_(ell_.mean()) {}

  /// In a document with exposure ell: alpha [(1 + ell)^-gamma - (1 + ell + M mean)^-gamma] /
  /// (M mean).
  double mass(double ell) const {
    return -alpha_ * std::exp(-gamma_ * std::log1p(ell)) * std::expm1(-gamma_ * span(ell)) /
           (count() * mean_);
  }

  /// phi has density proportional to phi^(gamma - 1) e^-(1 + ell) phi (1 - e^(-M mean phi)), a
  /// mixture of Gamma(gamma + 1, t), t between 1 + ell and that plus M mean.
  TopicAtom draw(double ell, Rng& rng) const {
    const double grown = std::log1p(rng.uniform() * std::expm1(-gamma_ * span(ell)));
    const double log_rate = std::log1p(ell) - grown / gamma_;
    const double phi = rng.gamma(gamma_ + 1, std::exp(log_rate));
    return {draw_fresh_pi(mean_ * phi, count(), rng), phi};
  }

  /// Log of the density that the posterior asks for over that of draw(), times their masses.
  double log_ratio(double ell, const TopicAtom& atom) const {
    const double share = -std::expm1(-mean_ * atom.phi);
    return std::log(atom.phi * mean_ / share) - (count() - 1) * std::log1p(-atom.pi * share) +
           log_absent(atom) - std::log1p(atom.pi * std::expm1(-ell * atom.phi));
  }

 private:
  int count() const { return static_cast<int>(ell_.size()); }
  double span(double ell) const { return std::log1p(count() * mean_ / (1 + ell)); }

  /// Log probability that no document has a token of the topic. Logarithms are taken of products of
  /// sixteen, which do not leave the range of doubles.
  double log_absent(const TopicAtom& atom) const {
    const Eigen::ArrayXd absent = 1 - atom.pi * (1 - (-atom.phi * ell_).exp());
    double sum = 0;
    for (Eigen::Index from = 0; from < absent.size(); from += 16)
      sum +=
          std::log(absent.segment(from, std::min<Eigen::Index>(16, absent.size() - from)).prod());
    return sum;
  }

  double alpha_, gamma_;
  Eigen::ArrayXd ell_;
  double mean_;
};

/// The same in a document that was not there before, beside M others of the mean exposure.
class FreshTopicNew {
 public:
  static constexpr bool equal = false;

  FreshTopicNew(double alpha, double gamma, double mean, int documents)
      : alpha_(alpha),
        gamma_(gamma),
        mean_(mean),
        documents_(documents),
        as_member_(alpha, gamma, Eigen::ArrayXd::Constant(documents + 1, mean)) {}

  double mass(double ell) const { return as_member_.mass(ell); }
  /// The mass times the mean of what draws are weighted with: that of the conditional of a token.
  double weighted_mass(double ell) const {
    return alpha_ * gamma_ / (documents_ + 1) * sum_of_powers(1 + ell, mean_, gamma_, documents_);
  }
  TopicAtom draw(double ell, Rng& rng) const { return as_member_.draw(ell, rng); }
  double log_ratio(double, const TopicAtom& atom) const {
    return std::log(atom.phi * mean_ / -std::expm1(-mean_ * atom.phi));
  }

 private:
  double alpha_, gamma_, mean_;
  int documents_;
  FreshTopic as_member_;
};

/// How much of a document's words there is to be seen: "given" lengths, whose exposures are
/// learned, or the same for all.
enum class Lengths { given, model };

}  // namespace buffet
