#include "gaussian_rows.h"

#include <algorithm>
#include <cstdint>

namespace buffet {

Source::Source(std::vector<int> sizes, Fetch fetch)
    : sizes_(std::move(sizes)), fetch_(std::move(fetch)) {
  for (int size : sizes_) rows_ += size;
}

Source::Source(std::vector<GaussianData> held, int first_block)
    : held_(std::move(held)), first_block_(first_block) {
  for (const GaussianData& x : held_) {
    sizes_.push_back(x.rows());
    rows_ += x.rows();
  }
}

namespace {

/// Calls f(x, row of x, n) for the given rows of a source, where n counts them.
template <class F>
void for_rows(const GaussianRows& data, const std::vector<int>& rows, F f) {
  auto next = std::lower_bound(rows.begin(), rows.end(), data.first_row());
  data.source.for_each([&](const RowBlock& block) {
    const int first = data.first_row() + block.first;
    for (; next != rows.end() && *next < first + block.count; ++next)
      f(block.x, block.from + *next - first, static_cast<int>(next - rows.begin()));
  });
}

Eigen::VectorXd as_vector(const std::vector<double>& values) {
  return Eigen::VectorXd::Map(values.data(), static_cast<Eigen::Index>(values.size()));
}

GaussianData dense_rows(const GaussianRows& data, const std::vector<int>& rows) {
  std::vector<double> own;
  for_rows(data, rows, [&](const GaussianData& x, int i, int) {
    const auto from = own.size();
    own.resize(from + data.columns, 0);
    x.for_entries(i, [&](int d, double value) { own[from + d] = value; });
  });
  const Eigen::VectorXd all = data.team.gather(as_vector(own));
  const Eigen::Map<const Eigen::MatrixXd> x(all.data(), data.columns,
                                            static_cast<Eigen::Index>(rows.size()));
  return GaussianData(x, false);
}

GaussianData sparse_rows(const GaussianRows& data, const std::vector<int>& rows) {
  std::vector<double> own;
  for_rows(data, rows, [&](const GaussianData& x, int i, int n) {
    x.for_entries(i, [&](int d, double value) {
      for (double v : {double(n), double(d), value}) own.push_back(v);
    });
  });
  const Eigen::VectorXd all = data.team.gather(as_vector(own));
  std::vector<Eigen::Triplet<double>> triplets;
  for (Eigen::Index n = 0; n < all.size(); n += 3)
    triplets.emplace_back(static_cast<int>(all(n + 1)), static_cast<int>(all(n)), all(n + 2));
  GaussianData::Sparse x(data.columns, static_cast<Eigen::Index>(rows.size()));
  x.setFromTriplets(triplets.begin(), triplets.end());
  return GaussianData(std::move(x), false);
}

}  // namespace

GaussianData some_rows(const GaussianRows& data, const std::vector<int>& rows) {
  return data.sparse ? sparse_rows(data, rows) : dense_rows(data, rows);
}

GaussianRows::GaussianRows(Source source_, int columns_, Team& team_)
    : GaussianRows(std::move(source_), columns_, team_, [](const RowBlock&) {}) {}

void GaussianRows::count_all(const TreeSum& squares, const Eigen::Vector3d& own) {
  total = team.sum(squares)(0);
  const Eigen::Vector3d all = team.sum_exactly(own);
  blocks_ = static_cast<int>(all(0));
  sparse = all(1) == 0;
  hidden_ = all(2);
  const Eigen::VectorXd rows_of = team.gather(Eigen::VectorXd::Constant(1, source.rows()));
  for (int m = 0; m < team.size(); ++m) {
    if (m == team.index()) first_row_ = rows_;
    rows_of_.push_back(static_cast<int>(rows_of(m)));
    rows_ += rows_of_.back();
  }
}

Bits GaussianRows::own_part(const Bits& all) const {
  if (team.size() == 1) return all;
  Bits own(own_rows());
  for (int i = 0; i < own_rows(); ++i)
    if (all.at(first_row_ + i)) own.set(i);
  return own;
}

Features GaussianRows::own_part(const Features& all) const {
  Features own(own_rows());
  for (int k = 0; k < all.size(); ++k) {
    own.add(own_part(all.column(k)));
    own.set_count(k, all.count(k));
  }
  return own;
}

/// Words are sent as two numbers each, which are exact as doubles, column by column.
std::vector<Bits> GaussianRows::gathered(const std::vector<Bits>& own) const {
  if (team.size() == 1) return own;
  std::vector<double> halves;
  for (const Bits& column : own)
    for (const std::uint64_t word : column.words())
      for (int shift : {0, 32}) halves.push_back(static_cast<std::uint32_t>(word >> shift));
  const Eigen::VectorXd all = team.gather(as_vector(halves));
  std::vector<Bits> columns(own.size(), Bits(rows_));
  int first = 0;
  Eigen::Index from = 0;
  for (int rows : rows_of_) {
    for (Bits& column : columns) {
      Bits part(rows);
      for (std::uint64_t& word : part.words()) {
        word = static_cast<std::uint64_t>(all(from)) | static_cast<std::uint64_t>(all(from + 1))
                                                           << 32;
        from += 2;
      }
      column.put(first, part);
    }
    first += rows;
  }
  return columns;
}

void GaussianRows::archive(Archive& a, std::vector<Bits>& own) const {
  std::vector<Bits> all;
  if (!a.reads()) all = gathered(own);
  auto count = static_cast<int>(all.size());
  a.number_of(count, Bits::archived(rows_), "the number of features");
  all.resize(count, Bits(rows_));
  for (Bits& column : all) column.archive(a, rows_);
  if (!a.reads()) return;
  own.clear();
  for (const Bits& column : all) own.push_back(own_part(column));
}

void GaussianRows::archive(Archive& a, Features& own) const {
  Features all(rows_);
  if (!a.reads()) {
    std::vector<Bits> columns;
    for (int k = 0; k < own.size(); ++k) columns.push_back(own.column(k));
    for (Bits& column : gathered(columns)) all.add(std::move(column));
  }
  a(all);
  if (a.reads()) own = own_part(all);
}

void GaussianRows::archive_columns(Archive& a, Eigen::MatrixXd& own) const {
  Eigen::MatrixXd all;
  if (!a.reads()) {
    const Eigen::VectorXd gathered = team.gather(Eigen::VectorXd::Map(own.data(), own.size()));
    all = Eigen::MatrixXd::Map(gathered.data(), own.rows(), rows_);
  }
  a(all);
  a.check(all.cols() == rows_, "probabilities of rows");
  if (a.reads()) own = all.middleCols(first_row_, own_rows());
}

}  // namespace buffet
