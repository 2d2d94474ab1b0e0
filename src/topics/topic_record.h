#pragma once

#include <Eigen/Dense>
#include <utility>
#include <vector>

#include "core/byte_code.h"
#include "core/rng.h"
#include "topic_state.h"

namespace buffet {

/// Counts of topics as bytes: for each topic, the number of nonzero entries; then, for each entry,
/// its distance from the previous one and its count. Topics without a token come last.
class CountsWriter {
 public:
  using Entries = std::vector<std::pair<int, int>>;

  void topic(const Entries& entries);
  /// Writes the number of topics without a token, which follow.
  void silent(int count) { bytes_.number(static_cast<unsigned>(count)); }
  /// A topic without a token: its weight, and the documents that have chosen it.
  void silent(double phi, const Entries& documents);
  std::vector<unsigned char> take() { return bytes_.take(); }

 private:
  ByteWriter bytes_;
};

class CountsReader {
 public:
  using Entries = CountsWriter::Entries;

  explicit CountsReader(ByteReader from) : bytes_(from) {}

  Entries topic();
  double weight() { return bytes_.real(); }
  /// Number of topics without a token, which follow.
  int silent() { return bytes_.count(sizeof(float) + 1, "the topics without a token"); }
  void end() const { bytes_.end(); }

 private:
  ByteReader bytes_;
};

/// The topics of a draw: their atoms, the parameters that they depend on, and their counts by word
/// and by document.
struct KnownTopics {
  TopicModel model;
  Eigen::MatrixXd atoms;  ///< pi and phi of each topic; last: mean exposure, number of documents
  std::vector<CountsWriter::Entries> words, documents;
  /// Weights of topics without a token.
  std::vector<double> silent_weights;
  std::vector<CountsWriter::Entries> silent_documents;

  /// counts: in the same format as TopicState::bytes_kept().
  KnownTopics(const TopicModel& model_, Eigen::MatrixXd atoms_, ByteReader counts);
  /// Word and document indices beyond these sizes are an error.
  void check(int most_words, int most_documents) const;

  int size() const { return static_cast<int>(atoms.cols()) - 1; }
  TopicAtom atom(int k) const { return {atoms(0, k), atoms(1, k)}; }
};

/// Draws an index with probability proportional to its weight, or -1 if there is none.
int draw_number(const std::vector<double>& weights, Rng& rng);

/// The state of a chain on the same documents: every token gets a topic of its document, with
/// probability proportional to the topic's count in the document and to its share of the word.
void start_from(const KnownTopics& known, TopicState& state, Rng& rng);

}  // namespace buffet
