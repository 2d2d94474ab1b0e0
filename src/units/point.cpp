// Point estimates for one linear-Gaussian model, and for nonnegative matrices.
#include "units/eigen.h"

#include "../beam.cpp"
#include "../cluster.cpp"
#include "../meibp.cpp"
#include "../nmf.cpp"
#include "../point.cpp"
#include "../variational.cpp"
#include "units/beam_core.cpp"
#include "units/nmf_core.cpp"
#include "units/point_core.cpp"
