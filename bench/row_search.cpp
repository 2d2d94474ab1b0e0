// Searches of a row compared with brute force.
#include "meibp/row_problems.h"
#include "table.h"

using namespace bench;

namespace {

constexpr int problems = 1000, features = 10;

/// A row of a linear-Gaussian model with noise sd 1. The row has half of the features.
buffet::RowProblem from_loadings(const Eigen::MatrixXd& a, buffet::Rng& rng) {
  Eigen::VectorXd x = draw_normal(static_cast<int>(a.rows()), 1, 1, rng);
  for (int k = 0; k < a.cols(); ++k)
    if (rng.bernoulli(0.5)) x += a.col(k);
  buffet::RowProblem problem{a.transpose() * x, a.transpose() * a, {}, {}};
  problem.linear -= 0.5 * problem.weights.diagonal();
  problem.weights.diagonal().setZero();
  problem.fresh.assign(a.cols(), 0);
  return problem;
}

buffet::RowProblem binary(buffet::Rng& rng) {
  return from_loadings(draw_binary_loadings(50, features, rng), rng);
}
buffet::RowProblem half_normal(buffet::Rng& rng) {
  return from_loadings(draw_normal(20, features, 1, rng).cwiseAbs(), rng);
}

/// A problem with arbitrary weights, in which some of the features are new.
buffet::RowProblem any(buffet::Rng& rng) {
  Eigen::MatrixXd weights = draw_normal(features, features, 1, rng).cwiseAbs();
  weights = (weights + weights.transpose()).eval();
  weights.diagonal().setZero();
  buffet::RowProblem problem{0.25 * weights.colwise().sum().transpose(), weights, {}, {}};
  problem.linear += draw_normal(features, 1, 1, rng);
  for (int k = 0; k < features; ++k) {
    problem.fresh.push_back(rng.bernoulli(0.2));
    if (problem.fresh[k]) problem.log_new.push_back(-std::log(1.0 + problem.log_new.size()));
  }
  return problem;
}

struct Tally {
  int optimum = 0;
  double worst = 1;

  void add(const Extremes& extremes, double value) {
    optimum += extremes.reached(value);
    worst = std::min(worst, extremes.normalised(value));
  }
  void print(const char* family, const char* rule) const {
    row({family, rule, text("%.3f", double(optimum) / problems), text("%.3f", worst)});
  }
};

template <class F>
void measure(const char* family, F draw) {
  Tally climb, local, double_greedy;
  buffet::Rng rng(1);
  for (int n = 0; n < problems; ++n) {
    const buffet::RowProblem problem = draw(rng);
    const Extremes extremes(problem);
    buffet::RowSearch search(problem, buffet::RowRule::climb);
    search.improve([](int) { return false; }, rng);
    climb.add(extremes, search.best.value());
    buffet::RowState alone(problem);
    alone.local();
    local.add(extremes, alone.value());
    alone.double_greedy(rng);
    double_greedy.add(extremes, alone.value());
  }
  climb.print(family, "climb, from no features");
  local.print(family, "local search alone");
  double_greedy.print(family, "double greedy alone");
}

}  // namespace

int main() {
  heading("MEIBP: row search compared with brute force, 1000 problems with 10 features",
          {"loadings", "search", "share of optima", "worst (0: worst set, 1: optimum)"});
  measure("a third ones, D=50", binary);
  measure("half-normal, D=20", half_normal);
  measure("none: any weights", any);
}
