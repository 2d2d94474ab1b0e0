#pragma once

#include "inference/beam.h"
#include "samplers.h"

namespace bench {

/// Beam search (Rai & Daume 2011), normal loadings: an iteration adds a row, and there is a result
/// when all rows are there.
class BeamSearch : public Competitor {
 public:
  explicit BeamSearch(const Entry& e)
      : tau_(e.papers().precisions), rows_(e.input.x), beam_(model(e), plan(e)) {}

  void iterate() override {
    beam_.step([] {});
  }
  double training() const override { return beam_.score(beam_.best()); }
  Eigen::ArrayXXd log_density(const Places& at) const override {
    return NormalPosterior(at.problem, beam_.matrix(beam_.best()), tau_).log_density(at);
  }
  int features() const override { return beam_.matrix(beam_.best()).size(); }
  bool has_state() const override { return beam_.finished(); }
  Ending ending() const override { return beam_.finished() ? Ending::by_itself : Ending::not_yet; }

 private:
  buffet::BeamModel model(const Entry& e) const {
    const double variance = 1 / tau_.x.value;
    return {rows_, buffet::Sequential({e.papers().prior.alpha}, e.input.data.rows()), variance,
            variance * tau_.a.value};
  }
  static buffet::BeamPlan plan(const Entry& e) {
    buffet::BeamPlan plan;
    plan.max_features = e.features;
    return plan;
  }

  buffet::Precisions tau_;
  buffet::GroupedData rows_;
  buffet::Beam beam_;
};

}  // namespace bench
