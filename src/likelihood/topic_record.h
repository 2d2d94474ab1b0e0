#pragma once

#include <utility>
#include <vector>

#include "topic_state.h"

namespace buffet {

/// Counts of topics as bytes: of each topic the number of entries that are not zero, then of each
/// how far it is from the one before, and its count. Numbers have seven bits a byte, the last of
/// them below 128.
class CountsWriter {
 public:
  using Entries = std::vector<std::pair<int, int>>;

  void topic(const Entries& entries) {
    number(static_cast<unsigned>(entries.size()));
    int before = 0;
    for (const auto& [index, count] : entries) {
      number(static_cast<unsigned>(index - before));
      number(static_cast<unsigned>(count));
      before = index;
    }
  }
  std::vector<unsigned char> take() { return std::move(bytes_); }

 private:
  void number(unsigned n) {
    for (; n >= 128; n >>= 7) bytes_.push_back(static_cast<unsigned char>(n | 128));
    bytes_.push_back(static_cast<unsigned char>(n));
  }

  std::vector<unsigned char> bytes_;
};

class CountsReader {
 public:
  using Entries = CountsWriter::Entries;

  explicit CountsReader(const unsigned char* from) : at_(from) {}

  Entries topic() {
    Entries entries(number());
    int before = 0;
    for (auto& [index, count] : entries) {
      before = index = before + static_cast<int>(number());
      count = static_cast<int>(number());
    }
    return entries;
  }

 private:
  unsigned number() {
    unsigned n = 0;
    for (int shift = 0;; shift += 7) {
      const unsigned byte = *at_++;
      n |= (byte & 127) << shift;
      if (byte < 128) return n;
    }
  }

  const unsigned char* at_;
};

/// The words of each topic, then its documents.
inline std::vector<unsigned char> TopicState::counts_kept() const {
  std::vector<CountsWriter::Entries> words(slots()), documents(slots());
  for (int w = 0; w < data->words(); ++w)
    for (const auto& entry : counts.list(w)) words[entry.topic].push_back({w, entry.count});
  for (int m = 0; m < data->documents(); ++m)
    for (int i = data->begin(m); i < data->end(m); ++i) {
      auto& of_topic = documents[z[i]];
      if (of_topic.empty() || of_topic.back().first != m) of_topic.push_back({m, 0});
      ++of_topic.back().second;
    }
  CountsWriter writer;
  for (const auto* part : {&words, &documents})
    for (int k = 0; k < slots(); ++k)
      if (lives(k)) writer.topic((*part)[k]);
  return writer.take();
}

}  // namespace buffet
