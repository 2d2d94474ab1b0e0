#include "group_moments.h"

namespace buffet {

namespace {

/// Adds a(g, k) by(g), row by row; the single row of complete data is a separate vector.
template <class Block, class Scale>
void add_scaled(Block block, const Eigen::MatrixXd& a, const Scale& by) {
  if (block.rows() == 1) {
    Eigen::Map<Eigen::VectorXd>(block.data(), block.cols()) +=
        by(0) * Eigen::Map<const Eigen::VectorXd>(a.data(), a.cols());
    return;
  }
  for (Eigen::Index k = 0; k < block.cols(); ++k) block.col(k).array() += a.col(k).array() * by;
}

Eigen::MatrixXd appended(const Eigen::MatrixXd& old, Eigen::Index size, Eigen::Index more) {
  Eigen::MatrixXd larger = Eigen::MatrixXd::Zero(old.rows(), more * more);
  for (Eigen::Index k = 0; k < size; ++k)
    larger.middleCols(k * more, size) = old.middleCols(k * size, size);
  return larger;
}

}  // namespace

GroupPositions GroupPositions::none(const Eigen::ArrayXd& squares, Eigen::Index size) {
  const Eigen::MatrixXd zero = Eigen::MatrixXd::Zero(squares.size(), size);
  return {Eigen::ArrayXd::Zero(squares.size()), squares, zero, zero};
}

void GroupMoments::set(Eigen::Index group, const Eigen::MatrixXd& m, const Eigen::MatrixXd& g) {
  if (size_ != m.rows()) {
    size_ = m.rows();
    m_.setZero(groups(), m.size());
    g_.setZero(groups(), g.size());
  }
  m_.row(group) = Eigen::Map<const Eigen::RowVectorXd>(m.data(), m.size());
  g_.row(group) = Eigen::Map<const Eigen::RowVectorXd>(g.data(), g.size());
}

Eigen::MatrixXd GroupMoments::times_m(const Eigen::MatrixXd& x_p) const {
  Eigen::MatrixXd c = Eigen::MatrixXd::Zero(groups(), size_);
  for (Eigen::Index k = 0; k < size_; ++k)
    add_scaled(c.middleCols(0, size_), m(k), x_p.col(k).array());
  return c;
}

void GroupMoments::append(int count, double variance) {
  if (count == 0) return;
  const Eigen::Index more = size_ + count;
  m_ = appended(m_, size_, more);
  g_ = appended(g_, size_, more);
  for (Eigen::Index k = size_; k < more; ++k) m_.col(k * more + k).setConstant(variance);
  size_ = more;
}

void GroupMoments::learn(const GroupPositions& at, const Eigen::MatrixXd& c,
                         const Eigen::ArrayXd& has) {
  const Eigen::ArrayXd by = has / (1 + at.t);
  const Eigen::MatrixXd w = by.matrix().asDiagonal() * at.u, q = c - at.g;
  const Eigen::MatrixXd side = q + at.r.matrix().asDiagonal() * w;
  for (Eigen::Index k = 0; k < size_; ++k) {
    add_scaled(m_.middleCols(k * size_, size_), w, -at.u.col(k).array());
    add_scaled(g_.middleCols(k * size_, size_), w, q.col(k).array());
    add_scaled(g_.middleCols(k * size_, size_), side, w.col(k).array());
  }
}

}  // namespace buffet
