#include "soft_rows.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/parallel.h"
#include "core/special.h"
#include "feature_probabilities.h"
#include "soft_birth.h"

namespace buffet {

namespace {

/// Calls f(first, count) for chunks of up to this many indices, on several threads.
template <class F>
void in_chunks(int size, int threads, F f) {
  constexpr int chunk = 256;
  parallel_for((size + chunk - 1) / chunk, threads,
               [&](int t) { f(t * chunk, std::min(chunk, size - t * chunk)); });
}

}  // namespace

void SoftRows::update(SoftFeatures& z, const Given& given) const {
  data_.source.for_each([&](const RowBlock& block) {
    in_chunks(block.count, threads_, [&](int from, int count) {
      check_();
      SoftRow row(given.moments, given.log_odds, given.tau);
      const Eigen::MatrixXd scores = block.x.times_rows(given.mean, block.from + from, count);
      for (int n = 0; n < count; ++n) {
        const int i = block.first + from + n;
        row.enter(data_.masks.pattern_of(i), scores.col(n));
        row.ascend(z.on.col(i), 2);
        if (given.search) row.search(z.on.col(i));
      }
    });
  });
}

SoftRows::Sums SoftRows::sum(const SoftFeatures& z) const {
  TreeSum blocks;
  data_.source.for_each(
      [&](const RowBlock& block) { blocks.add(block.number, sum_block(block, z)); });
  const Eigen::VectorXd all = data_.team.sum(blocks);
  const Eigen::Index size = z.size(), products = data_.columns * size, counts = size * size;
  Sums sums;
  sums.products = Eigen::MatrixXd::Map(all.data(), data_.columns, size);
  sums.shared = Eigen::MatrixXd::Map(all.data() + products, size, size);
  sums.entropy = all(products + counts);
  for (auto at = products + counts + 1; at < all.size(); at += counts)
    sums.hidden.push_back(Eigen::MatrixXd::Map(all.data() + at, size, size));
  return sums;
}

void SoftRows::Sums::reorder(const Eigen::PermutationMatrix<Eigen::Dynamic>& order) {
  products = products * order;
  shared = order.transpose() * shared * order;
  for (Eigen::MatrixXd& c : hidden) c = order.transpose() * c * order;
}

Eigen::VectorXd SoftRows::counts(const SoftFeatures& z) const {
  TreeSum blocks;
  data_.source.for_each([&](const RowBlock& block) {
    blocks.add(block.number, z.on.middleCols(block.first, block.count).rowwise().sum());
  });
  return data_.team.sum(blocks);
}

/// Products, counts, entropy and, if entries are missing, the counts of each group of columns,
/// concatenated.
Eigen::VectorXd SoftRows::sum_block(const RowBlock& block, const SoftFeatures& z) const {
  const Eigen::Index size = z.size(), products = data_.columns * size, counts = size * size;
  const auto& groups = data_.masks.groups();
  const int hiding = data_.masks.count_hidden() > 0 ? static_cast<int>(groups.size()) : 0;
  Eigen::VectorXd sums(products + counts * (1 + hiding) + 1);
  const Eigen::MatrixXd on = z.on.middleCols(block.first, block.count);
  add_products(block, on, Eigen::Map<Eigen::MatrixXd>(sums.data(), data_.columns, size));
  Eigen::MatrixXd::Map(sums.data() + products, size, size) = expected_counts(on);
  sums(products + counts) = entropy_of_bits(on);
  parallel_for(hiding, threads_, [&](int g) {
    double* to = sums.data() + products + counts * (1 + g) + 1;
    Eigen::MatrixXd::Map(to, size, size) = hidden_counts(block, z, groups[g].hidden);
  });
  return sums;
}

void SoftRows::add_products(const RowBlock& block, const Eigen::MatrixXd& on,
                            Eigen::Ref<Eigen::MatrixXd> products) const {
  if (block.x.is_sparse()) {
    products = block.x.sparse().middleCols(block.from, block.count) * on.transpose();
    return;
  }
  in_chunks(data_.columns, threads_, [&](int from, int count) {
    check_();
    const auto x = block.x.dense().block(from, block.from, count, block.count);
    products.middleRows(from, count).noalias() = x * on.transpose();
  });
}

Eigen::MatrixXd SoftRows::hidden_counts(const RowBlock& block, const SoftFeatures& z,
                                        const Bits& hidden) {
  std::vector<int> rows;
  for (int i = block.first; i < block.first + block.count; ++i)
    if (hidden.at(i)) rows.push_back(i);
  Eigen::MatrixXd on(z.size(), rows.size());
  for (std::size_t n = 0; n < rows.size(); ++n) on.col(n) = z.on.col(rows[n]);
  return expected_counts(on);
}

double BetaFactor::entropy() const {
  return log_beta(on, off) - (on - 1) * digamma(on) - (off - 1) * digamma(off) +
         (on + off - 2) * digamma(on + off);
}

FiniteProbabilities::FiniteProbabilities(int rows, const Spec& spec)
    : rows_(rows),
      spec_(spec),
      alpha_(spec.alpha),
      pi_(spec.features),
      mean_log_(spec.features),
      mean_log_complement_(spec.features) {
  update(Eigen::VectorXd());
}

void FiniteProbabilities::update(const Eigen::VectorXd& counts) {
  for (int k = 0; k < spec_.features; ++k) {
    const double held = k < counts.size() ? counts(k) : 0;
    pi_[k] = {share() + held, spec_.concentration + rows_ - held};
  }
  tabulate();
  if (alpha_.learned()) alpha_.update(spec_.features, -mean_log_.sum() / spec_.features);
}

double FiniteProbabilities::bound(const Eigen::VectorXd& counts) const {
  double sum = alpha_.log_prior_and_entropy();
  for (int k = 0; k < spec_.features; ++k) {
    const double held = k < counts.size() ? counts(k) : 0;
    sum += log_prior(k) + held * log_on(k) + (rows_ - held) * log_off(k) + pi_[k].entropy();
  }
  return sum;
}

double FiniteProbabilities::log_prior(int k) const {
  if (alpha_.learned())
    return alpha_.mean_log() - std::log(spec_.features) + (share() - 1) * log_on(k);
  return (share() - 1) * log_on(k) + (spec_.concentration - 1) * log_off(k) -
         log_beta(share(), spec_.concentration);
}

void FiniteProbabilities::tabulate() {
  for (int k = 0; k < spec_.features; ++k) {
    mean_log_(k) = pi_[k].mean_log();
    mean_log_complement_(k) = pi_[k].mean_log_complement();
  }
}

StickProbabilities::StickProbabilities(int rows, const Spec& spec)
    : rows_(rows),
      alpha_(spec.alpha),
      v_(spec.features, {1, 1}),
      log_on_(spec.features),
      log_off_(spec.features),
      weights_(Eigen::MatrixXd::Zero(spec.features, spec.features)) {
  tabulate();
  update(Eigen::VectorXd());
}

void StickProbabilities::update(const Eigen::VectorXd& of_features) {
  const Eigen::VectorXd counts = of_all(of_features);
  for (int round = 0; round < 3; ++round) {
    const Eigen::VectorXd absent = rows_ - counts.array();
    // Loops from the last stick to the first: number of rows with the stick or a later one, and the
    // weights of later breaks.
    double held = 0;
    Eigen::VectorXd later = Eigen::VectorXd::Zero(size());
    for (int k = size() - 1; k >= 0; --k) {
      held += counts(k);
      v_[k].on = alpha_.mean() + held + absent.dot(later);
      v_[k].off = 1 + absent.dot(weights_.col(k));
      later += weights_.col(k);
    }
    tabulate();
    if (!alpha_.learned()) continue;
    double rate = 0;
    for (const BetaFactor& v : v_) rate -= v.mean_log();
    alpha_.update(size(), rate);
  }
}

double StickProbabilities::bound(const Eigen::VectorXd& of_features) const {
  const Eigen::VectorXd counts = of_all(of_features);
  double sum = alpha_.log_prior_and_entropy();
  for (int k = 0; k < size(); ++k)
    sum += alpha_.mean_log() + (alpha_.mean() - 1) * v_[k].mean_log() + v_[k].entropy() +
           counts(k) * log_on_(k) + (rows_ - counts(k)) * log_off_(k);
  return sum;
}

Eigen::VectorXd StickProbabilities::of_all(Eigen::VectorXd counts) const {
  const auto given = counts.size();
  counts.conservativeResize(size());
  counts.tail(size() - given).setZero();
  return counts;
}

void StickProbabilities::tabulate() {
  Eigen::VectorXd log_first(size());
  double log_before = 0, log_sum = -INFINITY;
  for (int k = 0; k < size(); ++k) {
    log_first(k) = log_before + v_[k].mean_log_complement();
    log_before += v_[k].mean_log();
    log_on_(k) = log_before;
    const double most = std::max(log_sum, log_first(k));
    log_sum = most + std::log(std::exp(log_sum - most) + std::exp(log_first(k) - most));
    log_off_(k) = log_sum;
    for (int y = 0; y <= k; ++y) weights_(k, y) = std::exp(log_first(y) - log_sum);
  }
}

SoftRow::SoftRow(const RowMoments& moments, const Eigen::VectorXd& log_odds, double tau)
    : moments_(moments),
      log_odds_(log_odds),
      tau_(tau),
      search_(problem_, RowRule::climb),
      rng_(0) {
  problem_.fresh.assign(log_odds.size(), 0);
}

void SoftRow::enter(int pattern, const Eigen::Ref<const Eigen::VectorXd>& score) {
  if (moments_.enter(pattern)) {
    problem_.weights = tau_ * moments_.observed();
    base_ = log_odds_ - 0.5 * problem_.weights.diagonal();
    problem_.weights.diagonal().setZero();
  }
  problem_.linear = base_ + tau_ * score;
}

void SoftRow::ascend(Row on, int passes) {
  load_.noalias() = problem_.weights * on;
  for (double change = 1; passes > 0 && change > 1e-8; --passes) {
    change = 0;
    for (Eigen::Index k = 0; k < load_.size(); ++k) {
      const double next = 1 / (1 + std::exp(load_(k) - problem_.linear(k))), by = next - on(k);
      if (std::abs(by) < 1e-12) continue;
      load_ += by * problem_.weights.col(k);
      on(k) = next;
      change = std::max(change, std::abs(by));
    }
  }
}

void SoftRow::search(Row on) {
  search_.improve([&](int k) { return on(k) > 0.5; }, rng_);
  other_.resize(on.size());
  for (Eigen::Index k = 0; k < on.size(); ++k) other_(k) = search_.best.on(static_cast<int>(k));
  ascend(other_, 5);
  if (value(other_) > value(on) + 1e-9) on = other_;
}

double SoftRow::value(const Eigen::VectorXd& on) const {
  return on.dot(problem_.linear) - 0.5 * on.dot(problem_.weights * on) + entropy_of_bits(on);
}

}  // namespace buffet
