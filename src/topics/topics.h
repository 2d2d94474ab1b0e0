#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/features.h"
#include "topic_move.h"
#include "topic_parameters.h"
#include "topic_visit.h"

namespace buffet {

/// A chain of the focused topic model. Its features are the choices of topics by documents.
struct TopicChain {
  static constexpr bool searches = false;

  Features z;
  TopicState likelihood;
  int moves;  ///< Metropolis moves of every document's set of topics a sweep
  Rng rng;

  TopicChain(const TopicData& data, const TopicModel& model, int moves_, Rng rng_)
      : z(data.documents()), likelihood(data, model), moves(moves_), rng(std::move(rng_)) {}

  /// `check` is called again and again: it may throw.
  template <class Check>
  void sweep(Check check) {
    visit_documents(check);
    update_parameters();
  }

  template <class Check>
  void visit_documents(Check check) {
    const TopicModel& model = likelihood.model;
    if (model.lengths == Lengths::model)
      return visit_documents(FreshTopicEqual(model.alpha.value, model.gamma.value,
                                             likelihood.ell(0), likelihood.data->documents()),
                             check);
    const auto& filled = likelihood.data->filled();
    Eigen::ArrayXd ell(filled.size());
    for (std::size_t n = 0; n < filled.size(); ++n) ell(n) = likelihood.ell(filled[n]);
    visit_documents(FreshTopic(model.alpha.value, model.gamma.value, std::move(ell)), check);
  }

  /// With fresh topics by this law.
  template <class Fresh, class Check>
  void visit_documents(const Fresh& fresh, Check check) {
    TopicState& state = likelihood;
    TopicVisit<Fresh> visit(state, fresh, rng);
    TopicMove move(state, visit.document(), rng);
    choices_.begin(state.data->documents());
    for (int m : state.data->filled()) {
      check();
      visit.open(m);
      visit.visit_tokens();
      for (int n = 0; n < moves; ++n) move([&](int k) { visit.refresh(k); });
      visit.close([&](int k, int held) { choices_.add(m, {k, held}, state.phi(k), rng); });
    }
  }

  void update_parameters() { parameters_.update(likelihood, choices_, z, rng); }

  /// What the trace records after a sweep, in the order of scalar_names().
  std::vector<double> scalars() const {
    const TopicModel& model = likelihood.model;
    const double log_lik = WordEvidence(likelihood.counts)(model.eta.value);
    return {double(z.size()),
            double(z.total()),
            model.alpha.value,
            model.gamma.value,
            model.eta.value,
            log_lik,
            log_lik + parameters_.log_prior(likelihood)};
  }
  static std::vector<std::string> scalar_names() {
    return {"n_features", "n_ones", "alpha", "gamma", "eta", "log_lik", "log_joint"};
  }

  template <class Archive>
  void archive(Archive& a) {
    a(likelihood);
    a(rng);
  }

 private:
  TopicChoices choices_;
  TopicParameters parameters_;
};

}  // namespace buffet
