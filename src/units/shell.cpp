// Code that does not depend on a model: the calls from R, threads, and special functions.
#include "units/eigen.h"

#include "../RcppExports.cpp"
#include "core/feature_loss.cpp"
#include "core/special.cpp"
#include "../features.cpp"
#include "gibbs/chains.cpp"
#include "../glue.cpp"
