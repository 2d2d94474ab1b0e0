// Point estimates of one linear-Gaussian model, and of nonnegative matrices.
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
