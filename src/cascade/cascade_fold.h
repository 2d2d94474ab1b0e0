#pragma once

#include <Eigen/Dense>
#include <array>
#include <map>
#include <vector>

#include "cascade_activations.h"
#include "cascade_record.h"

namespace buffet {

/// E squash(y + e), e ~ N(0, 1 / precision of the column), by Gauss & Hermite's five points.
inline Eigen::MatrixXd mean_response(const Eigen::MatrixXd& y, const Eigen::VectorXd& precision) {
  constexpr std::array<double, 3> nodes = {0, 1.3556261799742659, 2.8569700138728056};
  constexpr std::array<double, 3> weights = {8 / 15.0, 0.22207592200561263, 0.011257411327720691};
  const Eigen::RowVectorXd sd = precision.cwiseSqrt().cwiseInverse().transpose();
  Eigen::MatrixXd mean = weights[0] * squash(y);
  for (int n : {1, 2})
    for (int sign : {-1, 1})
      mean += weights[n] * squash(Eigen::MatrixXd(y.rowwise() + sign * nodes[n] * sd));
  return mean;
}

/// New rows of a network whose structure and weights are known: their hidden activations are
/// sampled given what is observed of them, beginning with the means from the top down.
class CascadeFold {
 public:
  struct Plan {
    int warmup = 30, sweeps = 30;
    ActivationSampler sampler = ActivationSampler::slice;
  };

  /// x: rows x D, NaN where missing.
  CascadeFold(std::vector<CascadeLayer> layers, const Eigen::MatrixXd& x, const Plan& plan)
      : layers_(std::move(layers)), x_(x), plan_(plan) {}

  /// Means of the response, rows x D; `check` may throw.
  template <class Check>
  Eigen::MatrixXd response(Rng& rng, Check check) {
    Eigen::MatrixXd all(x_.rows(), x_.cols());
    for (const auto& [observed, rows] : patterns()) {
      const Eigen::MatrixXd of_rows = response(observed, rows, rng, check);
      for (std::size_t n = 0; n < rows.size(); ++n) all.row(rows[n]) = of_rows.row(n);
    }
    return all;
  }

 private:
  using Numbers = std::vector<int>;

  /// Rows by the columns that are observed of them.
  std::map<Numbers, Numbers> patterns() const {
    std::map<Numbers, Numbers> all;
    for (int n = 0; n < x_.rows(); ++n) {
      Numbers observed;
      for (int k = 0; k < x_.cols(); ++k)
        if (!std::isnan(x_(n, k))) observed.push_back(k);
      all[observed].push_back(n);
    }
    return all;
  }

  /// The network whose visible units are the observed ones.
  Cascade network(const CascadeData& data, const Numbers& observed) const {
    CascadeModel model;
    model.max_layers = static_cast<int>(layers_.size()) - 1;
    model.sampler = plan_.sampler;
    Cascade cascade(data, model);
    CascadeLayer& visible = cascade.layers[0];
    visible.weights.resize(layers_[0].parents(), visible.units());
    for (int k = 0; k < visible.units(); ++k) {
      visible.bias(k) = layers_[0].bias(observed[k]);
      visible.precision(k) = layers_[0].precision(observed[k]);
      visible.weights.col(k) = layers_[0].weights.col(observed[k]);
    }
    for (int m = model.max_layers; m > 0; --m) {
      cascade.layers[m] = layers_[m];
      cascade.layers[m].x.resize(data.x.rows(), layers_[m].units());
      cascade.layers[m].x = cascade.means(m);
      cascade.layers[m].u = squash(cascade.layers[m].x);
    }
    return cascade;
  }

  template <class Check>
  Eigen::MatrixXd response(const Numbers& observed, const Numbers& rows, Rng& rng, Check check) {
    Eigen::MatrixXd seen(rows.size(), observed.size());
    for (std::size_t n = 0; n < rows.size(); ++n)
      for (std::size_t k = 0; k < observed.size(); ++k) seen(n, k) = x_(rows[n], observed[k]);
    const CascadeData data(std::move(seen));
    Cascade cascade = network(data, observed);
    const int depth = cascade.model.max_layers;
    if (depth == 0)
      return mean_response(layers_[0].bias.transpose().replicate(rows.size(), 1),
                           layers_[0].precision);
    const ChildrenTerms visible(cascade.layers[0]);
    CascadeActivations activations(cascade, rng);
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(rows.size(), x_.cols());
    int counted = 0;
    const int last = plan_.warmup + plan_.sweeps;
    for (int t = 1; t <= last; ++t) {
      activations.visit_layer(1, visible, check);
      for (int m = 2; m <= depth; ++m)
        activations.visit_layer(m, ChildrenTerms(cascade.layers[m - 1]), check);
      // Sweeps that follow one another say nearly the same: every third, the last one among them.
      if (t <= plan_.warmup || (last - t) % 3 != 0) continue;
      const Eigen::MatrixXd& u = cascade.layers[1].u;
      sum += mean_response((u * layers_[0].weights).rowwise() + layers_[0].bias.transpose(),
                           layers_[0].precision);
      ++counted;
    }
    return sum / counted;
  }

  std::vector<CascadeLayer> layers_;
  const Eigen::MatrixXd& x_;
  Plan plan_;
};

}  // namespace buffet
