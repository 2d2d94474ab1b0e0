// Compiled as one unit: most of the compile time is Eigen's templates.
#include "topics/topic_parameters.cpp"
#include "topics/topic_state.cpp"
#include "topics/topics.cpp"
