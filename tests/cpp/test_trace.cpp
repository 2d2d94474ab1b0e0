#include <testthat/vendor/catch.h>

#include "core/draws.h"
#include "draws.h"
#include "gibbs/trace.h"

using namespace test;

namespace {

struct Loadings {
  static constexpr bool keeps_loadings = true;
  Eigen::MatrixXd a;
  const Eigen::MatrixXd& loadings() const { return a; }
};

struct Recorded {
  Features z;
  Loadings likelihood;
  std::vector<double> values;
  std::vector<double> scalars() const { return values; }
};

}  // namespace

TEST_CASE(
    "a trace returns the scalars of all records, and the features and loadings of saved draws") {
  Rng rng(101);
  buffet::Trace trace;
  std::vector<Features> kept;
  std::vector<double> scalars, loadings;
  for (int n = 0; n < 30; ++n) {
    const Features z = random_features(70, rng.below(5), rng);
    const Recorded chain{z, {draw_normal(3, z.size(), 1, rng)}, {rng.normal(), double(n)}};
    const bool keep = n >= 10;
    trace.record(chain, keep);
    scalars.insert(scalars.end(), chain.values.begin(), chain.values.end());
    if (!keep) continue;
    kept.push_back(chain.z);
    const Eigen::MatrixXd& a = chain.likelihood.a;
    loadings.insert(loadings.end(), a.data(), a.data() + a.size());
  }
  CHECK(trace.records() == 30);
  CHECK(trace.scalars() == scalars);
  CHECK(trace.loadings() == loadings);
  const buffet::Draws draws(70, trace.sizes(), trace.bits());
  REQUIRE(draws.size() == 20);
  for (int n = 0; n < 20; ++n) CHECK(dense(draws[n]) == dense(kept[n]));
}
