#include <testthat/vendor/catch.h>

#include <array>
#include <cmath>
#include <vector>

#include "core/log_sum.h"
#include "core/logistic_normal.h"
#include "quadrature.h"
#include "scale.h"
#include "statistics.h"

using buffet::LogisticNormal;
using buffet::LogisticNormalTable;
using buffet::Rng;
using namespace test;

namespace {

/// sigmoid(x + sd u) integrated over u ~ N(0, 1), by Gauss-Legendre quadrature around the maximum
/// of the product.
class Posterior {
 public:
  Posterior(double x, double sd) : x_(x), sd_(sd) {
    long double low = -1, high = sd + 1;
    for (int n = 0; n < 300; ++n) {
      const long double a = (2 * low + high) / 3, b = (low + 2 * high) / 3;
      (log_height(a) < log_height(b) ? low : high) = log_height(a) < log_height(b) ? a : b;
    }
    highest_ = low;
    total_ = mass(-13, 13);
  }

  /// Mode of x + v = x + sd u.
  double mode() const { return static_cast<double>(t(highest_)); }
  double log_mean() const {
    return static_cast<double>(log_height(highest_) + std::log(total_) -
                               0.5L * std::log(2 * 3.14159265358979323846264338L));
  }
  double mean() const {
    return static_cast<double>(expected([&](long double u) { return t(u); }));
  }
  double variance() const {
    const long double m = mean();
    return static_cast<double>(expected([&](long double u) { return (t(u) - m) * (t(u) - m); }));
  }
  /// Probability that the distance between u and its mode is in this range.
  double probability(long double from, long double to) const {
    return static_cast<double>(mass(from, to) / total_);
  }
  /// The distance from the mode for a draw of x + v.
  double distance(double drawn) const {
    return static_cast<double>((drawn - static_cast<long double>(x_)) / sd_ - highest_);
  }

 private:
  long double t(long double u) const { return x_ + sd_ * u; }
  long double log_height(long double u) const {
    const long double s = t(u);
    const long double log_p = s > 0 ? -std::log1p(std::exp(-s)) : s - std::log1p(std::exp(s));
    return log_p - 0.5L * u * u;
  }
  long double height(long double u) const { return std::exp(log_height(u) - log_height(highest_)); }
  long double mass(long double from, long double to) const {
    return integral([&](long double u) { return height(u); }, highest_ + from, highest_ + to, 120);
  }
  template <class F>
  long double expected(F f) const {
    return integral([&](long double u) { return f(u) * height(u); }, highest_ - 13, highest_ + 13,
                    120) /
           total_;
  }

  long double x_, sd_, highest_, total_;
};

constexpr std::array<double, 7> sds{0.05, 0.3, 0.8, 1.7, 4, 11, 30};

}  // namespace

TEST_CASE("sums of logs include every entry, however many and however large") {
  Rng rng(301);
  for (int size : {0, 1, 5, 31, 32, 33, 63, 64, 65, 200})
    for (double scale : {0.01, 1.0, 40.0, 300.0, 700.0}) {
      Eigen::ArrayXd e(size);
      for (int n = 0; n < size; ++n) e(n) = 1 + std::exp(scale * rng.normal() / 3.5);
      if (size > 40) e(3) = e(35) = 1e300;
      long double sum = 0;
      for (int n = 0; n < size; ++n) sum += std::log(static_cast<long double>(e(n)));
      CHECK(buffet::sum_of_logs(e) ==
            Approx(static_cast<double>(sum)).epsilon(1e-12).margin(1e-12));
      CHECK(buffet::sum_of_logs(1 * e) == buffet::sum_of_logs(e));
    }
}

TEST_CASE("the sigmoid and its logarithm are accurate at both ends") {
  for (double t = -745; t <= 745; t += 0.37) {
    const long double one = 1, s = t;
    CHECK(buffet::sigmoid(t) == Approx(double(one / (one + std::exp(-s)))).epsilon(1e-14));
    const long double log_p = s > 0 ? -std::log1p(std::exp(-s)) : s - std::log1p(std::exp(s));
    CHECK(buffet::log_sigmoid(t) == Approx(double(log_p)).epsilon(1e-14));
  }
}

TEST_CASE("means and modes of a sigmoid under a normal agree with quadrature") {
  for (double sd : sds)
    for (double x :
         {-80.0, -53.0, -31.5, -17.0, -8.0, -3.1, -1.0, 0.0, 0.6, 2.2, 6.0, 14.0, 80.0}) {
      INFO("x = " << x << ", sd = " << sd);
      const Posterior exact(x, sd);
      const LogisticNormal law(x, sd * sd);
      CHECK(law.log_mean() == Approx(exact.log_mean()).epsilon(1e-11).margin(1e-12));
      CHECK(law.mode() == Approx(exact.mode()).epsilon(1e-7).margin(1e-7 * (1 + sd)));
    }
}

TEST_CASE(
    "means of a sigmoid under a normal are right even if nearly all its mass is far to the left") {
  for (double sd : {2.0, 7.0, 30.0})
    for (double by : {-600.0, -90.0, -41.0, -39.0, 0.0}) {
      const double x = by - sd * sd;  // the mode is about `by`
      INFO("x = " << x << ", sd = " << sd);
      const double expected = Posterior(x, sd).log_mean();
      CHECK(LogisticNormal(x, sd * sd).log_mean() == Approx(expected).epsilon(1e-11));
    }
}

TEST_CASE("tabulated means differ from the means by less than 1e-7") {
  Rng rng(302);
  for (double sd : sds) {
    LogisticNormalTable table(sd * sd);
    double worst = 0;
    for (int n = 0; n < 4000; ++n) {
      const double x = -80 + 160 * rng.uniform();
      worst = std::max(worst, std::abs(table(x) - LogisticNormal(x, sd * sd).log_mean()));
    }
    for (double x : {-0.5 * sd * sd, 0.0, 9 * sd + 40, 9 * sd + 39.99, -1e4, 1e4, 1e300})
      if (x > -900) worst = std::max(worst, std::abs(table(x) - Posterior(x, sd).log_mean()));
    INFO("sd = " << sd);
    CHECK(worst < 1e-7);
    CHECK(table(-1e4) == Approx(-1e4 + 0.5 * sd * sd).epsilon(1e-13));
  }
}

TEST_CASE("log odds given an observation are drawn from their posterior") {
  Rng rng(303);
  const int draws = scaled(20000);
  struct Case {
    double x, sd;
  };
  for (auto [x, sd] : std::vector<Case>{{0, 1},
                                        {-3, 0.3},
                                        {2, 7},
                                        {-60, 3},
                                        {-80, 30},
                                        {-450, 30},
                                        {40, 5},
                                        {-2000, 30},
                                        {0.4, 0.05}}) {
    INFO("x = " << x << ", sd = " << sd);
    const Posterior exact(x, sd);
    const LogisticNormal law(x, sd * sd);
    Moments moments(exact.mean(), exact.variance());
    constexpr int cells = 40;
    std::vector<double> seen(cells, 0), expected(cells);
    for (int n = 0; n < cells; ++n)
      expected[n] = draws * exact.probability(-4 + 0.2L * n, -3.8L + 0.2L * n);
    for (int n = 0; n < draws; ++n) {
      const double t = law.draw(rng);
      moments.add(t);
      const int cell = static_cast<int>(std::floor((exact.distance(t) + 4) / 0.2));
      if (cell >= 0 && cell < cells) ++seen[cell];
    }
    CHECK(moments.largest_z() < 4.5);
    CHECK(chi_squared_p(seen, expected) > 1e-5);
  }
}
