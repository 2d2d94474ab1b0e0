# Writes the real data sets in the format of compare.cpp. The arguments are their folder and the
# output folder. The hidden entries do not depend on the session, because seeds are fixed.
arguments <- commandArgs(trailingOnly = TRUE)
suppressPackageStartupMessages(library(Matrix))

load_from <- function(name) {
  found <- new.env()
  load(file.path(arguments[1], paste0(name, ".rda")), found)
  get(name, found)
}

#' Rows and columns from 1; a matrix with one observation per row
write_problem <- function(x, rows, columns, name) {
  file <- file(file.path(arguments[2], paste0(name, ".bin")), "wb")
  on.exit(close(file))
  writeBin(c(dim(x), length(columns), length(rows)), file)
  writeBin(as.integer(c(columns, rows) - 1), file)
  writeBin(as.vector(t(x)), file)
}

# Half of the images of each person lack their lower half; pixels are stored row by row.
set.seed(1)
olivetti <- load_from("olivetti")
faces <- as.matrix(olivetti)
people <- split(seq_len(nrow(faces)), attr(olivetti, "subject"))
half <- sort(unlist(lapply(people, function(i) sample(i, length(i) / 2))))
write_problem(faces, half, seq(ncol(faces) / 2 + 1, ncol(faces)), "faces")

# Rated or not, films in random order; a quarter of the users are hidden in the second half.
set.seed(2)
rated <- as.matrix(load_from("movielens") != 0) + 0
rated <- rated[sample(nrow(rated)), ]
last <- seq(ceiling(nrow(rated) / 2) + 1, nrow(rated))
write_problem(rated, last, sort(sample(ncol(rated), round(ncol(rated) / 4))), "films")

# Four hundred seconds of synthesised piano: one to four notes of a melody and its chords at a time,
# each with six decaying harmonics. Square roots of the magnitudes of 10,000 spectra of 40 ms.
# Entries are hidden as in the films.
set.seed(3)
rate <- 8000
frame <- 320

#' The sound of a key, by its MIDI number
play <- function(key, loudness, seconds = 2) {
  t <- seq_len(seconds * rate) / rate
  pitch <- 440 * 2^((key - 69) / 12)
  harmonics <- seq_len(min(6, floor(rate / 2 / pitch)))
  waves <- sin(2 * pi * outer(t, harmonics * pitch)) * exp(-outer(t, 1 + harmonics))
  loudness * drop(waves %*% (1 / harmonics))
}

sound <- numeric((10000 + 100) * frame)
beats <- seq(0, 10000 * frame - 2 * rate, by = rate / 4)
scale <- c(0, 2, 4, 5, 7, 9, 11)
keys <- 48 + sort(outer(scale, 12 * 0:2, "+"))
place <- 10
for (beat in beats) {
  place <- min(max(place + sample(-2:2, 1), 1), length(keys))
  chord <- unique(pmax(place - sample(c(0, 2, 4, 7), sample(4, 1)), 1))
  for (key in keys[chord]) {
    note <- play(key, runif(1, 0.3, 1))
    at <- beat + seq_along(note)
    sound[at] <- sound[at] + note
  }
}
sound <- sound[seq_len(10000 * frame)] + rnorm(10000 * frame, 0, 0.01)
frames <- matrix(sound, frame) * (1 - cos(2 * pi * seq_len(frame) / frame))
spectra <- sqrt(t(Mod(mvfft(frames))[seq_len(frame / 2 + 1), ]))
spectra <- spectra[sample(nrow(spectra)), ]
last <- seq(nrow(spectra) / 2 + 1, nrow(spectra))
write_problem(spectra, last, sort(sample(ncol(spectra), round(ncol(spectra) / 4))), "piano")
