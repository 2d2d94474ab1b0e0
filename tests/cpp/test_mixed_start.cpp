#include <testthat/vendor/catch.h>

#include <cmath>
#include <vector>

#include "mixed_joint.h"

using namespace test;

namespace {

/// Three features of 300 rows, and columns from these families whose weights have standard
/// deviation 1.5.
struct Example {
  Example(buffet::Families of, std::uint64_t seed) : rng(seed), families(std::move(of)), z(300) {
    for (double share : {0.2, 0.3, 0.45}) {
      Bits rows(z.rows());
      for (int i = 0; i < z.rows(); ++i)
        if (rng.bernoulli(share)) rows.set(i);
      z.add(rows);
    }
    int width = 0;
    for (AnyFamily& family : families) width += family->width();
    w = draw_normal(width, z.size(), 1.5, rng);
    bias = draw_normal(width, 1, 0.5, rng);
    const Eigen::MatrixXd eta = w * dense(z).transpose() + bias.replicate(1, z.rows());
    x.resize(families.size(), z.rows());
    for (int i = 0; i < z.rows(); ++i) x.col(i) = families.draw(eta.col(i), rng);
  }
  buffet::Mixed likelihood(const MixedData& data) const {
    return {data, families, LogisticScales{Hyper::fixed(0.4), Hyper::fixed(1), true}};
  }

  Rng rng;
  buffet::Families families;
  Features z;
  Eigen::MatrixXd w;
  Eigen::VectorXd bias;
  Eigen::MatrixXd x;
};

}  // namespace

TEST_CASE("single entries give plausible linear predictors") {
  // The mean of a count is shifted by half a count.
  const AnyFamily counts = buffet::family<buffet::NegativeBinomialFamily>(0.4, 50.0);
  for (double x : {0.0, 3.0, 5000.0}) {
    const double eta = counts->guess(x);
    double mean = NAN;
    counts->respond(&eta, &mean);
    CHECK(mean == Approx(x + 0.5));
  }
  const AnyFamily trials = buffet::family<buffet::BinomialFamily>(10);
  const double eta = trials->guess(3);
  double mean = NAN;
  trials->respond(&eta, &mean);
  CHECK(mean == Approx(10 * 3.5 / 11));
}

TEST_CASE(
    "given only the features, weights of counts start at their mode, however large they are") {
  std::vector<AnyFamily> all;
  all.push_back(buffet::family<buffet::BinomialFamily>(10));
  all.push_back(buffet::family<buffet::NegativeBinomialFamily>(7.0, 2000.0));
  all.push_back(buffet::family<buffet::NegativeBinomialFamily>(7.0, 20000.0));
  const Example example(std::move(all), 881);
  CHECK(example.x.maxCoeff() > 1000);
  const MixedData data(example.x, example.families);
  buffet::Mixed likelihood = example.likelihood(data);
  likelihood.reset(example.z);
  const auto off = [&](int p) {
    return (likelihood.weights().row(p) - example.w.row(p)).cwiseAbs().maxCoeff();
  };
  CHECK(off(0) < 0.4);
  CHECK(off(1) < 0.05);
  CHECK(off(2) < 0.05);
  // No small step of any weight increases the density.
  const Eigen::MatrixXd mode = likelihood.weights();
  const Eigen::VectorXd bias = likelihood.bias();
  const auto log_joint = [&](const Eigen::MatrixXd& w) {
    likelihood.set_weights(w, bias);
    return likelihood.log_lik(example.z) - 0.5 * 0.4 * w.squaredNorm();
  };
  const double here = log_joint(mode);
  for (int n = 0; n < mode.size(); ++n)
    for (double step : {-0.02, 0.02}) {
      Eigen::MatrixXd moved = mode;
      moved(n) += step;
      CHECK(log_joint(moved) < here);
    }
}

TEST_CASE("flips of one or two bits change the likelihood of mixed columns as predicted") {
  Example example(families_of("bBnpo", true), 883);
  const MixedData data(example.x, example.families);
  buffet::Mixed likelihood = example.likelihood(data);
  likelihood.set_weights(example.w, example.bias);
  const buffet::RegressionData given = likelihood.augment(example.z, example.rng);
  likelihood.visit_given(given);
  const double before = likelihood.log_lik(example.z);
  for (int i : {0, 5, 11})
    for (auto [k, l] : {std::pair{0, 1}, {2, 0}, {1, 2}}) {
      INFO("row " << i << ", features " << k << " and " << l);
      Features flipped = example.z;
      flipped.flip(i, k);
      likelihood.enter(example.z, i);
      const double sign = example.z.at(i, k) ? -1 : 1;
      CHECK(sign * likelihood.log_ratio(k) == Approx(likelihood.log_lik(flipped) - before));
      flipped.flip(i, l);
      CHECK(likelihood.log_ratio_of_pair(k, l) == Approx(likelihood.log_lik(flipped) - before));
      likelihood.flip_pair(k, l);
      CHECK(likelihood.log_ratio_of_pair(l, k) == Approx(before - likelihood.log_lik(flipped)));
    }
}
