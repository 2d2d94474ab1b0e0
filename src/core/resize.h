#pragma once

#include <Eigen/Dense>

/// Vectors and matrices whose entries follow the columns of Features: a new feature comes last;
/// when a feature is dropped, the last one takes its place.

namespace buffet {

inline void drop_entry(Eigen::VectorXd& v, int k) {
  const auto last = v.size() - 1;
  v(k) = v(last);
  v.conservativeResize(last);
}

template <class Matrix>
void drop_column(Matrix& m, int k) {
  const auto last = m.cols() - 1;
  m.col(k) = m.col(last);
  m.conservativeResize(Eigen::NoChange, last);
}

/// Drops row and column k from the upper left corner of a matrix with spare room, without resizing
/// it.
inline void drop_both_within(Eigen::MatrixXd& m, Eigen::Index size, int k) {
  m.col(k).head(size) = m.col(size - 1).head(size);
  m.row(k).head(size) = m.row(size - 1).head(size);
}

/// Drops row and column k of a matrix without spare room.
inline void drop_both(Eigen::MatrixXd& m, int k) {
  const auto last = m.cols() - 1;
  drop_both_within(m, last + 1, k);
  m.conservativeResize(last, last);
}

/// Makes room for `size` rows and columns, and some more, which makes appending cheap.
inline void make_room(Eigen::MatrixXd& m, Eigen::Index size) {
  if (m.rows() >= size) return;
  const Eigen::Index room = size + size / 2;
  m.conservativeResize(room, room);
}

inline void append_entry(Eigen::VectorXd& v, double value) {
  v.conservativeResize(v.size() + 1);
  v(v.size() - 1) = value;
}

template <class Matrix, class Column>
void append_column(Matrix& m, const Column& column) {
  m.conservativeResize(Eigen::NoChange, m.cols() + 1);
  m.col(m.cols() - 1) = column;
}

/// Appends a row and column that are zero off the diagonal.
inline void append_both(Eigen::MatrixXd& m, double diagonal) {
  const auto last = m.rows();
  m.conservativeResize(last + 1, last + 1);
  m.row(last).setZero();
  m.col(last).setZero();
  m(last, last) = diagonal;
}

}  // namespace buffet
