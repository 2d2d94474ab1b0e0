#pragma once

#include <testthat/vendor/catch.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
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

/// What stands in the place of eight bytes in a row: numbers that are none or beyond any range, and
/// whole numbers that are as large.
inline std::vector<std::uint64_t> damaged_words() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<std::uint64_t> words{~std::uint64_t{0}, ~std::uint64_t{0} >> 1, 1ULL << 40};
  for (double value : {std::nan(""), -1.0, 0.0, infinity, 1e308}) {
    words.push_back(0);
    std::memcpy(&words.back(), &value, sizeof value);
  }
  return words;
}

/// Calls f(altered, how) with one byte of a state altered, or eight in a row, wherever they are.
template <class F>
void for_alterations(const Bytes& bytes, F f) {
  buffet::Rng rng(93);
  const auto words = damaged_words();
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    const std::string where = " at byte " + std::to_string(at);
    for (int value : {255, bytes[at] ^ (1 << rng.below(8))}) {
      Bytes altered = bytes;
      altered[at] = static_cast<unsigned char>(value);
      f(altered, std::to_string(value) + where);
    }
    for (std::size_t n = 0; n < words.size() && at + sizeof words[n] <= bytes.size(); ++n) {
      Bytes altered = bytes;
      std::memcpy(altered.data() + at, &words[n], sizeof words[n]);
      f(altered, "word " + std::to_string(n) + where);
    }
  }
}

/// Bytes that are cut are refused; those that are altered are refused, or read into a state that
/// can go on: `go` does so for a while. `make` gives a state to read into.
template <class Make, class Go>
void check_goes_on(const Bytes& bytes, Make make, Go go) {
  const auto read = [&](const Bytes& from) {
    auto state = make();
    buffet::from_bytes(from, state);
    return state;
  };
  for (std::size_t size = 0; size < bytes.size(); ++size)
    if (!is_refused([&] { read({bytes.begin(), bytes.begin() + size}); })) FAIL("cut at " << size);
  int refused = 0;
  for_alterations(bytes, [&](const Bytes& altered, const std::string& how) {
    auto state = make();
    try {
      if (is_refused([&] { buffet::from_bytes(altered, state); }))
        ++refused;
      else
        go(state);
    } catch (const std::exception& e) {
      FAIL_CHECK(how << ": " << e.what());
    }
  });
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
  check_damaged(
      buffet::to_bytes(chain), [&] { return pair.other(); }, [](auto& read) { read.scalars(); });
}

}  // namespace test
