#include "soft_birth.h"

#include <algorithm>
#include <vector>

namespace buffet {

Eigen::VectorXd SoftBirth::loading(Rng& rng) const {
  const int rows = static_cast<int>(left_.cols());
  Eigen::VectorXd v = signed_part(left_.col(rng.below(rows)));
  for (int round = 0; round < 8 && v.squaredNorm() > 0; ++round) {
    const Eigen::VectorXd fit = left_.transpose() * v;
    const double least = round < 3 ? quantile(fit, 0.8) : 0.5 * v.squaredNorm();
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(v.size());
    int holders = 0;
    for (int n = 0; n < rows; ++n)
      if (fit(n) > least) {
        sum += left_.col(n);
        ++holders;
      }
    if (holders == 0) break;
    v = signed_part(sum / (holders + rho_));
  }
  return v;
}

void SoftBirth::set_left(const AscentData& data, const Eigen::MatrixXd& on,
                         const Eigen::MatrixXd& mean, Rng& rng) {
  const std::vector<int> rows = draw(data, rng);
  const GaussianData x = some_rows(data, rows);
  left_ = -mean * picked(data, on, rows);
  for (int n = 0; n < x.rows(); ++n) {
    x.add(n, 1, left_.col(n));
    x.for_hidden(n, [&](int d) { left_(d, n) = 0; });
  }
}

std::vector<int> SoftBirth::draw(const AscentData& data, Rng& rng) {
  const double most = std::max(1.0, std::min(most_rows, most_entries / data.columns));
  std::vector<int> rows;
  rng.permutation(data.rows(), rows);
  rows.resize(std::min(data.rows(), static_cast<int>(most)));
  std::sort(rows.begin(), rows.end());
  return rows;
}

Eigen::MatrixXd SoftBirth::picked(const AscentData& data, const Eigen::MatrixXd& on,
                                  const std::vector<int>& rows) {
  const auto begin = std::lower_bound(rows.begin(), rows.end(), data.first_row());
  const auto end = std::lower_bound(begin, rows.end(), data.first_row() + data.own_rows());
  Eigen::MatrixXd own(on.rows(), end - begin);
  for (auto i = begin; i != end; ++i) own.col(i - begin) = on.col(*i - data.first_row());
  const Eigen::VectorXd all = data.team.gather(Eigen::VectorXd::Map(own.data(), own.size()));
  return Eigen::MatrixXd::Map(all.data(), on.rows(), static_cast<Eigen::Index>(rows.size()));
}

Eigen::VectorXd SoftBirth::signed_part(const Eigen::VectorXd& v) const {
  if (nonnegative_) return v.cwiseMax(0.0);
  return v;
}

double SoftBirth::quantile(const Eigen::VectorXd& values, double share) {
  std::vector<double> sorted(values.data(), values.data() + values.size());
  const auto at = sorted.begin() + static_cast<long>(share * double(sorted.size() - 1));
  std::nth_element(sorted.begin(), at, sorted.end());
  return *at;
}

}  // namespace buffet
