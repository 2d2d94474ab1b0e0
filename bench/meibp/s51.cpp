// The number of features found in images made from four features, as the noise grows: section S.5.1
// of Reed & Ghahramani (2013).
#include <algorithm>
#include <cstdio>

#include "../meibp.h"

using namespace bench;

namespace {

constexpr int levels = 100, images = 2000;

NonnegativeSet draw_images(double noise, std::uint64_t number) {
  buffet::Rng rng(number, 100);
  const Workload w{"", images, 36, 4, 0.5, true};
  NonnegativeSet set{draw_features(w, rng), draw_normal(w.columns, w.rows, noise, rng), {}, {}};
  const Eigen::MatrixXd loadings = sim_images();
  for (int k = 0; k < w.features; ++k)
    set.z.column(k).for_each([&](int i) { set.x.col(i) += loadings.col(k); });
  return set;
}

struct Found {
  int features;
  double bound, rarest;  ///< share of the images that have the rarest feature
};

Found found_by(const State& state) {
  double rarest = 1;
  for (int k = 0; k < state.z.size(); ++k)
    rarest = std::min(rarest, double(state.z.count(k)) / images);
  return {state.z.size(), state.bound(), rarest};
}

Found maximise(const Input& input, const Model& model, buffet::AscentStart start) {
  Maximisation run(input.data, &input.x, plan_for(20), model);
  run.start(start, [] {});
  while (!run.finished()) run.step([] {});
  return found_by(run.best().result());
}

/// The procedure in the paper: only its search of rows, from one random start. The authors' program
/// updates the loadings after every changed row.
Found maximise_as_paper(const Input& input, const Model& model, std::uint64_t seed, bool by_rows) {
  buffet::MeibpPlan plan = plan_for(20);
  plan.rule = buffet::RowRule::local;
  plan.by_rows = by_rows;
  buffet::Rng rng(seed);
  State state = random_start(empty_state(input, plan, model), rng);
  buffet::Ascent ascent(std::move(state), rng, buffet::Proposals::none, nullptr);
  while (!ascent.finished()) ascent.step([] {});
  return found_by(ascent.result());
}

void print(const char* setting, double noise, const Found& found, const Found& from_truth) {
  std::printf("%s,%.4f,%d,%.4f,%.3f,%.3f,%d\n", setting, noise, found.features, found.rarest,
              found.bound, from_truth.bound, from_truth.features);
  std::fflush(stdout);
}

void measure(int level) {
  const double noise = 0.1 + 0.9 * level / (levels - 1);
  const std::uint64_t number = level + 1;
  const NonnegativeSet set = draw_images(noise, number);
  const Input input(set.x);
  const buffet::AscentStart random = start_at(buffet::Features(images), number),
                            truth = start_at(set.z, number);
  print("sigma learned", noise, maximise(input, learned(), random),
        maximise(input, learned(), truth));
  const Model papers = fixed(2, 1, 1);
  const Found from_truth = maximise(input, papers, truth);
  print("sigma fixed", noise, maximise(input, papers, random), from_truth);
  print("as the paper", noise, maximise_as_paper(input, papers, number, true), from_truth);
  print("sweep by sweep", noise, maximise_as_paper(input, papers, number, false), from_truth);
}

}  // namespace

int main() {
  std::puts("setting,noise,features,rarest,bound,bound_from_truth,features_from_truth");
  for (int level = 0; level < levels; ++level) measure(level);
}
