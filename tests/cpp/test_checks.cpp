#include <testthat/vendor/catch.h>

#include <algorithm>

#include "choice_case.h"
#include "gibbs/exchange.h"
#include "gibbs/exclusive_or.h"
#include "logistic_case.h"
#include "meibp_case.h"
#include "point/meibp/meibp_run.h"
#include "runs.h"
#include "tallies.h"

using namespace test;

// Between two calls to the check there is at most one step of a move, however large the data. The
// number of calls therefore does not depend on the machine.

TEST_CASE("moves of whole columns call the check at every column and pair") {
  Chain chain = small_chain(701, 1);
  while (chain.z.size() < 3) chain.sweep();
  const int size = chain.z.size();
  int asked = 0;
  const buffet::Check count = [&] { ++asked; };
  buffet::ExclusiveOr::run(chain, count);
  CHECK(asked == std::min(3 * size, size * (size - 1)));
  asked = 0;
  Rng rng(705);
  const auto data = as_binary(draw_binary(Eigen::MatrixXd::Zero(7, 4), rng));
  Logistic likelihood(data, fixed_scales(1, 1, true));
  Exchangeable prior(7, {Hyper::fixed(1)});
  Features z = random_features(7, 3, rng);
  likelihood.reset(z);
  const auto given = likelihood.augment(z, rng);
  buffet::ColumnView<Exchangeable, buffet::Regressions> view{z, prior,
                                                             likelihood.regressions(z, given), rng};
  buffet::Complement::run(view, count);
  CHECK(asked == z.size());
}

TEST_CASE("the check is called before each item exchanges weight of singletons") {
  Rng rng(702);
  const auto data = as_choices(random_wins(7, 4, rng));
  const Choice likelihood(data, {0.3}, WeightPrior(1.7, 0.6));
  ChoiceChain chain(random_features(7, 4, rng), Exchangeable(7, {Hyper::gamma(3.6, 1.7)}),
                    likelihood, Rng(703));
  int asked = 0;
  const buffet::Check count = [&] { ++asked; };
  buffet::ExchangeOwn::run(chain, count);
  CHECK(asked == 7);
  asked = 0;
  chain.sweep(count);
  CHECK(asked >= 2 * 7);  // rows are also visited
}

TEST_CASE("accepted choice moves change the features") {
  Rng rng(706);
  const auto data = as_choices(random_wins(5, 4, rng));
  ChoiceChain chain(random_features(5, 2, rng), Exchangeable(5, {Hyper::fixed(1)}),
                    Choice(data, {0.3}, WeightPrior(1.7, 0.6)), Rng(707));
  check_tally<buffet::ExchangeOwn>(chain);
  check_tally<buffet::UniteDivide>(chain);
  check_tally<buffet::RedrawCopies>(chain);
  check_tally<buffet::RedrawHeldByAll>(chain);
}

TEST_CASE("a maximisation calls the check before each of its starts") {
  Rng rng(704);
  const MeibpCase c(draw_nonnegative(random_features(20, 3, rng), 4, {0.5, 1.5}, rng));
  buffet::MeibpPlan plan;
  plan.max_features = 4;
  plan.restarts = 7;
  buffet::MeibpRun run(c.data, &c.whole, plan,
                       {{Hyper::gamma(1, 1)}, {Hyper::gamma(1, 1), Hyper::gamma(1, 1)}});
  int asked = 0;
  run.start({Features(20), 1, NAN, NAN}, [&] { ++asked; });
  CHECK(asked == 7);
}
