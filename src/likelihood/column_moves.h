#pragma once

namespace buffet {

/// How whole columns of Z are moved under a likelihood.
enum class ColumnMoves {
  none,
  collapsed,    ///< its loadings are integrated out
  uncollapsed,  ///< they can be: collapsed() after integrate_out()
  disjoint,     ///< splits and merges of features that no row has both of
  regressions,  ///< given augment(), the columns of the data are normal regressions on Z
  few_rows,     ///< bits of features with weights that few rows have, loadings integrated out
  rotations,    ///< those, and rotations of two features with weights
  choices       ///< exchanges of weight, copies, features of all items
};

}  // namespace buffet
