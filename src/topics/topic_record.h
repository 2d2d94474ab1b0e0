#pragma once

#include <Eigen/Dense>
#include <utility>
#include <vector>

#include "core/byte_code.h"
#include "core/rng.h"
#include "topic_state.h"

namespace buffet {

/// Counts of topics as bytes: for each topic the number of nonzero entries, then for each entry its
/// distance from the previous one and its count. Last come the topics without a token.
class CountsWriter {
 public:
  using Entries = std::vector<std::pair<int, int>>;

  void topic(const Entries& entries);
  /// How many without a token follow.
  void silent(int count) { bytes_.number(static_cast<unsigned>(count)); }
  /// One without a token: its weight, and the documents that have chosen it.
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
  /// How many topics without a token follow.
  int silent() { return bytes_.count(sizeof(float) + 1, "the topics without a token"); }
  void end() const { bytes_.end(); }

 private:
  ByteReader bytes_;
};

/// Topics as a draw has left them: their atoms, what they depend on, and how often each has a word
/// and a document has it.
struct KnownTopics {
  TopicModel model;
  Eigen::MatrixXd atoms;  ///< pi and phi of each; last the mean exposure and number of documents
  std::vector<CountsWriter::Entries> words, documents;
  /// Of topics without a token.
  std::vector<double> silent_weights;
  std::vector<CountsWriter::Entries> silent_documents;

  /// counts: as TopicState::bytes_kept() has them.
  KnownTopics(const TopicModel& model_, Eigen::MatrixXd atoms_, ByteReader counts);
  /// A word or a document beyond this many is an error.
  void check(int most_words, int most_documents) const;

  int size() const { return static_cast<int>(atoms.cols()) - 1; }
  TopicAtom atom(int k) const { return {atoms(0, k), atoms(1, k)}; }
};

/// A number in proportion to its weight; -1 if there is none.
int draw_number(const std::vector<double>& weights, Rng& rng);

/// State of a chain on the same documents: every token in a topic of its document, in proportion to
/// what the topic has there and to its share of the word.
void start_from(const KnownTopics& known, TopicState& state, Rng& rng);

}  // namespace buffet
