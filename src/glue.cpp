#include "glue.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace buffet {

Hyper as_hyper(const Rcpp::List& x) {
  return {x["value"], x["learned"], x["shape"], x["rate"]};
}

Exchangeable::Spec as_spec(const Rcpp::List& x) {
  const std::string kind = x["kind"];
  if (kind != "exchangeable") Rcpp::stop("not for this prior: %s", kind);
  return {as_hyper(x["alpha"]), as_hyper(x["concentration"]), x["discount"], x["n_features"],
          x["max_features"]};
}

namespace {

/// True if following the parents leads from every row to the single root, which is not a row.
bool is_tree(const std::vector<int>& parents, int rows) {
  const int nodes = static_cast<int>(parents.size());
  if (rows < 1 || nodes < rows || std::count(parents.begin(), parents.end(), -1) != 1) return false;
  const auto is_node = [&](int p) { return p == -1 || (p >= rows && p < nodes); };
  if (!std::all_of(parents.begin(), parents.end(), is_node)) return false;
  // Each step doubles the distance over which every node has looked up; in a cycle this never ends.
  std::vector<int> above = parents;
  for (int reached = 1; reached < nodes; reached *= 2) {
    const std::vector<int> before = above;
    for (int& v : above)
      if (v >= 0) v = before[v];
  }
  return std::all_of(above.begin(), above.end(), [](int v) { return v == -1; });
}

bool is_length(double t) {
  return std::isfinite(t) && t >= 0;
}

}  // namespace

Tree as_tree(const Rcpp::List& x, int rows) {
  const auto parents = Rcpp::as<std::vector<int>>(x["parents"]);
  const auto lengths = Rcpp::as<std::vector<double>>(x["lengths"]);
  check_fit(is_tree(parents, rows) && lengths.size() == parents.size() &&
                std::all_of(lengths.begin(), lengths.end(), is_length),
            "tree");
  return Tree(rows, parents, lengths);
}

namespace {

Attraction as_attraction(const Rcpp::List& x, int rows) {
  auto distance = std::make_shared<const Eigen::MatrixXd>(Rcpp::as<Eigen::MatrixXd>(x["distance"]));
  auto order = Rcpp::as<std::vector<int>>(x["order"]);
  check_fit(distance->rows() == rows && distance->cols() == rows && distance->allFinite() &&
                static_cast<int>(order.size()) == rows && is_permutation(order),
            "distances");
  return Attraction({std::move(distance), std::move(order), x["samples_order"],
                     as_hyper(x["alpha"]), as_hyper(x["temperature"]), x["max_features"]});
}

}  // namespace

AnyPrior as_prior(const Rcpp::List& x, int rows) {
  const std::string kind = x["kind"];
  if (kind == "exchangeable") return Exchangeable(rows, as_spec(x));
  if (kind == "fixed") return Fixed();
  if (kind == "attraction") return as_attraction(x, rows);
  if (kind != "phylogenetic") Rcpp::stop("unknown prior: %s", kind);
  const auto rates =
      Rcpp::as<bool>(x["sampled"]) ? TreeTables::Rates::sampled : TreeTables::Rates::automatic;
  return Phylogenetic(std::make_shared<const TreeTables>(as_tree(x["tree"], rows), rates),
                      as_hyper(x["alpha"]), x["max_features"]);
}

Features as_features(const Rcpp::IntegerMatrix& x) {
  Features z(x.nrow());
  for (int k = 0; k < x.ncol(); ++k) {
    Bits column(x.nrow());
    for (int i = 0; i < x.nrow(); ++i)
      if (x(i, k) != 0) column.set(i);
    if (column.count() > 0) z.add(std::move(column));
  }
  return z;
}

Rcpp::IntegerMatrix from_features(const Features& z) {
  Rcpp::IntegerMatrix x(z.rows(), z.size());
  for (int k = 0; k < z.size(); ++k) z.column(k).for_each([&](int i) { x(i, k) = 1; });
  return x;
}

namespace {

std::vector<std::uint64_t> words_of(const Rcpp::RawVector& bits) {
  if (bits.size() % sizeof(std::uint64_t) != 0)
    Rcpp::stop("the kept draws are damaged in their bits.");
  std::vector<std::uint64_t> words(bits.size() / sizeof(std::uint64_t));
  if (!words.empty()) std::memcpy(words.data(), bits.begin(), bits.size());
  return words;
}

}  // namespace

RDraws::RDraws(const Rcpp::List& x)
    : words_(words_of(x["bits"])),
      draws_(x["rows"], Rcpp::as<std::vector<int>>(x["sizes"]), words_) {}

void check_kept(bool sound, const char* part) {
  if (!sound) Rcpp::stop("the kept draws are damaged in their %s.", part);
}

void check_fit(bool sound, const char* part) {
  if (!sound) Rcpp::stop("the fit is damaged in its %s.", part);
}

void check_below(const std::vector<int>& numbers, int size, const char* part) {
  check_fit(std::all_of(numbers.begin(), numbers.end(), [=](int n) { return n >= 0 && n < size; }),
            part);
}

void check_places(const std::vector<int>& rows, const std::vector<int>& columns,
                  Eigen::Index values, std::pair<int, int> size) {
  const auto count = static_cast<std::size_t>(values);
  check_fit(rows.size() == count && columns.size() == count, "data");
  check_below(rows, size.first, "rows");
  check_below(columns, size.second, "columns");
}

Eigen::Map<Eigen::SparseMatrix<double>> as_sparse(const Rcpp::RObject& x) {
  const auto slot = [&](const char* name, unsigned type) {
    const SEXP values = x.hasSlot(name) ? SEXP(x.slot(name)) : R_NilValue;
    check_fit(TYPEOF(values) == type, "sparse matrix");
    return values;
  };
  const Rcpp::IntegerVector size = slot("Dim", INTSXP), ends = slot("p", INTSXP),
                            rows = slot("i", INTSXP);
  check_fit(size.size() == 2 && size[0] >= 0 && ends.size() == R_xlen_t{size[1]} + 1 &&
                ends[0] == 0 && ends[size[1]] == rows.size() &&
                std::is_sorted(ends.begin(), ends.end()) &&
                rows.size() == Rf_xlength(slot("x", REALSXP)),
            "sparse matrix");
  for (int j = 0; j < size[1]; ++j)
    for (int n = ends[j], last = -1; n < ends[j + 1]; last = rows[n++])
      check_fit(rows[n] > last && rows[n] < size[0], "sparse matrix");
  return Rcpp::as<Eigen::Map<Eigen::SparseMatrix<double>>>(x);
}

std::vector<unsigned char> as_bytes(SEXP x) {
  return Rf_isNull(x) ? std::vector<unsigned char>() : Rcpp::as<std::vector<unsigned char>>(x);
}

// --- chains ------------------------------------------------------------------------------------

Plan as_plan(const Rcpp::List& x) {
  return {x["iter"], x["warmup"], x["thin"], x["search"], x["regroup"], x["bare"], x["keep_after"]};
}

Start as_start(const Rcpp::List& init) {
  Start start;
  const SEXP features = init["features"];
  if (!Rf_isNull(features)) start.features = as_features(Rcpp::as<Rcpp::IntegerMatrix>(features));
  const Rcpp::NumericVector values = init["values"];
  for (R_xlen_t n = 0; n < values.size(); ++n)
    if (!ISNAN(values[n])) {
      const Rcpp::CharacterVector names = values.names();
      start.values.emplace_back(Rcpp::as<std::string>(names[n]), values[n]);
    }
  return start;
}

namespace {

/// A matrix with these row names.
Rcpp::NumericMatrix with_names(const std::vector<std::string>& names, int columns) {
  Rcpp::NumericMatrix x(static_cast<int>(names.size()), columns);
  // Rcpp does not protect its argument while it allocates the result.
  const Rcpp::CharacterVector row_names = Rcpp::wrap(names);
  Rcpp::rownames(x) = row_names;
  return x;
}

}  // namespace

Rcpp::List from_snapshot(const Snapshot& snapshot, const SnapshotNames& names) {
  const Trace& trace = snapshot.trace;
  Rcpp::NumericMatrix scalars = with_names(names.scalars, trace.records());
  std::copy(trace.scalars().begin(), trace.scalars().end(), scalars.begin());
  Rcpp::NumericMatrix moves = with_names(names.moves, 2);
  for (std::size_t n = 0; n < snapshot.tallies.size(); ++n) {
    moves(n, 0) = double(snapshot.tallies[n].tried);
    moves(n, 1) = double(snapshot.tallies[n].accepted);
  }
  Rcpp::RawVector bits(trace.bits().size() * sizeof(std::uint64_t));
  if (bits.size() > 0) std::memcpy(bits.begin(), trace.bits().data(), bits.size());
  return Rcpp::List::create(
      Rcpp::Named("scalars") = scalars, Rcpp::Named("sizes") = Rcpp::wrap(trace.sizes()),
      Rcpp::Named("bits") = bits, Rcpp::Named("loadings") = Rcpp::wrap(trace.loadings()),
      Rcpp::Named("bytes") = Rcpp::wrap(trace.bytes()),
      Rcpp::Named("byte_counts") = Rcpp::wrap(trace.byte_counts()),
      Rcpp::Named("state") = Rcpp::wrap(snapshot.state), Rcpp::Named("failure") = snapshot.failure,
      Rcpp::Named("regrouped") = snapshot.begun_from >= 0 && snapshot.begun_from != names.number,
      Rcpp::Named("waits") = snapshot.waits, Rcpp::Named("moves") = moves);
}

namespace {

/// The elements of all snapshots, each given by of(c), extracted one at a time.
template <class F>
Rcpp::List from_chains(const Chains& chains, F of) {
  Rcpp::List out(chains.size());
  for (int c = 0; c < chains.size(); ++c)
    out[c] = from_snapshot(of(c), {chains.scalar_names(), chains.move_names(), chains.number(c)});
  return out;
}

/// Polls R for interrupts, reports the number of sweeps done by each chain, and saves the chains
/// every given number of seconds.
class Watch {
 public:
  explicit Watch(const Rcpp::List& x)
      : stop_(Rcpp::as<Rcpp::Function>(x["stop"])),
        report_(Rcpp::as<Rcpp::Function>(x["report"])),
        save_(x["save"]),
        seconds_(x["seconds"]) {}

  bool operator()(Chains& chains) {
    if (Rcpp::as<bool>(stop_())) return false;
    report_(Rcpp::wrap(chains.done()));
    if (!Rf_isNull(save_)) save(chains);
    return true;
  }

 private:
  using Clock = std::chrono::steady_clock;

  void save(Chains& chains) {
    if (asked_ && chains.answered()) {
      const Rcpp::Function save(save_);
      save(from_chains(chains, [&](int c) { return chains.snapshot(c); }));
      asked_ = false;
      saved_ = Clock::now();
    } else if (!asked_ && Clock::now() - saved_ > std::chrono::duration<double>(seconds_)) {
      chains.ask();
      asked_ = true;
    }
  }

  Rcpp::Function stop_, report_;
  Rcpp::RObject save_;
  double seconds_;
  bool asked_ = false;
  Clock::time_point saved_ = Clock::now();
};

}  // namespace

RRunMaker from_start(RunMaker make, const Rcpp::List& watch) {
  const Rcpp::Function stop(Rcpp::as<Rcpp::Function>(watch["stop"]));
  return [make, stop](const Rcpp::List& init, Rng rng, const Plan& plan) {
    using Clock = std::chrono::steady_clock;
    auto asked = Clock::now();
    return make(as_start(init), std::move(rng), plan, [stop, asked]() mutable {
      if (Clock::now() - asked < std::chrono::milliseconds(50)) return;
      if (Rcpp::as<bool>(stop()))
        throw Rcpp::exception("interrupted before any draw was kept.", false);
      asked = Clock::now();
    });
  };
}

namespace {

Chains as_chains(const RRunMaker& make, const Rcpp::List& plan) {
  const Rcpp::List init = plan["init"], states = plan["states"];
  const auto numbers = Rcpp::as<std::vector<int>>(plan["numbers"]);
  const int seed = plan["seed"];
  const auto count = static_cast<std::size_t>(init.size());
  check_fit(numbers.size() == count && std::size_t(states.size()) == count, "chains");
  std::vector<std::unique_ptr<AnyRun>> runs;
  for (int c = 0; c < init.size(); ++c) {
    runs.push_back(make(init[c], Rng(seed, numbers[c]), as_plan(plan)));
    if (!Rf_isNull(states[c])) from_bytes(as_bytes(states[c]), *runs.back());
  }
  return Chains(std::move(runs), numbers);
}

}  // namespace

Rcpp::List run_chains(const RRunMaker& make, const Rcpp::List& plan, const Rcpp::List& watch) {
  Chains chains = as_chains(make, plan);
  const std::string until = plan["until"];
  if (until == "end")
    chains.work(plan["cores"], Watch(watch));
  else if (until == "seconds")
    chains.stretch(plan["seconds"], plan["cores"], Watch(watch));
  else if (until == "meeting")
    chains.meet();
  else
    chains.stand();
  return from_chains(chains, [&](int c) { return chains.take(c); });
}

}  // namespace buffet
