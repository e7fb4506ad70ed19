# The map: bytes of its file, which survive saveRDS() and go to other processes, and a pointer to what Rust made of them.

new_map <- function(handed) {
  cache <- new.env(parent = emptyenv())
  cache$pointer <- handed$pointer
  structure(list(bytes = handed$bytes, cache = cache), class = "adjoin_map")
}

check_map <- function(map) {
  if (!inherits(map, "adjoin_map")) wrong("map", shown(map), "a map, by pcoa_map(), as_map() or read_map()")
  map
}

# The pointer, made anew where it was lost.
pointer <- function(map) {
  cache <- .subset2(check_map(map), "cache")
  if (is.null(cache$pointer) || !core_points(cache$pointer)) {
    cache$pointer <- answered(core_open(.subset2(map, "bytes")))
  }
  cache$pointer
}

# What the map holds, asked for once.
facts <- function(map) {
  cache <- .subset2(map, "cache")
  if (is.null(cache$facts)) {
    facts <- answered(core_facts(pointer(map)))
    labels <- facts$labels
    dimnames(facts$points) <- list(labels, paste0("axis", seq_len(ncol(facts$points))))
    names(facts$residuals) <- labels
    if (!is.null(facts$generations)) facts$generations <- framed(facts$generations, class = NULL)
    cache$facts <- facts
  }
  cache$facts
}

`$.adjoin_map` <- function(x, name) facts(x)[[name, exact = TRUE]]

`[[.adjoin_map` <- function(x, i, ...) facts(x)[[i]]

`[.adjoin_map` <- function(x, i) facts(x)[i]

`$<-.adjoin_map` <- function(x, name, value) fixed(name)

`[[<-.adjoin_map` <- function(x, i, value) fixed(i)

`[<-.adjoin_map` <- function(x, i, value) fixed(i)

fixed <- function(name) {
  wrong("map", paste("an assignment to", paste(name, collapse = ", ")), "none: newcomers are placed on a map, which does not change")
}

names.adjoin_map <- function(x) names(facts(x))

head.adjoin_map <- function(x, ...) head(as.data.frame(x), ...)

tail.adjoin_map <- function(x, ...) tail(as.data.frame(x), ...)

str.adjoin_map <- function(object, ...) {
  cat("Class 'adjoin_map', ")
  utils::str(facts(object), ...)
}

length.adjoin_map <- function(x) length(facts(x))

pcoa_map <- function(d, k = 2, kind = c("dissimilarity", "squared", "similarity"), correction = c("none", "lingoes", "cailliez"),
                     origin = NULL, metric = NULL, kernel = NULL, power = NULL, gamma = NULL, degree = NULL, coef0 = NULL) {
  measured <- !is.null(metric) || !is.null(kernel)
  if (!is.null(metric) && !is.null(kernel)) wrong("kernel", "it beside a metric", "one of the two")
  if (measured && !missing(kind)) wrong("kind", "it beside a metric or a kernel", "none: it follows from that")
  objects <- if (measured) features(d, "d") else proximities(d, "d")
  objects$kind <- if (missing(kind)) "dissimilarity" else word(kind, "kind")
  measure <- list(
    metric = if (!is.null(metric)) word(metric, "metric"),
    kernel = if (!is.null(kernel)) word(kernel, "kernel"),
    power = number(power, "power"), gamma = number(gamma, "gamma"),
    degree = number(degree, "degree"), coef0 = number(coef0, "coef0")
  )
  if (!measured && length(Filter(Negate(is.null), measure)) > 0L) {
    wrong("metric", "parameters of a measure alone", "a metric or a kernel with them")
  }
  settings <- c(
    list(k = axes_wanted(k), correction = if (missing(correction)) "none" else word(correction, "correction")),
    origin_wanted(origin),
    measure
  )
  fitted(core_fit(c(objects, measure), settings, threads()))
}

# A fitted map; what was found on the way is kept with it.
fitted <- function(answer) new_map(answered(answer)$map)

axes_wanted <- function(k) {
  if (is_word(k)) return(k)
  if (!is_count(k)) wrong("k", shown(k), "a whole number of at least 1, \"auto\" or \"all\"")
  as.double(k)
}

# One object by name or position, or weights.
origin_wanted <- function(origin) {
  if (is.null(origin)) return(NULL)
  if (is.factor(origin)) origin <- as.character(origin)
  if (is_word(origin)) return(list(origin = enc2utf8(origin)))
  if (is_count(origin) && is.null(names(origin))) return(list(origin_at = as.double(origin)))
  list(weights = listed(origin, "origin"))
}

read_map <- function(file) {
  new_map(answered(core_read(path.expand(word(file, "file")))))
}

write_map <- function(map, file) {
  answered(core_write(pointer(map), path.expand(word(file, "file"))))
  invisible(file)
}

print.adjoin_map <- function(x, ...) {
  none_other(...)
  cat(described(x), sep = "\n")
  invisible(x)
}

# The map in a few lines.
described <- function(x) {
  points <- x$points
  measure <- if (is.null(x$metric)) x$kind else x$metric
  c(
    paste0("A map of ", nrow(points), " objects on ", ncol(points), if (ncol(points) == 1L) " axis" else " axes", " (", x$method, ", ", measure, ")"),
    paste0("  ", paste(x$titles, collapse = ", ")),
    paste0("  ", x$shown, if (x$given) "; the coordinates were given" else if (x$negative > 0L) paste0("; ", x$negative, " negative eigenvalue", if (x$negative > 1L) "s")),
    if (x$correction != "none") paste0("  ", x$correction, " correction by ", format(x$constant)),
    if (x$origin != "centroid") paste0("  origin: ", x$origin),
    if (!x$named) "  its objects have positions, no names",
    if (!is.null(x$generations)) paste0("  ", x$founders, " founders, ", came(x$generations)),
    if (length(x$findings)) paste0("  ", x$findings),
    if (!is.null(attr(x, "refit"))) paste0("  fitted anew: ", attr(x, "refit")$says)
  )
}

# Who came when, in words.
came <- function(generations) {
  how <- ifelse(generations$jointly, "jointly", paste("by", generations$strategy))
  paste0(generations$count, " more ", how, collapse = ", ")
}

summary.adjoin_map <- function(object, ...) {
  none_other(...)
  axes <- data.frame(eigenvalue = object$eigenvalues, proportion = object$proportions)
  row.names(axes) <- colnames(object$points)
  structure(
    list(
      described = described(object), axes = axes, suggested = object$suggested, left_out = object$left_out,
      residuals = summary(object$residuals), shrinkage = object$shrinkage, version = object$version, given = object$given
    ),
    class = "summary.adjoin_map"
  )
}

print.summary.adjoin_map <- function(x, ...) {
  cat(x$described, sep = "\n")
  cat("\n")
  print(x$axes, ...)
  if (!x$given) {
    cat("\naxes suggested: ", x$suggested[[1L]], " by the broken stick, ", x$suggested[[2L]], " by the profile likelihood\n", sep = "")
  }
  if (length(x$shrinkage)) {
    cat("\nnewcomers like the old objects, projected, appear at ", paste(format(x$shrinkage, digits = 2), collapse = ", "),
      " of their size on these axes: leave_one_out() shows the old objects on the same footing\n", sep = "")
  }
  cat("\nresiduals of the old objects, each left out (", x$left_out, "):\n", sep = "")
  print(x$residuals, ...)
  invisible(x)
}

as.data.frame.adjoin_map <- function(x, row.names = NULL, optional = FALSE, ...) {
  none_other(...)
  frame <- as.data.frame(x$points)
  if (!is.null(row.names)) row.names(frame) <- row.names
  frame
}
