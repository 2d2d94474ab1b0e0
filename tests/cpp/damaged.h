#pragma once

#include <testthat/vendor/catch.h>

#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/archive.h"
#include "core/rng.h"

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

/// Bytes that end too early or go on are refused. Those that are altered, each in its turn, are
/// refused or read into a state that can be asked and written, and whose parts fit together: under
/// a sanitizer nothing else is touched. `make` gives a state to read into, `ask` asks it.
template <class Make, class Ask>
void check_damaged(const Bytes& bytes, Make make, Ask ask) {
  const auto read = [&](const Bytes& from) {
    auto state = make();
    buffet::from_bytes(from, state);
    ask(state);
    CHECK(buffet::to_bytes(state).size() == from.size());
  };
  read(bytes);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    if (!is_refused([&] { read({bytes.begin(), bytes.begin() + size}); })) FAIL("cut at " << size);
  Bytes longer = bytes;
  longer.push_back(0);
  CHECK(is_refused([&] { read(longer); }));
  buffet::Rng rng(91);
  int refused = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (int value : {255, bytes[at] ^ (1 << rng.below(8))}) {
      Bytes altered = bytes;
      altered[at] = static_cast<unsigned char>(value);
      refused += altered != bytes && is_refused([&] { read(altered); });
    }
  CHECK(refused > 0);
}

/// Of the chain of a pair, after some sweeps.
template <class Pair>
void check_damaged_chain(const Pair& pair, int sweeps = 4) {
  auto chain = pair.one();
  for (int t = 0; t < sweeps; ++t) {
    chain.rng.begin(t);
    chain.sweep([] {});
  }
  const auto ask = [](auto& read) {
    try {
      read.scalars();
    } catch (const std::exception&) {  // of a density at a number beyond its range
    }
  };
  check_damaged(
      buffet::to_bytes(chain), [&] { return pair.other(); }, ask);
}

}  // namespace test
