#pragma once

// Teams whose members are threads of one process, and whose questions and answers go as bytes.

#include <testthat/vendor/catch.h>

#include <deque>
#include <functional>
#include <vector>

#include "core/archive.h"
#include "core/relay.h"

namespace test {

using buffet::Answer;
using buffet::Question;
using buffet::Relay;
using buffet::Team;

template <class T>
T through_bytes(T value) {
  T copy;
  buffet::from_bytes(buffet::to_bytes(value), copy);
  return copy;
}

/// Answers what members ask until their programs have ended; `tell` may change every answer.
inline void answer_all(std::deque<Relay>& team, const std::function<void(Answer&)>& tell) {
  for (;;) {
    std::vector<Question> questions;
    for (Relay& member : team) questions.push_back(through_bytes(member.question()));
    for (const Question& q : questions)
      if (!q.failure.empty()) FAIL(std::string(q.failure.begin(), q.failure.end()));
    if (questions[0].kind == Question::end) return;
    Answer answer = answer_to(questions);
    tell(answer);
    for (Relay& member : team) member.give(through_bytes(answer));
  }
}

/// What program(member) gives for each of so many members.
template <class F>
auto in_team(
    int size, F program, const std::function<void(Answer&)>& tell = [](Answer&) {}) {
  using Result = decltype(program(std::declval<Relay&>()));
  std::vector<Result> results(size);
  std::deque<Relay> team;
  for (int m = 0; m < size; ++m) team.emplace_back(size, m);
  for (Relay& member : team)
    member.begin([&, program] { results[member.index()] = program(member); });
  answer_all(team, tell);
  return results;
}

/// Numbers of the blocks that each of so many members has, of `blocks`: as even as can be.
inline std::vector<int> first_blocks(int blocks, int members) {
  std::vector<int> first;
  for (int m = 0; m <= members; ++m) first.push_back(blocks * m / members);
  return first;
}

}  // namespace test
