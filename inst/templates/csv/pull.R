# Rscript pull.R 3: carries out the pull in row 3 of todo.csv and writes its result.
# It needs no package; it might as well be a program in another language.
row <- as.integer(commandArgs(TRUE)[1])
todo <- read.csv("todo.csv", colClasses = c(arm = "character"))
if (row > nrow(todo)) {
  quit()
}
todo <- todo[row, ]

# Your trial stands here. This one is simulated.
set.seed(todo$pull)
y <- ((todo$temperature - 220) / 20)^2 + ((todo$minutes - 35) / 10)^2 + rnorm(1, sd = 0.5)

# Renamed when it is complete, so that nobody reads half a result.
file <- sprintf("result-%d.csv", todo$pull)
write.csv(data.frame(todo[c("pull", "arm")], y = y), paste0(file, ".part"), row.names = FALSE)
invisible(file.rename(paste0(file, ".part"), file))
