#include <limits>

#include "laws.h"
#include "logistic_case.h"
#include "moves.h"
#include "scale.h"
#include "tree_case.h"

using namespace test;

namespace {

const Hyper alpha = Hyper::fixed(1.3);

/// Sweeps of data of which nothing is seen: features, weights and scales are the prior's.
template <class C>
void check_prior_recovered(decltype(C::prior) prior, int rows, bool bias, const Law& law) {
  INFO(rows << " rows" << (bias ? ", with bias" : ""));
  const int sweeps = scaled(20000);
  const BinaryData nothing = as_binary(Eigen::MatrixXd::Constant(rows, 2, NAN));
  const Hyper a = Hyper::gamma(4.2, 3.7);
  C chain(Features(rows), prior, {nothing, {a, Hyper::fixed(1 / 0.49), bias}}, Rng(371));
  chain.likelihood.move_features_every(1);
  Count count("K+", law, sweeps);
  BatchMean precision(sweeps, 200), scaled_squares(precision), biases(precision),
      products(precision);
  for (int t = -50; t < sweeps; ++t) {
    test::sweep(chain);
    if (t < 0) continue;
    const auto& likelihood = chain.likelihood;
    const auto& w = likelihood.weights();
    const double tau = likelihood.scales().a.value;
    count.add(chain.z.size());
    precision.add(tau);
    if (w.size() > 0) scaled_squares.add(w.squaredNorm() * tau / double(w.size()));
    if (w.cols() > 1) products.add(w.col(0).dot(w.col(1)) * tau);
    biases.add(likelihood.bias().squaredNorm());
  }
  count.check();
  CHECK(std::abs(precision.z(4.2 / 3.7)) < 4.5);
  CHECK(std::abs(biases.z(bias ? 2 * 0.49 : 0)) < 4.5);
  // In features that there are, whose number does not depend on what they weigh.
  CHECK(std::abs(scaled_squares.z(1)) < 5);
  CHECK(std::abs(products.z(0)) < 5);
}

double harmonic(int rows) {
  double sum = 0;
  for (int i = 1; i <= rows; ++i) sum += 1.0 / i;
  return sum;
}

}  // namespace

TEST_CASE("without data logistic sweeps recover the buffet process, weights and scales") {
  for (int rows : {1, 4}) {
    const Law law = poisson(1.3 * harmonic(rows));
    for (bool bias : {false, true})
      check_prior_recovered<LogisticChain>(Exchangeable(rows, {alpha}), rows, bias, law);
    check_prior_recovered<NealChain>(Exchangeable(rows, {alpha}), rows, true, law);
  }
}
TEST_CASE("without data logistic sweeps recover the finite prior and that on a tree") {
  const double a = 1.3 * 1.7 / 4, b = 1.7;
  const double none = std::exp(log_beta_integral(a, b + 4) - log_beta_integral(a, b));
  check_prior_recovered<LogisticChain>(Exchangeable(4, {alpha, Hyper::fixed(b), 0, 4}), 4, true,
                                       binomial(4, 1 - none));
  const TreeProcess tree(uneven_tree(4));
  for (Rates rates : {Rates::integrated, Rates::sampled})
    check_prior_recovered<TreeLogisticChain>(phylogenetic(tree.raw(), alpha, rates), 4, false,
                                             poisson(1.3 * tree.features()));
}

namespace {

/// E[K+] and E[Z Z'] of a chain.
std::vector<BatchMean> grams(Exchangeable prior, const BinaryData& data) {
  const int sweeps = scaled(40000);
  std::vector<BatchMean> means(11, BatchMean(sweeps, 200));
  LogisticChain chain(Features(4), prior, {data, fixed_scales(2.1, 0.7, true)}, Rng(372));
  for (int t = -100; t < sweeps; ++t) {
    test::sweep(chain);
    if (t < 0) continue;
    int n = 0;
    means[n++].add(chain.z.size());
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j <= i; ++j) {
        int shared = 0;
        for (int k = 0; k < chain.z.size(); ++k) shared += chain.z.at(i, k) && chain.z.at(j, k);
        means[n++].add(shared);
      }
  }
  return means;
}

}  // namespace

TEST_CASE("two hundred features agree with the buffet process on logistic data") {
  Eigen::MatrixXd y(4, 5);
  y << 1, 1, 0, 0, 1, 1, 1, 0, 1, NAN, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0;
  const BinaryData data = as_binary(y);
  const auto infinite = grams(Exchangeable(4, {alpha}), data),
             many = grams(Exchangeable(4, {alpha, Hyper::fixed(1), 0, 200}), data);
  for (std::size_t n = 0; n < many.size(); ++n) {
    const double variance = many[n].variance() + infinite[n].variance();
    CHECK(std::abs(z_score(many[n].value() - infinite[n].value(), variance)) < 4.5);
  }
}

namespace {

/// Sweeps of any data end in a state whose numbers are finite and belong together.
template <class C>
void check_sound(decltype(C::prior) prior, const Eigen::MatrixXd& y, double sigma) {
  const BinaryData data = as_binary(y);
  const int rows = static_cast<int>(y.rows());
  for (bool bias : {false, true}) {
    INFO(rows << " x " << y.cols() << ", sigma = " << sigma << (bias ? ", with bias" : ""));
    const LogisticScales learned{Hyper::gamma(1, 1), Hyper::gamma(1, 1), bias};
    C chain(Features(rows), prior, {data, sigma > 0 ? fixed_scales(sigma, sigma, bias) : learned},
            Rng(373));
    chain.likelihood.move_features_every(2);
    for (int t = 0; t < 60; ++t) {
      if (t % 20 == 0) chain.reset();
      test::sweep(chain);
      const auto& l = chain.likelihood;
      REQUIRE(l.weights().cols() == chain.z.size());
      REQUIRE(l.weights().rows() == y.cols());
      REQUIRE(l.weights().allFinite());
      REQUIRE(l.bias().allFinite());
      const double expected = log_lik(y, log_odds(dense(chain.z), l.weights(), l.bias()));
      REQUIRE(l.log_lik(chain.z) == Approx(expected).epsilon(1e-9).margin(1e-9));
      REQUIRE(std::isfinite(chain.log_joint()));
      REQUIRE(std::isfinite(chain.score()));
    }
  }
}

void check_all_sound(const Eigen::MatrixXd& y) {
  const int rows = static_cast<int>(y.rows());
  for (double sigma : {0.0, 0.01, 30.0}) {
    check_sound<LogisticChain>(Exchangeable(rows, {Hyper::gamma(1, 1)}), y, sigma);
    check_sound<LogisticChain>(Exchangeable(rows, {alpha, Hyper::fixed(1), 0, 3}), y, sigma);
    check_sound<NealChain>(Exchangeable(rows, {Hyper::gamma(1, 1)}), y, sigma);
  }
}

}  // namespace

TEST_CASE("logistic sweeps of one row, one column, constant or missing data stay sound") {
  Rng rng(374);
  const auto constant = [](int rows, int columns, double v) {
    return Eigen::MatrixXd(Eigen::MatrixXd::Constant(rows, columns, v));
  };
  for (double v : {0.0, 1.0, double(NAN)})
    for (auto [rows, columns] :
         {std::pair(1, 1), std::pair(1, 7), std::pair(6, 1), std::pair(5, 3)})
      check_all_sound(constant(rows, columns, v));
  Eigen::MatrixXd y = draw_binary(Eigen::MatrixXd::Zero(6, 40), rng);
  y.row(2).setConstant(NAN);
  y.col(3).setOnes();
  check_all_sound(y);
}

TEST_CASE("ones where log odds are a hundred and more still change what is far too unlikely") {
  Eigen::MatrixXd y = Eigen::MatrixXd::Ones(3, 2);
  y.row(2).setZero();
  const BinaryData data = as_binary(y);
  Logistic likelihood(data, fixed_scales(30, 1, false));
  likelihood.set_weights(Eigen::MatrixXd::Constant(2, 2, 340), Eigen::VectorXd::Zero(2));
  Features z = from_dense(Eigen::MatrixXd::Ones(3, 2));
  for (int i : {0, 1, 2}) {
    likelihood.enter(z, i);
    CHECK(likelihood.log_ratio(0) == Approx(i < 2 ? 0 : -680).margin(1e-9));
  }
  CHECK(likelihood.log_lik(z) == Approx(-4 * 340));
  Rng rng(375);
  for (int t = 0; t < 300; ++t) likelihood.update(z, rng);
  CHECK(likelihood.weights().allFinite());
  CHECK(likelihood.log_lik(z) > -30);
}
