#pragma once

// Clusters whose workers are threads of one process; requests and replies are passed as bytes.

#include <testthat/vendor/catch.h>

#include <deque>
#include <functional>
#include <vector>

#include "core/archive.h"
#include "core/remote_team.h"
#include "scale.h"

namespace test {

using buffet::RemoteTeam;
using buffet::Reply;
using buffet::Request;
using buffet::Team;

template <class T>
T through_bytes(T value) {
  T copy;
  buffet::from_bytes(buffet::to_bytes(value), copy);
  return copy;
}

/// Replies to all workers until their programs have ended; `change` may alter every reply.
inline void reply_all(std::deque<RemoteTeam>& team, const std::function<void(Reply&)>& change) {
  for (;;) {
    std::vector<Request> requests;
    for (RemoteTeam& member : team) requests.push_back(through_bytes(member.next()));
    if (requests[0].kind == Request::end) return;
    Reply reply = reply_to(requests);
    change(reply);
    for (RemoteTeam& member : team) member.give(through_bytes(reply));
  }
}

/// The results of program(worker) for this many workers.
template <class F>
auto in_team(
    int size, F program, const std::function<void(Reply&)>& change = [](Reply&) {}) {
  using Result = decltype(program(std::declval<RemoteTeam&>()));
  std::vector<Result> results(size);
  std::deque<RemoteTeam> team;
  for (int m = 0; m < size; ++m) team.emplace_back(size, m);
  for (RemoteTeam& member : team)
    member.begin([&, program] { results[member.index()] = program(member); });
  reply_all(team, change);
  return results;
}

inline std::vector<int> team_sizes() {
  return full() ? std::vector<int>{1, 2, 3, 7} : std::vector<int>{1, 3};
}

/// The first block of each worker, if `blocks` blocks are divided as evenly as possible.
inline std::vector<int> first_blocks(int blocks, int members) {
  std::vector<int> first;
  for (int m = 0; m <= members; ++m) first.push_back(blocks * m / members);
  return first;
}

}  // namespace test
