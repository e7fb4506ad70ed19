# Maps from maps. None of them changes the map that it is made from.

grow <- function(map, newdata, strategy = "project", between = NULL, self = NULL, weights = NULL, partial = FALSE, fill = NULL,
                 ignore_new_features = FALSE, proximities = FALSE, generation = NULL) {
  check_map(map)
  together <- !is.null(between) && !identical(between, FALSE)
  strategy <- if (!missing(strategy)) word(strategy, "strategy") else if (together) "reconstruct" else map$strategy
  if (together && strategy != "reconstruct") {
    wrong("strategy", paste(strategy, "beside between"), "reconstruct: newcomers are placed jointly by reconstruction only")
  }
  new <- newcomers(map, newdata, between, self, weights, partial, fill, ignore_new_features, proximities, generation)
  answer <- answered(core_grow(pointer(map), new, list(strategy = strategy, name = "R"), threads()))
  remarked(answer)
  new_map(answer$map)
}

generation <- function(map, generation = 0) {
  check_map(map)
  new_map(answered(core_generation(pointer(map), as.integer(generation_wanted(generation)))))
}

refit <- function(map, d, align = TRUE) {
  check_map(map)
  objects <- if (is.null(map$metric)) proximities(d, "d") else features(d, "d")
  answer <- answered(core_refit(pointer(map), objects, flag(align, "align"), threads()))
  anew <- new_map(answer$map)
  moved <- answer$moved
  moved$moved <- framed(moved$moved, class = NULL)
  attr(anew, "refit") <- moved
  anew
}
