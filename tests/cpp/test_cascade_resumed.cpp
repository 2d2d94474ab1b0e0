#include "cascade/cascade_chain.h"
#include "cascade/cascade_record.h"
#include "cascade/cascade_start.h"
#include "damaged.h"
#include "draws.h"
#include "resumed.h"

using buffet::ActivationSampler;
using buffet::CascadeChain;
using buffet::CascadeData;
using buffet::CascadeModel;
using namespace test;

namespace {

CascadeModel learning_model(ActivationSampler sampler = ActivationSampler::slice) {
  CascadeModel model;
  model.alpha = Hyper::gamma(12, 2);  // each run has some units
  model.alpha_deep = Hyper::gamma(4, 3);
  model.concentration = Hyper::gamma(3, 2);
  model.max_layers = 6;
  model.visible_births = 3;
  model.sampler = sampler;
  return model;
}

/// The number of rows is odd, so columns may begin anywhere in memory.
CascadeData some_data(double missing, int rows = 9) {
  Rng rng(701);
  return CascadeData(with_missing(draw_normal(rows, 5, 1.5, rng), missing, rng), 0.7);
}

struct CascadePair {
  CascadeData data;
  CascadeModel model;

  CascadeChain one() const { return begun({5, 3, 2}, 0); }
  CascadeChain other() const {
    CascadeChain chain = begun({4}, 1);
    for (int t = 0; t < 3; ++t) chain.sweep([] {});
    return chain;
  }
  CascadeChain begun(const std::vector<int>& widths, std::uint64_t stream) const {
    CascadeChain chain(data, model, Rng(702, stream));
    buffet::CascadeStart(chain.likelihood, widths, 0.5, chain.rng)();
    return chain;
  }
};

}  // namespace

TEST_CASE("a run of a cascade resumed from any sweep ends bit-identically", "[cascade]") {
  for (const auto sampler :
       {ActivationSampler::slice, ActivationSampler::multiple_try, ActivationSampler::elliptical})
    check_resumed(CascadePair{some_data(0), learning_model(sampler)}, false);
  check_resumed(CascadePair{some_data(0.3), learning_model()}, false);
  check_resumed(CascadePair{some_data(0.3, 1), learning_model()}, false);
}

TEST_CASE("a run of a cascade with many known parameters is resumed bit-identically", "[cascade]") {
  CascadeModel model = learning_model();
  model.alpha = Hyper::fixed(1.4);
  model.alpha_deep = Hyper::fixed(0.8);
  model.concentration = Hyper::fixed(1.3);
  model.noise_rate = Hyper::fixed(0.6);
  check_resumed(CascadePair{some_data(0.2), model}, false);
}

TEST_CASE("a resumed run has had layers above the first", "[cascade]") {
  const CascadePair pair{some_data(0), learning_model()};
  CascadeChain chain = pair.one();
  int deep = 0, still = 0;
  for (int t = 0; t < 44; ++t) {
    const int before = chain.likelihood.hidden_units();
    chain.sweep([] {});
    deep += chain.likelihood.depth() >= 2;
    still += chain.likelihood.hidden_units() == before;
  }
  CHECK(deep > 10);
  CHECK(still < 40);
}

TEST_CASE("truncated states of cascades are rejected", "[cascade]") {
  check_cut_chain(CascadePair{some_data(0.3, 3), learning_model()});
}

TEST_CASE("saved cascades that are damaged are rejected or start a valid chain", "[cascade]") {
  const CascadePair pair{some_data(0, 3), learning_model()};
  CascadeChain chain = pair.one();
  const auto bytes = chain.likelihood.bytes_kept();
  const auto start = [&](const Bytes& from) {
    CascadeChain begun = pair.other();
    start_from(buffet::read_cascade(buffet::ByteReader(from), 3), begun.likelihood, begun.rng);
    CHECK(is_network(begun.likelihood.layers, 5));
  };
  start(bytes);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    INFO(size);
    CHECK(is_refused([&] { start({bytes.begin(), bytes.begin() + size}); }));

    for (int by : {1, 2, 4}) {
      auto altered = bytes;
      altered[size] ^= static_cast<unsigned char>(by);
      is_refused([&] { start(altered); });
    }
  }
}
