#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "mixed/ordinal_family.h"
#include "weights_jointly.h"

namespace buffet {

/// A row of the data with ordered categories 0, 1, ..., by an ordered probit: category c if a
/// utility, normal around (Z o V) A with variance 1, is between the cut points of c. Vectors of
/// these are sorted by `row`.
struct OrdinalRow {
  /// Utilities of items with strong factors have standard deviations of 2 or 3.
  static constexpr double scale_of_cuts = 3;

  int row;
  Eigen::VectorXd categories;  ///< NaN if an entry is missing
  OrdinalFamily family;
};

/// Sparse factors of numbers and ordered categories: the utilities are the data of WeightsJointly,
/// and are drawn anew every sweep.
class OrdinalFactors : public WeightsJointly {
 public:
  using Searcher = OrdinalFactors;

  /// In ordinal rows, `data` has initial utilities and `noise` has a fixed precision.
  OrdinalFactors(const GaussianData& data, FactorNoise noise, LoadingScales scales,
                 std::vector<OrdinalRow> ordinal)
      : WeightsJointly(data, std::move(noise), std::move(scales)), ordinal_(std::move(ordinal)) {}

  const std::vector<OrdinalRow>& ordinal() const { return ordinal_; }
  /// Cut points of all rows, one row after the other.
  std::vector<double> cuts() const {
    std::vector<double> all(cut_count());
    double* at = all.data();
    for (const OrdinalRow& of : ordinal_) {
      of.family.get(at);
      at += of.family.parameters();
    }
    return all;
  }
  void set_cuts(const std::vector<double>& all) {
    const double* at = all.data();
    for (OrdinalRow& of : ordinal_) {
      of.family.set(at);
      at += of.family.parameters();
    }
  }

  void update(const Features& z, Rng& rng) {
    WeightsJointly::update(z, rng);
    draw_utilities(rng);
  }
  /// Cut points are drawn first, given (Z o V) A with the utilities integrated out.
  void draw_utilities(Rng& rng) {
    Eigen::MatrixXd x = with_missing();
    for (OrdinalRow& of : ordinal_) {
      ColumnSeen seen = column(of);
      of.family.update(seen, rng);
      stretch(of, seen, rng);
      Eigen::Index at = 0;
      for (Eigen::Index d = 0; d < of.categories.size(); ++d) {
        if (std::isnan(of.categories(d))) continue;
        double omega;
        of.family.augment(seen.x(at), &seen.eta(0, at), {&omega, &x(d, of.row)}, rng);
        ++at;
      }
    }
    set_data(std::make_shared<const GaussianData>(x, false));
  }

  /// log p(observed entries | Z, V, A).
  double log_lik(const Features&) const {
    double sum = 0;
    std::size_t next = 0;
    for (int i = 0; i < data_->rows(); ++i) {
      if (next < ordinal_.size() && ordinal_[next].row == i) {
        sum += ordinal_[next].family.log_lik(column(ordinal_[next]));
        ++next;
        continue;
      }
      const double precision = noise_.precisions().rows(i);
      const Eigen::VectorXd eta = a_ * v_.row(i).transpose();
      data_->for_entries(i, [&](int d, double x) {
        // Missing entries are visited first as 0 and then as NaN, which cancels their term.
        const double log_of = 0.5 * std::log(precision / (2 * M_PI));
        sum += std::isnan(x) ? 0.5 * precision * eta(d) * eta(d) - log_of
                             : log_of - 0.5 * precision * (x - eta(d)) * (x - eta(d));
      });
    }
    return sum;
  }
  /// Includes log p(A) and the log prior of the cut points.
  double log_hyperprior() const {
    double sum = WeightsJointly::log_hyperprior();
    for (const OrdinalRow& of : ordinal_) sum += of.family.log_prior();
    const Eigen::ArrayXd sds = scales_.sds();
    for (Eigen::Index k = 0; k < a_.cols(); ++k)
      sum += -0.5 * a_.col(k).squaredNorm() / (sds(k) * sds(k)) -
             double(a_.rows()) * std::log(sds(k) * std::sqrt(2 * M_PI));
    return sum;
  }

  /// The loadings of WeightsJointly, with the cut points below them in column 0.
  Eigen::MatrixXd loadings() const {
    const Eigen::MatrixXd others = WeightsJointly::loadings();
    const std::vector<double> of_cuts = cuts();
    const auto count = static_cast<Eigen::Index>(of_cuts.size());
    Eigen::MatrixXd all = Eigen::MatrixXd::Zero(others.rows() + count, others.cols());
    all.topRows(others.rows()) = others;
    all.col(0).tail(count) = Eigen::Map<const Eigen::VectorXd>(of_cuts.data(), count);
    return all;
  }

  void archive(Archive& a) {
    WeightsJointly::archive(a);
    Eigen::MatrixXd x = with_missing();
    std::vector<double> of_cuts = cuts();
    a.of_same_size(x, "utilities");
    a.of_same_size(of_cuts, "cut points");
    if (!a.reads()) return;
    set_cuts(of_cuts);
    set_data(std::make_shared<const GaussianData>(x, false));
  }

 private:
  std::size_t cut_count() const {
    std::size_t count = 0;
    for (const OrdinalRow& of : ordinal_) count += of.family.parameters();
    return count;
  }
  Eigen::MatrixXd with_missing() const {
    Eigen::MatrixXd x = data_->dense();
    for (int i = 0; i < data_->rows(); ++i)
      data_->for_hidden(i, [&](int d) { x(d, i) = std::numeric_limits<double>::quiet_NaN(); });
    return x;
  }
  /// Proposes to multiply the weights and cut points of a row by a random factor, because their
  /// scale changes slowly given the utilities.
  void stretch(OrdinalRow& of, ColumnSeen& seen, Rng& rng) {
    OrdinalFamily family = of.family;
    const double u = rng.normal() / std::sqrt(1 + 0.25 * double(seen.x.size())), by = std::exp(u);
    auto v = v_.row(of.row);
    const auto weights = (v.array() != 0).count();
    double log_ratio = family.stretch(by) - of.family.log_lik(seen) + double(weights) * u -
                       0.5 * (by * by - 1) * v.squaredNorm();
    const Eigen::MatrixXd before = seen.eta;
    seen.eta *= by;
    log_ratio += family.log_lik(seen);
    if (!(std::log(rng.uniform()) < log_ratio)) {
      seen.eta = before;
      return;
    }
    of.family = family;
    v *= by;
  }
  ColumnSeen column(const OrdinalRow& of) const {
    const Eigen::VectorXd eta = a_ * v_.row(of.row).transpose();
    const auto count = (of.categories.array() == of.categories.array()).count();
    ColumnSeen seen{Eigen::VectorXd(count), Eigen::MatrixXd(1, count)};
    Eigen::Index at = 0;
    for (Eigen::Index d = 0; d < eta.size(); ++d) {
      if (std::isnan(of.categories(d))) continue;
      seen.x(at) = of.categories(d);
      seen.eta(0, at++) = eta(d);
    }
    return seen;
  }

  std::vector<OrdinalRow> ordinal_;
};

}  // namespace buffet
