#pragma once

// Nonnegative matrix factorisation from its definition, entry by entry.

#include <Eigen/Dense>
#include <cmath>

#include "draws.h"
#include "missing.h"
#include "nmf/nmf.h"

namespace test {

using buffet::Hyper;
using buffet::Nmf;
using buffet::NmfData;
using buffet::NmfModel;
using buffet::NmfSide;

/// x: N x D, NaN if missing.
inline NmfData nmf_data(const Eigen::MatrixXd& x, bool sparse = false) {
  const auto side = [&](const Eigen::MatrixXd& observations) {
    return NmfSide(rows_of(observations, 0, static_cast<int>(observations.rows()), sparse));
  };
  return {side(x), side(x.transpose())};
}

inline NmfModel nmf_model(int rank, bool learned = true) {
  return {rank, learned ? Hyper::gamma(4.2, 1.7) : Hyper::fixed(2.3), 1.3, 0.6};
}

inline Eigen::MatrixXd draw_exponential(int rows, int columns, double rate, Rng& rng) {
  return Eigen::MatrixXd::NullaryExpr(rows, columns,
                                      [&] { return -std::log(rng.uniform()) / rate; });
}

/// W (R x N), A (R x D) and the precision of the noise.
struct Factors {
  Eigen::MatrixXd w, a;
  double precision;

  Eigen::MatrixXd mean() const { return w.transpose() * a; }
};

inline Factors factors_of(const Nmf& nmf) {
  return {nmf.w(), nmf.a(), nmf.precision()};
}

inline Factors draw_factors(const NmfModel& m, int rows, int columns, Rng& rng) {
  const double tau =
      m.precision.learned ? rng.gamma(m.precision.shape, m.precision.rate) : m.precision.value;
  return {draw_exponential(m.rank, rows, m.rate_w, rng),
          draw_exponential(m.rank, columns, m.rate_a, rng), tau};
}

inline Eigen::MatrixXd draw_data(const Factors& f, Rng& rng) {
  return f.mean() + draw_normal(static_cast<int>(f.w.cols()), static_cast<int>(f.a.cols()),
                                1 / std::sqrt(f.precision), rng);
}

struct NaiveNmf {
  long double squares = 0, log_lik = 0, log_joint = 0;

  NaiveNmf(const Eigen::MatrixXd& x, const Factors& f, const NmfModel& m) {
    const long double variance = 1 / static_cast<long double>(f.precision);
    const long double pi = 3.14159265358979323846264338L;
    for (int i = 0; i < x.rows(); ++i)
      for (int d = 0; d < x.cols(); ++d) {
        if (std::isnan(x(i, d))) continue;
        long double gap = x(i, d);
        for (int k = 0; k < f.w.rows(); ++k) gap -= static_cast<long double>(f.w(k, i)) * f.a(k, d);
        squares += gap * gap;
        log_lik -= 0.5L * (std::log(2 * pi * variance) + gap * gap / variance);
      }
    log_joint = log_lik;
    for (int n = 0; n < f.w.size(); ++n) log_joint += std::log(m.rate_w) - m.rate_w * f.w(n);
    for (int n = 0; n < f.a.size(); ++n) log_joint += std::log(m.rate_a) - m.rate_a * f.a(n);
    if (!m.precision.learned) return;
    // The inverse gamma density of the noise variance.
    const long double shape = m.precision.shape, scale = m.precision.rate;
    log_joint += shape * std::log(scale) - std::lgamma(static_cast<double>(shape)) -
                 (shape + 1) * std::log(variance) - scale / variance;
  }
};

}  // namespace test
