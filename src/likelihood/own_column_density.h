#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <utility>
#include <vector>

#include "core/archive.h"

namespace buffet {

/// Log density of a row, but for a constant, as a function of how many features it has of its own:
/// what is left of it for them, in units of the noise, is N(0, 1 + j ratio_d) in column d. What
/// does not depend on the row is kept until the ratios change.
class OwnColumnDensity {
 public:
  /// Fewer than where no feature has loadings in the state.
  static constexpr int too_many = 1000;

  /// Of the variances of loadings to those of the noise.
  void set(Eigen::ArrayXd ratio) {
    ratio_ = std::move(ratio);
    shares_.clear();
    log_shares_.clear();
  }

  /// The squares of what is left of a row, 0 where an entry is missing, and which these are.
  void enter(Eigen::ArrayXd squares) {
    squares_ = std::move(squares);
    fits_.clear();
    hidden_.clear();
  }
  void leave_out(int d) { hidden_.push_back(d); }

  double operator()(int own) {
    double sum = fit(own);  // first: it makes the shares
    sum += 0.5 * log_shares_[own];
    for (int d : hidden_) sum -= 0.5 * std::log(shares_[own](d));
    return sum;
  }
  /// A better fit at no price; it falls with j.
  double most_gain(int j) { return fit(j) - fit(j - 1); }
  int most_own() const { return most_own_; }
  /// As RowDensity has it.
  void set_most_own(int most) { most_own_ = most; }

  void archive(Archive& a) { a(most_own_); }

 private:
  double fit(int own) {
    for (int j = static_cast<int>(fits_.size()); j <= own; ++j) {
      if (j == static_cast<int>(shares_.size())) {
        shares_.push_back((1 + j * ratio_).inverse());
        log_shares_.push_back(shares_.back().log().sum());
      }
      fits_.push_back(-0.5 * (squares_ * shares_[j]).sum());
    }
    return fits_[own];
  }

  Eigen::ArrayXd ratio_, squares_;
  std::vector<Eigen::ArrayXd> shares_;  ///< of the noise in what is left, by the number of features
  std::vector<double> log_shares_, fits_;
  std::vector<int> hidden_;
  int most_own_ = too_many;
};

}  // namespace buffet
