// Time per sweep at the posterior, with targets and the times of published programs.
#include <memory>

#include "chains.h"
#include "prior/attraction.h"
#include "table.h"

using namespace bench;

namespace {

struct Published {
  const char* program;
  double least, most;  ///< ms per sweep
};

struct Task {
  Workload workload;
  const char* target;  ///< in ms, or in matrix products
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
  const Spread sweep = spread(seconds[0]), products = spread(ratios(seconds[0], seconds[1]));
  const bool in_ms = std::string(task.target).find("ms") != std::string::npos;
  row({w.name, text("%d x %d, %.1f", w.rows, w.columns, bits / sweeps / w.rows),
       with_quartiles(sweep, 1e3), with_quartiles(products),
       at_most(task.target, in_ms ? sweep.median * 1e3 : products.median),
       text("%.0f", sweep.median * 1e9 * sweeps / bits),
       compare(task.published, sweep.median * 1e3)});
}

/// Prior for rows that are random points in a square, at a mean distance of 1; everything else is
/// learned.
buffet::Attraction at_random_points(int rows) {
  buffet::Rng rng(1, rows);
  const Eigen::MatrixXd points =
      Eigen::MatrixXd::NullaryExpr(2, rows, [&] { return rng.uniform(); });
  Eigen::MatrixXd distance(rows, rows);
  for (int i = 0; i < rows; ++i)
    distance.col(i) = (points.colwise() - points.col(i)).colwise().norm();
  distance *= rows * (rows - 1.0) / distance.sum();
  std::vector<int> order;
  rng.permutation(rows, order);
  return buffet::Attraction({std::make_shared<const Eigen::MatrixXd>(std::move(distance)), order,
                             true, buffet::Hyper::gamma(1, 1), buffet::Hyper::gamma(2, 1)});
}

void measure_distances(const Workload& w) {
  SettledChain ibp(w);
  buffet::Gibbs<buffet::Attraction, buffet::GaussianCollapsed> aibd(
      ibp.chain.z, at_random_points(w.rows), ibp.chain.likelihood, buffet::Rng(1));
  for (int n = 0; n < 100; ++n) aibd.sweep();
  const auto seconds = seconds_in_turns({[&] { ibp.chain.sweep(); }, [&] { aibd.sweep(); }}, 41);
  const auto name = text("%s, %d x %d", w.name, w.rows, w.columns);
  row({name, "IBP", text("%d", ibp.chain.z.size()), with_quartiles(spread(seconds[0]), 1e3), ""});
  row({name, "attraction", text("%d", aibd.z.size()), with_quartiles(spread(seconds[1]), 1e3),
       with_quartiles(spread(ratios(seconds[1], seconds[0])))});
}

}  // namespace

int main() {
  heading("Collapsed Gibbs: one sweep",
          {"workload", "N x D, mean K", "ms (quartiles)", "matrix products (quartiles)", "target",
           "ns per bit", "published programs"});
  for (const Task& task : tasks) measure(task);
  std::puts("");
  heading("Rows with distances: one sweep",
          {"workload, N x D", "prior", "K", "ms (quartiles)", "ratio to IBP (quartiles)"});
  for (const Workload& w : {images100, gauss1000}) measure_distances(w);
}
