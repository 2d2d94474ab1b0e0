#pragma once

// Optimisations for data whose rows are divided among workers in blocks of 64 rows.

#include <memory>
#include <vector>

#include "core/archive.h"
#include "meibp_case.h"
#include "team.h"

namespace test {

using Bytes = std::vector<unsigned char>;

/// The data of a run, and its initial features.
struct TeamData {
  Eigen::MatrixXd x;
  bool sparse;
  Features start;

  TeamData(int rows, Rng& rng, bool complete = true, bool sparse_ = false)
      : x(draw_nonnegative(random_features(rows, 4, rng), 5, {0.5, 1.3}, rng)),
        sparse(sparse_),
        start(rows) {
    if (sparse)
      for (int n = 0; n < x.size(); ++n)
        if (rng.bernoulli(0.5)) x(n) = 0;
    if (!complete) x = hide_some(x, rng);
  }

  int blocks() const { return (static_cast<int>(x.rows()) + 63) / 64; }
};

/// The rows of one worker, stored as `Data`.
template <class Data>
class TeamRows {
 public:
  TeamRows(const TeamData& c, Team& team)
      : first_(first_blocks(c.blocks(), team.size())),
        own_(rows_of(c.x, 64 * first_[team.index()], rows(c, team), c.sparse)),
        data_(buffet::Source(own_, 64, first_[team.index()]), static_cast<int>(c.x.cols()), team) {}
  TeamRows(const TeamRows&) = delete;

  const buffet::GaussianData& own() const { return own_; }
  const Data& data() const { return data_; }

 private:
  int rows(const TeamData& c, Team& team) const {
    const int m = team.index(), all = static_cast<int>(c.x.rows());
    return std::min(64 * first_[m + 1], all) - 64 * first_[m];
  }

  std::vector<int> first_;
  buffet::GaussianData own_;
  Data data_;
};

/// The results of the runs returned by make(data, rows in memory).
template <class Run>
class TeamPart {
 public:
  template <class Make>
  TeamPart(const TeamData& c, Team& team, Make make)
      : rows_(c, team), run_(make(rows_.data(), &rows_.own())) {
    run_->start({c.start, 77, NAN, NAN}, no_check);
  }

  Bytes after(int steps) {
    for (int n = 0; n < steps && !run_->finished(); ++n) run_->step(no_check);
    return to_bytes(*run_);
  }
  Bytes at_end() {
    while (!run_->finished()) run_->step(no_check);
    return to_bytes(*run_);
  }
  void put(const Bytes& state) { from_bytes(state, *run_); }

 private:
  TeamRows<AscentData> rows_;
  std::unique_ptr<Run> run_;
};

/// Checks that a cluster of any size gives the same result as one process, bit for bit.
template <class Run, class Make>
void check_team(const TeamData& c, Make make) {
  const auto whole = [&](Team& team) { return TeamPart<Run>(c, team, make).at_end(); };
  const Bytes alone = whole(buffet::Solo::instance());
  for (int size : team_sizes())
    for (const Bytes& end : in_team(size, whole)) CHECK((end == alone));
}

/// Checks that the state of a cluster after some steps leads to the same result in another cluster
/// and in one process.
template <class Run, class Make>
void check_resumed_team(const TeamData& c, Make make, const std::vector<int>& left_after) {
  auto& solo = buffet::Solo::instance();
  const Bytes end = TeamPart<Run>(c, solo, make).at_end();
  const auto ended = [&](Team& team, const Bytes& from) {
    TeamPart<Run> part(c, team, make);
    part.put(from);
    return part.at_end();
  };
  for (int steps : left_after) {
    const auto left = [&](Team& team) { return TeamPart<Run>(c, team, make).after(steps); };
    const Bytes by_team = in_team(3, left)[1], alone = left(solo);
    CHECK((ended(solo, by_team) == end));
    CHECK((in_team(2, [&](Team& team) { return ended(team, alone); })[1] == end));
    if (full()) CHECK((in_team(7, [&](Team& team) { return ended(team, by_team); })[6] == end));
  }
}

}  // namespace test
