// Compiled as one unit: Eigen's templates take longer to compile than the code of this folder.
#include "nmf/nmf.cpp"
