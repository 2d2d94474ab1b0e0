// Updates of pi given its column: slice sampling of log(gamma) compared with the random walk in the
// paper.
#include <memory>

#include "core/log_sum.h"
#include "core/slice.h"
#include "effective.h"
#include "table.h"
#include "trees.h"

using namespace bench;

namespace {

constexpr int columns = 3;

/// A tree, one of its columns, and log(gamma), which the moves change.
struct Case {
  const buffet::Tree* tree;
  buffet::Features z;
  double y;
};

/// log P(column | pi) / pi, and the update of the state that all moves share.
template <class Step>
double with_history(Case& c, buffet::TreeColumn& column, Step step) {
  const buffet::TreeHistory history(*c.tree, c.z.column(0));
  const double y = step(history);
  column.set_rate(*c.tree, y);
  return y;
}

double log_pi(double y) {
  return std::log(-std::expm1(-std::exp(y)));
}

/// log(gamma) of the first column, from what the prior saves: alpha, then a rate per column.
double first_log_rate(buffet::Phylogenetic& prior) {
  const auto saved = buffet::to_bytes(prior);
  buffet::Archive archive(saved);
  double alpha = 0;
  std::vector<double> log_rates;
  archive(alpha);
  archive(log_rates);
  return log_rates[0];
}

/// The move used by buffet.
class SliceLogGamma {
 public:
  explicit SliceLogGamma(Case c) : c_(std::move(c)), prior_(sampled_prior(*c_.tree)) {
    prior_.reset(c_.z, rng_);
  }
  double operator()() {
    prior_.update(c_.z, rng_);
    return log_pi(first_log_rate(prior_));
  }

 private:
  Case c_;
  buffet::Rng rng_{1};
  buffet::Phylogenetic prior_;
};

/// Slice sampling of logit(pi).
class SliceLogit {
 public:
  explicit SliceLogit(Case c) : c_(std::move(c)) {}
  double operator()() {
    c_.y = with_history(c_, column_, [&](const buffet::TreeHistory& history) {
      const auto log_density = [&](double x) {
        const double gamma = buffet::softplus(x);
        return history.log_prob(gamma) - gamma;  // times pi (1 - pi) / pi
      };
      const double logit = std::log(std::expm1(std::exp(c_.y)));
      const double width = 3 / std::sqrt(double(history.origins()));
      return std::log(buffet::softplus(buffet::slice_sample(logit, log_density, width, rng_)));
    });
    return log_pi(c_.y);
  }

 private:
  Case c_;
  buffet::Rng rng_{1};
  buffet::TreeColumn column_;
};

/// Eq. 5 of Miller, Griffiths & Jordan (2008): a normal step in pi whose variance or standard
/// deviation is c pi (1 - pi) + delta.
class RandomWalk {
 public:
  RandomWalk(Case c, bool variance) : c_(std::move(c)), variance_(variance) {}
  double operator()() {
    c_.y = with_history(c_, column_, [&](const buffet::TreeHistory& history) {
      const double pi = -std::expm1(-std::exp(c_.y)), after = pi + sd(pi) * rng_.normal();
      if (!(after > 0 && after < 1)) return c_.y;
      const double y = std::log(-std::log1p(-after));
      const double there = history.log_prob(std::exp(y)) - std::log(after) + log_step(after, pi);
      const double here = history.log_prob(std::exp(c_.y)) - std::log(pi) + log_step(pi, after);
      return std::log(rng_.uniform()) < there - here ? y : c_.y;
    });
    return log_pi(c_.y);
  }

 private:
  double sd(double pi) const {
    const double s = 0.06 * pi * (1 - pi) + 0.08;
    return variance_ ? std::sqrt(s) : s;
  }
  double log_step(double from, double to) const {
    const double s = sd(from);
    return -std::log(s) - (to - from) * (to - from) / (2 * s * s);
  }

  Case c_;
  bool variance_;
  buffet::Rng rng_{1};
  buffet::TreeColumn column_;
};

/// Effective draws, per draw and per second.
struct Efficiency {
  std::vector<double> of_draw, of_second;

  template <class Move>
  void add(Move move, int draws) {
    for (int n = 0; n < 200; ++n) move();
    std::vector<double> values(draws);
    const double seconds = seconds_of([&] {
      for (double& value : values) value = move();
    });
    const double effective = effective_draws(values);
    of_draw.push_back(effective / draws);
    of_second.push_back(effective / seconds);
  }
  std::string print() const {
    return text("%.3g; %.3g", spread(of_draw).median, spread(of_second).median);
  }
};

/// A column from the prior that has about this size.
Case draw_case(const buffet::Tree& tree, int size, buffet::Rng& rng) {
  for (;;) {
    auto [column, gamma] = draw_feature(tree, rng);
    if (std::abs(column.count() - size) > 0.05 * size) continue;
    if ((column.count() == tree.rows()) != (size == tree.rows())) continue;
    buffet::Features z(tree.rows());
    z.add(std::move(column));
    return {&tree, std::move(z), std::log(gamma)};
  }
}

void measure(const buffet::Tree& tree, const char* name, int size) {
  Efficiency log_gamma, logit, variance, sd;
  buffet::Rng rng(1);
  for (int n = 0; n < columns; ++n) {
    const Case c = draw_case(tree, size, rng);
    log_gamma.add(SliceLogGamma(c), 2000);
    logit.add(SliceLogit(c), 2000);
    variance.add(RandomWalk(c, true), 20000);
    sd.add(RandomWalk(c, false), 20000);
  }
  row({text("%d", tree.rows()), text(name, size), log_gamma.print(), logit.print(),
       variance.print(), sd.print()});
}

}  // namespace

int main() {
  heading("Trees: effective draws of log(pi) given its column, per draw; per second",
          {"rows", "number that are 1", "slice, log(gamma)", "slice, logit(pi)",
           "random walk, variance", "random walk, standard deviation"});
  const std::vector<buffet::Tree> trees{three_by_three(), balanced_tree(30), balanced_tree(100),
                                        balanced_tree(1000)};
  for (const buffet::Tree& tree : trees) {
    measure(tree, "%d", 1);
    measure(tree, "%d", 3);
    measure(tree, "about %d", tree.rows() / 2);
    measure(tree, "all", tree.rows());
  }
}
