#include "damaged.h"
#include "resumed.h"
#include "topic_case.h"
#include "topics/topic_record.h"
#include "topics/topics.h"

using buffet::TopicChain;
using namespace test;

namespace {

TopicData random_documents() {
  Rng rng(651);
  TopicData::Counts counts(8);
  for (std::size_t m = 0; m < counts.size(); ++m)
    for (int w = 0; w < 6 && m != 3; ++w)
      if (rng.bernoulli(0.5)) counts[m].push_back({w, 1 + rng.below(4)});
  return TopicData(6, counts);
}

struct TopicPair {
  TopicData data;
  Lengths lengths;

  TopicChain one() const { return begun(7, 0); }
  TopicChain other() const {
    TopicChain chain = begun(3, 1);
    for (int t = 0; t < 3; ++t) chain.sweep([] {});
    return chain;
  }

 private:
  TopicChain begun(int topics, std::uint64_t stream) const {
    const TopicModel model{lengths, Hyper::gamma(6, 2), Hyper::gamma(4, 3), Hyper::gamma(2, 3)};
    TopicChain chain(data, model, 2, Rng(652, stream));
    chain.likelihood.start(topics, chain.rng);
    return chain;
  }
};

}  // namespace

TEST_CASE("a run of focused topics resumed from any sweep ends bit-identically", "[topics]") {
  for (const Lengths lengths : {Lengths::model, Lengths::given})
    check_resumed(TopicPair{random_documents(), lengths}, false);
}

TEST_CASE("truncated states of focused topics are rejected", "[topics]") {
  check_cut_chain(TopicPair{random_documents(), Lengths::model});
}

TEST_CASE("saved counts that are damaged are rejected or start a valid chain", "[topics]") {
  const TopicPair pair{random_documents(), Lengths::model};
  TopicChain chain = pair.one();
  for (int t = 0; t < 5; ++t) chain.sweep([] {});
  const auto bytes = chain.likelihood.bytes_kept();
  const auto start = [&](const Bytes& from) {
    TopicChain begun(pair.data, chain.likelihood.model, 2, Rng(652, 1));
    const buffet::KnownTopics known(chain.likelihood.model, chain.likelihood.loadings(),
                                    buffet::ByteReader(from));
    start_from(known, begun.likelihood, begun.rng);
    CHECK(begun.likelihood.are_counts_of_z());
  };
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    INFO(size);
    CHECK(is_refused([&] { start({bytes.begin(), bytes.begin() + size}); }));
    for (int value : {0, 1, 127, 128, 255}) {
      auto altered = bytes;
      altered[size] = static_cast<unsigned char>(value);
      is_refused([&] { start(altered); });
    }
  }
}
