#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "logistic_case.h"

namespace test {

/// Standard deviations, with their weights in a quadrature.
struct ScalePoint {
  double a, b, weight;
};

/// A binary matrix with few rows, and the scales of its log odds.
struct LogisticProblem {
  Eigen::MatrixXd y;
  bool bias;
  Hyper a, b;  ///< priors of the precisions

  int rows() const { return static_cast<int>(y.rows()); }
  LogisticScales scales() const { return {a, b, bias}; }

  /// The trapezoidal rule on the logs of the learned precisions.
  std::vector<ScalePoint> points() const {
    std::vector<ScalePoint> all;
    for (auto [tau_a, weight_a] : nodes(a))
      for (auto [tau_b, weight_b] : nodes(bias ? b : Hyper::fixed(1)))
        all.push_back({1 / std::sqrt(tau_a), bias ? 1 / std::sqrt(tau_b) : 0, weight_a * weight_b});
    return all;
  }

 private:
  static std::vector<std::pair<double, double>> nodes(const Hyper& h) {
    if (!h.learned) return {{h.value, 1}};
    std::vector<std::pair<double, double>> all;
    for (double y = std::log(h.shape / h.rate) - 6; y < std::log(h.shape / h.rate) + 2.5; y += 0.34)
      if (const double tau = std::exp(y); tau > 1 / 900.0 && tau < 1e4)
        all.emplace_back(tau,
                         std::exp(h.shape * (y + 1 - std::log(h.shape / h.rate)) - h.rate * tau));
    return all;
  }
};

/// Summaries of a state other than its features: probabilities of ones, and logs of the scales.
inline std::vector<double> answers(const Eigen::MatrixXd& p, double sigma_a, double sigma_b) {
  std::vector<double> all(p.data(), p.data() + p.size());
  all.insert(all.end(), {std::log(sigma_a), std::pow(std::log(sigma_a), 2)});
  if (sigma_b > 0) all.insert(all.end(), {std::log(sigma_b), std::pow(std::log(sigma_b), 2)});
  return all;
}

/// The evidence and the means of the summaries, with weights, bias and scales integrated out by the
/// trapezoidal rule: the log odds of a column are normal with covariance sigma_a^2 Z Z' +
/// sigma_b^2.
class LogisticIntegral {
 public:
  LogisticIntegral(const LogisticProblem& problem, const Eigen::MatrixXd& gram)
      : y_(problem.y), rows_(problem.rows()) {
    for (const ScalePoint& s : problem.points()) {
      set_root(s.a * s.a * gram + Eigen::MatrixXd::Constant(rows_, rows_, s.b * s.b));
      add(s);
    }
    for (double& m : means_) m /= evidence_;
  }
  double evidence() const { return evidence_; }
  const std::vector<double>& means() const { return means_; }

 private:
  static constexpr double step = 0.5;
  static constexpr int reach = 9;
  /// A number for each of up to four columns.
  using Columns = Eigen::Array<double, Eigen::Dynamic, 1, 0, 4, 1>;

  /// Lower triangular, with zero columns if the covariance is singular.
  void set_root(const Eigen::MatrixXd& covariance) {
    root_ = Eigen::MatrixXd::Zero(rows_, rows_);
    for (int c = 0; c < rows_; ++c)
      for (int r = c; r < rows_; ++r) {
        double rest = covariance(r, c);
        for (int m = 0; m < c; ++m) rest -= root_(r, m) * root_(c, m);
        if (r == c)
          root_(c, c) = rest > 1e-10 ? std::sqrt(rest) : 0;
        else if (root_(c, c) > 0)
          root_(r, c) = rest / root_(c, c);
      }
  }

  void add(const ScalePoint& s) {
    const int width = static_cast<int>(y_.cols());
    total_.setZero(width);
    ones_.setZero(rows_, width);
    p_.setZero(rows_);
    u_.setZero(rows_);
    visit(0, Columns::Ones(width));
    const double evidence = s.weight * total_.prod();
    const Eigen::MatrixXd p = (ones_.array().rowwise() / total_.transpose()).matrix();
    const auto values = answers(p, s.a, s.b);
    means_.resize(values.size());
    for (std::size_t n = 0; n < values.size(); ++n) means_[n] += evidence * values[n];
    evidence_ += evidence;
  }

  /// Sums over all values of the log odds of row i and later rows. weights: the weights of all
  /// columns so far.
  void visit(int i, const Columns& weights) {
    if (i == rows_) {
      total_ += weights;
      for (int r = 0; r < rows_; ++r) ones_.row(r) += p_(r) * weights.matrix().transpose();
      return;
    }
    const int most = root_(i, i) > 0 ? reach : 0;
    for (int n = -most; n <= most; ++n) {
      u_(i) = n * step;
      double psi = 0;
      for (int m = 0; m <= i; ++m) psi += root_(i, m) * u_(m);
      p_(i) = 1 / (1 + std::exp(-psi));
      Columns next = weights;
      if (most > 0) next *= step / std::sqrt(2 * M_PI) * std::exp(-0.5 * u_(i) * u_(i));
      for (int j = 0; j < next.size(); ++j)
        if (!std::isnan(y_(i, j))) next(j) *= y_(i, j) > 0 ? p_(i) : 1 - p_(i);
      visit(i + 1, next);
    }
  }

  const Eigen::MatrixXd& y_;
  int rows_;
  Eigen::MatrixXd root_, ones_;
  Eigen::VectorXd u_;
  Eigen::ArrayXd p_;
  Columns total_;
  double evidence_ = 0;
  std::vector<double> means_;
};

/// Number of features that each pair of rows shares.
inline std::vector<int> gram_of(const Features& z) {
  std::vector<int> gram;
  for (int i = 0; i < z.rows(); ++i)
    for (int j = 0; j <= i; ++j) {
      int shared = 0;
      for (int k = 0; k < z.size(); ++k) shared += z.at(i, k) && z.at(j, k);
      gram.push_back(shared);
    }
  return gram;
}

/// Integrals indexed by Z Z', which determines them.
class LogisticEvidence {
 public:
  explicit LogisticEvidence(LogisticProblem problem) : problem_(std::move(problem)) {}

  const LogisticProblem& problem() const { return problem_; }
  const LogisticIntegral& of(const std::vector<int>& gram) {
    const auto found = known_.find(gram);
    if (found != known_.end()) return found->second;
    Eigen::MatrixXd dense(problem_.rows(), problem_.rows());
    int n = 0;
    for (int i = 0; i < problem_.rows(); ++i)
      for (int j = 0; j <= i; ++j) dense(i, j) = dense(j, i) = gram[n++];
    return known_.emplace(gram, LogisticIntegral(problem_, dense)).first->second;
  }

 private:
  LogisticProblem problem_;
  std::map<std::vector<int>, LogisticIntegral> known_;
};

/// E[K+], the pmf of K+, E[Z Z'] and the means of the summaries.
struct LogisticMeans {
  static constexpr int sizes = 7;

  static std::vector<double> values(int features, const std::vector<int>& gram,
                                    const std::vector<double>& answered) {
    std::vector<double> all{double(features)};
    for (int k = 0; k < sizes; ++k) all.push_back(features == k);
    all.insert(all.end(), gram.begin(), gram.end());
    all.insert(all.end(), answered.begin(), answered.end());
    return all;
  }
  static std::string name(int n, const LogisticProblem& p) {
    const int grams = p.rows() * (p.rows() + 1) / 2, cells = static_cast<int>(p.y.size());
    const auto number = [](int m) { return std::to_string(m); };
    if (n == 0) return "E[K+]";
    if ((n -= 1) < sizes) return "P(K+ = " + number(n) + ")";
    if ((n -= sizes) < grams) return "Z Z' (" + number(n) + ")";
    if ((n -= grams) < cells)
      return "p of row " + number(n % p.rows()) + ", column " + number(n / p.rows());
    return "log sigma (" + number(n - cells) + ")";
  }
};

/// The posterior under a prior on the number of features with each of the 2^N - 1 histories, if
/// there are at most `most` features in total.
class LogisticPosterior {
 public:
  template <class LogClass>
  LogisticPosterior(LogisticEvidence& evidence, LogClass log_class, int most) : most_(most) {
    const int rows = evidence.problem().rows();
    std::vector<int> repeats((1 << rows) - 1, 0);
    visit(repeats, 0, most, [&] { add(evidence, std::exp(log_class(repeats)), repeats, rows); });
    for (double& m : means_) m /= total_;
  }
  const std::vector<double>& means() const { return means_; }
  /// P(K+ = most).
  double last_mass() const { return last_ / total_; }

 private:
  template <class Use>
  static void visit(std::vector<int>& repeats, std::size_t h, int left, const Use& use) {
    if (h == repeats.size()) return use();
    for (repeats[h] = 0; repeats[h] <= left; ++repeats[h])
      visit(repeats, h + 1, left - repeats[h], use);
    repeats[h] = 0;
  }

  void add(LogisticEvidence& evidence, double prior, const std::vector<int>& repeats, int rows) {
    std::vector<int> gram;
    int features = 0;
    for (int r : repeats) features += r;
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j <= i; ++j) {
        gram.push_back(0);
        for (int h = 1; h < 1 << rows; ++h)
          gram.back() += (h >> i & 1) * (h >> j & 1) * repeats[h - 1];
      }
    const LogisticIntegral& integral = evidence.of(gram);
    const double weight = prior * integral.evidence();
    const auto values = LogisticMeans::values(features, gram, integral.means());
    means_.resize(values.size());
    for (std::size_t n = 0; n < values.size(); ++n) means_[n] += weight * values[n];
    total_ += weight;
    if (features == most_) last_ += weight;
  }

  int most_;
  double total_ = 0, last_ = 0;
  std::vector<double> means_;
};

/// Summaries of the state of a chain.
template <class C>
std::vector<double> values_of(const C& chain) {
  const auto& likelihood = chain.likelihood;
  const Eigen::MatrixXd psi = log_odds(dense(chain.z), likelihood.weights(), likelihood.bias());
  const Eigen::MatrixXd p = psi.unaryExpr([](double t) { return 1 / (1 + std::exp(-t)); });
  const auto& scales = likelihood.scales();
  return LogisticMeans::values(chain.z.size(), gram_of(chain.z),
                               answers(p, scales.sigma_a(), scales.bias ? scales.sigma_b() : 0));
}

}  // namespace test
