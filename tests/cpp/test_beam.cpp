#include <testthat/vendor/catch.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "core/archive.h"
#include "draws.h"
#include "point/beam/beam_new_row.h"
#include "point/beam/beam_run.h"

using buffet::Beam;
using buffet::BeamJoint;
using buffet::BeamModel;
using buffet::BeamPlan;
using buffet::BeamRun;
using buffet::GaussianData;
using buffet::GroupedData;
using buffet::LogPrecisions;
using buffet::Precisions;
using buffet::RowBeam;
using buffet::Sequential;
using namespace test;

namespace {

const Scales sigma{0.8, 1.3};
const auto nothing = [] {};

/// Columns as sorted numbers: the left-ordered class of a matrix with few rows.
std::vector<int> class_of(const Features& z) {
  std::vector<int> columns;
  for (int k = 0; k < z.size(); ++k) columns.push_back(static_cast<int>(z.column(k).words()[0]));
  std::sort(columns.begin(), columns.end());
  return columns;
}

/// log P([Z]), with a learned alpha integrated out by the trapezoidal rule.
double log_class(const Features& z, const Parameters& p, const Hyper& alpha) {
  const auto at = [&](double value) {
    Parameters q = p;
    q.alpha = value;
    return log_prob(counts_of(z), z.rows(), q) + std::lgamma(z.size() + 1.0);
  };
  std::map<int, int> repeats;
  for (int h : class_of(z)) ++repeats[h];
  double same = 0;
  for (const auto& [h, count] : repeats) same += std::lgamma(count + 1.0);
  if (!alpha.learned) return at(alpha.value) - same;
  double sum = 0;
  for (double y = -14; y < 5; y += 0.05)
    sum += 0.05 * std::exp(at(std::exp(y)) + alpha.log_prior_of_log(std::exp(y)));
  return std::log(sum) - same;
}

struct Case {
  std::string name;
  Parameters parameters;
  Hyper alpha;
  bool missing;

  Exchangeable::Spec spec() const {
    const Parameters& p = parameters;
    return {alpha, Hyper::fixed(p.c), p.discount, p.n_features};
  }
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (bool missing : {false, true}) {
    for (const PriorCase& prior : prior_cases())
      all.push_back({prior.name, prior.parameters, Hyper::fixed(prior.parameters.alpha), missing});
    all.push_back({"alpha learned", {1, 1, 0, 0}, Hyper::gamma(1.7, 1.2), missing});
    all.push_back({"alpha learned", {1, 0.6, 0.35, 0}, Hyper::gamma(1.7, 1.2), missing});
  }
  return all;
}

/// N x D data in which, if requested, single entries, a row and part of a column are missing.
Eigen::MatrixXd data_of(const Case& c, int rows) {
  Rng rng(401);
  Eigen::MatrixXd x = draw_data(random_features(rows, 2, rng), 2, {0.6, 1.5}, rng);
  if (c.missing) {
    x(0, 1) = x(1, 0) = x(3, 0) = std::nan("");
    x.row(2).setConstant(std::nan(""));
  }
  return x;
}

/// Data and the model of a beam search for them.
struct Problem {
  Eigen::MatrixXd x;
  GaussianData data;
  GroupedData groups;
  BeamModel model;

  Problem(const Case& c, Eigen::MatrixXd x_)
      : x(std::move(x_)),
        data(Eigen::MatrixXd(x.transpose())),
        groups(data),
        model{groups, Sequential(c.spec(), static_cast<int>(x.rows())), sigma.x * sigma.x,
              sigma.x * sigma.x / (sigma.a * sigma.a)} {}

  Beam run(BeamPlan plan) const {
    Beam beam(model, plan);
    while (!beam.finished()) beam.step(nothing);
    return beam;
  }
  /// Log joint for all rows, or only for the rows that a beam search has added.
  double log_joint(const Features& z, const Case& c) const {
    return log_class(z, c.parameters, c.alpha) + test::log_lik(dense(z), x, sigma);
  }
  double log_joint(const Beam& beam, int s, const Case& c) const {
    const std::vector<int> rows = beam.rows();
    const Eigen::MatrixXd all = dense(beam.matrix(s));
    Eigen::MatrixXd z(rows.size(), all.cols()), part(rows.size(), x.cols());
    for (std::size_t n = 0; n < rows.size(); ++n) {
      z.row(n) = all.row(rows[n]);
      part.row(n) = x.row(rows[n]);
    }
    return log_class(from_dense(z), c.parameters, c.alpha) + test::log_lik(z, part, sigma);
  }
};

/// Calls f for one matrix of every class with at most `most` features.
template <class F>
void for_all_classes(int rows, int most, F f, int from = 1, Features z = Features(0)) {
  if (z.rows() == 0) z = Features(rows);
  f(z);
  if (z.size() == most) return;
  for (int h = from; h < 1 << rows; ++h) {
    Features larger = z;
    buffet::Bits column(rows);
    column.words()[0] = h;
    larger.add(column);
    for_all_classes(rows, most, f, h, larger);
  }
}

struct LogSum {
  double largest = -std::numeric_limits<double>::infinity(), sum = 0;
  void add(double v) {
    if (v > largest) {
      sum = sum * std::exp(largest - v) + 1;
      largest = v;
    } else {
      sum += std::exp(v - largest);
    }
  }
  double value() const { return largest + std::log(sum); }
};

void check_enumeration(const Case& c, int rows, int most) {
  INFO(c.name << (c.missing ? ", entries missing" : ""));
  const Problem problem(c, data_of(c, rows));
  const Beam beam = problem.run({RowBeam::no_limit, most, 0});
  std::map<std::vector<int>, double> scores;
  LogSum kept, evidence;
  for (int s = 0; s < beam.size(); ++s) {
    scores[class_of(beam.matrix(s))] = beam.score(s);
    kept.add(beam.score(s));
  }
  CHECK(scores.size() == static_cast<std::size_t>(beam.size()));  // no class occurs twice
  std::size_t classes = 0;
  double best = -std::numeric_limits<double>::infinity();
  std::vector<int> best_class;
  for_all_classes(rows,
                  c.parameters.n_features > 0 ? std::min(most, c.parameters.n_features) : most,
                  [&](const Features& z) {
                    const double score = problem.log_joint(z, c);
                    const auto found = scores.find(class_of(z));
                    REQUIRE((found != scores.end()));
                    if (std::abs(found->second - score) > 1e-9)
                      CHECK(found->second == Approx(score));
                    evidence.add(score);
                    ++classes;
                    if (score > best) {
                      best = score;
                      best_class = class_of(z);
                    }
                  });
  CHECK(classes == scores.size());
  CHECK(kept.value() == Approx(evidence.value()).epsilon(1e-10));
  CHECK(class_of(beam.matrix(beam.best())) == best_class);
  CHECK(beam.score(beam.best()) == Approx(best).epsilon(1e-10));
}

}  // namespace

TEST_CASE("without a limit, the beam has every class with its log joint") {
  for (const Case& c : cases()) check_enumeration(c, 5, 3);
  check_enumeration(cases()[2], 4, 5);
  check_enumeration(cases()[9], 4, 5);
}

TEST_CASE("intermediate scores are the log joint of the rows so far, computed from scratch") {
  Rng rng(402);
  for (const Case& c : cases()) {
    INFO(c.name << (c.missing ? ", entries missing" : ""));
    const int rows = 12;
    Eigen::MatrixXd x = draw_data(random_features(rows, 3, rng), 4, {0.5, 1.5}, rng);
    if (c.missing) x = with_missing(x, 0.3, rng);
    const Problem problem(c, x);
    Beam beam(problem.model, {4, 6, 2});
    while (!beam.finished()) {
      beam.step(nothing);
      REQUIRE(beam.size() <= 4);
      for (int s = 0; s < beam.size(); ++s)
        CHECK(beam.score(s) == Approx(problem.log_joint(beam, s, c)).epsilon(1e-9));
    }
    CHECK(beam.matrix(beam.best()).size() > 0);
  }
}

// A wider beam could miss what a narrower one finds only because later rows affect the ranking.
TEST_CASE("a beam as wide as the number of matrices finds the best, and none exceeds it") {
  for (const Case& c : cases()) {
    INFO(c.name << (c.missing ? ", entries missing" : ""));
    const Problem problem(c, data_of(c, 5));
    const Beam all = problem.run({RowBeam::no_limit, 3, 0});
    const double best = all.score(all.best());
    for (int lookahead : {0, 3}) {
      for (int width : {1, 2, 5, 20}) {
        const Beam some = problem.run({width, 3, lookahead});
        CHECK(some.score(some.best()) <= best + 1e-9);
      }
      const Beam wide = problem.run({all.size(), 3, lookahead});
      CHECK(wide.score(wide.best()) == Approx(best).epsilon(1e-10));
    }
  }
}

namespace {

const Precisions learned{Hyper::gamma(1.4, 0.8), Hyper::gamma(2.1, 1.7)};

LogPrecisions log_precisions(const Scales& s) {
  return {-2 * std::log(s.x), -2 * std::log(s.a)};
}

double log_priors(LogPrecisions at) {
  return learned.x.log_prior_of_log(std::exp(at.x)) + learned.a.log_prior_of_log(std::exp(at.a));
}

BeamRun run_of(const Problem& problem, const Case& c, const Precisions& tau, BeamPlan plan) {
  return BeamRun(
      problem.groups, {c.spec(), tau}, plan,
      BeamRun::starts(problem.data.root_mean_square(), tau, {std::nan(""), std::nan("")}));
}

}  // namespace

TEST_CASE(
    "the joint density of a matrix and the precisions is correct, and climbing maximises it") {
  Rng rng(404);
  for (const Case& c : cases()) {
    INFO(c.name << (c.missing ? ", entries missing" : ""));
    const Problem problem(c, data_of(c, 5));
    for (int size : {0, 1, 3}) {
      const Features z = random_features(5, size, rng);
      const BeamJoint joint(problem.groups, Exchangeable(5, c.spec()), learned, z);
      for (const Scales& s : {sigma, Scales{0.3, 2.2}, Scales{1.9, 0.4}}) {
        const LogPrecisions at = log_precisions(s);
        const double expected =
            log_class(z, c.parameters, c.alpha) + test::log_lik(dense(z), problem.x, s);
        CHECK(joint(at) == Approx(expected + log_priors(at)).epsilon(1e-9));
        const LogPrecisions best = joint.best_from(at);
        for (double by : {-0.01, 0.01}) {
          CHECK(joint(best) >= joint({best.x + by, best.a}));
          CHECK(joint(best) >= joint({best.x, best.a + by}));
        }
      }
    }
  }
}

TEST_CASE("a run keeps the best matrix, has the naive joint density, and can be resumed anywhere") {
  for (const Case& c : cases()) {
    INFO(c.name << (c.missing ? ", entries missing" : ""));
    Rng rng(405);
    Eigen::MatrixXd x = draw_data(random_features(15, 3, rng), 5, {0.4, 1.5}, rng);
    if (c.missing) x = with_missing(x, 0.2, rng);
    const Problem problem(c, x);
    BeamRun run = run_of(problem, c, learned, {5, 6, 2});
    REQUIRE_FALSE(run.has_result());
    while (!run.finished()) {
      BeamRun again = run_of(problem, c, learned, {5, 6, 2});
      buffet::from_bytes(buffet::to_bytes(run), again);
      CHECK_THROWS_AS(run.step([] { throw 1; }), int);
      run.step(nothing);
      again.step(nothing);
      CHECK((buffet::to_bytes(run) == buffet::to_bytes(again)));
    }
    const auto& trace = run.trace();
    for (std::size_t n = 1; n < trace.size(); ++n) CHECK(trace[n] >= trace[n - 1]);
    CHECK(trace.back() == run.log_joint());
    const LogPrecisions at = run.precisions();
    const Scales found{std::exp(-at.x / 2), std::exp(-at.a / 2)};
    const double expected = log_class(run.best(), c.parameters, c.alpha) +
                            test::log_lik(dense(run.best()), x, found) + log_priors(at);
    CHECK(run.log_joint() == Approx(expected).epsilon(1e-9));
  }
}

TEST_CASE("fixed precisions are unchanged, and one search is enough") {
  const Case c = cases()[0];
  const Problem problem(c, data_of(c, 5));
  const Precisions fixed{Hyper::fixed(sigma.precision_x()), Hyper::fixed(sigma.precision_a())};
  BeamRun run = run_of(problem, c, fixed, {RowBeam::no_limit, 3, 0});
  run.step(nothing);
  REQUIRE(run.finished());
  const Beam beam = problem.run({RowBeam::no_limit, 3, 0});
  CHECK(run.log_joint() == Approx(beam.score(beam.best())).epsilon(1e-10));
  CHECK(run.precisions().variance() == Approx(sigma.x * sigma.x));
}

// The best of all assignments, including singletons, by the joint density of the data with the row.
TEST_CASE("a new row has its most probable features") {
  Rng rng(407);
  for (const Case& c : {cases()[0], cases()[6], cases()[3], cases()[5]}) {
    INFO(c.name << (c.missing ? ", entries missing" : ""));
    const Problem problem(c, data_of(c, 5));
    Features z(5);
    for (int h : {3, 14, 21}) {
      buffet::Bits column(5);
      column.words()[0] = h;
      z.add(column);
    }
    const double rho = problem.model.rho, variance = problem.model.variance;
    const buffet::GaussianSpectra spectra(problem.groups, z);
    buffet::BeamFit fit{spectra.mean(problem.groups, rho),
                        spectra.inverses(rho),
                        {0, 0},
                        variance,
                        rho,
                        counts_of(z),
                        5};
    for (auto& m : fit.covariance) m *= variance;
    for (int g = 0; g < problem.groups.size(); ++g)
      for (int d : problem.groups.columns(g)) fit.of[d] = g;
    const Sequential prior(c.spec(), 6);
    for (int n = 0; n < 10; ++n) {
      Eigen::MatrixXd x(6, 2);
      x.topRows(5) = problem.x;
      x.row(5) = draw_normal(1, 2, 3, rng);
      if (n % 3 == 0) x(5, 0) = std::nan("");
      const auto held = most_probable(x.row(5), fit, prior);
      double best = -std::numeric_limits<double>::infinity();
      std::vector<int> expected;
      for (int h = 0; h < 8; ++h)
        for (int born = 0; born <= (c.parameters.n_features > 0 ? 1 : 4); ++born) {
          Eigen::MatrixXd on = Eigen::MatrixXd::Zero(6, 3 + born);
          on.topLeftCorner(5, 3) = dense(z);
          on.row(5) << (h & 1), (h >> 1 & 1), (h >> 2), Eigen::RowVectorXd::Ones(born);
          const double value =
              log_class(from_dense(on), c.parameters, c.alpha) + test::log_lik(on, x, sigma);
          if (value > best) {
            best = value;
            expected = {h & 1, h >> 1 & 1, h >> 2};
          }
        }
      CHECK(held == expected);
    }
  }
}
