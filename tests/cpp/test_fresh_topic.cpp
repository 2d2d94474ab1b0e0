#include <testthat/vendor/catch.h>

#include <boost/math/special_functions/gamma.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "core/special.h"
#include "quadrature.h"
#include "scale.h"
#include "statistics.h"
#include "topic_case.h"
#include "topics/fresh_topic.h"
#include "topics/topic_parameters.h"
#include "topics/topic_visit.h"

using buffet::FreshTopic;
using buffet::FreshTopicEqual;
using buffet::FreshTopicNew;
using namespace test;

namespace {

/// Integral of Gamma(phi; gamma, 1) f(pi, phi) over pi and phi.
template <class F>
double over_atoms(double gamma, F f) {
  const long double log_norm = buffet::log_gamma(gamma);
  const auto of_log_phi = [&](long double t) {
    const long double phi = std::exp(t);
    const auto of_pi = [&](long double pi) { return f(pi, phi); };
    return std::exp(gamma * t - phi - log_norm) * integral(of_pi, 0, 1, 2);
  };
  const double most = gamma + 50 + 12 * std::sqrt(gamma);
  return static_cast<double>(integral(of_log_phi, -50 / (gamma + 1) - 5, std::log(most), 32));
}

/// The unnormalised law of a fresh topic in document m: there are M documents with these exposures,
/// and the others have no token of the topic.
struct Fresh {
  double alpha, gamma;
  std::vector<double> ell;
  int m;

  double density(long double pi, long double phi) const {
    long double product = alpha * phi * std::exp(-ell[m] * phi);
    for (std::size_t other = 0; other < ell.size(); ++other)
      if (static_cast<int>(other) != m) product *= 1 + pi * std::expm1(-ell[other] * phi);
    return static_cast<double>(product);
  }
  template <class F>
  double expected(F f) const {
    return over_atoms(gamma, [&](long double pi, long double phi) {
      return density(pi, phi) * f(double(pi), double(phi));
    });
  }
  std::string name() const {
    std::string name = "gamma " + std::to_string(gamma) + ", document " + std::to_string(m) + " of";
    for (double e : ell) name += " " + std::to_string(e);
    return name;
  }
};

/// Checks that weighted draws, multiplied by the mass, have the moments of the law.
template <class Draws>
void check_draws(const Fresh& law, const Draws& draws) {
  INFO(law.name());
  using Moment = double (*)(double, double);
  const std::vector<Moment> moments = {[](double, double) { return 1.0; },
                                       [](double pi, double) { return pi; },
                                       [](double, double phi) { return std::log(phi); },
                                       [](double pi, double phi) { return pi * phi; }};
  const double ell = law.ell[law.m], mass = draws.mass(ell);
  std::vector<Mean> means(moments.size());
  Rng rng(601);
  for (int n = 0; n < scaled(50000); ++n) {
    const TopicAtom atom = draws.draw(ell, rng);
    const double weight = mass * std::exp(draws.log_ratio(ell, atom));
    for (std::size_t f = 0; f < moments.size(); ++f)
      means[f].add(weight * moments[f](atom.pi, atom.phi));
  }
  for (std::size_t f = 0; f < moments.size(); ++f) {
    INFO("moment " << f);
    const double truth = law.expected(moments[f]), difference = means[f].value() - truth;
    const double error = 4.5 * std::sqrt(means[f].variance()) + 1e-9 * std::abs(truth);
    CHECK(std::abs(difference) < error);
  }
}

/// The only token of a document moves between fresh topics and a topic of another document.
template <class Draws>
void check_token(const Fresh& law, const Draws& draws) {
  INFO(law.name());
  const int count = static_cast<int>(law.ell.size());
  const TopicAtom known{0.3, 1.2};
  Documents documents(count);
  documents[law.m] = {{0, 1}};
  documents[(law.m + 1) % count] = {{0, 0}, {0, 0}, {1, 0}};
  const TopicData data = topic_data(2, documents);
  TopicState state(
      data, {Lengths::given, Hyper::fixed(law.alpha), Hyper::fixed(law.gamma), Hyper::fixed(0.7)});
  assign(documents, {known, {0.5, 1}}, state);
  for (int m = 0; m < count; ++m) state.ell(m) = law.ell[m];
  const double none = known.pi * std::exp(-law.ell[law.m] * known.phi);
  const double of_known = (2.7 / 4.4) * known.phi * none / (1 - known.pi + none);
  const double of_fresh = 0.5 * law.expected([](double, double) { return 1.0; });
  const auto truth = [&](double sum) { return 0.5 * sum / (of_known + of_fresh); };
  const int steps = scaled(40000), token = data.begin(law.m);
  BatchMean is_known(steps, 200), log_phi(is_known), pi(is_known);
  Rng rng(604);
  buffet::TopicVisit<Draws> visit(state, draws, rng);
  for (int t = -50; t < steps; ++t) {
    visit.open(law.m);
    visit.visit_tokens();
    visit.close([](int, int) {});
    if (t < 0) continue;
    const int k = state.z[token];
    is_known.add(k == 0);
    log_phi.add(k > 0 ? std::log(state.phi(k)) : 0);
    pi.add(k > 0 ? state.pi(k) : 0);
  }
  const double zs[] = {
      is_known.z(of_known / (of_known + of_fresh)),
      log_phi.z(truth(law.expected([](double, double phi) { return std::log(phi); }))),
      pi.z(truth(law.expected([](double pi, double) { return pi; })))};
  for (double z : zs) CHECK(std::abs(z) < 4.5);
}

FreshTopic unequal(const Fresh& law) {
  return FreshTopic(law.alpha, law.gamma,
                    Eigen::Map<const Eigen::ArrayXd>(law.ell.data(), law.ell.size()));
}

double silent_weight(const FreshTopicNew& fresh, double ell, Rng& rng) {
  std::vector<double> weights;
  fresh.draw_silent(ell, rng, weights);
  return std::accumulate(weights.begin(), weights.end(), 0.0);
}

}  // namespace

TEST_CASE("the mass of fresh topics and the number of topics agree with published values",
          "[topics]") {
  const double ell = std::log(2.0);
  const FreshTopicEqual fresh(2, 1.3, ell, 7);
  CHECK(std::abs(fresh.mass(ell) - 0.2331545) < 1e-7);
  CHECK(std::abs(2 * buffet::expected_topics(1.3, ell, 7) - 3.485393) < 1e-6);
}

TEST_CASE("the mass of fresh topics and the number of topics are integrals over topics",
          "[topics]") {
  for (const double gamma : {0.05, 1.3, 20.0})
    for (const double ell : {0.02, 0.7, 9.0})
      for (const int documents : {1, 2, 7, 30}) {
        INFO("gamma " << gamma << ", ell " << ell << ", " << documents << " documents");
        const Fresh law{1.7, gamma, std::vector<double>(documents, ell), 0};
        const double mass = law.expected([](double, double) { return 1.0; });
        CHECK(FreshTopicEqual(1.7, gamma, ell, documents).mass(ell) == Approx(mass).epsilon(1e-8));
        const double topics = over_atoms(gamma, [&](long double pi, long double phi) {
          return -std::expm1(documents * std::log1p(pi * std::expm1(-ell * phi))) / pi;
        });
        CHECK(buffet::expected_topics(gamma, ell, documents) == Approx(topics).epsilon(1e-8));
      }
}

TEST_CASE("fresh topics with equal exposures have their law", "[topics]") {
  for (const double gamma : {0.05, 1.3, 20.0})
    for (const double ell : {0.01, 0.7, 50.0})
      for (const int documents : {1, 2, 9}) {
        const std::vector<double> all(documents, ell);
        check_draws({1.7, gamma, all, 0}, FreshTopicEqual(1.7, gamma, ell, documents));
      }
}

TEST_CASE("fresh topics with different exposures have their law after weighting", "[topics]") {
  for (const double gamma : {0.05, 1.3, 20.0})
    for (const auto& ell : std::vector<std::vector<double>>{
             {0.4}, {0.01, 1, 50}, {0.3, 0.5, 0.2, 1.1, 0.7, 0.4}, {2, 2, 2, 2}})
      for (int m = 0; m < std::min<int>(3, static_cast<int>(ell.size())); ++m) {
        const Fresh law{2.3, gamma, ell, m};
        check_draws(law, unequal(law));
      }
}

TEST_CASE("a token moves to and from fresh topics according to their law", "[topics]") {
  for (const double gamma : {0.3, 4.0}) {
    const Fresh equal{2.3, gamma, {0.9, 0.9, 0.9}, 1};
    check_token(equal, FreshTopicEqual(2.3, gamma, 0.9, 3));
    for (const auto& ell :
         std::vector<std::vector<double>>{{0.1, 3, 1}, {0.9, 0.9}, {2, 0.4, 0.6, 1, 1}}) {
      const Fresh law{2.3, gamma, ell, 0};
      check_token(law, unequal(law));
    }
  }
}

TEST_CASE("fresh topics of a new document have their law after weighting, and the right mass",
          "[topics]") {
  Rng rng(605);
  for (const double gamma : {0.05, 1.3, 20.0})
    for (const double ell : {0.01, 0.9, 50.0})
      for (const int documents : {1, 6}) {
        std::vector<double> all(documents, 0.6);
        all.push_back(ell);
        const Fresh law{1.7, gamma, all, documents};
        const FreshTopicNew fresh(1.7, gamma, 0.6, documents);
        check_draws(law, fresh);
        const double mass = law.expected([](double, double) { return 1.0; });
        Mean weight;
        for (int n = 0; n < scaled(20000); ++n) weight.add(silent_weight(fresh, ell, rng));
        CHECK(std::abs(weight.value() - mass) <
              4.5 * std::sqrt(weight.variance()) + 5.0 / scaled(20000));
      }
}

TEST_CASE("with many documents, fresh topics have the same mass as with equal exposures",
          "[topics]") {
  const int documents = 2000;
  const FreshTopic fresh(1.2, 0.8, Eigen::ArrayXd::Constant(documents, 1.5));
  const FreshTopicEqual equal(1.2, 0.8, 1.5, documents);
  Rng rng(602);
  Mean mass;
  for (int n = 0; n < scaled(20000); ++n)
    mass.add(fresh.mass(1.5) * std::exp(fresh.log_ratio(1.5, fresh.draw(1.5, rng))));
  const double z = z_score(mass.value() - equal.mass(1.5), mass.variance());
  CHECK(std::abs(z) < 4.5);
}

TEST_CASE("fresh topics are finite at the extremes of the parameters", "[topics]") {
  Rng rng(603);
  Eigen::ArrayXd ell(40);
  for (int m = 0; m < 40; ++m) ell(m) = m % 2 == 0 ? 1e-8 : 1e200;
  for (const double gamma : {1e-3, 1.0, 300.0})
    for (const Eigen::ArrayXd& exposures :
         {ell, Eigen::ArrayXd(ell.head(1)), Eigen::ArrayXd::Constant(3, 1e-8).eval(),
          Eigen::ArrayXd::Constant(3, 1e200).eval()}) {
      const FreshTopic fresh(1e-3, gamma, exposures);
      for (int n = 0; n < 500; ++n) {
        const double own = exposures(n % exposures.size());
        const TopicAtom atom = fresh.draw(own, rng);
        CHECK(std::isfinite(fresh.mass(own)));
        CHECK((atom.pi >= 0 && atom.pi <= 1));
        CHECK((atom.phi > 0 && std::isfinite(atom.phi)));
        CHECK(std::isfinite(fresh.log_ratio(own, atom)));
        const FreshTopicNew beside(1e-3, gamma, exposures.mean(), 40);
        CHECK(std::isfinite(silent_weight(beside, own, rng)));
      }
    }
}
