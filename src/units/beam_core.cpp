// Compiled as one unit: Eigen's templates cost more than what is the wing's own.
#include "point/beam/beam.cpp"
#include "point/beam/beam_run.cpp"
#include "point/beam/group_moments.cpp"
#include "point/beam/row_beam.cpp"
