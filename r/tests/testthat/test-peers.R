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
  inside <- function(name) file.path(folder, name)
  for (name in names_of_data) {
    data <- parted(name)
    map <- pcoa_map(data$old, k = 3)
    file <- write_map(map, inside("map.adjoin"))
    new <- write_exactly(data$new, inside("new.tsv"))
    for (strategy in c("project", "reconstruct", "hyperplane", "augment", "stress")) {
      # Newcomers that a strategy does not apply to are a status to R and the exit code 3 to the shell.
      ours <- suppressWarnings(predict(map, data$new, strategy = strategy))
      if (all(ours$status %in% c("unique", "pair", "sphere", "not_converged"))) {
        command_line("place", file, new, "-o", inside("out.tsv"), "--strategy", strategy, "--quiet")
        theirs <- read_table(inside("out.tsv"))
        expect_identical(row.names(ours), theirs$label)
        expect_identical(names(ours), names(theirs)[-1L])
        expect_same_table(ours, theirs, paste(name, strategy))
        command_line("place", file, new, "-o", inside("out.npy"), "--strategy", strategy, "--quiet")
        expect_identical(read_npy(inside("out.npy")), unname(as.matrix(as.data.frame(ours)[c("axis1", "axis2", "axis3")])))
      }
    }
    # And a map that the command line fitted.
    old <- write_exactly(data$old, inside("old.tsv"))
    command_line("fit", old, "-d", "3", "-o", inside("theirs.adjoin"), "--quiet")
    theirs <- read_map(inside("theirs.adjoin"))
    expect_identical(theirs$points, map$points)
    expect_identical(predict(theirs, data$new), predict(map, data$new))
  }
})

test_that("so do its other answers", {
  folder <- new_folder()
  inside <- function(name) file.path(folder, name)
  for (name in names_of_data) {
    data <- parted(name)
    map <- pcoa_map(data$old)
    file <- write_map(map, inside("map.adjoin"))
    old <- write_exactly(data$old, inside("old.tsv"))
    new <- write_exactly(data$new, inside("new.tsv"))
    groups <- rep(c("one", "other", "third"), length.out = nrow(data$old))
    writeLines(c("label\tgroup", paste(rownames(data$old), groups, sep = "\t")), inside("groups.tsv"))
    command_line(
      "place", file, new, "-o", inside("out.tsv"), "--strategy", "reconstruct", "--uncertainty", "--neighbours", "4", "--groups",
      inside("groups.tsv"), "--quiet"
    )
    ours <- suppressWarnings(predict(map, data$new, "reconstruct", uncertainty = "axes", neighbours = 4, groups = groups))
    theirs <- read_table(inside("out.tsv"))
    expect_identical(names(ours), names(theirs)[-1L])
    expect_same_table(ours, theirs, name)
    command_line("place", file, new, "-o", inside("out.tsv"), "--uncertainty=refit", "--old", old, "--quiet")
    ours <- suppressWarnings(predict(map, data$new, uncertainty = "refit", old = data$old))
    expect_same_table(ours, read_table(inside("out.tsv")), paste(name, "refit"))
    command_line("evaluate", file, old, "-o", inside("out.tsv"), "--folds", "4", "--repeats", "1", "--quiet")
    expect_same_table(evaluate(map, data$old, folds = 4, repeats = 1), read_table(inside("out.tsv")), paste(name, "evaluate"))
    command_line("grow", file, new, "-o", inside("grown.adjoin"), "--strategy", "reconstruct", "--quiet")
    expect_identical(read_map(inside("grown.adjoin"))$points, suppressWarnings(grow(map, data$new, "reconstruct"))$points)
    all <- write_exactly(as.matrix(data$all), inside("all.tsv"))
    command_line("refit", file, all, "-o", inside("anew.adjoin"), "--quiet")
    expect_identical(read_map(inside("anew.adjoin"))$points, refit(map, as.matrix(data$all))$points)
  }
})

test_that("a map file gives the same answers as Python, to the bit", {
  program <- c(
    "import sys, warnings",
    "import numpy, adjoin",
    "warnings.simplefilter('ignore')",
    "model, new, old, n, out = adjoin.load(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5]",
    "new, old = numpy.fromfile(new).reshape(-1, n), numpy.fromfile(old).reshape(n, n)",
    "if model.map_.named:",
    "    import pandas",
    "    names = list(model.map_.labels)",
    "    old = pandas.DataFrame(old, names, names)",
    "    new = pandas.DataFrame(new, [f'n{i}' for i in range(len(new))], names)",
    "all = []",
    "for strategy in ('project', 'reconstruct', 'hyperplane', 'augment', 'stress'):",
    "    p = model.place(new, strategy=strategy)",
    "    all += [p.coordinates.T.ravel(), p.lambda_, p.objective, p.residual, p.p, p.p_outside, p.p_inside]",
    "p = model.place(new, strategy='reconstruct', uncertainty='axes')",
    "all += [p.standard_errors.T.ravel(), p.covariance.transpose(2, 1, 0).ravel()]",
    "scores = model.evaluate(old, folds=4, repeats=1).scores",
    "all += [scores['neighbours'], scores['rank'], scores['between']]",
    "all += [model.grow(new, strategy='reconstruct').embedding_.T.ravel()]",
    "numpy.concatenate(all).astype('<f8').tofile(out)"
  )
  folder <- new_folder()
  inside <- function(name) file.path(folder, name)
  for (name in names_of_data) {
    data <- parted(name)
    map <- pcoa_map(data$old, k = 2)
    python(
      program, write_map(map, inside("map.adjoin")), write_numbers(t(data$new), inside("new")),
      write_numbers(t(data$old), inside("old")), nrow(data$old), inside("out")
    )
    ours <- numeric()
    columns <- c("axis1", "axis2", "lambda", "objective", "residual", "p", "p_outside", "p_inside")
    for (strategy in c("project", "reconstruct", "hyperplane", "augment", "stress")) {
      placed <- suppressWarnings(predict(map, data$new, strategy))
      ours <- c(ours, unlist(as.data.frame(placed)[columns]))
    }
    placed <- suppressWarnings(predict(map, data$new, "reconstruct", uncertainty = "axes"))
    scores <- evaluate(map, data$old, folds = 4, repeats = 1)
    ours <- c(
      ours, placed$se1, placed$se2, attr(placed, "covariance"), scores$neighbours, scores$rank, scores$between,
      suppressWarnings(grow(map, data$new, "reconstruct"))$points
    )
    # What is missing is one thing to R, and NaN to Python.
    theirs <- read_numbers(inside("out"))
    expect_identical(ifelse(is.na(unname(ours)), NA, unname(ours)), ifelse(is.na(theirs), NA, theirs), info = name)
  }
})
