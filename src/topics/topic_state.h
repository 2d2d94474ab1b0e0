#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <vector>

#include "core/archive.h"
#include "core/features.h"
#include "core/hyper.h"
#include "core/rng.h"
#include "fresh_topic.h"
#include "topic_counts.h"
#include "topic_data.h"

namespace buffet {

/// The focused topic model (Williamson, Wang, Heller & Blei 2010): alpha for the Indian buffet
/// process, gamma for the topics' weights, eta for their distributions over words.
struct TopicModel {
  Lengths lengths;
  Hyper alpha, gamma, eta;
  int max_topics = std::numeric_limits<int>::max();  ///< with at least one token
};

/// The state of a chain: the topic of every token, and (pi, phi) of the topics with tokens. Topics
/// are stored in slots; a slot whose topic has no token is free, with pi = 0 and phi = 1.
struct TopicState {
  static constexpr bool keeps_loadings = true;
  static constexpr bool keeps_bytes = true;

  const TopicData* data;
  TopicModel model;
  std::vector<int> z;
  TopicCounts counts;
  Eigen::ArrayXd pi, phi, ell;
  /// Topics without a token that documents have chosen, if they have been drawn. They are needed
  /// only for saved draws.
  std::vector<ChosenTopic> silent;

  TopicState(const TopicData& data_, const TopicModel& model_)
      : data(&data_),
        model(model_),
        z(data_.tokens(), 0),
        counts(data_.words()),
        ell(Eigen::ArrayXd::Constant(data_.documents(), std::log(2.0))) {}

  /// pi and phi of the topics, followed by the mean exposure of the documents and their number.
  Eigen::MatrixXd loadings() const;
  /// Word counts of each topic, then document counts, then the topics without a token, in the
  /// format of CountsWriter.
  std::vector<unsigned char> bytes_kept() const;

  int slots() const { return counts.slots(); }
  bool lives(int k) const { return counts.total(k) > 0; }
  int topics() const;
  TopicAtom atom(int k) const { return {pi(k), phi(k)}; }
  void set_atom(int k, const TopicAtom& atom) {
    pi(k) = atom.pi;
    phi(k) = atom.phi;
  }
  void free(int k) { set_atom(k, {0, 1}); }

  /// Number of documents that can choose topics. If lengths are given, empty documents carry no
  /// information.
  int shared_by() const;
  /// The n-th of the documents that can choose topics.
  int sharing(int n) const { return model.lengths == Lengths::given ? data->filled()[n] : n; }

  double mean_exposure() const;

  void resize(int slots);

  /// Assigns every token to one of this many topics, uniformly at random.
  void start(int topics, Rng& rng);

  void archive(Archive& a) {
    a(model.alpha.value);
    a(model.gamma.value);
    a(model.eta.value);
    a.of_same_size(z, "topics of tokens");
    a(counts);
    a(pi);
    a(phi);
    a.of_same_size(ell, "exposures");
    a.check(pi.size() == slots() && phi.size() == slots(), "probabilities of topics");
    if (a.reads()) a.check(are_counts_of_z(), "counts of topics");
  }

  /// True if every token has an existing topic and the counts match the tokens.
  bool are_counts_of_z() const;
};

}  // namespace buffet
