# What comes in: types and names only. Which name is which object, and everything about the numbers, is for Rust.

is_count <- function(x) is.numeric(x) && length(x) == 1L && is.finite(x) && x >= 1 && x == trunc(x)

is_flag <- function(x) is.logical(x) && length(x) == 1L && !is.na(x)

is_word <- function(x) is.character(x) && length(x) == 1L && !is.na(x)

flag <- function(x, argument) {
  if (!is_flag(x)) wrong(argument, shown(x), "TRUE or FALSE")
  x
}

word <- function(x, argument) {
  if (is.factor(x)) x <- as.character(x)
  if (!is_word(x)) wrong(argument, shown(x), "a word")
  enc2utf8(x)
}

number <- function(x, argument) {
  if (is.null(x)) return(NULL)
  if (!is.numeric(x) || length(x) != 1L || is.na(x)) wrong(argument, shown(x), "a number")
  as.double(x)
}

axes_shown <- function(axes, d) {
  if (!is.numeric(axes) || length(axes) != 2L || anyNA(axes) || any(axes != trunc(axes)) || any(axes < 1) || any(axes > d)) {
    wrong("axes", paste(format(axes), collapse = ", "), paste("two numbers from 1 to", d))
  }
  as.integer(axes)
}

texts <- function(x) if (is.null(x)) NULL else enc2utf8(as.character(x))

# Threads: what the option says; two under R CMD check, as its rules are; otherwise one per core, which is 0 to Rust.
threads <- function() {
  wanted <- getOption("adjoin.threads")
  if (is.null(wanted)) {
    checked <- nzchar(Sys.getenv("_R_CHECK_PACKAGE_NAME_")) || nzchar(Sys.getenv("_R_CHECK_LIMIT_CORES_"))
    return(if (checked) 2L else 0L)
  }
  if (!is_count(wanted)) wrong("options(adjoin.threads=)", shown(wanted), "a whole number of at least 1")
  as.integer(wanted)
}

# A table of numbers with the names of its rows and columns: a matrix, a data frame or tibble (whose first column may hold the
# names of its rows, as text or as a factor), or one row as a vector.
table_of <- function(x, argument) {
  if (is.data.frame(x)) {
    rows <- if (.row_names_info(x) > 0L) row.names(x)
    numeric <- vapply(x, function(column) is.numeric(column) || all(is.na(column)), logical(1L))
    if (length(numeric) > 1L && !numeric[[1L]] && (is.character(x[[1L]]) || is.factor(x[[1L]]))) {
      rows <- as.character(x[[1L]])
      x <- x[-1L]
      numeric <- numeric[-1L]
    }
    if (!all(numeric)) {
      first <- names(x)[!numeric][[1L]]
      wrong(argument, paste0("the column ", encodeString(first, quote = "\""), ", which is ", class(x[[first]])[[1L]]), "numbers")
    }
    values <- as.matrix(as.data.frame(lapply(x, as.double), check.names = FALSE, optional = TRUE))
    dimnames(values) <- list(rows, names(x))
  } else if (is.numeric(x) && is.null(dim(x))) {
    values <- matrix(x, nrow = 1L, dimnames = list(NULL, names(x)))
  } else {
    values <- x
  }
  if (!is.matrix(values) || !(is.numeric(values) || is.logical(values) && all(is.na(values)))) {
    found <- if (is.matrix(x)) paste("a matrix of", typeof(x)) else paste("an object of class", class(x)[[1L]])
    wrong(argument, found, "a dist, a matrix or a data frame of numbers")
  }
  rows <- texts(rownames(values))
  columns <- texts(colnames(values))
  dimnames(values) <- NULL
  storage.mode(values) <- "double"
  list(values = values, rows = rows, columns = columns)
}

# Proximities between objects, for a fit.
proximities <- function(d, argument) {
  if (inherits(d, "dist")) {
    return(list(dist = as.double(d), size = as.double(attr(d, "Size")), labels = texts(attr(d, "Labels"))))
  }
  table <- table_of(d, argument)
  list(square = table$values, labels = if (is.null(table$rows)) table$columns else table$rows, columns = table$columns)
}

# Features of objects: numbers, or one text each.
features <- function(x, argument) {
  if (is.factor(x)) x <- structure(as.character(x), names = names(x))
  if (is.character(x) && is.null(dim(x))) {
    if (anyNA(x)) wrong(argument, "NA among the texts", "a text for each object")
    return(list(texts = texts(x), labels = texts(names(x))))
  }
  table <- table_of(x, argument)
  list(features = table$values, labels = table$rows, names = table$columns)
}

# Numbers by name or by position.
listed <- function(x, argument) {
  if (is.null(x)) return(NULL)
  if (!is.numeric(x)) wrong(argument, shown(x), "numbers")
  list(values = as.double(x), names = texts(names(x)))
}

# The number of a generation, 0 being the founders.
generation_wanted <- function(x) {
  if (is.null(x)) return(NULL)
  if (!is.numeric(x) || length(x) != 1L || !is.finite(x) || x < 0 || x != trunc(x)) {
    wrong("generation", shown(x), "a whole number, 0 for the founders")
  }
  as.double(x)
}

# Proximities between the old objects, or their features if that is what the map was made of.
old_objects <- function(map, d, argument = "d") {
  if (!is.null(map$metric) && !inherits(d, "dist")) {
    return(features(d, argument))
  }
  if (inherits(d, "dist")) {
    labels <- texts(attr(d, "Labels"))
    return(list(dist = as.double(d), size = as.double(attr(d, "Size")), rows = labels, columns = labels))
  }
  table <- table_of(d, argument)
  # A matrix whose rows alone have names is a square all the same.
  if (is.null(table$columns) && length(table$rows) == ncol(table$values)) table$columns <- table$rows
  table
}

# A word for each of these objects, by name or by position: a vector or factor, or a data frame of one column.
one_for_each <- function(x, labels, named, argument) {
  if (is.null(x)) return(NULL)
  if (is.data.frame(x)) {
    if (ncol(x) != 1L) wrong(argument, paste("a data frame of", ncol(x), "columns"), "one of them")
    x <- structure(as.character(x[[1L]]), names = if (.row_names_info(x) > 0L) row.names(x))
  }
  if (!is.atomic(x)) wrong(argument, shown(x), "a vector or a factor")
  by <- names(x)
  words <- as.character(x)
  count <- length(labels)
  if (!is.null(by)) {
    if (!named) wrong(argument, "names", "one for each old object by position: the old objects have no names")
    at <- match(labels, by)
    if (anyNA(at)) {
      first <- labels[is.na(at)][[1L]]
      wrong(argument, paste("nothing for", encodeString(first, quote = "\"")), paste("one for each of the", count, "old objects"))
    }
    words <- words[at]
  } else if (length(words) != count) {
    wrong(argument, length(words), paste0(count, ", one for each old object"))
  }
  if (anyNA(words)) {
    first <- labels[is.na(words)][[1L]]
    wrong(argument, paste("NA for", encodeString(first, quote = "\"")), paste("one for each of the", count, "old objects"))
  }
  enc2utf8(words)
}

# Newcomers for Rust. `between` is NULL, TRUE (it is in newdata), or proximities.
newcomers <- function(map, newdata, between = NULL, self = NULL, weights = NULL, partial = FALSE, fill = NULL,
                      ignore_new_features = FALSE, proximities = FALSE, generation = NULL, argument = "newdata") {
  by_features <- !is.null(map$metric) && !inherits(newdata, "dist") && !flag(proximities, "proximities")
  if (inherits(newdata, "dist")) {
    if (is.null(attr(newdata, "Labels"))) {
      wrong(argument, "a dist without labels", "labels, to tell which objects are on the map and which are new")
    }
    labels <- texts(attr(newdata, "Labels"))
    new <- list(dist = as.double(newdata), size = as.double(attr(newdata, "Size")), rows = labels, columns = labels)
  } else if (by_features) {
    new <- features(newdata, argument)
    new$fill <- number(fill, "fill")
    new$ignore <- flag(ignore_new_features, "ignore_new_features")
  } else {
    new <- table_of(newdata, argument)
  }
  if (!by_features && (!is.null(fill) || !identical(ignore_new_features, FALSE))) {
    wrong("fill", "an argument for features beside proximities", "it beside features only")
  }
  if (by_features && !is.null(self)) {
    wrong("self", "it beside features", "it beside proximities only: features tell how similar a newcomer is to itself")
  }
  if (flag(partial, "partial") && by_features) {
    wrong("partial", "it beside features", "it beside proximities only: fill says what absent features are")
  }
  new$argument <- argument
  new$generation <- generation_wanted(generation)
  new$partial <- partial
  if (is_flag(between)) {
    new$jointly <- between
  } else if (!is.null(between)) {
    new$jointly <- TRUE
    if (inherits(between, "dist")) {
      labels <- texts(attr(between, "Labels"))
      new$between <- list(dist = as.double(between), size = as.double(attr(between, "Size")), rows = labels, columns = labels)
    } else {
      new$between <- table_of(between, "between")
    }
  }
  if (!is.null(self)) {
    if (!is.numeric(self) || anyNA(self)) wrong("self", shown(self), "numbers")
    if (length(self) == 1L && is.null(names(self))) new$self <- as.double(self) else new$selves <- listed(self, "self")
  }
  new$weights <- listed(weights, "weights")
  new
}
