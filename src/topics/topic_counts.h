#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/archive.h"

namespace buffet {

/// How often each word is in each topic, with the topics' distributions over words integrated out.
/// Each word stores only the topics that contain it, most frequent first, so the cost of a token
/// depends only on these topics, and the search for the drawn topic is short.
class TopicCounts {
 public:
  struct Entry {
    int topic, count;
  };
  using List = std::vector<Entry>;

  explicit TopicCounts(int words) : lists_(words) {}

  int words() const { return static_cast<int>(lists_.size()); }
  int total(int k) const { return totals_[k]; }
  const List& list(int word) const { return lists_[word]; }
  /// Number of topics for which there is room; those without a token are free.
  int slots() const { return static_cast<int>(totals_.size()); }
  void resize(int slots) { totals_.resize(slots, 0); }

  void add(int word, int k, int count = 1) {
    totals_[k] += count;
    List& list = lists_[word];
    std::size_t at = 0;
    while (at < list.size() && list[at].topic != k) ++at;
    if (at == list.size()) list.push_back({k, 0});
    list[at].count += count;
    for (; at > 0 && list[at - 1].count < list[at].count; --at) std::swap(list[at - 1], list[at]);
  }

  void remove(int word, int k) {
    int at = 0;
    while (lists_[word][at].topic != k) ++at;
    remove_at(word, at);
  }

  /// Removes a token of the topic at this position in the word's list.
  void remove_at(int word, std::size_t at) {
    List& list = lists_[word];
    --totals_[list[at].topic];
    --list[at].count;
    for (; at + 1 < list.size() && list[at + 1].count > list[at].count; ++at)
      std::swap(list[at], list[at + 1]);
    if (list[at].count == 0) list.pop_back();
  }

  /// The number of pairs of a word and a topic that have each count; element 0 is unused.
  std::vector<int> counts_of_counts() const;

  void archive(Archive& a) {
    a(totals_);
    std::vector<int> sizes(lists_.size()), topics, counts;
    for (std::size_t w = 0; w < lists_.size(); ++w) {
      sizes[w] = static_cast<int>(lists_[w].size());
      for (const Entry& entry : lists_[w]) {
        topics.push_back(entry.topic);
        counts.push_back(entry.count);
      }
    }
    a(sizes);
    a(topics);
    a(counts);
    if (!a.reads()) return;
    a.check(sizes.size() == lists_.size() && topics.size() == counts.size(), "counts of words");
    std::size_t at = 0;
    for (std::size_t w = 0; w < lists_.size(); ++w) {
      a.check(sizes[w] >= 0 && sizes[w] <= static_cast<long>(topics.size() - at),
              "counts of words");
      lists_[w].resize(sizes[w]);
      for (Entry& entry : lists_[w]) {
        entry = {topics[at], counts[at]};
        ++at;
      }
    }
    a.check(at == topics.size(), "counts of words");
  }

  /// True if the counts are the same, regardless of the order of each word's topics.
  bool counts_as(const TopicCounts& other) const {
    if (totals_ != other.totals_ || lists_.size() != other.lists_.size()) return false;
    const auto sorted = [](const List& list) {
      std::vector<std::pair<int, int>> pairs;
      for (const Entry& entry : list) pairs.push_back({entry.topic, entry.count});
      std::sort(pairs.begin(), pairs.end());
      return pairs;
    };
    for (std::size_t w = 0; w < lists_.size(); ++w)
      if (sorted(lists_[w]) != sorted(other.lists_[w])) return false;
    return true;
  }

 private:
  std::vector<int> totals_;
  std::vector<List> lists_;
};

/// log p(w | z) as a function of eta; the topics' distributions over words are Dirichlet(eta, ...,
/// eta).
class WordEvidence {
 public:
  explicit WordEvidence(const TopicCounts& counts);

  double operator()(double eta) const;

 private:
  int words_;
  std::vector<int> totals_;
  std::vector<std::pair<int, int>> pairs_;  ///< a count, and the number of pairs with it
};

}  // namespace buffet
