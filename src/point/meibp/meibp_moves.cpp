#include "meibp_moves.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace buffet {

Meibp changed(const Meibp& state, const FeatureMove& p, Rng& rng, const Check& check) {
  Meibp next = state;
  std::vector<int> rows;
  if (p.adds.empty())
    for (int k : p.drops) state.z.column(k).for_each([&](int i) { rows.push_back(i); });
  std::vector<int> drops = p.drops;
  std::sort(drops.rbegin(), drops.rend());
  for (int k : drops) next.drop(k);
  for (std::size_t n = 0; n < p.adds.size(); ++n) next.add(p.adds[n], p.loadings.col(n));
  if (p.adds.empty()) {
    std::sort(rows.begin(), rows.end());
    next.search_some(rows, rng, check);
    next.drop_empty();
  }
  return next;
}

Proposer::Proposer(const Meibp& state, const GaussianData& x)
    : state_(state), x_(x), residual_(x, state.data(), state.z, state.factor().mean()) {
  rho_ = state.factor().tau_a().mean() / state.factor().tau_x().mean();
}

FeatureMove Proposer::birth(Rng& rng, const Check& check) const {
  std::vector<int> all(x_.rows()), holders;
  std::iota(all.begin(), all.end(), 0);
  const std::vector<int> seed = own_of({rng.below(data().rows())});
  Eigen::MatrixXd v = residual_.sums(seed, ones(seed)).cwiseMax(0.0);
  for (int round = 0; round < 8 && v.squaredNorm() > 0; ++round) {
    check();
    const Eigen::VectorXd fit = residual_.scores(all, v);
    holders = round < 3 ? best_fifth(fit) : better_with(all, fit, v);
    const Eigen::MatrixXd counts = residual_.observed(holders, ones(holders));
    v = (residual_.sums(holders, ones(holders)).array() / (counts.array() + rho_)).cwiseMax(0.0);
  }
  if (count_all(holders) == 0 || v.squaredNorm() == 0) return {};
  return {{}, {column(holders)}, v};
}

FeatureMove Proposer::split(int k) const {
  std::vector<int> rows;
  state_.z.column(k).for_each([&](int i) { rows.push_back(i); });
  if (state_.z.count(k) < 2) return {};
  const Eigen::VectorXd whole = state_.factor().mean().col(k);
  Eigen::MatrixXd held = halves(rows);
  for (int round = 0; round < 6; ++round)
    held = best_of_three(rows, two_loadings(rows, held, whole), whole);
  std::vector<int> first, second;
  for (std::size_t n = 0; n < rows.size(); ++n) {
    if (held(n, 0) > 0) first.push_back(rows[n]);
    if (held(n, 1) > 0) second.push_back(rows[n]);
  }
  if (count_all(first) == 0 || count_all(second) == 0) return {};
  return {{k}, {column(first), column(second)}, two_loadings(rows, held, whole)};
}

FeatureMove Proposer::merge(int k, int l) const {
  Bits either = state_.z.column(k);
  either |= state_.z.column(l);
  const auto& f = state_.factor();
  const Eigen::MatrixXd sum =
      f.mean().col(k) * state_.z.count(k) + f.mean().col(l) * state_.z.count(l);
  return {{k, l}, {either}, sum / (state_.z.count(k) + state_.z.count(l) - state_.shared()(k, l))};
}

std::vector<int> Proposer::by_weight() const {
  const int size = state_.z.size();
  std::vector<int> order(size);
  std::iota(order.begin(), order.end(), 0);
  const auto weight = [&](int k) {
    return state_.z.count(k) * state_.factor().mean().col(k).squaredNorm();
  };
  std::stable_sort(order.begin(), order.end(), [&](int k, int l) { return weight(k) < weight(l); });
  return order;
}

std::vector<std::pair<int, int>> Proposer::likely_pairs() const {
  struct Pair {
    double likeness;
    int k, l;
  };
  const auto& z = state_.z;
  const auto& a = state_.factor().mean();
  std::vector<Pair> pairs;
  for (int k = 0; k < z.size(); ++k)
    for (int l = 0; l < k; ++l) {
      const double norms = a.col(k).norm() * a.col(l).norm();
      const double cosine = norms > 0 ? a.col(k).dot(a.col(l)) / norms : 1;
      pairs.push_back({std::max(cosine, correlation(k, l)), k, l});
    }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const Pair& p, const Pair& q) { return p.likeness > q.likeness; });
  std::vector<std::pair<int, int>> best;
  for (const Pair& p : pairs)
    if (static_cast<int>(best.size()) < 2 * z.size()) best.emplace_back(p.k, p.l);
  return best;
}

Bits Proposer::column(const std::vector<int>& rows) const {
  Bits column(x_.rows());
  for (int i : rows) column.set(i);
  return column;
}

int Proposer::count_all(const std::vector<int>& own) const {
  const Eigen::VectorXd count = Eigen::VectorXd::Constant(1, double(own.size()));
  return static_cast<int>(data().team.sum_exactly(count)(0));
}

int Proposer::count_before(const std::vector<int>& own) const {
  const Eigen::VectorXd count = Eigen::VectorXd::Constant(1, double(own.size()));
  return static_cast<int>(data().team.gather(count).head(data().team.index()).sum());
}

std::vector<int> Proposer::own_of(const std::vector<int>& all) const {
  std::vector<int> own;
  for (int i : all)
    if (i >= data().first_row() && i < data().first_row() + data().own_rows())
      own.push_back(i - data().first_row());
  return own;
}

std::vector<int> Proposer::best_fifth(const Eigen::VectorXd& fit) const {
  const int step = 1 + (data().rows() - 1) / many_rows;
  if (step == 1) return own_of(largest(data().team.gather(fit), std::max(1, data().rows() / 5)));
  std::vector<double> some;
  for (int i = 0; i < fit.size(); ++i)
    if ((data().first_row() + i) % step == 0) some.push_back(fit(i));
  const Eigen::VectorXd of_all =
      data().team.gather(Eigen::VectorXd::Map(some.data(), static_cast<Eigen::Index>(some.size())));
  double least = INFINITY;
  for (int n : largest(of_all, static_cast<int>(of_all.size() / 5)))
    least = std::min(least, of_all(n));
  std::vector<int> best;
  for (int i = 0; i < fit.size(); ++i)
    if (fit(i) >= least) best.push_back(i);
  return best;
}

std::vector<int> Proposer::largest(const Eigen::VectorXd& fit, int count) {
  std::vector<int> order(fit.size());
  std::iota(order.begin(), order.end(), 0);
  std::nth_element(order.begin(), order.begin() + (count - 1), order.end(),
                   [&](int i, int j) { return fit(i) > fit(j) || (fit(i) == fit(j) && i < j); });
  order.resize(count);
  std::sort(order.begin(), order.end());
  return order;
}

std::vector<int> Proposer::better_with(const std::vector<int>& rows, const Eigen::VectorXd& fit,
                                       const Eigen::MatrixXd& v) const {
  const Eigen::VectorXd squares = residual_.squares(rows, v);
  std::vector<int> better;
  for (std::size_t n = 0; n < rows.size(); ++n)
    if (fit(n) > 0.5 * squares(n)) better.push_back(rows[n]);
  return better;
}

Eigen::MatrixXd Proposer::halves(const std::vector<int>& rows) const {
  const auto count = static_cast<Eigen::Index>(rows.size());
  // The iteration may start anywhere except at a fixed point.
  Eigen::VectorXd side(count);
  const int before = count_before(rows), all = count_all(rows);
  for (Eigen::Index n = 0; n < count; ++n) side(n) = (before + n) % 2 == 0 ? 1 : -1;
  for (int n = 0; n < 3; ++n) {
    side.array() -= residual_.total(rows, side) / all;
    side = residual_.scores(rows, residual_.sums(rows, side));
    const double norm = std::sqrt(residual_.total(rows, side.cwiseAbs2()));
    if (norm > 0) side /= norm;
  }
  Eigen::MatrixXd held(count, 2);
  for (Eigen::Index n = 0; n < count; ++n) held.row(n) << (side(n) > 0), !(side(n) > 0);
  return held;
}

Eigen::MatrixXd Proposer::two_loadings(const std::vector<int>& rows, const Eigen::MatrixXd& held,
                                       const Eigen::VectorXd& whole) const {
  const Eigen::MatrixXd counts = residual_.observed(rows, held);
  const Eigen::MatrixXd both = residual_.observed(rows, held.col(0).cwiseProduct(held.col(1)));
  const Eigen::MatrixXd target =
      residual_.sums(rows, held) + counts.cwiseProduct(whole.replicate(1, 2));
  Eigen::MatrixXd v = Eigen::MatrixXd::Zero(whole.size(), 2);
  for (int n = 0; n < 3; ++n)
    for (int c = 0; c < 2; ++c) {
      const Eigen::ArrayXd rest =
          target.col(c).array() - both.col(0).array() * v.col(1 - c).array();
      v.col(c) = (rest / (counts.col(c).array() + rho_)).max(0.0);
    }
  return v;
}

Eigen::MatrixXd Proposer::best_of_three(const std::vector<int>& rows, const Eigen::MatrixXd& v,
                                        const Eigen::VectorXd& whole) const {
  Eigen::MatrixXd products(v.rows(), 3), held(rows.size(), 2);
  for (int c = 0; c < 2; ++c) products.col(c) = v.col(c).cwiseProduct(whole - 0.5 * v.col(c));
  products.col(2) = v.col(0).cwiseProduct(v.col(1));
  const Eigen::RowVectorXd all = products.colwise().sum();
  const Eigen::MatrixXd fit = residual_.scores(rows, v);  // residuals with the feature added back
  for (std::size_t n = 0; n < rows.size(); ++n) {
    Eigen::RowVectorXd sums = all;
    x_.for_hidden(rows[n], [&](int d) { sums -= products.row(d); });
    const double first = fit(n, 0) + sums(0), second = fit(n, 1) + sums(1);
    const double both = first + second - sums(2);
    held(n, 0) = both > second || first > second;
    held(n, 1) = both > first || second >= first;
  }
  return held;
}

double Proposer::correlation(int k, int l) const {
  const auto& z = state_.z;
  const double n = data().rows(), p = z.count(k) / n, q = z.count(l) / n;
  const double spread = p * (1 - p) * q * (1 - q);
  return spread > 0 ? (state_.shared()(k, l) / n - p * q) / std::sqrt(spread) : 0;
}

}  // namespace buffet
