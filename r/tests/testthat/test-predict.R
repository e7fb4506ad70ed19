test_that("Vienna is where the check values say", {
  all <- as.matrix(eurodist)
  map <- pcoa_map(all[1:20, 1:20])
  expect_equal(map$eigenvalues, c(18685906, 11807824), tolerance = 1e-7)
  projected <- predict(map, all[21, 1:20])
  expect_equal(abs(c(projected$axis1, projected$axis2)), c(934.7876, 236.5335), tolerance = 1e-6)
  expect_equal(projected$lambda, 0)
  reconstructed <- predict(map, all[21, 1:20], "reconstruct")
  expect_equal(abs(c(reconstructed$axis1, reconstructed$axis2)), c(950.1146, 242.7301), tolerance = 1e-6)
  expect_equal(reconstructed$lambda, -301435.8, tolerance = 1e-6)
  expect_equal(reconstructed$objective, 606329228228, tolerance = 1e-9)
  expect_true(reconstructed$margin >= 0)
})

test_that("columns are matched by name in any order, and rows keep theirs", {
  data <- parted("eurodist")
  map <- pcoa_map(data$old)
  straight <- predict(map, data$new)
  expect_identical(predict(map, data$new[, rev(colnames(data$new))]), straight)
  expect_identical(row.names(straight), rownames(data$new))
  # Old and new together, as a dist or as a matrix, in any order.
  all <- as.matrix(data$all)
  expect_identical(predict(map, data$all), straight)
  shuffled <- c(5:21, 1:4)
  anew <- predict(map, all[shuffled, shuffled])
  expect_identical(as.data.frame(anew[row.names(straight), ]), as.data.frame(straight))
  # A newcomer is placed the same whoever comes with it.
  expect_identical(as.data.frame(predict(map, data$new[2, , drop = FALSE])), as.data.frame(straight[2, ]))
})

test_that("data frames, tibbles and factors are understood", {
  data <- parted("eurodist")
  map <- pcoa_map(data$old)
  straight <- predict(map, data$new)
  expect_identical(predict(map, as.data.frame(data$new, check.names = FALSE)), straight)
  labelled <- data.frame(city = factor(rownames(data$new)), data$new, check.names = FALSE, row.names = NULL)
  expect_identical(predict(map, labelled), straight)
  expect_identical(pcoa_map(as.data.frame(data$old))$points, map$points)
  expect_identical(pcoa_map(as.dist(data$old))$points, map$points)
  whole <- data$new
  storage.mode(whole) <- "integer"
  expect_identical(predict(map, whole), straight)
  skip_if_not_installed("tibble")
  expect_identical(predict(map, tibble::as_tibble(labelled)), straight)
})

test_that("NA is missing", {
  all <- as.matrix(eurodist)
  map <- pcoa_map(all[1:20, 1:20])
  row <- all[21, 1:20]
  row["Athens"] <- NA
  placed <- predict(map, row, "reconstruct")
  expect_identical(placed$known, 19L)
  expect_equal(abs(c(placed$axis1, placed$axis2)), c(916.2935435, 192.6717911), tolerance = 1e-8)
  # An absent column is one too, if it may be.
  expect_error(predict(map, row[-1]), class = "adjoin_error")
  expect_identical(predict(map, row[-1], "reconstruct", partial = TRUE), placed)
  two <- rbind(Vienna = all[21, 1:20], nobody = NA)
  expect_warning(some <- predict(map, two), "newcomer \"nobody\" is not placed: too few", class = "adjoin_warning")
  expect_identical(some$status, c("unique", "too_few"))
  expect_identical(some["nobody", "axis1"], NA_real_)
})

test_that("newcomers are placed jointly", {
  data <- parted("dune")
  map <- pcoa_map(data$old)
  together <- predict(map, data$all, between = TRUE)
  expect_identical(together$strategy, rep("reconstruct", nrow(data$new)))
  expect_true(all(together$certified))
  expect_length(unique(together$objective), 1L)
  expect_identical(predict(map, data$new, between = data$between), together)
  expect_identical(predict(map, data$new, between = as.dist(data$between)), together)
  expect_error(predict(map, data$new, "project", between = data$between), "strategy: found project", class = "adjoin_error")
  expect_error(predict(map, data$new, between = TRUE), "between: found nothing between the newcomers", class = "adjoin_error")
})

test_that("every place of a newcomer that has two", {
  squares <- matrix(c(0, 100, 45, 45, 100, 0, 45, 45, 45, 45, 0, 64, 45, 45, 64, 0), 4)
  map <- pcoa_map(squares, kind = "squared")
  expect_message(placed <- predict(map, matrix(c(386, 386, 457, 457), 1), "reconstruct"), NA)
  expect_identical(placed$status, "pair")
  both <- predict(map, matrix(c(386, 386, 457, 457), 1), "reconstruct", all_minimisers = TRUE)
  expect_identical(nrow(both), 2L)
  expect_equal(both$axis2, c(1, -1) * sqrt(368))
  expect_identical(both$minimiser, 1:2)
})

test_that("data come by a metric, of newcomers too", {
  map <- pcoa_map(iris[1:100, 1:4], metric = "euclidean", k = 3)
  theirs <- prcomp(iris[1:100, 1:4])
  expect_lt(apart_but_for_signs(map$points, theirs$x[, 1:3]), 1e-9)
  signs <- sign(colSums(map$points * theirs$x[, 1:3]))
  ours <- predict(map, iris[148:150, 4:1], type = "coordinates")
  expect_lt(apart(sweep(ours, 2, signs, "*"), predict(theirs, iris[148:150, 1:4])[, 1:3]), 1e-9)
  expect_error(predict(map, iris[148:150, 1:3]), "no feature \"Petal.Width\"", class = "adjoin_error")
  expect_error(predict(map, iris[148:150, ]), "Species", class = "adjoin_error")
  other <- data.frame(iris[148:150, 1:3], Other = 1)
  filled <- suppressWarnings(predict(map, other, fill = 0, ignore_new_features = TRUE))
  expect_identical(filled, suppressWarnings(predict(map, data.frame(iris[148:150, 1:3], Petal.Width = 0))))
  # A dist is proximities all the same.
  expect_lt(apart(predict(map, dist(iris[c(1:100, 148), 1:4]), type = "coordinates"), ours[1, , drop = FALSE]), 1e-9)
  words <- pcoa_map(c("kitten", "mitten", "sitting", "bitten", "fitting"), metric = "levenshtein")
  expect_identical(row.names(predict(words, "sitten")), "sitten")
})

test_that("similarities need those of newcomers to themselves", {
  kernel <- exp(-as.matrix(dist(iris[1:40, 1:4]))^2)
  map <- pcoa_map(kernel[1:36, 1:36], kind = "similarity")
  expect_message(predict(map, kernel[37:40, 1:36], "reconstruct"), "taken to be 1", class = "adjoin_message")
  given <- predict(map, kernel[37:40, 1:36], "reconstruct", self = 1)
  expect_identical(given, predict(map, kernel, "reconstruct"))
  expect_identical(predict(map, kernel[37:40, 1:36], "reconstruct", self = c("40" = 1, "38" = 1, "37" = 1, "39" = 1)), given)
})

test_that("weights are by name or by position", {
  data <- parted("eurodist")
  map <- pcoa_map(data$old)
  weights <- c(0, rep(1, nrow(data$old) - 1))
  missing <- data$new
  missing[, 1] <- NA
  placed <- predict(map, data$new, weights = weights)
  expect_equal(placed$axis1, predict(map, missing)$axis1, tolerance = 1e-12)
  names(weights) <- rownames(data$old)
  expect_identical(predict(map, data$new, weights = rev(weights)), placed)
  names(weights)[[1]] <- "Nowhere"
  expect_error(predict(map, data$new, weights = weights), "weights: .*Nowhere", class = "adjoin_error")
})

test_that("arcs go from projection to reconstruction", {
  data <- parted("eurodist")
  map <- pcoa_map(data$old)
  arcs <- arc(map, data$new, points = 7)
  expect_identical(nrow(arcs), 7L * nrow(data$new))
  ends <- arcs[arcs$point == 1, ]
  expect_identical(ends$axis1, predict(map, data$new)$axis1)
  ends <- arcs[arcs$point == 7, ]
  expect_identical(ends$axis2, predict(map, data$new, "reconstruct")$axis2)
  expect_error(arc(map, data$new, points = 1), "points: found 1", class = "adjoin_error")
})

test_that("compare has every strategy, and says something of each newcomer", {
  data <- parted("varespec")
  map <- pcoa_map(data$old)
  compared <- suppressWarnings(compare(map, data$new, between = data$between))
  expect_setequal(compared$strategy, c("project", "reconstruct", "hyperplane", "augment", "stress", "jointly"))
  projected <- compared[compared$strategy == "project", ]
  expect_identical(projected$axis1, predict(map, data$new)$axis1)
  expect_setequal(projected$rank, seq_len(nrow(data$new)))
  expect_match(projected$says, "^(Whether )?[0-9]+ is (un)?like the old objects")
  expect_output(print(compared), "distance_error")
})

test_that("old objects are left out as if the others were fitted without them", {
  data <- parted("dune")
  map <- pcoa_map(data$old)
  left_out <- leave_one_out(map, "reconstruct")
  expect_identical(row.names(left_out), rownames(data$old))
  for (i in 1:3) {
    without <- pcoa_map(data$old[-i, -i])
    alone <- predict(without, data$old[i, -i], "reconstruct")
    expect_equal(left_out$residual[[i]], alone$residual, tolerance = 1e-8)
    expect_identical(left_out$known[[i]], alone$known)
  }
  expect_error(leave_one_out(map, "stress"), class = "adjoin_error")
})

test_that("threads are an option, and change nothing", {
  data <- parted("varespec")
  map <- pcoa_map(data$old)
  one <- local({
    before <- options(adjoin.threads = 1)
    on.exit(options(before))
    predict(map, data$new, "hyperplane")
  })
  expect_identical(predict(map, data$new, "hyperplane"), one)
  before <- options(adjoin.threads = "many")
  on.exit(options(before))
  expect_error(predict(map, data$new), "adjoin.threads", class = "adjoin_error")
})
