#include <testthat/vendor/catch.h>

#include "factor/ordinal_factors.h"
#include "factor_joint.h"
#include "joint_checks.h"
#include "resumed.h"

using namespace test;
using buffet::Exchangeable;
using buffet::Gibbs;
using buffet::NormalWeight;
using buffet::OrdinalFactors;
using buffet::OrdinalFamily;
using buffet::OrdinalRow;

namespace {

struct OrdinalJoint : FactorJoint {
  std::vector<double> cuts;
};

/// Rows of categories, or of numbers if `categories` is 0.
struct OrdinalModel : FactorModel<NormalWeight> {
  std::vector<int> categories;

  std::vector<OrdinalRow> ordinal(const Eigen::MatrixXd& x) const {
    std::vector<OrdinalRow> all;
    for (int i = 0; i < rows; ++i)
      if (categories[i] > 0) all.push_back({i, x.row(i), OrdinalFamily(categories[i], false, 1.5)});
    return all;
  }
  OrdinalJoint draw(Rng& rng) const {
    OrdinalJoint joint{FactorModel::draw(rng), {}};
    for (OrdinalRow& of : ordinal(joint.x)) {
      joint.noise(of.row) = 1;
      of.family.draw_prior(rng);
      const auto first = joint.cuts.size();
      joint.cuts.resize(first + of.family.parameters());
      of.family.get(&joint.cuts[first]);
    }
    joint.x = draw_data(joint, rng);
    return joint;
  }
  Eigen::MatrixXd draw_data(const OrdinalJoint& s, Rng& rng) const {
    Eigen::MatrixXd x = FactorModel::draw_data(s, rng);
    const double* cuts = s.cuts.data();
    for (const OrdinalRow& of : ordinal(x)) {
      for (int d = 0; d < columns; ++d) {
        int c = 0;
        while (c < categories[of.row] - 1 && x(of.row, d) > cuts[c]) ++c;
        x(of.row, d) = c;
      }
      cuts += of.family.parameters();
    }
    return x;
  }
};

std::vector<Statistic> statistics(const OrdinalJoint& s, const OrdinalModel& model) {
  // Categories start at 1, because some statistics take logarithms.
  FactorJoint from_one = s;
  from_one.x.array() += 1;
  auto all = test::statistics(from_one, static_cast<const FactorModel<NormalWeight>&>(model));
  const Eigen::MatrixXd fit = s.z.size() == 0 ? Eigen::MatrixXd::Zero(model.rows, model.columns)
                                              : Eigen::MatrixXd(s.v * s.a);
  double categories = 0, on_fit = 0, first = 0, last = 0;
  for (const OrdinalRow& of : model.ordinal(s.x)) {
    categories += s.x.row(of.row).sum();
    on_fit += std::tanh(s.x.row(of.row).dot(fit.row(of.row)));
  }
  first = s.cuts.front();
  last = s.cuts.back();
  all.insert(all.end(), {{"categories", categories},
                         {"categories on fit", on_fit},
                         {"first cut point", first},
                         {"last cut point", last},
                         {"cut point by category", last * categories}});
  return all;
}

struct OrdinalSimulated : FactorSimulated<Gibbs<Exchangeable, OrdinalFactors>, NormalWeight> {
  using Problem = OrdinalModel;

  static Chain chain(const Problem& model, const Data& data, const OrdinalJoint& start, Rng rng) {
    buffet::FactorNoise noise(model.rows, model.columns, model.noise, Problem::noise_prior());
    noise.set_rates(model.noise_rates());
    auto ordinal = model.ordinal(shown(model, start.x));
    for (const OrdinalRow& of : ordinal) noise.fix_row(of.row);
    return {start.z,
            make_prior(model.features(), static_cast<Exchangeable*>(nullptr)),
            {data, noise, {Problem::a_prior(), model.local}, ordinal},
            rng};
  }
  static void set(const Problem& model, const OrdinalJoint& state, Chain& chain) {
    FactorSimulated::set(model, state, chain);
    chain.likelihood.set_cuts(state.cuts);
    chain.likelihood.draw_utilities(chain.rng);
  }
  static void sweep(const Problem&, Chain& chain) { chain.sweep(); }
  static OrdinalJoint state(const Problem& model, const OrdinalJoint& given, const Chain& chain,
                            Rng& rng) {
    OrdinalJoint state{FactorSimulated::state(model, given, chain, rng), chain.likelihood.cuts()};
    state.x = given.x;
    draw_hidden(model, state, rng);
    return state;
  }
};

/// Only draws of cut points, stretches and utilities.
struct UtilitiesAlone : OrdinalSimulated {
  static void sweep(const Problem&, Chain& chain) { chain.likelihood.draw_utilities(chain.rng); }
};
/// Only draws of bits with loadings integrated out, loadings and utilities.
struct EntriesAlone : OrdinalSimulated {
  static void sweep(const Problem&, Chain& chain) {
    chain.likelihood.revisit(chain.z, chain.prior, chain.rng);
    chain.likelihood.draw_utilities(chain.rng);
  }
};

OrdinalModel model(std::vector<int> categories, bool hides, bool local, int prior = 1) {
  const int rows = static_cast<int>(categories.size());
  return {{prior_cases()[prior], rows, 3, NoiseOf::row, hides, local}, std::move(categories)};
}

}  // namespace

TEST_CASE("five sweeps of factors of ordered categories give a draw of the prior") {
  check_steps_from_prior<Simulation<OrdinalSimulated>>(model({0, 2, 4, 3}, false, true));
  check_steps_from_prior<Simulation<OrdinalSimulated>>(model({3, 2, 0, 2}, true, false));
  if (full())
    for (int prior : {0, 2, 3})
      check_steps_from_prior<Simulation<OrdinalSimulated>>(model({0, 2, 4, 3}, true, true, prior));
}

TEST_CASE("parts of sweeps of factors of ordered categories leave the means of the prior") {
  check_changes<Simulation<UtilitiesAlone>>(model({3, 2}, false, false),
                                            scaled(shorter(400000, 20)));
  check_changes<Simulation<EntriesAlone>>(model({2, 3, 2}, false, true),
                                          scaled(shorter(400000, 20)));
}

TEST_CASE("sweeps of factors of ordered categories and draws of data in turn have the joint law") {
  check_long_run<Simulation<OrdinalSimulated>>(model({2, 0, 5, 2}, true, true));
}

TEST_CASE("a run of factors of ordered categories that is left and resumed ends bit-identically") {
  const OrdinalModel problem = model({0, 2, 4, 3}, true, true);
  Rng rng(97);
  const OrdinalJoint one = problem.draw(rng);
  OrdinalJoint other = problem.draw(rng);
  other.x = one.x;
  const auto data = OrdinalSimulated::data(problem, one);
  const buffet::Plan plan{12, 6, 1, false};
  check_left_anywhere(
      [&](bool is_other) {
        const OrdinalJoint& state = is_other ? other : one;
        auto chain = OrdinalSimulated::chain(problem, data, state, Rng(98 + is_other));
        OrdinalSimulated::set(problem, state, chain);
        return run_of(chain, plan);
      },
      plan.iter);
}
