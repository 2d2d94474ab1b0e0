// Compiled as one unit: Eigen's templates take longer to compile than the wing's own code.
#include "nmf/nmf.cpp"
