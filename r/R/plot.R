# Pictures by R's own means.

plot.adjoin_map <- function(x, newdata = NULL, axes = c(1, 2), labels = nrow(x$points) <= 40L, xlab = NULL, ylab = NULL,
                            xlim = NULL, ylim = NULL, asp = 1, col = "grey45", pch = 16, cex = 0.7, col.new = "#b3001b",
                            pch.new = 17, cex.new = 1, ...) {
  if (ncol(x$points) == 1L) {
    wrong("map", "one axis", "a map of two or more, for a picture")
  }
  axes <- axes_shown(axes, ncol(x$points))
  old <- x$points[, axes, drop = FALSE]
  new <- if (is.null(newdata)) NULL else if (inherits(newdata, "adjoin_placements")) newdata else stats::predict(x, newdata)
  all <- rbind(old, if (!is.null(new)) coordinates(new, axes))
  graphics::plot(
    all,
    type = "n", asp = asp, xlim = xlim, ylim = ylim,
    xlab = if (is.null(xlab)) x$titles[[axes[[1L]]]] else xlab, ylab = if (is.null(ylab)) x$titles[[axes[[2L]]]] else ylab, ...
  )
  graphics::abline(h = 0, v = 0, col = "grey90")
  graphics::points(old, col = col, pch = pch, cex = cex)
  if (flag(labels, "labels")) {
    graphics::text(old, labels = rownames(x$points), pos = 3, offset = 0.3, cex = cex, col = col, xpd = NA)
  }
  if (!is.null(new)) {
    graphics::points(new, axes = axes, col = col.new, pch = pch.new, cex = cex.new)
    if (labels) graphics::text(new, axes = axes, col = col.new, cex = cex)
  }
  invisible(old)
}

# The coordinates of placements, or of points on arcs.
coordinates <- function(x, axes) {
  names <- paste0("axis", axes)
  missing <- setdiff(names, names(x))
  if (length(missing)) wrong("axes", paste("no", missing[[1L]]), "axes of the map")
  matrix(unlist(unclass(x)[names], use.names = FALSE), ncol = length(names), dimnames = list(attr(x, "row.names"), names))
}

points.adjoin_placements <- function(x, axes = c(1, 2), col = "#b3001b", pch = 17, ...) {
  graphics::points(coordinates(x, axes), col = col, pch = pch, ...)
}

text.adjoin_placements <- function(x, axes = c(1, 2), labels = row.names(x), pos = 3, offset = 0.3, col = "#b3001b", xpd = NA, ...) {
  graphics::text(coordinates(x, axes), labels = labels, pos = pos, offset = offset, col = col, xpd = xpd, ...)
}

points.adjoin_map <- function(x, axes = c(1, 2), ...) {
  graphics::points(x$points[, axes_shown(axes, ncol(x$points)), drop = FALSE], ...)
}

text.adjoin_map <- function(x, axes = c(1, 2), labels = rownames(x$points), ...) {
  graphics::text(x$points[, axes_shown(axes, ncol(x$points)), drop = FALSE], labels = labels, ...)
}

lines.adjoin_arc <- function(x, axes = c(1, 2), col = "#b3001b", ...) {
  for (rows in split(seq_along(x$label), factor(x$label, unique(x$label)))) {
    graphics::lines(coordinates(x, axes)[rows, , drop = FALSE], col = col, ...)
  }
  invisible(x)
}

# vegan's way to ask for coordinates; registered when vegan is loaded.
scores.adjoin_map <- function(x, choices = NULL, display = "sites", ...) {
  if (!identical(display, "sites")) wrong("display", shown(display), "\"sites\": a map has no species")
  chosen(x$points, choices)
}

scores.adjoin_placements <- function(x, choices = NULL, display = "sites", ...) {
  if (!identical(display, "sites")) wrong("display", shown(display), "\"sites\": a map has no species")
  d <- length(grep("^axis[0-9]+$", names(x)))
  chosen(coordinates(x, seq_len(d)), choices)
}

chosen <- function(points, choices) {
  if (is.null(choices)) return(points)
  if (!is.numeric(choices) || anyNA(choices) || !all(choices %in% seq_len(ncol(points)))) {
    wrong("choices", shown(choices), paste("numbers from 1 to", ncol(points)))
  }
  points[, choices, drop = FALSE]
}

# ggplot2's; registered when that is loaded.
autoplot.adjoin_map <- function(object, newdata = NULL, axes = c(1, 2), labels = TRUE, ...) {
  none_other(...)
  axes <- axes_shown(axes, ncol(object$points))
  names <- paste0("axis", axes)
  new <- if (is.null(newdata)) NULL else if (inherits(newdata, "adjoin_placements")) newdata else stats::predict(object, newdata)
  points <- rbind(object$points[, axes, drop = FALSE], if (!is.null(new)) coordinates(new, axes))
  roles <- rep(c("old", "new"), c(nrow(object$points), if (is.null(new)) 0L else nrow(new)))
  frame <- data.frame(label = rownames(points), role = factor(roles, c("old", "new")))
  frame[names] <- as.data.frame(points)
  at <- ggplot2::aes(
    x = .data[[names[[1L]]]], y = .data[[names[[2L]]]], colour = .data[["role"]], shape = .data[["role"]], label = .data[["label"]]
  )
  titles <- object$titles[axes]
  picture <- ggplot2::ggplot(frame, at) +
    ggplot2::geom_point() +
    ggplot2::coord_equal() +
    ggplot2::scale_colour_manual(values = c(old = "grey45", new = "#b3001b"), name = NULL) +
    ggplot2::scale_shape_manual(values = c(old = 16, new = 17), name = NULL) +
    ggplot2::labs(x = titles[[1L]], y = titles[[2L]])
  if (flag(labels, "labels")) {
    picture <- picture + ggplot2::geom_text(vjust = -0.7, size = 3, show.legend = FALSE)
  }
  picture
}

globalVariables(".data")
