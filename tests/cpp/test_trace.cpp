#include <testthat/vendor/catch.h>

#include "core/draws.h"
#include "draws.h"
#include "inference/trace.h"

using namespace test;

namespace {

struct Recorded {
  Features z;
  std::vector<double> values;
  std::vector<double> scalars() const { return values; }
};

}  // namespace

TEST_CASE("a trace gives back the scalars of all records and the features of those kept") {
  Rng rng(101);
  buffet::Trace trace;
  std::vector<Features> kept;
  std::vector<double> scalars;
  for (int n = 0; n < 30; ++n) {
    const Recorded chain{random_features(70, rng.below(5), rng), {rng.normal(), double(n)}};
    const bool keep = n >= 10;
    trace.record(chain, keep);
    scalars.insert(scalars.end(), chain.values.begin(), chain.values.end());
    if (keep) kept.push_back(chain.z);
  }
  CHECK(trace.records() == 30);
  CHECK(trace.scalars() == scalars);
  const buffet::Draws draws(70, trace.sizes(), trace.bits().data());
  REQUIRE(draws.size() == 20);
  for (int n = 0; n < 20; ++n) CHECK(dense(draws[n]) == dense(kept[n]));
}
