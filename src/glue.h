#pragma once

#include <RcppEigen.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "core/draws.h"
#include "core/features.h"
#include "core/hyper.h"
#include "gibbs/chains.h"
#include "gibbs/run.h"
#include "gibbs/trace.h"
#include "prior/any.h"

/// Conversions between R and the core, one pair a type, and the progress callable.

namespace buffet {

inline Hyper as_hyper(const Rcpp::List& x) {
  return {x["value"], x["learned"], x["shape"], x["rate"]};
}

inline Exchangeable::Spec as_spec(const Rcpp::List& x) {
  return {as_hyper(x["alpha"]), as_hyper(x["concentration"]), x["discount"], x["n_features"],
          x["max_features"]};
}

/// parents (numbered from 0, -1 the root's) and lengths, the rows first.
inline Tree as_tree(const Rcpp::List& x, int rows) {
  return Tree(rows, Rcpp::as<std::vector<int>>(x["parents"]),
              Rcpp::as<std::vector<double>>(x["lengths"]));
}

inline AnyPrior as_prior(const Rcpp::List& x, int rows) {
  const std::string kind = x["kind"];
  if (kind == "exchangeable") return Exchangeable(rows, as_spec(x));
  if (kind == "fixed") return Fixed();
  if (kind != "phylogenetic") Rcpp::stop("unknown prior: %s", kind);
  const auto rates =
      Rcpp::as<bool>(x["sampled"]) ? TreeTables::Rates::sampled : TreeTables::Rates::automatic;
  return Phylogenetic(std::make_shared<const TreeTables>(as_tree(x["tree"], rows), rates),
                      as_hyper(x["alpha"]), x["max_features"]);
}

inline Plan as_plan(const Rcpp::List& x) {
  return {x["iter"], x["warmup"], x["thin"], x["search"]};
}

/// Empty columns are left out: the core has none.
inline Features as_features(const Rcpp::IntegerMatrix& x) {
  Features z(x.nrow());
  for (int k = 0; k < x.ncol(); ++k) {
    Bits column(x.nrow());
    for (int i = 0; i < x.nrow(); ++i)
      if (x(i, k) != 0) column.set(i);
    if (column.count() > 0) z.add(std::move(column));
  }
  return z;
}

inline Rcpp::IntegerMatrix from_features(const Features& z) {
  Rcpp::IntegerMatrix x(z.rows(), z.size());
  for (int k = 0; k < z.size(); ++k) z.column(k).for_each([&](int i) { x(i, k) = 1; });
  return x;
}

/// Draws as R keeps them: list(rows, sizes, bits). The words are copied out of the raw vector,
/// which need not be aligned to them.
class RDraws {
 public:
  explicit RDraws(const Rcpp::List& x)
      : words_(words(x["bits"])),
        draws_(x["rows"], Rcpp::as<std::vector<int>>(x["sizes"]), words_.data()) {}
  RDraws(const RDraws&) = delete;  // draws_ points into words_

  const Draws& operator*() const { return draws_; }
  const Draws* operator->() const { return &draws_; }

 private:
  static std::vector<std::uint64_t> words(const Rcpp::RawVector& bits) {
    std::vector<std::uint64_t> words(bits.size() / sizeof(std::uint64_t));
    if (!words.empty()) std::memcpy(words.data(), bits.begin(), bits.size());
    return words;
  }

  std::vector<std::uint64_t> words_;
  Draws draws_;
};

/// Bytes of a raw vector, none for NULL.
inline std::vector<unsigned char> as_bytes(SEXP x) {
  return Rf_isNull(x) ? std::vector<unsigned char>() : Rcpp::as<std::vector<unsigned char>>(x);
}

inline Rcpp::List from_snapshot(const Snapshot& snapshot, const std::vector<std::string>& names) {
  const Trace& trace = snapshot.trace;
  Rcpp::NumericMatrix scalars(static_cast<int>(names.size()), trace.records());
  std::copy(trace.scalars().begin(), trace.scalars().end(), scalars.begin());
  Rcpp::rownames(scalars) = Rcpp::wrap(names);
  Rcpp::RawVector bits(trace.bits().size() * sizeof(std::uint64_t));
  if (bits.size() > 0) std::memcpy(bits.begin(), trace.bits().data(), bits.size());
  return Rcpp::List::create(
      Rcpp::Named("scalars") = scalars, Rcpp::Named("sizes") = Rcpp::wrap(trace.sizes()),
      Rcpp::Named("bits") = bits, Rcpp::Named("loadings") = Rcpp::wrap(trace.loadings()),
      Rcpp::Named("bytes") = Rcpp::wrap(trace.bytes()),
      Rcpp::Named("byte_counts") = Rcpp::wrap(trace.byte_counts()),
      Rcpp::Named("state") = Rcpp::wrap(snapshot.state), Rcpp::Named("failure") = snapshot.failure);
}

/// One list a chain.
template <class Chain>
Rcpp::List from_chains(Chains<Chain>& chains) {
  Rcpp::List out;
  for (const Snapshot& snapshot : chains.snapshots())
    out.push_back(from_snapshot(snapshot, chains.scalar_names()));
  return out;
}

/// Runs chains that begin as `first` does, each with its own stream of random numbers, where
/// `start(chain, init)` puts it or a saved state left it. plan: iter, warmup, thin, search, cores,
/// seed and, one a chain, init and states (raw or NULL).
template <class Chain, class Start, class Watch>
Rcpp::List run_chains(const Chain& first, Start start, const Rcpp::List& plan, Watch watch) {
  const Rcpp::List init = plan["init"], states = plan["states"];
  const int seed = plan["seed"];
  std::vector<Run<Chain>> runs;
  for (int c = 0; c < init.size(); ++c) {
    Chain chain = first;
    chain.rng = Rng(seed, c);
    start(chain, init[c]);
    runs.emplace_back(std::move(chain), as_plan(plan));
    if (!Rf_isNull(states[c])) from_bytes(as_bytes(states[c]), runs.back());
  }
  Chains<Chain> chains(std::move(runs));
  chains.work(plan["cores"], watch);
  return from_chains(chains);
}

/// Asks R about interrupts, hands the sweeps that each chain has done to an R function, and every
/// so many seconds the chains to another that saves them.
class Watch {
 public:
  explicit Watch(const Rcpp::List& x)
      : stop_(Rcpp::as<Rcpp::Function>(x["stop"])),
        report_(Rcpp::as<Rcpp::Function>(x["report"])),
        save_(x["save"]),
        seconds_(x["seconds"]) {}

  template <class Chain>
  bool operator()(Chains<Chain>& chains) {
    if (Rcpp::as<bool>(stop_())) return false;
    report_(Rcpp::wrap(chains.done()));
    if (!Rf_isNull(save_)) save(chains);
    return true;
  }

 private:
  using Clock = std::chrono::steady_clock;

  template <class Chain>
  void save(Chains<Chain>& chains) {
    if (asked_ && chains.answered()) {
      const Rcpp::Function save(save_);
      save(from_chains(chains));
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

}  // namespace buffet
