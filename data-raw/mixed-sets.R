# Six data frames with mixed columns for data-raw/mixed-comparisons.R. Two of them are not in
# packages: BUFFET_DATA names the folder that contains prostate.rda and counties.rda. Of the 3141
# counties, a random 1000 are used, because sweeps of fit_mixed() are slow with the 51 states as
# categories.

#' Data frames whose columns have suitable classes, without identifiers and with NA for unknown
#' values
sets <- list(
  prostate = function() from_file("prostate"),
  counties = function() {
    x <- from_file("counties")
    set.seed(1)
    droplevels(x[sort(sample(nrow(x), 1000)), ])
  },
  german = function() {
    x <- from_package("german", "rchallenge")
    x$employment_duration <- as.ordered(x$employment_duration)
    x
  },
  heart = function() {
    x <- from_package("heart", "kmed")
    x$ca <- as.integer(x$ca)
    x$class <- factor(x$class, ordered = TRUE)
    x
  },
  titanic = function() {
    x <- titanic::titanic_train
    x$Embarked[x$Embarked == ""] <- NA
    data.frame(
      survived = x$Survived == 1, class = factor(x$Pclass, 3:1, ordered = TRUE),
      sex = factor(x$Sex), age = x$Age, siblings = x$SibSp, parents = x$Parch, fare = x$Fare,
      embarked = factor(x$Embarked)
    )
  },
  pbc = function() {
    x <- survival::pbc[-1]
    x$status <- factor(x$status, 0:2, c("censored", "transplant", "dead"))
    yes_no <- c("ascites", "hepato", "spiders")
    x[yes_no] <- lapply(x[yes_no], as.logical)
    x$trt <- factor(x$trt)
    x[c("edema", "stage")] <- lapply(x[c("edema", "stage")], factor, ordered = TRUE)
    x
  }
)

from_package <- function(name, package) {
  held <- new.env()
  data(list = name, package = package, envir = held)
  plain(held[[name]])
}

from_file <- function(name) {
  held <- new.env()
  load(file.path(Sys.getenv("BUFFET_DATA", "../shared/data"), paste0(name, ".rda")), held)
  plain(held[[name]])
}

#' A data frame without labels, row names or NaN
plain <- function(x) {
  known <- lapply(x, function(values) {
    if (is.numeric(values)) replace(values, is.nan(values), NA) else values
  })
  data.frame(known)
}
