// Compiled as one unit: Eigen's templates cost more than what is the wing's own.
#include "point/factor/gaussian_factor.cpp"
#include "point/factor/row_search.cpp"
#include "point/meibp/meibp.cpp"
#include "point/meibp/meibp_ascent.cpp"
#include "point/meibp/meibp_moves.cpp"
#include "point/meibp/meibp_run.cpp"
#include "point/variational/gaussian_joint_factor.cpp"
#include "point/variational/soft_rows.cpp"
