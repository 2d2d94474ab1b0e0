// Time per sweep of every sampler, including for data with missing entries and for sparse data.
#include <memory>

#include "chains.h"
#include "gaussian/gaussian_nonnegative.h"
#include "gaussian/gaussian_uncollapsed.h"
#include "prior/sticks.h"
#include "table.h"

using namespace bench;

namespace {

using buffet::Exchangeable;
using buffet::GaussianCollapsed;
using buffet::GaussianData;
using buffet::GaussianNonnegative;
using buffet::GaussianUncollapsed;
using buffet::Sticks;

/// A chain of any kind that has made 50 sweeps from the truth.
template <class Prior, class Likelihood>
std::function<void()> settled(const buffet::Features& z, const GaussianData& data) {
  using AnyChain = buffet::Gibbs<Prior, Likelihood>;
  const buffet::Hyper tau{1, true, 1, 1};
  auto chain = std::make_shared<AnyChain>(z, Prior(data.rows(), {buffet::Hyper::gamma(1, 1)}),
                                          Likelihood(data, {tau, tau}), buffet::Rng(1));
  for (int n = 0; n < 50; ++n) chain->sweep();
  return [chain] { chain->sweep(); };
}

/// A random tenth of the entries are missing.
Eigen::MatrixXd with_holes(Eigen::MatrixXd x) {
  buffet::Rng rng(2);
  for (int n = 0; n < x.size(); ++n)
    if (rng.bernoulli(0.1)) x(n) = std::nan("");
  return x;
}

void measure(const Workload& w) {
  const DataSet set = generate(w, 1);
  const GaussianData complete(set.x), plain(set.x, false), holes(with_holes(set.x), false),
      sparse(GaussianData::Sparse(set.x.sparseView()), false);
  const std::vector<std::pair<const char*, std::function<void()>>> works{
      {"collapsed", settled<Exchangeable, GaussianCollapsed>(set.z, complete)},
      {"uncollapsed", settled<Exchangeable, GaussianUncollapsed>(set.z, plain)},
      {"slice", settled<Sticks, GaussianUncollapsed>(set.z, plain)},
      {"uncollapsed, nonnegative", settled<Exchangeable, GaussianNonnegative>(set.z, plain)},
      {"slice, nonnegative", settled<Sticks, GaussianNonnegative>(set.z, plain)},
      {"collapsed, 10 % missing", settled<Exchangeable, GaussianCollapsed>(set.z, holes)},
      {"uncollapsed, 10 % missing", settled<Exchangeable, GaussianUncollapsed>(set.z, holes)},
      {"slice, 10 % missing", settled<Sticks, GaussianUncollapsed>(set.z, holes)},
      {"collapsed, stored as sparse", settled<Exchangeable, GaussianCollapsed>(set.z, sparse)}};
  std::vector<std::function<void()>> calls;
  for (const auto& work : works) calls.push_back(work.second);
  const auto seconds = seconds_in_turns(calls, 15);
  for (std::size_t n = 0; n < works.size(); ++n)
    row({w.name, works[n].first, with_quartiles(spread(seconds[n]), 1e3),
         with_quartiles(spread(ratios(seconds[n], seconds[0])))});
}

}  // namespace

int main() {
  heading("Samplers: one sweep",
          {"workload", "sampler", "ms (quartiles)", "ratio to collapsed (quartiles)"});
  measure(images100);
  measure(gauss1000);
}
