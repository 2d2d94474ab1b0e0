#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/archive.h"
#include "core/check.h"
#include "core/rng.h"
#include "meibp_ascent.h"

namespace buffet {

/// A whole maximisation: ascents from several starts, of which the best is kept. With many rows, or
/// if the rows are not in memory, the ascents use only some of the rows, and the best result is
/// extended to all of them.
class MeibpRun {
 public:
  struct Model {
    Exchangeable::Spec prior;
    Precisions precisions;
  };

  /// `whole`: the data, if they are in memory.
  MeibpRun(const AscentData& data, const GaussianData* whole, const MeibpPlan& plan,
           const Model& model);

  /// If no features are given, ascents start from random features and from a single feature.
  /// `check` may throw, which leaves the run unusable.
  void start(const AscentStart& start, const Check& check);

  bool finished() const { return finished_; }
  /// Number of iterations and blocks of proposals in all ascents.
  int done() const;
  /// The best result so far, and whether it uses all rows.
  const Ascent& best() const;
  bool has_all_rows() const { return !part_ || last_; }

  /// Makes a few steps of every unfinished ascent. `check` may throw; the interrupted steps are
  /// then undone.
  void step(const Check& check);

  void archive(Archive& a) {
    a(finished_);
    for (auto& ascent : starts_) a(ascent);
    bool has_last = last_.has_value();
    a(has_last);
    if (!has_last) last_.reset();
    if (!has_last) return;
    if (a.reads()) last_.emplace(empty(data_, plan_), rng_, kinds(), whole_);
    a(*last_);
  }

 private:
  static constexpr int some = 2000, many = 5000, very_many = 20000;

  /// Selects a subset of the rows.
  struct Part {
    GaussianData x;
    AscentData data;

    Part(const AscentData& all, Rng& rng);

    static std::vector<int> draw(int rows, Rng& rng);
  };

  /// With very many rows, some kinds of proposals cost more than they gain.
  Proposals kinds() const;

  Meibp empty(const AscentData& data, const MeibpPlan& plan) const;

  Meibp first(const AscentData& data, const MeibpPlan& plan, const AscentStart& start) const;

  static Bits all_rows(const AscentData& data);

  /// Adds max_features columns of Bernoulli(1/3) with small loadings, or fewer if rows cannot be
  /// searched with so many features.
  void add_random(Meibp& state, Rng& rng) const;

  void add_start(Meibp state, Rng rng, Proposals kinds, const GaussianData* x);

  /// Makes several steps at a time, so that threads rarely wait for each other.
  static void advance(Ascent& ascent, const Check& check);

  /// Advances all unfinished ascents; in a cluster, makes one step of them. Returns true if all
  /// have ended.
  bool advance_all(const Check& check);

  /// Each worker runs some of the ascents that use some of the rows: its own ascents and, at the
  /// end, the results of all workers.
  bool is_own(int start) const;
  bool share_ends();

  /// An exception in a cluster ends the run, so nothing needs to be undone.
  template <class F>
  void undone_by_throw(Ascent& ascent, F work) const {
    if (data_.team.size() > 1) return work();
    const Ascent before = ascent;
    try {
      work();
    } catch (...) {
      ascent = before;
      throw;
    }
  }

  void carry_over(const Check& check);

  const AscentData& data_;
  const GaussianData* whole_;
  MeibpPlan plan_;
  Model model_;
  Rng rng_;
  std::unique_ptr<Part> part_;
  std::vector<Ascent> starts_;
  std::optional<Ascent> last_;
  bool finished_ = false;
};

}  // namespace buffet
