# shellcheck shell=bash
# The bugs of Gibbs sampling with shared rows; read by planted.sh.

holders=shared/first_holders.h
bug "first holders of features free" $holders \
  "return place(row) > last_kept_[k];" "return place(row) >= last_kept_[k];" shared_gibbs
bug "rows before the first holder free" $holders \
  "return place(row) > last_kept_[k];" "return place(row) != last_kept_[k];" shared_gibbs
bug "first holders of each member alone" $holders \
  "const Eigen::VectorXd all = data.team.gather(own);" \
  "data.team.gather(own); const Eigen::VectorXd all = own;" shared_team
bug "holders sought from the first row on" $holders \
  "if (within) take(begin, data.own_rows());" "" shared_gibbs

known=shared/row_chain.h
bug "probabilities drawn without the prior's part" $known \
  "rng.log_gamma_draw(rows() - z.count(k) + shape_off())" \
  "rng.log_gamma_draw(rows() - z.count(k) + 1e-9)" shared_gibbs
bug "a column that no row has not dealt out" $known \
  "for (; empty > 0; --empty)" "for (; empty > 1; --empty)" shared_gibbs
bug "own columns dealt out again" $known \
  "for (int own : places) empty -= own;" "" shared_gibbs
bug "a place for every row" $known \
  "std::log(double(spec().n_features) / rows())" "std::log(double(spec().n_features))" shared_gibbs

row=shared/row_by_scores.h
bug "missing entries take part in the products" $row \
  "if (x.hidden_count(i) > 0) leave_out_hidden(x, i);" "" shared_gibbs
bug "fit of a row not followed" $row \
  "fitted_ += step(k) * of_row_->col(k);" "" shared_gibbs
bug "own loadings known to the bits" $row \
  "void spread(double by) { of_row_variance_ = by * variance_; }" \
  "void spread(double) { of_row_variance_ = variance_; }" shared_gibbs

load=shared/shared_loadings.h
bug "own loadings not taken off the scores" $load \
  "if (at.own.cols() > 0) chain.likelihood.take_off(" "if (false) chain.likelihood.take_off(" \
  shared_gibbs
bug "precisions given loadings without a tenth of the entries" $load \
  "{s.left_squares(a_), entries_}" "{s.left_squares(a_), 0.9 * entries_}" shared_gibbs
bug "half of the misfit left of a row" $load \
  "x.square(i) + chain.likelihood.misfit()" "x.square(i) + 0.5 * chain.likelihood.misfit()" shared_gibbs

exchange=shared/own_exchange.h
bug "exchange without the weights of others" $exchange \
  "log_total_ = largest + std::log(total);" "log_total_ = largest;" own_exchange
bug "exchange without the number of those that are on" $exchange \
  "std::log(double(free_.size() - off_.size() + 1))" "0.0" own_exchange
bug "exchange with the own feature in place" $exchange \
  "    left_.rest += left_.observed * own.col(n).array();
" "" own_exchange
bug "exchange that brings own features more often than it takes them" $exchange \
  "chain.rng.bernoulli(0.5)" "chain.rng.bernoulli(0.45)" own_exchange
bug "exchange with missing entries in what a shared feature gains" $exchange \
  "loading = left_.observed * a_.col(k).array();" "loading = a_.col(k).array();" own_exchange
bug "exchange for an own feature with what the shared one leaves" $exchange \
  "    left_.rest += left_.observed * a_.col(k).array();
" "" own_exchange
bug "exchange for an own feature with loadings of the prior" $exchange \
  "law_.draw(left_, chain.rng)" \
  "law_.draw(LoadingSums::none(left_.rest.size()), chain.rng)" own_exchange
bug "exchange that takes the first own feature for another" $exchange \
  "drop_column(own, n);" "drop_column(own, 0);" own_exchange

chain=shared/shared_gibbs.h
bug "one holder kept where own features are drawn" $chain \
  "rng.below(data_->rows()), 2);" "rng.below(data_->rows()), 1);" shared_gibbs
bug "too many features refused in part" $chain \
  "      z = z_before;
" "" shared_gibbs
bug "shared rows resumed without their statistics" $chain \
  "    a(statistics_);
" "" shared_team

pass=shared/row_pass.h
bug "one source of random numbers for a member's rows" $pass \
  "      chain_.rng.begin(row.number);" "" shared_team
bug "random numbers of rows by their place in a member" $pass \
  "      chain_.rng.begin(row.number);" "      chain_.rng.begin(row.own);" shared_team
bug "missing entries without the row's own features" $pass \
  "double mean = own.row(d).sum();" "double mean = 0;" shared_gibbs

own=shared/own_features.h
bug "new features without the row's entries" $own \
  "s.p.rightCols(size()) = entries();" "s.p.rightCols(size()).setZero();" shared_gibbs
bug "two new features of a row that it has not both" $own \
  "= row(n) == row(m);" "= n == m;" shared_gibbs
bug "new features of a member alone" $own \
  "numbers_.assign(gathered.data(), gathered.data() + gathered.size());" "(void)gathered;" shared_team
