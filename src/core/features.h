#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "archive.h"
#include "bits.h"

namespace buffet {

/// The binary feature matrix Z: rows x columns, stored by column, with the count of each column.
/// Columns have no order: `drop` moves the last one into the gap. A column keeps its tag when it
/// moves, so other classes can store values for it; tags are small numbers and are reused.
class Features {
 public:
  explicit Features(int rows) : rows_(rows) {}

  int rows() const { return rows_; }
  int size() const { return static_cast<int>(columns_.size()); }

  bool at(int i, int k) const { return columns_[k].at(i); }
  int count(int k) const { return counts_[k]; }
  /// Number of rows other than i that have feature k.
  int count_without(int i, int k) const { return counts_[k] - at(i, k); }
  bool is_own(int i, int k) const { return count_without(i, k) == 0; }
  /// Number of rows that have both k and l.
  int count_shared(int k, int l) const { return columns_[k].count_shared(columns_[l]); }

  const Bits& column(int k) const { return columns_[k]; }
  int tag(int k) const { return tags_[k]; }
  /// All tags are below this.
  int tags() const { return static_cast<int>(tags_.size() + free_tags_.size()); }

  void flip(int i, int k) {
    columns_[k].flip(i);
    counts_[k] += at(i, k) ? 1 : -1;
  }

  void add(Bits column) {
    counts_.push_back(column.count());
    columns_.push_back(std::move(column));
    if (free_tags_.empty()) free_tags_.push_back(static_cast<int>(tags_.size()));
    tags_.push_back(free_tags_.back());
    free_tags_.pop_back();
  }

  /// Adds a feature that only row i has.
  void add_own(int i) {
    Bits column(rows_);
    column.set(i);
    add(std::move(column));
  }

  void drop(int k) {
    std::swap(columns_[k], columns_.back());
    std::swap(counts_[k], counts_.back());
    std::swap(tags_[k], tags_.back());
    columns_.pop_back();
    counts_.pop_back();
    free_tags_.push_back(tags_.back());
    tags_.pop_back();
  }

  /// For a matrix with only some of the rows: sets the number of rows with feature k in all the
  /// data.
  void set_count(int k, int count) { counts_[k] = count; }

  void replace(int k, Bits column) {
    counts_[k] = column.count();
    columns_[k] = std::move(column);
  }

  /// The matrix with only these features.
  Features some(const std::vector<int>& of) const {
    Features chosen(rows_);
    for (int k : of) {
      chosen.add(columns_[k]);
      chosen.set_count(chosen.size() - 1, counts_[k]);
    }
    return chosen;
  }

  int total() const {
    int n = 0;
    for (int m : counts_) n += m;
    return n;
  }

  void archive(Archive& a) {
    int columns = size();
    a.number_of(columns, Bits::archived(rows_), "the number of features");
    if (a.reads()) columns_.assign(columns, Bits(rows_));
    for (Bits& column : columns_) column.archive(a, rows_);
    a(tags_);
    a(free_tags_);
    if (!a.reads()) return;
    count_rows();
    a.check(std::find(counts_.begin(), counts_.end(), 0) == counts_.end(), "a feature of no row");
    a.check(has_sound_tags(), "the tags of features");
  }

  /// log of prod_h K_h!, where K_h is the number of columns equal to h.
  template <class LogFactorial>
  double log_repeats(LogFactorial log_factorial) const {
    auto sorted = columns_;
    std::sort(sorted.begin(), sorted.end());
    double sum = 0;
    for (std::size_t from = 0, to = 0; from < sorted.size(); from = to) {
      while (to < sorted.size() && sorted[to] == sorted[from]) ++to;
      sum += log_factorial(static_cast<int>(to - from));
    }
    return sum;
  }

 private:
  void count_rows() {
    counts_.clear();
    for (const Bits& column : columns_) counts_.push_back(column.count());
  }

  /// True if every tag is below tags() and occurs once.
  bool has_sound_tags() const {
    if (tags_.size() != columns_.size()) return false;
    std::vector<char> seen(tags(), 0);
    for (const auto* part : {&tags_, &free_tags_})
      for (int tag : *part)
        if (tag < 0 || tag >= tags() || seen[tag]++) return false;
    return true;
  }

  int rows_;
  std::vector<Bits> columns_;
  std::vector<int> counts_, tags_, free_tags_;
};

/// Flags the features that row i has, and lists its singletons in increasing order.
inline void list_held(const Features& z, int i, std::vector<char>& on, std::vector<int>& own) {
  on.resize(z.size());
  own.clear();
  for (int k = 0; k < z.size(); ++k) {
    on[k] = z.at(i, k);
    if (on[k] && z.is_own(i, k)) own.push_back(k);
  }
}

/// Drops the features listed in `own` in increasing order, calls drop(k) after each, and clears
/// `own`.
template <class Drop>
void drop_own(Features& z, std::vector<int>& own, Drop drop) {
  while (!own.empty()) {
    z.drop(own.back());  // the column that replaces it is not in `own`
    drop(own.back());
    own.pop_back();
  }
}

}  // namespace buffet
