# Rumelhart & Greeno (1971), Journal of Mathematical Psychology 8, 370-381. For every pair of nine
# celebrities, 234 students chose one. A count is how often the row was chosen over the column.
items <- c("LBJ", "HW", "CDG", "JU", "CY", "AJF", "BB", "ET", "SL")
celebrities <- matrix(
  c(
    0, 159, 163, 175, 183, 179, 173, 160, 142,
    75, 0, 138, 164, 172, 160, 156, 122, 122,
    71, 96, 0, 145, 157, 138, 140, 122, 120,
    59, 70, 89, 0, 176, 115, 124, 86, 61,
    51, 62, 77, 58, 0, 77, 95, 72, 61,
    55, 74, 96, 119, 157, 0, 134, 92, 71,
    61, 78, 94, 110, 139, 100, 0, 67, 48,
    74, 112, 112, 148, 162, 142, 167, 0, 87,
    92, 112, 114, 173, 173, 163, 186, 147, 0
  ),
  9,
  byrow = TRUE, dimnames = list(items, items)
)

# Three professions under a common root (Miller, Griffiths & Jordan 2008, figure 2). The edge
# lengths are unknown.
celebrity_tree <- structure(
  list(
    edge = cbind(c(10, 11, 11, 11, 10, 12, 12, 12, 10, 13, 13, 13), c(11, 1:3, 12, 4:6, 13, 7:9)),
    edge.length = rep(0.5, 12), Nnode = 4L, tip.label = items,
    node.label = c("", "politicians", "athletes", "film stars")
  ),
  class = "phylo", order = "cladewise"
)
storage.mode(celebrity_tree$edge) <- "integer"

save(celebrities, file = "data/celebrities.rda", version = 2)
save(celebrity_tree, file = "data/celebrity_tree.rda", version = 2)
