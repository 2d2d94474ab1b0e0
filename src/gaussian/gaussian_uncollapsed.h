#pragma once

#include <Eigen/Dense>
#include <array>
#include <cmath>

#include "core/archive.h"
#include "core/normal_vector.h"
#include "gaussian_collapsed.h"
#include "gaussian_explicit.h"
#include "gaussian_row.h"

namespace buffet {

/// Loadings A ~ N(0, sigma_a^2) in the state while rows are visited. A row's singletons are drawn
/// with their loadings integrated out; the loadings then come from their conditional. Between
/// visits all loadings are integrated out (for moves of whole features and standard deviations),
/// then redrawn given Z.
class GaussianUncollapsed : public GaussianExplicit {
 public:
  using Precisions = buffet::Precisions;
  using Searcher = GaussianCollapsed;
  static constexpr bool keeps_loadings = false, searches = true;

  GaussianUncollapsed(const GaussianData& data, Precisions precisions)
      : GaussianExplicit(data), collapsed_(data, precisions) {}

  /// Starts from Z alone, with the loadings at their posterior mean.
  void reset(const Features& z) {
    collapsed_.reset(z);
    set_loadings(collapsed_.loadings());
    variance_ = collapsed_.noise_variance();
  }

  template <class LogPriorRatio>
  int draw_own(LogPriorRatio log_prior_ratio, Rng& rng) {
    const Eigen::VectorXd rest = rest_without_own();
    const RowPosition none{0, rest.squaredNorm()};
    const int own = draw_own_count(log_prior_ratio, OwnDensity{row_density(), none}, rng);
    draw_own_loadings(own, rest, rho(), rng);
    return own;
  }

  /// The log ratio for a feature that no other row has, with its loadings integrated out, and a
  /// draw of these loadings for the row, which does not have the feature yet.
  double log_ratio_own(int k) const {
    const double square = rest_without(k).squaredNorm();
    const RowDensity density = row_density();
    return density({1 / density.rho, square}) - density({0, square});
  }
  void draw_loading(int k, Rng& rng) {
    draw_own_loadings(1, residual_, rho(), rng);
    set_loading(k, drawn_.col(0));
  }

  /// Discards the loadings for updates that integrate them out.
  void integrate_out(const Features& z, Rng& rng) {
    complete(z, collapsed_.completed(), rng);
    collapsed_.reset(z);
  }
  GaussianCollapsed& collapsed() { return collapsed_; }

  /// Draws the learned precisions with the loadings integrated out, then the loadings.
  void update(const Features& z, Rng& rng) {
    collapsed_.update(z, rng);
    variance_ = collapsed_.noise_variance();
    draw_loadings(rng);
  }

  double log_lik(const Features& z) const { return collapsed_.log_lik(z); }

  static constexpr auto& hyperparameter_names = GaussianCollapsed::hyperparameter_names;
  std::array<double, 2> hyperparameters() const { return collapsed_.hyperparameters(); }
  double log_hyperprior() const { return collapsed_.log_hyperprior(); }
  double sigma_x() const { return collapsed_.sigma_x(); }
  double sigma_a() const { return collapsed_.sigma_a(); }
  const Precisions& precisions() const { return collapsed_.precisions(); }
  void set_precisions(double x, double a) { collapsed_.set_precisions(x, a); }
  void start_at(const std::array<double, 2>& sigmas) { put_sigmas(*this, sigmas); }
  void restart() { collapsed_.restart(); }
  const GaussianCollapsed& searcher() const { return collapsed_; }
  void adopt(GaussianCollapsed searcher, const Features& z) {
    collapsed_ = std::move(searcher);
    reset(z);
  }

  void archive(Archive& a) {
    GaussianExplicit::archive(a);
    a(collapsed_);
    variance_ = collapsed_.noise_variance();
  }
  bool fits(const Features& z) const { return GaussianExplicit::fits(z) && collapsed_.fits(z); }

 private:
  RowDensity row_density() const { return {double(observed()), variance_, collapsed_.rho()}; }
  /// The ratio, which is the same for every column.
  Eigen::ArrayXd::ConstantReturnType rho() const {
    return Eigen::ArrayXd::Constant(data().width(), collapsed_.rho());
  }

  void draw_loadings(Rng& rng) {
    set_loadings(draw_normal_loadings(collapsed_.statistics(), variance_, collapsed_.rho(), rng));
  }

  GaussianCollapsed collapsed_;
};

}  // namespace buffet
