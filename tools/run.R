# The main example: prints an answer and writes a picture.
library(bayesgap)
cat("bayesgap", format(packageVersion("bayesgap")), "\n")
