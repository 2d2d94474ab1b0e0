#include "attraction_case.h"
#include "logistic_exact.h"
#include "moves.h"
#include "scale.h"
#include "statistics.h"
#include "tree_case.h"

using namespace test;

namespace {

/// Three rows with four entries, one of which is missing.
const LogisticProblem& problem(bool bias) {
  static const auto make = [](bool with) {
    Eigen::MatrixXd y(3, 4);
    y << 1, 1, 0, 1, 1, NAN, 0, 0, 0, 1, 0, 1;
    const LogisticScales scales = fixed_scales(1.9, 0.8, with);
    return LogisticProblem{y, with, scales.a, scales.b};
  };
  static const LogisticProblem with = make(true), without = make(false);
  return bias ? with : without;
}

LogisticEvidence& evidence(bool bias) {
  static LogisticEvidence with(problem(true)), without(problem(false));
  return bias ? with : without;
}

/// Compares a long chain that makes only one move with these means.
template <class C>
void compare(C chain, const std::vector<double>& exact, const LogisticProblem& p, MoveOf<C> move,
             int sweeps = scaled(shorter(30000))) {
  std::vector<BatchMean> means(exact.size(), BatchMean(sweeps, 200));
  Limits limits(30);
  chain.likelihood.move_features_every(1);
  for (int t = -200; t < sweeps; ++t) {
    move(chain);
    limits.check(chain.z.size());
    if (t < 0) continue;
    const auto values = values_of(chain);
    REQUIRE((values.size() == exact.size()));
    for (std::size_t n = 0; n < exact.size(); ++n) means[n].add(values[n]);
  }
  for (std::size_t n = 0; n < exact.size(); ++n) {
    const std::string name = LogisticMeans::name(static_cast<int>(n), p);
    INFO(name << " is " << exact[n] << ", sampled " << means[n].value());
    const bool is_rare = name.rfind("P(", 0) == 0 && exact[n] * sweeps < 50;
    if (is_rare && sweeps < scaled(30000)) continue;  // too rare for a normal approximation
    if (std::abs(means[n].value() - exact[n]) < 1e-6) continue;  // fixed values, up to rounding
    CHECK(std::abs(means[n].z(exact[n])) < 4.5);
  }
}

/// Log probabilities of classes under an exchangeable prior.
auto log_class(const Parameters& p, int rows) {
  return [=](const std::vector<int>& repeats) {
    std::vector<int> counts;
    for (std::size_t h = 1; h <= repeats.size(); ++h)
      for (int r = 0; r < repeats[h - 1]; ++r)
        counts.push_back(bits_of(rows, static_cast<int>(h)).count());
    double sum = log_prob(counts, rows, p) + std::lgamma(counts.size() + 1.0);
    for (int r : repeats) sum -= std::lgamma(r + 1.0);
    return sum;
  };
}

template <class C>
void compare_case(const PriorCase& prior, bool bias, MoveOf<C> move) {
  const Parameters& p = prior.parameters;
  INFO("c = " << p.c << ", discount = " << p.discount << ", K = " << prior.most()
              << (bias ? ", with bias" : ""));
  const LogisticPosterior exact(evidence(bias), log_class(p, 3),
                                prior.most() > 0 ? prior.most() : 7);
  if (prior.most() == 0) CHECK(exact.last_mass() < 1e-3);
  const BinaryData data = as_binary(problem(bias).y);
  compare<C>(C(Features(3), prior.fixed(3), {data, problem(bias).scales()}, Rng(351)),
             exact.means(), problem(bias), move);
}
template <class C>
void compare_exchangeable(const Parameters& p, bool bias, MoveOf<C> move = test::sweep) {
  compare_case<C>({"", p, false}, bias, move);
}
/// The posterior conditional on at most two features.
template <class C>
void compare_truncated(const Parameters& p, bool bias, MoveOf<C> move = test::sweep) {
  compare_case<C>({"", p, false, 2}, bias, move);
}

constexpr Parameters one{0.8, 1, 0, 0}, two{0.6, 2.3, 0, 0}, three{0.6, 0.6, 0.35, 0},
    limited{1.6, 1.4, 0, 4};

constexpr double tree_alpha = 0.8;

template <class C>
void compare_on_tree(Rates rates, bool bias, MoveOf<C> move = test::sweep) {
  const RawTree raw = uneven_tree(3);
  const auto column = column_rates(raw);
  const auto log_class = [&](const std::vector<int>& repeats) {
    double sum = 0;
    for (int h = 0; h < 7; ++h)
      sum += repeats[h] * std::log(tree_alpha * column[h + 1]) - std::lgamma(repeats[h] + 1.0);
    return sum;
  };
  const LogisticPosterior exact(evidence(bias), log_class, 7);
  const BinaryData data = as_binary(problem(bias).y);
  compare<C>(C(Features(3), phylogenetic(raw, Hyper::fixed(tree_alpha), rates),
               {data, problem(bias).scales()}, Rng(352)),
             exact.means(), problem(bias), move);
}

template <class C>
void compare_attraction(const Learned& learned, bool bias, MoveOf<C> move = test::sweep) {
  const MixedRates rates(three_rows(), learned);
  const auto log_class = [&](const std::vector<int>& repeats) {
    return rates.log_class(tree_alpha, repeats);
  };
  const LogisticPosterior exact(evidence(bias), log_class, 7);
  const BinaryData data = as_binary(problem(bias).y);
  compare<C>(C(Features(3), attraction(three_rows(), Hyper::fixed(tree_alpha), learned),
               {data, problem(bias).scales()}, Rng(354)),
             exact.means(), problem(bias), move);
}

}  // namespace

TEST_CASE("logistic sweeps match the exact posterior under the one-parameter buffet process") {
  for (bool bias : {false, true}) compare_exchangeable<LogisticChain>(one, bias);
}
TEST_CASE("logistic sweeps match the exact posterior with a concentration") {
  for (bool bias : {false, true}) compare_exchangeable<LogisticChain>(two, bias);
}
TEST_CASE("logistic sweeps match the exact posterior with a discount, and under the finite prior") {
  for (bool bias : {false, true}) {
    compare_exchangeable<LogisticChain>(three, bias);
    compare_exchangeable<LogisticChain>(limited, bias);
  }
}
TEST_CASE("logistic sweeps match the exact posterior under a tree") {
  for (Rates rates : {Rates::integrated, Rates::sampled})
    for (bool bias : {false, true}) compare_on_tree<TreeLogisticChain>(rates, bias);
}
TEST_CASE("logistic sweeps match the exact posterior under attraction, fixed and learned") {
  compare_attraction<AttractionLogisticChain>({}, true);
  compare_attraction<AttractionLogisticChain>({Hyper::gamma(2, 0.8), true}, false);
}
TEST_CASE("sweeps that propose singletons from the prior match the exact posterior") {
  compare_exchangeable<NealChain>(one, false);
  compare_exchangeable<NealChain>(two, true);
  compare_exchangeable<NealChain>(limited, true);
  compare_on_tree<TreeNealChain>(Rates::sampled, false);
}

TEST_CASE("truncated logistic sweeps match the exact posterior given the limit on features") {
  compare_truncated<LogisticChain>(one, true);
  compare_truncated<LogisticChain>(three, false);
  compare_truncated<LogisticChain>(limited, true);
  compare_truncated<NealChain>(two, true);
  compare_truncated<LogisticChain>(two, true, births_and_deaths);
  compare_truncated<LogisticChain>(limited, false, births_and_column_moves);
}

TEST_CASE("births and deaths alone match the exact posterior") {
  compare_exchangeable<LogisticChain>(one, false, births_and_deaths);
  compare_exchangeable<LogisticChain>(two, true, births_and_deaths);
  compare_exchangeable<LogisticChain>(three, true, births_and_deaths);
  compare_exchangeable<LogisticChain>(limited, true, births_and_deaths);
  compare_on_tree<TreeLogisticChain>(Rates::integrated, true, births_and_deaths);
  compare_attraction<AttractionLogisticChain>({}, true, births_and_deaths);
}
TEST_CASE("complements of features leave the exact posterior invariant") {
  compare_exchangeable<LogisticChain>(two, true, births_and_complements);
  compare_exchangeable<LogisticChain>(limited, true, births_and_complements);
  compare_on_tree<TreeLogisticChain>(Rates::integrated, true, births_and_complements);
}
TEST_CASE("exclusive-or, split and merge given regressions leave the exact posterior invariant") {
  compare_exchangeable<LogisticChain>(two, true, births_and_column_moves);
  compare_exchangeable<LogisticChain>(limited, false, births_and_column_moves);
  compare_on_tree<TreeLogisticChain>(Rates::integrated, false, births_and_column_moves);
}

namespace {

/// Two rows, with learned scales.
void compare_learned(bool bias) {
  INFO((bias ? "with" : "without") << " bias");
  Eigen::MatrixXd y(2, 3);
  y << 1, 0, 1, 1, NAN, 0;
  const LogisticProblem p{y, bias, Hyper::gamma(2.1, 1.3), Hyper::gamma(1.7, 2.9)};
  LogisticEvidence evidence(p);
  const LogisticPosterior exact(evidence, log_class(two, 2), 9);
  CHECK(exact.last_mass() < 1e-4);
  const BinaryData data = as_binary(y);
  const Exchangeable prior = PriorCase{"", two, false}.fixed(2);
  compare<LogisticChain>({Features(2), prior, {data, p.scales()}, Rng(353)}, exact.means(), p,
                         test::sweep);
  compare<NealChain>({Features(2), prior, {data, p.scales()}, Rng(354)}, exact.means(), p,
                     test::sweep);
}

}  // namespace

TEST_CASE("logistic sweeps match the exact posterior of learned scales") {
  for (bool bias : {false, true}) compare_learned(bias);
}

// If whole features are moved in every sweep, the weights are also redrawn given regressions.
TEST_CASE("logistic weights given known features have their exact posterior") {
  Eigen::MatrixXd y(4, 2), known(4, 3);
  y << 1, 0, 1, 1, 0, NAN, 1, 1;
  known << 1, 0, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0;
  const Features z = from_dense(known);
  for (bool bias : {false, true}) {
    const LogisticScales scales = fixed_scales(1.9, 0.8, bias);
    const LogisticProblem p{y, bias, scales.a, scales.b};
    LogisticEvidence evidence(p);
    const auto exact = LogisticMeans::values(3, gram_of(z), evidence.of(gram_of(z)).means());
    const BinaryData data = as_binary(y);
    compare<KnownLogisticChain>({z, buffet::Fixed(), {data, scales}, Rng(355)}, exact, p,
                                test::sweep);
    compare<KnownNealChain>({z, buffet::Fixed(), {data, scales}, Rng(356)}, exact, p, test::sweep);
  }
}
