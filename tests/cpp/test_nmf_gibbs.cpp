#include <vector>

#include "nmf_joint.h"
#include "resumed.h"
#include "statistics.h"

using namespace test;

namespace {

std::vector<NmfProblem> problems() {
  return {{nmf_model(2), 3, 4, false},
          {nmf_model(2), 4, 3, true},
          {nmf_model(1), 1, 3, false},
          {nmf_model(3), 2, 2, true}};
}

}  // namespace

TEST_CASE("five sweeps of a factorisation from a draw of the prior give a draw of the prior") {
  for (const auto& problem : problems()) check_steps_from_prior<NmfSimulation>(problem);
}

TEST_CASE("sweeps of a factorisation alternating with draws of data preserve the joint law") {
  for (const auto& problem : problems()) check_long_run<NmfSimulation>(problem, scaled(60000));
}

TEST_CASE("one weight and one loading have the posterior from an integral over both") {
  const NmfModel model{1, Hyper::fixed(2.3), 1.3, 0.6};
  const Eigen::MatrixXd x = Eigen::MatrixXd::Constant(1, 1, 1.7);
  double total = 0, w_sum = 0, a_sum = 0, product = 0;
  const int steps = 1500;
  for (int i = 0; i < steps; ++i)
    for (int j = 0; j < steps; ++j) {
      const double w = 15.0 * (i + 0.5) / steps, a = 25.0 * (j + 0.5) / steps;
      const double density = std::exp(-1.15 * (1.7 - w * a) * (1.7 - w * a) - 1.3 * w - 0.6 * a);
      total += density;
      w_sum += density * w;
      a_sum += density * a;
      product += density * w * a;
    }
  const NmfData data = nmf_data(x);
  NmfGibbs chain(data, model, Rng(523));
  chain.likelihood.start({}, chain.rng);
  const int sweeps = scaled(shorter(200000));
  BatchMean w(sweeps, 200), a(w), both(w);
  for (int t = 0; t < sweeps; ++t) {
    chain.sweep([] {});
    w.add(chain.likelihood.w()(0, 0));
    a.add(chain.likelihood.a()(0, 0));
    both.add(chain.likelihood.w()(0, 0) * chain.likelihood.a()(0, 0));
  }
  CHECK(std::abs(w.z(w_sum / total)) < 4.5);
  CHECK(std::abs(a.z(a_sum / total)) < 4.5);
  CHECK(std::abs(both.z(product / total)) < 4.5);
}

TEST_CASE("the records of a chain of a factorisation match its factors") {
  Rng rng(524);
  const NmfModel model = nmf_model(3);
  const Eigen::MatrixXd x = hide_some(test::draw_data(draw_factors(model, 70, 5, rng), rng), rng);
  const NmfData data = nmf_data(x);
  NmfGibbs chain(data, model, Rng(1));
  chain.likelihood.start({}, chain.rng);
  for (int t = 0; t < 20; ++t) {
    chain.sweep([] {});
    const Factors f = factors_of(chain.likelihood);
    const NaiveNmf naive(x, f, model);
    const auto values = chain.scalars();
    REQUIRE(values.size() == NmfGibbs::scalar_names().size());
    CHECK(values[0] == Approx(1 / std::sqrt(f.precision)));
    CHECK(values[1] == Approx(static_cast<double>(naive.log_lik)));
    CHECK(values[2] == Approx(static_cast<double>(naive.log_joint)));
    const Eigen::MatrixXd loadings = chain.likelihood.loadings();
    CHECK((loadings.topRows(5) == f.a.transpose()));
    CHECK((loadings.bottomRows(70) == f.w.transpose()));
  }
  CHECK(chain.z.size() == 3);
  CHECK(chain.z.total() == 210);
}

TEST_CASE("a chain of a factorisation saved and restored after any sweep gives the same result") {
  struct Pair {
    NmfData data;

    NmfGibbs begun(std::uint64_t stream) const {
      NmfGibbs chain(data, nmf_model(2), Rng(9, stream));
      chain.likelihood.start({}, chain.rng);
      return chain;
    }
    NmfGibbs one() const { return begun(0); }
    NmfGibbs other() const { return begun(3); }
  };
  Rng rng(525);
  check_resumed(Pair{nmf_data(with_missing(draw_exponential(9, 6, 1, rng), 0.2, rng))}, false);
}
