# Writes the real data sets in the format of compare.cpp. The arguments are the input folder and the
# output folder. The hidden entries are the same in every session, because seeds are fixed.
arguments <- commandArgs(trailingOnly = TRUE)
suppressPackageStartupMessages(library(Matrix))

load_from <- function(name) {
  found <- new.env()
  load(file.path(arguments[1], paste0(name, ".rda")), found)
  get(name, found)
}

#' Writes a matrix with one observation per row; `rows` and `columns` are numbered from 1
write_problem <- function(x, rows, columns, name) {
  file <- file(file.path(arguments[2], paste0(name, ".bin")), "wb")
  on.exit(close(file))
  writeBin(c(dim(x), length(columns), length(rows)), file)
  writeBin(as.integer(c(columns, rows) - 1), file)
  writeBin(as.vector(t(x)), file)
}

# For half of the images of each person, the lower half is hidden. Pixels are stored in row order.
set.seed(1)
olivetti <- load_from("olivetti")
faces <- as.matrix(olivetti)
people <- split(seq_len(nrow(faces)), attr(olivetti, "subject"))
half <- sort(unlist(lapply(people, function(i) sample(i, length(i) / 2))))
write_problem(faces, half, seq(ncol(faces) / 2 + 1, ncol(faces)), "faces")

# The data are whether films were rated, with films in random order. For a quarter of the users, the
# second half is hidden.
set.seed(2)
rated <- as.matrix(load_from("movielens") != 0) + 0
rated <- rated[sample(nrow(rated)), ]
last <- seq(ceiling(nrow(rated) / 2) + 1, nrow(rated))
write_problem(rated, last, sort(sample(ncol(rated), round(ncol(rated) / 4))), "films")

# Four hundred seconds of synthesised piano. One to four notes of a melody and its chords sound at a
# time, each with six decaying harmonics. The data are square roots of the magnitudes of 10,000
# spectra of 40 ms. Entries are hidden as for the films.
set.seed(3)
rate <- 8000
frame <- 320

#' The sound of a key, given by its MIDI number
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
