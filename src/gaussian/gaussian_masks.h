#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/bits.h"
#include "core/team.h"
#include "gaussian_data.h"

namespace buffet {

/// The missing entries, with identical rows and identical columns grouped: whatever depends only on
/// the set of observed entries is computed once for each pattern.
class Masks {
 public:
  /// Columns with the same missing rows.
  struct Columns {
    Bits hidden;
    std::vector<int> columns;
  };

  Masks(int rows, int columns) : rows_(rows), hiding_(columns) { of_row_.reserve(rows); }

  /// Adds the next rows of the data.
  void add(const GaussianData& block) { add(block, 0, block.rows()); }
  void add(const GaussianData& block, int from, int count) {
    for (int i = from; i < from + count; ++i) {
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
  /// Call after the last rows.
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
  /// Call after finish() if other workers have more rows: compares the missing entries of columns
  /// over all rows.
  void agree(Team& team) {
    if (team.size() == 1) return;
    count_hidden_ = team.sum_exactly(Eigen::VectorXd::Constant(1, count_hidden_))(0);
    const Eigen::VectorXd own = group_of_columns();
    const Eigen::VectorXd gathered = team.gather(own);
    const Eigen::Map<const Eigen::MatrixXd> all(gathered.data(), own.size(), team.size());
    std::map<std::vector<double>, std::size_t> numbers;
    std::vector<Columns> groups;
    for (Eigen::Index d = 0; d < own.size(); ++d) {
      std::vector<double> label(team.size());
      Eigen::RowVectorXd::Map(label.data(), team.size()) = all.row(d);
      const auto [known, fresh] = numbers.emplace(std::move(label), groups.size());
      if (fresh) groups.push_back({groups_[static_cast<std::size_t>(own(d))].hidden, {}});
      groups[known->second].columns.push_back(static_cast<int>(d));
    }
    groups_ = std::move(groups);
  }

  int rows() const { return rows_; }
  /// Number of missing entries.
  double count_hidden() const { return count_hidden_; }
  const std::vector<Columns>& groups() const { return groups_; }

  /// Number of patterns of missing entries among rows.
  int patterns() const { return static_cast<int>(hidden_.size()); }
  int pattern_of(int row) const { return of_row_[row]; }
  /// The missing columns of a pattern.
  const std::vector<int>& hidden(int pattern) const { return *hidden_[pattern]; }

 private:
  Eigen::VectorXd group_of_columns() const {
    std::size_t columns = 0;
    for (const Columns& group : groups_) columns += group.columns.size();
    Eigen::VectorXd numbers(columns);
    for (std::size_t g = 0; g < groups_.size(); ++g)
      for (int d : groups_[g].columns) numbers(d) = double(g);
    return numbers;
  }

  int rows_;
  double count_hidden_ = 0;
  std::vector<std::optional<Bits>> hiding_;
  std::map<std::vector<int>, int> numbers_;
  std::vector<const std::vector<int>*> hidden_;
  std::vector<int> of_row_;
  std::vector<Columns> groups_;
};

}  // namespace buffet
