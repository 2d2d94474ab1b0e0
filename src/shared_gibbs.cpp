#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "cluster_glue.h"
#include "gibbs/any_run.h"
#include "glue.h"
#include "row_source.h"
#include "shared/shared_runs.h"

using namespace buffet;

namespace {

/// Makes chains of a model. model: prior, loadings, sigma_x, sigma_a.
class SharedModel {
 public:
  explicit SharedModel(const Rcpp::List& model)
      : prior_(as_spec(model["prior"])),
        precisions_{as_hyper(model["sigma_x"]), as_hyper(model["sigma_a"])},
        runs_of_(as_named<RunsOf>(model["loadings"],
                                  {{"normal", shared_runs<SharedNormal>},
                                   {"nonnegative", shared_runs<SharedNonnegative>}})) {}

  RunMaker of(const GaussianRows& data) const { return runs_of_(prior_, data, precisions_); }

 private:
  using RunsOf = decltype(&shared_runs<SharedNormal>);
  Exchangeable::Spec prior_;
  Precisions precisions_;
  RunsOf runs_of_;
};

/// Chains whose rows are divided among workers, one sweep of each in turn, so that all workers make
/// the same requests. plan: as in run_chains().
class ChainsMember : public Member {
 public:
  ChainsMember(const Rcpp::List& model, const Rcpp::RObject& x, const Rcpp::List& plan,
               const Rcpp::List& share)
      : Member(share),
        model_(model),
        rows_(RSource::of_member(x, share)),
        plan_(as_plan(plan)),
        seed_(Rcpp::as<int>(plan["seed"])),
        numbers_(Rcpp::as<std::vector<int>>(plan["numbers"])) {
    const Rcpp::List init = plan["init"], states = plan["states"];
    for (std::size_t c = 0; c < numbers_.size(); ++c) {
      starts_.push_back(as_start(init[c]));
      states_.push_back(as_bytes(states[c]));
    }
    team_.begin([this] { run(); });
  }
  ~ChainsMember() override { team_.cancel(); }

  /// Number of sweeps done by each chain.
  Rcpp::RObject status() const override {
    return done_.empty() ? Rcpp::RObject() : Rcpp::RObject(Rcpp::wrap(done_));
  }
  Rcpp::RObject saved() const override { return result(); }
  /// The results of the chains since the last save.
  Rcpp::RObject result() const override {
    Rcpp::List out;
    for (std::size_t c = 0; c < left_.size(); ++c) {
      const SnapshotNames names{runs_[c]->scalar_names(), runs_[c]->move_names(), numbers_[c]};
      const Rcpp::List all = from_snapshot(left_[c], names);
      out.push_back(is_first() ? all : Rcpp::List::create(Rcpp::Named("bits") = all["bits"]));
    }
    return out;
  }

 private:
  void run() {
    const int columns = rows_.columns();
    data_.emplace(rows_.take(), columns, team_);
    const RunMaker make = model_.of(*data_);
    for (std::size_t c = 0; c < numbers_.size(); ++c) {
      runs_.push_back(make(starts_[c], Rng(seed_, numbers_[c]), plan_, no_check));
      if (!states_[c].empty()) from_bytes(states_[c], *runs_[c]);
    }
    advance();
    if (!team_.stops()) {
      meet_those_that_wait();
      advance();
    }
    take_snapshots();
  }

  void advance() {
    for (bool more = true; more && !team_.stops();) {
      more = false;
      for (auto& run : runs_) {
        if (run->arrived() || team_.stops()) continue;
        run->step(no_check);
        report(run->mark());
        more = true;
      }
    }
  }

  void report(double mark) {
    done_.clear();
    for (auto& run : runs_) done_.push_back(run->done());
    team_.report(Eigen::VectorXd::Constant(1, mark));
    if (!team_.saves()) return;
    take_snapshots();
    team_.save();
  }

  void meet_those_that_wait() {
    std::vector<AnyRun*> waiting;
    std::vector<int> numbers;
    for (std::size_t c = 0; c < runs_.size(); ++c)
      if (runs_[c]->waits()) {
        waiting.push_back(runs_[c].get());
        numbers.push_back(numbers_[c]);
      }
    if (!waiting.empty()) meet(waiting, numbers);
  }

  void take_snapshots() {
    left_.clear();
    for (auto& run : runs_)
      left_.push_back(
          {to_bytes(*run), run->take_trace(), "", run->begun_from(), run->waits(), run->tallies()});
  }

  SharedModel model_;
  RSource rows_;
  Plan plan_;
  std::uint64_t seed_;
  std::vector<int> numbers_;
  std::vector<Start> starts_;
  std::vector<std::vector<unsigned char>> states_;
  std::optional<GaussianRows> data_;
  std::vector<std::unique_ptr<AnyRun>> runs_;
  std::vector<int> done_;
  std::vector<Snapshot> left_;
};

}  // namespace

// Runs chains whose rows can be divided among workers, here in one process. x: one observation per
// row; model: prior, loadings, sigma_x, sigma_a; plan and watch: as in run_chains().
// [[Rcpp::export]]
Rcpp::List shared_gibbs_cpp(Rcpp::RObject x, Rcpp::List model, Rcpp::List plan, Rcpp::List watch) {
  RSource rows = RSource::held(x);
  const int columns = rows.columns();
  const GaussianRows data(rows.take(), columns);
  return run_chains(from_start(SharedModel(model).of(data), watch), plan, watch);
}

// shared_gibbs_cpp() as run by one worker of a cluster: x has its own rows, and share says which
// rows these are.
// [[Rcpp::export]]
SEXP shared_gibbs_member_cpp(Rcpp::RObject x, Rcpp::List model, Rcpp::List plan, Rcpp::List share) {
  return Rcpp::XPtr<Member>(new ChainsMember(model, x, plan, share));
}

// Bits of draws with these numbers of features, combined from the bits for each worker's rows.
// [[Rcpp::export]]
Rcpp::RawVector join_rows_cpp(Rcpp::List bits, std::vector<int> rows, std::vector<int> sizes) {
  std::vector<Draws> parts;
  std::vector<std::unique_ptr<RDraws>> held;
  int all_rows = 0, columns = 0;
  for (int size : sizes) columns += size;
  for (std::size_t m = 0; m < rows.size(); ++m) {
    held.push_back(std::make_unique<RDraws>(
        Rcpp::List::create(Rcpp::Named("rows") = rows[m], Rcpp::Named("sizes") = Rcpp::wrap(sizes),
                           Rcpp::Named("bits") = bits[m])));
    all_rows += rows[m];
  }
  const std::size_t words = (all_rows + 63) / 64;
  Rcpp::RawVector out(columns * words * sizeof(std::uint64_t));
  unsigned char* at = out.begin();
  for (std::size_t draw = 0; draw < sizes.size(); ++draw) {
    std::vector<Features> own;
    for (const auto& part : held) own.push_back((**part)[static_cast<int>(draw)]);
    for (int k = 0; k < sizes[draw]; ++k, at += words * sizeof(std::uint64_t)) {
      Bits column(all_rows);
      int first = 0;
      for (const Features& z : own) {
        column.put(first, z.column(k));
        first += z.rows();
      }
      std::memcpy(at, column.words().data(), words * sizeof(std::uint64_t));
    }
  }
  return out;
}
