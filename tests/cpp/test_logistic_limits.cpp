#include <limits>

#include "logistic_case.h"
#include "moves.h"
#include "scale.h"
#include "statistics.h"

using namespace test;

namespace {

const Hyper alpha = Hyper::fixed(1.3);

/// E[K+] and E[Z Z'] of a chain.
std::vector<BatchMean> grams(Exchangeable prior, const BinaryData& data) {
  const int sweeps = scaled(shorter(40000));
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

/// Sweeps leave a finite and consistent state, whatever the data.
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

TEST_CASE("logistic sweeps of one row, one column, constant or missing data stay valid") {
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

TEST_CASE("ratios are exact for log odds in the hundreds, and updates escape from them") {
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
