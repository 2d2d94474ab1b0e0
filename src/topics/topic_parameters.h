#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <utility>
#include <vector>

#include "core/features.h"
#include "core/rng.h"
#include "topic_state.h"

namespace buffet {

/// Number of consecutive misses if each has the same probability.
inline double skipped(double log_missed, Rng& rng) {
  return std::floor(std::log(rng.uniform()) / log_missed);
}

/// The result of a sweep over the documents for each topic: the documents that have tokens of it,
/// and the number of tables t at which these tokens sit in a restaurant with concentration phi.
/// Given these, draws the documents that have chosen the topic.
class TopicChoices {
 public:
  void begin(int documents);

  /// Document m has n tokens of topic k; token i = 0, 1, ... sits at a new table with probability
  /// phi / (phi + i).
  void add(int m, std::pair<int, int> tokens, double phi, Rng& rng);

  int tables(int k) const { return tables_[k]; }

  /// Documents that have chosen topic k, including those without a token of it. If no document has
  /// a token, they are a thinned sample with probability pi.
  Bits draw(int k, const TopicState& state, Rng& rng) const;

 private:
  int documents_ = 0;
  std::vector<Bits> holders_;
  std::vector<int> tables_;
};

/// alpha Lambda(gamma) is the expected number of topics with a token if all documents have the
/// exposure ell: Lambda = sum over j = 1, ..., M of [1 - (1 + j ell)^-gamma] / j.
double expected_topics(double gamma, double ell, int documents);

/// Topics that documents have chosen but that have no token, drawn from the prior and kept with the
/// probability of having none. They are needed for the conditionals of alpha and gamma if exposures
/// differ, and always for the total weight of a document's topics. Their weights are drawn later.
std::vector<ChosenTopic> draw_silent_topics(const TopicState& state, Rng& rng);

/// ell = -log u, u ~ Beta(weight, length), for a document whose chosen topics have this total
/// weight.
double draw_exposure_of(double weight, int length, Rng& rng);

/// All learned quantities given the topics of tokens: the choices of documents, the topics'
/// probabilities and weights, alpha, gamma, eta, and exposures if lengths are given.
class TopicParameters {
 public:
  /// z becomes the matrix of choices, with one column per topic that has a token; state.silent gets
  /// the topics without one.
  void update(TopicState& state, const TopicChoices& choices, Features& z, Rng& rng);

  /// Log density of all learned quantities and the topics of tokens; topics without a token are
  /// included if they are known.
  double log_prior(const TopicState& state) const;

 private:
  /// Under vague priors gamma and eta are limited to [e^-200, e^200], within the range of doubles.
  static constexpr double most_log = 200;

  void draw_choices(const TopicState& state, const TopicChoices& choices, Features& z, Rng& rng);

  /// If all exposures are equal, the learned quantities do not depend on topics without a token, so
  /// these are drawn last.
  static void draw_silent(TopicState& state, Rng& rng);

  /// A value below 1, for which the odds are finite.
  static double draw_pi(int count, const TopicState& state, Rng& rng);

  /// Used if all exposures are equal.
  static double expected(const TopicState& state, double gamma);

  static double harmonic(const TopicState& state);

  void update_gamma(TopicState& state, Rng& rng) const;

  /// Used if all exposures are equal: log probability of this number of topics with tokens, with
  /// alpha integrated out if it is learned.
  double log_represented(const TopicState& state, double gamma) const;

  void update_alpha(TopicState& state, Rng& rng) const;

  /// u_m ~ Beta(S_m, n_m), where S_m is the total weight of the topics that document m has chosen;
  /// ell_m = -log u_m.
  void update_exposures(TopicState& state, Rng& rng);

  static void update_eta(TopicState& state, Rng& rng);

  /// log p(z | choices, weights): Dirichlet-multinomial if lengths are given, otherwise negative
  /// binomial counts in random order.
  double log_assignments(const TopicState& state) const;

  std::vector<int> topics_;          ///< slots of the topics, in the order of the columns of z
  std::vector<ChosenTopic> chosen_;  ///< choices of the same topics
  Eigen::ArrayXd weights_;           ///< total weight of the topics that each document has chosen
};

}  // namespace buffet
