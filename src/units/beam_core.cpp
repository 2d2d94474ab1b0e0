// Compiled as one unit: Eigen's templates take longer to compile than the wing's own code.
#include "point/beam/beam.cpp"
#include "point/beam/beam_run.cpp"
#include "point/beam/group_moments.cpp"
#include "point/beam/row_beam.cpp"
