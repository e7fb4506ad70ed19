# Run by pkgbuild and r-universe before R CMD build: the package becomes self-contained.
if (system2("./vendor") != 0L) stop("r/vendor failed")
