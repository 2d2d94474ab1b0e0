#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "core/features.h"
#include "core/slice.h"
#include "topic_choices.h"
#include "topic_state.h"

namespace buffet {

/// alpha Lambda(gamma) is the expected number of topics with a token, where all documents have the
/// exposure ell: Lambda = sum over j = 1, ..., M of [1 - (1 + j ell)^-gamma] / j.
inline double expected_topics(double gamma, double ell, int documents) {
  double sum = 0;
  for (int j = 1; j <= documents; ++j) sum -= std::expm1(-gamma * std::log1p(j * ell)) / j;
  return sum;
}

/// A topic as its weight's conditional sees it: Gamma(gamma + tables, 1 + exposure), where exposure
/// is the summed ell of the documents that have chosen it.
struct ChosenTopic {
  Bits documents;
  double exposure = 0, phi = 0;
  int tables = 0;

  ChosenTopic(Bits documents_, const Eigen::ArrayXd& ell) : documents(std::move(documents_)) {
    documents.for_each([&](int m) { exposure += ell(m); });
  }

  /// log p(tables | gamma), up to a constant, the weight integrated out.
  double log_marginal(double gamma) const {
    const double of_tables = tables > 0 ? log_gamma(gamma + tables) - log_gamma(gamma) : 0;
    return of_tables - gamma * std::log1p(exposure);
  }
  /// Not below the least double, so that it has a logarithm.
  void draw_weight(double gamma, Rng& rng) {
    phi = std::max(rng.gamma(gamma + tables, 1 + exposure), std::numeric_limits<double>::min());
  }

  /// Log of the expected number of topics with such a weight that just these of M documents have
  /// chosen, over alpha.
  double log_density(double gamma, int documents_in_all) const {
    const int count = documents.count();
    return log_gamma(count) + log_gamma(documents_in_all - count + 1.0) -
           log_gamma(documents_in_all + 1.0) + (gamma - 1) * std::log(phi) - phi - log_gamma(gamma);
  }
};

/// Topics that documents have chosen but own no token, from the prior and kept with the probability
/// of that. Only with them is it known, where exposures differ, what the others say of alpha and
/// gamma, and what all topics of a document weigh.
inline std::vector<ChosenTopic> draw_silent_topics(const TopicState& state, Rng& rng) {
  std::vector<ChosenTopic> silent;
  const auto& filled = state.data->filled();
  const int count = static_cast<int>(filled.size());
  for (int first = 0; first < count; ++first)
    for (int n = rng.poisson(state.model.alpha.value / (first + 1)); n > 0; --n) {
      // Not taken by those before the first: pi has density (first + 1) (1 - pi)^first.
      const double log_missed = std::log(rng.uniform()) / (first + 1);
      const double most = -std::log(rng.uniform()) / rng.gamma(state.model.gamma.value, 1);
      Bits chosen(state.data->documents());
      double sum = 0;
      for (double at = first; at < count && sum < most; at += 1 + skipped(log_missed, rng)) {
        const int m = filled[static_cast<std::size_t>(at)];
        chosen.set(m);
        sum += state.ell(m);
      }
      if (sum < most) silent.emplace_back(std::move(chosen), state.ell);
    }
  return silent;
}

/// ell = -log u, u ~ Beta(weight, length): of a document whose chosen topics have this weight.
inline double draw_exposure_of(double weight, int length, Rng& rng) {
  const double more = rng.log_gamma_draw(length);
  const double x = more - rng.log_gamma_draw(std::max(weight, 1e-290));
  return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}

/// All that is learned besides the topics of tokens, given these: the choices of documents, the
/// topics' probabilities and weights, alpha, gamma, eta, and exposures where lengths are given.
class TopicParameters {
 public:
  /// z becomes the choices, a column a topic that owns a token.
  void update(TopicState& state, const TopicChoices& choices, Features& z, Rng& rng) {
    draw_choices(state, choices, z, rng);
    silent_.clear();
    if (state.model.lengths == Lengths::given) silent_ = draw_silent_topics(state, rng);
    update_gamma(state, rng);
    for (ChosenTopic& topic : silent_) topic.draw_weight(state.model.gamma.value, rng);
    for (std::size_t n = 0; n < topics_.size(); ++n) {
      chosen_[n].draw_weight(state.model.gamma.value, rng);
      const int count = z.count(static_cast<int>(n));
      state.set_atom(topics_[n], {draw_pi(count, state, rng), chosen_[n].phi});
    }
    update_alpha(state, rng);
    if (state.model.lengths == Lengths::given) update_exposures(state, rng);
    update_eta(state, rng);
  }

  /// Log density of all that is learned and of the topics of tokens; topics without a token count
  /// where they are known.
  double log_prior(const TopicState& state) const {
    const TopicModel& model = state.model;
    const bool given = model.lengths == Lengths::given;
    const double gamma = model.gamma.value, rate = given ? harmonic(state) : expected(state, gamma);
    double sum = model.alpha.log_prior() + model.gamma.log_prior() + model.eta.log_prior() +
                 (chosen_.size() + silent_.size()) * std::log(model.alpha.value) -
                 model.alpha.value * rate;
    for (const auto* topics : {&chosen_, &silent_})
      for (const ChosenTopic& topic : *topics) sum += topic.log_density(gamma, state.shared_by());
    return sum + log_assignments(state);
  }

 private:
  /// Priors that are wide leave gamma and eta between e^-200 and e^200, not to leave doubles.
  static constexpr double most_log = 200;

  void draw_choices(const TopicState& state, const TopicChoices& choices, Features& z, Rng& rng) {
    topics_.clear();
    chosen_.clear();
    z = Features(state.data->documents());
    for (int k = 0; k < state.slots(); ++k) {
      if (!state.lives(k)) continue;
      topics_.push_back(k);
      chosen_.emplace_back(choices.draw(k, state, rng), state.ell);
      chosen_.back().tables = choices.tables(k);
      z.add(chosen_.back().documents);
    }
  }

  /// Never 1, so that its odds are finite.
  static double draw_pi(int count, const TopicState& state, Rng& rng) {
    const double yes = rng.gamma(count, 1), no = rng.gamma(1 + state.shared_by() - count, 1);
    return std::min(yes / (yes + no), 1 - 0x1p-53);
  }

  /// Where all exposures are equal.
  static double expected(const TopicState& state, double gamma) {
    return expected_topics(gamma, state.ell(0), state.data->documents());
  }

  static double harmonic(const TopicState& state) {
    double sum = 0;
    for (int m = 1; m <= state.shared_by(); ++m) sum += 1.0 / m;
    return sum;
  }

  void update_gamma(TopicState& state, Rng& rng) const {
    Hyper& gamma = state.model.gamma;
    if (!gamma.learned) return;
    const auto log_density = [&](double log_gamma_value) {
      if (std::abs(log_gamma_value) > most_log) return -std::numeric_limits<double>::infinity();
      const double value = std::exp(log_gamma_value);
      double sum = gamma.log_prior_of_log(value);
      for (const ChosenTopic& topic : chosen_) sum += topic.log_marginal(value);
      for (const ChosenTopic& topic : silent_) sum += topic.log_marginal(value);
      return sum + log_represented(state, value);
    };
    gamma.value = std::exp(slice_sample(std::log(gamma.value), log_density, 0.5, rng));
  }

  /// With equal exposures: that there are so many topics with tokens and no more, alpha integrated
  /// out where it is learned.
  double log_represented(const TopicState& state, double gamma) const {
    if (state.model.lengths == Lengths::given) return 0;
    const Hyper& alpha = state.model.alpha;
    const double lambda = expected(state, gamma);
    if (!alpha.learned) return -alpha.value * lambda;
    return -(alpha.shape + chosen_.size()) * std::log(alpha.rate + lambda);
  }

  void update_alpha(TopicState& state, Rng& rng) const {
    Hyper& alpha = state.model.alpha;
    if (!alpha.learned) return;
    const bool given = state.model.lengths == Lengths::given;
    const double rate = given ? harmonic(state) : expected(state, state.model.gamma.value);
    alpha.value = rng.gamma(alpha.shape + chosen_.size() + silent_.size(), alpha.rate + rate);
  }

  /// u_m ~ Beta(S_m, n_m), S_m the weight of what document m has chosen; ell_m = -log u_m.
  void update_exposures(TopicState& state, Rng& rng) {
    weights_ = Eigen::ArrayXd::Zero(state.ell.size());
    for (const auto* topics : {&chosen_, &silent_})
      for (const ChosenTopic& topic : *topics)
        topic.documents.for_each([&](int m) { weights_(m) += topic.phi; });
    for (int m : state.data->filled())
      state.ell(m) = draw_exposure_of(weights_(m), state.data->length(m), rng);
  }

  static void update_eta(TopicState& state, Rng& rng) {
    Hyper& eta = state.model.eta;
    if (!eta.learned) return;
    const WordEvidence evidence(state.counts);
    const auto log_density = [&](double log_eta) {
      if (std::abs(log_eta) > most_log) return -std::numeric_limits<double>::infinity();
      const double value = std::exp(log_eta);
      return eta.log_prior_of_log(value) + evidence(value);
    };
    eta.value = std::exp(slice_sample(std::log(eta.value), log_density, 0.2, rng));
  }

  /// log p(z | choices, weights): of given lengths Dirichlet-multinomial, else negative binomial
  /// numbers in random order.
  double log_assignments(const TopicState& state) const {
    double sum = 0;
    std::vector<int> held(state.slots(), 0);
    for (int m : state.data->filled()) {
      const int first = state.data->begin(m), last = state.data->end(m);
      // A topic's n-th token has the factor phi + n.
      for (int i = first; i < last; ++i)
        sum += std::log(state.phi(state.z[i]) + held[state.z[i]]++);
      for (int i = first; i < last; ++i) held[state.z[i]] = 0;
      sum -= state.model.lengths == Lengths::given
                 ? log_gamma(weights_(m) + (last - first)) - log_gamma(weights_(m))
                 : log_factorial(last - first) + (last - first) * M_LN2;
    }
    if (state.model.lengths == Lengths::model)
      for (const ChosenTopic& topic : chosen_) sum -= topic.phi * topic.exposure;
    return sum;
  }

  std::vector<int> topics_;                   ///< slots of the topics, in the order of z's columns
  std::vector<ChosenTopic> chosen_, silent_;  ///< with and without tokens
  Eigen::ArrayXd weights_;                    ///< of all topics that each document has chosen
};

}  // namespace buffet
