// Time of a sweep at the posterior, beside the targets and what published programs need.
#include "chains.h"
#include "table.h"

using namespace bench;

namespace {

struct Published {
  const char* program;
  double least, most;  ///< ms per sweep
};

struct Task {
  Workload workload;
  const char* target;
  std::vector<Published> published;
};

const std::vector<Task> tasks{
    {images100, "0.2 ms", {{"GLFM", 4.5, 4.5}, {"PyIBP", 19, 26}, {"aibd", 80, 80}}},
    {gauss1000, "3.5 ms", {{"GLFM", 172, 242}, {"PyIBP", 575, 575}}},
    {wide, "5 products", {}}};

std::string range(const char* number, double least, double most) {
  return text(number, least) + (most > least ? " to " + text(number, most) : "");
}

std::string compare(const std::vector<Published>& published, double ms) {
  std::string cell;
  for (const auto& p : published)
    cell += (cell.empty() ? "" : "; ") + text("%s ", p.program) + range("%.3g", p.least, p.most) +
            " ms, " + range("%.0f", p.least / ms, p.most / ms) + " times ours";
  return cell;
}

void measure(const Task& task) {
  const Workload& w = task.workload;
  SettledChain settled(w);
  Chain& chain = settled.chain;
  const Eigen::MatrixXd x = generate(w, 1).x;
  Product product(x, w.features);
  double sweeps = 0, bits = 0;
  const auto work = [&] {
    chain.sweep();
    bits += double(w.rows) * chain.z.size();
    ++sweeps;
  };
  const auto seconds = seconds_in_turns({work, [&] { product(); }}, 41);
  const Spread sweep = spread(seconds[0]);
  row({w.name, text("%d x %d, %.1f", w.rows, w.columns, bits / sweeps / w.rows),
       with_quartiles(sweep, 1e3), with_quartiles(spread(ratios(seconds[0], seconds[1]))),
       task.target, text("%.0f", sweep.median * 1e9 * sweeps / bits),
       compare(task.published, sweep.median * 1e3)});
}

}  // namespace

int main() {
  heading("Collapsed Gibbs: one sweep",
          {"workload", "N x D, mean K", "ms (quartiles)", "matrix products (quartiles)", "target",
           "ns per bit", "published programs"});
  for (const Task& task : tasks) measure(task);
}
