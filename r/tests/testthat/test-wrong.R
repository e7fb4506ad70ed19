# One wrong thing at a time, from one right question: the core's message, as a condition.

data <- parted("eurodist")
map <- pcoa_map(data$old)

refused <- function(code, pattern) {
  condition <- expect_error(code, pattern, class = "adjoin_error")
  expect_match(conditionMessage(condition), "found .*expected")
  invisible(condition)
}

test_that("names that do not match are shown with the nearest", {
  new <- data$new
  colnames(new)[colnames(new) == "Gibraltar"] <- "Gibralter"
  about <- refused(predict(map, new), "Gibraltar.*Gibralter")
  expect_identical(about$about, "newdata")
  refused(predict(map, t(data$new)), "transpose")
  new <- rbind(data$new, data$new[1, , drop = FALSE])
  refused(predict(map, new), "twice")
  refused(pcoa_map(data$old, origin = "Atens"), "Athens")
})

test_that("a dist without labels is refused where labels are needed", {
  bare <- data$all
  attr(bare, "Labels") <- NULL
  refused(predict(map, bare), "a dist without labels")
  positions <- pcoa_map(bare)
  expect_false(positions$named)
  refused(predict(positions, data$all), "")
})

test_that("columns without names are taken by position, with a word", {
  new <- unname(data$new)
  expect_message(placed <- predict(map, new), "map's order", class = "adjoin_message")
  expect_identical(placed$axis1, predict(map, data$new)$axis1)
  refused(predict(map, new[, -1]), "an array of .* without labels")
})

test_that("nothing is missing among the old", {
  old <- data$old
  old[2, 3] <- old[3, 2] <- NA
  refused(pcoa_map(old), "^d: ")
  refused(pcoa_map(as.dist(old)), "^d: ")
})

test_that("numbers that are not proximities", {
  old <- data$old
  old[2, 3] <- old[3, 2] <- -1
  refused(pcoa_map(old), "^d: ")
  old <- data$old
  old[2, 3] <- 1e6
  refused(pcoa_map(old), "^d: ")
  new <- data$new
  new[1, 1] <- -5
  refused(predict(map, new), "^newdata: ")
  new[1, 1] <- Inf
  refused(predict(map, new), "^newdata: ")
  # A square whose old part is another map's.
  other <- as.matrix(data$all)
  other[rownames(data$old), rownames(data$old)] <- 2 * data$old
  refused(predict(map, other), "^newdata: ")
})

test_that("words and numbers that are not offered", {
  refused(predict(map, data$new, "guess"), "strategy: found \"guess\"")
  refused(predict(map, data$new, type = "list"), "type: ")
  refused(predict(map, data$new, stratgy = "project"), "stratgy")
  refused(predict(map, data$new, "project", scaled = TRUE), "augment")
  refused(pcoa_map(data$old, k = 0), "k: found 0")
  refused(pcoa_map(data$old, k = 30), "^k: ")
  refused(pcoa_map(data$old, k = "some"), "k: found \"some\"")
  refused(pcoa_map(data$old, kind = "far"), "kind: ")
  refused(pcoa_map(data$old, correction = "some"), "correction: ")
  refused(pcoa_map(data$old, power = 2), "metric: ")
  refused(pcoa_map(iris[, 1:4], metric = "nosuch"), "metric: ")
  refused(pcoa_map(iris, metric = "euclidean"), "Species")
  refused(pcoa_map(data$old[, -1]), "^d: ")
  refused(pcoa_map("no such thing"), "^d: ")
  refused(predict(map, "no such thing"), "newdata: ")
  refused(as_map(1), "an object of class numeric")
  refused(write_map(1, "file"), "map: ")
})

test_that("nothing that is given is ignored", {
  file <- tempfile(fileext = ".html")
  refused(report(map, data$new, file, strategy = "stress", between = data$between), "strategy: found stress beside between")
  for (given in list(
    list(weights = rep(1, nrow(data$old))), list(between = data$between), list(between = TRUE), list(self = 1), list(partial = TRUE),
    list(fill = 0), list(ignore_new_features = TRUE), list(proximities = TRUE), list(generation = 0), list(strategy = "stress")
  )) {
    refused(do.call(report, c(list(map, file = file), given)), paste("newdata: found nothing beside", names(given)))
  }
  expect_false(file.exists(file))
  refused(predict(map, data$new, type = "coordinates", all_minimisers = TRUE), "type: found coordinates beside .*all_minimisers")
  features <- pcoa_map(iris[1:50, 1:4], metric = "euclidean")
  refused(predict(features, iris[51:53, 1:4], partial = TRUE), "partial: found it beside features")
  refused(predict(features, iris[51:53, 1:3], fill = 0, partial = TRUE), "partial: found it beside features")
})

test_that("newcomers in another unit are remarked on", {
  expect_warning(predict(map, data$new / 1000), class = "adjoin_warning")
})

test_that("files that are no maps, or newer ones", {
  file <- tempfile()
  expect_error(read_map(file), class = "adjoin_file_error")
  writeLines("no map", file)
  expect_error(read_map(file), "found .*expected", class = "adjoin_file_error")
  write_map(map, file)
  bytes <- readBin(file, "raw", file.size(file))
  bytes[length(bytes) - 10L] <- xor(bytes[length(bytes) - 10L], as.raw(1))
  writeBin(bytes, file)
  expect_error(read_map(file), class = "adjoin_file_error")
  expect_error(read_map(test_path("fixtures", "newer.adjoin")), "found a map of format 9.*use a later version", class = "adjoin_file_error")
})

test_that("an interrupt ends long work", {
  skip_on_os("windows")
  set.seed(1)
  x <- matrix(rnorm(1500 * 40), 1500)
  finished <- FALSE
  caught <- tryCatch(
    {
      system(paste("sleep 0.3; kill -INT", Sys.getpid()), wait = FALSE)
      pcoa_map(x, metric = "cityblock", k = "all")
      # Whoever is done first waits: an interrupt after this would end the tests.
      finished <- TRUE
      Sys.sleep(20)
    },
    interrupt = function(condition) "interrupted"
  )
  skip_if(finished, "the work was done before the interrupt came")
  expect_identical(caught, "interrupted")
  expect_s3_class(pcoa_map(eurodist), "adjoin_map")
})
