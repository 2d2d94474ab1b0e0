#pragma once

#include <testthat/vendor/catch.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "core/archive.h"
#include "gibbs/gibbs.h"

namespace test {

using Bytes = std::vector<unsigned char>;

/// Does f refuse what it is given, in one line?
template <class F>
bool is_refused(F f) {
  try {
    f();
  } catch (const std::runtime_error& e) {
    const std::string what = e.what();
    const auto says = [&](const char* text) { return what.find(text) != std::string::npos; };
    REQUIRE((says("damaged in ") || says("incomplete")));
    return true;
  }
  return false;
}

/// Bytes that end too early or go on are refused. `make` gives a state to read into.
template <class Make>
void check_cut(const Bytes& bytes, Make make) {
  const auto read = [&](const Bytes& from) {
    auto state = make();
    buffet::from_bytes(from, state);
    CHECK(buffet::to_bytes(state) == from);
  };
  read(bytes);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    if (!is_refused([&] { read({bytes.begin(), bytes.begin() + size}); })) FAIL("cut at " << size);
  Bytes longer = bytes;
  longer.push_back(0);
  CHECK(is_refused([&] { read(longer); }));
}

/// Is a state refused whose features are not those that its likelihood has loadings of?
template <class Prior, class Likelihood>
bool refuses_other_features(const buffet::Gibbs<Prior, Likelihood>& chain) {
  auto parts = chain;
  parts.z.add_own(0);
  buffet::Archive archive;
  archive(parts.z);
  archive(parts.prior);
  archive(parts.likelihood);
  archive(parts.rng);
  const Bytes bytes = archive.take();
  return is_refused([&] { buffet::from_bytes(bytes, parts); });
}

/// The same of the chain of a pair, after some sweeps.
template <class Pair>
void check_cut_chain(const Pair& pair, int sweeps = 4) {
  auto chain = pair.one();
  for (int t = 0; t < sweeps; ++t) {
    chain.rng.begin(t);
    chain.sweep([] {});
  }
  check_cut(buffet::to_bytes(chain), [&] { return pair.other(); });
}

}  // namespace test
