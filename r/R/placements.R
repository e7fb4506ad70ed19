# Newcomers on a map.

# A data frame of Rust's columns.
framed <- function(columns, row.names = NULL, class) {
  rows <- length(columns[[1L]])
  structure(columns, row.names = if (is.null(row.names)) .set_row_names(rows) else row.names, class = c(class, "data.frame"))
}

predict.adjoin_map <- function(object, newdata, strategy = "project", between = NULL, type = c("data.frame", "coordinates"), ...,
                               self = NULL, weights = NULL, recentre = FALSE, scaled = FALSE, prove = FALSE, partial = FALSE,
                               fill = NULL, ignore_new_features = FALSE, proximities = FALSE, all_minimisers = FALSE) {
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
  new <- newcomers(object, newdata, between, self, weights, partial, fill, ignore_new_features, proximities)
  how <- list(
    strategy = strategy, recentre = flag(recentre, "recentre"), scaled = flag(scaled, "scaled"), prove = flag(prove, "prove")
  )
  answer <- answered(core_place(pointer(object), new, how, threads()))
  remarked(answer)
  d <- ncol(object$points)
  if (type == "coordinates") {
    return(matrix(
      unlist(answer$columns[seq_len(d)], use.names = FALSE),
      ncol = d, dimnames = list(answer$labels, colnames(object$points))
    ))
  }
  placed <- framed(answer$columns, answer$labels, "adjoin_placements")
  if (flag(all_minimisers, "all_minimisers")) every_minimiser(placed, answer, d) else placed
}

# One row for each of a newcomer's places, its placement first.
every_minimiser <- function(placed, answer, d) {
  others <- answer$alternatives
  labels <- c(answer$labels, answer$labels[others$of])
  rows <- placed[c(seq_len(nrow(placed)), others$of), , drop = FALSE]
  rows[-seq_len(nrow(placed)), seq_len(d)] <- others$coordinates
  order <- order(match(labels, answer$labels))
  rows <- rows[order, , drop = FALSE]
  rows$minimiser <- unlist(lapply(tabulate(match(labels, answer$labels)), seq_len))
  rows$label <- labels[order]
  row.names(rows) <- make.unique(labels[order])
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
                proximities = FALSE) {
  check_map(map)
  if (!is_count(points) || points < 2) wrong("points", shown(points), "a whole number of at least 2")
  new <- newcomers(map, newdata, NULL, self, weights, partial, fill, ignore_new_features, proximities)
  answer <- answered(core_arc(pointer(map), new, as.integer(points), threads()))
  remarked(answer)
  framed(answer$columns, class = "adjoin_arc")
}

compare <- function(map, newdata, between = NULL, self = NULL, weights = NULL, partial = FALSE, fill = NULL,
                    ignore_new_features = FALSE, proximities = FALSE) {
  check_map(map)
  new <- newcomers(map, newdata, between, self, weights, partial, fill, ignore_new_features, proximities)
  answer <- answered(core_compare(pointer(map), new, threads()))
  remarked(answer)
  frame <- framed(answer$columns, class = "adjoin_comparison")
  attr(frame, "left_out") <- answer$left_out
  attr(frame, "batch") <- answer$batch
  frame
}

print.adjoin_placements <- function(x, ...) {
  main <- c(grep("^axis[0-9]+$", names(x), value = TRUE), "lambda", "residual", "status", "p")
  if (!all(main %in% names(x))) {
    return(invisible(NextMethod()))
  }
  print(as.data.frame(x)[main], ...)
  further <- setdiff(names(x), main)
  cat(strwrap(paste("and", paste(further, collapse = ", ")), prefix = "# "), sep = "\n")
  invisible(x)
}

as.data.frame.adjoin_placements <- function(x, row.names = NULL, optional = FALSE, ...) plain(x, row.names)

as.data.frame.adjoin_arc <- as.data.frame.adjoin_placements

as.data.frame.adjoin_comparison <- as.data.frame.adjoin_placements

plain <- function(x, row.names) {
  class(x) <- "data.frame"
  attr(x, "left_out") <- attr(x, "batch") <- NULL
  if (!is.null(row.names)) row.names(x) <- row.names
  x
}

summary.adjoin_placements <- function(object, ...) {
  none_other(...)
  structure(
    list(count = nrow(object), strategy = unique(object$strategy), status = table(object$status), p = summary(object$p)),
    class = "summary.adjoin_placements"
  )
}

print.summary.adjoin_placements <- function(x, ...) {
  cat(x$count, " placements by ", paste(x$strategy, collapse = ", "), ": ",
    paste(x$status, names(x$status), collapse = ", "), "\n", sep = "")
  cat("p, how likely an object like the old ones is to be as strange to the map:\n")
  print(x$p, ...)
  invisible(x)
}

print.adjoin_comparison <- function(x, ...) {
  if (!all(c("label", "rank", "says") %in% names(x))) {
    return(invisible(NextMethod()))
  }
  axes <- grep("^axis[0-9]+$", names(x), value = TRUE)
  columns <- c("strategy", axes, "objective", "distance_error", "status")
  for (label in unique(x$label[order(x$rank)])) {
    rows <- as.data.frame(x)[x$label == label, , drop = FALSE]
    cat(label, "\n", sep = "")
    cat(strwrap(rows$says[[1L]], indent = 2L, exdent = 2L), sep = "\n")
    print(rows[columns], row.names = FALSE, ...)
    cat("\n")
  }
  cat(strwrap(c(attr(x, "batch"), attr(x, "left_out"))), sep = "\n")
  invisible(x)
}
