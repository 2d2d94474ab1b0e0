#pragma once

#include <string>
#include <vector>

#include "core/archive.h"
#include "core/check.h"
#include "core/features.h"
#include "core/rng.h"
#include "core/tally.h"
#include "topic_move.h"
#include "topic_parameters.h"
#include "topic_visit.h"

namespace buffet {

/// A chain for the focused topic model. Its features are the choices of topics by documents.
struct TopicChain {
  static constexpr bool searches = false;

  Features z;
  TopicState likelihood;
  int moves;  ///< Metropolis moves of every document's set of topics per sweep
  Rng rng;

  TopicChain(const TopicData& data, const TopicModel& model, int moves_, Rng rng_);

  /// `check` is called repeatedly and may throw. Returns a tally for each of move_names().
  Tallies sweep(const Check& check);
  static std::vector<std::string> move_names() { return {"topics"}; }

  Tally visit_documents(const Check& check);

  /// One sweep with this law of fresh topics.
  template <class Fresh>
  Tally visit_documents(const Fresh& fresh, const Check& check) {
    Tally tally;
    TopicState& state = likelihood;
    TopicVisit<Fresh> visit(state, fresh, rng);
    TopicMove move(state, visit.document(), rng);
    choices_.begin(state.data->documents());
    for (int m : state.data->filled()) {
      check();
      visit.open(m);
      visit.visit_tokens();
      for (int n = 0; n < moves; ++n) tally.add(move([&](int k) { visit.refresh(k); }));
      visit.close([&](int k, int held) { choices_.add(m, {k, held}, state.phi(k), rng); });
    }
    return tally;
  }

  void update_parameters() { parameters_.update(likelihood, choices_, z, rng); }

  /// The values that the trace records after a sweep, in the order of scalar_names().
  std::vector<double> scalars() const;
  static std::vector<std::string> scalar_names();

  void archive(Archive& a) {
    a(likelihood);
    a(rng);
  }

 private:
  TopicChoices choices_;
  TopicParameters parameters_;
};

}  // namespace buffet
