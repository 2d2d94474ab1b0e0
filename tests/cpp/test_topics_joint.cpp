#include "topic_case.h"

using namespace test;

TEST_CASE("focused topics: a sweep leaves the joint law of everything as it is", "[topics]") {
  for (const Lengths lengths : {Lengths::model, Lengths::given})
    for (const int moves : {0, 2}) check_steps_from_prior<TopicSimulation>({lengths, moves});
}
