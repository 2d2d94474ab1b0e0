# Bugs of mixed columns. Read by planted.sh.

mixed=mixed/mixed.h
bug "Polya-Gamma sums of one term" core/polya_gamma.h \
  "const double weight = 1 / (2" "const double weight = 1 / (4" mixed_families
bug "Polya-Gamma sums without their tail" core/polya_gamma.h \
  "return sum + gamma(b_ * mean * mean / variance, rng) * variance / mean;" \
  "return sum + 0 * variance;" mixed_families
bug "a normal between ends from the wrong side" core/normal_between.h \
  "if (b <= 0) return -draw_normal_between(-b, -a, rng);" \
  "if (b <= 0) return -draw_normal_between(-b, -a, rng) - 0.01;" mixed_families
bug "Polya-Gamma variables of two values at log odds 0" mixed/binomial_family.h \
  "PolyaGamma(*eta).draw(rng)" "PolyaGamma(0 * *eta).draw(rng)" mixed_families
bug "counts without what their offset moves" mixed/negative_binomial_family.h \
  "omega * soft_log_odds(0);" "omega * (soft_log_odds(0) - offset_);" mixed_families
bug "Polya-Gamma variables of counts without their size" mixed/negative_binomial_family.h \
  "return {x + soft_size_, soft_log_odds(eta)};" \
  "return {x + 1, soft_log_odds(eta)};" mixed_families
bug "the size of counts without its prior" mixed/negative_binomial_family.h \
  "double sum = log_prior_of_log(std::log(size));" "double sum = 0;" mixed_families
bug "gaps of cut points without their Jacobian" mixed/ordinal_family.h \
  "return std::log(other) - other + log_lik_moved(" "return -other + log_lik_moved(" mixed_families
bug "cut points whose lower ends stay" mixed/ordinal_family.h \
  "cut(c - 1) + (c > from ? by : 0)" "cut(c - 1)" mixed_families
bug "products of probabilities that forget what they were" core/normal_between.h \
  "sum_ += std::log(product_);" "" mixed_families
bug "categories without the lower half of their utilities" mixed/categorical_family.h \
  "static constexpr double least_node = -6.5" "static constexpr double least_node = 0" mixed_families
bug "a gap that leaves the cut points above it" mixed/ordinal_family.h \
  "for (std::size_t c = from; c < cuts_.size(); ++c) cuts_[c] += by;" \
  "if (from < parameters()) cuts_[from] += by;" mixed_joint
bug "ordered categories one cut point off" mixed/ordinal_family.h \
  "*eta + draw_normal_between(cut(c - 1) - *eta, cut(c) - *eta, rng);" \
  "*eta + draw_normal_between(cut(c - 1), cut(c), rng);" mixed_families
bug "the largest utility without the others" mixed/categorical_family.h \
  "if (std::log(rng.uniform()) <= log_share(t)) return t;" "return t;" mixed_families
bug "utilities that may be larger than that chosen" mixed/categorical_family.h \
  "c == chosen ? most : most - draw_nonnegative_normal(most - eta[c], 1, rng);" \
  "c == chosen ? most : eta[c] + rng.normal();" mixed_families
bug "noise of a column with half of its entries" mixed/normal_family.h \
  "prior_.shape + 0.5 * double(seen.x.size())" "prior_.shape + 0.25 * double(seen.x.size())" \
  mixed_families
bug "entries of a row in the place of another's" $mixed \
  "Eigen::Index{i} * data_->predictors() + data_->first(j)" \
  "Eigen::Index{i} * data_->predictors()" mixed_joint
bug "biases with the prior of weights" $mixed \
  "return {scales_.a.value, scales_.b.value, scales_.bias};" \
  "return {scales_.a.value, scales_.a.value, scales_.bias};" mixed_joint
bug "parameters of families that stay" $mixed \
  "families_[j]->update(data_->column(j, eta), rng);" \
  "families_[j]->update(data_->column(j, 0 * eta), rng);" mixed_joint
bug "levels of categories without their size" $mixed \
  "sigma / std::sqrt(double(weights.size())) * rng.normal();" "sigma * rng.normal();" mixed_joint
bug "bits by what columns were regressed on before they changed" mixed/row_given_weights.h \
  "slope_ -= omega_.cwiseProduct(there_eta_ - eta_);" "" mixed_joint
bug "bits that counts do not see" mixed/row_given_weights.h \
  "return slope_.dot(w) - 0.5 * omega_.dot(w.cwiseAbs2()) + there_ - here_;" \
  "return slope_.dot(w) - 0.5 * omega_.dot(w.cwiseAbs2());" mixed_joint
bug "least squares that are always accepted" mixed/least_squares.h \
  "return std::log(rng.uniform()) < log_accept(c);" "return log_accept(c) < INFINITY;" mixed_joint
bug "information of counts without their size" mixed/negative_binomial_family.h \
  "*to.omega = soft_size_ * share;" "*to.omega = share;" mixed_families
bug "a binomial that stays soft" mixed/binomial_family.h \
  "share_ = u < 0.75 ? std::pow(size_, u / 0.75 - 1) : 1;" \
  "share_ = std::pow(size_, u / 0.75 - 1);" mixed_families
bug "numbers that are sharp in a search" mixed/normal_family.h \
  "least_sigma_ = u < 0.75 ? std::pow(0.1, u / 0.75) : 0;" "least_sigma_ = 0;" mixed_families
bug "pairs of bits by the prior of the first alone" gibbs/sweep.h \
  "log_prior_ratio_of_flip(i, l, chain) +" "0 +" mixed_joint
bug "pairs of bits of which one is seen twice" gibbs/sweep.h \
  "likelihood.log_ratio_of_pair(k, l);" "likelihood.log_ratio_of_pair(k, k);" mixed_joint
bug "weights guessed where counts are the smallest" mixed/negative_binomial_family.h \
  "return std::log(x + 0.5) - offset_;" "return -std::log(x + 0.5) - offset_;" mixed_start
bug "log(1 + exp(t)) by the slope of its negative" core/cubic_table.h \
  "return -1 / (1 + std::exp(x));" "return 1 / (1 + std::exp(x));" fast_log
