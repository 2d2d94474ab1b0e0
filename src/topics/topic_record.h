#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <utility>
#include <vector>

#include "core/byte_code.h"
#include "topic_state.h"

namespace buffet {

/// Counts of topics as bytes: of each topic the number of entries that are not zero, then of each
/// how far it is from the one before, and its count.
class CountsWriter {
 public:
  using Entries = std::vector<std::pair<int, int>>;

  void topic(const Entries& entries) {
    bytes_.number(static_cast<unsigned>(entries.size()));
    int before = 0;
    for (const auto& [index, count] : entries) {
      bytes_.number(static_cast<unsigned>(index - before));
      bytes_.number(static_cast<unsigned>(count));
      before = index;
    }
  }
  std::vector<unsigned char> take() { return bytes_.take(); }

 private:
  ByteWriter bytes_;
};

class CountsReader {
 public:
  using Entries = CountsWriter::Entries;

  explicit CountsReader(const unsigned char* from) : bytes_(from) {}

  Entries topic() {
    Entries entries(bytes_.number());
    int before = 0;
    for (auto& [index, count] : entries) {
      before = index = before + static_cast<int>(bytes_.number());
      count = static_cast<int>(bytes_.number());
    }
    return entries;
  }

 private:
  ByteReader bytes_;
};

/// Topics as a draw has left them: their atoms, what they depend on, and how often each has a word
/// and a document has it.
struct KnownTopics {
  TopicModel model;
  Eigen::MatrixXd atoms;  ///< pi and phi of each; last the mean exposure and number of documents
  std::vector<CountsWriter::Entries> words, documents;

  KnownTopics(const TopicModel& model_, Eigen::MatrixXd atoms_, const unsigned char* counts)
      : model(model_), atoms(std::move(atoms_)), words(size()), documents(size()) {
    CountsReader reader(counts);
    for (auto& entries : words) entries = reader.topic();
    for (auto& entries : documents) entries = reader.topic();
  }

  int size() const { return static_cast<int>(atoms.cols()) - 1; }
  TopicAtom atom(int k) const { return {atoms(0, k), atoms(1, k)}; }
};

/// Where a chain on the same documents has been: every token in a topic of its document, in
/// proportion to what the topic has there and to its share of the word.
inline void start_from(const KnownTopics& known, TopicState& state, Rng& rng) {
  const TopicData& data = *state.data;
  state.model = known.model;
  state.resize(std::max(1, known.size()));
  std::vector<std::vector<std::pair<int, int>>> of_word(data.words()), held(data.documents());
  std::vector<double> totals(known.size(), data.words() * known.model.eta.value);
  for (int k = 0; k < known.size(); ++k) {
    for (const auto& [word, count] : known.words[k]) {
      of_word[word].push_back({k, count});
      totals[k] += count;
    }
    for (const auto& [m, count] : known.documents[k]) held[m].push_back({k, count});
  }
  std::vector<double> share(known.size()), cumulated;
  for (int m = 0; m < data.documents(); ++m)
    for (int i = data.begin(m); i < data.end(m); ++i) {
      std::fill(share.begin(), share.end(), known.model.eta.value);
      for (const auto& [k, count] : of_word[data.word(i)]) share[k] += count;
      cumulated.assign(1, 0);
      for (const auto& [k, count] : held[m])
        cumulated.push_back(cumulated.back() + count * share[k] / totals[k]);
      const double at = rng.uniform() * cumulated.back();
      std::size_t n = 0;
      while (n + 2 < cumulated.size() && cumulated[n + 1] <= at) ++n;
      state.z[i] = held[m][n].first;
      state.counts.add(data.word(i), state.z[i]);
    }
  for (int k = 0; k < known.size(); ++k)
    if (state.lives(k)) state.set_atom(k, known.atom(k));
}

/// The words of each topic, then its documents.
inline std::vector<unsigned char> TopicState::bytes_kept() const {
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
