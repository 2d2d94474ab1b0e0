#pragma once

#include <Eigen/Dense>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "core/features.h"
#include "core/rng.h"

namespace bench {

/// Data from the linear-Gaussian model with noise sd 1/2, as used in the benchmarks.
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

/// Data with one observation per column, and the true features.
struct DataSet {
  buffet::Features z;
  Eigen::MatrixXd x;
};

inline Eigen::MatrixXd draw_normal(int rows, int columns, double sd, buffet::Rng& rng) {
  return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return sd * rng.normal(); });
}

/// Any data set, with its numbers of rows and features, and its density.
template <class W>
buffet::Features draw_features(const W& w, buffet::Rng& rng) {
  buffet::Features z(w.rows);
  for (int k = 0; k < w.features; ++k) {
    buffet::Bits column(w.rows);
    for (int i = 0; i < w.rows; ++i)
      if (rng.bernoulli(w.density)) column.set(i);
    z.add(std::move(column));
  }
  return z;
}

/// Plus, box, staircase and T from Griffiths & Ghahramani (2011), with one image per column.
inline Eigen::MatrixXd sim_images() {
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
      w.images ? sim_images() : draw_normal(w.columns, w.features, 1, rng);
  Eigen::MatrixXd x = draw_normal(w.columns, w.rows, sigma_x, rng);
  for (int k = 0; k < z.size(); ++k)
    z.column(k).for_each([&](int i) { x.col(i) += loadings.col(k); });
  return {std::move(z), std::move(x)};
}

/// Data of Reed & Ghahramani (2013): for each feature, a random third of the loadings are 1 and the
/// others 0. The noise has sd 1, and the second half of the rows lacks some of the columns.
struct NonnegativeWorkload {
  const char* name;
  int rows, columns, features;
  double hidden = 0.2;  ///< share of the columns that are hidden
  double density = 0.4;
};

constexpr NonnegativeWorkload nonneg500{"nonneg500", 500, 500, 20};
constexpr NonnegativeWorkload nonneg2000{"nonneg2000", 2000, 1000, 30};
constexpr NonnegativeWorkload nonneg1e5{"nonneg1e5", 100000, 1000, 50};

struct NonnegativeSet {
  buffet::Features z;
  Eigen::MatrixXd x;         ///< one observation per column, NaN if hidden
  std::vector<int> hidden;   ///< the hidden columns
  Eigen::MatrixXd held_out;  ///< true values of the hidden entries, one row of the data per column
};

inline Eigen::MatrixXd draw_binary_loadings(int columns, int features, buffet::Rng& rng) {
  Eigen::MatrixXd loadings = Eigen::MatrixXd::Zero(columns, features);
  std::vector<int> order;
  for (int k = 0; k < features; ++k) {
    rng.permutation(columns, order);
    for (int n = 0; n < (columns + 2) / 3; ++n) loadings(order[n], k) = 1;
  }
  return loadings;
}

inline NonnegativeSet generate(const NonnegativeWorkload& w, std::uint64_t number) {
  buffet::Rng rng(number, 100);
  NonnegativeSet set{draw_features(w, rng), {}, {}, {}};
  const Eigen::MatrixXd loadings = draw_binary_loadings(w.columns, w.features, rng);
  set.x = draw_normal(w.columns, w.rows, 1, rng);
  for (int k = 0; k < w.features; ++k)
    set.z.column(k).for_each([&](int i) { set.x.col(i) += loadings.col(k); });
  rng.permutation(w.columns, set.hidden);
  set.hidden.resize(static_cast<std::size_t>(w.hidden * w.columns));
  const int half = w.rows / 2;
  set.held_out.resize(set.hidden.size(), w.rows - half);
  for (std::size_t h = 0; h < set.hidden.size(); ++h) {
    auto values = set.x.row(set.hidden[h]).tail(w.rows - half);
    set.held_out.row(h) = values;
    values.setConstant(std::numeric_limits<double>::quiet_NaN());
  }
  return set;
}

}  // namespace bench
