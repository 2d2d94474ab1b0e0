// Cascades: time per sweep and its growth, samplers of activations, births, and saved draws.
#include <list>

#include "cascade/cascade_record.h"
#include "cascades.h"
#include "effective.h"
#include "table.h"

using namespace bench;
using buffet::ActivationSampler;
using buffet::CascadeModel;

namespace {

CascadeSpec of_size(int rows, int columns, int units) {
  CascadeSpec spec;
  spec.rows = rows;
  spec.widths = {columns, units, 20};
  return spec;
}

std::string widths_of(const buffet::Cascade& cascade) {
  std::string widths;
  for (int m = 1; m <= cascade.depth(); ++m)
    widths += (m > 1 ? "-" : "") + std::to_string(cascade.layers[m].units());
  return widths;
}

/// A chain that has made some sweeps from the truth. Measures, in turns, the seconds of whole
/// sweeps, of single moves (in the sweeps between them), and of matrix products.
class SweepTimer {
 public:
  std::vector<double> sweeps, products, births, parents, activations, parameters;

  explicit SweepTimer(const CascadeSpec& spec)
      : trial_(spec, {}, buffet::Rng(1)),
        transposed_(trial_.data.x.transpose()),
        product_(transposed_, spec.widths[1]) {
    trial_.start_at_truth();
    for (int n = 0; n < 10; ++n) sweep();
  }
  SweepTimer(const SweepTimer&) = delete;

  void measure() {
    BirthCount count;
    products.push_back(seconds_of(product_));
    sweeps.push_back(seconds_of([&] { sweep(); }));
    const SweepParts parts = sweep_in_parts(trial_.chain, count);
    births.push_back(parts.births);
    parents.push_back(parts.parents);
    activations.push_back(parts.activations);
    parameters.push_back(parts.parameters);
  }
  std::string widths() const { return widths_of(trial_.chain.likelihood); }

 private:
  void sweep() {
    trial_.chain.sweep([] {});
  }

  CascadeTrial trial_;
  Eigen::MatrixXd transposed_;
  Product product_;
};

std::string median_ms(const std::vector<double>& seconds) {
  return text("%.3g", 1e3 * spread(seconds).median);
}

void measure_sweep() {
  heading("Cascades: one sweep",
          {"N x D, widths", "ms (quartiles)", "matrix products (quartiles)", "births",
           "edges and weights", "activations", "parameters", "target"});
  const std::vector<std::pair<int, const char*>> targets{
      {256, ""}, {1024, "50 ms"}, {4096, "250 ms"}};
  for (const auto& [columns, target] : targets) {
    SweepTimer times(of_size(350, columns, 80));
    for (int n = 0; n < (columns > 1024 ? 15 : 41); ++n) times.measure();
    const Spread sweeps = spread(times.sweeps);
    row({text("350 x %d, ", columns) + times.widths(), with_quartiles(sweeps, 1e3),
         with_quartiles(spread(ratios(times.sweeps, times.products))), median_ms(times.births),
         median_ms(times.parents), median_ms(times.activations), median_ms(times.parameters),
         at_most(target, sweeps.median * 1e3)});
  }
}

/// One row of the growth table; all sizes are measured in turns.
void measure_growth(const char* name, const std::vector<int>& sizes,
                    CascadeSpec (*spec_of)(int size)) {
  std::list<SweepTimer> timers;
  for (const int size : sizes) timers.emplace_back(spec_of(size));
  for (int n = 0; n < 15; ++n)
    for (SweepTimer& timer : timers) timer.measure();
  std::vector<double> sweeps, parents, activations;
  std::string cell;
  for (const SweepTimer& timer : timers) {
    sweeps.push_back(spread(timer.sweeps).median);
    parents.push_back(spread(timer.parents).median);
    activations.push_back(spread(timer.activations).median);
    cell +=
        text("%s%d: %.3g", cell.empty() ? "" : "; ", sizes[sweeps.size() - 1], 1e3 * sweeps.back());
  }
  const std::size_t last = sizes.size() - 1;
  const double doubling = std::log(sweeps[last] / sweeps[last - 1]) / M_LN2;
  row({name, cell, text("%.2f", slope(sizes, sweeps)), text("%.2f", doubling),
       text("%.2f", slope(sizes, parents)), text("%.2f", slope(sizes, activations))});
}

void measure_growths() {
  heading("Cascades: growth of the time per sweep",
          {"against", "size: ms", "slope, log-log", "slope at the last doubling",
           "slope of edges and weights", "slope of activations"});
  measure_growth("N (D=1024, K=80)", {350, 700, 1400},
                 [](int size) { return of_size(size, 1024, 80); });
  measure_growth("D (N=350, K=80)", {512, 1024, 2048},
                 [](int size) { return of_size(350, size, 80); });
  measure_growth("K (N=350, D=1024)", {40, 80, 160},
                 [](int size) { return of_size(350, 1024, size); });
}

/// Autocorrelation times of activations given a known network, and seconds for one draw of all
/// activations.
struct ActivationTimes {
  std::vector<double> sweeps, seconds;
};

void draw_known(const CascadeSpec& spec, ActivationSampler sampler, std::uint64_t seed,
                ActivationTimes& times) {
  constexpr int warmup = 200, sweeps = 8000;
  CascadeModel model;
  model.sampler = sampler;
  CascadeTrial trial(spec, model, buffet::Rng(seed));
  trial.start_at_truth();
  buffet::Cascade& cascade = trial.chain.likelihood;
  const buffet::ChildrenTerms children(cascade.layers[0]);
  const Eigen::MatrixXd& u = cascade.layers[1].u;
  std::vector<std::vector<double>> draws(u.size());
  double seconds = 0;
  for (int n = 0; n < warmup + sweeps; ++n) {
    const double started = seconds_used();
    buffet::CascadeActivations(cascade, trial.chain.rng).visit_layer(1, children, [] {});
    if (n < warmup) continue;
    seconds += seconds_used() - started;
    for (Eigen::Index a = 0; a < u.size(); ++a) draws[a].push_back(u(a));
  }
  times.seconds.push_back(seconds / sweeps);
  for (const auto& of_one : draws)
    times.sweeps.push_back(sweeps / std::max(1.0, effective_draws(of_one)));
}

void compare_samplers() {
  struct Setting {
    const char* name;
    CascadeSpec spec;
  };
  const std::vector<Setting> settings{
      {"30 children, weights' sd 1/2, precision 2, hidden 1", {100, {30, 10}, 1, 0.5, 1, 2, 1}},
      {"30 children, weights' sd 1, precision 8, hidden 1/2", {100, {30, 10}, 1, 1, 1, 8, 0.5}},
      {"200 children, weights' sd 1, precision 8, hidden 1", {100, {200, 10}, 1, 1, 1, 8, 1}}};
  const std::vector<std::pair<const char*, ActivationSampler>> samplers{
      {"slice", ActivationSampler::slice},
      {"multiple try", ActivationSampler::multiple_try},
      {"elliptical", ActivationSampler::elliptical}};
  heading("Cascades: draws of activations in a known network",
          {"network", "sampler", "draws per effective draw: median", "90 %", "worst",
           "millions of draws per second", "effective draws per second and activation"});
  for (const Setting& setting : settings)
    for (const auto& [name, sampler] : samplers) {
      ActivationTimes times;
      for (std::uint64_t seed : {1, 2, 3}) draw_known(setting.spec, sampler, seed, times);
      std::vector<double> sorted = times.sweeps;
      std::sort(sorted.begin(), sorted.end());
      const double median = spread(sorted).median, seconds = spread(times.seconds).median;
      row({setting.name, name, text("%.1f", median), text("%.1f", sorted[0.9 * sorted.size()]),
           text("%.1f", sorted.back()), text("%.1f", 1e-6 * 1000 / seconds),
           text("%.0f", 1 / (seconds * median))});
    }
}

/// A run from a random network or from the truth.
struct BirthRun {
  std::string widths, accepted, error;  ///< after 100, 200 and 400 sweeps
  std::vector<double> seconds, of_births;
  double turnover = 0;  ///< births and deaths per sweep
};

/// Root mean square difference between the mean over the last quarter of the sweeps and the signal,
/// in units of the noise sd.
double error_of(const Eigen::MatrixXd& mean, const CascadeTrial& trial) {
  const Eigen::MatrixXd left = mean - trial.signal();
  return std::sqrt(left.squaredNorm() / left.size() * trial.truth[0].precision(0));
}

BirthRun birth_run(int visible_births, bool at_truth) {
  CascadeModel model;
  model.visible_births = visible_births;
  CascadeTrial trial({}, model, buffet::Rng(1));
  if (at_truth)
    trial.start_at_truth();
  else
    trial.start({70, 20}, 0.3);
  BirthRun run;
  int done = 0;
  for (const int until : {100, 200, 400}) {
    BirthCount count;
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(trial.data.x.rows(), trial.data.x.cols());
    const int from = until - until / 4;
    for (; done < until; ++done) {
      const SweepParts parts = sweep_in_parts(trial.chain, count);
      run.seconds.push_back(parts.total());
      run.of_births.push_back(parts.births);
      if (done >= from) sum += trial.chain.likelihood.means(0);
    }
    run.turnover += (count.births + count.deaths) / 400.0;
    const char* separator = until == 100 ? "" : ", ";
    run.widths += separator + widths_of(trial.chain.likelihood);
    run.accepted += separator + text("%.2f", 200.0 * count.births / count.visits);
    run.error += separator + text("%.3f", error_of(sum / (until - from), trial));
  }
  return run;
}

void measure_births() {
  heading("Cascades: births, 350 x 1024, initial widths 70-20, true widths 80-20",
          {"visible units visited", "ms per sweep (quartiles)", "of births",
           "births accepted up to sweeps 100, 200 and 400, %", "births and deaths per sweep",
           "widths after them", "error of the signal / sd of the noise"});
  const auto show = [](const std::string& name, const BirthRun& run) {
    row({name, with_quartiles(spread(run.seconds), 1e3), median_ms(run.of_births), run.accepted,
         text("%.2f", run.turnover), run.widths, run.error});
  };
  for (const int births : {20, 102, 256, 1024}) show(text("%d", births), birth_run(births, false));
  show("20, from the truth", birth_run(20, true));
}

void measure_kept() {
  CascadeTrial trial({}, {}, buffet::Rng(1));
  trial.start_at_truth();
  for (int n = 0; n < 5; ++n) trial.chain.sweep([] {});
  const buffet::Cascade& cascade = trial.chain.likelihood;
  int edges = 0;
  for (int m = 0; m < cascade.depth(); ++m) edges += cascade.layers[m].count_edges();
  heading("Cascades: size of a saved draw",
          {"N x D, widths", "edges", "bytes", "MB for 1000 draws"});
  const double bytes = static_cast<double>(cascade.bytes_kept().size());
  row({"350 x 1024, " + widths_of(cascade), text("%d", edges), text("%.0f", bytes),
       text("%.0f", bytes / 1e3)});
}

}  // namespace

int main() {
  measure_sweep();
  std::puts("");
  measure_growths();
  std::puts("");
  compare_samplers();
  std::puts("");
  measure_births();
  std::puts("");
  measure_kept();
}
