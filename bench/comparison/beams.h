#pragma once

#include "point/beam/beam_run.h"
#include "samplers.h"

namespace bench {

/// Beam search (Rai & Daume 2011) with normal loadings. Each iteration adds a row, and there is a
/// result once all rows have been added.
class BeamSearch : public Competitor {
 public:
  explicit BeamSearch(const Entry& e)
      : tau_(e.papers().precisions), rows_(e.input.x), beam_(model(e), plan_for(e)) {}

  static buffet::BeamPlan plan_for(const Entry& e) {
    buffet::BeamPlan plan;
    plan.max_features = e.features;
    return plan;
  }

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

  buffet::Precisions tau_;
  buffet::GroupedData rows_;
  buffet::Beam beam_;
};

/// Beam search with buffet's defaults, which alternates searches and updates of hyperparameters.
class DefaultBeam : public Competitor {
 public:
  explicit DefaultBeam(const Entry& e)
      : rows_(e.input.x),
        run_(rows_, {{learned().prior.alpha}, learned().precisions}, BeamSearch::plan_for(e),
             buffet::BeamRun::starts(e.input.data.root_mean_square(), learned().precisions,
                                     {NAN, NAN})) {}

  void iterate() override {
    run_.step([] {});
  }
  double training() const override { return run_.log_joint(); }
  Eigen::ArrayXXd log_density(const Places& at) const override {
    buffet::Precisions tau = learned().precisions;
    tau.x.value = std::exp(run_.precisions().x);
    tau.a.value = std::exp(run_.precisions().a);
    return NormalPosterior(at.problem, run_.best(), tau).log_density(at);
  }
  int features() const override { return run_.best().size(); }
  bool has_state() const override { return run_.has_result(); }
  Ending ending() const override { return run_.finished() ? Ending::by_itself : Ending::not_yet; }

 private:
  buffet::GroupedData rows_;
  buffet::BeamRun run_;
};

}  // namespace bench
