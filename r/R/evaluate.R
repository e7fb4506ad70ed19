# Strategies tried on the old objects.

evaluate <- function(map, d, classes = NULL, groups = NULL, folds = 10, repeats = NULL, strategies = c("project", "reconstruct"),
                     seed = 1) {
  check_map(map)
  if (is.factor(strategies)) strategies <- as.character(strategies)
  if (!is.character(strategies) || anyNA(strategies) || length(strategies) == 0L) {
    wrong("strategies", shown(strategies), "words for strategies")
  }
  if (!is_count(folds)) wrong("folds", shown(folds), "a whole number of at least 2")
  if (!is.null(repeats) && !is_count(repeats)) wrong("repeats", shown(repeats), "a whole number of at least 1")
  if (!is.numeric(seed) || length(seed) != 1L || !is.finite(seed) || seed < 0 || seed != trunc(seed)) {
    wrong("seed", shown(seed), "a whole number of at least 0")
  }
  how <- list(
    strategies = strategies, folds = as.double(folds), repeats = if (!is.null(repeats)) as.double(repeats), seed = as.double(seed),
    groups = one_for_each(groups, map$labels, map$named, "groups"), classes = one_for_each(classes, map$labels, map$named, "classes")
  )
  answer <- answered(core_evaluate(pointer(map), old_objects(map, d), how, threads()))
  frame <- framed(answer$columns, answer$columns$strategy, "adjoin_evaluation")
  attr(frame, "says") <- answer$says
  attr(frame, "how") <- answer[c("folds", "repeats", "seed")]
  frame
}

print.adjoin_evaluation <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  how <- attr(x, "how")
  if (is.null(how)) {
    return(invisible(NextMethod()))
  }
  measures <- grep("^strategy$|_difference$|_se$", names(x), value = TRUE, invert = TRUE)
  print(as.data.frame(x)[measures], digits = digits, ...)
  times <- if (how$repeats == 1L) "once" else paste(how$repeats, "times")
  cat(strwrap(paste0(how$folds, " folds, drawn ", times, " (seed ", how$seed, "): ", attr(x, "says")), prefix = "# "), sep = "\n")
  cat("# and the differences from project, ..._difference, with their standard errors, ..._se\n")
  invisible(x)
}

as.data.frame.adjoin_evaluation <- function(x, row.names = NULL, optional = FALSE, ...) plain(x, row.names)
