# Maps of what people already have: the ordination stays as it is, newcomers are added to it.
#
# An ordination by classical scaling is fitted anew from what it keeps of the distances, and its axes are turned to the side that
# it has them; so nothing differs but for rounding, and the old objects can be left out exactly.

as_map <- function(x, ...) UseMethod("as_map")

as_map.default <- function(x, ...) {
  wrong("x", paste("an object of class", class(x)[[1L]]),
    "an ordination by cmdscale (eig = TRUE, x.ret = TRUE), wcmdscale, dbrda, capscale, ape::pcoa, metaMDS or isoMDS, or coordinates with d")
}

as_map.adjoin_map <- function(x, ...) {
  none_other(...)
  x
}

as_map.matrix <- function(x, d, k = NULL, kind = c("dissimilarity", "squared", "similarity"), rescale = FALSE, link = "none",
                          force = FALSE, ...) {
  none_other(...)
  if (missing(d)) wrong("d", "coordinates alone", "the proximities that they were made from as well")
  kind <- choice(kind, c("dissimilarity", "squared", "similarity"), "kind", missing(kind))
  given(x, d, k, kind, rescale, word(link, "link"), force, "coordinates")
}

as_map.data.frame <- function(x, d, ...) {
  table <- table_of(x, "x")
  points <- table$values
  dimnames(points) <- list(table$rows, table$columns)
  as_map.matrix(points, d, ...)
}

# Lists of two programs: cmdscale, and isoMDS of MASS.
as_map.list <- function(x, d = NULL, k = NULL, ...) {
  if (is.matrix(x$points) && !is.null(x$GOF)) {
    return(as_map_cmdscale(x, d, k, ...))
  }
  if (is.matrix(x$points) && !is.null(x$stress)) {
    return(nonmetric(x$points, d, k, made_of = "isoMDS", ...))
  }
  as_map.default(x)
}

as_map.metaMDS <- function(x, d = NULL, k = NULL, ...) nonmetric(x$points, d, k, made_of = class(x)[[1L]], ...)

as_map.monoMDS <- as_map.metaMDS

# Coordinates whose distances follow the dissimilarities by their order only.
nonmetric <- function(points, d, k, link = "monotone", force = FALSE, made_of, ...) {
  none_other(...)
  if (is.null(d)) wrong("d", paste(made_of, "alone"), "the dissimilarities that it was made from as well")
  given(points, d, k, "dissimilarity", FALSE, word(link, "link"), force, made_of)
}

as_map_cmdscale <- function(x, d, k, ...) {
  none_other(...)
  constant <- if (is.null(x$ac)) 0 else x$ac
  objects <- if (!is.null(d)) {
    proximities(d, "d")
  } else if (is.matrix(x$x)) {
    # Doubly centred squares, with the additive constant in them.
    list(inner = plain_matrix(x$x), factor = -0.5, corrected = "cailliez", constant = as.double(constant), labels = texts(rownames(x$points)))
  } else {
    wrong("x", "a cmdscale without x", "cmdscale(eig = TRUE, x.ret = TRUE), or d")
  }
  principal(objects, x$points, k, if (constant > 0) "cailliez" else "none", "cmdscale", default = ncol(x$points))
}

as_map.wcmdscale <- function(x, d = NULL, k = NULL, ...) {
  none_other(...)
  if (length(unique(x$weights)) > 1L) {
    wrong("x", "weights that differ", "a wcmdscale with equal weights: newcomers have none")
  }
  corrected <- if (is.character(x$add)) x$add else "none"
  whole <- is.null(x$eig) || sum(x$eig > 0) == ncol(x$points) && (all(x$eig > 0) || !is.null(x$negaxes))
  recovered <- if (is.matrix(x$x)) {
    list(inner = plain_matrix(x$x), factor = -0.5)
  } else if (whole) {
    list(real_axes = plain_matrix(x$points), imaginary_axes = plain_matrix(x$negaxes))
  }
  objects <- if (!is.null(d)) {
    proximities(d, "d")
  } else if (!is.null(recovered)) {
    c(recovered, list(corrected = corrected, constant = if (is.na(x$ac)) 0 else as.double(x$ac), labels = texts(rownames(x$points))))
  } else {
    wrong("x", "a wcmdscale without some of its axes", "wcmdscale(x.ret = TRUE), or d")
  }
  principal(objects, x$points, k, corrected, "wcmdscale")
}

as_map.pcoa <- function(x, d = NULL, k = NULL, ...) {
  none_other(...)
  corrected <- if (is.null(x$vectors.cor)) "none" else x$correction[[1L]]
  points <- if (corrected == "none") x$vectors else x$vectors.cor
  objects <- if (!is.null(d)) {
    proximities(d, "d")
  } else if (corrected == "none" && all(x$values$Eigenvalues >= 0)) {
    list(real_axes = plain_matrix(points), labels = texts(rownames(points)))
  } else {
    wrong("d", "a pcoa with negative eigenvalues, whose axes it does not keep", "the distances that it was made from as well")
  }
  principal(objects, points, k, corrected, "pcoa")
}

as_map.dbrda <- function(x, k = NULL, ...) {
  none_other(...)
  unconstrained(x)
  as_map_vegan(x, list(inner = plain_matrix(x$Ybar)), k, "dbrda")
}

as_map.capscale <- function(x, k = NULL, ...) {
  none_other(...)
  unconstrained(x)
  as_map_vegan(x, list(real_axes = plain_matrix(x$Ybar), imaginary_axes = plain_matrix(x$CA$imaginary.u.eig)), k, "capscale")
}

# vegan's eigenvectors are of length 1, its distances perhaps square roots and divided by `adjust`.
as_map_vegan <- function(x, recovered, k, made_of) {
  corrected <- if (is.null(x$add) || is.null(x$ac)) "none" else x$add
  if (corrected != "none" && x$adjust != 1) {
    wrong("x", paste("a correction by", corrected, "of distances that were divided by", format(x$adjust)), "pcoa_map(d, correction = )")
  }
  objects <- c(recovered, list(
    factor = as.double(x$adjust)^2, corrected = corrected, constant = if (is.null(x$ac)) 0 else as.double(x$ac),
    labels = texts(rownames(x$CA$u)), kind = if (isTRUE(x$sqrt.dist)) "squared" else "dissimilarity"
  ))
  principal(objects, x$CA$u, k, corrected, made_of, scaled = FALSE)
}

unconstrained <- function(x) {
  if (!is.null(x$CCA) || !is.null(x$pCCA)) {
    wrong("x", "an ordination with constraints or conditions", "one without, by the formula d ~ 1: where newcomers are on the constraints is not known")
  }
}

as_map.rda <- function(x, ...) as_map.default(x)

as_map.cca <- function(x, ...) as_map.default(x)

plain_matrix <- function(x) {
  if (is.null(x)) return(NULL)
  x <- as.matrix(x)
  matrix(as.double(x), nrow(x), ncol(x))
}

# A classical scaling by another program.
principal <- function(objects, points, k, correction, made_of, scaled = TRUE, default = 2L) {
  if (is.null(objects$kind)) objects$kind <- "dissimilarity"
  k <- if (is.null(k)) min(default, ncol(points)) else axes_wanted(k)
  points <- ordered_as(points, objects$labels)
  settings <- list(
    k = as.double(k), correction = correction, face = plain_matrix(points), face_scaled = scaled, made_of = made_of
  )
  fitted(core_fit(objects, settings, threads()))
}

# Coordinates that are taken as they are.
given <- function(points, d, k, kind, rescale, link, force, made_of) {
  if (!is.numeric(points)) wrong("x", shown(points), "numbers")
  objects <- proximities(d, "d")
  objects$kind <- kind
  points <- ordered_as(points, objects$labels)
  settings <- list(
    k = if (is.null(k)) "all" else axes_wanted(k), points = plain_matrix(points), rescale = flag(rescale, "rescale"), link = link,
    force = flag(force, "force"), made_of = made_of
  )
  fitted(core_fit(objects, settings, threads()))
}

# Rows of coordinates in the order of the objects, by name where both have names.
ordered_as <- function(points, labels) {
  rows <- texts(rownames(points))
  if (is.null(rows) || is.null(labels)) {
    return(points)
  }
  at <- match(labels, rows)
  if (anyNA(at)) {
    missing <- labels[is.na(at)][[1L]]
    wrong("x", paste("no coordinates for", encodeString(missing, quote = "\"")), "them for every object of d")
  }
  points[at, , drop = FALSE]
}
