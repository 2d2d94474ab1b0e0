# shellcheck shell=bash
# The bugs of cascades; read by planted.sh.

at cascade/cascade_parents.cpp cascade_moves
bug "edges of a cascade at odds c / (K + beta - c)" "cascade_.concentration - 1 - c" \
  "cascade_.concentration - c"
bug "precision of a unit as of a row less" "0.5 * rows," "0.5 * (rows - 1),"
bug "weights without their prior's mean" "linear(a) = prior.precision * prior.mean + nu" \
  "linear(a) = nu"
bug "bias under the prior of weights" "a == 0 ? layer_.of_biases" "a < 0 ? layer_.of_biases"
bug "weights of a unit at their means" "add_normal(linear, 1, rng_);" ""
bug "what is next to nothing as a difference" "if (sum > 1e-6 * squares_(k)) return sum;" \
  "if (sum < 1e300) return sum;"
bug "an edge explains what is left with its own weight" \
  "correlations_(j + 1, k) + layer_.weights(j, k) * uu" "correlations_(j + 1, k)"
at cascade/cascade_parents.cpp cascade_limits
bug "two uniform numbers for one edge" "if (rng_.bernoulli(1 / (1 + std::exp(-log_odds))))" \
  "if (std::log(rng_.uniform() / (1 - rng_.uniform())) < log_odds)"
at cascade/cascade_parents.cpp cascade_joint
bug "precisions of a cascade without a limit" "0, model.max_precision};" "0, 1e300};"
bug "what is left of a unit not summed anew for its noise" "  set_correlations();
  for (int k : order)" "  for (int k : order)"
bug "customers of the last layer do not count for alpha" "alpha.rate + harmonic(" \
  "alpha.rate + (layer.parents() > 0) * harmonic("
bug "weights that are not there have a law" "draw(layer.count_edges(), layer.weights.sum()" \
  "draw(double(layer.weights.size()), layer.weights.sum()"
bug "rate of noise without its shape" "model.noise_shape * layer.units()" "layer.units()"
bug "concentration without its Jacobian" "prior.log_prior_of_log(c)" "prior.log_prior_at(c)"
bug "alpha as if the concentration were one" "harmonic(layer.units(), cascade_.concentration)" \
  "harmonic(layer.units(), 1)"
at cascade/cascade_parents.cpp cascade_activations
bug "parents of one unit alone visited as if shared" "if (others > 0) visit_edge(k, j, others);" \
  "visit_edge(k, j, std::max(1, others));"
bug "correlations do not follow an edge" \
  "if (change != 0) correlations_.col(k) -= change * gram_.col(j + 1);" "(void)change;"
bug "several tries weighed without the point itself" "others = std::exp(weight(x) - most);" \
  "others = 0;"
bug "several tries weighed by the point alone" "others += std::exp(weight(draw()) - most);" \
  "others += std::exp(weight(x) - most);"
bug "the first of several tries" "double at = rng.uniform() * total;" "double at = 0 * total;"
bug "an ellipse without a level below its point" "law.log_children(x) + std::log(rng.uniform());" \
  "law.log_children(x) + 0 * rng.uniform();"
bug "an ellipse around zero" "from = x - law.mean;" "from = x;"
bug "children's biases left in" "linear.rowwise() -= (scaled * layer.bias).transpose();" ""
bug "a unit's own part counts against it" " + weight * layer.u.col(k);" ";"
bug "children as if all were as precise" "layer.weights * layer.precision.asDiagonal()" \
  "layer.weights"
bug "activations do not follow pre-activations" "  layer.u.col(k) = squash(layer.x.col(k));
" ""

at cascade/edge_posterior.h cascade_moves
bug "an edge's worth without the prior's mean" "prior.precision * prior.mean * prior.mean" \
  "0 * prior.mean"
bug "an edge's worth with all of its precision" "std::log(prior.precision / precision)" \
  "2 * std::log(prior.precision / precision)"
at cascade/edge_posterior.h cascade_activations
bug "a new weight with the precision as its deviation" "rng.normal() / std::sqrt(precision)" \
  "rng.normal() / precision"

at cascade/cascade_activations.h cascade_activations
bug "the density of u for that of x" "return log_children(x) - 0.5" \
  "return log_children(x) + std::log(1.000001 - squash(x) * squash(x)) - 0.5"
bug "children pull with all of their weight" "(pull - 0.5 * weight * u)" "(pull - weight * u)"

at cascade/cascade_births.cpp cascade_joint
bug "birth without the number of own parents" "rate(m) / (static_cast<double>(own_.size()) + 1)" \
  "rate(m)"
bug "birth by the printed factor" "rate(m) / (static_cast<double>(own_.size()) + 1)" \
  "1 / rate(m) / std::pow(static_cast<double>(own_.size()) + 1, 2)"
bug "death by the printed factor" "static_cast<double>(own_.size()) / rate(m)" \
  "std::pow(static_cast<double>(own_.size()), 2) * rate(m)"
bug "death weighed with the parent's weight in place" \
  "residual(m, k) + layer.weights(parent, k) * u;" "residual(m, k);"
bug "births explain the bias too" "layer.x.col(k).array() - layer.bias(k);" \
  "layer.x.col(k).array();"
bug "parents of another unit dropped" "layer.children[j] == 1 && layer.has(j, k)" \
  "layer.children[j] == 1"
at cascade/cascade_births.cpp cascade_limits
bug "births where there are few parents" "    order_.resize(cascade_.model.visible_births);" "{
    const auto held = [&](int k) { return cascade_.layers[0].edges.col(k).cast<int>().sum(); };
    std::sort(order_.begin(), order_.end(), [&](int a, int b) { return held(a) < held(b); });
    order_.resize(cascade_.model.visible_births);
  }"
bug "births at the rate of one customer more" "(c + layer.units() - 1)" "(c + layer.units())"
bug "more features than there may be" "cascade_.layers[1].units() >= cascade_.model.max_features" \
  "k < 0"
bug "more units than there may be" "|| --room_ < 0" ""
at cascade/cascade_births.cpp cascade_births
bug "a new parent's weight at its mean" "to.draw(rng_)" "to.mean"
bug "a sprout comes a customer late" "static_cast<double>(level.units.size());
  const int dishes" "static_cast<double>(level.units.size()) + 1;
  const int dishes"
bug "a sprout's choices unseen by its siblings" "      ++level.children[j];
" ""
bug "a sprout's siblings are no customers" \
  "layer.units() + static_cast<double>(level.units.size());
  const" "layer.units();
  const"
bug "a sprout's siblings do not share their new parents" "level.children.push_back(1);" \
  "level.children.push_back(0);"
bug "a sprout does not follow its parents" "unit.x += weight * activations_of(m + 1, parent);" ""
bug "a sprout's precision at rate one" "cascade_.model.noise_shape, layer.noise_rate" \
  "cascade_.model.noise_shape, 1"
bug "a sprout's noise by its precision" "1 / std::sqrt(unit.precision)" "1 / unit.precision"
at cascade/cascade_births.cpp cascade_posterior
bug "births at the last layer as if it had parents in vain" \
  "rng_.poisson(layer.alpha * c / (customers + c));" \
  "m < cascade_.model.max_layers ? rng_.poisson(layer.alpha * c / (customers + c)) : 0;"
at cascade/cascade_births.cpp cascade_fold
bug "a chain goes on with alpha forgotten" "    layer.alpha = alpha;
" ""
at cascade/cascade_births.cpp cascade
bug "a network to begin with has parents of none" "if (layer.children[j] == 0) layer.set_edge" \
  "if (j < 0) layer.set_edge"

at cascade/cascade.cpp cascade_moves
bug "a normal law without its center" "weight * std::pow(center - mean, 2)" "0 * mean"
bug "a normal law's mean too wide" "std::sqrt(total * precision)" "std::sqrt(precision)"
at cascade/cascade.cpp cascade
bug "density of a law as if its mean were wider" "{center, weight * law.precision}" \
  "{center, law.precision}"
bug "harmonic numbers a customer late" "concentration / (concentration + i)" \
  "concentration / (concentration + i + 1)"
bug "log probability of edges as if the concentration were one" "log_gamma(units() - m + c)" \
  "log_gamma(units() - m + 1)"
bug "children of a dropped unit's parents still counted" \
  "for (int j = 0; j < parents(); ++j) children[j] -= has(j, k);" ""
bug "numbers of children not moved with the last parent" "  children[parent] = children.back();
" ""
bug "ancestors that nothing holds stay" "if (layers[m].children[j] == 0) drop_unit(m + 1, j);" \
  "(void)j;"
bug "ancestors dropped upwards" "for (int j = layers[m].parents() - 1; j >= 0; --j)" \
  "for (int j = 0; j < layers[m].parents(); ++j)"
bug "a known rate of noise not set" "layers[m].noise_rate = model.noise_rate.value;" ""
at cascade/cascade.cpp cascade_activations
bug "an edge counted whenever it is set" "children[parent] += !has(parent, k);" \
  "++children[parent];"
at cascade/cascade.cpp cascade_fold
bug "parents of a kept draw by their numbers" "bytes.next(j, before);" \
  "bytes.number(static_cast<unsigned>(j));"

at cascade/cascade.h cascade_resumed
bug "activations computed anew where a run goes on" "a(layers[m].u);" \
  "layers[m].u = squash(layers[m].x);"
bug "a cascade's run without its concentration" "a(concentration);" ""

at cascade/cascade_layer.h cascade_resumed
bug "a cascade's run without its rates of noise" "a(noise_rate);" ""
bug "a cascade's run without the law of biases" "{&of_weights, &of_biases}" "{&of_weights}"

at cascade/cascade_chain.cpp cascade
bug "missing entries of a cascade have a density" "    left(n, k) = 0;
" ""
bug "missing entries of a cascade counted" "--observed(k);" "(void)k;"
bug "a cascade's density without the slopes of its data" "cascade_.data->log_slopes + log_normal" \
  "log_normal"
at cascade/cascade_chain.cpp cascade_limits
bug "missing entries of a cascade never drawn" "  draw_missing();
" ""
bug "only layer 1 has activations drawn" "if (m < likelihood.depth())" \
  "if (m == 0 && likelihood.depth() > 0)"
bug "only the visible layer has births" "births.visit_layer(m, check);" \
  "if (m == 0) births.visit_layer(m, check);"
at cascade/cascade_chain.cpp cascade_joint
bug "missing entries of a cascade at their means" \
  "mean + rng.normal() / std::sqrt(visible.precision(k));" "mean;"
bug "missing entries of a cascade without parents" "if (visible.parents() > 0) mean" \
  "if (visible.parents() < 0) mean"
bug "features of the sweep before" "CascadeParameters(likelihood, rng).update();
  set_features();" "CascadeParameters(likelihood, rng).update();"
at cascade/cascade_chain.cpp cascade_fold
bug "new rows with the precisions of other columns" "layers_[0].precision(observed[k])" \
  "layers_[0].precision(k)"
bug "new rows with the weights of other columns" "layers_[0].weights.col(observed[k])" \
  "layers_[0].weights.col(k)"
bug "new rows in the order of their patterns" "all.row(rows[n]) = some.row(n);" \
  "all.row(n) = some.row(n);"
bug "the last layer of new rows not drawn" "for (int m = 2; m <= depth; ++m)" \
  "for (int m = 2; m < depth; ++m)"
bug "a sweep or two of new rows do not count" "(last - t) % 3 != 0" "(t - plan_.warmup) % 3 != 0"
at cascade/cascade_chain.cpp cascade_activations
bug "noise of a response on one side" "sign * nodes[n] * sd" "nodes[n] * sd"

at core/byte_code.h cascade_fold
bug "128 in one byte" "n >= 128; n >>= 7" "n > 128; n >>= 7"

at cascade/cascade_data_start.cpp cascade_data_start
bug "noise taken for sparse components" \
  "std::pow(std::sqrt(size.rows) + std::sqrt(size.columns), 2)" "0.3 * size.rows"
bug "sparse components not turned" "  turn(check);
" ""
bug "sparse components at right angles" "  lean();
" ""
bug "scores turned as the loadings lean" "scores * inverse.transpose()" "scores * inverse"
bug "missing entries filled with what noise has in components" "1 - edge.square / squares" \
  "1 - 0 / squares"
bug "filled entries count for noise" "(size.observed * (size.rows" "(1 * (size.rows"
bug "missing entries filled once" "missing.any() ? 8 : 1" "1"
bug "the first rows tell the components of all" "x.row(n * x.rows() / most)" "x.row(n)"
bug "data without noise have components of rounding" "1e-12 * squares(0)" "0 * squares(0)"
bug "edges to begin with where a component has nothing" "std::min(3 * sd, loadings" \
  "std::min(0 * sd, loadings"
bug "weights to begin with as if activations were scores" "weight = 2.2;" "weight = 1;"
bug "more units to begin with than there may be" "most = room -= static_cast<int>(x.cols());" \
  "most = room;"
bug "more features to begin with than there may be" \
  "std::min(model.max_features, model.max_units)" "model.max_units"
bug "the second layer to begin with from the data again" "    x = components.scores;
" ""
bug "missing entries of a start at the means of their columns" \
  "layer.x(n, k) = components.filled(n, k);" "(void)n, (void)k;"
