# Writes README.md of README.Rmd, with its pictures in man/figures.

rmarkdown::render("README.Rmd", rmarkdown::md_document(variant = "gfm"), quiet = TRUE)
