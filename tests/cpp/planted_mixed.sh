# shellcheck shell=bash
# Bugs of mixed columns. Read by planted.sh.

at core/polya_gamma.h mixed_families
bug "Polya-Gamma sums of one term" "const double weight = 1 / (2" "const double weight = 1 / (4"
bug "Polya-Gamma sums without their tail" \
  "return sum + gamma(b_ * mean * mean / variance, rng) * variance / mean;" \
  "return sum + 0 * variance;"

at core/normal_between.h mixed_families
bug "a normal between ends from the wrong side" \
  "if (b <= 0) return -draw_normal_between(-b, -a, rng);" \
  "if (b <= 0) return -draw_normal_between(-b, -a, rng) - 0.01;"
bug "products of probabilities that forget what they were" "sum_ += std::log(product_);" ""

at mixed/binomial_family.h mixed_families
bug "Polya-Gamma variables of two values at log odds 0" "PolyaGamma(*eta).draw(rng)" \
  "PolyaGamma(0 * *eta).draw(rng)"
bug "a binomial that stays soft" "share_ = u < 0.75 ? std::pow(size_, u / 0.75 - 1) : 1;" \
  "share_ = std::pow(size_, u / 0.75 - 1);"

at mixed/negative_binomial_family.h mixed_families
bug "counts without what their offset moves" "omega * soft_log_odds(0);" \
  "omega * (soft_log_odds(0) - offset_);"
bug "Polya-Gamma variables of counts without their size" \
  "return {x + soft_size_, soft_log_odds(eta)};" "return {x + 1, soft_log_odds(eta)};"
bug "the size of counts without its prior" "double sum = log_prior_of_log(std::log(size));" \
  "double sum = 0;"
bug "information of counts without their size" "*to.omega = soft_size_ * share;" \
  "*to.omega = share;"
at mixed/negative_binomial_family.h mixed_start
bug "weights guessed where counts are the smallest" "return std::log(x + 0.5) - offset_;" \
  "return -std::log(x + 0.5) - offset_;"

at mixed/ordinal_family.h mixed_families
bug "gaps of cut points without their Jacobian" "return std::log(other) - other / scale_ + log_lik_moved(" \
  "return -other / scale_ + log_lik_moved("
bug "cut points whose lower ends stay" "cut(c - 1) + (c > from ? by : 0)" "cut(c - 1)"
bug "ordered categories one cut point off" \
  "*eta + draw_normal_between(cut(c - 1) - *eta, cut(c) - *eta, rng);" \
  "*eta + draw_normal_between(cut(c - 1), cut(c), rng);"
at mixed/ordinal_family.h mixed_joint
bug "a gap that leaves the cut points above it" \
  "for (std::size_t c = from; c < cuts_.size(); ++c) cuts_[c] += by;" \
  "if (from < parameters()) cuts_[from] += by;"

at mixed/categorical_family.h mixed_families
bug "categories without the lower half of their utilities" \
  "static constexpr double least_node = -6.5" "static constexpr double least_node = 0"
bug "the largest utility without the others" \
  "if (std::log(rng.uniform()) <= log_share(t)) return t;" "return t;"
bug "utilities that may be larger than that chosen" \
  "c == chosen ? most : most - draw_nonnegative_normal(most - eta[c], 1, rng);" \
  "c == chosen ? most : eta[c] + rng.normal();"

at mixed/normal_family.h mixed_families
bug "noise of a column with half of its entries" "prior_.shape + 0.5 * double(seen.x.size())" \
  "prior_.shape + 0.25 * double(seen.x.size())"
bug "numbers that are sharp in a search" "least_sigma_ = u < 0.75 ? std::pow(0.1, u / 0.75) : 0;" \
  "least_sigma_ = 0;"

at mixed/mixed.h mixed_joint
bug "entries of a row in the place of another's" \
  "Eigen::Index{i} * data_->predictors() + data_->first(j)" "Eigen::Index{i} * data_->predictors()"
bug "biases with the prior of weights" "return {scales_.a.value, scales_.b.value, scales_.bias};" \
  "return {scales_.a.value, scales_.a.value, scales_.bias};"
bug "parameters of families that stay" "families_[j]->update(data_->column(j, eta), rng);" \
  "families_[j]->update(data_->column(j, 0 * eta), rng);"
bug "levels of categories without their size" \
  "sigma / std::sqrt(double(weights.size())) * rng.normal();" "sigma * rng.normal();"
bug "stretched weights without their Jacobian" "double(w.size()) * u -" "-"
bug "stretched weights without their prior" "excess * scales_.a.value * w.squaredNorm()" "0"
bug "stretched biases without their prior and Jacobian" "if (scales_.bias) log_ratio +=" \
  "if (false) log_ratio +="
bug "predictors stretched whatever the entries" "log_ratio += family->log_lik(seen);" \
  "log_ratio += families_[j]->log_lik(data_->column(j, predictors(z)));"

at mixed/ordinal_family.h mixed_joint
bug "stretched cut points without their Jacobian" "return log_prior() - before +" \
  "return log_prior() - before + 0 *"
bug "stretched cut points without their prior" "return log_prior() - before +" "return"

at mixed/row_given_weights.h mixed_joint
bug "bits by what columns were regressed on before they changed" \
  "slope_ -= omega_.cwiseProduct(there_eta_ - eta_);" ""
bug "bits that counts do not see" \
  "return slope_.dot(w) - 0.5 * omega_.dot(w.cwiseAbs2()) + there_ - here_;" \
  "return slope_.dot(w) - 0.5 * omega_.dot(w.cwiseAbs2());"

at mixed/least_squares.h mixed_joint
bug "least squares that are always accepted" "return std::log(rng.uniform()) < log_accept(c);" \
  "return log_accept(c) < INFINITY;"

at gibbs/sweep.h mixed_joint
bug "pairs of bits by the prior of the first alone" "log_prior_ratio_of_flip(i, l, chain) +" "0 +"
bug "pairs of bits of which one is seen twice" "likelihood.log_ratio_of_pair(k, l);" \
  "likelihood.log_ratio_of_pair(k, k);"

at core/cubic_table.h fast_log
bug "log(1 + exp(t)) by the slope of its negative" "return -1 / (1 + std::exp(x));" \
  "return 1 / (1 + std::exp(x));"
