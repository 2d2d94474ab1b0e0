#include <cmath>
#include <stdexcept>

#include "damaged.h"
#include "nmf/icm.h"
#include "nmf_case.h"
#include "point/beam/beam_run.h"
#include "point/meibp/meibp_ascent.h"
#include "variational_case.h"

using namespace test;

namespace {

/// A run left after some steps, which is not the last. `ask` asks one that goes on from what was
/// read.
template <class Run, class Ask>
void check_run(const Run& begun, int before, Ask ask) {
  const auto advance = [](Run& run, int steps) {
    while (steps-- > 0 && !run.finished()) run.step(no_check);
  };
  Run run = begun;
  advance(run, before);
  REQUIRE_FALSE(run.finished());
  check_goes_on(
      buffet::to_bytes(run), [&] { return begun; },
      [&](Run& of) {
        advance(of, 3);
        ask(of);
      });
}

void require_number(double value) {
  if (std::isnan(value)) throw std::domain_error("it goes on to no number");
}

/// Six rows of two columns, some entries missing.
const MeibpCase& small_case() {
  static Rng rng(383);
  static const MeibpCase c(
      with_missing(draw_nonnegative(random_features(6, 2, rng), 2, {0.5, 1.4}, rng), 0.1, rng));
  return c;
}

buffet::Precisions learned_precisions() {
  return {Hyper::gamma(1.3, 0.7), Hyper::gamma(1.4, 0.8)};
}

template <class State>
void check_variational(int before) {
  const auto model = model_of<State>(true, 2);
  buffet::VariationalPlan plan;
  plan.max_features = 2;
  buffet::VariationalRun<State> run(small_case().data, plan, model);
  run.start({Features(6), 7, NAN, NAN}, no_check);
  check_run(run, before, [](const auto& of) { of.best().result().bound(); });
}

}  // namespace

TEST_CASE("states of maximisations that are cut or altered are refused or go on") {
  const MeibpCase& c = small_case();
  for (int before : {2, 6}) {
    Rng rng(385);
    State state = random_state(c, meibp_models()[1], random_features(6, 2, rng), rng);
    state.plan().max_features = 2;
    const buffet::Ascent ascent(std::move(state), Rng(386), buffet::Proposals::all, &c.whole);
    check_run(ascent, before, [](const auto& of) { of.result().bound(); });
  }
}

TEST_CASE("states of mean-field inference that are cut or altered are refused or go on") {
  check_variational<FiniteNormal>(103);
  check_variational<SticksNonnegative>(3);
  check_variational<JointNormal>(103);
  check_variational<JointNonnegative>(3);
}

TEST_CASE("states of beam searches that are cut or altered are refused or go on") {
  const buffet::GaussianData data(Eigen::MatrixXd(small_case().x.transpose()));
  const buffet::GroupedData groups(data);
  const auto tau = learned_precisions();
  const buffet::BeamRun run(groups, {{Hyper::gamma(1.7, 0.9), Hyper::fixed(1), 0, 0}, tau},
                            {3, 4, 2},
                            buffet::BeamRun::starts(data.root_mean_square(), tau, {NAN, NAN}));
  check_run(run, 2, [](const auto& of) { require_number(of.log_joint()); });
}

TEST_CASE("states of modes of factorisations that are cut or altered are refused or go on") {
  Rng rng(384);
  const NmfData data = nmf_data(with_missing(draw_exponential(4, 3, 1, rng), 0.15, rng));
  const buffet::IcmRun run(Nmf(data, nmf_model(2)), {1e-9, 20, 2, 1}, {}, 1);
  check_run(run, 3, [](const auto& of) { require_number(of.best().objective()); });
}
