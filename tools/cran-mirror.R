# Sets a mirror for install.packages() if none is chosen; otherwise R would ask for one.
if ("@CRAN@" %in% getOption("repos")) utils::chooseCRANmirror(ind = 1, local.only = TRUE)
