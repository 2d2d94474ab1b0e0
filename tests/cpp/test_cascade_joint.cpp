#include "cascade_joint.h"

using namespace test;

namespace {

const ActivationSampler samplers[] = {ActivationSampler::slice, ActivationSampler::multiple_try,
                                      ActivationSampler::elliptical};

void check(const CascadeProblem& problem) {
  check_steps_from_prior<CascadeSimulation>(problem);
}

}  // namespace

TEST_CASE("cascades: a sweep leaves the joint law of all variables invariant", "[cascade]") {
  for (const ActivationSampler sampler : samplers) check({small_cascade(sampler)});
}

TEST_CASE("cascades: a sweep leaves the joint law invariant with missing entries", "[cascade]") {
  for (const ActivationSampler sampler : samplers)
    check({small_cascade(sampler), "small", 4, 3, true});
}

TEST_CASE("cascades: a sweep leaves the joint law invariant with a learned concentration",
          "[cascade]") {
  CascadeModel model = small_cascade();
  model.concentration = Hyper::gamma(4, 5);
  check({model, "concentration learned", 3, 4});
}

TEST_CASE("cascades: a sweep leaves the joint law invariant if births visit few visible units",
          "[cascade]") {
  CascadeModel model = small_cascade();
  model.visible_births = 1;
  check({model, "few births", 2, 4});
}

TEST_CASE("cascades: a sweep leaves the joint law invariant if the layers differ", "[cascade]") {
  CascadeModel model = small_cascade();
  model.alpha = Hyper::gamma(3, 2);
  model.alpha_deep = Hyper::gamma(2, 4);
  check({model, "wide", 2, 4});
  model.concentration = Hyper::fixed(3);
  check({model, "wide with few edges", 2, 4});
}

TEST_CASE("cascades: a sweep leaves the joint law invariant with known parameters", "[cascade]") {
  CascadeModel model = small_cascade();
  model.alpha = Hyper::fixed(0.8);
  model.alpha_deep = Hyper::fixed(0.5);
  check({model, "alpha known"});
  model.noise_rate = Hyper::fixed(1.7);
  model.concentration = Hyper::fixed(1);
  check({model, "noise known", 3, 3, true});
}

TEST_CASE("cascades: a sweep leaves the joint law invariant within limits", "[cascade]") {
  for (const int layers : {1, 2}) {
    CascadeModel model = small_cascade();
    model.alpha = model.alpha_deep = Hyper::gamma(8, 8);
    model.max_layers = layers;
    check({model, "at most " + std::to_string(layers) + " hidden layers"});
  }
  CascadeModel model = small_cascade();
  model.alpha = model.alpha_deep = Hyper::gamma(8, 8);
  model.max_units = 4;
  check({model, "at most 4 units"});
  model.max_units = 100;
  model.max_features = 2;
  check({model, "at most 2 features"});
  model.max_precision = 2.5;
  check({model, "precisions of at most 2.5"});
}

TEST_CASE("cascades: a sweep leaves the joint law invariant with one row or one column",
          "[cascade]") {
  CascadeModel model = small_cascade();
  model.alpha = Hyper::gamma(9, 7);
  check({model, "small", 1, 3});
  check({model, "small", 3, 1});
  check({model, "small", 1, 1});
  check({model, "no data", 0, 3});
}
