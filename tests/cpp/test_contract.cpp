#include "cascade_joint.h"
#include "choice_joint.h"
#include "contract.h"
#include "damaged.h"
#include "joint.h"
#include "logistic_joint.h"
#include "nmf_joint.h"
#include "topic_joint.h"

using namespace test;

namespace {

template <class Case>
struct Entry {
  using Type = Case;
  typename Case::Problem small;  ///< small enough for a few draws to determine its law
};

const PriorCase& one_parameter() {
  static const PriorCase prior = prior_cases()[0];
  return prior;
}

/// Problems with three rows and two columns.
template <class C>
Entry<GaussianSimulated<C>> gaussian(Loadings loadings) {
  Model model{one_parameter(), 3, 2, loadings};
  model.own_noise = std::is_same_v<C, ColumnNoiseChain>;
  return {model};
}

template <class C>
Entry<LogisticSimulated<C>> logistic() {
  return {{one_parameter(), 3, 2, true, false, true}};
}

/// Likelihoods whose density of the data given everything else is explicit.
template <class Check>
void for_dense(Check check) {
  check(gaussian<Chain>(Loadings::integrated_out));
  check(gaussian<UncollapsedChain>(Loadings::normal));
  check(gaussian<ColumnNoiseChain>(Loadings::normal));
  check(gaussian<NonnegativeChain>(Loadings::nonnegative));
  check(Entry<ChoiceSimulated<ChoiceChain>>{{one_parameter(), 3}});
  check(logistic<LogisticChain>());
  check(logistic<NealChain>());
  check(Entry<NmfSimulated>{{nmf_model(2), 3, 2, false}});
}

/// The list of cases. When the case of a new likelihood is added here or above, all these checks
/// apply to it.
template <class Check>
void for_all(Check check) {
  for_dense(check);
  check(Entry<TopicSimulated>{{Lengths::model, 1}});
  check(Entry<CascadeSimulated>{{small_cascade()}});
}

template <class E>
using CaseOf = typename E::Type;

}  // namespace

TEST_CASE("every likelihood: sweeps have the posterior of weighted draws from the prior") {
  for_dense([](const auto& entry) {
    check_posterior<CaseOf<std::decay_t<decltype(entry)>>>(entry.small, scaled(shorter(400000)),
                                                           scaled(shorter(60000)));
  });
}

TEST_CASE("every likelihood: five sweeps from a draw of the prior give a draw of the prior") {
  for_all([](const auto& entry) {
    check_steps_from_prior<Simulation<CaseOf<std::decay_t<decltype(entry)>>>>(entry.small);
  });
}

TEST_CASE("every likelihood: sweeps alternating with draws of data preserve the joint law") {
  for_dense([](const auto& entry) {
    check_long_run<Simulation<CaseOf<std::decay_t<decltype(entry)>>>>(entry.small,
                                                                      scaled(shorter(40000)));
  });
}

TEST_CASE("every likelihood: without data, sweeps have the law of the prior") {
  for_dense([](const auto& entry) {
    auto problem = entry.small;
    problem.blind = true;
    check_long_run<Simulation<CaseOf<std::decay_t<decltype(entry)>>>>(problem,
                                                                      scaled(shorter(40000)));
  });
}

TEST_CASE("every likelihood: one seed gives one result on any number of cores, and others differ") {
  for_all(
      [](const auto& entry) { check_seeds<CaseOf<std::decay_t<decltype(entry)>>>(entry.small); });
}

TEST_CASE("every likelihood: a chain that is stopped and continued gives the same result") {
  for_all(
      [](const auto& entry) { check_stopped<CaseOf<std::decay_t<decltype(entry)>>>(entry.small); });
}

TEST_CASE("every likelihood: a run resumed from any sweep ends bit-identically") {
  for_all([](const auto& entry) {
    const CasePair<CaseOf<std::decay_t<decltype(entry)>>> pair(entry.small);
    for (bool search : {false, true}) check_resumed(pair, search);
  });
}

TEST_CASE("every likelihood: a state whose features do not match its loadings is rejected") {
  for_dense([](const auto& entry) {
    using Case = CaseOf<std::decay_t<decltype(entry)>>;
    if constexpr (!std::is_same_v<Case, NmfSimulated>)
      CHECK(refuses_other_features(CasePair<Case>(entry.small).one()));
  });
}
