// Compiled as one unit: Eigen's templates cost more than what is the wing's own.
#include "nmf/nmf.cpp"
