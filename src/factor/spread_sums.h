#pragma once

#include <Eigen/Dense>
#include <cmath>

namespace buffet {

/// Sums over many columns of y^2 / s and of log(s), s > 0, with half a division per column and few
/// logarithms.
struct SpreadSums {
  static constexpr int block = 2, step = 2 * block;
  using Block = Eigen::Array<double, block, 1>;

  double fit = 0, log = 0;

  /// The required size of arrays; columns with y = 0 and s = 1 add nothing.
  static Eigen::Index padded(Eigen::Index size) { return (size + step - 1) / step * step; }

  /// squares(d) and spreads(d) return the Blocks of y^2 and s that begin at column d.
  template <class Squares, class Spreads>
  SpreadSums(Eigen::Index size, Squares squares, Spreads spreads) {
    Block fits = Block::Zero(), product = Block::Ones();
    for (Eigen::Index d = 0; d < size; d += step) {
      const Block s = spreads(d), t = spreads(d + block), both = s * t;
      fits += (squares(d) * t + squares(d + block) * s) / both;
      product *= both;
      // In some units of the data, all s are below 1, and their product would underflow.
      if (product.maxCoeff() < 1e150 && product.minCoeff() > 1e-150) continue;
      log += log_of(product);
      product.setOnes();
    }
    fit = fits.sum();
    log += log_of(product);
  }

 private:
  /// Takes a copy, so the loop can keep the product in a register.
  static double log_of(Block product) { return std::log(product(0)) + std::log(product(1)); }
};

}  // namespace buffet
