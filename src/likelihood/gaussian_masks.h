#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/bits.h"
#include "gaussian_data.h"

namespace buffet {

/// Which entries are missing, with identical rows and identical columns taken together: what
/// depends on the observed entries alone is computed once for each pattern.
class Masks {
 public:
  /// Columns that lack the same rows.
  struct Columns {
    Bits hidden;
    std::vector<int> columns;
  };

  Masks(int rows, int columns) : rows_(rows), hiding_(columns) { of_row_.reserve(rows); }

  /// The next rows of the data.
  void add(const GaussianData& block) {
    for (int i = 0; i < block.rows(); ++i) {
      std::vector<int> hidden;
      block.for_hidden(i, [&](int d) {
        hidden.push_back(d);
        if (!hiding_[d]) hiding_[d].emplace(rows_);
        hiding_[d]->set(static_cast<int>(of_row_.size()));
      });
      count_hidden_ += hidden.size();
      const auto [known, fresh] = numbers_.emplace(std::move(hidden), patterns());
      if (fresh) hidden_.push_back(&known->first);
      of_row_.push_back(known->second);
    }
  }
  /// After the last rows.
  void finish() {
    std::map<Bits, std::size_t> numbers;
    for (std::size_t d = 0; d < hiding_.size(); ++d) {
      Bits hidden = hiding_[d] ? std::move(*hiding_[d]) : Bits(rows_);
      const auto [known, fresh] = numbers.emplace(hidden, groups_.size());
      if (fresh) groups_.push_back({std::move(hidden), {}});
      groups_[known->second].columns.push_back(static_cast<int>(d));
    }
    hiding_.clear();
  }

  int rows() const { return rows_; }
  /// Number of missing entries.
  double count_hidden() const { return count_hidden_; }
  const std::vector<Columns>& groups() const { return groups_; }

  /// Patterns of missing entries that rows have.
  int patterns() const { return static_cast<int>(hidden_.size()); }
  int pattern_of(int row) const { return of_row_[row]; }
  /// The columns that a pattern lacks.
  const std::vector<int>& hidden(int pattern) const { return *hidden_[pattern]; }

 private:
  int rows_;
  double count_hidden_ = 0;
  std::vector<std::optional<Bits>> hiding_;
  std::map<std::vector<int>, int> numbers_;
  std::vector<const std::vector<int>*> hidden_;
  std::vector<int> of_row_;
  std::vector<Columns> groups_;
};

}  // namespace buffet
