#include "mixed_runs.h"

#include <variant>

#include "gibbs/maker.h"
#include "mixed.h"

namespace buffet {

RunMaker mixed_runs(const AnyPrior& prior, const MixedData& data, const Families& families,
                    const LogisticScales& scales) {
  constexpr double density = Mixed::search_shape.density;
  return std::visit(
      [&](const auto& of) { return maker_of(of, Mixed(data, families, scales), density); }, prior);
}

}  // namespace buffet
