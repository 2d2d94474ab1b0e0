// Compiled as one unit: Eigen's templates account for most of the compile time.
#include "cascade/cascade.cpp"
#include "cascade/cascade_births.cpp"
#include "cascade/cascade_chain.cpp"
#include "cascade/cascade_data_start.cpp"
#include "cascade/cascade_parents.cpp"
