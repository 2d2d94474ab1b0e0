#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "measure.h"

namespace bench {

/// Formats a string in the same way as printf.
template <class... Values>
std::string text(const char* format, Values... values) {
  char buffer[200];
  std::snprintf(buffer, sizeof buffer, format, values...);
  return buffer;
}
inline std::string text(const char* plain) {
  return plain;
}

inline void row(const std::vector<std::string>& cells) {
  for (const auto& cell : cells) std::printf("| %s ", cell.c_str());
  std::puts("|");
}

inline void heading(const char* title, const std::vector<std::string>& columns) {
  std::printf("## %s\n\n", title);
  row(columns);
  row(std::vector<std::string>(columns.size(), "---"));
}

/// Median, with the quartiles in brackets.
inline std::string with_quartiles(const Spread& s, double unit = 1) {
  return text("%.3g (%.3g to %.3g)", s.median * unit, s.lower * unit, s.upper * unit);
}

/// Median, with the range in brackets and this many decimals.
inline std::string with_range(const Spread& s, int digits) {
  const auto number = [&](double v) {
    const double unit = std::pow(10, -digits);
    return text("%.*f", digits, std::round(v / unit) * unit + 0.0);  // 0, never -0
  };
  return number(s.median) + " (" + number(s.least) + " to " + number(s.most) + ")";
}

/// A target, with a mark if it was missed.
inline std::string marked(const std::string& target, bool met) {
  return target + (met ? "" : ", **missed**");
}

/// A target that begins with the largest allowed value, such as "3.5 ms"; empty if there is no
/// target.
inline std::string at_most(const char* target, double measured) {
  return marked(target, *target == 0 || measured <= std::atof(target));
}

}  // namespace bench
