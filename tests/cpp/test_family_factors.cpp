#include <testthat/vendor/catch.h>

#include "factor/family_factors.h"
#include "factor_joint.h"
#include "joint_checks.h"
#include "mixed/binomial_family.h"
#include "mixed/categorical_family.h"
#include "mixed/negative_binomial_family.h"
#include "mixed/ordinal_family.h"
#include "resumed.h"

using namespace test;
using buffet::AnyFamily;
using buffet::Exchangeable;
using buffet::FamilyFactors;
using buffet::FamilyRows;
using buffet::Gibbs;
using buffet::NormalWeight;

namespace {

/// Ordered categories (with a given number of them), a count, or an unordered category.
AnyFamily family_of(char kind) {
  using namespace buffet;
  if (kind >= '2' && kind <= '9') return family<OrdinalFamily>(kind - '0', false, 1.5);
  if (kind == 'n') return family<NegativeBinomialFamily>(0.4);
  if (kind == 'p') return family<NegativeBinomialFamily>(0.4, 50.0);
  if (kind == 'b') return family<BinomialFamily>(4);
  return family<CategoricalFamily>(3);
}

struct FamilyJoint : FactorJoint {
  std::vector<double> parameters_of_families;
};

/// Rows with numbers ('x') or a family. If a family has several rows, x is in the first of them.
struct FamilyModel : FactorModel<NormalWeight> {
  std::string kinds;

  std::string name() const { return FactorModel::name() + ", " + kinds; }
  std::vector<FamilyRows> families(const Eigen::MatrixXd& x) const {
    std::vector<FamilyRows> all;
    int row = 0;
    for (char kind : kinds) {
      if (kind == 'x') {
        ++row;
        continue;
      }
      all.push_back({row, x.row(row), family_of(kind)});
      row += all.back().family->width();
    }
    return all;
  }
  FamilyJoint draw(Rng& rng) const {
    FamilyJoint joint{FactorModel::draw(rng), {}};
    auto& parameters = joint.parameters_of_families;
    std::vector<double> levels;
    for (const FamilyRows& of : families(joint.x)) {
      AnyFamily family = of.family;
      family->draw_prior(rng);
      parameters.resize(parameters.size() + family->parameters());
      family->get(parameters.data() + parameters.size() - family->parameters());
      joint.noise.segment(of.first, family->width()) = 1;
      if (!family->has_place())
        for (int c = 0; c < family->width(); ++c)
          levels.push_back(FamilyFactors::scale * rng.normal());
    }
    parameters.insert(parameters.end(), levels.begin(), levels.end());
    joint.x = draw_data(joint, rng);
    return joint;
  }
  Eigen::MatrixXd draw_data(const FamilyJoint& s, Rng& rng) const {
    Eigen::MatrixXd x = FactorModel::draw_data(s, rng);
    Eigen::MatrixXd eta = Eigen::MatrixXd::Zero(rows, columns);
    if (s.z.size() > 0) eta += s.v * s.a;
    const double* own = s.parameters_of_families.data();
    const auto all = families(x);
    const double* levels = own;
    for (const FamilyRows& of : all) levels += of.family->parameters();
    for (const FamilyRows& of : all) {
      AnyFamily family = of.family;
      family->set(own);
      own += family->parameters();
      if (!family->has_place())
        for (int c = 0; c < family->width(); ++c) eta.row(of.first + c).array() += *levels++;
      x.middleRows(of.first, family->width()).setZero();
      for (int d = 0; d < columns; ++d) {
        const Eigen::VectorXd at = eta.block(of.first, d, family->width(), 1);
        x(of.first, d) = family->draw(at.data(), rng);
      }
    }
    return x;
  }
};

std::vector<Statistic> statistics(const FamilyJoint& s, const FamilyModel& model) {
  FamilyJoint shown = s;
  const Eigen::MatrixXd fit = s.z.size() == 0 ? Eigen::MatrixXd::Zero(model.rows, model.columns)
                                              : Eigen::MatrixXd(s.v * s.a);
  double values = 0, on_fit = 0;
  for (const FamilyRows& of : model.families(s.x)) {
    // Some statistics use logarithms, others squares.
    shown.x.row(of.first) = 1 + s.x.row(of.first).array().log1p();
    values += s.x.row(of.first).array().log1p().sum();
    on_fit += std::tanh(shown.x.row(of.first).dot(fit.row(of.first)));
  }
  auto all = test::statistics(shown, static_cast<const FactorModel<NormalWeight>&>(model));
  const auto& own = s.parameters_of_families;
  const double first = own.front(), last = own.back(), middle = own[own.size() / 2];
  const auto tame = [](double x) { return std::asinh(x); };
  all.insert(all.end(), {{"values", values},
                         {"values on fit", on_fit},
                         {"first parameter", tame(first)},
                         {"middle parameter", tame(middle)},
                         {"last parameter", tame(last)},
                         {"first parameter by values", tame(first) * values},
                         {"last parameter by values", tame(last) * values}});
  return all;
}

struct FamilySimulated : FactorSimulated<Gibbs<Exchangeable, FamilyFactors>, NormalWeight> {
  using Problem = FamilyModel;

  /// The data, in which a hidden entry is missing in all rows of its family.
  static Eigen::MatrixXd seen(const Problem& model, const FamilyJoint& state) {
    Eigen::MatrixXd x = shown(model, state.x);
    for (const FamilyRows& of : model.families(x))
      for (int c = 1; c < of.family->width(); ++c) x.row(of.first + c) = x.row(of.first);
    return x;
  }
  static Data data(const Problem& model, const FamilyJoint& state) {
    return Data(Eigen::MatrixXd(seen(model, state).transpose()), false);
  }
  static Chain chain(const Problem& model, const Data& data, const FamilyJoint& start, Rng rng) {
    buffet::FactorNoise noise(model.rows, model.columns, model.noise, Problem::noise_prior());
    noise.set_rates(model.noise_rates());
    return {start.z,
            make_prior(model.features(), static_cast<Exchangeable*>(nullptr)),
            {data, noise, {Problem::a_prior(), model.local}, model.families(seen(model, start))},
            rng};
  }
  static void set(const Problem& model, const FamilyJoint& state, Chain& chain) {
    FactorSimulated::set(model, state, chain);
    chain.likelihood.set_parameters(state.parameters_of_families);
    chain.likelihood.draw_responses(chain.rng);
  }
  static void sweep(const Problem&, Chain& chain) { chain.sweep(); }
  static FamilyJoint state(const Problem& model, const FamilyJoint& given, const Chain& chain,
                           Rng& rng) {
    FamilyJoint state{FactorSimulated::state(model, given, chain, rng),
                      chain.likelihood.parameters()};
    state.x = given.x;
    draw_hidden(model, state, rng);
    return state;
  }
};

/// Only draws of family parameters, stretches and pseudo-responses.
struct ResponsesAlone : FamilySimulated {
  static void sweep(const Problem&, Chain& chain) { chain.likelihood.draw_responses(chain.rng); }
};
/// Only draws of bits with loadings integrated out, loadings and pseudo-responses.
struct EntriesAlone : FamilySimulated {
  static void sweep(const Problem&, Chain& chain) {
    chain.likelihood.revisit(chain.z, chain.prior, chain.rng);
    chain.likelihood.draw_responses(chain.rng);
  }
};
/// Only visits to rows: their bits, singletons and weights.
struct VisitsAlone : FamilySimulated {
  static void sweep(const Problem&, Chain& chain) {
    for (int i = 0; i < chain.z.rows(); ++i) buffet::sweep_row(i, chain);
  }
};
/// Only rotations and pseudo-responses.
struct RotationsAlone : FamilySimulated {
  static void sweep(const Problem&, Chain& chain) {
    buffet::RotatePairs::run(chain);
    chain.likelihood.draw_responses(chain.rng);
  }
};

FamilyModel model(const std::string& kinds, bool hides, bool local, int prior = 1) {
  int rows = 0;
  for (char kind : kinds) rows += kind == 'x' ? 1 : family_of(kind)->width();
  return {{prior_cases()[prior], rows, 3, NoiseOf::row, hides, local}, kinds};
}

}  // namespace

TEST_CASE("five sweeps of factors of families give a draw of the prior") {
  check_steps_from_prior<Simulation<FamilySimulated>>(model("x243", false, true));
  check_steps_from_prior<Simulation<FamilySimulated>>(model("32x2", true, false));
  check_steps_from_prior<Simulation<FamilySimulated>>(model("nx3", false, true));
  check_steps_from_prior<Simulation<FamilySimulated>>(model("bxp", true, false));
  check_steps_from_prior<Simulation<FamilySimulated>>(model("xc", true, true));
  check_steps_from_prior<Simulation<FamilySimulated>>(model("cbc", true, false));
  if (full())
    for (int prior : {0, 2, 3}) {
      check_steps_from_prior<Simulation<FamilySimulated>>(model("x243", true, true, prior));
      check_steps_from_prior<Simulation<FamilySimulated>>(model("xnbc2", true, true, prior));
    }
}

TEST_CASE("draws of pseudo-responses of factors of families preserve the means of the prior") {
  const auto effort = scaled(shorter(400000, 20));
  for (const char* kinds : {"32", "xc"})
    check_changes<Simulation<ResponsesAlone>>(model(kinds, false, false), effort);
  check_changes<Simulation<ResponsesAlone>>(model("npb", true, false), effort);
}

TEST_CASE("entries of factors of families with loadings integrated out preserve the prior means") {
  const auto effort = scaled(shorter(400000, 20));
  check_changes<Simulation<EntriesAlone>>(model("232", false, true), effort);
  check_changes<Simulation<EntriesAlone>>(model("nxb", true, true), effort);
}

TEST_CASE("rotations of factors of families preserve the means of the prior") {
  const auto effort = scaled(shorter(400000, 20));
  check_changes<Simulation<RotationsAlone>>(model("nxb", true, true), effort);
  check_changes<Simulation<RotationsAlone>>(model("2x3", true, true), effort);
}

TEST_CASE("sweeps of factors of families alternating with draws of data preserve the joint law") {
  check_long_run<Simulation<FamilySimulated>>(model("2x52", true, true));
  check_long_run<Simulation<FamilySimulated>>(model("nxb2", true, true));
  check_long_run<Simulation<FamilySimulated>>(model("cx2", true, true));
}

TEST_CASE("a resumed run of factors of families ends bit-identically") {
  for (const char* kinds : {"x243", "xnc2b"}) {
    const FamilyModel problem = model(kinds, true, true);
    Rng rng(97);
    const FamilyJoint one = problem.draw(rng);
    FamilyJoint other = problem.draw(rng);
    other.x = one.x;
    const auto data = FamilySimulated::data(problem, one);
    const buffet::Plan plan{12, 6, 1, false};
    check_left_anywhere(
        [&](bool is_other) {
          const FamilyJoint& state = is_other ? other : one;
          auto chain = FamilySimulated::chain(problem, data, state, Rng(98 + is_other));
          FamilySimulated::set(problem, state, chain);
          return run_of(chain, plan);
        },
        plan.iter);
  }
}

TEST_CASE("visits to rows with families preserve the means of the prior") {
  const auto effort = scaled(shorter(400000, 20));
  check_changes<Simulation<VisitsAlone>>(model("nbn", false, false), effort);
  check_changes<Simulation<VisitsAlone>>(model("bxc", true, true), effort);
}

TEST_CASE("for numeric columns, the log joint density of factors integrates out the scores") {
  for (bool hides : {false, true}) {
    FactorModel<NormalWeight> problem{prior_cases()[1], 4, 3, NoiseOf::row, hides, true};
    Rng rng(31);
    FactorJoint state = problem.draw(rng);
    while (state.z.size() < 2) state = problem.draw(rng);
    const Eigen::MatrixXd x = shown(problem, state.x).transpose();
    const buffet::GaussianData data(x, false);
    const auto set = [&](auto likelihood) {
      likelihood.set(state.a.transpose(), state.v);
      likelihood.set_precisions(state.noise, 1.7);
      likelihood.set_local_precisions(state.local);
      return likelihood.log_lik(state.z) + likelihood.log_hyperprior();
    };
    const buffet::FactorNoise noise(4, 3, NoiseOf::row, problem.noise_prior());
    const buffet::LoadingScales scales(problem.a_prior(), true);
    check_close(set(FamilyFactors(data, noise, scales, {})),
                set(buffet::WeightsJointly(data, noise, scales)), 1e-9);
  }
}

TEST_CASE("the log joint density of factors of families integrates the scores out on average") {
  struct Case {
    std::string kinds;
    int factors;
    double most_error;
  };
  for (const Case& of : std::vector<Case>{{"33333", 1, 0.03}, {"2222", 2, 0.05}, {"nbpbx", 1, 0.01},
                                          {"xc", 1, 0.001}}) {
    const FamilyModel problem = model(of.kinds, false, false);
    Rng rng(37);
    Eigen::MatrixXd v(problem.rows, of.factors);
    for (Eigen::Index i = 0; i < v.size(); ++i) v(i) = rng.normal();
    const buffet::FactorNoise noise(problem.rows, 1, NoiseOf::row, problem.noise_prior());
    const buffet::LoadingScales scales(problem.a_prior(), false);
    const int steps = of.factors == 1 ? 2000 : 40;
    double sum = 0;
    for (int n = 0; n < 20; ++n) {
      FamilyJoint state = problem.draw(rng);
      const buffet::GaussianData data(Eigen::MatrixXd(state.x.col(0).transpose()), false);
      FamilyFactors likelihood(data, noise, scales, problem.families(state.x.leftCols(1)));
      likelihood.set_parameters(state.parameters_of_families);
      std::vector<double> values, densities;
      const auto count = static_cast<int>(std::pow(steps + 1, of.factors));
      for (int at = 0; at < count; ++at) {
        Eigen::MatrixXd a(1, of.factors);
        for (int k = 0, rest = at; k < of.factors; ++k, rest /= steps + 1)
          a(k) = 12.0 * (rest % (steps + 1)) / steps - 6;
        likelihood.set(a, v);
        likelihood.set_precisions(Eigen::ArrayXd::Ones(problem.rows), 1);
        const double given = likelihood.log_lik(state.z);
        values.push_back(given + likelihood.log_integral());
        densities.push_back(given - 0.5 * a.squaredNorm() -
                            of.factors * std::log(std::sqrt(2 * M_PI)));
      }
      const double cell = of.factors * std::log(12.0 / steps);
      double exact = densities[0];
      for (int at = 1; at < count; ++at) exact = buffet::log_add(exact, densities[at]);
      exact += cell;
      double mean = 0;
      for (int at = 0; at < count; ++at)
        mean += std::exp(densities[at] + cell - exact) * values[at];
      sum += (mean - exact) / 20;
    }
    CHECK(std::abs(sum) < of.most_error);
  }
}
