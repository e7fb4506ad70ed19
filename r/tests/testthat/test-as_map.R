# What people already have.

expect_same_ordination <- function(map, points, data, tolerance = 1e-9) {
  k <- ncol(map$points)
  expect_lt(apart(map$points, points[, seq_len(k), drop = FALSE]), tolerance)
  expect_identical(rownames(map$points), rownames(data$old))
  expect_false(map$given)
  # Newcomers are placed as on a map that was fitted here, the other way round where the ordination is.
  plain <- pcoa_map(data$old, k = k, correction = map$correction)
  signs <- sign(colSums(plain$points * map$points))
  for (strategy in c("project", "reconstruct")) {
    ours <- predict(map, data$new, strategy)
    straight <- predict(plain, data$new, strategy)
    axes <- paste0("axis", seq_len(k))
    expect_lt(apart(as.data.frame(ours)[axes], sweep(as.matrix(as.data.frame(straight)[axes]), 2, signs, "*")), 1e-6)
    expect_equal(ours$p, straight$p)
  }
}

test_that("cmdscale with x needs no distances", {
  for (name in names_of_data) {
    data <- parted(name)
    theirs <- cmdscale(as.dist(data$old), k = 3, eig = TRUE, x.ret = TRUE)
    expect_same_ordination(as_map(theirs), theirs$points, data)
    expect_same_ordination(as_map(theirs[c("points", "GOF")], d = as.dist(data$old)), theirs$points, data)
  }
  added <- cmdscale(as.dist(data$old), eig = TRUE, x.ret = TRUE, add = TRUE)
  map <- as_map(added)
  expect_identical(map$correction, "cailliez")
  expect_equal(map$constant, added$ac, tolerance = 1e-6)
  expect_same_ordination(map, added$points, data, 1e-6)
  expect_error(as_map(cmdscale(eurodist, eig = TRUE)), "without x", class = "adjoin_error")
  expect_error(as_map(cmdscale(eurodist)), "coordinates alone", class = "adjoin_error")
})

test_that("wcmdscale, dbrda and capscale of vegan", {
  skip_if_not_installed("vegan")
  for (name in names_of_data) {
    data <- parted(name)
    d <- as.dist(data$old)
    theirs <- vegan::wcmdscale(d, eig = TRUE)
    expect_same_ordination(as_map(theirs), theirs$points, data, 1e-6)
    theirs <- vegan::wcmdscale(d, k = 2, x.ret = TRUE)
    expect_same_ordination(as_map(theirs), theirs$points, data)
    expect_error(as_map(vegan::wcmdscale(d, k = 2, eig = TRUE)), "without some of its axes", class = "adjoin_error")
    expect_same_ordination(as_map(vegan::wcmdscale(d, k = 2, eig = TRUE), d = d), theirs$points, data)
    for (ordination in list(vegan::dbrda(d ~ 1), vegan::capscale(d ~ 1))) {
      map <- as_map(ordination, k = 3)
      sites <- vegan::scores(ordination, display = "sites", choices = 1:3, scaling = "sites")
      factor <- sqrt(sum(map$points^2) / sum(sites^2))
      expect_same_ordination(map, sites * factor, data, 1e-6)
    }
  }
  expect_error(as_map(vegan::wcmdscale(d, eig = TRUE, w = as.numeric(seq_along(labels(d))))), "weights that differ", class = "adjoin_error")
  corrected <- vegan::wcmdscale(d, eig = TRUE, add = "lingoes")
  expect_same_ordination(as_map(corrected), corrected$points, data, 1e-6)
  corrected <- as_map(vegan::dbrda(d ~ 1, add = "cailliez"))
  expect_identical(corrected$correction, "cailliez")
  # Square roots of distances: newcomers come by the distances.
  roots <- as_map(vegan::dbrda(d ~ 1, sqrt.dist = TRUE))
  expect_identical(roots$kind, "squared")
  plain <- pcoa_map(sqrt(data$old))
  signs <- sign(colSums(plain$points * roots$points))
  expect_lt(apart(predict(roots, data$new, type = "coordinates"), sweep(predict(plain, sqrt(data$new), type = "coordinates"), 2, signs, "*")), 1e-9)
  env <- new.env()
  utils::data("dune.env", package = "vegan", envir = env)
  constrained <- vegan::dbrda(everybody("dune") ~ A1, data = env$dune.env)
  expect_error(as_map(constrained), "with constraints", class = "adjoin_error")
  expect_error(as_map(vegan::rda(iris[, 1:4])), "an object of class rda", class = "adjoin_error")
})

test_that("pcoa of ape", {
  skip_if_not_installed("ape")
  data <- parted("dune")
  d <- as.dist(data$old)
  theirs <- ape::pcoa(d)
  expect_same_ordination(as_map(theirs, d = d), theirs$vectors, data)
  expect_error(as_map(theirs), "negative eigenvalues", class = "adjoin_error")
  for (correction in c("lingoes", "cailliez")) {
    theirs <- ape::pcoa(d, correction = correction)
    expect_same_ordination(as_map(theirs, d = d, k = 3), theirs$vectors.cor, data, 1e-6)
  }
  flat <- ape::pcoa(dist(iris[1:30, 1:4]))
  expect_equal(as_map(flat)$points, flat$vectors[, 1:2], ignore_attr = TRUE, tolerance = 1e-9)
})

test_that("coordinates of any origin, with d", {
  data <- parted("eurodist")
  points <- cmdscale(as.dist(data$old))
  turned <- points %*% matrix(c(cos(1), sin(1), -sin(1), cos(1)), 2) + 100
  map <- as_map(turned, d = data$old)
  expect_true(map$given)
  expect_identical(unname(map$points), unname(turned))
  placed <- predict(map, data$new, type = "coordinates")
  plain <- predict(as_map(cmdscale(as.dist(data$old), eig = TRUE, x.ret = TRUE)), data$new, type = "coordinates")
  expect_lt(apart(placed, plain %*% matrix(c(cos(1), sin(1), -sin(1), cos(1)), 2) + 100), 1e-9)
  # Rows are matched by name.
  expect_identical(as_map(turned[rev(rownames(turned)), ], d = data$old)$points, map$points)
  expect_identical(as_map(as.data.frame(turned), d = data$old)$points, map$points)
  expect_error(as_map(turned[-1, ], d = data$old), "no coordinates for \"Athens\"", class = "adjoin_error")
  # Another scale is refused, or brought to the right one.
  expect_error(as_map(turned / 1000, d = data$old), "another scale", class = "adjoin_error")
  expect_lt(apart(as_map(turned / 1000, d = data$old, rescale = TRUE)$points, turned), 1e-3)
})

test_that("axes of equal eigenvalues are taken as they are", {
  corners <- as.matrix(expand.grid(c(-1, 1), c(-1, 1)))
  rownames(corners) <- letters[1:4]
  d <- dist(corners)
  turned <- corners %*% matrix(c(cos(1), sin(1), -sin(1), cos(1)), 2)
  map <- as_map(list(points = turned, GOF = c(1, 1)), d = d)
  expect_identical(unname(map$points), unname(turned))
  expect_true(map$given)
})

test_that("non-metric scalings of vegan and MASS", {
  skip_if_not_installed("vegan")
  skip_if_not_installed("MASS")
  data <- parted("varespec")
  d <- as.dist(data$old)
  set.seed(1)
  for (theirs in list(vegan::metaMDS(d, trace = 0), MASS::isoMDS(d, trace = FALSE))) {
    map <- as_map(theirs, d = d)
    expect_identical(unname(map$points), unname(theirs$points[, ]), ignore_attr = TRUE)
    expect_identical(map$strategy, "stress")
    placed <- predict(map, data$new)
    expect_identical(unique(placed$strategy), "stress")
    expect_identical(row.names(placed), rownames(data$new))
    expect_type(predict(map, data$new, prove = TRUE)$certified, "logical")
    expect_error(as_map(theirs), "alone", class = "adjoin_error")
    left_out <- leave_one_out(map)
    expect_identical(row.names(left_out), rownames(data$old))
  }
})
