#pragma once

#include "completion.h"
#include "topic_counts.h"
#include "topic_eta.h"
#include "topic_mixture.h"

namespace bench {

struct LdaSettings {
  int topics;
  double alpha;
  double eta = 0.1;
  bool learn_eta = false;
};

/// Latent Dirichlet allocation by plain collapsed Gibbs sampling: O(K) per token.
class Lda {
 public:
  Lda(const Corpus& corpus, const LdaSettings& settings, buffet::Rng& rng)
      : learn_eta_(settings.learn_eta),
        prior_(Eigen::ArrayXd::Constant(settings.topics, settings.alpha)),
        counts_(corpus, settings.topics, settings.eta) {
    for (std::size_t m = 0; m < counts_.z().size(); ++m)
      for (std::size_t i = 0; i < counts_.z()[m].size(); ++i)
        counts_.assign(m, i, rng.below(settings.topics));
  }

  void sweep(buffet::Rng& rng) {
    for (std::size_t m = 0; m < counts_.z().size(); ++m)
      for (std::size_t i = 0; i < counts_.z()[m].size(); ++i) {
        counts_.release(m, i);
        counts_.assign(m, i, counts_.draw(m, i, prior_, 0, rng));
      }
    if (learn_eta_) draw_eta(counts_, rng);
  }

  TopicMixture draw() const {
    TopicMixture mixture{counts_.words() + counts_.eta(), prior_, prior_};
    mixture.sizes = mixture.words.rowwise().sum();
    mixture.words.colwise() /= mixture.sizes;
    return mixture;
  }

  const TopicCounts& counts() const { return counts_; }

 private:
  bool learn_eta_;
  Eigen::ArrayXd prior_;
  TopicCounts counts_;
};

}  // namespace bench
