#pragma once

#include <Eigen/Dense>
#include <cstdint>
#include <utility>

#include "core/features.h"
#include "core/rng.h"

namespace bench {

/// Data of the linear-Gaussian model with noise sd 1/2, as the bench generates them.
struct Workload {
  const char* name;
  int rows, columns, features;
  double density;       ///< z ~ Bernoulli(density)
  bool images = false;  ///< loadings are the four 6 x 6 images rather than N(0, 1)
};

constexpr double sigma_x = 0.5;
constexpr Workload images100{"images100", 100, 36, 4, 0.5, true};
constexpr Workload gauss1000{"gauss1000", 1000, 100, 10, 0.3};
constexpr Workload wide{"wide", 1000, 1000, 20, 0.3};
constexpr Workload few_columns{"N=100, D=100", 100, 100, 4, 0.5};
constexpr Workload many_columns{"N=100, D=76,800", 100, 76800, 4, 0.5};

/// Data, one observation a column, and the features that made them.
struct DataSet {
  buffet::Features z;
  Eigen::MatrixXd x;
};

inline Eigen::MatrixXd draw_normal(int rows, int columns, double sd, buffet::Rng& rng) {
  return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return sd * rng.normal(); });
}

inline buffet::Features draw_features(const Workload& w, buffet::Rng& rng) {
  buffet::Features z(w.rows);
  for (int k = 0; k < w.features; ++k) {
    buffet::Bits column(w.rows);
    for (int i = 0; i < w.rows; ++i)
      if (rng.bernoulli(w.density)) column.set(i);
    z.add(std::move(column));
  }
  return z;
}

/// Plus, box, staircase and T of Griffiths & Ghahramani (2011), one image a column.
inline Eigen::MatrixXd block_images() {
  const char* pixels =
      ".1.222"
      "1112.2"
      ".1.222"
      "3..444"
      "33..4."
      "333.4.";
  Eigen::MatrixXd images = Eigen::MatrixXd::Zero(36, 4);
  for (int pixel = 0; pixel < 36; ++pixel)
    if (pixels[pixel] != '.') images(pixel, pixels[pixel] - '1') = 1;
  return images;
}

/// The data set of a workload with this number.
inline DataSet generate(const Workload& w, std::uint64_t number) {
  buffet::Rng rng(number, 100);
  buffet::Features z = draw_features(w, rng);
  const Eigen::MatrixXd loadings =
      w.images ? block_images() : draw_normal(w.columns, w.features, 1, rng);
  Eigen::MatrixXd x = draw_normal(w.columns, w.rows, sigma_x, rng);
  for (int k = 0; k < z.size(); ++k)
    z.column(k).for_each([&](int i) { x.col(i) += loadings.col(k); });
  return {std::move(z), std::move(x)};
}

}  // namespace bench
