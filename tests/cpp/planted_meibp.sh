# shellcheck shell=bash
# The bugs of maximisation-expectation; read by planted.sh.

at core/truncated_normal.h truncated_normal
bug "entropy with the last sign of the paper" "- 0.5 * t_ * hazard_;" "+ 0.5 * t_ * hazard_;"
bug "entropy in the tail without its variance" "0.5 * (mean_ * mean_ + variance_)" \
  "0.5 * mean_ * mean_"

at point/factor/gaussian_factor.cpp gamma_factor
bug "digamma of a factor instead of its mean log" \
  "digamma(shape_) - std::log(rate_) : std::log(prior_.value)" \
  "std::log(shape_ / rate_) : std::log(prior_.value)"
at point/factor/gaussian_factor.cpp meibp
bug "precision of loadings without the count of rows" "c(k, k) * tau_x + tau_a, weight" \
  "tau_x + tau_a, weight"
bug "residual without the variance of loadings" "t.spread += c(k, k) * variance_(d, k);" ""
bug "tau without its half" "x_.update(0.5 * cells, 0.5 * residual)" \
  "x_.update(cells, 0.5 * residual)"
bug "tau_x updated with missing cells" "double(rows) * columns() - masks_->count_hidden();" \
  "double(rows) * columns();"
bug "half-normal prior without its 2" "+ Loading::log_folded) -" ") -"
bug "variance of missing loadings not excluded" "variance += variance_.row(columns[n]);" ""
at point/factor/gaussian_factor.cpp gaussian_factor_predict
bug "held-out density without the truncation" "- log_normal_cdf(location / scale);" ";"

at core/parallel.h parallel
bug "exceptions of tasks are lost" "if (failure) std::rethrow_exception(failure);" ""

at gaussian/gaussian_rows.cpp gaussian_source
bug "some rows taken by their number in the block" "f(block.x, block.from + *next - first," \
  "f(block.x, *next % block.x.rows(),"
at gaussian/gaussian_rows.cpp meibp_team
bug "rows of a worker counted from the first row of all" "if (all.at(first_row_ + i)) own.set(i);" \
  "if (all.at(i)) own.set(i);"

at gaussian/gaussian_masks.h gaussian_masks
bug "row numbers restart in every block" "hiding_[d]->set(static_cast<int>(of_row_.size()));" \
  "hiding_[d]->set(i);"
at gaussian/gaussian_masks.h meibp_team
bug "groups of columns from the rows of one worker alone" "if (team.size() == 1) return;" "return;"

at point/factor/row_search.cpp gaussian_residual
bug "residual at missing entries" "shared -= v.row(d).transpose() * a_.row(d);" \
  "shared -= 0 * v.row(d).transpose() * a_.row(d);"
at point/factor/row_search.cpp row_search
bug "swap gain without weights" "gains_(in) - gains_(out) + p_->weights(out, in);" \
  "gains_(in) - gains_(out);"
bug "swap gain of old features without weights" \
  "(off_gains_ + p_->weights.col(k).array()).maxCoeff() - gains_(k)" \
  "off_gains_.maxCoeff() - gains_(k)"
bug "swaps skipped everywhere" "(!is_at(top) && best_swap())" "false"
bug "no gain from swapping a fresh feature for an old one" \
  "if (change < 0) gain -= p_->log_new[fresh_on_ - 1];" ""
bug "climbs only from the current features of the row" "climb_from([](int) { return false; });" ""

at point/factor/row_search.h row_search
bug "log_new off by one" "p_->log_new[fresh_on_ - on(k)]" "p_->log_new[std::max(fresh_on_ - 1, 0)]"

at point/factor/loadings_factor.h meibp
bug "missing entries of a row counted" "return shared - hidden(group);" "return shared;"

at point/meibp/meibp.cpp meibp
bug "the indicator of the paper" "problem_.linear(k) += state_.factor_.log_own(k);" ""
bug "the indicator of the paper for features that other rows have" \
  "problem_.linear(k) += state_.prior_.log_odds_of(others);" \
  "problem_.linear(k) += state_.prior_.log_odds_of(others) + state_.factor_.log_own(k);"
bug "rank of new features from 0" "log_new_ratio(shared + j)" "log_new_ratio(j)"
bug "count that includes the row itself" \
  "counts_[k] - state_.z.at(i, k)" "std::max(counts_[k] - 1, 0)"
bug "missing entries of a row not excluded" "enter_pattern(state_.data_->masks.pattern_of(i));" ""
bug "stale sums after rows are searched" "s.col(c.k) += c.by * x.col(c.i + offset);" \
  "s.col(c.k) += 0 * c.by * x.col(c.i + offset);"
bug "stale sums if many entries change" "block.count) * by;" "block.count) * by.cwiseMax(0.0);"
bug "rows of later blocks searched as those of the first" \
  "terms.search(block.first + n, x_mean.col(n), own, changes);" \
  "terms.search(n, x_mean.col(n), own, changes);"
bug "loadings not updated between rows" "      settle({1, 0, 0});" ""
bug "sums not updated between rows" "block.x.add(at, c.by, factor_.sums().col(c.k));" \
  "(void)c;"
bug "rows searched with the loadings of the first" "      terms.reset();" ""
bug "loadings not updated if no row changes" "if (!any) settle(passes());" ""
bug "prior at the mean of alpha" "prior_.set({std::exp(alpha_.mean_log())," \
  "prior_.set({alpha_.mean(),"
at point/meibp/meibp.cpp meibp_team
bug "blocks that change together lower the bound" "if (bound_ >= before.bound_) return;" "return;"
bug "changes in other blocks known at once" "    terms.begin();
" ""
bug "counts over the rows of one worker instead of all rows" "z.set_count(k, terms.before(k) +" \
  "if (data_->team.size() == 1) z.set_count(k, terms.before(k) +"
bug "random numbers of a block depend on the blocks before" "own.begin(block.number);" \
  "own.begin(block.number - data_->source.first_block());"

at point/meibp/meibp_moves.cpp meibp_moves
bug "drops in increasing order" "std::sort(drops.rbegin(), drops.rend());" \
  "std::sort(drops.begin(), drops.end());"
bug "birth over all cells" "(counts.array() + rho_))" "(double(holders.size()) + rho_))"
bug "rows not searched again after a death" "  if (p.adds.empty()) {
" "  if (false) {
"
at point/meibp/meibp_moves.cpp meibp_team
bug "rows searched after a death only if they lose a feature" "  if (p.adds.empty()) {
" "  if (!rows.empty()) {
"
bug "sides of a split restart in every part" "(before + n) % 2 == 0" "n % 2 == 0"
bug "a feature without rows in this part treated as empty" \
  "if (count_all(first) == 0 || count_all(second) == 0) return {};" \
  "if (first.empty() || second.empty()) return {};"
bug "the best fifth of the rows of one worker" \
  "own_of(largest(data().team.gather(fit)," "own_of(largest(fit,"

at point/meibp/meibp_moves.h meibp_moves
bug "adds not saved" "data.archive(a, adds);" ""

at point/meibp/meibp_ascent.cpp meibp_ascent
bug "random numbers not restarted at a step" "rng_.begin(done_);" ""
bug "failed proposals accepted whatever their result" "if (next.bound() > goal) {" "if (true) {"
bug "too many features kept" "if (state_.z.size() <= state_.plan().max_features) {" "if (true) {"
bug "iterations as long as the gain is NaN" \
  "converging_ = gain > tol * size_in_units_of(state_.data(), state_.bound());" \
  "if (gain < tol * size_in_units_of(state_.data(), state_.bound())) converging_ = false;"

at point/meibp/meibp_ascent.h meibp_ascent
bug "failed proposals not saved" "for (FeatureMove& p : proposals) p.archive(a, state_.data());" ""
bug "the last permitted state forgotten" "if (has_allowed) a(*allowed_);" ""
bug "permitted state of later steps kept when an earlier state is read" \
  "if (!has_allowed) allowed_.reset();" ""

at point/meibp/meibp_run.h meibp_run
bug "last ascent kept when an earlier state is read" "if (!has_last) last_.reset();" ""
bug "last ascent not saved" "    a(*last_);
" ""

at point/meibp/meibp_run.cpp meibp_run
bug "the first start instead of the best" "return a.result().bound() < b.result().bound();" \
  "return &a > &b;"
bug "counts of the subset used for all rows without scaling" \
  "double(data_.rows()) / found.data().rows()" "1"

at core/team.h team
bug "subtrees added in the order of arrival" \
  "level == next.level && index % 2 == 0 && next.index == index + 1" "true"

at core/remote_team.h team
bug "sums of the first worker instead of all workers" "sums.add(r.sums);" \
  "if (&r == &requests.front()) sums.add(r.sums);"
bug "a reply to save forgotten" "saves_ = saves_ || reply_.save;" ""
bug "a worker at a different point not detected" "if (!agree(r, requests.front()))" "if (false)"
bug "a report that always requests a reply" "if (!asked_) ask(" "ask("
