#include "feature_loss.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace buffet {

std::vector<int> match_cheapest(const std::vector<double>& cost, int n) {
  const double infinity = std::numeric_limits<double>::infinity();
  // Dual variables with cost(i, j) >= row[i] + column[j], with equality if i and j are matched.
  // Column n is a dummy for the row to be matched next.
  std::vector<double> row(n, infinity), column(n + 1, infinity), slack(n + 1);
  std::vector<int> row_of(n + 1, -1), from(n + 1);
  std::vector<char> reached(n + 1);
  column[n] = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) column[j] = std::min(column[j], cost[i * n + j]);
  // Rows with a free column at zero reduced cost need no search.
  std::vector<int> unmatched;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) row[i] = std::min(row[i], cost[i * n + j] - column[j]);
    int free = 0;
    while (free < n && (row_of[free] >= 0 || cost[i * n + free] - column[free] > row[i])) ++free;
    if (free < n)
      row_of[free] = i;
    else
      unmatched.push_back(i);
  }
  for (int next : unmatched) {
    std::fill(slack.begin(), slack.end(), infinity);
    std::fill(reached.begin(), reached.end(), false);
    row_of[n] = next;
    int at = n;
    while (row_of[at] >= 0) {
      reached[at] = true;
      const int i = row_of[at];
      int nearest = -1;
      for (int j = 0; j < n; ++j) {
        if (reached[j]) continue;
        const double reduced = cost[i * n + j] - row[i] - column[j];
        if (reduced < slack[j]) {
          slack[j] = reduced;
          from[j] = at;
        }
        if (nearest < 0 || slack[j] < slack[nearest]) nearest = j;
      }
      const double step = slack[nearest];
      for (int j = 0; j <= n; ++j) {
        if (reached[j]) {
          row[row_of[j]] += step;
          column[j] -= step;
        } else {
          slack[j] -= step;
        }
      }
      at = nearest;
    }
    for (; at != n; at = from[at]) row_of[at] = row_of[from[at]];
  }
  std::vector<int> column_of(n);
  for (int j = 0; j < n; ++j) column_of[row_of[j]] = j;
  return column_of;
}

FeatureLoss::Pair FeatureLoss::compare(int rows, int of_estimate, int of_draw, int shared) const {
  const auto cost = [&](int draw, int common) {
    return extra_ * (of_estimate - common) + (2 - extra_) * (draw - common);
  };
  const double as_drawn = cost(of_draw, shared);
  if (!both_) return {as_drawn, false};
  const double flipped = cost(rows - of_draw, of_estimate - shared);
  return {std::min(as_drawn, flipped), flipped < as_drawn};
}

FeatureLoss::Matched FeatureLoss::match(const Features& z, const Features& y) const {
  const int n = std::max(z.size(), y.size()), rows = z.rows();
  std::vector<Pair> pairs;
  std::vector<double> costs;
  for (int k = 0; k < n; ++k)
    for (int l = 0; l < n; ++l) {
      const bool in_z = k < z.size(), in_y = l < y.size();
      const int shared = in_z && in_y ? z.column(k).count_shared(y.column(l)) : 0;
      pairs.push_back(compare(rows, in_z ? z.count(k) : 0, in_y ? y.count(l) : 0, shared));
      costs.push_back(pairs.back().cost);
    }
  Matched out{0, {}};
  const auto column_of = match_cheapest(costs, n);
  for (int k = 0; k < n; ++k) {
    const int l = column_of[k];
    Bits column = l < y.size() ? y.column(l) : Bits(rows);
    const Pair pair = pairs[k * n + l];
    out.loss += pair.cost;
    out.columns.push_back(pair.flip ? complement(std::move(column), rows) : std::move(column));
  }
  return out;
}

bool FeatureLoss::is_void(const Bits& column, int rows) const {
  return compare(rows, 0, column.count(), 0).cost == 0;
}

double expected_loss(const FeatureLoss& loss, const Features& estimate, const Draws& draws,
                     const Check& check) {
  double sum = 0;
  for (int draw = 0; draw < draws.size(); ++draw) {
    if (draw % 100 == 0) check();
    sum += loss.match(estimate, draws[draw]).loss;
  }
  return sum / draws.size();
}

namespace {

class Search {
 public:
  Search(const FeatureLoss& loss, const std::vector<Features>& draws, const Check& check)
      : loss_(loss), draws_(draws), check_(check) {}

  /// An estimate and its total loss.
  struct Found {
    Features z;
    double loss;
  };

  Found descend(Features z) const {
    Found best{z, std::numeric_limits<double>::infinity()};
    while (true) {
      const Matchings all = match(z);
      if (!(all.loss < best.loss - 1e-9)) return best;
      best = {std::move(z), all.loss};
      z = frequent(all.counts, best.z.rows());
    }
  }

  /// Removes and adds columns, then flips entries.
  Found improve(Found best, const std::vector<Features>& starts) const {
    return improve_entries(improve_columns(std::move(best), starts));
  }

 private:
  struct Matchings {
    double loss;                           ///< summed over the draws
    std::vector<std::vector<int>> counts;  ///< number of draws whose matched column has each entry
  };

  Matchings match(const Features& z) const {
    check_();
    Matchings all{0, {std::size_t(z.size()), std::vector<int>(z.rows(), 0)}};
    for (const Features& draw : draws_) {
      const auto matched = loss_.match(z, draw);
      all.loss += matched.loss;
      for (int k = 0; k < z.size(); ++k)
        matched.columns[k].for_each([&](int i) { ++all.counts[k][i]; });
    }
    return all;
  }

  Found improve_columns(Found best, const std::vector<Features>& starts) const {
    for (bool better = true; better;) {
      better = false;
      for (const Features& z : neighbours(best.z, starts)) {
        Found found = descend(z);
        if (found.loss >= best.loss - 1e-9) continue;
        best = std::move(found);
        better = true;
        break;
      }
    }
    return best;
  }

  /// Given the matchings, no flip of an entry lowers the loss, but a flip can lead to better
  /// matchings. Tries the entries that cost least to flip given the matchings, first on about 100
  /// of the draws.
  Found improve_entries(Found best) const {
    for (bool better = true; better;) {
      better = false;
      const double some = loss_of_some(best.z);
      for (const Entry& entry : cheapest_flips(best.z)) {
        Features z = best.z;
        z.flip(entry.row, entry.column);
        if (z.count(entry.column) == 0) z.drop(entry.column);
        if (loss_of_some(z) > some || match(z).loss >= best.loss - 1e-9) continue;
        best = descend(std::move(z));
        better = true;
        break;
      }
    }
    return best;
  }

  double loss_of_some(const Features& z) const {
    check_();
    double sum = 0;
    const std::size_t step = std::max<std::size_t>(1, draws_.size() / 100);
    for (std::size_t s = 0; s < draws_.size(); s += step) sum += loss_.match(z, draws_[s]).loss;
    return sum;
  }

  struct Entry {
    double cost;
    int row, column;
  };

  std::vector<Entry> cheapest_flips(const Features& z) const {
    const auto counts = match(z).counts;
    std::vector<Entry> out;
    for (int k = 0; k < z.size(); ++k)
      for (int i = 0; i < z.rows(); ++i) {
        const double gain = 2.0 * counts[k][i] - loss_.extra() * double(draws_.size());
        out.push_back({std::abs(gain), i, k});
      }
    const std::size_t most = std::min<std::size_t>(out.size(), 4 * z.size());
    std::partial_sort(out.begin(), out.begin() + most, out.end(),
                      [](const Entry& a, const Entry& b) { return a.cost < b.cost; });
    out.resize(most);
    return out;
  }

  Features frequent(const std::vector<std::vector<int>>& counts, int rows) const {
    Features z(rows);
    for (const auto& of_column : counts) {
      Bits column(rows);
      for (int i = 0; i < rows; ++i)
        if (2.0 * of_column[i] > loss_.extra() * double(draws_.size())) column.set(i);
      if (!loss_.is_void(column, rows)) z.add(std::move(column));
    }
    return z;
  }

  std::vector<Features> neighbours(const Features& z, const std::vector<Features>& starts) const {
    std::vector<Features> out;
    for (int k = 0; k < z.size(); ++k) {
      out.push_back(z);
      out.back().drop(k);
    }
    for (const Features& start : starts) {
      const auto matched = loss_.match(z, start);
      for (std::size_t l = z.size(); l < matched.columns.size(); ++l) {
        out.push_back(z);
        out.back().add(matched.columns[l]);
      }
    }
    return out;
  }

  const FeatureLoss& loss_;
  const std::vector<Features>& draws_;
  const Check& check_;
};

}  // namespace

Features search_estimate(const FeatureLoss& loss, const Features& start,
                         const std::vector<Features>& draws, const Check& check) {
  const Search search(loss, draws, check);
  std::vector<Features> starts{start};
  const std::size_t n = std::min<std::size_t>(16, draws.size());
  for (std::size_t s = 0; s < n; ++s) starts.push_back(draws[s * draws.size() / n]);
  Search::Found best = search.descend(start);
  for (std::size_t s = 1; s < starts.size(); ++s) {
    Search::Found found = search.descend(starts[s]);
    if (found.loss < best.loss) best = std::move(found);
  }
  return search.improve(std::move(best), starts).z;
}

}  // namespace buffet
