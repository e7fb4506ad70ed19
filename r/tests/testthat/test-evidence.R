# What is known beside a place: how certain it is, who is near, which group; and what the old objects say about strategies.

test_that("standard errors and covariances", {
  data <- parted("dune")
  map <- pcoa_map(data$old, k = 3)
  plain <- predict(map, data$new)
  placed <- predict(map, data$new, uncertainty = "axes")
  expect_identical(as.data.frame(placed)[names(plain)][c("axis1", "axis2", "axis3", "p")], as.data.frame(plain)[c("axis1", "axis2", "axis3", "p")])
  covariance <- attr(placed, "covariance")
  expect_identical(dim(covariance), c(nrow(data$new), 3L, 3L))
  expect_identical(dimnames(covariance), list(rownames(data$new), paste0("axis", 1:3), paste0("axis", 1:3)))
  for (a in 1:3) {
    expect_equal(placed[[paste0("se", a)]], unname(sqrt(covariance[, a, a])), tolerance = 1e-14)
  }
  # The definition: HC3 of the regression of b on the map's axes.
  a2 <- data$new[1, ]^2
  squares <- data$old^2
  b <- -0.5 * (a2 - mean(a2) - rowMeans(squares) + mean(squares))
  x <- map$points
  leverage <- 1 / nrow(x) + rowSums((x %*% solve(crossprod(x))) * x)
  e <- (b - x %*% as.numeric(plain[1, 1:3])) / (1 - leverage)
  hc3 <- solve(crossprod(x)) %*% crossprod(x * as.numeric(e)) %*% solve(crossprod(x))
  expect_equal(unname(covariance[1, , ]), unname(hc3), tolerance = 1e-9)
  # Rows take theirs along.
  expect_identical(attr(placed[3:2, ], "covariance"), covariance[3:2, , ])
  expect_null(attr(as.data.frame(placed), "covariance"))
  # Other ways: jointly, by refits, of every strategy.
  together <- predict(map, data$all, between = TRUE, uncertainty = TRUE)
  expect_true(all(together$se1 > 0))
  refitted <- suppressWarnings(predict(map, data$new, "stress", uncertainty = "refit", old = data$old))
  expect_true(all(refitted$se2 > 0))
  expect_identical(suppressWarnings(predict(map, data$new, "stress", uncertainty = "refit", old = as.dist(rev_both(data$old)))), refitted)
})

test_that("what is asked of certainty goes together", {
  data <- parted("dune")
  map <- pcoa_map(data$old)
  expect_error(predict(map, data$new, "stress", uncertainty = "axes"), "uncertainty", class = "adjoin_error")
  expect_error(predict(map, data$new, uncertainty = "guess"), "uncertainty: found \"guess\"", class = "adjoin_error")
  expect_error(predict(map, data$new, uncertainty = "refit"), "^old: found nothing", class = "adjoin_error")
  expect_error(predict(map, data$new, old = data$old), "^old: ", class = "adjoin_error")
  expect_error(predict(map, data$new, uncertainty = "refit", old = data$old[-1, -1]), "^old: found no column for", class = "adjoin_error")
  expect_error(predict(map, data$new, uncertainty = "refit", old = 2 * data$old), class = "adjoin_error")
  expect_error(predict(map, data$new, uncertainty = TRUE, type = "coordinates"), "^type: ", class = "adjoin_error")
})

test_that("the old objects that newcomers are nearest to", {
  data <- parted("varespec")
  map <- pcoa_map(data$old)
  placed <- predict(map, data$new, neighbours = 3)
  for (i in seq_len(nrow(data$new))) {
    near <- sort(data$new[i, ])[1:3]
    expect_identical(unlist(as.data.frame(placed)[i, paste0("nearest", 1:3)], use.names = FALSE), names(near))
    expect_identical(unlist(as.data.frame(placed)[i, paste0("nearest", 1:3, "_given")], use.names = FALSE), unname(near))
    shown <- sqrt(sum((map$points[names(near)[[1]], ] - as.numeric(placed[i, 1:2]))^2))
    expect_equal(placed$nearest1_shown[[i]], shown)
  }
  expect_error(predict(map, data$new, neighbours = 0), "neighbours: found 0", class = "adjoin_error")
  expect_error(predict(map, data$new, neighbours = 1000), "neighbours: ", class = "adjoin_error")
})

test_that("groups are voted for", {
  skip_if_not_installed("vegan")
  env <- new.env()
  utils::data("dune.env", package = "vegan", envir = env)
  data <- parted("dune")
  map <- pcoa_map(data$old)
  use <- env$dune.env$Management
  names(use) <- rownames(env$dune.env)
  use <- use[rownames(data$old)]
  placed <- predict(map, data$new, groups = use)
  expect_identical(levels(placed$group), levels(use))
  votes <- as.data.frame(placed)[grep("^vote_", names(placed))]
  expect_equal(rowSums(votes), rep(1, nrow(data$new)), ignore_attr = TRUE)
  expect_match(attr(placed, "says"), "by vote of the 5 nearest")
  expect_output(print(placed), "by vote of the 5 nearest")
  expect_output(print(summary(placed)), "groups: ")
  # By position, by name in any order, or as a column.
  as_words <- as.character(use)
  expect_identical(as.character(placed$group), predict(map, data$new, groups = as_words)$group)
  expect_identical(predict(map, data$new, groups = rev(use)), placed)
  expect_identical(predict(map, data$new, groups = env$dune.env["Management"])$group, as.character(placed$group))
  expect_error(predict(map, data$new, groups = use[-1]), "groups: found nothing for", class = "adjoin_error")
  expect_error(predict(map, data$new, groups = as_words[-1]), "groups: found 14, expected 15", class = "adjoin_error")
  use[[2]] <- NA
  expect_error(predict(map, data$new, groups = use), "groups: found NA for", class = "adjoin_error")
  expect_error(predict(map, data$new, groups = rep("one", 15)), "groups: ", class = "adjoin_error")
})

test_that("a batch says whether it calls for another map", {
  data <- parted("BCI")
  map <- pcoa_map(data$old)
  assessment <- attr(predict(map, data$new), "assessment")
  expect_identical(assessment$newcomers, nrow(data$new))
  expect_true(assessment$verdict %in% c("fine", "watch", "refit", "unknown"))
  expect_output(print(summary(predict(map, data$new))), assessment$says, fixed = TRUE, width = 10000)
})

test_that("strategies are evaluated on the old objects", {
  data <- parted("varespec")
  map <- pcoa_map(data$old)
  answer <- evaluate(map, data$old, folds = 6, repeats = 2)
  expect_identical(answer$strategy, c("project", "reconstruct"))
  expect_true(all(answer$neighbours > 0 & answer$neighbours < 1))
  expect_identical(answer$rank_difference[[1]], 0)
  expect_output(print(answer), "6 folds, drawn 2 times \\(seed 1\\)")
  # The order of the objects does not matter, nor do threads.
  expect_identical(evaluate(map, as.dist(rev_both(data$old)), folds = 6, repeats = 2), answer)
  one <- local({
    before <- options(adjoin.threads = 1)
    on.exit(options(before))
    evaluate(map, data$old, folds = 6, repeats = 2)
  })
  expect_identical(one, answer)
  classes <- rep(c("a", "b"), length.out = nrow(data$old))
  known <- evaluate(map, data$old, classes = classes, folds = 3, repeats = 1, strategies = "augment")
  expect_identical(known$strategy, c("project", "augment"))
  expect_true(all(c("knn_fitted", "knn_loo") %in% names(known)))
  expect_error(evaluate(map, data$old, folds = 1), class = "adjoin_error")
  expect_error(evaluate(map, 2 * data$old), "^d: ", class = "adjoin_error")
  expect_error(evaluate(map, data$old[-1, -1]), "^d: ", class = "adjoin_error")
  expect_error(evaluate(map, data$old, strategies = "guess"), "strategy: found \"guess\"", class = "adjoin_error")
  # Of data: from the data.
  measured <- pcoa_map(iris[1:60, 1:4], metric = "euclidean")
  expect_identical(nrow(evaluate(measured, iris[1:60, 1:4], folds = 3, repeats = 1)), 2L)
})
