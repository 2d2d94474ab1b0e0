# Writes README.md of README.Rmd, with its pictures in man/figures. Vignettes become links, to their
# sources, since GitHub makes none; tools/site.R has them lead to the articles.

rmarkdown::render("README.Rmd", rmarkdown::md_document(variant = "gfm"), quiet = TRUE)
lines <- readLines("README.md", encoding = "UTF-8")
lines <- gsub("(`vignette\\(\"([a-z-]+)\"\\)`)", "[\\1](vignettes/\\2.Rmd)", lines)
writeLines(lines, "README.md", useBytes = TRUE)
