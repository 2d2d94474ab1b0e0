#pragma once

#include <testthat/vendor/catch.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "core/archive.h"
#include "gibbs/gibbs.h"

namespace test {

using Bytes = std::vector<unsigned char>;

/// True if f rejects its argument with a one-line error.
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

/// Checks that bytes that end too early or too late are rejected. `make` returns a state to be
/// overwritten.
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

/// Checks that a state is rejected if its features do not match its likelihood's loadings.
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

/// Checks that the state of the first chain of a pair, after some sweeps, is rejected if its
/// features do not match its loadings.
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
