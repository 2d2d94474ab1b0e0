# Writes README.md from README.Rmd, with its figures in man/figures. Vignettes become links to their
# sources, because GitHub does not build them. tools/site.R replaces these links by links to the
# articles.

rmarkdown::render("README.Rmd", rmarkdown::md_document(variant = "gfm"), quiet = TRUE)
lines <- readLines("README.md", encoding = "UTF-8")
lines <- gsub("(`vignette\\(\"([a-z-]+)\"\\)`)", "[\\1](vignettes/\\2.Rmd)", lines)
writeLines(lines, "README.md", useBytes = TRUE)
