// Mixed columns: the time per sweep at the posterior, its growth, and a comparison with models for
// a single kind of column.
#include "mixed/mixed.h"

#include <memory>
#include <string>

#include "binary.h"
#include "measure.h"
#include "mixed/binomial_family.h"
#include "mixed/categorical_family.h"
#include "mixed/negative_binomial_family.h"
#include "mixed/normal_family.h"
#include "mixed/ordinal_family.h"
#include "regression/gaussian_column_noise.h"
#include "sweeps.h"
#include "table.h"

using namespace bench;

namespace {

const auto learned = buffet::Hyper::gamma(1, 1);

/// Columns cycle through these kinds: normal, Bernoulli, ordered, categorical, count.
struct MixedWorkload {
  int rows, columns, features;
  const char* kinds = "gbocn";
  double density = 0.3;  ///< z ~ Bernoulli(density)
};

buffet::AnyFamily family_of(char kind) {
  if (kind == 'g') return buffet::family<buffet::NormalFamily>(buffet::Hyper{4, true, 1, 1});
  if (kind == 'b') return buffet::family<buffet::BinomialFamily>(1);
  if (kind == 'o') return buffet::family<buffet::OrdinalFamily>(4, true);
  if (kind == 'c') return buffet::family<buffet::CategoricalFamily>(3);
  return buffet::family<buffet::NegativeBinomialFamily>(1.0);
}

/// Weights have sd 1 and biases sd 1/2; normal columns have noise with sd 1/2.
struct MixedSet {
  buffet::Features z;
  buffet::Families families;
  Eigen::MatrixXd x;

  MixedSet(const MixedWorkload& w, buffet::Rng rng)
      : z(draw_features(w, rng)), families(families_of(w)), x(w.columns, w.rows) {
    int width = 0;
    for (const auto& family : families) width += family->width();
    const Eigen::MatrixXd weights = draw_normal(width, w.features, 1, rng);
    Eigen::MatrixXd eta = draw_normal(width, 1, 0.5, rng).replicate(1, w.rows);
    for (int k = 0; k < z.size(); ++k)
      z.column(k).for_each([&](int i) { eta.col(i) += weights.col(k); });
    for (int i = 0; i < w.rows; ++i) x.col(i) = families.draw(eta.col(i), rng);
  }
  static std::vector<buffet::AnyFamily> families_of(const MixedWorkload& w) {
    const std::string kinds = w.kinds;
    std::vector<buffet::AnyFamily> all;
    for (int j = 0; j < w.columns; ++j) all.push_back(family_of(kinds[j % kinds.size()]));
    return all;
  }
};

/// A chain that has made 100 sweeps from the truth.
template <class Likelihood, class Data>
struct Settled {
  using Chain = buffet::Gibbs<buffet::Exchangeable, Likelihood>;

  template <class... Arguments>
  Settled(const buffet::Features& z, Data made, Arguments&&... arguments)
      : data(std::move(made)),
        chain(z, buffet::Exchangeable(z.rows(), {learned}),
              Likelihood(data, std::forward<Arguments>(arguments)...), buffet::Rng(1)) {
    for (int n = 0; n < 100; ++n) chain.sweep();
  }
  Settled(const Settled&) = delete;

  Data data;
  Chain chain;
};

using SettledMixed = Settled<buffet::Mixed, buffet::MixedData>;
using SettledNormal = Settled<buffet::GaussianColumnNoise, buffet::GaussianData>;
using SettledBits = Settled<buffet::Logistic, buffet::BinaryData>;
using MixedSweeps = Sweeps<SettledMixed>;

std::unique_ptr<MixedSweeps> mixed_sweeps(const MixedSet& set) {
  return std::make_unique<MixedSweeps>(set.z, buffet::MixedData(set.x, set.families), set.families,
                                       buffet::LogisticScales{learned, learned, true});
}
Sweeps<SettledNormal> normal_sweeps(const MixedSet& set) {
  const Eigen::MatrixXd centred = set.x.colwise() - set.x.rowwise().mean();
  return Sweeps<SettledNormal>(set.z, buffet::GaussianData(centred, false),
                               buffet::Precisions{learned, learned});
}
Sweeps<SettledBits> binary_sweeps(const MixedSet& set) {
  const buffet::BinaryData::Signs signs = (2 * set.x.array() - 1).cast<signed char>();
  return Sweeps<SettledBits>(set.z, buffet::BinaryData(signs),
                             buffet::LogisticScales{learned, learned, true});
}

template <class Other>
void measure_beside(const MixedWorkload& w, Other other, const char* name, const char* target) {
  const MixedSet set(w, buffet::Rng(1, 100));
  auto mixed = mixed_sweeps(set);
  auto alone = other(set);
  const auto seconds = seconds_in_turns({[&] { (*mixed)(); }, [&] { alone(); }}, 11);
  const Spread ratio = spread(ratios(seconds[0], seconds[1]));
  row({name, text("%d x %d", w.rows, w.columns),
       text("%.1f; %.1f", mixed->mean_features(), alone.mean_features()),
       with_quartiles(MixedSweeps::per_sweep(seconds[0]), 1e3),
       with_quartiles(MixedSweeps::per_sweep(seconds[1]), 1e3), with_quartiles(ratio),
       at_most(target, ratio.median)});
}

template <class Make>
void measure_growth(const char* what, const std::vector<int>& sizes, Make make) {
  std::vector<std::unique_ptr<MixedSweeps>> made;
  for (int size : sizes) made.push_back(mixed_sweeps(MixedSet(make(size), buffet::Rng(1, 100))));
  const SweepGrowth found = growth_of(sizes, std::move(made), 5);
  const double overall = slope(sizes, found.seconds);
  row({what, found.points, text("%.2f", overall), at_most("1.05", overall)});
}

}  // namespace

int main() {
  heading("Mixed columns compared with single-family models",
          {"columns", "N x D", "mean K: mixed; single", "ms (quartiles)", "single, ms (quartiles)",
           "ratio (quartiles)", "target"});
  measure_beside({500, 20, 5, "g"}, normal_sweeps, "normal; `noise = \"column\"`", "1.2");
  measure_beside({500, 60, 5, "b"}, binary_sweeps, "binary; `fit_logistic()`", "1.1");
  std::puts("");
  heading("Mixed columns: growth of the time per sweep",
          {"against", "size (mean K): ms", "slope, log-log", "target"});
  measure_growth("N (D=20, K=5)", {250, 500, 1000, 2000}, [](int n) {
    return MixedWorkload{n, 20, 5};
  });
  measure_growth("D (N=500, K=5)", {10, 20, 40, 80}, [](int d) {
    return MixedWorkload{500, d, 5};
  });
}
