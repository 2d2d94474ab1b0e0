// Compiled as one unit: most of the compile time is Eigen's templates.
#include "cascade/cascade.cpp"
#include "cascade/cascade_births.cpp"
#include "cascade/cascade_chain.cpp"
#include "cascade/cascade_data_start.cpp"
#include "cascade/cascade_parents.cpp"
