#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <vector>

#include "core/features.h"
#include "core/rng.h"
#include "gaussian/gaussian_rows.h"

namespace buffet {

/// Rows in a cyclic order that begins at one of them. In this order, the first one or two rows with
/// a feature keep it, and the rows before them stay without it. The feature then keeps these rows
/// whatever happens to the later ones, which are therefore independent of each other.
class FirstHolders {
 public:
  /// z: the worker's own part; over all workers, each feature has at least `holders` rows. holders:
  /// the number of first rows that keep a feature.
  FirstHolders(const GaussianRows& data, const Features& z, int first_row, int holders)
      : rows_(data.rows()), first_row_(first_row) {
    Eigen::VectorXd own(z.size() * holders);
    for (int k = 0; k < z.size(); ++k) find(data, z.column(k), own.segment(k * holders, holders));
    const Eigen::VectorXd all = data.team.gather(own);
    for (int k = 0; k < z.size(); ++k) {
      std::vector<double> places;
      for (Eigen::Index m = 0; m < all.size(); m += own.size())
        for (int h = 0; h < holders; ++h) places.push_back(all(m + k * holders + h));
      std::nth_element(places.begin(), places.begin() + holders - 1, places.end());
      last_kept_.push_back(static_cast<int>(places[holders - 1]));
    }
  }

  /// The features whose bits may be drawn for a row, in random order.
  void list_free(int row, Rng& rng, std::vector<int>& free) const {
    rng.permutation(static_cast<int>(last_kept_.size()), free);
    const auto kept = [&](int k) { return !frees(row, k); };
    free.erase(std::remove_if(free.begin(), free.end(), kept), free.end());
  }

 private:
  bool frees(int row, int k) const { return place(row) > last_kept_[k]; }
  int place(int row) const { return (row - first_row_ + rows_) % rows_; }

  /// The positions of a worker's first rows with each feature, or positions after all rows if it
  /// has none.
  template <class Places>
  void find(const GaussianRows& data, const Bits& own, Places places) const {
    places.setConstant(rows_);
    const int begin = first_row_ - data.first_row();
    const bool within = begin >= 0 && begin < data.own_rows();
    int found = 0;
    const auto take = [&](int from, int end) {
      for (int i = own.next(from); i >= 0 && i < end && found < places.size(); i = own.next(i + 1))
        places(found++) = place(data.first_row() + i);
    };
    if (within) take(begin, data.own_rows());
    take(0, within ? begin : data.own_rows());
  }

  int rows_, first_row_;
  std::vector<int> last_kept_;
};

}  // namespace buffet
