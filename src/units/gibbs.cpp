// The models whose likelihood and prior any sampler takes: most of what they instantiate they share.
#include "../choice.cpp"
#include "../gaussian.cpp"
#include "gibbs/choice_runs.cpp"
#include "gibbs/gaussian_column_noise_runs.cpp"
#include "gibbs/gaussian_runs.cpp"
#include "gibbs/logistic_runs.cpp"
#include "../logistic.cpp"
