#pragma once

#include "birth_death.h"
#include "copies.h"
#include "disjoint.h"
#include "duplicate.h"
#include "exchange.h"
#include "exclusive_or.h"
#include "move_list.h"
#include "separate.h"
#include "split_merge.h"
#include "union.h"

namespace buffet {

class Choice;
class GaussianCollapsed;
class GaussianColumnNoise;
class GaussianNonnegative;
class GaussianUncollapsed;
class Logistic;
class LogisticNeal;

/// The moves of each likelihood; likelihoods in other folders list their own.
MoveList<ExclusiveOr, SplitMerge, SeparateShareIntegrated> moves_of(const GaussianCollapsed&);
IntegratedOut<ExclusiveOr, SplitMerge, SeparateShareIntegrated> moves_of(
    const GaussianUncollapsed&);
MoveList<SplitMergeDisjoint, SeparateShare, DuplicateUnite> moves_of(const GaussianNonnegative&);
GivenRegressions<ExclusiveOr, SplitMerge, SeparateShareIntegrated, BirthDeath<4>> moves_of(
    const GaussianColumnNoise&);
GivenRegressions<Complement, ExclusiveOr, SplitMerge, BirthDeath<40>> moves_of(const Logistic&);
MoveList<> moves_of(const LogisticNeal&);
MoveList<ExchangeOwn, UniteDivide, RedrawCopies, BirthDeathByPrior, RedrawHeldByAll> moves_of(
    const Choice&);

}  // namespace buffet
