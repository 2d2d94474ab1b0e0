#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "core/rng.h"

namespace buffet {

/// A topic's probability of being chosen by a document, and its weight in documents that have
/// chosen it.
struct TopicAtom {
  double pi, phi;
};

/// Draws pi for a topic with tokens in only one of M documents, given that any other document that
/// has chosen it has no token of it with probability e^(-x). The density is proportional to (1 - pi
/// s)^(M - 1), s = 1 - e^(-x); pi is drawn by inversion.
double draw_fresh_pi(double x, int documents, Rng& rng);

/// Topics without any other token, if all documents have the same exposure: their mass in the
/// conditional distribution of a token, and exact draws of their (pi, phi).
class FreshTopicEqual {
 public:
  /// The mass is alpha gamma / M times the sum over j = 1, ..., M of (1 + j ell)^-(gamma + 1).
  FreshTopicEqual(double alpha, double gamma, double ell, int documents);

  static constexpr bool equal = true;
  double mass(double) const { return mass_; }
  double log_ratio(double, const TopicAtom&) const { return 0; }

  TopicAtom draw(double, Rng& rng) const;

 private:
  double gamma_, ell_;
  int documents_;
  std::vector<double> cumulated_;
  double mass_;
};

/// A fresh topic if exposures differ: drawn as if all other documents had the mean exposure, then
/// corrected by an acceptance step with log_ratio().
class FreshTopic {
 public:
  static constexpr bool equal = false;

  FreshTopic(double alpha, double gamma, Eigen::ArrayXd ell);

  /// The mass in a document with exposure ell: alpha [(1 + ell)^-gamma - (1 + ell + M mean)^-gamma]
  /// / (M mean).
  double mass(double ell) const;

  /// phi has density proportional to phi^(gamma - 1) e^-(1 + ell) phi (1 - e^(-M mean phi)), a
  /// mixture of Gamma(gamma + 1, t) with t between 1 + ell and 1 + ell + M mean.
  TopicAtom draw(double ell, Rng& rng) const;

  /// Log ratio of the posterior density times its mass to the density of draw() times its mass.
  double log_ratio(double ell, const TopicAtom& atom) const;

 private:
  int count() const { return static_cast<int>(ell_.size()); }
  double span(double ell) const { return std::log1p(count() * mean_ / (1 + ell)); }

  /// Log probability that no document has a token of the topic. Logarithms are taken only of
  /// products of sixteen factors, which stay within the range of doubles.
  double log_absent(const TopicAtom& atom) const;

  double alpha_, gamma_;
  Eigen::ArrayXd ell_;
  double mean_;
};

/// Log probability for a new document in addition to M others with the mean exposure.
class FreshTopicNew {
 public:
  static constexpr bool equal = false;

  FreshTopicNew(double alpha, double gamma, double mean, int documents);

  double mass(double ell) const { return as_member_.mass(ell); }
  /// Appends the weights of the topics that the document has chosen but that have no token: topics
  /// chosen under the prior are kept with the probability that they have no token.
  void draw_silent(double ell, Rng& rng, std::vector<double>& weights) const;
  TopicAtom draw(double ell, Rng& rng) const { return as_member_.draw(ell, rng); }
  double log_ratio(double, const TopicAtom& atom) const;

 private:
  double alpha_, gamma_, mean_;
  int documents_;
  FreshTopic as_member_;
};

/// How document lengths are treated: given, with learned exposures; or modelled, with the same
/// exposure for all documents.
enum class Lengths { given, model };

}  // namespace buffet
