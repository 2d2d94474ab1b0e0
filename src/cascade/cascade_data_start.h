#pragma once

#include <Eigen/Dense>
#include <vector>

#include "cascade.h"
#include "core/check.h"
#include "core/rng.h"

namespace buffet {

/// Principal components of the data that exceed the noise, rotated orthogonally so that each has
/// large loadings on few columns (varimax: Kaiser 1958), then obliquely, which makes the loadings
/// even simpler and the components correlated (promax with squared loadings: Hendrickson & White
/// 1964). Scores have variance 1.
struct SparseComponents {
  Eigen::MatrixXd filled;    ///< the data, with missing entries filled by the components
  Eigen::RowVectorXd means;  ///< column means
  Eigen::MatrixXd loadings;  ///< D x K
  Eigen::MatrixXd scores;    ///< N x K; scores * loadings' is the signal of the components
  double noise = 0;          ///< residual variance

  /// x: N x D, NaN if missing; finds at most `most` components. `check` may throw.
  SparseComponents(const Eigen::MatrixXd& x, int most, const Check& check);

 private:
  /// Finds the unrotated components of the filled data. Returns their fitted values, shrunk by the
  /// share of noise: missing entries filled without shrinkage would show up as components.
  Eigen::MatrixXd set(int most);

  void turn(const Check& check);

  /// True if rotating this pair of components improves the criterion.
  bool turn(int a, int b);

  /// Rotates the components obliquely towards the squares of their loadings.
  void lean();

  double observed_ = 1;  ///< share of entries that are observed
};

/// An initial state suggested by the data. Layer 1 has one unit for each sparse component of the
/// data, with edges to the columns that have large loadings; layer 2 is found from the scores of
/// layer 1 in the same way, and so on. A network started at random keeps its widths for hundreds of
/// sweeps: with too few units, they become mixtures; with too many, they fit noise.
class CascadeDataStart {
 public:
  CascadeDataStart(Cascade& cascade, Rng& rng) : cascade_(cascade), rng_(rng) {}

  /// `check` may throw.
  void operator()(const Check& check);

 private:
  /// Finds components of the data, then of their scores, and so on, up to the limits on the numbers
  /// of units.
  void find(const Check& check);

  /// Sets the units of layer m and their edges to the layer above.
  void set_layer(int m);

  void set_edges(int m);

  Cascade& cascade_;
  Rng& rng_;
  std::vector<SparseComponents> found_;  ///< components for each layer, from the visible one up
};

}  // namespace buffet
