#include <testthat/vendor/catch.h>

#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "core/slice.h"
#include "scale.h"
#include "statistics.h"

using buffet::Rng;
using namespace test;

namespace {

/// Compares how often a long chain of slice steps is in each of the cells that the cuts define with
/// the probabilities of the cells.
template <class LogDensity>
void check_cells(LogDensity log_density, double width, const std::vector<double>& cuts,
                 const std::vector<double>& probabilities) {
  const int steps = scaled(200000);
  Rng rng(41);
  std::vector<BatchMean> in_cell(probabilities.size(), BatchMean(steps, 200));
  double x = 0.5;
  for (int t = 0; t < steps; ++t) {
    x = buffet::slice_sample(x, log_density, width, rng);
    std::size_t cell = 0;
    while (cell < cuts.size() && x > cuts[cell]) ++cell;
    for (std::size_t c = 0; c < in_cell.size(); ++c) in_cell[c].add(c == cell);
  }
  for (std::size_t c = 0; c < in_cell.size(); ++c) {
    INFO("width " << width << ", cell " << c);
    const double z = in_cell[c].z(probabilities[c]);
    CHECK(std::abs(z) < 4.5);
  }
}

double below(double x, double mean = 0, double sd = 1) {
  return boost::math::cdf(boost::math::normal(mean, sd), x);
}

}  // namespace

TEST_CASE("slice steps for a mixture of two normals have its law, whatever the width") {
  const auto log_density = [](double x) {
    return std::log(0.3 * std::exp(-0.5 * x * x) +
                    0.7 / 0.6 * std::exp(-0.5 * (x - 2.5) * (x - 2.5) / 0.36));
  };
  const std::vector<double> cuts{-1, 0, 1, 2, 2.5, 3};
  std::vector<double> probabilities;
  double before = 0;
  for (double cut : cuts) {
    const double now = 0.3 * below(cut) + 0.7 * below(cut, 2.5, 0.6);
    probabilities.push_back(now - before);
    before = now;
  }
  probabilities.push_back(1 - before);
  for (double width : {0.4, 2.0, 15.0}) check_cells(log_density, width, cuts, probabilities);
}

TEST_CASE("slices stay inside a bounded support") {
  const auto log_density = [](double x) {
    return x > 0 && x < 1 ? std::log(x) : -std::numeric_limits<double>::infinity();
  };
  check_cells(log_density, 0.7, {0, 0.25, 0.5, 0.75, 1},
              {0, 1 / 16.0, 3 / 16.0, 5 / 16.0, 7 / 16.0, 0});
}

TEST_CASE("a NaN log density gives an error instead of an endless search") {
  Rng rng(44);
  const auto none = [](double) { return std::nan(""); };
  const auto flat = [](double) { return 0.0; };
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK_THROWS_AS(buffet::slice_sample(0, none, 1, rng), std::domain_error);
  CHECK_THROWS_AS(buffet::slice_within(0, none, 1, rng), std::domain_error);
  CHECK_THROWS_AS(buffet::slice_positive(1, none, {1, 20}, rng), std::domain_error);
  CHECK_THROWS_AS(buffet::slice_sample(0, flat, 1, rng), std::domain_error);
  CHECK_THROWS_AS(buffet::slice_within(-infinity, flat, 1, rng), std::domain_error);
  // NaN everywhere except at the current point, to which the interval shrinks.
  const auto elsewhere = [](double x) { return x == 0.5 ? 0.0 : std::nan(""); };
  CHECK(buffet::slice_within(0.5, elsewhere, 1, rng) == Approx(0.5));
}
