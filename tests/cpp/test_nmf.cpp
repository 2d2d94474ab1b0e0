#include <testthat/vendor/catch.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "nmf_case.h"
#include "statistics.h"

using buffet::ByDraw;
using buffet::FactorUpdate;
using buffet::NmfGiven;
using buffet::ToMode;
using namespace test;

namespace {

const auto no_check = [] {};

/// A rule that records its arguments and sets entries at random, a third of them to 0.
struct Recording {
  struct Visit {
    double slope, curvature, value;
  };
  std::vector<Visit>* visits;
  Rng* rng;

  double operator()(double slope, double curvature) const {
    const double value = rng->bernoulli(1 / 3.0) ? 0 : rng->gamma(1, 1);
    visits->push_back({slope, curvature, value});
    return value;
  }
};

/// Rows in the order in which they are visited.
std::vector<int> visited(const buffet::Masks& masks) {
  std::vector<int> rows(masks.rows());
  std::iota(rows.begin(), rows.end(), 0);
  std::stable_sort(rows.begin(), rows.end(),
                   [&](int i, int j) { return masks.pattern_of(i) < masks.pattern_of(j); });
  return rows;
}

/// The mode of the density of one entry of f given everything else, computed from the definition.
double mode_of(const Eigen::MatrixXd& x, const Factors& f, const NmfModel& m, double* entry) {
  const auto at = [&](double v) {
    const double before = *entry;
    *entry = v;
    const double log_joint = static_cast<double>(NaiveNmf(x, f, m).log_joint);
    *entry = before;
    return log_joint;
  };
  const double low = at(0), middle = at(1), high = at(2);
  const double curvature = 2 * middle - low - high, slope = middle - low + 0.5 * curvature;
  return curvature > 1e-12 ? std::max(0.0, slope / curvature) : 0;
}

}  // namespace

TEST_CASE("slope and curvature of an entry are differences of the log joint density") {
  Rng rng(501);
  for (int repeat = 0; repeat < 200; ++repeat) {
    const int rows = 1 + rng.below(6), columns = 1 + rng.below(6), rank = 1 + rng.below(4);
    const NmfModel model = nmf_model(rank, rng.bernoulli(0.5));
    Factors f = draw_factors(model, rows, columns, rng);
    const Eigen::MatrixXd x = hide_some(draw_data(f, rng), rng);
    const NmfData data = nmf_data(x, rng.bernoulli(0.3));
    const bool of_w = rng.bernoulli(0.5);
    const NmfSide& side = of_w ? data.rows : data.columns;
    Eigen::MatrixXd& factor = of_w ? f.w : f.a;
    const Eigen::MatrixXd other = of_w ? f.a : f.w;
    Eigen::MatrixXd updated = factor;
    std::vector<Recording::Visit> visits;
    const NmfGiven given{side, other, f.precision, of_w ? model.rate_w : model.rate_a};
    const double squares = FactorUpdate<Recording>(given, {&visits, &rng}, 1)(updated, 1, no_check);
    std::size_t n = 0;
    for (int i : visited(side.masks))
      for (int k = 0; k < rank; ++k) {
        const auto& v = visits[n++];
        const double before = factor(k, i);
        const long double from = NaiveNmf(x, f, model).log_joint;
        factor(k, i) = v.value;
        const long double change = NaiveNmf(x, f, model).log_joint - from;
        const double expected = v.slope * (v.value - before) -
                                0.5 * v.curvature * (v.value * v.value - before * before);
        CHECK(expected == Approx(static_cast<double>(change)).epsilon(1e-9).margin(1e-9));
      }
    CHECK(n == visits.size());
    CHECK((updated - factor).norm() == Approx(0).margin(1e-12));
    const double expected = static_cast<double>(NaiveNmf(x, f, model).squares);
    CHECK(squares == Approx(expected).epsilon(1e-10).margin(1e-12));
  }
}

TEST_CASE("the sum of squares is right if the residuals of large data are small") {
  Rng rng(502);
  for (double size : {1.0, 1e6})
    for (double noise : {1e-2, 1e-6}) {
      const NmfModel model = nmf_model(3);
      Factors f = draw_factors(model, 30, 20, rng);
      f.w *= size;
      f.precision = 1 / (noise * noise * size * size);
      const Eigen::MatrixXd x = hide_some(draw_data(f, rng), rng);
      for (bool sparse : {false, true}) {
        const NmfData data = nmf_data(x, sparse);
        Nmf nmf(data, model);
        nmf.start({f.w, f.a, 1 / std::sqrt(f.precision)}, rng);
        const NaiveNmf naive(x, factors_of(nmf), model);
        CHECK(nmf.squares() == Approx(static_cast<double>(naive.squares)).epsilon(1e-8));
        CHECK(nmf.log_lik() == Approx(static_cast<double>(naive.log_lik)).epsilon(1e-8));
      }
    }
}

TEST_CASE("products over the observed entries of a row have no rounding errors from missing ones") {
  Rng rng(503);
  Eigen::MatrixXd other = draw_exponential(2, 7, 1, rng);
  other.row(0).tail(3) *= 1e9;
  other.row(1).head(4).setZero();
  Eigen::MatrixXd x = Eigen::MatrixXd::Ones(3, 7);
  x.row(1).tail(3).setConstant(std::nan(""));
  x.row(2).tail(6).setConstant(std::nan(""));
  const NmfSide side(buffet::GaussianData::from_rows(x, false));
  const Eigen::MatrixXd whole = other * other.transpose();
  buffet::ObservedGram grams(side.masks, other, whole);
  for (int i : {0, 2, 1, 2}) {
    const int seen = i == 0 ? 7 : i == 1 ? 4 : 1;
    const Eigen::MatrixXd part = other.leftCols(seen);
    const Eigen::MatrixXd gram = grams.of(side.masks.pattern_of(i));
    CHECK((gram - part * part.transpose()).cwiseAbs().maxCoeff() <= 1e-12 * part.squaredNorm());
    if (i > 0) CHECK(gram(1, 1) == 0);
  }
}

TEST_CASE("an entry without data is drawn from its prior, and its mode is 0") {
  Rng rng(504);
  Eigen::MatrixXd x = draw_exponential(3, 4, 1, rng);
  x.row(1).setConstant(std::nan(""));
  const NmfData data = nmf_data(x);
  const Eigen::MatrixXd a = draw_exponential(2, 4, 1, rng);
  const NmfGiven given{data.rows, a, 2.0, 1.6};
  Eigen::MatrixXd w = draw_exponential(2, 3, 1, rng);
  Moments law(1 / 1.6, 1 / (1.6 * 1.6));
  const FactorUpdate<ByDraw> draw(given, ByDraw{rng}, 1);
  for (int n = 0; n < 20000; ++n) {
    draw(w, 1, no_check);
    law.add(w(0, 1));
    law.add(w(1, 1));
  }
  CHECK(law.largest_z() < 4.5);
  FactorUpdate<ToMode>(given, ToMode(), 1)(w, 1, no_check);
  CHECK((w.col(1).array() == 0).all());
}

TEST_CASE("draws of an entry have their law, from nearly exponential to nearly normal") {
  Rng rng(505);
  const ByDraw draw{rng};
  for (double slope : {-3.0, 0.0, 2.0, 40.0})
    for (double curvature : {1e-20, 1e-3, 1.0, 50.0}) {
      if (slope >= 0 && curvature < 1) continue;
      double mean = -1 / slope, variance = mean * mean;
      if (curvature > 1e-20) {
        const buffet::NonnegativeNormal law(slope / curvature, 1 / std::sqrt(curvature));
        mean = law.mean();
        variance = law.variance();
      }
      Moments moments(mean, variance);
      for (int n = 0; n < 20000; ++n) moments.add(draw(slope, curvature));
      INFO("slope " << slope << ", curvature " << curvature);
      CHECK(moments.largest_z() < 4.5);
    }
}

TEST_CASE("iterations to modes never lower the log joint density, and end at modes") {
  Rng rng(506);
  for (int repeat = 0; repeat < 30; ++repeat) {
    const int rows = 2 + rng.below(8), columns = 2 + rng.below(8), rank = 1 + rng.below(3);
    const NmfModel model = nmf_model(rank, rng.bernoulli(0.5));
    const Factors truth = draw_factors(model, rows, columns, rng);
    const Eigen::MatrixXd x = hide_some(draw_data(truth, rng), rng);
    const NmfData data = nmf_data(x);
    Nmf nmf(data, model);
    nmf.start({}, rng);
    double before = -INFINITY;
    for (int t = 0; t < 3000; ++t) {
      nmf.climb(1, no_check);
      const double now = nmf.log_joint();
      if (t % 50 < 5) {
        const NaiveNmf naive(x, factors_of(nmf), model);
        CHECK(now == Approx(static_cast<double>(naive.log_joint)).epsilon(1e-10));
        CHECK(nmf.log_lik() == Approx(static_cast<double>(naive.log_lik)).epsilon(1e-10));
      }
      REQUIRE(now >= before - 1e-11 * (1 + std::abs(before)));
      before = now;
    }
    Factors f = factors_of(nmf);
    for (Eigen::MatrixXd* factor : {&f.w, &f.a})
      for (int n = 0; n < factor->size(); ++n) {
        Factors other = f;
        double* entry = (factor == &f.w ? other.w : other.a).data() + n;
        CHECK(*entry == Approx(mode_of(x, other, model, entry)).epsilon(1e-4).margin(1e-4));
      }
    if (!model.precision.learned) continue;
    const double seen = data.observed();
    CHECK(1 / f.precision == Approx((model.precision.rate + 0.5 * nmf.squares()) /
                                    (model.precision.shape + 0.5 * seen + 1)));
  }
}

TEST_CASE("missing parts of an initial state are found from the given parts") {
  Rng rng(507);
  const NmfModel model = nmf_model(2);
  const Factors f = draw_factors(model, 12, 9, rng);
  const Eigen::MatrixXd x = draw_data(f, rng);
  const NmfData data = nmf_data(x);
  Nmf both(data, model), weights(data, model), loadings(data, model);
  both.start({f.w, f.a, 0.3}, rng);
  CHECK((both.w() == f.w && both.a() == f.a));
  CHECK(both.sigma_x() == Approx(0.3));
  both.start({f.w, f.a}, rng);
  CHECK(1 / both.precision() == Approx((1.7 + 0.5 * both.squares()) / (4.2 + 0.5 * x.size() + 1)));
  weights.start({f.w, {}}, rng);
  CHECK((weights.w() == f.w));
  CHECK(weights.squares() ==
        Approx(static_cast<double>(NaiveNmf(x, factors_of(weights), model).squares)));
  CHECK(weights.squares() < 1.2 * both.squares());
  loadings.start({{}, f.a}, rng);
  CHECK((loadings.a() == f.a));
  Nmf fixed(data, nmf_model(2, false));
  fixed.start({}, rng);
  CHECK(fixed.precision() == 2.3);
}

TEST_CASE("zero, negative, tiny or huge data have a finite result") {
  Rng rng(508);
  const Eigen::MatrixXd x = draw_data(draw_factors(nmf_model(2), 6, 5, rng), rng);
  for (double by : {0.0, -1.0, 1e-60, 1e-5, 1e5, 1e60}) {
    const NmfData data = nmf_data(by * x);
    Nmf nmf(data, nmf_model(3));
    nmf.start({}, rng);
    for (int t = 0; t < 200; ++t) nmf.climb(1, no_check);
    INFO("data by " << by);
    CHECK(std::isfinite(nmf.log_joint()));
    CHECK((nmf.w().allFinite() && nmf.a().allFinite()));
    for (int t = 0; t < 50; ++t) nmf.sweep(rng, no_check);
    CHECK(std::isfinite(nmf.log_joint()));
    CHECK((nmf.w().minCoeff() >= 0 && nmf.a().minCoeff() >= 0));
  }
}
