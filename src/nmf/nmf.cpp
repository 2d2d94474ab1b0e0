#include "nmf.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "core/slice.h"
#include "core/special.h"
#include "icm.h"
#include "nmf_gibbs.h"

namespace buffet {

template class FactorUpdate<ToMode>;
template class FactorUpdate<ByDraw>;

NmfSide::NmfSide(GaussianData observations)
    : x(std::move(observations)), masks(x.rows(), x.columns()) {
  masks.add(x);
  masks.finish();
}

ObservedGram::ObservedGram(const Masks& masks, const Eigen::MatrixXd& factor,
                           const Eigen::MatrixXd& whole)
    : masks_(masks), factor_(factor), whole_(whole) {}

const Eigen::MatrixXd& ObservedGram::of(int pattern) {
  if (pattern == of_) return gram_;
  of_ = pattern;
  const std::vector<int>& hidden = masks_.hidden(pattern);
  if (2 * hidden.size() <= static_cast<std::size_t>(factor_.cols())) {
    gram_ = whole_;
    if (hidden.empty()) return gram_;
    const Eigen::MatrixXd lost = columns(hidden);
    gram_.noalias() -= lost * lost.transpose();
    // A small residual must not be mostly rounding error.
    if ((gram_.diagonal().array() >= 1e-3 * whole_.diagonal().array()).all()) return gram_;
  }
  const Eigen::MatrixXd seen = columns(others(hidden));
  gram_.noalias() = seen * seen.transpose();
  return gram_;
}

Eigen::MatrixXd ObservedGram::columns(const std::vector<int>& which) const {
  Eigen::MatrixXd some(factor_.rows(), which.size());
  for (std::size_t n = 0; n < which.size(); ++n) some.col(n) = factor_.col(which[n]);
  return some;
}

std::vector<int> ObservedGram::others(const std::vector<int>& hidden) const {
  std::vector<int> seen;
  std::size_t h = 0;
  for (int d = 0; d < factor_.cols(); ++d) {
    if (h < hidden.size() && hidden[h] == d)
      ++h;
    else
      seen.push_back(d);
  }
  return seen;
}

double NmfData::size() const {
  const double size = rows.x.root_mean_square();
  return size > 0 ? size : 1;
}

Nmf::Nmf(const NmfData& data, const NmfModel& model)
    : data_(&data),
      model_(model),
      w_(Eigen::MatrixXd::Zero(model.rank, data.rows.x.rows())),
      a_(Eigen::MatrixXd::Zero(model.rank, data.columns.x.rows())),
      precision_(model.precision.value) {}

Eigen::MatrixXd Nmf::loadings() const {
  Eigen::MatrixXd both(a_.cols() + w_.cols(), a_.rows());
  both << a_.transpose(), w_.transpose();
  return both;
}

void Nmf::start(const NmfStart& given, Rng& rng) {
  const double each = std::sqrt(data_->size() / model_.rank);
  const double ratio = std::sqrt(model_.rate_a / model_.rate_w);
  const auto draw = [&](double mean) {
    return [&rng, mean] { return -mean * std::log(rng.uniform()); };
  };
  w_ = Eigen::MatrixXd::NullaryExpr(w_.rows(), w_.cols(), draw(each * ratio));
  a_ = Eigen::MatrixXd::NullaryExpr(a_.rows(), a_.cols(), draw(each / ratio));
  const bool has_w = given.w.size() > 0, has_a = given.a.size() > 0;
  if (has_w) w_ = given.w;
  if (has_a) a_ = given.a;
  if (model_.precision.learned) {
    const double sigma = std::isnan(given.sigma_x) ? 0.1 * data_->size() : given.sigma_x;
    precision_ = 1 / (sigma * sigma);
  }
  const auto check = [] {};
  if (has_w && !has_a) update_a(ToMode(), check);
  // Without a pass over the factor, only the sum of squares changes.
  squares_ = FactorUpdate<ToMode>(of_columns(), ToMode(), 0)(a_, 1, check);
  if (has_w && has_a && std::isnan(given.sigma_x)) maximise_precision();
}

void Nmf::climb(int threads, const Check& check) {
  FactorUpdate<ToMode>(of_rows(), ToMode(), 4)(w_, threads, check);
  squares_ = FactorUpdate<ToMode>(of_columns(), ToMode(), 4)(a_, threads, check);
  balance();
  maximise_precision();
}

void Nmf::sweep(Rng& rng, const Check& check) {
  FactorUpdate<ByDraw>(of_rows(), ByDraw{rng}, 1)(w_, 1, check);
  squares_ = FactorUpdate<ByDraw>(of_columns(), ByDraw{rng}, 1)(a_, 1, check);
  draw_balance(rng);
  const Hyper& h = model_.precision;
  if (h.learned) precision_ = rng.gamma(h.shape + 0.5 * data_->observed(), h.rate + 0.5 * squares_);
}

double Nmf::log_lik() const {
  return 0.5 * (data_->observed() * std::log(precision_ / (2 * M_PI)) - precision_ * squares_);
}

double Nmf::log_joint() const {
  const Hyper& h = model_.precision;
  double sum = log_lik() + w_.size() * std::log(model_.rate_w) - model_.rate_w * w_.sum() +
               a_.size() * std::log(model_.rate_a) - model_.rate_a * a_.sum();
  if (h.learned)
    sum += h.shape * std::log(h.rate) - log_gamma(h.shape) + (h.shape + 1) * std::log(precision_) -
           h.rate * precision_;
  return sum;
}

void Nmf::update_a(ToMode rule, const Check& check) {
  FactorUpdate<ToMode>(of_columns(), rule, 100)(a_, 1, check);
}

void Nmf::maximise_precision() {
  const Hyper& h = model_.precision;
  if (h.learned) precision_ = (h.shape + 0.5 * data_->observed() + 1) / (h.rate + 0.5 * squares_);
}

void Nmf::balance() {
  for (int k = 0; k < model_.rank; ++k) {
    const double of_w = model_.rate_w * w_.row(k).sum(), of_a = model_.rate_a * a_.row(k).sum();
    if (of_w > 0 && of_a > 0) {
      multiply(k, std::sqrt(of_a / of_w));
    } else {
      w_.row(k).setZero();
      a_.row(k).setZero();
    }
  }
}

void Nmf::draw_balance(Rng& rng) {
  const double surplus = double(w_.cols()) - double(a_.cols());
  for (int k = 0; k < model_.rank; ++k) {
    const double of_w = model_.rate_w * w_.row(k).sum(), of_a = model_.rate_a * a_.row(k).sum();
    if (!(of_w > 0 && of_a > 0)) continue;
    const auto log_density = [&](double u) {
      return surplus * u - of_w * std::exp(u) - of_a * std::exp(-u);
    };
    const double curvature = std::sqrt(surplus * surplus + 4 * of_w * of_a);
    multiply(k, std::exp(slice_sample(0, log_density, 2 / std::sqrt(curvature), rng)));
  }
}

void Nmf::multiply(int k, double by) {
  w_.row(k) *= by;
  a_.row(k) /= by;
}

Eigen::MatrixXd weights_given(const NmfGiven& given, int averaged, Rng& rng, const Check& check) {
  Eigen::MatrixXd w = Eigen::MatrixXd::Zero(given.other.rows(), given.side.x.rows());
  FactorUpdate<ToMode>(given, ToMode(), 10000)(w, 1, no_check);
  if (averaged == 0) return w;
  const FactorUpdate<ByDraw> draw(given, ByDraw{rng}, 4);
  for (int n = 0; n < 3; ++n) draw(w, 1, no_check);
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(w.rows(), w.cols());
  for (int n = 0; n < averaged; ++n) {
    check();
    draw(w, 1, no_check);
    sum += w;
  }
  return sum / averaged;
}

NmfGibbs::NmfGibbs(const NmfData& data, const NmfModel& model, Rng rng_)
    : z(data.rows.x.rows()), likelihood(data, model), rng(std::move(rng_)) {
  Bits all(z.rows());
  for (int i = 0; i < z.rows(); ++i) all.set(i);
  for (int k = 0; k < model.rank; ++k) z.add(all);
}

void NmfGibbs::sweep(const Check& check) {
  likelihood.sweep(rng, check);
}

std::vector<double> NmfGibbs::scalars() const {
  return {likelihood.sigma_x(), likelihood.log_lik(), likelihood.log_joint()};
}

double IcmRun::Ascent::objective() const {
  return trace.empty() ? -INFINITY : trace.back();
}

IcmRun::IcmRun(const Nmf& nmf, const IcmPlan& plan, NmfStart start, std::uint64_t seed)
    : plan_(plan), start_(std::move(start)), seed_(seed), now_{nmf}, best_{nmf} {
  // The same start would lead to the same result again.
  if (start_.w.size() > 0 && start_.a.size() > 0) plan_.restarts = 1;
  begin();
}

void IcmRun::step(const Check& check) {
  const Nmf before = now_.state;
  try {
    now_.state.climb(plan_.threads, check);
  } catch (...) {
    now_.state = before;
    throw;
  }
  ++done_;
  const double last = now_.objective(), next = now_.state.log_joint();
  now_.trace.push_back(next);
  now_.converged =
      next - last <= plan_.tol * size_in_units_of(now_.state.data().rows.x, now_.state.log_lik());
  if (!now_.converged && static_cast<int>(now_.trace.size()) < plan_.iter) return;
  if (now_.objective() > best_.objective()) best_ = now_;
  ++restart_;
  if (!finished()) begin();
}

void IcmRun::begin() {
  Rng rng(seed_, restart_);
  now_.state.start(start_, rng);
  now_.trace.clear();
  now_.converged = false;
}

}  // namespace buffet
