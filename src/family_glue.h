#pragma once

#include "glue.h"
#include "mixed/binomial_family.h"
#include "mixed/categorical_family.h"
#include "mixed/negative_binomial_family.h"
#include "mixed/normal_family.h"
#include "mixed/ordinal_family.h"

namespace buffet {

/// list(family, ...), as created by core_families() in R.
inline AnyFamily as_family(const Rcpp::List& x) {
  const std::string name = x["family"];
  if (name == "normal") return family<NormalFamily>(as_hyper(x["precision"]));
  const auto at_least = [&](int least, const char* part) {
    const int number = x[part];
    check_fit(number >= least, part);
    return number;
  };
  if (name == "binomial") return family<BinomialFamily>(at_least(1, "size"));
  if (name == "negative_binomial")
    return family<NegativeBinomialFamily>(Rcpp::as<double>(x["offset"]));
  if (name == "poisson")
    return family<NegativeBinomialFamily>(Rcpp::as<double>(x["offset"]),
                                          Rcpp::as<double>(x["size"]));
  if (name == "ordinal")
    return family<OrdinalFamily>(at_least(2, "categories"), Rcpp::as<bool>(x["anchored"]),
                                 Rcpp::as<double>(x["scale"]));
  if (name == "categorical") return family<CategoricalFamily>(at_least(1, "categories"));
  Rcpp::stop("unknown family: %s", name);
}

}  // namespace buffet
