#pragma once

/// Included first in every unit: a system header and its includes give no warnings, and Eigen's
/// templates would give many.
#pragma GCC system_header

#include <RcppEigen.h>
