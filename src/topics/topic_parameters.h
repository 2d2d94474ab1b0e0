#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <utility>
#include <vector>

#include "core/features.h"
#include "core/rng.h"
#include "topic_state.h"

namespace buffet {

/// Number of consecutive misses, each with the same probability.
inline double skipped(double log_missed, Rng& rng) {
  return std::floor(std::log(rng.uniform()) / log_missed);
}

/// What a sweep over the documents leaves behind of each topic: who has tokens of it, and how many
/// tables t these would sit at in a restaurant of concentration phi. Given those, the documents
/// that have chosen it.
class TopicChoices {
 public:
  void begin(int documents);

  /// Document m has n tokens of topic k: of tokens i = 0, 1, ... each sits at a new table with
  /// probability phi / (phi + i).
  void add(int m, std::pair<int, int> tokens, double phi, Rng& rng);

  int tables(int k) const { return tables_[k]; }

  /// Documents that have chosen topic k, those without a token of it too. If none has a token, the
  /// chosen ones are a thinned sample with probability pi.
  Bits draw(int k, const TopicState& state, Rng& rng) const;

 private:
  int documents_ = 0;
  std::vector<Bits> holders_;
  std::vector<int> tables_;
};

/// alpha Lambda(gamma) is the expected number of topics with a token if all documents have the
/// exposure ell: Lambda = sum over j = 1, ..., M of [1 - (1 + j ell)^-gamma] / j.
double expected_topics(double gamma, double ell, int documents);

/// Topics that documents have chosen but own no token, from the prior and kept with the probability
/// of that. Only with them is it known, where exposures differ, what the others say of alpha and
/// gamma, and in any case what all topics of a document weigh. Their weights are not yet drawn.
std::vector<ChosenTopic> draw_silent_topics(const TopicState& state, Rng& rng);

/// ell = -log u, u ~ Beta(weight, length): of a document whose chosen topics have this weight.
double draw_exposure_of(double weight, int length, Rng& rng);

/// All that is learned besides the topics of tokens, given these: the choices of documents, the
/// topics' probabilities and weights, alpha, gamma, eta, and exposures where lengths are given.
class TopicParameters {
 public:
  /// z becomes the choices, a column a topic that owns a token; state.silent those that own none.
  void update(TopicState& state, const TopicChoices& choices, Features& z, Rng& rng);

  /// Log density of all that is learned and of the topics of tokens; topics without a token count
  /// where they are known.
  double log_prior(const TopicState& state) const;

 private:
  /// Priors that are wide leave gamma and eta between e^-200 and e^200, not to leave doubles.
  static constexpr double most_log = 200;

  void draw_choices(const TopicState& state, const TopicChoices& choices, Features& z, Rng& rng);

  /// If all exposures are equal, nothing that is learned depends on topics without a token, so
  /// these are drawn last.
  static void draw_silent(TopicState& state, Rng& rng);

  /// Never 1, so that its odds are finite.
  static double draw_pi(int count, const TopicState& state, Rng& rng);

  /// If all exposures are equal.
  static double expected(const TopicState& state, double gamma);

  static double harmonic(const TopicState& state);

  void update_gamma(TopicState& state, Rng& rng) const;

  /// With equal exposures: that there are so many topics with tokens and no more, alpha integrated
  /// out if it is learned.
  double log_represented(const TopicState& state, double gamma) const;

  void update_alpha(TopicState& state, Rng& rng) const;

  /// u_m ~ Beta(S_m, n_m), S_m the weight of what document m has chosen; ell_m = -log u_m.
  void update_exposures(TopicState& state, Rng& rng);

  static void update_eta(TopicState& state, Rng& rng);

  /// log p(z | choices, weights): of given lengths Dirichlet-multinomial, else negative binomial
  /// numbers in random order.
  double log_assignments(const TopicState& state) const;

  std::vector<int> topics_;          ///< slots of the topics, in the order of z's columns
  std::vector<ChosenTopic> chosen_;  ///< those
  Eigen::ArrayXd weights_;           ///< of all topics that each document has chosen
};

}  // namespace buffet
