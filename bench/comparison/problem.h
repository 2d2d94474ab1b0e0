#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "../workloads.h"

namespace bench {

/// A data set with some columns hidden in some rows.
struct Problem {
  Eigen::MatrixXd x;          ///< one observation per column, NaN if hidden
  std::vector<int> columns;   ///< the hidden columns
  std::vector<int> rows;      ///< rows in which these columns are hidden
  Eigen::MatrixXd held_out;   ///< true values of the hidden entries, one column per row of the data
  int step_on_way, step_end;  ///< step between evaluated rows
};

/// The hidden rows that are evaluated, one in every `step`.
struct Places {
  const Problem& problem;
  int step;

  int count() const { return (static_cast<int>(problem.rows.size()) + step - 1) / step; }
  int row(int n) const { return problem.rows[n * step]; }
  auto values(int n) const { return problem.held_out.col(n * step); }
};

/// Moments of the observed entries.
struct Moments {
  double least = INFINITY, mean = 0, sd = 0;
};

inline Moments moments_of(const Eigen::MatrixXd& x) {
  Moments m;
  double count = 0, square = 0;
  for (Eigen::Index n = 0; n < x.size(); ++n) {
    if (std::isnan(x(n))) continue;
    ++count;
    m.least = std::min(m.least, x(n));
    m.mean += x(n);
    square += x(n) * x(n);
  }
  m.mean /= count;
  m.sd = std::sqrt(square / count - m.mean * m.mean);
  return m;
}

/// Centres every column of the data (a row of x) at the mean of its observed entries.
inline void centre(Problem& p) {
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(p.x.rows()), count = sum;
  for (Eigen::Index i = 0; i < p.x.cols(); ++i)
    for (Eigen::Index d = 0; d < p.x.rows(); ++d)
      if (!std::isnan(p.x(d, i))) {
        sum(d) += p.x(d, i);
        ++count(d);
      }
  const Eigen::VectorXd mean = sum.cwiseQuotient(count);
  p.x.colwise() -= mean;
  for (std::size_t h = 0; h < p.columns.size(); ++h)
    p.held_out.row(h).array() -= mean(p.columns[h]);
}

inline void shift(Problem& p, double by) {
  p.x.array() += by;
  p.held_out.array() += by;
}

inline Problem synthetic(const NonnegativeWorkload& w, int step) {
  NonnegativeSet set = generate(w, 1);
  const int lacking = static_cast<int>(set.held_out.cols());
  Problem p{std::move(set.x), std::move(set.hidden), {}, std::move(set.held_out), step, step};
  for (int n = 0; n < lacking; ++n) p.rows.push_back(w.rows - lacking + n);
  return p;
}

/// The format of export.R. First, as 32-bit integers, the number of rows, of columns, of hidden
/// columns and of rows in which these are hidden, followed by the indices of these columns and
/// rows, from 0. Then the data as doubles, row by row.
inline Problem from_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const auto numbers = [&](int count) {
    std::vector<std::int32_t> values(count);
    file.read(reinterpret_cast<char*>(values.data()), count * sizeof(std::int32_t));
    return std::vector<int>(values.begin(), values.end());
  };
  const std::vector<int> size = numbers(4);
  if (!file) throw std::runtime_error("cannot read " + path);
  Problem p{Eigen::MatrixXd(size[1], size[0]), numbers(size[2]), numbers(size[3]), {}, 4, 1};
  file.read(reinterpret_cast<char*>(p.x.data()),
            static_cast<std::streamsize>(p.x.size() * sizeof(double)));
  if (!file) throw std::runtime_error(path + " is too short");
  p.held_out.resize(p.columns.size(), p.rows.size());
  for (std::size_t n = 0; n < p.rows.size(); ++n)
    for (std::size_t h = 0; h < p.columns.size(); ++h) {
      double& value = p.x(p.columns[h], p.rows[n]);
      p.held_out(h, n) = value;
      value = std::numeric_limits<double>::quiet_NaN();
    }
  return p;
}

inline Problem problem_of(const std::string& name) {
  if (name == "small") return synthetic(nonneg500, 1);
  if (name == "large") return synthetic(nonneg1e5, 50);
  return from_file("build/comparison/" + name + ".bin");
}

}  // namespace bench
