// Many columns cost as little as few after a single rotation of the data.
#include "chains.h"
#include "table.h"

using namespace bench;

namespace {

/// Seconds for a rotation, and the ratio to the time of matrix products.
struct Rotation {
  Spread seconds, products;
};

Rotation measure_rotation() {
  const DataSet set = generate(many_columns, 1);
  Product product(set.x, many_columns.features);
  std::vector<double> rotations, products;
  for (int n = 0; n < 5; ++n) {
    Eigen::MatrixXd x = set.x;
    rotations.push_back(seconds_of([&] { buffet::GaussianData rotated(std::move(x)); }));
    products.push_back(seconds_of([&] { product(); }, 3));
  }
  return {spread(rotations), spread(ratios(rotations, products))};
}

}  // namespace

int main() {
  const Rotation rotation = measure_rotation();
  SettledChain many(many_columns), few(few_columns);
  const auto in_turns =
      seconds_in_turns({[&] { many.chain.sweep(); }, [&] { few.chain.sweep(); }}, 41);
  const Spread ratio = spread(ratios(in_turns[0], in_turns[1]));

  heading("Many columns", {"figure", "measured (quartiles)", "target"});
  row({"ms per sweep, N=100, D=76,800, K=4", with_quartiles(spread(in_turns[0]), 1e3), ""});
  row({"ms per sweep, N=100, D=100, K=4", with_quartiles(spread(in_turns[1]), 1e3), ""});
  row({"ratio", with_quartiles(ratio), at_most("1.3", ratio.median)});
  row({"rotation, once, s", with_quartiles(rotation.seconds), ""});
  row({"rotation, once, matrix products", with_quartiles(rotation.products), ""});
}
