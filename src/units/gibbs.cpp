// Models whose chains come from the folder gibbs and share most of its templates.
#include "units/eigen.h"

#include "../choice.cpp"
#include "../factor.cpp"
#include "factor/factor_runs.cpp"
#include "../gaussian.cpp"
#include "gibbs/choice_runs.cpp"
#include "gibbs/gaussian_runs.cpp"
#include "gibbs/logistic_runs.cpp"
#include "../logistic.cpp"
#include "mixed/mixed_runs.cpp"
#include "../mixed.cpp"
#include "../shared_gibbs.cpp"
