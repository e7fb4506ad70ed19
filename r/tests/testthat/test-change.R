# Maps from maps.

test_that("newcomers become members, and nobody moves", {
  data <- parted("dune")
  map <- pcoa_map(data$old, k = 3)
  placed <- predict(map, data$new, "reconstruct")
  grown <- grow(map, data$new, "reconstruct")
  expect_identical(grown$points[rownames(map$points), ], map$points)
  expect_identical(grown$points[rownames(data$new), ], predict(map, data$new, "reconstruct", type = "coordinates"))
  expect_identical(grown$generations$count, nrow(data$new))
  expect_identical(grown$founders, nrow(data$old))
  expect_output(print(grown), "15 founders, 5 more by reconstruct")
  expect_identical(generation(grown)$points, map$points)
  # Whoever comes now is compared with everybody, or with the founders.
  later <- as.matrix(data$all)[1, , drop = FALSE] + 0.01
  rownames(later) <- "later"
  expect_identical(predict(grown, later)$known, 20L)
  expect_message(then <- predict(grown, later[, rownames(data$old), drop = FALSE]), "generation 0 of 1", class = "adjoin_message")
  expect_identical(as.data.frame(then), as.data.frame(predict(map, later[, rownames(data$old), drop = FALSE])))
  expect_identical(as.data.frame(predict(grown, later, generation = 0)), as.data.frame(then))
  # Kept in a file.
  expect_identical(read_map(write_map(grown, tempfile(fileext = ".adjoin")))$points, grown$points)
  # Together.
  expect_true(grow(map, data$all, between = TRUE)$generations$jointly)
})

test_that("growing that cannot be", {
  data <- parted("dune")
  map <- pcoa_map(data$old)
  grown <- grow(map, data$new)
  everybody <- as.matrix(data$all)
  expect_error(grow(grown, everybody[1:2, ]), class = "adjoin_error")
  expect_error(grow(map, rbind(data$new[1, , drop = FALSE], nobody = NA)), "nobody.*without a place", class = "adjoin_error")
  expect_error(generation(grown, 2), "^generation: ", class = "adjoin_error")
  expect_error(generation(grown, -1), "generation: found -1", class = "adjoin_error")
  expect_error(predict(map, data$new, generation = 1), "^generation: ", class = "adjoin_error")
})

test_that("members without names are counted", {
  bare <- unname(as.matrix(eurodist))
  map <- pcoa_map(bare[1:18, 1:18])
  grown <- grow(map, bare[19:21, 1:18])
  expect_identical(nrow(grown$points), 21L)
  expect_identical(unname(grow(grown, bare[1, 1:21, drop = FALSE] + 1)$generations$count), c(3L, 1L))
})

test_that("everybody anew, turned onto the old map", {
  data <- parted("varespec")
  map <- pcoa_map(data$old)
  anew <- refit(map, data$all)
  plain <- pcoa_map(data$all)
  expect_identical(sort(rownames(anew$points)), sort(labels(data$all)))
  expect_equal(dist(anew$points), dist(plain$points), ignore_attr = TRUE, tolerance = 1e-9)
  moved <- attr(anew, "refit")
  expect_identical(nrow(moved$moved), nrow(data$old))
  far <- sqrt(rowSums((anew$points[rownames(map$points), ] - map$points)^2))
  expect_equal(moved$moved$moved, sort(unname(far), decreasing = TRUE), tolerance = 1e-9)
  expect_identical(moved$moved$label[[1]], names(which.max(far)))
  expect_output(print(anew), "fitted anew: the 18 founders")
  # vegan's own Procrustes says the same.
  skip_if_not_installed("vegan")
  theirs <- vegan::procrustes(map$points, plain$points[rownames(map$points), ], scale = FALSE)
  expect_equal(moved$root_mean_square, sqrt(theirs$ss / nrow(map$points)), tolerance = 1e-8)
  expect_identical(attr(refit(map, data$old), "refit")$procrustes < 1e-12, TRUE)
  expect_error(refit(map, data$new), "^d: ", class = "adjoin_error")
})
