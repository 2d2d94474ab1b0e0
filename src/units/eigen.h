#pragma once

/// Included first in every unit. A system header and the headers it includes cause no warnings;
/// Eigen's templates would cause many.
#pragma GCC system_header

#include <RcppEigen.h>
