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
  arrived <- if (!is.null(new)) coordinates(new, axes)
  around <- if (!is.null(new)) outlines(new, axes)
  all <- do.call(rbind, c(list(old, arrived), around))
  # Room for names above and below.
  room <- function(values) grDevices::extendrange(values[is.finite(values)], f = 0.06)
  graphics::plot(
    all,
    type = "n", asp = asp, xlim = if (is.null(xlim)) room(all[, 1L]) else xlim, ylim = if (is.null(ylim)) room(all[, 2L]) else ylim,
    xlab = if (is.null(xlab)) x$titles[[axes[[1L]]]] else xlab, ylab = if (is.null(ylab)) x$titles[[axes[[2L]]]] else ylab, ...
  )
  graphics::abline(h = 0, v = 0, col = "grey90")
  graphics::points(old, col = col, pch = pch, cex = cex)
  for (region in around) {
    graphics::polygon(region, border = grDevices::adjustcolor(col.new, 0.6), col = grDevices::adjustcolor(col.new, 0.08))
  }
  if (!is.null(new)) graphics::points(new, axes = axes, col = col.new, pch = pch.new, cex = cex.new)
  if (flag(labels, "labels")) {
    # Newcomers choose first.
    at <- rbind(arrived, old)
    colours <- rep(c(col.new, col), c(nrow(at) - nrow(old), nrow(old)))
    at_hand <- stats::complete.cases(at)
    at <- at[at_hand, , drop = FALSE]
    graphics::text(at, labels = rownames(at), pos = sides(at, rownames(at), cex), offset = OFFSET, cex = cex, col = colours[at_hand], xpd = NA)
  }
  invisible(old)
}

# How far names stand from their points, in lines.
OFFSET <- 0.3

# On which side of its point each name covers least, for text(): above, below, right or left.
sides <- function(at, names, cex) {
  width <- graphics::strwidth(names, cex = cex)
  height <- graphics::strheight(names, cex = cex)
  frame <- graphics::par("usr")
  # text() sets names off by so much of a line, in inches.
  gap <- OFFSET * graphics::par("cin")[[2L]] * c(frame[[2L]] - frame[[1L]], frame[[4L]] - frame[[3L]]) / graphics::par("pin")
  taken <- matrix(numeric(), 0L, 4L)
  chosen <- integer(nrow(at))
  for (i in seq_len(nrow(at))) {
    best <- Inf
    for (side in c(3L, 1L, 4L, 2L)) {
      x <- at[i, 1L] + c(0, -1, 0, 1)[[side]] * (width[[i]] / 2 + gap[[1L]])
      y <- at[i, 2L] + c(-1, 0, 1, 0)[[side]] * (height[[i]] / 2 + gap[[2L]])
      box <- c(x - width[[i]] / 2, x + width[[i]] / 2, y - height[[i]] / 2, y + height[[i]] / 2)
      points <- sum(at[, 1L] > box[[1L]] & at[, 1L] < box[[2L]] & at[, 2L] > box[[3L]] & at[, 2L] < box[[4L]])
      others <- sum(taken[, 1L] < box[[2L]] & taken[, 2L] > box[[1L]] & taken[, 3L] < box[[4L]] & taken[, 4L] > box[[3L]])
      outside <- sum(box < frame[c(1L, 1L, 3L, 3L)], box > frame[c(2L, 2L, 4L, 4L)])
      cost <- points + 2 * others + 3 * outside
      if (cost < best) {
        best <- cost
        chosen[[i]] <- side
        own <- box
      }
    }
    taken <- rbind(taken, own)
  }
  chosen
}

# The outline of the 95 % region of each place, where it was asked how certain it is.
outlines <- function(x, axes) {
  covariance <- attr(x, "covariance")
  if (is.null(covariance)) return(NULL)
  turn <- seq(0, 2 * pi, length.out = 49L)
  circle <- rbind(cos(turn), sin(turn))
  centres <- coordinates(x, axes)
  reach <- attr(x, "reach")
  outline <- function(i) {
    own <- covariance[i, axes, axes]
    if (!all(is.finite(c(own, reach[[i]], centres[i, ])))) return(NULL)
    turned <- eigen(own, symmetric = TRUE)
    half <- sqrt(reach[[i]] * pmax(turned$values, 0))
    t(turned$vectors %*% (half * circle) + centres[i, ])
  }
  Filter(Negate(is.null), lapply(seq_len(nrow(centres)), outline))
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
