#include <type_traits>
#include <utility>

#include "core/archive.h"
#include "gibbs/start.h"
#include "variational_case.h"

using namespace test;

namespace {

/// Gradient of f at 0 along one direction, by central differences.
template <class F>
double slope(F f) {
  const double step = 1e-5;
  return (f(step) - f(-step)) / (2 * step);
}

/// Parameters of the factors in a finite model with independent normal loadings; everything else is
/// fixed.
struct Parameters4 {
  Eigen::MatrixXd on, location, scale;  ///< N x K, K x D, K x D
  std::vector<buffet::BetaFactor> pi;
};

/// The bound as a function of the parameters.
double bound_at(const Parameters4& q, const Eigen::MatrixXd& x, const FiniteNormal::Model& model) {
  const double tau_x = model.precisions.x.value, tau_a = model.precisions.a.value;
  const double share = model.probabilities.alpha.value / double(q.pi.size());
  double sum = naive_entropy(q.on);
  for (int k = 0; k < q.on.cols(); ++k) {
    const double a = q.pi[k].on, b = q.pi[k].off, both = digamma(a + b);
    const double on = digamma(a) - both, off = digamma(b) - both, held = q.on.col(k).sum();
    sum += std::log(share) + (share - 1 + held - a + 1) * on +
           (double(q.on.rows()) - held - b + 1) * off + std::log(boost::math::beta(a, b));
    for (int d = 0; d < x.cols(); ++d)
      sum += 0.5 * std::log(tau_a) + std::log(q.scale(k, d)) + 0.5 -
             0.5 * tau_a * (std::pow(q.location(k, d), 2) + std::pow(q.scale(k, d), 2));
  }
  const Eigen::MatrixXd fit = q.on * q.location;
  for (int i = 0; i < x.rows(); ++i)
    for (int d = 0; d < x.cols(); ++d) {
      if (std::isnan(x(i, d))) continue;
      double square = std::pow(x(i, d) - fit(i, d), 2);
      for (int k = 0; k < q.on.cols(); ++k) {
        const double p = q.on(i, k), m = q.location(k, d);
        square += p * std::pow(q.scale(k, d), 2) + p * (1 - p) * m * m;
      }
      sum += 0.5 * std::log(tau_x / (2 * M_PI)) - 0.5 * tau_x * square;
    }
  return sum;
}

template <class State>
void check_definition(Rng& rng) {
  for (bool learned : {false, true})
    for (bool complete : {true, false}) {
      Eigen::MatrixXd x = soft_data(11, 4, State::Factor::nonnegative, rng);
      if (!complete) x = hide_some(x, rng);
      const MeibpCase c(x);
      const auto model = model_of<State>(learned, 5);
      State state = random_soft_state<State>(c, model, 4, rng);
      for (int n = 0; n < 5; ++n) {
        const double bound = state.bound(), naive = naive_bound(state, x, model);
        CHECK(bound == Approx(naive).epsilon(1e-8));
        state.iterate(no_check);
      }
    }
}

template <class State>
void check_rise(Rng& rng) {
  for (bool learned : {false, true}) {
    const Eigen::MatrixXd x = hide_some(soft_data(40, 6, State::Factor::nonnegative, rng), rng);
    const MeibpCase c(x);
    State state = random_soft_state<State>(c, model_of<State>(learned, 5), 5, rng);
    for (int n = 0; n < 150; ++n) {
      const double before = state.bound();
      state.iterate(no_check);
      // Expectation propagation is exact only up to its own tolerance.
      const bool propagates = std::is_same_v<State, JointNonnegative>;
      CHECK(state.bound() >= before - (propagates ? 1e-3 : 1e-8) * (1 + std::abs(before)));
    }
  }
}

template <class State>
void check_same(Rng& rng) {
  const Eigen::MatrixXd x =
      with_missing(soft_data(600, 5, State::Factor::nonnegative, rng), 0.01, rng);
  const MeibpCase c(x), sparse(x, true);
  const std::vector<int> sizes{17, 300, 0, 283};
  const buffet::AscentData blocks(in_blocks(x, sizes), 5),
      sparse_blocks(in_blocks(x, sizes, true), 5);
  const auto model = model_of<State>(true, 4);
  const auto run = [&](const buffet::AscentData& data, int threads) {
    Rng same(1);
    State state(data, model, threads);
    for (int k = 0; k < 4; ++k)
      state.add(Eigen::VectorXd::NullaryExpr(600, [&] { return same.uniform(); }),
                Eigen::VectorXd::Zero(5));
    state.settle(no_check);
    for (int n = 0; n < 8; ++n) state.iterate(no_check);
    return state.bound();
  };
  const double bound = run(c.data, 1);
  const double of_threads = run(c.data, 3), of_blocks = run(blocks, 1);
  const double of_sparse = run(sparse.data, 1), of_sparse_blocks = run(sparse_blocks, 1);
  CHECK(of_threads == bound);
  CHECK(of_blocks == Approx(bound).epsilon(1e-10));
  CHECK(of_sparse == Approx(bound).epsilon(1e-10));
  CHECK(of_sparse_blocks == Approx(bound).epsilon(1e-10));
}

template <class State>
void check_run(Rng& rng) {
  const MeibpCase c(with_missing(soft_data(50, 8, State::Factor::nonnegative, rng), 0.1, rng));
  const auto model = model_of<State>(true, 6);
  buffet::VariationalPlan plan;
  plan.max_features = 6;
  plan.restarts = 2;
  plan.only_growing = std::is_same_v<State, JointNonnegative>;
  const auto fresh = [&] {
    buffet::VariationalRun<State> run(c.data, plan, model);
    run.start({Features(50), 7, NAN, NAN}, no_check);
    return run;
  };
  auto run = fresh();
  for (int n = 0; !run.finished(); ++n) {
    REQUIRE(n < 5000);
    // The run is saved and restored from time to time.
    if (n % 37 == 5) {
      auto bytes = buffet::to_bytes(run);
      auto resumed = fresh();
      buffet::from_bytes(bytes, resumed);
      const bool same_state = buffet::to_bytes(resumed) == bytes;
      REQUIRE(same_state);
      resumed.step(no_check);
      auto next = run;
      next.step(no_check);
      const bool same_step = buffet::to_bytes(resumed) == buffet::to_bytes(next);
      CHECK(same_step);
    }
    run.step(no_check);
  }
  const auto& trace = run.best().trace();
  REQUIRE(trace.size() > 3);
  for (std::size_t n = 1; n < trace.size(); ++n)
    CHECK(trace[n] >= trace[n - 1] - 1e-8 * std::abs(trace[n]));
  const double last = run.best().result().bound();
  CHECK(last == trace.back());
  CHECK(run.best().result().z.size() >= 1);
  // A run that only grows returns its best state, not its first.
  if (plan.only_growing) CHECK(last > trace.front() + 1);
}

}  // namespace

TEST_CASE("the bound equals its definition") {
  Rng rng(421);
  for_bounds([&](auto* kind) { check_definition<StateOf<decltype(kind)>>(rng); });
}

TEST_CASE("the bound with joint nonnegative loadings equals its definition") {
  Rng rng(422);
  for (bool learned : {false, true}) {
    const Eigen::MatrixXd x = hide_some(soft_data(11, 4, true, rng), rng);
    const MeibpCase c(x);
    const auto model = model_of<JointNonnegative>(learned, 5);
    JointNonnegative s = random_soft_state<JointNonnegative>(c, model, 3, rng);
    for (int n = 0; n < 5; ++n) s.iterate(no_check);
    const auto& f = s.factor();
    const double tau_x = expected(f.tau_x()), tau_a = expected(f.tau_a());
    double sum =
        naive_entropy(s.z.on) - divergence(f.tau_x()) - divergence(f.tau_a()) +
        naive_probabilities(s.probabilities(), s.z.on.rowwise().sum(), 11, model.probabilities);
    for (int d = 0; d < 4; ++d) {
      Eigen::MatrixXd q = tau_a * Eigen::MatrixXd::Identity(3, 3);
      Eigen::VectorXd h = Eigen::VectorXd::Zero(3);
      for (int i = 0; i < 11; ++i) {
        if (std::isnan(x(i, d))) continue;
        const Eigen::VectorXd on = s.z.on.col(i);
        q += tau_x * on * on.transpose();
        q += tau_x * Eigen::MatrixXd((on.array() * (1 - on.array())).matrix().asDiagonal());
        h += tau_x * x(i, d) * on;
        sum +=
            0.5 * (expected_log(f.tau_x()) - std::log(2 * M_PI)) - 0.5 * tau_x * x(i, d) * x(i, d);
      }
      sum += 3 * (0.5 * (expected_log(f.tau_a()) - std::log(2 * M_PI)) + std::log(2));
      buffet::OrthantNormal a(q, h);
      buffet::OrthantNormal::Sites sites{Eigen::VectorXd::Zero(3), Eigen::VectorXd::Zero(3)};
      a.solve(sites, 500, 1e-12);
      sum += a.log_integral();
      CHECK((f.mean().row(d).transpose() - a.mean()).norm() < 1e-5);
    }
    CHECK(s.bound() == Approx(sum).epsilon(1e-8));
  }
}

TEST_CASE("the bound never falls") {
  Rng rng(423);
  for_all_states([&](auto* kind) { check_rise<StateOf<decltype(kind)>>(rng); });
}

TEST_CASE("the finite solution is a stationary point of the bound") {
  Rng rng(424);
  for (bool complete : {true, false}) {
    Eigen::MatrixXd x = soft_data(8, 3, false, rng);
    if (!complete) x = with_missing(x, 0.2, rng);
    const MeibpCase c(x);
    const auto model = model_of<FiniteNormal>(false, 2);
    FiniteNormal state = random_soft_state<FiniteNormal>(c, model, 2, rng);
    for (int n = 0; n < 20000; ++n) state.iterate(no_check);
    const Parameters4 q{state.z.on.transpose(), state.factor().location().transpose(),
                        state.factor().scale().transpose(), state.probabilities().factors()};
    REQUIRE(bound_at(q, x, model) == Approx(state.bound()).epsilon(1e-10));
    const auto along = [&](auto change) {
      const double value = slope([&](double by) {
        Parameters4 moved = q;
        change(moved, by);
        return bound_at(moved, x, model);
      });
      CHECK(std::abs(value) < 1e-4);
    };
    const auto by_odds = [](double p, double by) { return 1 / (1 + (1 - p) / p * std::exp(-by)); };
    for (int n = 0; n < q.on.size(); ++n)
      along([&](Parameters4& m, double by) { m.on(n) = by_odds(m.on(n), by); });
    for (int n = 0; n < q.location.size(); ++n) {
      along([&](Parameters4& m, double by) { m.location(n) += by; });
      along([&](Parameters4& m, double by) { m.scale(n) *= std::exp(by); });
    }
    for (int k = 0; k < 2; ++k) {
      along([&](Parameters4& m, double by) { m.pi[k].on *= std::exp(by); });
      along([&](Parameters4& m, double by) { m.pi[k].off *= std::exp(by); });
    }
  }
}

TEST_CASE("threads, blocks and sparse data do not change the result") {
  Rng rng(425);
  for_all_states([&](auto* kind) { check_same<StateOf<decltype(kind)>>(rng); });
}

TEST_CASE("a run finds features, has a trace that never falls, and can be resumed") {
  Rng rng(426);
  for_all_states([&](auto* kind) { check_run<StateOf<decltype(kind)>>(rng); });
}

TEST_CASE("more restarts of mean-field inference never give a worse result, and all differ") {
  const auto gain = [](std::uint64_t seed) {
    Rng rng(seed);
    const MeibpCase c(soft_data(40, 6, true, rng));
    const auto best = [&](int restarts) {
      buffet::VariationalPlan plan;
      plan.max_features = 6;
      plan.restarts = restarts;
      const auto model = model_of<FiniteNonnegative>(true, 6);
      buffet::VariationalRun<FiniteNonnegative> run(c.data, plan, model);
      run.start({Features(40), seed, NAN, NAN}, no_check);
      while (!run.finished()) run.step(no_check);
      return run.best().result().bound();
    };
    const double more = best(6) - best(1);
    CHECK(more >= 0);
    return more;
  };
  CHECK(gain(1) + gain(2) + gain(3) + gain(4) > 0);
}

namespace {

/// The number of true columns that the best state of a default run recovers with errors in fewer
/// than 1 % of the rows, and the number of its features that at least one row has.
template <class State>
std::pair<int, int> found_by_default(const AscentData& data, const Eigen::MatrixXd& truth) {
  buffet::VariationalRun<State> run(data, buffet::VariationalPlan(), model_of<State>(true, 20));
  run.start({Features(data.rows()), 1, NAN, NAN}, no_check);
  while (!run.finished()) run.step(no_check);
  const Eigen::MatrixXd on = (run.best().result().z.on.array() > 0.5).template cast<double>();
  int right = 0;
  for (int k = 0; k < truth.cols(); ++k) {
    const auto wrong = (on.rowwise() - truth.col(k).transpose()).cwiseAbs().rowwise().sum();
    right += wrong.minCoeff() < 0.01 * data.rows();
  }
  return {right, static_cast<int>((on.rowwise().sum().array() > 0).count())};
}

}  // namespace

TEST_CASE("mean-field inference ends with the features of the model, and no others") {
  for (std::uint64_t seed : {1, 2, 3}) {
    Rng rng(seed);
    Eigen::MatrixXd z = draw_normal(400, 10, 1, rng);
    z = (z.array() > 0.5).cast<double>();
    const MeibpCase c(z * draw_normal(10, 80, 1, rng) + draw_normal(400, 80, 0.5, rng));
    CHECK(found_by_default<SticksNormal>(c.data, z) == std::pair(10, 10));
    CHECK(found_by_default<JointNormal>(c.data, z) == std::pair(10, 10));
  }
}

TEST_CASE("data too large to be analysed as a whole suggest no features") {
  Rng rng(430);
  const Features z = buffet::one_feature(1100, 0.5, rng);
  Eigen::MatrixXd x = draw_normal(1100, 1000, 0.5, rng);
  x += dense(z) * draw_normal(1, 1000, 1, rng);
  const MeibpCase complete(x);
  CHECK(buffet::suggested_features(complete.data, 20, Rng(1)).size() == 1);
  x(7, 5) = NAN;
  const MeibpCase hidden(x);
  CHECK(buffet::suggested_features(hidden.data, 20, Rng(1)).size() == 0);
  const MeibpCase fewer(x.leftCols(900));
  CHECK(buffet::suggested_features(fewer.data, 20, Rng(1)).size() == 1);
}

TEST_CASE("an interrupted step is undone") {
  Rng rng(427);
  const MeibpCase c(soft_data(30, 5, false, rng));
  buffet::VariationalRun<SticksNormal> run(c.data, buffet::VariationalPlan(),
                                           model_of<SticksNormal>(true, 20));
  run.start({Features(30), 7, NAN, NAN}, no_check);
  for (int n = 0; n < 5; ++n) run.step(no_check);
  auto before = buffet::to_bytes(run);
  for (int calls : {0, 1}) {
    int left = calls;
    CHECK_THROWS(run.step([&] {
      if (left-- == 0) throw std::runtime_error("stop");
    }));
    const bool same = buffet::to_bytes(run) == before;
    CHECK(same);
  }
}
