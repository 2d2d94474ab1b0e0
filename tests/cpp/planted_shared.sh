# shellcheck shell=bash
# The bugs of Gibbs sampling with shared rows; read by planted.sh.

at shared/first_holders.h shared_gibbs
bug "first holders of features free" "return place(row) > last_kept_[k];" \
  "return place(row) >= last_kept_[k];"
bug "rows before the first holder free" "return place(row) > last_kept_[k];" \
  "return place(row) != last_kept_[k];"
bug "holders sought from the first row on" "if (within) take(begin, data.own_rows());" ""
at shared/first_holders.h shared_team
bug "first holders of each member alone" "const Eigen::VectorXd all = data.team.gather(own);" \
  "data.team.gather(own); const Eigen::VectorXd all = own;"

at shared/row_chain.h shared_gibbs
bug "probabilities drawn without the prior's part" \
  "rng.log_gamma_draw(rows() - z.count(k) + shape_off())" \
  "rng.log_gamma_draw(rows() - z.count(k) + 1e-9)"
bug "a column that no row has not dealt out" "for (; empty > 0; --empty)" \
  "for (; empty > 1; --empty)"
bug "own columns dealt out again" "for (int own : places) empty -= own;" ""
bug "a place for every row" "std::log(double(spec().n_features) / rows())" \
  "std::log(double(spec().n_features))"

at shared/row_by_scores.h shared_gibbs
bug "missing entries take part in the products" \
  "if (x.hidden_count(i) > 0) leave_out_hidden(x, i);" ""
bug "fit of a row not followed" "fitted_ += step(k) * of_row_->col(k);" ""
bug "own loadings known to the bits" "of_row_variance_ = by * variance_;" \
  "of_row_variance_ = variance_ + 0 * by;"

at shared/shared_loadings.h shared_gibbs
bug "own loadings not taken off the scores" "if (at.own.cols() > 0) chain.likelihood.take_off(" \
  "if (false) chain.likelihood.take_off("
bug "precisions given loadings without a tenth of the entries" "{s.left_squares(a_), entries_}" \
  "{s.left_squares(a_), 0.9 * entries_}"
bug "half of the misfit left of a row" "x.square(i) + chain.likelihood.misfit()" \
  "x.square(i) + 0.5 * chain.likelihood.misfit()"

at shared/own_exchange.h own_exchange
bug "exchange without the weights of others" "log_total_ = largest + std::log(total);" \
  "log_total_ = largest;"
bug "exchange without the number of those that are on" \
  "std::log(double(free_.size() - off_.size() + 1))" "0.0"
bug "exchange with the own feature in place" \
  "    left_.rest += left_.observed * own.col(n).array();
" ""
bug "exchange that brings own features more often than it takes them" "chain.rng.bernoulli(0.5)" \
  "chain.rng.bernoulli(0.45)"
bug "exchange with missing entries in what a shared feature gains" \
  "loading = left_.observed * a_.col(k).array();" "loading = a_.col(k).array();"
bug "exchange for an own feature with what the shared one leaves" \
  "    left_.rest += left_.observed * a_.col(k).array();
" ""
bug "exchange for an own feature with loadings of the prior" "law_.draw(left_, chain.rng)" \
  "law_.draw(LoadingSums::none(left_.rest.size()), chain.rng)"
bug "exchange that takes the first own feature for another" "drop_column(own, n);" \
  "drop_column(own, 0);"

at shared/shared_gibbs.h shared_gibbs
bug "one holder kept where own features are drawn" "rng.below(data_->rows()), 2);" \
  "rng.below(data_->rows()), 1);"
bug "too many features refused in part" "      z = z_before;
" ""
at shared/shared_gibbs.h shared_team
bug "shared rows resumed without their statistics" "    a(statistics_);
" ""

at shared/row_pass.h shared_team
bug "one source of random numbers for a member's rows" "      chain_.rng.begin(row.number);" ""
bug "random numbers of rows by their place in a member" "      chain_.rng.begin(row.number);" \
  "      chain_.rng.begin(row.own);"
at shared/row_pass.h shared_gibbs
bug "missing entries without the row's own features" "double mean = own.row(d).sum();" \
  "double mean = 0;"

at shared/own_features.h shared_gibbs
bug "new features without the row's entries" "s.p.rightCols(size()) = entries();" \
  "s.p.rightCols(size()).setZero();"
bug "two new features of a row that it has not both" "= row(n) == row(m);" "= n == m;"
at shared/own_features.h shared_team
bug "new features of a member alone" \
  "numbers_.assign(gathered.data(), gathered.data() + gathered.size());" "(void)gathered;"
