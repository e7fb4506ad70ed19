# Newcomers on a map.

# A data frame of Rust's columns.
framed <- function(columns, row.names = NULL, class) {
  rows <- length(columns[[1L]])
  structure(columns, row.names = if (is.null(row.names)) .set_row_names(rows) else row.names, class = c(class, "data.frame"))
}

predict.adjoin_map <- function(object, newdata, strategy = "project", between = NULL, type = c("data.frame", "coordinates"), ...,
                               uncertainty = NULL, old = NULL, neighbours = NULL, groups = NULL, self = NULL, weights = NULL,
                               recentre = FALSE, scaled = FALSE, prove = FALSE, partial = FALSE, fill = NULL,
                               ignore_new_features = FALSE, proximities = FALSE, generation = NULL, all_minimisers = FALSE) {
  none_other(...)
  type <- choice(type, c("data.frame", "coordinates"), "type", missing(type))
  if (missing(newdata)) {
    return(if (type == "coordinates") object$points else as.data.frame(object))
  }
  together <- !is.null(between) && !identical(between, FALSE)
  strategy <- if (!missing(strategy)) word(strategy, "strategy") else if (together) "reconstruct" else object$strategy
  if (together && strategy != "reconstruct") {
    wrong("strategy", paste(strategy, "beside between"), "reconstruct: newcomers are placed jointly by reconstruction only")
  }
  all_minimisers <- flag(all_minimisers, "all_minimisers")
  if (type == "coordinates" && (all_minimisers || !is.null(uncertainty) || !is.null(neighbours) || !is.null(groups))) {
    wrong("type", "coordinates beside uncertainty, neighbours, groups or all_minimisers", "data.frame, which has room for them")
  }
  new <- newcomers(object, newdata, between, self, weights, partial, fill, ignore_new_features, proximities, generation)
  how <- list(
    strategy = strategy, recentre = flag(recentre, "recentre"), scaled = flag(scaled, "scaled"), prove = flag(prove, "prove"),
    neighbours = neighbours_wanted(neighbours), groups = one_for_each(groups, object$labels, object$named, "groups")
  )
  answer <- answered(core_place(pointer(object), new, c(how, certainty_wanted(object, uncertainty, old)), threads()))
  remarked(answer)
  d <- ncol(object$points)
  if (type == "coordinates") {
    return(matrix(
      unlist(answer$columns[seq_len(d)], use.names = FALSE),
      ncol = d, dimnames = list(answer$labels, colnames(object$points))
    ))
  }
  placed <- framed(answer$columns, answer$labels, "adjoin_placements")
  if (is.factor(groups)) placed$group <- factor(placed$group, levels(groups))
  if (!is.null(answer$covariance)) {
    axes <- colnames(object$points)
    dimnames(answer$covariance) <- list(answer$labels, axes, axes)
    attr(placed, "covariance") <- answer$covariance
    attr(placed, "reach") <- answer$reach
  }
  attr(placed, "assessment") <- answer$assessment
  attr(placed, "says") <- answer$says
  if (all_minimisers) every_minimiser(placed, answer, d) else placed
}

neighbours_wanted <- function(x) {
  if (is.null(x)) return(NULL)
  if (!is_count(x)) wrong("neighbours", shown(x), "a whole number of at least 1")
  as.double(x)
}

# How it is to be told how certain places are; TRUE is short for the axes.
certainty_wanted <- function(map, uncertainty, old) {
  if (isTRUE(uncertainty)) uncertainty <- "axes"
  if (identical(uncertainty, FALSE)) uncertainty <- NULL
  if (is.null(uncertainty)) {
    if (!is.null(old)) wrong("old", "it without uncertainty = \"refit\"", "the two together")
    return(NULL)
  }
  list(uncertainty = word(uncertainty, "uncertainty"), old = if (!is.null(old)) square_of(old))
}

# Proximities between old objects, whatever the map was made of.
square_of <- function(old) old_objects(list(metric = NULL), old, "old")

# Rows of placements keep what belongs to them; what was said of the whole batch goes.
`[.adjoin_placements` <- function(x, ...) {
  chosen <- NextMethod()
  if (!is.data.frame(chosen)) return(chosen)
  covariance <- attr(x, "covariance")
  at <- match(row.names(chosen), row.names(x))
  whole <- identical(at, seq_len(nrow(x)))
  for (name in c("covariance", "reach", "assessment", "says")) attr(chosen, name) <- if (whole) attr(x, name)
  if (!whole && !is.null(covariance) && !anyNA(at)) {
    attr(chosen, "covariance") <- covariance[at, , , drop = FALSE]
    attr(chosen, "reach") <- attr(x, "reach")[at]
  }
  chosen
}

# One row for each of a newcomer's places, its placement first.
every_minimiser <- function(placed, answer, d) {
  others <- answer$alternatives
  at <- c(seq_len(nrow(placed)), others$of)
  labels <- answer$labels[at]
  rows <- as.data.frame(placed)[at, , drop = FALSE]
  rows[-seq_len(nrow(placed)), seq_len(d)] <- others$coordinates
  order <- order(at)
  rows <- rows[order, , drop = FALSE]
  rows$minimiser <- unlist(lapply(tabulate(at), seq_len))
  rows$label <- labels[order]
  row.names(rows) <- make.unique(labels[order])
  class(rows) <- class(placed)
  covariance <- attr(placed, "covariance")
  if (!is.null(covariance)) {
    covariance <- covariance[at[order], , , drop = FALSE]
    dimnames(covariance)[[1L]] <- row.names(rows)
    attr(rows, "covariance") <- covariance
    attr(rows, "reach") <- attr(placed, "reach")[at[order]]
  }
  attr(rows, "assessment") <- attr(placed, "assessment")
  attr(rows, "says") <- attr(placed, "says")
  rows
}

choice <- function(x, words, argument, all) {
  if (all) return(words[[1L]])
  x <- word(x, argument)
  if (!x %in% words) wrong(argument, shown(x), paste("one of", paste(words, collapse = ", ")))
  x
}

leave_one_out <- function(map, strategy = "project", recentre = FALSE, scaled = FALSE) {
  check_map(map)
  strategy <- if (missing(strategy)) map$strategy else word(strategy, "strategy")
  how <- list(strategy = strategy, recentre = flag(recentre, "recentre"), scaled = flag(scaled, "scaled"))
  answer <- answered(core_leave_one_out(pointer(map), how, threads()))
  framed(answer$columns, answer$labels, "adjoin_placements")
}

arc <- function(map, newdata, points = 50, self = NULL, weights = NULL, partial = FALSE, fill = NULL, ignore_new_features = FALSE,
                proximities = FALSE, generation = NULL) {
  check_map(map)
  if (!is_count(points) || points < 2) wrong("points", shown(points), "a whole number of at least 2")
  new <- newcomers(map, newdata, NULL, self, weights, partial, fill, ignore_new_features, proximities, generation)
  answer <- answered(core_arc(pointer(map), new, as.integer(points), threads()))
  remarked(answer)
  framed(answer$columns, class = "adjoin_arc")
}

compare <- function(map, newdata, between = NULL, self = NULL, weights = NULL, partial = FALSE, fill = NULL,
                    ignore_new_features = FALSE, proximities = FALSE, generation = NULL) {
  check_map(map)
  new <- newcomers(map, newdata, between, self, weights, partial, fill, ignore_new_features, proximities, generation)
  answer <- answered(core_compare(pointer(map), new, threads()))
  remarked(answer)
  frame <- framed(answer$columns, class = "adjoin_comparison")
  attr(frame, "left_out") <- answer$left_out
  attr(frame, "batch") <- answer$batch
  frame
}

print.adjoin_placements <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  main <- c(
    grep("^axis[0-9]+$", names(x), value = TRUE), grep("^se[0-9]+$", names(x), value = TRUE), "lambda", "residual", "status", "p",
    intersect(c("group", "nearest1", "minimiser"), names(x))
  )
  if (!all(main %in% names(x))) {
    return(invisible(NextMethod()))
  }
  frame <- as.data.frame(x)
  print(frame[main], digits = digits, ...)
  further <- setdiff(names(x), main)
  said <- c(if (length(further)) paste("and", paste(further, collapse = ", ")), attr(x, "says"), called_for(attr(x, "assessment")))
  cat(strwrap(said, prefix = "# "), sep = "\n")
  invisible(x)
}

# What a batch says about the map, if it says that there should be another.
called_for <- function(assessment) if (identical(assessment$verdict, "refit")) assessment$says

as.data.frame.adjoin_placements <- function(x, row.names = NULL, optional = FALSE, ...) plain(x, row.names)

as.data.frame.adjoin_arc <- as.data.frame.adjoin_placements

as.data.frame.adjoin_comparison <- as.data.frame.adjoin_placements

plain <- function(x, row.names) {
  class(x) <- "data.frame"
  for (name in c("left_out", "batch", "covariance", "reach", "assessment", "says", "how")) attr(x, name) <- NULL
  if (!is.null(row.names)) row.names(x) <- row.names
  x
}

summary.adjoin_placements <- function(object, ...) {
  none_other(...)
  structure(
    list(
      count = nrow(object), strategy = unique(object$strategy), status = table(object$status), p = summary(object$p),
      group = if (!is.null(object$group)) table(object$group), says = c(attr(object, "says"), attr(object, "assessment")$says)
    ),
    class = "summary.adjoin_placements"
  )
}

print.summary.adjoin_placements <- function(x, ...) {
  cat(x$count, " placements by ", paste(x$strategy, collapse = ", "), ": ",
    paste(x$status, names(x$status), collapse = ", "), "\n", sep = "")
  cat("p, how likely an object like the old ones is to be as strange to the map:\n")
  print(x$p, ...)
  if (!is.null(x$group)) {
    cat("groups: ", paste(x$group, names(x$group), collapse = ", "), "\n", sep = "")
  }
  if (length(x$says)) cat(strwrap(x$says), sep = "\n")
  invisible(x)
}

print.adjoin_comparison <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  if (!all(c("label", "rank", "says") %in% names(x))) {
    return(invisible(NextMethod()))
  }
  axes <- grep("^axis[0-9]+$", names(x), value = TRUE)
  columns <- c("strategy", axes, "objective", "distance_error", "status")
  for (label in unique(x$label[order(x$rank)])) {
    rows <- as.data.frame(x)[x$label == label, , drop = FALSE]
    cat(label, "\n", sep = "")
    cat(strwrap(rows$says[[1L]], indent = 2L, exdent = 2L), sep = "\n")
    print(rows[columns], row.names = FALSE, digits = digits, ...)
    cat("\n")
  }
  cat(strwrap(c(attr(x, "batch"), attr(x, "left_out"))), sep = "\n")
  invisible(x)
}
