// Models that have their own chains.
#include "units/eigen.h"

#include "../cascade.cpp"
#include "../topics.cpp"
#include "units/cascade_core.cpp"
#include "units/topics_core.cpp"
