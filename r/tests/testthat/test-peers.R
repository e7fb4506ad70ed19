# Beside other programs.

test_that("projection is ade4's supdist", {
  skip_if_not_installed("ade4")
  for (name in names_of_data) {
    data <- parted(name)
    fsup <- factor(ifelse(data$supplementary, "S", "A"), c("A", "S"))
    theirs <- ade4::supdist(data$all, fsup)
    map <- pcoa_map(data$old, k = 2)
    ours <- predict(map, data$new, type = "coordinates")
    expect_lt(apart_but_for_signs(map$points, theirs$coordAct[, 1:2]), 1e-9)
    signs <- sign(colSums(map$points * theirs$coordAct[, 1:2]))
    expect_lt(apart(sweep(ours, 2, signs, "*"), theirs$coordSup[, 1:2]), 1e-9)
    expect_identical(rownames(ours), rownames(theirs$coordSup))
  }
})

test_that("coordinates are ape's, with corrections too", {
  skip_if_not_installed("ape")
  for (name in names_of_data) {
    data <- parted(name)
    for (correction in c("none", "lingoes", "cailliez")) {
      theirs <- ape::pcoa(as.dist(data$old), correction = correction)
      points <- if (is.null(theirs$vectors.cor)) theirs$vectors else theirs$vectors.cor
      map <- pcoa_map(data$old, k = 3, correction = correction)
      expect_lt(apart_but_for_signs(map$points, points[, 1:3]), 1e-6)
    }
  }
})

test_that("eigenvalues are cmdscale's", {
  theirs <- cmdscale(eurodist, k = 4, eig = TRUE)
  map <- pcoa_map(eurodist, k = 4)
  expect_lt(apart(map$all_eigenvalues, theirs$eig), 1e-12)
  expect_lt(apart_but_for_signs(map$points, theirs$points), 1e-9)
  expect_identical(rownames(map$points), labels(eurodist))
})

test_that("a map file gives the same answers as the command line, to the bit", {
  folder <- new_folder()
  for (name in names_of_data) {
    data <- parted(name)
    map <- pcoa_map(data$old, k = 3)
    file <- write_map(map, file.path(folder, "map.adjoin"))
    new <- file.path(folder, "new.tsv")
    exact <- data$new
    exact[] <- sprintf("%.17g", data$new)
    utils::write.table(exact, new, sep = "\t", quote = FALSE, col.names = NA)
    for (strategy in c("project", "reconstruct", "hyperplane", "augment", "stress")) {
      out <- file.path(folder, "out.tsv")
      # Newcomers that a strategy does not apply to are a status to R and the exit code 3 to the shell.
      ours <- suppressWarnings(predict(map, data$new, strategy = strategy))
      if (all(ours$status %in% c("unique", "pair", "sphere", "not_converged"))) {
        command_line("place", file, new, "-o", out, "--strategy", strategy, "--quiet")
        theirs <- read_table(out)
        expect_identical(row.names(ours), theirs$label)
        contract <- c(
          "axis1", "axis2", "axis3", "strategy", "lambda", "objective", "residual", "status", "known", "p", "p_outside", "p_inside"
        )
        expect_identical(setdiff(contract, names(ours)), character())
        for (column in intersect(names(ours), names(theirs))) {
          expect_identical(written_as(ours[[column]], theirs[[column]]), theirs[[column]], info = paste(name, strategy, column))
        }
        array <- file.path(folder, "out.npy")
        command_line("place", file, new, "-o", array, "--strategy", strategy, "--quiet")
        expect_identical(read_npy(array), unname(as.matrix(as.data.frame(ours)[c("axis1", "axis2", "axis3")])))
      }
    }
    # And a map that the command line fitted.
    old <- file.path(folder, "old.tsv")
    exact <- data$old
    exact[] <- sprintf("%.17g", data$old)
    utils::write.table(exact, old, sep = "\t", quote = FALSE, col.names = NA)
    theirs <- file.path(folder, "theirs.adjoin")
    command_line("fit", old, "-d", "3", "-o", theirs, "--quiet")
    expect_identical(read_map(theirs)$points, map$points)
    expect_identical(predict(read_map(theirs), data$new), predict(map, data$new))
  }
})
