# The wine study's data: the wines, the 160 models, and the test errors of each on many splits.
# From the repository root: Rscript data-raw/wine.R
# The test errors take three quarters of an hour of one core; they are spread over all cores, each
# finished split is kept in build/wine/, and the same command goes on where it was stopped.
# Needs: e1071, FNN, future, future.apply, glmnet, progressr, ranger

splits <- 200L
folder <- file.path("build", "wine")
dir.create(folder, recursive = TRUE, showWarnings = FALSE)

# ---- The wines -------------------------------------------------------------------------------

# The source package is read as an archive; it need not be installed. Its versions spell names
# differently (red_wines, redWines; fixed.acidity, fixed_acidity).
wines_from_cran <- function() {
  if (identical(getOption("repos")[["CRAN"]], "@CRAN@")) {
    utils::chooseCRANmirror(graphics = FALSE, ind = 1, local.only = TRUE)
  }
  tarball <- utils::download.packages("liver", folder, type = "source")[1, 2]
  message(basename(tarball), " (?wine names version 1.30)")
  utils::untar(tarball, exdir = folder)
  found <- new.env()
  files <- list.files(file.path(folder, "liver", "data"), "wine", ignore.case = TRUE)
  for (file in file.path(folder, "liver", "data", files)) {
    load(file, found)
  }
  do.call(rbind, lapply(c("red", "white"), function(colour) {
    name <- grep(paste0("^", colour, "[._]?wines?$"), ls(found), ignore.case = TRUE, value = TRUE)
    wines <- as.data.frame(found[[name]])
    names(wines) <- gsub("[ .-]", "_", names(wines))
    data.frame(wines, colour = colour)
  }))
}

wine <- wines_from_cran()
attributes <- c(
  "fixed_acidity", "volatile_acidity", "citric_acid", "residual_sugar", "chlorides",
  "free_sulfur_dioxide", "total_sulfur_dioxide", "density", "pH", "sulphates", "alcohol"
)
wine <- wine[c(attributes, "quality", "colour")]
wine$quality <- as.integer(as.character(wine$quality))
wine$colour <- factor(wine$colour, c("red", "white"))
stopifnot(
  "1599 red and 4898 white" = table(wine$colour) == c(1599, 4898),
  "numbers" = vapply(wine[attributes], is.numeric, TRUE),
  "nothing missing" = !anyNA(wine),
  "scores" = wine$quality %in% 3:9,
  "means as published" = abs(colMeans(wine[c("alcohol", "pH")]) - c(10.492, 3.2185)) < 1e-3
)

# ---- The models ------------------------------------------------------------------------------

grids <- list(
  lasso = list(alpha = c(0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5)),
  forest = list(
    n_estimators = c(1, 10, 100, 1000), min_samples_split = c(1, 3, 5, 7),
    min_samples_leaf = c(2, 6, 10, 14)
  ),
  linsvm = list(C = c(0.001, 0.01, 0.1, 1), epsilon = c(0.0001, 0.001, 0.01, 0.1)),
  rbfsvm = list(
    C = c(0.001, 0.01, 0.1, 1), epsilon = c(0.0001, 0.001, 0.01, 0.1),
    gamma = c(0.025, 0.05, 0.1, 0.2)
  ),
  knn = list(n_neighbors = seq(1, 15, by = 2))
)
parameters <- unique(unlist(lapply(grids, names)))

# The first parameter changes slowest. step1, step2, step3: places on the grid, from 1.
models_of <- function(class) {
  grid <- grids[[class]]
  steps <- rev(expand.grid(rev(lapply(grid, seq_along))))
  models <- data.frame(class = class, matrix(NA_real_, nrow(steps), length(parameters)))
  names(models)[-1] <- parameters
  for (name in names(grid)) {
    models[[name]] <- grid[[name]][steps[[name]]]
  }
  values <- lapply(models[names(grid)], function(v) vapply(v, format, "", scientific = FALSE))
  models$arm <- do.call(paste, c(class, values, sep = "-"))
  for (i in 1:3) {
    models[[paste0("step", i)]] <- if (i <= length(steps)) steps[[i]] else 1L
  }
  models
}
wine_models <- do.call(rbind, lapply(names(grids), models_of))
wine_models <- wine_models[c("arm", "class", parameters, paste0("step", 1:3))]
stopifnot(
  "160 models" = nrow(wine_models) == 160,
  "all different" = !anyDuplicated(wine_models$arm) && !anyDuplicated(wine_models[-1])
)

# ---- Their test errors -----------------------------------------------------------------------

# The first model that behaves as this one. Only forests have such twins: a node of fewer than
# 2 * min_samples_leaf examples is not split whatever min_samples_split says, and 1 is taken as 2.
effective <- within(wine_models, {
  min_samples_split <- pmax(min_samples_split, 2 * min_samples_leaf)
  arm <- step1 <- step2 <- step3 <- NULL
})
key <- do.call(paste, effective)
twin <- match(key, key)
stopifnot("24 forests" = length(unique(twin[wine_models$class == "forest"])) == 24)

# One column: all models on the split that a seed gives. The same number comes of
#   set.seed(seed); wine_objective()(wine_models[i, ])
errors_of <- function(seed, objective, models, folder, tick) {
  file <- file.path(folder, sprintf("split-%d.rds", seed))
  if (!file.exists(file)) {
    errors <- vapply(seq_len(nrow(models)), function(i) {
      set.seed(seed, "Mersenne-Twister", "Inversion", "Rejection")
      objective(models[i, ])
    }, 0)
    saveRDS(errors, paste0(file, ".part"))
    file.rename(paste0(file, ".part"), file)
  }
  tick()
  readRDS(file)
}

# The pull is the package's own, read from its sources.
pull <- new.env()
for (file in file.path("R", c("check.R", "wine.R"))) {
  sys.source(file, pull)
}
stopifnot("min_samples_leaf needs ranger 0.15" = packageVersion("ranger") >= "0.15")
objective <- pull$wine_objective(wine)

future::plan(future::multisession, workers = future::availableCores())
progressr::handlers("txtprogressbar")
seeds <- seq_len(splits)
columns <- progressr::with_progress({
  tick <- progressr::progressor(splits)
  future.apply::future_lapply(
    seeds, errors_of, objective, wine_models[unique(twin), ], folder, tick, future.seed = NULL,
    future.chunk.size = 1
  )
}, enable = TRUE)
future::plan(future::sequential)
wine_rmse <- do.call(cbind, columns)[match(twin, unique(twin)), ]
dimnames(wine_rmse) <- list(arm = wine_models$arm, seed = seeds)
# Four decimals: a hundredth of what two splits differ by.
wine_rmse <- round(wine_rmse, 4)
stopifnot("plausible" = wine_rmse > 0.5 & wine_rmse < 1.5)

files <- file.path("data", c("wine.rda", "wine_models.rda", "wine_rmse.rda"))
save(wine, file = files[1], compress = "xz", version = 2)
save(wine_models, file = files[2], compress = "xz", version = 2)
save(wine_rmse, file = files[3], compress = "xz", version = 2)
stopifnot("small" = sum(file.size(files)) < 400e3)
