#pragma once

// Draws of all variables of a factorisation, and chains that can be set to any draw.

#include <string>
#include <vector>

#include "joint_checks.h"
#include "nmf/nmf_gibbs.h"
#include "nmf_case.h"
#include "simulation.h"

namespace test {

using buffet::NmfGibbs;

struct NmfJoint {
  Features z;  ///< the components, used by checks that all models share
  Factors factors;
  Eigen::MatrixXd x;
};

struct NmfProblem {
  NmfModel model;
  int rows, columns;
  bool hides;          ///< a third of the entries, and the whole second row
  bool blind = false;  ///< all entries are missing

  std::string name() const {
    return "rank " + std::to_string(model.rank) + (hides ? ", entries missing" : "") +
           (blind ? ", no data" : "");
  }
  bool is_hidden(int i, int d) const { return blind || (hides && is_among_hidden(i, d)); }

  NmfJoint draw(Rng& rng) const {
    NmfJoint joint{Features(rows), draw_factors(model, rows, columns, rng), {}};
    joint.x = draw_data(joint, rng);
    return joint;
  }
  Eigen::MatrixXd draw_data(const NmfJoint& joint, Rng& rng) const {
    return test::draw_data(joint.factors, rng);
  }
};

struct NmfSimulated {
  using Problem = NmfProblem;
  using Data = NmfData;
  using Chain = NmfGibbs;
  static constexpr bool rebuilds = true;

  static Data data(const NmfProblem& problem, const NmfJoint& state) {
    return nmf_data(shown(problem, state.x));
  }
  static NmfGibbs chain(const NmfProblem& problem, const Data& data, const NmfJoint&, Rng rng) {
    return {data, problem.model, rng};
  }
  static void set(const NmfProblem&, const NmfJoint& state, NmfGibbs& chain) {
    const Factors& f = state.factors;
    chain.likelihood.start({f.w, f.a, 1 / std::sqrt(f.precision)}, chain.rng);
  }
  static void sweep(const NmfProblem&, NmfGibbs& chain) {
    chain.sweep([] {});
  }
  static int features(const NmfGibbs& chain) { return chain.z.size(); }

  static NmfJoint state(const NmfProblem& problem, const NmfJoint& given, const NmfGibbs& chain,
                        Rng& rng) {
    NmfJoint state{Features(problem.rows), factors_of(chain.likelihood), given.x};
    draw_hidden(problem, state, rng);
    return state;
  }
  static double log_density(const NmfProblem& problem, const NmfJoint& s) {
    return static_cast<double>(NaiveNmf(s.x, s.factors, problem.model).log_lik);
  }
};

using NmfSimulation = Simulation<NmfSimulated>;

inline std::vector<Statistic> statistics(const NmfJoint& s, const NmfProblem&) {
  const Factors& f = s.factors;
  const Eigen::MatrixXd mean = f.mean(), gap = s.x - mean;
  const auto& w = f.w;
  const auto& a = f.a;
  return {{"precision", f.precision},
          {"log precision", std::log(f.precision)},
          {"sum of w", w.sum()},
          {"sum of a", a.sum()},
          {"balance", std::log(w.row(0).sum() / a.row(0).sum())},
          {"first w", w(0, 0)},
          {"last w", w(w.size() - 1)},
          {"last a", a(a.size() - 1)},
          {"log w a", std::log(w(0, 0) * a(0, 0))},
          {"first minus last component", std::tanh(w.row(0).sum() - w.row(w.rows() - 1).sum())},
          {"mean", std::tanh(0.1 * mean.sum())},
          {"data", std::tanh(0.1 * s.x.sum())},
          {"alignment", std::tanh(0.1 * f.precision * gap.cwiseProduct(mean).sum())},
          {"squares", f.precision * gap.squaredNorm()}};
}

}  // namespace test
