# Bugs of mixed columns. Read by planted.sh.

mixed=mixed/mixed.h
bug "Polya-Gamma sums of one term" core/polya_gamma_sum.h \
  "const double weight = 1 / (2" "const double weight = 1 / (4" mixed_families
bug "a Polya-Gamma tail that is its mean" core/polya_gamma_sum.h \
  "return sum + gamma(b_ * mean * mean / variance, rng) * variance / mean;" \
  "return sum + b_ * mean + 0 * variance;" mixed_families
bug "a normal between ends from the wrong side" core/normal_between.h \
  "if (b <= 0) return -draw_normal_between(-b, -a, rng);" \
  "if (b <= 0) return -draw_normal_between(-b, -a, rng) - 0.01;" mixed_families
bug "Polya-Gamma variables of two values at log odds 0" mixed/binomial_family.h \
  "PolyaGamma(*eta).draw(rng)" "PolyaGamma(0 * *eta).draw(rng)" mixed_families
bug "counts without what their offset moves" mixed/negative_binomial_family.h \
  "0.5 * (x - size_) - omega * (offset_ - std::log(size_));" \
  "0.5 * (x - size_) + omega * std::log(size_);" mixed_families
bug "Polya-Gamma variables of counts without their size" mixed/negative_binomial_family.h \
  "PolyaGammaSum(x + size_, log_odds(*eta)).draw(rng)" \
  "PolyaGammaSum(x + 1, log_odds(*eta)).draw(rng)" mixed_families
bug "the size of counts without its prior" mixed/negative_binomial_family.h \
  "return log_prior_of_log(std::log(size)) + other.log_lik(seen);" \
  "return other.log_lik(seen);" mixed_families
bug "gaps of cut points without their Jacobian" mixed/ordinal_family.h \
  "return std::log(other) + moved(" "return moved(" mixed_families
bug "a gap that leaves the cut points above it" mixed/ordinal_family.h \
  "for (std::size_t c = from; c < cuts_.size(); ++c) other.cuts_[c] += by;" \
  "if (from < static_cast<int>(cuts_.size())) other.cuts_[from] += by;" mixed_joint
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
  "{scales_.a.value, scales_.b.value, scales_.bias}" \
  "{scales_.a.value, scales_.a.value, scales_.bias}" mixed_joint
bug "parameters of families that stay" $mixed \
  "families_[j]->update(data_->column(j, eta), rng);" \
  "families_[j]->update(data_->column(j, 0 * eta), rng);" mixed_joint
