#include "beam_run.h"

#include <algorithm>
#include <boost/math/tools/minima.hpp>

#include "beam_new_row.h"
#include "core/special.h"
#include "gaussian/gaussian_moments.h"
#include "gaussian/gaussian_row.h"

namespace buffet {

GaussianSpectra::GaussianSpectra(const GroupedData& data, const Features& z)
    : p_(data.data().width(), z.size()) {
  const Completed x(data.data());
  for (int k = 0; k < z.size(); ++k) p_.col(k) = x.sum(z.column(k));
  for (int g = 0; g < data.size(); ++g) add(data, g, z);
  for (int i = 0; i < data.rows(); ++i) {
    const Eigen::ArrayXd squares = data.squares(i);
    for (int g = 0; g < data.size(); ++g) groups_[g].total += squares(g);
  }
}

double GaussianSpectra::log_lik(double variance, double rho) const {
  double sum = 0;
  for (const Group& g : groups_) {
    const auto shifted = g.values.array() + rho;
    sum += -0.5 * g.rows * g.columns * std::log(2 * M_PI * variance) - 0.5 * g.total / variance;
    if (g.values.size() == 0) continue;
    sum += 0.5 * g.columns * (std::log(rho) - shifted.log()).sum() +
           0.5 * (g.squares.array() / shifted).sum() / variance;
  }
  return sum;
}

std::vector<Eigen::MatrixXd> GaussianSpectra::inverses(double rho) const {
  std::vector<Eigen::MatrixXd> all;
  for (const Group& g : groups_) all.push_back(ridge_inverse(g.shared, rho));
  return all;
}

Eigen::MatrixXd GaussianSpectra::mean(const GroupedData& data, double rho) const {
  Eigen::MatrixXd mean(p_.rows(), p_.cols());
  const auto inverses = this->inverses(rho);
  for (int g = 0; g < data.size(); ++g)
    for (int d : data.columns(g)) mean.row(d) = p_.row(d) * inverses[g];
  return mean;
}

void GaussianSpectra::add(const GroupedData& data, int g, const Features& z) {
  const Bits seen = complement(data.hidden(g), data.rows());
  Features part(z.rows());
  for (int k = 0; k < z.size(); ++k) {
    Bits column = z.column(k);
    column &= seen;
    part.add(std::move(column));
  }
  Group group{double(seen.count()), data.count(g), 0, shared_counts(part), {}, {}};
  if (z.size() > 0) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(group.shared);
    group.values = eigen.eigenvalues().cwiseMax(0.0);
    group.squares = Eigen::VectorXd::Zero(z.size());
    for (int d : data.columns(g))
      group.squares += (p_.row(d) * eigen.eigenvectors()).cwiseAbs2().transpose();
  }
  groups_.push_back(std::move(group));
}

BeamJoint::BeamJoint(const GroupedData& data, const Exchangeable& prior, const Precisions& tau,
                     const Features& z)
    : spectra_(data, z),
      tau_(tau),
      log_prior_(prior.log_evidence(z) + log_factorial(z.size()) - z.log_repeats(log_factorial)) {}

double BeamJoint::operator()(LogPrecisions at) const {
  return log_prior_ + spectra_.log_lik(at.variance(), at.rho()) +
         tau_.x.log_prior_of_log(std::exp(at.x)) + tau_.a.log_prior_of_log(std::exp(at.a));
}

LogPrecisions BeamJoint::best_from(LogPrecisions at) const {
  for (int round = 0; round < 100; ++round) {
    const double before = (*this)(at);
    if (tau_.x.learned)
      at = better(at, &LogPrecisions::x, {at.x - reach, std::min(at.x + reach, at.a + most)});
    if (tau_.a.learned)
      at = better(at, &LogPrecisions::a, {std::max(at.a - reach, at.x - most), at.a + reach});
    if (!((*this)(at) > before + 1e-9)) break;
  }
  return at;
}

LogPrecisions BeamJoint::better(LogPrecisions at, double LogPrecisions::*which,
                                std::pair<double, double> ends) const {
  const auto minus = [&](double value) {
    LogPrecisions other = at;
    other.*which = value;
    return -(*this)(other);
  };
  const auto [value, least] =
      boost::math::tools::brent_find_minima(minus, ends.first, ends.second, 30);
  if (-least > (*this)(at)) at.*which = value;
  return at;
}

BeamRun::BeamRun(const GroupedData& data, Model model, BeamPlan plan,
                 std::vector<LogPrecisions> starts)
    : data_(data),
      model_(std::move(model)),
      plan_(plan),
      starts_(std::move(starts)),
      at_(starts_.front()),
      best_(data.rows()) {}

std::vector<LogPrecisions> BeamRun::starts(double rms, const Precisions& tau, LogPrecisions given) {
  std::vector<LogPrecisions> starts;
  const double size = rms > 0 ? -2 * std::log(rms) : 0;
  for (double share : {0.5, 0.25, 0.125}) {
    LogPrecisions at{tau.x.learned ? size - 2 * std::log(share) : std::log(tau.x.value),
                     tau.a.learned ? size : std::log(tau.a.value)};
    if (!std::isnan(given.x)) at.x = given.x;
    if (!std::isnan(given.a)) at.a = given.a;
    if (tau.x.learned) at.x = std::min(at.x, at.a + 13);
    if (tau.a.learned) at.a = std::max(at.a, at.x - 13);
    starts.push_back(at);
    if (!tau.x.learned || !std::isnan(given.x)) break;
  }
  return starts;
}

void BeamRun::step(const Check& check) {
  Beam beam({data_, Sequential(model_.prior, data_.rows()), at_.variance(), at_.rho()}, plan_);
  while (!beam.finished()) beam.step(check);
  Features z = beam.matrix(beam.best());
  const BeamJoint joint(data_, Exchangeable(data_.rows(), model_.prior), model_.tau, z);
  at_ = joint.best_from(at_);
  const double value = joint(at_);
  const bool learned = model_.tau.x.learned || model_.tau.a.learned;
  const bool rises = value > value_ + 1e-8 * size_in_units_of(data_.data(), value);
  value_ = std::max(value_, value);
  if (value > best_value_ || !has_result()) {
    best_ = std::move(z);
    best_at_ = at_;
    best_value_ = value;
  }
  trace_.push_back(best_value_);
  if (!learned || !rises || ++round_ == most_rounds) next_start();
}

void BeamRun::next_start() {
  ++start_;
  round_ = 0;
  value_ = none;
  if (!finished()) at_ = starts_[start_];
}

std::vector<int> most_probable(const Eigen::VectorXd& x, const BeamFit& fit,
                               const Sequential& prior) {
  const auto size = fit.mean.cols();
  const int groups = static_cast<int>(fit.covariance.size());
  Eigen::ArrayXd counts = Eigen::ArrayXd::Zero(groups);
  BeamProblem problem(fit.variance);
  problem.row.squares = Eigen::ArrayXd::Zero(groups);
  problem.row.c = Eigen::MatrixXd::Zero(groups, size);
  std::vector<Eigen::MatrixXd> squares(groups, Eigen::MatrixXd::Zero(size, size));
  for (int d = 0; d < x.size(); ++d) {
    if (std::isnan(x(d))) continue;
    const int g = fit.of[d];
    counts(g) += 1;
    problem.row.squares(g) += x(d) * x(d);
    problem.row.c.row(g) += x(d) * fit.mean.row(d);
    squares[g] += fit.mean.row(d).transpose() * fit.mean.row(d);
  }
  GroupMoments moments(groups);
  for (int g = 0; g < groups; ++g) moments.set(g, fit.covariance[g] / fit.variance, squares[g]);
  problem.row.groups = RowGroups(counts);
  problem.row.moments = &moments;
  for (int k = 0; k < size; ++k)
    problem.classes.push_back(
        {k, 1, prior.log_odds(fit.rows, fit.counts[k]), prior.log_off(fit.rows, fit.counts[k])});
  RowBeam beam;
  double best = -std::numeric_limits<double>::infinity();
  std::vector<int> held;
  for (int born = 0;; ++born) {
    if (born > RowDensity::too_many) throw_too_many(RowDensity::too_many);
    problem.from_new = born / fit.rho;
    beam.search(problem, 10);
    int first = 0;
    for (int s = 1; s < beam.size(); ++s)
      if (beam[s].value > beam[first].value) first = s;
    const double value = beam[first].value + prior.log_new(fit.rows, static_cast<int>(size), born);
    if (!(value > best)) return held;
    best = value;
    held = beam[first].held;
  }
}

}  // namespace buffet
