#include "topic_parameters.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/log_sum.h"
#include "core/slice.h"
#include "core/special.h"

namespace buffet {

void TopicChoices::begin(int documents) {
  holders_.clear();
  tables_.clear();
  documents_ = documents;
}

void TopicChoices::add(int m, std::pair<int, int> tokens, double phi, Rng& rng) {
  const auto [k, n] = tokens;
  while (static_cast<int>(tables_.size()) <= k) {
    tables_.push_back(0);
    holders_.emplace_back(documents_);
  }
  holders_[k].set(m);
  ++tables_[k];
  for (int i = 1; i < n; ++i) tables_[k] += rng.uniform() * (phi + i) < phi;
}

Bits TopicChoices::draw(int k, const TopicState& state, Rng& rng) const {
  Bits chosen = holders_[k];
  const TopicAtom atom = state.atom(k);
  const double log_missed = std::log1p(-atom.pi);
  const auto& filled = state.data->filled();
  const bool all = state.shared_by() == state.data->documents();
  const int count = state.shared_by();
  for (double at = skipped(log_missed, rng); at < count; at += 1 + skipped(log_missed, rng)) {
    const int m = all ? static_cast<int>(at) : filled[static_cast<std::size_t>(at)];
    if (holders_[k].at(m)) continue;
    const double none = std::exp(-atom.phi * state.ell(m));
    if (rng.uniform() * (1 - atom.pi + atom.pi * none) < none) chosen.set(m);
  }
  return chosen;
}

double expected_topics(double gamma, double ell, int documents) {
  double sum = 0;
  for (int j = 1; j <= documents; ++j) sum -= std::expm1(-gamma * std::log1p(j * ell)) / j;
  return sum;
}

ChosenTopic::ChosenTopic(Bits documents_, const Eigen::ArrayXd& ell)
    : documents(std::move(documents_)) {
  documents.for_each([&](int m) { exposure += ell(m); });
}

double ChosenTopic::log_marginal(double gamma) const {
  const double of_tables = tables > 0 ? log_gamma(gamma + tables) - log_gamma(gamma) : 0;
  return of_tables - gamma * std::log1p(exposure);
}

void ChosenTopic::draw_weight(double gamma, Rng& rng) {
  phi = std::max(rng.gamma(gamma + tables, 1 + exposure), std::numeric_limits<double>::min());
}

double ChosenTopic::log_density(double gamma, int documents_in_all) const {
  const int count = documents.count();
  return log_gamma(count) + log_gamma(documents_in_all - count + 1.0) -
         log_gamma(documents_in_all + 1.0) + (gamma - 1) * std::log(phi) - phi - log_gamma(gamma);
}

std::vector<ChosenTopic> draw_silent_topics(const TopicState& state, Rng& rng) {
  std::vector<ChosenTopic> silent;
  const int count = state.shared_by();
  for (int first = 0; first < count; ++first)
    for (int n = rng.poisson(state.model.alpha.value / (first + 1)); n > 0; --n) {
      // If no document before the first takes the topic, pi has density (first + 1) (1 - pi)^first.
      const double log_missed = std::log(rng.uniform()) / (first + 1);
      const double most = -std::log(rng.uniform()) / rng.gamma(state.model.gamma.value, 1);
      Bits chosen(state.data->documents());
      double sum = 0;
      for (double at = first; at < count && sum < most; at += 1 + skipped(log_missed, rng)) {
        const int m = state.sharing(static_cast<int>(at));
        chosen.set(m);
        sum += state.ell(m);
      }
      if (sum < most) silent.emplace_back(std::move(chosen), state.ell);
    }
  return silent;
}

double draw_exposure_of(double weight, int length, Rng& rng) {
  const double more = rng.log_gamma_draw(length);
  return softplus(more - rng.log_gamma_draw(std::max(weight, 1e-290)));
}

void TopicParameters::update(TopicState& state, const TopicChoices& choices, Features& z,
                             Rng& rng) {
  draw_choices(state, choices, z, rng);
  const bool given = state.model.lengths == Lengths::given;
  state.silent.clear();
  if (given) state.silent = draw_silent_topics(state, rng);
  update_gamma(state, rng);
  for (ChosenTopic& topic : state.silent) topic.draw_weight(state.model.gamma.value, rng);
  for (std::size_t n = 0; n < topics_.size(); ++n) {
    chosen_[n].draw_weight(state.model.gamma.value, rng);
    const int count = z.count(static_cast<int>(n));
    state.set_atom(topics_[n], {draw_pi(count, state, rng), chosen_[n].phi});
  }
  update_alpha(state, rng);
  if (given) update_exposures(state, rng);
  update_eta(state, rng);
  if (!given) draw_silent(state, rng);
}

void TopicParameters::draw_silent(TopicState& state, Rng& rng) {
  state.silent = draw_silent_topics(state, rng);
  for (ChosenTopic& topic : state.silent) topic.draw_weight(state.model.gamma.value, rng);
}

double TopicParameters::log_prior(const TopicState& state) const {
  const TopicModel& model = state.model;
  const bool given = model.lengths == Lengths::given;
  const double gamma = model.gamma.value, rate = given ? harmonic(state) : expected(state, gamma);
  const auto log_density = [&](const ChosenTopic& topic) {
    return std::log(model.alpha.value) + topic.log_density(gamma, state.shared_by());
  };
  double sum = model.alpha.log_prior() + model.gamma.log_prior() + model.eta.log_prior() -
               model.alpha.value * rate;
  for (const ChosenTopic& topic : chosen_) sum += log_density(topic);
  for (const ChosenTopic& topic : state.silent) sum += given ? log_density(topic) : 0;
  return sum + log_assignments(state);
}

void TopicParameters::draw_choices(const TopicState& state, const TopicChoices& choices,
                                   Features& z, Rng& rng) {
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

double TopicParameters::draw_pi(int count, const TopicState& state, Rng& rng) {
  const double yes = rng.gamma(count, 1), no = rng.gamma(1 + state.shared_by() - count, 1);
  return std::min(yes / (yes + no), 1 - 0x1p-53);
}

double TopicParameters::expected(const TopicState& state, double gamma) {
  return expected_topics(gamma, state.ell(0), state.data->documents());
}

double TopicParameters::harmonic(const TopicState& state) {
  double sum = 0;
  for (int m = 1; m <= state.shared_by(); ++m) sum += 1.0 / m;
  return sum;
}

void TopicParameters::update_gamma(TopicState& state, Rng& rng) const {
  Hyper& gamma = state.model.gamma;
  if (!gamma.learned) return;
  const auto log_density = [&](double value) {
    double sum = gamma.log_prior_of_log(value);
    for (const ChosenTopic& topic : chosen_) sum += topic.log_marginal(value);
    for (const ChosenTopic& topic : state.silent) sum += topic.log_marginal(value);
    return sum + log_represented(state, value);
  };
  gamma.value = slice_positive(gamma.value, log_density, {0.5, most_log}, rng);
}

double TopicParameters::log_represented(const TopicState& state, double gamma) const {
  if (state.model.lengths == Lengths::given) return 0;
  const Hyper& alpha = state.model.alpha;
  const double lambda = expected(state, gamma);
  if (!alpha.learned) return -alpha.value * lambda;
  return -(alpha.shape + chosen_.size()) * std::log(alpha.rate + lambda);
}

void TopicParameters::update_alpha(TopicState& state, Rng& rng) const {
  Hyper& alpha = state.model.alpha;
  if (!alpha.learned) return;
  const bool given = state.model.lengths == Lengths::given;
  const double rate = given ? harmonic(state) : expected(state, state.model.gamma.value);
  alpha.value = rng.gamma(alpha.shape + chosen_.size() + state.silent.size(), alpha.rate + rate);
}

void TopicParameters::update_exposures(TopicState& state, Rng& rng) {
  weights_ = Eigen::ArrayXd::Zero(state.ell.size());
  for (const auto* topics : {&chosen_, &state.silent})
    for (const ChosenTopic& topic : *topics)
      topic.documents.for_each([&](int m) { weights_(m) += topic.phi; });
  for (int m : state.data->filled())
    state.ell(m) = draw_exposure_of(weights_(m), state.data->length(m), rng);
}

void TopicParameters::update_eta(TopicState& state, Rng& rng) {
  Hyper& eta = state.model.eta;
  if (!eta.learned) return;
  const WordEvidence evidence(state.counts);
  const auto log_density = [&](double value) {
    return eta.log_prior_of_log(value) + evidence(value);
  };
  eta.value = slice_positive(eta.value, log_density, {0.2, most_log}, rng);
}

double TopicParameters::log_assignments(const TopicState& state) const {
  double sum = 0;
  std::vector<int> held(state.slots(), 0);
  for (int m : state.data->filled()) {
    const int first = state.data->begin(m), last = state.data->end(m);
    // The n-th token of a topic has the factor phi + n.
    for (int i = first; i < last; ++i) sum += std::log(state.phi(state.z[i]) + held[state.z[i]]++);
    for (int i = first; i < last; ++i) held[state.z[i]] = 0;
    sum -= state.model.lengths == Lengths::given
               ? log_gamma(weights_(m) + (last - first)) - log_gamma(weights_(m))
               : log_factorial(last - first) + (last - first) * M_LN2;
  }
  if (state.model.lengths == Lengths::model)
    for (const ChosenTopic& topic : chosen_) sum -= topic.phi * topic.exposure;
  return sum;
}

}  // namespace buffet
