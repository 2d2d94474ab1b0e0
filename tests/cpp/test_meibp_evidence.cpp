#include <testthat/vendor/catch.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "meibp_case.h"
#include "nonnegative_integral.h"

using namespace test;

// The evidence from an enumeration of ordered feature matrices, with the nonnegative loadings
// integrated out numerically. In Z and the bound, matrices whose columns are in different orders
// are distinct.

namespace {

const Scales sigma{0.8, 1.3};

double log_lik(const Eigen::MatrixXd& z, const Eigen::MatrixXd& x) {
  double sum = 0;
  for (int d = 0; d < x.cols(); ++d) sum += log_nonnegative_integral(z, x.col(d), sigma);
  return sum;
}

std::vector<int> counts_of(const Eigen::MatrixXd& z) {
  std::vector<int> counts;
  for (int k = 0; k < z.cols(); ++k) counts.push_back(static_cast<int>(z.col(k).sum()));
  return counts;
}

/// The ordered matrices with three rows and at most two columns, none of them empty.
std::vector<Eigen::MatrixXd> matrices() {
  std::vector<Eigen::MatrixXd> all{Eigen::MatrixXd(3, 0)};
  const auto column = [](int h) { return Eigen::Vector3d(h & 1, h >> 1 & 1, h >> 2 & 1); };
  for (int h = 1; h < 8; ++h) all.push_back(column(h));
  for (int h = 1; h < 8; ++h)
    for (int g = 1; g < 8; ++g) {
      Eigen::MatrixXd z(3, 2);
      z << column(h), column(g);
      all.push_back(z);
    }
  return all;
}

/// Iterated to convergence, with Z unchanged.
State settled(const MeibpCase& c, const Parameters& p, const Eigen::MatrixXd& z) {
  const MeibpModel model{"",
                         {Hyper::fixed(p.alpha), Hyper::fixed(p.c), p.discount, p.n_features},
                         fixed_precisions(sigma)};
  State state = state_of(c.data, model);
  const Features features = from_dense(z);
  for (int k = 0; k < features.size(); ++k)
    state.add(features.column(k), Eigen::VectorXd::Ones(c.data.columns));
  for (int n = 0; n < 20; ++n) state.settle({50, 0, 0});
  return state;
}

Eigen::MatrixXd small_data(int columns, bool complete) {
  Eigen::MatrixXd x(3, 2);
  x << 1.4, -0.9, 0.6, 1.1, 2.9, 0.8;
  if (!complete) x(1, 0) = std::nan("");
  return x.leftCols(columns);
}

const std::vector<Parameters>& priors() {
  static const std::vector<Parameters> all{{2.4, 1.7, 0, 2}, {1.3, 1, 0, 0}, {1.4, 0.6, 0.35, 0}};
  return all;
}

bool share_no_row(const Eigen::MatrixXd& z) {
  return z.cols() < 2 || z.col(0).dot(z.col(1)) == 0;
}

}  // namespace

TEST_CASE("the bound is the log evidence of Z if the loadings are independent") {
  for (int columns : {1, 2})
    for (bool complete : {true, false}) {
      const MeibpCase c(small_data(columns, complete));
      for (const Eigen::MatrixXd& z : matrices()) {
        const double likelihood = log_lik(z, c.x);
        for (const Parameters& p : priors()) {
          const double exact = likelihood + log_prob(counts_of(z), 3, p);
          const double bound = settled(c, p, z).bound();
          if (share_no_row(z))
            CHECK(bound == Approx(exact).epsilon(1e-9));
          else
            CHECK(bound <= exact + 1e-9);
          CHECK(bound > exact - 1);
        }
      }
    }
}

TEST_CASE("the bound never exceeds the log evidence of the model, whatever the start") {
  double closest = -INFINITY;
  for (int columns : {1, 2})
    for (bool complete : {true, false})
      for (const Parameters& p : priors()) {
        const MeibpCase c(small_data(columns, complete));
        double evidence = 0, prior = 0;
        for (const Eigen::MatrixXd& z : matrices()) {
          const double log_p = log_prob(counts_of(z), 3, p);
          prior += std::exp(log_p);
          evidence += std::exp(log_p + log_lik(z, c.x));
        }
        // For the infinite priors, only the part of the evidence with at most two features.
        if (p.n_features == 2) CHECK(prior == Approx(1));
        Rng rng(361);
        for (const Eigen::MatrixXd& z : matrices()) {
          State state = settled(c, p, z);
          for (int n = 0; n < 10; ++n) state.iterate(rng, no_check);
          CHECK(state.z.size() <= 2);
          CHECK(state.bound() <= std::log(evidence) + 1e-10);
          closest = std::max(closest, state.bound() - std::log(evidence));
        }
      }
  CHECK(closest > -2.1);
}
