# shellcheck shell=bash
# The bugs of cascades; read by planted.sh.

at cascade/cascade_parents.cpp cascade_moves
bug "edges of a cascade at odds c / (K + beta - c)" "cascade_.concentration - 1 - c" \
  "cascade_.concentration - c"
bug "precision of a unit as if with one row fewer" "0.5 * rows," "0.5 * (rows - 1),"
bug "weights without the mean of their prior" "linear(a) = prior.precision * prior.mean + nu" \
  "linear(a) = nu"
bug "bias under the prior of weights" "a == 0 ? layer_.of_biases" "a < 0 ? layer_.of_biases"
bug "weights of a unit at their means" "add_normal(linear, 1, rng_);" ""
bug "a tiny quantity computed as a difference" "if (sum > 1e-6 * squares_(k)) return sum;" \
  "if (sum < 1e300) return sum;"
bug "the residual of an edge includes its own weight" \
  "correlations_(j + 1, k) + layer_.weights(j, k) * uu" "correlations_(j + 1, k)"
at cascade/cascade_parents.cpp cascade_limits
bug "two uniform numbers for one edge" "if (rng_.bernoulli(1 / (1 + std::exp(-log_odds))))" \
  "if (std::log(rng_.uniform() / (1 - rng_.uniform())) < log_odds)"
at cascade/cascade_parents.cpp cascade_joint
bug "precisions of a cascade without a limit" "0, model.max_precision};" "0, 1e300};"
bug "residual of a unit not recomputed for its noise" "  set_correlations();
  for (int k : order)" "  for (int k : order)"
bug "customers of the last layer do not count for alpha" "alpha.rate + harmonic(" \
  "alpha.rate + (layer.parents() > 0) * harmonic("
bug "absent weights have a density" "draw(layer.count_edges(), layer.weights.sum()" \
  "draw(double(layer.weights.size()), layer.weights.sum()"
bug "rate of noise without its shape" "model.noise_shape * layer.units()" "layer.units()"
bug "concentration without its Jacobian" "prior.log_prior_of_log(c)" "prior.log_prior_at(c)"
bug "alpha as if the concentration were one" "harmonic(layer.units(), cascade_.concentration)" \
  "harmonic(layer.units(), 1)"
at cascade/cascade_parents.cpp cascade_activations
bug "parents of one unit alone visited as if shared" "if (others > 0) visit_edge(k, j, others);" \
  "visit_edge(k, j, std::max(1, others));"
bug "correlations not updated after a change to an edge" \
  "if (change != 0) correlations_.col(k) -= change * gram_.col(j + 1);" "(void)change;"
bug "multiple tries weighted without the current point" "others = std::exp(weight(x) - most);" \
  "others = 0;"
bug "multiple tries weighted by the current point alone" \
  "others += std::exp(weight(draw()) - most);" \
  "others += std::exp(weight(x) - most);"
bug "always the first of several tries" \
  "double at = rng.uniform() * total;" "double at = 0 * total;"
bug "an ellipse without a slice level below its point" \
  "law.log_children(x) + std::log(rng.uniform());" \
  "law.log_children(x) + 0 * rng.uniform();"
bug "an ellipse centred at zero" "from = x - law.mean;" "from = x;"
bug "biases of children not subtracted" "linear.rowwise() -= (scaled * layer.bias).transpose();" ""
bug "the contribution of a unit not removed" " + weight * layer.u.col(k);" ";"
bug "children as if all were equally precise" "layer.weights * layer.precision.asDiagonal()" \
  "layer.weights"
bug "activations not updated with pre-activations" "  layer.u.col(k) = squash(layer.x.col(k));
" ""

at cascade/edge_posterior.h cascade_moves
bug "evidence for an edge without the mean of the prior" \
  "prior.precision * prior.mean * prior.mean" \
  "0 * prior.mean"
bug "evidence for an edge with its determinant counted twice" \
  "std::log(prior.precision / precision)" \
  "2 * std::log(prior.precision / precision)"
at cascade/edge_posterior.h cascade_activations
bug "a new weight with the precision as its standard deviation" \
  "rng.normal() / std::sqrt(precision)" \
  "rng.normal() / precision"

at cascade/cascade_activations.h cascade_activations
bug "the density of u instead of the density of x" "return log_children(x) - 0.5" \
  "return log_children(x) + std::log(1.000001 - squash(x) * squash(x)) - 0.5"
bug "children pull with their full weight" "(pull - 0.5 * weight * u)" "(pull - weight * u)"

at cascade/cascade_births.cpp cascade_joint
bug "birth without the number of parents of this unit alone" \
  "rate(m) / (static_cast<double>(own_.size()) + 1)" \
  "rate(m)"
bug "birth with the published factor" "rate(m) / (static_cast<double>(own_.size()) + 1)" \
  "1 / rate(m) / std::pow(static_cast<double>(own_.size()) + 1, 2)"
bug "death with the published factor" "static_cast<double>(own_.size()) / rate(m)" \
  "std::pow(static_cast<double>(own_.size()), 2) * rate(m)"
bug "death evaluated with the weight of the parent in place" \
  "residual(m, k) + layer.weights(parent, k) * u;" "residual(m, k);"
bug "births also explain the bias" "layer.x.col(k).array() - layer.bias(k);" \
  "layer.x.col(k).array();"
bug "parents of another unit dropped" "layer.children[j] == 1 && layer.has(j, k)" \
  "layer.children[j] == 1"
at cascade/cascade_births.cpp cascade_limits
bug "births even if there are few parents" "    order_.resize(cascade_.model.visible_births);" "{
    const auto held = [&](int k) { return cascade_.layers[0].edges.col(k).cast<int>().sum(); };
    std::sort(order_.begin(), order_.end(), [&](int a, int b) { return held(a) < held(b); });
    order_.resize(cascade_.model.visible_births);
  }"
bug "births at the rate for one more customer" "(c + layer.units() - 1)" "(c + layer.units())"
bug "more features than allowed" "cascade_.layers[1].units() >= cascade_.model.max_features" \
  "k < 0"
bug "more units than allowed" "|| --room_ < 0" ""
at cascade/cascade_births.cpp cascade_births
bug "weight of a new parent at its mean" "to.draw(rng_)" "to.mean"
bug "a sprout is one customer late" "static_cast<double>(level.units.size());
  const int dishes" "static_cast<double>(level.units.size()) + 1;
  const int dishes"
bug "choices of a sprout ignored by its siblings" "      ++level.children[j];
" ""
bug "siblings of a sprout not counted as customers" \
  "layer.units() + static_cast<double>(level.units.size());
  const" "layer.units();
  const"
bug "siblings of a sprout do not share their new parents" "level.children.push_back(1);" \
  "level.children.push_back(0);"
bug "a sprout does not depend on its parents" "unit.x += weight * activations_of(m + 1, parent);" ""
bug "precision of a sprout at rate one" "cascade_.model.noise_shape, layer.noise_rate" \
  "cascade_.model.noise_shape, 1"
bug "noise of a sprout scaled by its precision" "1 / std::sqrt(unit.precision)" "1 / unit.precision"
at cascade/cascade_births.cpp cascade_posterior
bug "births at the last layer as if it had unused parents" \
  "rng_.poisson(layer.alpha * c / (customers + c));" \
  "m < cascade_.model.max_layers ? rng_.poisson(layer.alpha * c / (customers + c)) : 0;"
at cascade/cascade_births.cpp cascade_fold
bug "a resumed chain forgets alpha" "    layer.alpha = alpha;
" ""
at cascade/cascade_births.cpp cascade
bug "an initial network has parents without children" "if (layer.children[j] == 0) layer.set_edge" \
  "if (j < 0) layer.set_edge"

at cascade/cascade.cpp cascade_moves
bug "a normal distribution without its centre" "weight * std::pow(center - mean, 2)" "0 * mean"
bug "mean of a normal distribution too wide" "std::sqrt(total * precision)" "std::sqrt(precision)"
at cascade/cascade.cpp cascade
bug "density of a normal distribution as if its mean were wider" \
  "{center, weight * law.precision}" \
  "{center, law.precision}"
bug "harmonic numbers one customer late" "concentration / (concentration + i)" \
  "concentration / (concentration + i + 1)"
bug "log probability of edges as if the concentration were one" "log_gamma(units() - m + c)" \
  "log_gamma(units() - m + 1)"
bug "parents of a dropped unit still count it as a child" \
  "for (int j = 0; j < parents(); ++j) children[j] -= has(j, k);" ""
bug "numbers of children not moved together with the last parent" \
  "  children[parent] = children.back();
" ""
bug "ancestors without children kept" "if (layers[m].children[j] == 0) drop_unit(m + 1, j);" \
  "(void)j;"
bug "ancestors dropped upwards" "for (int j = layers[m].parents() - 1; j >= 0; --j)" \
  "for (int j = 0; j < layers[m].parents(); ++j)"
bug "a known noise rate not set" "layers[m].noise_rate = model.noise_rate.value;" ""
at cascade/cascade.cpp cascade_activations
bug "an edge counted again whenever it is set" "children[parent] += !has(parent, k);" \
  "++children[parent];"
at cascade/cascade.cpp cascade_fold
bug "parents of a saved draw stored by their numbers" "bytes.next(j, before);" \
  "bytes.number(static_cast<unsigned>(j));"

at cascade/cascade.h cascade_resumed
bug "activations recomputed when a run is resumed" "a(layers[m].u);" \
  "layers[m].u = squash(layers[m].x);"
bug "a saved run of a cascade without its concentration" "a(concentration);" ""

at cascade/cascade_layer.h cascade_resumed
bug "a saved run of a cascade without its noise rates" "a(noise_rate);" ""
bug "a saved run of a cascade without the prior of biases" \
  "{&of_weights, &of_biases}" "{&of_weights}"

at cascade/cascade_chain.cpp cascade
bug "missing entries of a cascade have a density" "    left(n, k) = 0;
" ""
bug "missing entries of a cascade counted" "--observed(k);" "(void)k;"
bug "density of a cascade without the slopes of its data" "cascade_.data->log_slopes + log_normal" \
  "log_normal"
at cascade/cascade_chain.cpp cascade_limits
bug "missing entries of a cascade never drawn" "  draw_missing();
" ""
bug "activations drawn only in layer 1" "if (m < likelihood.depth())" \
  "if (m == 0 && likelihood.depth() > 0)"
bug "births only in the visible layer" "births.visit_layer(m, check);" \
  "if (m == 0) births.visit_layer(m, check);"
at cascade/cascade_chain.cpp cascade_joint
bug "missing entries of a cascade at their means" \
  "mean + rng.normal() / std::sqrt(visible.precision(k));" "mean;"
bug "missing entries of a cascade without parents" "if (visible.parents() > 0) mean" \
  "if (visible.parents() < 0) mean"
bug "features of the previous sweep" "CascadeParameters(likelihood, rng).update();
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
bug "noise of a response on one side only" "sign * nodes[n] * sd" "nodes[n] * sd"

at core/byte_code.h cascade_fold
bug "128 in one byte" "n >= 128; n >>= 7" "n > 128; n >>= 7"

at cascade/cascade_data_start.cpp cascade_data_start
bug "noise treated as sparse components" \
  "std::pow(std::sqrt(size.rows) + std::sqrt(size.columns), 2)" "0.3 * size.rows"
bug "sparse components not rotated" "  turn(check);
" ""
bug "sparse components forced to be orthogonal" "  lean();
" ""
bug "scores rotated like oblique loadings" "scores * inverse.transpose()" "scores * inverse"
bug "missing entries filled with the noise in components" "1 - edge.square / squares" \
  "1 - 0 / squares"
bug "filled entries count in the noise" "(size.observed * (size.rows" "(1 * (size.rows"
bug "missing entries filled only once" "missing.any() ? 8 : 1" "1"
bug "components of all rows computed from the first rows" "x.row(n * x.rows() / most)" "x.row(n)"
bug "data without noise have components from rounding errors" "1e-12 * squares(0)" "0 * squares(0)"
bug "initial edges where a component is 0" "std::min(3 * sd, loadings" \
  "std::min(0 * sd, loadings"
bug "initial weights as if activations were scores" "weight = 2.2;" "weight = 1;"
bug "more initial units than allowed" "most = room -= static_cast<int>(x.cols());" \
  "most = room;"
bug "more initial features than allowed" \
  "std::min(model.max_features, model.max_units)" "model.max_units"
bug "the initial second layer computed from the data again" "    x = components.scores;
" ""
bug "missing entries of a start at the means of their columns" \
  "layer.x(n, k) = components.filled(n, k);" "(void)n, (void)k;"
