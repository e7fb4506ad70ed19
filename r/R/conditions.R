# What Rust answers, and what is signalled of it: errors, warnings and messages are conditions with classes.

# An answer of Rust, unless it is the record of why there is none, which is signalled.
answered <- function(answer) {
  if (!inherits(answer, "adjoin_failure")) {
    return(answer)
  }
  if (answer$class == "interrupt") {
    interrupted()
  }
  failed(answer$message, answer$about, setdiff(answer$class, "adjoin_error"))
}

failed <- function(message, about, class = NULL) {
  stop(structure(
    list(message = message, call = NULL, about = about),
    class = c(class, "adjoin_error", "error", "condition")
  ))
}

# An error about one argument, in the form of the core's.
wrong <- function(argument, found, expected) {
  failed(paste0(argument, ": found ", found, ", expected ", expected), argument)
}

# What R does when somebody presses Ctrl-C: Rust has looked, and R has forgotten it.
interrupted <- function() {
  condition <- structure(list(message = "", call = NULL), class = c("interrupt", "condition"))
  signalCondition(condition)
  invokeRestart("abort")
}

# What is remarkable about an answer.
remarked <- function(answer) {
  for (said in answer$assumed) {
    message(structure(
      list(message = paste0(said, "\n"), call = NULL),
      class = c("adjoin_message", "message", "condition")
    ))
  }
  for (said in c(answer$remarks, answer$unplaced)) {
    warning(structure(
      list(message = said, call = NULL),
      class = c("adjoin_warning", "warning", "condition")
    ))
  }
  invisible(answer)
}

# How an argument is shown in a message.
shown <- function(x) {
  text <- paste(deparse(x, width.cutoff = 60L, nlines = 1L), collapse = " ")
  if (is.atomic(x) && length(x) <= 1L) text else paste0("an object of class ", class(x)[[1L]])
}

# Nothing is ignored: what no method of ours knows is refused.
none_other <- function(...) {
  if (...length() > 0L) {
    known <- ...names()
    first <- if (is.null(known) || !nzchar(known[[1L]])) "an argument without a name" else {
      paste0("the argument ", known[[1L]])
    }
    wrong("...", first, "the arguments of the help page")
  }
}
