#pragma once

#include <Eigen/Dense>
#include <vector>

#include "cascade.h"
#include "core/check.h"
#include "core/rng.h"

namespace buffet {

/// Principal components of data that stand out of noise, turned so that each is a matter of few
/// columns (varimax: Kaiser 1958), then without right angles, so that more so and correlated
/// (promax, loadings squared: Hendrickson & White 1964). Scores have variance 1.
struct SparseComponents {
  Eigen::MatrixXd filled;    ///< the data, what is missing as the components have it
  Eigen::RowVectorXd means;  ///< of its columns
  Eigen::MatrixXd loadings;  ///< D x K
  Eigen::MatrixXd scores;    ///< N x K; scores * loadings' is the signal of the components
  double noise = 0;          ///< variance of what they leave

  /// x: N x D, NaN where missing; at most this many components. `check` may throw.
  SparseComponents(const Eigen::MatrixXd& x, int most, const Check& check);

 private:
  /// Those of the data as they are filled, not turned. What they say of the data, less what noise
  /// has in it: missing entries that were filled with all of it would be taken for components.
  Eigen::MatrixXd set(int most);

  void turn(const Check& check);

  /// True if rotating two of them against each other improves the criterion.
  bool turn(int a, int b);

  /// Makes them as simple as their squares are.
  void lean();

  double observed_ = 1;  ///< share of the entries
};

/// A start that the data suggest: a unit of layer 1 for each of their sparse components, with edges
/// to the columns with large loadings, then layer 2 from the scores of layer 1, and so on. A random
/// network keeps its widths for hundreds of sweeps: too few units become mixtures, too many fit
/// noise.
class CascadeDataStart {
 public:
  CascadeDataStart(Cascade& cascade, Rng& rng) : cascade_(cascade), rng_(rng) {}

  /// `check` may throw.
  void operator()(const Check& check);

 private:
  /// Components of the data, of their scores, and so on; no more than there may be units.
  void find(const Check& check);

  /// The units of layer m and what they have of the layer above.
  void set_layer(int m);

  void set_edges(int m);

  Cascade& cascade_;
  Rng& rng_;
  std::vector<SparseComponents> found_;  ///< of each layer, from the visible one up
};

}  // namespace buffet
