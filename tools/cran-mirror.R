# Sets a mirror for install.packages() if none is set, because R would otherwise ask for one.
if ("@CRAN@" %in% getOption("repos")) utils::chooseCRANmirror(ind = 1, local.only = TRUE)
