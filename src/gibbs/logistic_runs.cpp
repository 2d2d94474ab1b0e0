#include "logistic_runs.h"

#include <variant>

#include "likelihood/logistic.h"
#include "maker.h"

namespace buffet {

RunMaker logistic_runs(const AnyPrior& prior, const BinaryData& data, const LogisticScales& scales,
                       LogisticSampler sampler) {
  constexpr double density = Logistic::search_shape.density;
  return std::visit(
      [&](const auto& of) {
        return sampler == LogisticSampler::neal ? maker_of(of, LogisticNeal(data, scales), density)
                                                : maker_of(of, Logistic(data, scales), density);
      },
      prior);
}

}  // namespace buffet
