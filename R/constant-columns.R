# Messages about columns that never vary.

tell_constant_bits <- function(y) {
  ones <- Matrix::colSums(y, na.rm = TRUE)
  observed <- nrow(y) - Matrix::colSums(is.na(y))
  constant <- which(observed > 0 & (ones == 0 | ones == observed))
  tell_constant("y", constant, y, "little of the features")
}

tell_constant_scaled <- function(model) {
  if (!is_scaled(model)) return(invisible())
  x <- model$data$x
  constant <- which(column_sds(x) == 0)
  says <- "nothing of the features, but is predicted with noise all the same"
  tell_constant("x", constant, x, says)
}

tell_constant <- function(name, constant, x, says) {
  if (length(constant) == 0) return(invisible())
  one <- length(constant) == 1
  message(sprintf(
    "`%s`: %s %s %s.", name, columns_in_words(constant, colnames(x)),
    if (one) "never varies and says" else "never vary and say",
    if (one) says else sub("but is", "but are", says)
  ))
}

# The first three of some columns, by their names or, without any, their numbers

# notes: A note on each, in brackets.
columns_in_words <- function(which, names, notes = NULL) in_words("column", which, names, notes)

in_words <- function(what, which, names, notes = NULL) {
  told <- if (is.null(names)) which else encodeString(names[which], quote = "\"")
  if (!is.null(notes)) told <- sprintf("%s (%s)", told, notes)
  told <- c(utils::head(told, 3), if (length(which) > 3) "...")
  paste0(what, if (length(which) > 1) "s", " ", paste(told, collapse = ", "))
}
