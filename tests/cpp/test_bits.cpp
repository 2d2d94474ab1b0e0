#include <testthat/vendor/catch.h>

#include <vector>

#include "core/bits.h"
#include "core/rng.h"

using buffet::Bits;
using buffet::Rng;

namespace {

Bits to_bits(const std::vector<int>& on) {
  Bits bits(static_cast<int>(on.size()));
  for (std::size_t i = 0; i < on.size(); ++i)
    if (on[i]) bits.set(static_cast<int>(i));
  return bits;
}

std::vector<int> random_pattern(int size, Rng& rng) {
  std::vector<int> on(size);
  for (int& bit : on) bit = rng.bernoulli(0.4);
  return on;
}

}  // namespace

TEST_CASE("operations on bits agree with a plain vector for all sizes near the size of a word") {
  Rng rng(11);
  for (int size : {1, 2, 63, 64, 65, 127, 128, 129, 200}) {
    const auto a = random_pattern(size, rng), b = random_pattern(size, rng);
    std::vector<int> exclusive(size), either(size), listed(size, 0);
    int count = 0, shared = 0;
    for (int i = 0; i < size; ++i) {
      exclusive[i] = a[i] != b[i];
      either[i] = a[i] || b[i];
      count += a[i];
      shared += a[i] && b[i];
    }
    const Bits left = to_bits(a), right = to_bits(b);
    CHECK(left.count() == count);
    CHECK(left.count_shared(right) == shared);
    Bits x = left, o = left;
    x ^= right;
    o |= right;
    CHECK(x == to_bits(exclusive));
    CHECK(o == to_bits(either));
    left.for_each([&](int i) { listed[i] = 1; });
    CHECK(listed == a);
    const int at = rng.below(size);
    Bits flipped = left;
    flipped.flip(at);
    CHECK(flipped.at(at) != left.at(at));
    CHECK_FALSE(flipped == left);
    CHECK((flipped < left) != (left < flipped));
  }
}

TEST_CASE("bits are listed in increasing order") {
  Bits bits(130);
  for (int i : {129, 64, 0, 63}) bits.set(i);
  std::vector<int> listed;
  bits.for_each([&](int i) { listed.push_back(i); });
  CHECK(listed == std::vector<int>({0, 63, 64, 129}));
}

TEST_CASE("the next set bit is found from any position, including past the last") {
  Rng rng(12);
  for (int size : {1, 63, 64, 65, 200}) {
    const auto pattern = random_pattern(size, rng);
    const Bits bits = to_bits(pattern);
    for (int from = 0; from <= size; ++from) {
      int next = from;
      while (next < size && !pattern[next]) ++next;
      CHECK(bits.next(from) == (next < size ? next : -1));
    }
  }
}

TEST_CASE("bits are copied to any position, wherever a word ends") {
  Rng rng(13);
  for (int first : {0, 1, 63, 64, 70, 128})
    for (int size : {1, 5, 64, 65, 130}) {
      const auto before = random_pattern(first, rng), part = random_pattern(size, rng);
      std::vector<int> all = before;
      all.insert(all.end(), part.begin(), part.end());
      std::vector<int> begun = before;
      begun.resize(first + size, 0);
      Bits bits = to_bits(begun);
      bits.put(first, to_bits(part));
      CHECK(bits == to_bits(all));
    }
}
