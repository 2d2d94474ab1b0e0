# shellcheck shell=bash
# The bugs of mixed columns; read by planted.sh.

at core/polya_gamma.h mixed_families
bug "Polya-Gamma sums with one term" "const double weight = 1 / (2" "const double weight = 1 / (4"
bug "Polya-Gamma sums without their tail" \
  "return sum + gamma(b_ * mean * mean / variance, rng) * variance / mean;" \
  "return sum + 0 * variance;"

at core/normal_between.h mixed_families
bug "a truncated normal slightly below its interval" \
  "if (b <= 0) return -draw_normal_between(-b, -a, rng);" \
  "if (b <= 0) return -draw_normal_between(-b, -a, rng) - 0.01;"
bug "products of probabilities that lose earlier factors" "sum_ += std::log(product_);" ""

at mixed/binomial_family.h mixed_families
bug "Polya-Gamma variables of two values at log odds 0" "PolyaGamma(*eta).draw(rng)" \
  "PolyaGamma(0 * *eta).draw(rng)"
bug "a binomial that stays softened after the search" \
  "share_ = u < 0.75 ? std::pow(size_, u / 0.75 - 1) : 1;" \
  "share_ = std::pow(size_, u / 0.75 - 1);"

at mixed/negative_binomial_family.h mixed_families
bug "counts without the shift of their offset" "omega * soft_log_odds(0);" \
  "omega * (soft_log_odds(0) - offset_);"
bug "Polya-Gamma variables of counts without their size" \
  "return {x + soft_size_, soft_log_odds(eta)};" "return {x + 1, soft_log_odds(eta)};"
bug "the size of counts without its prior" "double sum = log_prior_of_log(std::log(size));" \
  "double sum = 0;"
bug "information of counts without their size" "*to.omega = soft_size_ * share;" \
  "*to.omega = share;"
at mixed/negative_binomial_family.h mixed_start
bug "weights initialised where counts are smallest" "return std::log(x + 0.5) - offset_;" \
  "return -std::log(x + 0.5) - offset_;"

at mixed/ordinal_family.h mixed_families
bug "gaps of cut points without their Jacobian" \
  "return std::log(other) - other / scale_ + log_lik_moved(" \
  "return -other / scale_ + log_lik_moved("
bug "cut points whose lower bounds are not updated" "cut(c - 1) + (c > from ? by : 0)" "cut(c - 1)"
bug "ordered categories off by one cut point" \
  "*eta + draw_normal_between(cut(c - 1) - *eta, cut(c) - *eta, rng);" \
  "*eta + draw_normal_between(cut(c - 1), cut(c), rng);"
at mixed/ordinal_family.h mixed_joint
bug "a gap that does not move the cut points above it" \
  "for (std::size_t c = from; c < cuts_.size(); ++c) cuts_[c] += by;" \
  "if (from < parameters()) cuts_[from] += by;"

at mixed/categorical_family.h mixed_families
bug "categories without the lower half of their utilities" \
  "static constexpr double least_node = -6.5" "static constexpr double least_node = 0"
bug "the largest utility drawn without the others" \
  "if (std::log(rng.uniform()) <= log_share(t)) return t;" "return t;"
bug "utilities that may exceed the utility of the observed category" \
  "c == chosen ? most : most - draw_nonnegative_normal(most - eta[c], 1, rng);" \
  "c == chosen ? most : eta[c] + rng.normal();"

at mixed/normal_family.h mixed_families
bug "noise of a column from half of its entries" "prior_.shape + 0.5 * double(seen.x.size())" \
  "prior_.shape + 0.25 * double(seen.x.size())"
bug "numbers whose noise is not increased during a search" \
  "least_sigma_ = u < 0.75 ? std::pow(0.1, u / 0.75) : 0;" \
  "least_sigma_ = 0;"

at mixed/mixed.h mixed_joint
bug "entries of one row instead of another" \
  "Eigen::Index{i} * data_->predictors() + data_->first(j)" "Eigen::Index{i} * data_->predictors()"
bug "biases with the prior of weights" "return {scales_.a.value, scales_.b.value, scales_.bias};" \
  "return {scales_.a.value, scales_.a.value, scales_.bias};"
bug "parameters of families that are never updated" \
  "families_[j]->update(data_->column(j, eta), rng);" \
  "families_[j]->update(data_->column(j, 0 * eta), rng);"
bug "levels of categories without their size" \
  "sigma / std::sqrt(double(weights.size())) * rng.normal();" "sigma * rng.normal();"
bug "stretched weights without their Jacobian" "double(w.size()) * u -" "-"
bug "stretched weights without their prior" "excess * scales_.a.value * w.squaredNorm()" "0"
bug "stretched biases without their prior and Jacobian" "if (scales_.bias) log_ratio +=" \
  "if (false) log_ratio +="
bug "predictors stretched without regard to the entries" "log_ratio += family->log_lik(seen);" \
  "log_ratio += families_[j]->log_lik(data_->column(j, predictors(z)));"

at mixed/ordinal_family.h mixed_joint
bug "stretched cut points without their Jacobian" "return log_prior() - before +" \
  "return log_prior() - before + 0 *"
bug "stretched cut points without their prior" "return log_prior() - before +" "return"

at mixed/row_given_weights.h mixed_joint
bug "bits from outdated regressions of columns" \
  "slope_ -= omega_.cwiseProduct(there_eta_ - eta_);" ""
bug "counts not updated after flips of bits" \
  "return slope_.dot(w) - 0.5 * omega_.dot(w.cwiseAbs2()) + there_ - here_;" \
  "return slope_.dot(w) - 0.5 * omega_.dot(w.cwiseAbs2());"

at mixed/least_squares.h mixed_joint
bug "least squares that are always accepted" "return std::log(rng.uniform()) < log_accept(c);" \
  "return log_accept(c) < INFINITY;"

at gibbs/sweep.h mixed_joint
bug "pairs of bits with the prior of only the first" "log_prior_ratio_of_flip(i, l, chain) +" "0 +"
bug "pairs of bits in which one is counted twice" "likelihood.log_ratio_of_pair(k, l);" \
  "likelihood.log_ratio_of_pair(k, k);"

at core/cubic_table.h fast_log
bug "log(1 + exp(t)) with the slope of its negative" "return -1 / (1 + std::exp(x));" \
  "return 1 / (1 + std::exp(x));"
