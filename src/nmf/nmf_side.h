#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/check.h"
#include "core/parallel.h"
#include "core/rng.h"
#include "core/truncated_normal.h"
#include "gaussian/gaussian_data.h"
#include "gaussian/gaussian_masks.h"

namespace buffet {

/// The data as seen by one of the two factors, with one column of the factor per observation.
struct NmfSide {
  GaussianData x;
  Masks masks;

  explicit NmfSide(GaussianData observations);
  NmfSide(NmfSide&&) = default;  // copies of masks_ would point to the original
};

/// The quantities that determine the update of a factor. Given everything else, the log density of
/// an entry v is slope v - curvature v^2 / 2 on v >= 0.
struct NmfGiven {
  const NmfSide& side;
  const Eigen::MatrixXd& other;  ///< the other factor, R x columns of the side
  double precision, rate;        ///< standard deviation of the noise; rate of the exponential prior
};

/// Sets an entry to its mode.
struct ToMode {
  double operator()(double slope, double curvature) const {
    return slope > 0 && curvature > 0 ? slope / curvature : 0;
  }
};

/// Draws an entry.
struct ByDraw {
  Rng& rng;

  double operator()(double slope, double curvature) const {
    // Without curvature, the density is exponential; with little curvature, nearly so.
    if (slope < 0 && curvature < 1e-14 * slope * slope) return std::log(rng.uniform()) / slope;
    return draw_nonnegative_normal(slope / curvature, 1 / std::sqrt(curvature), rng);
  }
};

/// F F' over the columns of a factor that are observed in rows with the same pattern.
class ObservedGram {
 public:
  ObservedGram(const Masks& masks, const Eigen::MatrixXd& factor, const Eigen::MatrixXd& whole);

  const Eigen::MatrixXd& of(int pattern);

 private:
  Eigen::MatrixXd columns(const std::vector<int>& which) const;

  std::vector<int> others(const std::vector<int>& hidden) const;

  const Masks& masks_;
  const Eigen::MatrixXd &factor_, &whole_;
  Eigen::MatrixXd gram_;
  int of_ = -1;
};

/// One or more visits to every entry of a factor. Given the other factor, its columns do not depend
/// on each other, so most of the work is a product of matrices, and a rule without random numbers
/// can update blocks of columns on several threads.
template <class Rule>
class FactorUpdate {
 public:
  FactorUpdate(const NmfGiven& given, Rule rule, int passes)
      : given_(given),
        rule_(rule),
        passes_(passes),
        whole_(given.other * given.other.transpose()) {}

  /// Returns the sum of squared residuals after the update. `check` may throw.
  double operator()(Eigen::MatrixXd& factor, int threads, const Check& check) const {
    const GaussianData& x = given_.side.x;
    const int tasks = (x.rows() + chunk - 1) / chunk;
    std::vector<double> squares(tasks);
    const auto update = [&](int t) {
      check();
      squares[t] = update_block(factor, t * chunk, std::min(chunk, x.rows() - t * chunk));
    };
    parallel_for(tasks, threads, update, check);
    double sum = 0;
    for (double s : squares) sum += s;
    // A small difference of large numbers is recomputed from the residuals of all entries.
    if (sum > 1e-3 * x.total()) return sum;
    const auto leave = [&](int t) {
      check();
      squares[t] = left_of_block(factor, t * chunk, std::min(chunk, x.rows() - t * chunk));
    };
    parallel_for(tasks, threads, leave, check);
    sum = 0;
    for (double s : squares) sum += s;
    return sum;
  }

 private:
  static constexpr int chunk = 256;

  double update_block(Eigen::MatrixXd& factor, int from, int count) const {
    const Eigen::MatrixXd products = times(from, count);
    ObservedGram grams(given_.side.masks, given_.other, whole_);
    double squares = 0;
    for (int i : by_pattern(from, count)) {
      const Eigen::MatrixXd& gram = grams.of(given_.side.masks.pattern_of(i));
      squares +=
          given_.side.x.square(i) - update_column(factor.col(i), products.col(i - from), gram);
    }
    return squares;
  }

  /// F X for some rows, R x count.
  Eigen::MatrixXd times(int from, int count) const {
    const GaussianData& x = given_.side.x;
    if (x.is_sparse())
      return (x.sparse().middleCols(from, count).transpose() * given_.other.transpose())
          .transpose();
    return given_.other * x.dense().middleCols(from, count);
  }

  /// Rows ordered by their pattern of missing entries.
  std::vector<int> by_pattern(int from, int count) const {
    std::vector<int> rows(count);
    std::iota(rows.begin(), rows.end(), from);
    const Masks& masks = given_.side.masks;
    if (masks.patterns() > 1)
      std::stable_sort(rows.begin(), rows.end(),
                       [&](int i, int j) { return masks.pattern_of(i) < masks.pattern_of(j); });
    return rows;
  }

  /// Returns how much of the row's sum of squares the updated column explains.
  double update_column(Eigen::Ref<Eigen::VectorXd> v, const Eigen::VectorXd& product,
                       const Eigen::MatrixXd& gram) const {
    Eigen::VectorXd left = product;
    left.noalias() -= gram * v;
    for (int pass = 0; pass < passes_; ++pass) {
      double moved = 0;
      for (int k = 0; k < v.size(); ++k) {
        const double slope = given_.precision * (left(k) + gram(k, k) * v(k)) - given_.rate;
        const double change = rule_(slope, given_.precision * gram(k, k)) - v(k);
        if (change == 0) continue;
        left -= change * gram.col(k);
        v(k) += change;
        moved += std::abs(change);
      }
      if (moved <= 1e-14 * v.sum()) break;
    }
    return v.dot(product + left);
  }

  double left_of_block(const Eigen::MatrixXd& factor, int from, int count) const {
    const GaussianData& x = given_.side.x;
    Eigen::MatrixXd left = -given_.other.transpose() * factor.middleCols(from, count);
    for (int n = 0; n < count; ++n) {
      x.add(from + n, 1, left.col(n));
      x.for_hidden(from + n, [&](int d) { left(d, n) = 0; });
    }
    return left.squaredNorm();
  }

  NmfGiven given_;
  Rule rule_;
  int passes_;
  Eigen::MatrixXd whole_;
};

extern template class FactorUpdate<ToMode>;
extern template class FactorUpdate<ByDraw>;

}  // namespace buffet
