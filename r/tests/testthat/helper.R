# Data that people have: distances between all objects, some of whom are newcomers.
everybody <- function(name) {
  if (name == "eurodist") {
    return(eurodist)
  }
  skip_if_not_installed("vegan")
  env <- new.env()
  utils::data(list = name, package = "vegan", envir = env)
  vegan::vegdist(env[[name]])
}

# The first of the objects are old, every fourth is new.
parted <- function(name) {
  d <- everybody(name)
  all <- as.matrix(d)
  new <- seq(3, nrow(all), by = 4)
  list(all = d, old = all[-new, -new], new = all[new, -new], supplementary = seq_len(nrow(all)) %in% new, between = all[new, new])
}

names_of_data <- c("eurodist", "dune", "varespec", "BCI")

# How far two matrices are apart, relative to the second.
apart <- function(a, b) max(abs(unname(as.matrix(a)) - unname(as.matrix(b)))) / max(abs(as.matrix(b)))

# The same with axes the way round of the second.
apart_but_for_signs <- function(a, b) {
  signs <- sign(colSums(as.matrix(a) * as.matrix(b)))
  apart(sweep(as.matrix(a), 2, signs, "*"), b)
}

# The same square in the opposite order.
rev_both <- function(square) square[rev(rownames(square)), rev(rownames(square))]

# A table as the command line reads it, to the bit.
write_exactly <- function(values, file) {
  exact <- values
  exact[] <- sprintf("%.17g", values)
  utils::write.table(exact, file, sep = "\t", quote = FALSE, col.names = NA)
  file
}

# The command line, if it is at hand.
command_line <- function(...) {
  program <- Sys.getenv("ADJOIN")
  skip_if(!nzchar(program), "ADJOIN does not name the command line")
  status <- system2(program, shQuote(c(...)), stderr = FALSE)
  expect_identical(status, 0L)
}

# A table of the command line, as text: R reads numbers to within a unit in the last place only.
read_table <- function(file) {
  utils::read.delim(file, check.names = FALSE, colClasses = "character", na.strings = character())
}

# Values in the form of such a column: with as many digits as it has.
written_as <- function(values, column) {
  if (is.factor(values)) values <- as.character(values)
  if (is.character(values)) {
    return(ifelse(is.na(values), "", values))
  }
  if (is.logical(values)) {
    return(ifelse(is.na(values), "", tolower(values)))
  }
  if (!is.double(values)) {
    return(as.character(values))
  }
  digits <- nchar(sub("^0+", "", gsub("[-.]|e.*$", "", column)))
  same <- sprintf("%.*e", pmax(digits, 1L) - 1L, values) == sprintf("%.*e", pmax(digits, 1L) - 1L, as.numeric(column))
  ifelse(is.na(values), "", ifelse(same, column, format(values, digits = 17)))
}

# A table of the command line says what our columns say, to the bit.
expect_same_table <- function(ours, theirs, info) {
  for (column in intersect(names(ours), names(theirs))) {
    expect_identical(written_as(ours[[column]], theirs[[column]]), theirs[[column]], info = paste(info, column))
  }
}

# Numbers as bytes, for other programs and from them.
write_numbers <- function(values, file) {
  writeBin(as.double(values), file, endian = "little")
  file
}

read_numbers <- function(file) readBin(file, "double", file.size(file) / 8, endian = "little")

# Python with the package adjoin, if it is at hand; runs a program.
python <- function(code, ...) {
  program <- Sys.getenv("ADJOIN_PYTHON")
  skip_if(!nzchar(program), "ADJOIN_PYTHON does not name a Python that has adjoin")
  file <- tempfile(fileext = ".py")
  writeLines(code, file)
  status <- system2(program, shQuote(c(file, ...)))
  expect_identical(status, 0L)
}

# Numbers of a NumPy file, which are exact: rows of doubles.
read_npy <- function(file) {
  connection <- file(file, "rb")
  on.exit(close(connection))
  stopifnot(readBin(connection, "raw", 8L)[[7L]] == as.raw(1))
  header <- readChar(connection, readBin(connection, "integer", 1L, 2L, endian = "little"))
  said <- sub(".*shape", "", header)
  shape <- as.integer(regmatches(said, gregexpr("[0-9]+", said))[[1L]])
  stopifnot(grepl("<f8", header), grepl("False", header))
  matrix(readBin(connection, "double", prod(shape), endian = "little"), shape[[1L]], byrow = TRUE)
}

# A new folder for files.
new_folder <- function() {
  folder <- tempfile("adjoin")
  dir.create(folder)
  folder
}
