# shellcheck shell=bash
# The bugs of maximisation-expectation; read by planted.sh.

bug "entropy with the paper's last sign" core/truncated_normal.h \
  "- 0.5 * t_ * hazard_;" "+ 0.5 * t_ * hazard_;" truncated_normal
bug "entropy in the tail without its variance" core/truncated_normal.h \
  "0.5 * (mean_ * mean_ + variance_)" "0.5 * mean_ * mean_" truncated_normal
bug "digamma of a factor for its log mean" point/factor/gaussian_factor.cpp \
  "digamma(shape_) - std::log(rate_) : std::log(prior_.value)" \
  "std::log(shape_ / rate_) : std::log(prior_.value)" gamma_factor
bug "what a task throws is lost" core/parallel.h \
  "if (failure) std::rethrow_exception(failure);" "" parallel
bug "some rows taken by their number in the block" gaussian/gaussian_rows.cpp \
  "f(block.x, block.from + *next - first," "f(block.x, *next % block.x.rows()," gaussian_source
bug "rows counted anew in every block" gaussian/gaussian_masks.h \
  "hiding_[d]->set(static_cast<int>(of_row_.size()));" "hiding_[d]->set(i);" gaussian_masks
bug "residual at missing entries" point/factor/row_search.cpp \
  "shared -= v.row(d).transpose() * a_.row(d);" "shared -= 0 * v.row(d).transpose() * a_.row(d);" \
  gaussian_residual
bug "swap gain without weights" point/factor/row_search.cpp \
  "gains_(in) - gains_(out) + p_->weights(out, in);" "gains_(in) - gains_(out);" row_search
bug "swap gain of old features without weights" point/factor/row_search.cpp \
  "(off_gains_ + p_->weights.col(k).array()).maxCoeff() - gains_(k)" \
  "off_gains_.maxCoeff() - gains_(k)" row_search
bug "swaps skipped everywhere" point/factor/row_search.cpp \
  "(!is_at(top) && best_swap())" "false" row_search
bug "log_new off by one" point/factor/row_search.h \
  "p_->log_new[fresh_on_ - on(k)]" "p_->log_new[std::max(fresh_on_ - 1, 0)]" row_search
bug "nothing saved by a swap of a fresh feature for an old one" point/factor/row_search.cpp \
  "if (change < 0) gain -= p_->log_new[fresh_on_ - 1];" "" row_search
bug "climbs from where the row is alone" point/factor/row_search.cpp \
  "climb_from([](int) { return false; });" "" row_search

factor=point/factor/gaussian_factor.cpp
bug "precision of loadings without the count of rows" $factor \
  "c(k, k) * tau_x + tau_a, weight" "tau_x + tau_a, weight" meibp
bug "hidden entries of a row counted" point/factor/loadings_factor.h \
  "return shared - hidden(group);" "return shared;" meibp
bug "residual without the variance of loadings" $factor \
  "t.spread += c(k, k) * variance_(d, k);" "" meibp
bug "tau without its half" $factor \
  "x_.update(0.5 * cells, 0.5 * residual)" "x_.update(cells, 0.5 * residual)" meibp
bug "tau_x updated with missing cells" $factor \
  "double(rows) * columns() - masks_->count_hidden();" "double(rows) * columns();" meibp
bug "half-normal prior without its 2" $factor \
  "+ Loading::log_folded) -" ") -" meibp
bug "heldout density without the truncation" point/factor/gaussian_factor.cpp \
  "- log_normal_cdf(location / scale);" ";" gaussian_factor_predict

meibp=point/meibp/meibp.cpp
bug "the paper's indicator" $meibp \
  "problem_.linear(k) += state_.factor_.log_own(k);" "" meibp
bug "the paper's indicator at features that others have" $meibp \
  "problem_.linear(k) += state_.prior_.log_odds_of(others);" \
  "problem_.linear(k) += state_.prior_.log_odds_of(others) + state_.factor_.log_own(k);" meibp
bug "rank of new features from 0" $meibp \
  "log_new_ratio(shared + j)" "log_new_ratio(j)" meibp
bug "count of a row with itself" $meibp \
  "counts_[k] - state_.z.at(i, k)" "std::max(counts_[k] - 1, 0)" meibp
bug "missing entries of a row not excluded" $meibp \
  "enter_pattern(state_.data_->masks.pattern_of(i));" "" meibp
bug "variance of missing loadings not excluded" $factor \
  "variance += variance_.row(columns[n]);" "" meibp
bug "stale sums after rows are searched" $meibp \
  "s.col(c.k) += c.by * x.col(c.i + offset);" "s.col(c.k) += 0 * c.by * x.col(c.i + offset);" meibp
bug "stale sums where many entries change" $meibp \
  "block.count) * by;" "block.count) * by.cwiseMax(0.0);" meibp
bug "rows of later blocks searched as those of the first" $meibp \
  "terms.search(block.first + n, x_mean.col(n), own, changes);" \
  "terms.search(n, x_mean.col(n), own, changes);" meibp
bug "loadings left as they are between rows" $meibp \
  "      settle({1, 0, 0});" "" meibp
bug "sums left as they are between rows" $meibp \
  "block.x.add(at, c.by, factor_.sums().col(c.k));" "(void)c;" meibp
bug "rows searched with the loadings of the first" $meibp \
  "      terms.reset();" "" meibp
bug "loadings left as they are where no row changes" $meibp \
  "if (!any) settle(passes());" "" meibp
bug "prior at the mean of alpha" $meibp \
  "prior_.set({std::exp(alpha_.mean_log())," "prior_.set({alpha_.mean()," meibp

moves=point/meibp/meibp_moves.cpp
bug "drops in increasing order" $moves \
  "std::sort(drops.rbegin(), drops.rend());" "std::sort(drops.begin(), drops.end());" meibp_moves
bug "birth over all cells" $moves \
  "(counts.array() + rho_))" "(double(holders.size()) + rho_))" meibp_moves
bug "rows of a death kept as they are" $moves \
  "  if (p.adds.empty()) {
" "  if (false) {
" meibp_moves
bug "adds not saved" point/meibp/meibp_moves.h \
  "data.archive(a, adds);" "" meibp_moves
ascent=point/meibp/meibp_ascent.cpp
bug "random numbers not begun anew at a step" $ascent \
  "rng_.begin(done_);" "" meibp_ascent
bug "failed proposals taken whatever they lead to" $ascent \
  "if (next.bound() > goal) {" "if (true) {" meibp_ascent
bug "failed proposals not saved" point/meibp/meibp_ascent.h \
  "for (FeatureMove& p : proposals) p.archive(a, state_.data());" "" meibp_ascent
bug "too many features kept" $ascent \
  "if (state_.z.size() <= state_.plan().max_features) {" "if (true) {" meibp_ascent
bug "the last allowed state forgotten" point/meibp/meibp_ascent.h \
  "if (has_allowed) a(*allowed_);" "" meibp_ascent
bug "iterations as long as the gain is no number" $ascent \
  "converging_ = gain > tol * size_in_units_of(state_.data(), state_.bound());" \
  "if (gain < tol * size_in_units_of(state_.data(), state_.bound())) converging_ = false;" meibp_ascent
bug "allowed state of later steps kept when an earlier one is read" point/meibp/meibp_ascent.h \
  "if (!has_allowed) allowed_.reset();" "" meibp_ascent
run=point/meibp/meibp_run.h
bug "last ascent kept when an earlier state is read" $run \
  "if (!has_last) last_.reset();" "" meibp_run
bug "the first start for the best" point/meibp/meibp_run.cpp \
  "return a.result().bound() < b.result().bound();" "return &a > &b;" meibp_run
bug "counts of the part carried over as they are" point/meibp/meibp_run.cpp \
  "double(data_.rows()) / found.data().rows()" "1" meibp_run
bug "last ascent not saved" $run \
  "    a(*last_);
" "" meibp_run

bug "subtrees added in the order in which they come" core/team.h \
  "level == next.level && index % 2 == 0 && next.index == index + 1" "true" team
bug "sums of the first member for those of all" core/remote_team.h \
  "sums.add(r.sums);" "if (&r == &requests.front()) sums.add(r.sums);" team
bug "a reply to save forgotten" core/remote_team.h \
  "saves_ = saves_ || reply_.save;" "" team
bug "a member at another point not found out" core/remote_team.h \
  "if (!agree(r, requests.front()))" "if (false)" team
bug "a report that always asks" core/remote_team.h \
  "if (!asked_) ask(" "ask(" team
bug "rows of a member counted from the first of all" gaussian/gaussian_rows.cpp \
  "if (all.at(first_row_ + i)) own.set(i);" "if (all.at(i)) own.set(i);" meibp_team
bug "groups of columns by the rows of one member alone" gaussian/gaussian_masks.h \
  "if (team.size() == 1) return;" "return;" meibp_team
bug "a death searched only where rows lose a feature" $moves \
  "  if (p.adds.empty()) {
" "  if (!rows.empty()) {
" meibp_team
bug "blocks that change together lower the bound" $meibp \
  "if (bound_ >= before.bound_) return;" "return;" meibp_team
bug "what other blocks change known at once" $meibp \
  "    terms.begin();
" "" meibp_team
bug "counts of own rows for those of all" $meibp \
  "z.set_count(k, terms.before(k) +" "if (data_->team.size() == 1) z.set_count(k, terms.before(k) +" \
  meibp_team
bug "random numbers of a block depend on the blocks before" $meibp \
  "own.begin(block.number);" "own.begin(block.number - data_->source.first_block());" meibp_team
bug "sides of a split begin anew in every part" $moves \
  "(before + n) % 2 == 0" "n % 2 == 0" meibp_team
bug "a feature held nowhere here taken for none" $moves \
  "if (count_all(first) == 0 || count_all(second) == 0) return {};" \
  "if (first.empty() || second.empty()) return {};" meibp_team
bug "the best fifth of own rows" $moves \
  "own_of(largest(data().team.gather(fit)," "own_of(largest(fit," meibp_team
