# Five data sets from other packages for vignettes/knowles-ghahramani.Rmd.

#' Columns are selected by wavelength or gene, or thinned, before any model is fitted
sets <- list(
  colon = function() {
    held <- new.env()
    data("Colon", package = "plsgenomics", envir = held)
    x <- held$Colon$X
    log(x[, order(-apply(log(x), 2, var))[1:100]])
  },
  gasoline = function() {
    held <- new.env()
    data("gasoline", package = "pls", envir = held)
    unclass(held$gasoline$NIR)[, seq(1, 401, by = 10)]
  },
  holzinger = function() {
    held <- new.env()
    data("HolzingerSwineford1939", package = "lavaan", envir = held)
    as.matrix(held$HolzingerSwineford1939[paste0("x", 1:9)])
  },
  olive = function() {
    held <- new.env()
    data("olive", package = "IMIFA", envir = held)
    as.matrix(held$olive[-(1:2)])
  },
  boston = function() as.matrix(MASS::Boston)
)
