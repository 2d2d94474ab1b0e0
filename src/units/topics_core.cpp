// Compiled as one unit: Eigen's templates cost more than what is the wing's own.
#include "topics/topic_parameters.cpp"
#include "topics/topic_state.cpp"
#include "topics/topics.cpp"
