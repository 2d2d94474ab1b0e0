#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "mixed/families.h"
#include "weights_jointly.h"

namespace buffet {

/// The values of consecutive rows of the data that share a family, from row `first` on, NaN if
/// missing. Their number is the family's number of linear predictors. Vectors of FamilyRows are
/// sorted by `first`.
struct FamilyRows {
  int first;
  Eigen::VectorXd values;
  AnyFamily family;
};

/// Sparse factors for numeric columns and columns with any family: the linear predictors of a
/// family are (Z o V) A, plus a level for each row unless the family has parameters that play this
/// role. The pseudo-responses, given the auxiliary variables, are the data of WeightsJointly and
/// are redrawn every sweep.
class FamilyFactors : public WeightsJointly {
 public:
  using Searcher = FamilyFactors;
  /// Levels and first cut points are N(0, scale^2), and gaps between cut points have mean `scale`;
  /// with strong factors, utilities have standard deviations of 2 or 3.
  static constexpr double scale = 3;

  /// For rows with a family, `data` has initial pseudo-responses; rows have their own precisions.
  FamilyFactors(const GaussianData& data, FactorNoise noise, LoadingScales scales,
                std::vector<FamilyRows> of)
      : WeightsJointly(data, std::move(noise), std::move(scales)),
        of_(std::move(of)),
        levels_(Eigen::VectorXd::Zero(data.rows())) {
    EntryWeights weights;
    for (const FamilyRows& rows : of_)
      for (int row = rows.first; row < end(rows); ++row) {
        noise_.fix_row(row);
        if (!rows.family->has_place()) placed_.push_back(row);
        if (!rows.family->is_probit()) weights.rows.push_back(row);
      }
    weights.factors.setOnes(data.width(), static_cast<Eigen::Index>(weights.rows.size()));
    for (std::size_t n = 0; n < weights.rows.size(); ++n)
      data.for_hidden(weights.rows[n], [&](int d) { weights.factors(d, n) = 0; });
    noise_.set_weights(std::move(weights));
  }

  const std::vector<FamilyRows>& families() const { return of_; }
  const Eigen::VectorXd& levels() const { return levels_; }
  /// Parameters of all families, then the levels of the rows that have one.
  std::vector<double> parameters() const {
    std::vector<double> all;
    for (const FamilyRows& rows : of_) {
      all.resize(all.size() + rows.family->parameters());
      rows.family->get(all.data() + all.size() - rows.family->parameters());
    }
    for (int row : placed_) all.push_back(levels_(row));
    return all;
  }
  void set_parameters(const std::vector<double>& all) {
    const double* at = all.data();
    for (FamilyRows& rows : of_) {
      rows.family->set(at);
      at += rows.family->parameters();
    }
    for (int row : placed_) levels_(row) = *at++;
  }

  void update(const Features& z, Rng& rng) {
    WeightsJointly::update(z, rng);
    draw_responses(rng);
  }
  /// Draws the pseudo-responses, after the parameters of the families, which are drawn given only
  /// the linear predictors.
  void draw_responses(Rng& rng) {
    Eigen::MatrixXd x = with_missing();
    EntryWeights weights = noise_.precisions().weights;
    for (FamilyRows& rows : of_) {
      ColumnSeen seen = column(rows);
      rows.family->update(seen, rng);
      stretch(rows, seen, rng);
      if (rows.family->width() > 1) shift(rows, seen, rng);
      RegressionOf to{Eigen::MatrixXd(seen.eta.rows(), seen.eta.cols()),
                      Eigen::MatrixXd(seen.eta.rows(), seen.eta.cols())};
      for (Eigen::Index n = 0; n < seen.x.size(); ++n)
        rows.family->augment(seen.x(n), &seen.eta(0, n), {&to.omega(0, n), &to.kappa(0, n)}, rng);
      if (!rows.family->has_place()) draw_levels(rows, seen, to, rng);
      Eigen::Index n = 0;
      for (Eigen::Index d = 0; d < rows.values.size(); ++d) {
        if (std::isnan(rows.values(d))) continue;
        for (int row = rows.first; row < end(rows); ++row) {
          // Precisions that underflow carry no information, but their inverses would overflow.
          const double omega = std::max(to.omega(row - rows.first, n), 1e-10);
          x(d, row) = to.kappa(row - rows.first, n) / omega - levels_(row);
          if (!rows.family->is_probit()) weights.factors(d, weights.find(row)) = omega;
        }
        ++n;
      }
    }
    noise_.set_weights(std::move(weights));
    set_data(std::make_shared<const GaussianData>(x, false));
  }

  /// log p(observed entries | Z, V, A).
  double log_lik(const Features&) const {
    double sum = 0;
    std::size_t next = 0;
    for (int i = 0; i < data_->rows(); ++i) {
      if (next < of_.size() && of_[next].first == i) {
        sum += of_[next].family->log_lik(column(of_[next]));
        i = end(of_[next++]) - 1;
        continue;
      }
      const double precision = noise_.precisions().rows(i);
      const Eigen::VectorXd eta = a_ * v_.row(i).transpose();
      data_->for_entries(i, [&](int d, double x) {
        // Missing entries are visited twice, first as 0 and then as NaN, which cancels their term.
        const double log_of = 0.5 * std::log(precision / (2 * M_PI));
        sum += std::isnan(x) ? 0.5 * precision * eta(d) * eta(d) - log_of
                             : log_of - 0.5 * precision * (x - eta(d)) * (x - eta(d));
      });
    }
    return sum;
  }
  /// Includes log p(V | Z), the log priors of levels and of family parameters, and the change from
  /// integrating out A: including the density of A would favour chains with few features.
  double log_hyperprior() const {
    double sum = WeightsJointly::log_hyperprior() + log_integral();
    for (const FamilyRows& rows : of_) sum += rows.family->log_prior();
    for (int row : placed_)
      sum += -0.5 * std::pow(levels_(row) / scale, 2) - std::log(scale * std::sqrt(2 * M_PI));
    return sum;
  }
  /// log p(X | Z, V) - log p(X | Z, V, A) by Laplace's method: a Newton step from each row of A
  /// comes close to the mode of its density. Exact for numeric columns.
  double log_integral() const {
    const Eigen::VectorXd prior = scales_.precisions();
    const std::vector<Slopes> slopes = slopes_of_rows();
    std::vector<std::vector<int>> held(v_.rows());
    for (Eigen::Index i = 0; i < v_.rows(); ++i)
      for (Eigen::Index k = 0; k < v_.cols(); ++k)
        if (v_(i, k) != 0) held[i].push_back(static_cast<int>(k));
    double sum = 0;
    for (Eigen::Index d = 0; d < a_.rows(); ++d) {
      Eigen::VectorXd slope = -prior.cwiseProduct(a_.row(d).transpose());
      sum += 0.5 * (prior.array().log().sum() + slope.dot(a_.row(d)));
      Eigen::MatrixXd bend = prior.asDiagonal();
      for (const Slopes& of : slopes)
        for (int i = of.first; i < of.first + of.width(); ++i) {
          for (int k : held[i]) slope(k) += of.first_order(i - of.first, d) * v_(i, k);
          for (int j = of.first; j < of.first + of.width(); ++j) {
            const double by = of.second_order((i - of.first) * of.width() + j - of.first, d);
            for (int k : held[i]) {
              const double with_k = by * v_(i, k);
              for (int l : held[j]) {
                if (l > k) break;
                bend(k, l) += with_k * v_(j, l);
              }
            }
          }
        }
      const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> root(bend);
      sum += 0.5 * root.matrixL().solve(slope).squaredNorm() - bend.diagonal().array().log().sum();
    }
    return sum;
  }

  /// The loadings of WeightsJointly, with parameters() below them in column 0.
  Eigen::MatrixXd loadings() const {
    const Eigen::MatrixXd others = WeightsJointly::loadings();
    const std::vector<double> own = parameters();
    const auto count = static_cast<Eigen::Index>(own.size());
    Eigen::MatrixXd all = Eigen::MatrixXd::Zero(others.rows() + count, others.cols());
    all.topRows(others.rows()) = others;
    all.col(0).tail(count) = Eigen::Map<const Eigen::VectorXd>(own.data(), count);
    return all;
  }

  void archive(Archive& a) {
    WeightsJointly::archive(a);
    Eigen::MatrixXd x = with_missing();
    std::vector<double> own = parameters();
    a.of_same_size(x, "utilities");
    a.of_same_size(own, "parameters of families");
    EntryWeights weights = noise_.precisions().weights;
    if (!weights.rows.empty()) a.of_same_size(weights.factors, "precisions of entries");
    if (!a.reads()) return;
    set_parameters(own);
    noise_.set_weights(std::move(weights));
    set_data(std::make_shared<const GaussianData>(x, false));
  }

 private:
  /// The entries of one column that have been visited, with the interface of RegressionData.
  struct RegressionOf {
    Eigen::MatrixXd omega, kappa;
  };

  /// First derivatives and negative second derivatives of the log densities of the entries with
  /// respect to their linear predictors, for the rows of a family or a numeric row; one column per
  /// observation.
  struct Slopes {
    int first;
    Eigen::MatrixXd first_order, second_order;
    int width() const { return static_cast<int>(first_order.rows()); }
  };
  std::vector<Slopes> slopes_of_rows() const {
    std::vector<Slopes> all;
    std::size_t next = 0;
    for (int i = 0; i < data_->rows(); i = all.back().first + all.back().width()) {
      const bool has_family = next < of_.size() && of_[next].first == i;
      all.push_back(has_family ? slopes_of(of_[next++]) : slopes_of_numbers(i));
    }
    return all;
  }
  Slopes slopes_of_numbers(int i) const {
    const double precision = noise_.precisions().rows(i);
    Slopes of{i, Eigen::MatrixXd::Zero(1, a_.rows()), Eigen::MatrixXd::Zero(1, a_.rows())};
    const Eigen::VectorXd eta = a_ * v_.row(i).transpose();
    data_->for_entries(i, [&](int d, double x) {
      const bool known = !std::isnan(x);
      of.first_order(0, d) = known ? precision * (x - eta(d)) : 0;
      of.second_order(0, d) = known ? precision : 0;
    });
    return of;
  }
  /// Families of ordered categories provide their score and observed information. For other
  /// families, the score is its expectation given auxiliary variables, and the information is a
  /// difference quotient.
  Slopes slopes_of(const FamilyRows& rows) const {
    const int width = rows.family->width();
    Slopes of{rows.first, Eigen::MatrixXd::Zero(width, a_.rows()),
              Eigen::MatrixXd::Zero(width * width, a_.rows())};
    const ColumnSeen seen = column(rows);
    Eigen::VectorXd omega(width), kappa(width);
    const auto slope = [&](Eigen::Index n, const Eigen::VectorXd& eta) -> Eigen::VectorXd {
      rows.family->expect(seen.x(n), eta.data(), {omega.data(), kappa.data()});
      return kappa - omega.cwiseProduct(eta);
    };
    constexpr double step = 1e-4;
    Eigen::Index n = 0;
    for (Eigen::Index d = 0; d < rows.values.size(); ++d) {
      if (std::isnan(rows.values(d))) continue;
      if (width == 1 && rows.family->is_probit()) {
        rows.family->work(seen.x(n), seen.eta(0, n), {omega.data(), kappa.data()});
        of.first_order(0, d) = kappa(0) - omega(0) * seen.eta(0, n++);
        of.second_order(0, d) = omega(0);
        continue;
      }
      Eigen::VectorXd eta = seen.eta.col(n);
      const Eigen::VectorXd here = slope(n, eta);
      of.first_order.col(d) = here;
      for (int c = 0; c < width; ++c) {
        eta(c) += step;
        of.second_order.col(d).segment(c * width, width) = (here - slope(n, eta)) / step;
        eta(c) = seen.eta(c, n);
      }
      ++n;
    }
    return of;
  }

  static int end(const FamilyRows& rows) { return rows.first + rows.family->width(); }
  Eigen::MatrixXd with_missing() const {
    Eigen::MatrixXd x = data_->dense();
    for (int i = 0; i < data_->rows(); ++i)
      data_->for_hidden(i, [&](int d) { x(d, i) = std::numeric_limits<double>::quiet_NaN(); });
    return x;
  }
  auto levels_of(const FamilyRows& rows) const {
    return levels_.segment(rows.first, rows.family->width());
  }
  /// Proposes to multiply the weights of a family, and its cut points, by a random factor, because
  /// their scale changes slowly given the pseudo-responses.
  void stretch(FamilyRows& rows, ColumnSeen& seen, Rng& rng) {
    AnyFamily family = rows.family;
    const double u = rng.normal() / std::sqrt(1 + 0.25 * double(seen.x.size())), by = std::exp(u);
    auto v = v_.middleRows(rows.first, family->width());
    const auto weights = (v.array() != 0).count();
    double log_ratio = family->stretch(by) - rows.family->log_lik(seen) + double(weights) * u -
                       0.5 * (by * by - 1) * v.squaredNorm();
    const Eigen::MatrixXd before = seen.eta;
    seen.eta = (by * (before.colwise() - levels_of(rows))).colwise() + levels_of(rows);
    log_ratio += family->log_lik(seen);
    if (!(std::log(rng.uniform()) < log_ratio)) {
      seen.eta = before;
      return;
    }
    rows.family = std::move(family);
    v *= by;
  }
  /// The distribution of an entry stays the same if all of its linear predictors are shifted by the
  /// same amount. The mean of their levels, and the mean of the weights of a feature that all of
  /// them have, are therefore drawn from the prior.
  void shift(const FamilyRows& rows, ColumnSeen& seen, Rng& rng) {
    const int width = rows.family->width();
    const auto by = [&](double scale, double mean) {
      return scale / std::sqrt(double(width)) * rng.normal() - mean;
    };
    auto levels = levels_.segment(rows.first, width);
    const double of_levels = by(scale, levels.mean());
    levels.array() += of_levels;
    Eigen::VectorXd all = Eigen::VectorXd::Constant(a_.rows(), of_levels);
    for (Eigen::Index k = 0; k < v_.cols(); ++k) {
      auto v = v_.col(k).segment(rows.first, width);
      if ((v.array() == 0).any()) continue;
      const double of_weights = by(1, v.mean());
      v.array() += of_weights;
      all += of_weights * a_.col(k);
    }
    Eigen::Index at = 0;
    for (Eigen::Index d = 0; d < rows.values.size(); ++d)
      if (!std::isnan(rows.values(d))) seen.eta.col(at++).array() += all(d);
  }
  /// Draws the levels given the pseudo-responses.
  void draw_levels(const FamilyRows& rows, const ColumnSeen& seen, const RegressionOf& to,
                   Rng& rng) {
    for (int c = 0; c < rows.family->width(); ++c) {
      double& level = levels_(rows.first + c);
      const Eigen::ArrayXd omega = to.omega.row(c), kappa = to.kappa.row(c);
      const Eigen::ArrayXd without = seen.eta.row(c).transpose().array() - level;
      const double precision = omega.sum() + 1 / (scale * scale);
      level = (kappa - omega * without).sum() / precision + rng.normal() / std::sqrt(precision);
    }
  }
  ColumnSeen column(const FamilyRows& rows) const {
    const auto count = (rows.values.array() == rows.values.array()).count();
    ColumnSeen seen{Eigen::VectorXd(count), Eigen::MatrixXd(rows.family->width(), count)};
    Eigen::MatrixXd eta(a_.rows(), rows.family->width());
    for (int c = 0; c < rows.family->width(); ++c)
      eta.col(c) = a_ * v_.row(rows.first + c).transpose();
    Eigen::Index at = 0;
    for (Eigen::Index d = 0; d < rows.values.size(); ++d) {
      if (std::isnan(rows.values(d))) continue;
      seen.x(at) = rows.values(d);
      seen.eta.col(at++) = eta.row(d).transpose() + levels_of(rows);
    }
    return seen;
  }

  std::vector<FamilyRows> of_;
  Eigen::VectorXd levels_;  ///< levels of all rows; 0 unless the row is in placed_
  std::vector<int> placed_;
};

}  // namespace buffet
