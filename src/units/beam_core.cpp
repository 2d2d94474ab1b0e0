// Compiled as one unit: Eigen's templates take longer to compile than the code of this folder.
#include "point/beam/beam.cpp"
#include "point/beam/beam_run.cpp"
#include "point/beam/group_moments.cpp"
#include "point/beam/row_beam.cpp"
