# A mirror for install.packages() where none is chosen, which R would ask for.
if ("@CRAN@" %in% getOption("repos")) utils::chooseCRANmirror(ind = 1, local.only = TRUE)
