// Compiled as one unit: Eigen's templates account for most of the compile time.
#include "topics/topic_parameters.cpp"
#include "topics/topic_state.cpp"
#include "topics/topics.cpp"
