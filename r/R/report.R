# The interactive page: one HTML file that needs nothing else.

report <- function(map, newdata = NULL, file, strategy = "project", between = NULL, title = NULL, metadata = NULL, self = NULL,
                   weights = NULL, partial = FALSE, fill = NULL, ignore_new_features = FALSE, proximities = FALSE,
                   generation = NULL) {
  check_map(map)
  file <- word(file, "file")
  if (!grepl("\\.html?$", file, ignore.case = TRUE)) wrong("file", file, "a name that ends in .html")
  together <- !is.null(between) && !identical(between, FALSE)
  if (is.null(newdata)) {
    given <- c(
      strategy = !missing(strategy), between = together, self = !is.null(self), weights = !is.null(weights),
      partial = !identical(partial, FALSE), fill = !is.null(fill), ignore_new_features = !identical(ignore_new_features, FALSE),
      proximities = !identical(proximities, FALSE), generation = !is.null(generation)
    )
    if (any(given)) wrong("newdata", paste("nothing beside", names(given)[given][[1L]]), "newcomers")
  }
  strategy <- if (!missing(strategy)) word(strategy, "strategy") else if (together) "reconstruct" else map$strategy
  if (together && strategy != "reconstruct") {
    wrong("strategy", paste(strategy, "beside between"), "reconstruct: newcomers are placed jointly by reconstruction only")
  }
  new <- if (!is.null(newdata)) {
    newcomers(map, newdata, between, self, weights, partial, fill, ignore_new_features, proximities, generation)
  }
  how <- list(
    strategy = strategy,
    title = if (is.null(title)) sub("\\.html?$", "", basename(file), ignore.case = TRUE) else word(title, "title"),
    path = path.expand(file)
  )
  answer <- answered(core_report(pointer(map), new, c(how, told_of(metadata)), threads()))
  remarked(answer)
  invisible(file)
}

# What else is known of the objects, by label, as text.
told_of <- function(metadata) {
  if (is.null(metadata)) return(NULL)
  if (!is.data.frame(metadata)) wrong("metadata", shown(metadata), "a data frame")
  labels <- row.names(metadata)
  if (.row_names_info(metadata) < 0L) {
    first <- metadata[[1L]]
    if (!is.character(first) && !is.factor(first)) {
      wrong("metadata", "neither row names nor labels in its first column", "one of them")
    }
    labels <- as.character(first)
    metadata <- metadata[-1L]
  }
  if (anyDuplicated(labels)) wrong("metadata", paste("the label", labels[duplicated(labels)][[1L]], "twice"), "each label once")
  list(metadata_labels = texts(labels), metadata = lapply(metadata, function(column) texts(as.character(column))))
}
