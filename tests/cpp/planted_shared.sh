# shellcheck shell=bash
# The bugs of Gibbs sampling with shared rows; read by planted.sh.

at shared/first_holders.h shared_gibbs
bug "bits of the first rows with a feature drawn freely" "return place(row) > last_kept_[k];" \
  "return place(row) >= last_kept_[k];"
bug "rows before the first row with a feature drawn freely" "return place(row) > last_kept_[k];" \
  "return place(row) != last_kept_[k];"
bug "rows with a feature sought from the first row on" \
  "if (within) take(begin, data.own_rows());" ""
at shared/first_holders.h shared_team
bug "first rows with a feature separately for each worker" \
  "const Eigen::VectorXd all = data.team.gather(own);" \
  "data.team.gather(own); const Eigen::VectorXd all = own;"

at shared/row_chain.h shared_gibbs
bug "probabilities drawn without the contribution of the prior" \
  "rng.log_gamma_draw(rows() - z.count(k) + shape_off())" \
  "rng.log_gamma_draw(rows() - z.count(k) + 1e-9)"
bug "an empty column not reused" "for (; empty > 0; --empty)" \
  "for (; empty > 1; --empty)"
bug "columns of singletons reused" "for (int own : places) empty -= own;" ""
bug "a separate column for every row" "std::log(double(spec().n_features) / rows())" \
  "std::log(double(spec().n_features))"

at shared/row_by_scores.h shared_gibbs
bug "missing entries take part in the products" \
  "if (x.hidden_count(i) > 0) leave_out_hidden(x, i);" ""
bug "fit of a row not updated" "fitted_ += step(k) * of_row_->col(k);" ""
bug "loadings of singletons known to the bits" "of_row_variance_ = by * variance_;" \
  "of_row_variance_ = variance_ + 0 * by;"

at shared/shared_loadings.h shared_gibbs
bug "loadings of singletons not subtracted from the scores" \
  "if (at.own.cols() > 0) chain.likelihood.take_off(" \
  "if (false) chain.likelihood.take_off("
bug "precisions given loadings without a tenth of the entries" "{s.left_squares(a_), entries_}" \
  "{s.left_squares(a_), 0.9 * entries_}"
bug "half of the residual of a row left" "x.square(i) + chain.likelihood.misfit()" \
  "x.square(i) + 0.5 * chain.likelihood.misfit()"

at shared/own_exchange.h own_exchange
bug "exchange without the weights of others" "log_total_ = largest + std::log(total);" \
  "log_total_ = largest;"
bug "exchange without the number of set bits" \
  "std::log(double(free_.size() - off_.size() + 1))" "0.0"
bug "exchange evaluated with the singleton in place" \
  "    left_.rest += left_.observed * own.col(n).array();
" ""
bug "exchange that adds singletons more often than it removes them" "chain.rng.bernoulli(0.5)" \
  "chain.rng.bernoulli(0.45)"
bug "exchange with missing entries in the gain of a shared feature" \
  "loading = left_.observed * a_.col(k).array();" "loading = a_.col(k).array();"
bug "exchange for a singleton with the residual of the shared feature" \
  "    left_.rest += left_.observed * a_.col(k).array();
" ""
bug "exchange for a singleton with loadings from the prior" "law_.draw(left_, chain.rng)" \
  "law_.draw(LoadingSums::none(left_.rest.size()), chain.rng)"
bug "exchange that confuses the first singleton with another" "drop_column(own, n);" \
  "drop_column(own, 0);"

at shared/shared_gibbs.h shared_gibbs
bug "one row with the feature kept when singletons are drawn" "rng.below(data_->rows()), 2);" \
  "rng.below(data_->rows()), 1);"
bug "too many features only partly refused" "      z = z_before;
" ""
at shared/shared_gibbs.h shared_team
bug "shared rows resumed without their statistics" "    a(statistics_);
" ""

at shared/row_pass.h shared_team
bug "one source of random numbers for the rows of a worker" "      chain_.rng.begin(row.number);" ""
bug "random numbers of rows by their position in a worker" "      chain_.rng.begin(row.number);" \
  "      chain_.rng.begin(row.own);"
at shared/row_pass.h shared_gibbs
bug "missing entries without the singletons of the row" "double mean = own.row(d).sum();" \
  "double mean = 0;"

at shared/own_features.h shared_gibbs
bug "new features without the entries of the row" "s.p.rightCols(size()) = entries();" \
  "s.p.rightCols(size()).setZero();"
bug "two new features of a row, one of which it lacks" "= row(n) == row(m);" "= n == m;"
at shared/own_features.h shared_team
bug "new features of one worker alone" \
  "numbers_.assign(gathered.data(), gathered.data() + gathered.size());" "(void)gathered;"
