library(testthat)
library(adjoin)

test_check("adjoin")
