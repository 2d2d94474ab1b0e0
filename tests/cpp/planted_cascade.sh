# shellcheck shell=bash
# The bugs of cascades; read by planted.sh.

parents=cascade/cascade_parents.cpp
bug "edges of a cascade at odds c / (K + beta - c)" $parents \
  "cascade_.concentration - 1 - c" "cascade_.concentration - c" cascade_moves
bug "precision of a unit as of a row less" $parents "0.5 * rows," "0.5 * (rows - 1)," cascade_moves
bug "two uniform numbers for one edge" $parents \
  "if (rng_.bernoulli(1 / (1 + std::exp(-log_odds))))" \
  "if (std::log(rng_.uniform() / (1 - rng_.uniform())) < log_odds)" cascade_limits
bug "precisions of a cascade without a limit" $parents \
  "0, model.max_precision};" "0, 1e300};" cascade_joint
bug "weights without their prior's mean" $parents \
  "linear(a) = prior.precision * prior.mean + nu" "linear(a) = nu" cascade_moves
bug "bias under the prior of weights" $parents \
  "a == 0 ? layer_.of_biases" "a < 0 ? layer_.of_biases" cascade_moves
bug "weights of a unit at their means" $parents "add_normal(linear, 1, rng_);" "" cascade_moves
bug "parents of one unit alone visited as if shared" $parents \
  "if (others > 0) visit_edge(k, j, others);" "visit_edge(k, j, std::max(1, others));" \
  cascade_activations
bug "what is left of a unit not summed anew for its noise" $parents \
  "  set_correlations();
  for (int k : order)" "  for (int k : order)" cascade_joint
bug "correlations do not follow an edge" $parents \
  "if (change != 0) correlations_.col(k) -= change * gram_.col(j + 1);" "(void)change;" cascade_activations
bug "what is next to nothing as a difference" $parents \
  "if (sum > 1e-6 * squares_(k)) return sum;" "if (sum < 1e300) return sum;" cascade_moves
bug "an edge explains what is left with its own weight" $parents \
  "correlations_(j + 1, k) + layer_.weights(j, k) * uu" "correlations_(j + 1, k)" cascade_moves

edge=cascade/edge_posterior.h
bug "an edge's worth without the prior's mean" $edge \
  "prior.precision * prior.mean * prior.mean" "0 * prior.mean" cascade_moves
bug "an edge's worth with all of its precision" $edge \
  "std::log(prior.precision / precision)" "2 * std::log(prior.precision / precision)" cascade_moves
bug "a new weight with the precision as its deviation" $edge \
  "rng.normal() / std::sqrt(precision)" "rng.normal() / precision" cascade_activations

activation=cascade/cascade_parents.cpp
bug "the density of u for that of x" cascade/cascade_activations.h \
  "return log_children(x) - 0.5" \
  "return log_children(x) + std::log(1.000001 - squash(x) * squash(x)) - 0.5" cascade_activations
bug "children pull with all of their weight" cascade/cascade_activations.h \
  "(pull - 0.5 * weight * u)" "(pull - weight * u)" cascade_activations
bug "several tries weighed without the point itself" $activation \
  "others = std::exp(weight(x) - most);" "others = 0;" cascade_activations
bug "several tries weighed by the point alone" $activation \
  "others += std::exp(weight(draw()) - most);" "others += std::exp(weight(x) - most);" \
  cascade_activations
bug "the first of several tries" $activation \
  "double at = rng.uniform() * total;" "double at = 0 * total;" cascade_activations
bug "an ellipse without a level below its point" $activation \
  "law.log_children(x) + std::log(rng.uniform());" "law.log_children(x) + 0 * rng.uniform();" \
  cascade_activations
bug "an ellipse around zero" $activation "from = x - law.mean;" "from = x;" cascade_activations

activations=cascade/cascade_parents.cpp
bug "children's biases left in" $activations \
  "linear.rowwise() -= (scaled * layer.bias).transpose();" "" cascade_activations
bug "a unit's own part counts against it" $activations \
  " + weight * layer.u.col(k);" ";" cascade_activations
bug "children as if all were as precise" $activations \
  "layer.weights * layer.precision.asDiagonal()" "layer.weights" cascade_activations
bug "activations do not follow pre-activations" $activations \
  "  layer.u.col(k) = squash(layer.x.col(k));
" "" cascade_activations

births=cascade/cascade_births.cpp
bug "birth without the number of own parents" $births \
  "rate(m) / (static_cast<double>(own_.size()) + 1)" "rate(m)" cascade_joint
bug "birth by the printed factor" $births \
  "rate(m) / (static_cast<double>(own_.size()) + 1)" \
  "1 / rate(m) / std::pow(static_cast<double>(own_.size()) + 1, 2)" cascade_joint
bug "death by the printed factor" $births \
  "static_cast<double>(own_.size()) / rate(m)" \
  "std::pow(static_cast<double>(own_.size()), 2) * rate(m)" cascade_joint
bug "births where there are few parents" $births \
  "    order_.resize(cascade_.model.visible_births);" \
  "{
    const auto held = [&](int k) { return cascade_.layers[0].edges.col(k).cast<int>().sum(); };
    std::sort(order_.begin(), order_.end(), [&](int a, int b) { return held(a) < held(b); });
    order_.resize(cascade_.model.visible_births);
  }" cascade_limits
bug "births at the rate of one customer more" $births \
  "(c + layer.units() - 1)" "(c + layer.units())" cascade_limits
bug "death weighed with the parent's weight in place" $births \
  "residual(m, k) + layer.weights(parent, k) * u;" "residual(m, k);" cascade_joint
bug "a new parent's weight at its mean" $births "to.draw(rng_)" "to.mean" cascade_births
bug "births explain the bias too" $births \
  "layer.x.col(k).array() - layer.bias(k);" "layer.x.col(k).array();" cascade_joint
bug "parents of another unit dropped" $births \
  "layer.children[j] == 1 && layer.has(j, k)" "layer.children[j] == 1" cascade_joint
bug "more features than there may be" $births \
  "cascade_.layers[1].units() >= cascade_.model.max_features" "k < 0" cascade_limits

sprout=cascade/cascade_births.cpp
bug "a sprout comes a customer late" $sprout \
  "static_cast<double>(level.units.size());
  const int dishes" "static_cast<double>(level.units.size()) + 1;
  const int dishes" cascade_births
bug "a sprout's choices unseen by its siblings" $sprout \
  "      ++level.children[j];
" "" cascade_births
bug "a sprout's siblings are no customers" $sprout \
  "layer.units() + static_cast<double>(level.units.size());
  const" "layer.units();
  const" cascade_births
bug "a sprout's siblings do not share their new parents" $sprout \
  "level.children.push_back(1);" "level.children.push_back(0);" cascade_births
bug "more units than there may be" $sprout "|| --room_ < 0" "" cascade_limits
bug "births at the last layer as if it had parents in vain" $sprout \
  "rng_.poisson(layer.alpha * c / (customers + c));" \
  "m < cascade_.model.max_layers ? rng_.poisson(layer.alpha * c / (customers + c)) : 0;" \
  cascade_posterior
bug "a sprout does not follow its parents" $sprout \
  "unit.x += weight * activations_of(m + 1, parent);" "" cascade_births
bug "a sprout's precision at rate one" $sprout \
  "cascade_.model.noise_shape, layer.noise_rate" "cascade_.model.noise_shape, 1" cascade_births
bug "a sprout's noise by its precision" $sprout \
  "1 / std::sqrt(unit.precision)" "1 / unit.precision" cascade_births

parameters=cascade/cascade_parents.cpp
bug "customers of the last layer do not count for alpha" $parameters \
  "alpha.rate + harmonic(" "alpha.rate + (layer.parents() > 0) * harmonic(" cascade_joint
bug "weights that are not there have a law" $parameters \
  "draw(layer.count_edges(), layer.weights.sum()" \
  "draw(double(layer.weights.size()), layer.weights.sum()" \
  cascade_joint
bug "rate of noise without its shape" $parameters \
  "model.noise_shape * layer.units()" "layer.units()" cascade_joint
bug "concentration without its Jacobian" $parameters \
  "prior.log_prior_of_log(c)" "prior.log_prior_at(c)" cascade_joint
bug "alpha as if the concentration were one" $parameters \
  "harmonic(layer.units(), cascade_.concentration)" "harmonic(layer.units(), 1)" cascade_joint

normal=cascade/cascade.cpp
bug "a normal law without its center" $normal \
  "weight * std::pow(center - mean, 2)" "0 * mean" cascade_moves
bug "a normal law's mean too wide" $normal \
  "std::sqrt(total * precision)" "std::sqrt(precision)" cascade_moves
bug "density of a law as if its mean were wider" $normal \
  "{center, weight * law.precision}" "{center, law.precision}" cascade

layer=cascade/cascade.cpp
bug "harmonic numbers a customer late" $layer \
  "concentration / (concentration + i)" "concentration / (concentration + i + 1)" cascade
bug "log probability of edges as if the concentration were one" $layer \
  "log_gamma(units() - m + c)" "log_gamma(units() - m + 1)" cascade
bug "children of a dropped unit's parents still counted" $layer \
  "for (int j = 0; j < parents(); ++j) children[j] -= has(j, k);" "" cascade
bug "numbers of children not moved with the last parent" $layer \
  "  children[parent] = children.back();
" "" cascade
bug "an edge counted whenever it is set" $layer \
  "children[parent] += !has(parent, k);" "++children[parent];" cascade_activations

cascade=cascade/cascade.cpp
bug "ancestors that nothing holds stay" $cascade \
  "if (layers[m].children[j] == 0) drop_unit(m + 1, j);" "(void)j;" cascade
bug "ancestors dropped upwards" $cascade \
  "for (int j = layers[m].parents() - 1; j >= 0; --j)" \
  "for (int j = 0; j < layers[m].parents(); ++j)" cascade
bug "activations computed anew where a run goes on" cascade/cascade.h \
  'a(layers[m].u);' "layers[m].u = squash(layers[m].x);" cascade_resumed
bug "a cascade's run without its concentration" cascade/cascade.h \
  'a(concentration);' "" cascade_resumed
bug "a known rate of noise not set" $cascade \
  "layers[m].noise_rate = model.noise_rate.value;" "" cascade
bug "a cascade's run without its rates of noise" cascade/cascade_layer.h \
  'a(noise_rate);' "" cascade_resumed
bug "a cascade's run without the law of biases" cascade/cascade_layer.h \
  "{&of_weights, &of_biases}" "{&of_weights}" cascade_resumed

density=cascade/cascade_chain.cpp
bug "missing entries of a cascade have a density" $density "    left(n, k) = 0;
" "" cascade
bug "missing entries of a cascade counted" $density "--observed(k);" "(void)k;" cascade
bug "a cascade's density without the slopes of its data" $density \
  "cascade_.data->log_slopes + log_normal" "log_normal" cascade

chain=cascade/cascade_chain.cpp
bug "missing entries of a cascade never drawn" $chain "  draw_missing();
" "" cascade_limits
bug "missing entries of a cascade at their means" $chain \
  "mean + rng.normal() / std::sqrt(visible.precision(k));" "mean;" cascade_joint
bug "missing entries of a cascade without parents" $chain \
  "if (visible.parents() > 0) mean" "if (visible.parents() < 0) mean" cascade_joint
bug "only layer 1 has activations drawn" $chain \
  "if (m < likelihood.depth())" "if (m == 0 && likelihood.depth() > 0)" cascade_limits
bug "only the visible layer has births" $chain \
  "births.visit_layer(m, check);" "if (m == 0) births.visit_layer(m, check);" cascade_limits
bug "features of the sweep before" $chain \
  "CascadeParameters(likelihood, rng).update();
  set_features();" "CascadeParameters(likelihood, rng).update();" cascade_joint

fold=cascade/cascade_chain.cpp
bug "new rows with the precisions of other columns" $fold \
  "layers_[0].precision(observed[k])" "layers_[0].precision(k)" cascade_fold
bug "new rows with the weights of other columns" $fold \
  "layers_[0].weights.col(observed[k])" "layers_[0].weights.col(k)" cascade_fold
bug "new rows in the order of their patterns" $fold \
  "all.row(rows[n]) = some.row(n);" "all.row(n) = some.row(n);" cascade_fold
bug "the last layer of new rows not drawn" $fold \
  "for (int m = 2; m <= depth; ++m)" "for (int m = 2; m < depth; ++m)" cascade_fold
bug "noise of a response on one side" $fold "sign * nodes[n] * sd" "nodes[n] * sd" \
  cascade_activations
bug "a sweep or two of new rows do not count" $fold \
  "(last - t) % 3 != 0" "(t - plan_.warmup) % 3 != 0" cascade_fold

bug "parents of a kept draw by their numbers" cascade/cascade.cpp \
  "bytes.next(j, before);" "bytes.number(static_cast<unsigned>(j));" cascade_fold
bug "128 in one byte" core/byte_code.h "n >= 128; n >>= 7" "n > 128; n >>= 7" cascade_fold
bug "a chain goes on with alpha forgotten" cascade/cascade_births.cpp \
  "    layer.alpha = alpha;
" "" cascade_fold
bug "a network to begin with has parents of none" cascade/cascade_births.cpp \
  "if (layer.children[j] == 0) layer.set_edge" "if (j < 0) layer.set_edge" cascade

components=cascade/cascade_data_start.cpp
bug "noise taken for sparse components" $components \
  "std::pow(std::sqrt(size.rows) + std::sqrt(size.columns), 2)" "0.3 * size.rows" cascade_data_start
bug "sparse components not turned" $components "  turn(check);
" "" cascade_data_start
bug "sparse components at right angles" $components "  lean();
" "" cascade_data_start
bug "scores turned as the loadings lean" $components \
  "scores * inverse.transpose()" "scores * inverse" cascade_data_start
bug "missing entries filled with what noise has in components" $components \
  "1 - edge.square / squares" "1 - 0 / squares" cascade_data_start
bug "filled entries count for noise" $components \
  "(size.observed * (size.rows" "(1 * (size.rows" cascade_data_start
bug "missing entries filled once" $components "missing.any() ? 8 : 1" "1" cascade_data_start
bug "the first rows tell the components of all" $components \
  "x.row(n * x.rows() / most)" "x.row(n)" cascade_data_start
bug "data without noise have components of rounding" $components \
  "1e-12 * squares(0)" "0 * squares(0)" cascade_data_start

start=cascade/cascade_data_start.cpp
bug "edges to begin with where a component has nothing" $start \
  "std::min(3 * sd, loadings" "std::min(0 * sd, loadings" cascade_data_start
bug "weights to begin with as if activations were scores" $start \
  "weight = 2.2;" "weight = 1;" cascade_data_start
bug "more units to begin with than there may be" $start \
  "most = room -= static_cast<int>(x.cols());" "most = room;" cascade_data_start
bug "more features to begin with than there may be" $start \
  "std::min(model.max_features, model.max_units)" "model.max_units" cascade_data_start
bug "the second layer to begin with from the data again" $start "    x = components.scores;
" "" cascade_data_start
bug "missing entries of a start at the means of their columns" $start \
  "layer.x(n, k) = components.filled(n, k);" "(void)n, (void)k;" cascade_data_start
