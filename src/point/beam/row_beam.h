#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "core/fast_log.h"
#include "core/special.h"
#include "gaussian_groups.h"

namespace buffet {

/// Features with the same rows so far, adjacent columns. How many of them the next row has is all
/// that tells its assignments apart: it has the first.
struct FeatureClass {
  int first, size;
  double log_odds, log_off;  ///< as Sequential has them

  double log_prob(int held) const {
    const double choices =
        size == 1 ? 0 : log_factorial(size) - log_factorial(held) - log_factorial(size - held);
    return choices + held * log_odds + size * log_off;
  }
};

/// What the columns of a group say of the next row: M, G and c = mu' x.
struct GroupTerms {
  double columns, square;
  const LoadingsMoments* moments;
  Eigen::VectorXd c;
};

/// An assignment of the next row: how many features of each class it has, and where that puts it in
/// each group that it has.
struct Assignment {
  std::vector<int> held;
  std::vector<GroupPosition> at;
  double log_prior = 0, value = 0;  ///< value: log prior + log density
};

/// Assignments of the next row to the features that there are, while it has so many new ones, each
/// of which adds 1/rho to t.
class BeamProblem {
 public:
  std::vector<FeatureClass> classes;
  std::vector<GroupTerms> groups;
  double variance = 1, from_new = 0;

  /// None of the features.
  Assignment none() const {
    Assignment a;
    a.held.assign(classes.size(), 0);
    for (const FeatureClass& one : classes) a.log_prior += one.log_prob(0);
    for (const GroupTerms& group : groups) {
      const Eigen::VectorXd zero = Eigen::VectorXd::Zero(group.c.size());
      a.at.push_back({0, group.square, zero, zero});
    }
    a.value = a.log_prior;
    for (std::size_t g = 0; g < groups.size(); ++g) a.value += log_density(g, 0, a.at[g].r);
    return a;
  }

  /// Its value with this many of class q.
  double value(const Assignment& a, int q, int held) const {
    double sum = log_prior(a, q, held);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const auto [t, r] = moved(a, q, held, g);
      sum += log_density(g, t, r);
    }
    return sum;
  }

  void move(Assignment& a, int q, int held) const {
    if (held == a.held[q]) return;
    a.value = value(a, q, held);
    a.log_prior = log_prior(a, q, held);
    const auto [from, to] = std::minmax(a.held[q], held);
    const double by = held > a.held[q] ? 1 : -1;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      std::tie(a.at[g].t, a.at[g].r) = moved(a, q, held, g);
      for (int k = classes[q].first + from; k < classes[q].first + to; ++k) {
        a.at[g].u += by * groups[g].moments->m.col(k);
        a.at[g].g += by * groups[g].moments->g.col(k);
      }
    }
    a.held[q] = held;
  }

  /// From none: the best change of one class by one until none helps.
  Assignment climb() const {
    Assignment a = none();
    for (;;) {
      double best = a.value + 1e-9;
      int class_of = -1, held_of = 0;
      for (int q = 0; q < static_cast<int>(classes.size()); ++q)
        for (int held : {a.held[q] - 1, a.held[q] + 1}) {
          if (held < 0 || held > classes[q].size) continue;
          if (const double v = value(a, q, held); v > best) {
            best = v;
            class_of = q;
            held_of = held;
          }
        }
      if (class_of < 0) return a;
      move(a, class_of, held_of);
    }
  }

 private:
  double log_prior(const Assignment& a, int q, int held) const {
    return a.log_prior + classes[q].log_prob(held) - classes[q].log_prob(a.held[q]);
  }

  double log_density(std::size_t g, double t, double r) const {
    const double spread = variance * (1 + t + from_new);
    return -0.5 * (groups[g].columns * fast_log(2 * M_PI * spread) + r / spread);
  }

  /// t and r of a group with this many of class q.
  std::pair<double, double> moved(const Assignment& a, int q, int held, std::size_t g) const {
    double t = a.at[g].t, r = a.at[g].r;
    const auto& [m, gram] = *groups[g].moments;
    const auto [from, to] = std::minmax(a.held[q], held);
    const double by = held > a.held[q] ? 1 : -1;
    for (int k = classes[q].first + from; k < classes[q].first + to; ++k) {
      t += 2 * by * a.at[g].u(k) + m(k, k);
      r += 2 * by * (a.at[g].g(k) - groups[g].c(k)) + gram(k, k);
      for (int l = classes[q].first + from; l < k; ++l) {
        t += 2 * m(k, l);
        r += 2 * gram(k, l);
      }
    }
    return {std::max(0.0, t), std::max(0.0, r)};
  }
};

/// The best assignments of a row: from the one that climbing ends at, class after class takes every
/// number, and the best `width` stay; anew from the best of them where that is another. All of them
/// where there is no limit.
class RowBeam {
 public:
  static constexpr int no_limit = std::numeric_limits<int>::max();

  int size() const { return size_; }
  const Assignment& operator[](int s) const { return now_[s]; }

  /// Of those whose value is below the floor it has one at most.
  void search(const BeamProblem& problem, int width,
              double floor = -std::numeric_limits<double>::infinity()) {
    Assignment from = problem.climb();
    for (int round = 0; round < most_rounds; ++round) {
      spread(problem, from, {width, floor});
      const Assignment& best = *std::max_element(now_.begin(), now_.begin() + size_, less);
      if (width == no_limit || !(best.value > from.value + 1e-9)) return;
      from = best;
    }
  }

 private:
  static constexpr int most_rounds = 10;

  struct Option {
    double value;
    int parent, held;
  };
  struct Limits {
    int width;
    double floor;
  };
  static bool less(const Assignment& a, const Assignment& b) { return a.value < b.value; }

  void spread(const BeamProblem& problem, const Assignment& from, Limits limits) {
    size_ = 1;
    now_.resize(std::max<std::size_t>(now_.size(), 1));
    now_[0] = from;
    for (int q = 0; q < static_cast<int>(problem.classes.size()); ++q) {
      options_.clear();
      for (int s = 0; s < size_; ++s)
        for (int held = 0; held <= problem.classes[q].size; ++held) {
          const bool moves = held != now_[s].held[q];
          const double value = moves ? problem.value(now_[s], q, held) : now_[s].value;
          if (!moves || value >= limits.floor) options_.push_back({value, s, held});
        }
      keep_best(limits.width);
      size_ = static_cast<int>(options_.size());
      if (next_.size() < options_.size()) next_.resize(options_.size());
      for (int s = 0; s < size_; ++s) {
        next_[s] = now_[options_[s].parent];
        problem.move(next_[s], q, options_[s].held);
      }
      std::swap(now_, next_);
    }
  }

  void keep_best(int width) {
    if (static_cast<int>(options_.size()) <= width) return;
    std::partial_sort(options_.begin(), options_.begin() + width, options_.end(),
                      [](const Option& a, const Option& b) {
                        if (a.value != b.value) return a.value > b.value;
                        return std::make_pair(a.parent, a.held) < std::make_pair(b.parent, b.held);
                      });
    options_.resize(width);
  }

  int size_ = 0;
  std::vector<Assignment> now_, next_;
  std::vector<Option> options_;
};

}  // namespace buffet
