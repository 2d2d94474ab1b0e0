#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "core/rng.h"

namespace buffet {

/// Of a topic: in how many documents it is, as a probability, and its weight where it is.
struct TopicAtom {
  double pi, phi;
};

/// pi of a topic that is in one document, and in M - 1 more with probability pi e^(-x), with
/// density proportional to (1 - pi s)^(M - 1), s = 1 - e^(-x): by inversion.
double draw_fresh_pi(double x, int documents, Rng& rng);

/// Topics that no other token is in yet, where all documents have the same exposure: their mass in
/// the conditional of a token, and draws of their (pi, phi). Exact.
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

/// A fresh topic if exposures differ: draws as if all others had the mean exposure, which an
/// acceptance step with log_ratio() corrects.
class FreshTopic {
 public:
  static constexpr bool equal = false;

  FreshTopic(double alpha, double gamma, Eigen::ArrayXd ell);

  /// In a document with exposure ell: alpha [(1 + ell)^-gamma - (1 + ell + M mean)^-gamma] /
  /// (M mean).
  double mass(double ell) const;

  /// phi has density proportional to phi^(gamma - 1) e^-(1 + ell) phi (1 - e^(-M mean phi)), a
  /// mixture of Gamma(gamma + 1, t), t between 1 + ell and that plus M mean.
  TopicAtom draw(double ell, Rng& rng) const;

  /// Log ratio of the posterior density and the density of draw(), each times its mass.
  double log_ratio(double ell, const TopicAtom& atom) const;

 private:
  int count() const { return static_cast<int>(ell_.size()); }
  double span(double ell) const { return std::log1p(count() * mean_ / (1 + ell)); }

  /// Log probability that no document has a token of the topic. Logarithms are taken of products of
  /// sixteen, which do not leave the range of doubles.
  double log_absent(const TopicAtom& atom) const;

  double alpha_, gamma_;
  Eigen::ArrayXd ell_;
  double mean_;
};

/// The same in a new document, next to M others with the mean exposure.
class FreshTopicNew {
 public:
  static constexpr bool equal = false;

  FreshTopicNew(double alpha, double gamma, double mean, int documents);

  double mass(double ell) const { return as_member_.mass(ell); }
  /// Adds what each topic weighs that the document has chosen, and that no document has a token of:
  /// of those that it chooses a priori each is kept with the probability of that.
  void draw_silent(double ell, Rng& rng, std::vector<double>& weights) const;
  TopicAtom draw(double ell, Rng& rng) const { return as_member_.draw(ell, rng); }
  double log_ratio(double, const TopicAtom& atom) const;

 private:
  double alpha_, gamma_, mean_;
  int documents_;
  FreshTopic as_member_;
};

/// How much of a document's words there is to be seen: "given" lengths, whose exposures are
/// learned, or the same for all.
enum class Lengths { given, model };

}  // namespace buffet
