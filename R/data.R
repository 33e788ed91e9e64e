#' Freeway speeds around San Jose
#'
#' Speeds at 319 freeway sensors around San Jose, California, on 26 occasions.
#' Some stretches flow freely and others crawl, and neighbouring sensors slow
#' down together: finding the fastest (or the slowest) sensor from few readings
#' is a best-arm problem with correlated arms.
#'
#' The source gives the occasions no dates and the sensors no station numbers:
#' occasions are numbered, and sensors named, in its order. Every sensor has a
#' speed on every occasion. The coordinates are points of the source's road
#' network; some sensors lie only metres apart.
#'
#' @format A list of two:
#' \describe{
#'   \item{speeds}{A numeric matrix, 26 occasions by 319 sensors: speeds in
#'     miles per hour, to a tenth, from 3.0 to 77.2. The columns are named as in
#'     `sensors$sensor`.}
#'   \item{sensors}{A data frame of 319 rows: `sensor`, the name (`"s001"` to
#'     `"s319"`); `lon` and `lat`, longitude and latitude in degrees (WGS 84), to
#'     six decimals.}
#' }
#'
#' @source The Performance Measurement System (PeMS) of the California
#'   Department of Transportation (Chen et al. 2001), taken from the data set
#'   `pems_repl` of the CRAN package MetricGraph, version 1.6.0, by David Bolin,
#'   Alexandre Simas and Jonas Wallin, licence GPL (>= 2). Road network:
#'   OpenStreetMap contributors. The script that made the data set from that
#'   package is `data-raw/traffic.R` in the source repository.
#'
#' @seealso [traffic_problem()] for the study of the paper, [plot_sensors()] for a map,
#'   [read_pems()] for your own stretch of freeway, [simulate_corridor()] for as many occasions
#'   as you like; `vignette("traffic")`.
#'
#' @references
#' Chen, C., Petty, K., Skabardonis, A., Varaiya, P. and Jia, Z. (2001).
#' Freeway Performance Measurement System: Mining Loop Detector Data.
#' *Transportation Research Record* 1748, 96--102. \doi{10.3141/1748-12}
#'
#' @examples
#' mean_speed <- colMeans(traffic$speeds)
#' summary(mean_speed)
#'
#' # Where the traffic crawls: dark is slow, light is fast.
#' plot_sensors(traffic$sensors, mean_speed, label = "mean, mph")
"traffic"

#' Wine quality
#'
#' 6,497 Portuguese *vinho verde* wines, red and white: eleven measurements of their chemistry and
#' a quality score by tasters. The task of the wine study is to predict the score.
#'
#' @format A data frame of 6,497 rows (1,599 red wines, then 4,898 white ones) and 13 columns:
#' \describe{
#'   \item{fixed_acidity, volatile_acidity, citric_acid}{acids, in grams per litre}
#'   \item{residual_sugar}{grams per litre}
#'   \item{chlorides}{sodium chloride, grams per litre}
#'   \item{free_sulfur_dioxide, total_sulfur_dioxide}{milligrams per litre}
#'   \item{density}{grams per millilitre}
#'   \item{pH}{acidity}
#'   \item{sulphates}{potassium sulphate, grams per litre}
#'   \item{alcohol}{per cent by volume}
#'   \item{quality}{the median score of at least three tasters, a whole number between 0 and 10
#'     (3 to 9 occur)}
#'   \item{colour}{a factor, `red` or `white`; not one of the eleven attributes}
#' }
#' The source has many wines more than once; they are kept.
#'
#' @source The wine quality data of the UCI Machine Learning Repository (Cortez et al. 2009),
#'   licence CC BY 4.0, \doi{10.24432/C56S3T}; taken from the data sets `red_wines` and
#'   `white_wines` of the CRAN package liver, version 1.30, by Reza Mohammadi and others, licence
#'   GPL (>= 2). The script that made the data set from that package is `data-raw/wine.R` in the
#'   source repository.
#'
#' @references
#' Cortez, P., Cerdeira, A., Almeida, F., Matos, T. and Reis, J. (2009). Modeling wine preferences
#' by data mining from physicochemical properties. *Decision Support Systems* 47(4), 547--553.
#' \doi{10.1016/j.dss.2009.05.016}
#'
#' @seealso [wine_models], [wine_objective()]; `vignette("wine")`.
#' @examples
#' aggregate(cbind(quality, alcohol) ~ colour, wine, mean)
"wine"

#' The 160 models of the wine study
#'
#' Five kinds of regression, each on a grid of its parameters, as in section 6.2 of Hoffman,
#' Shahriari and de Freitas (2014): the arms among which ten tests are to find the best.
#'
#' @format A data frame of 160 rows and 13 columns:
#' \describe{
#'   \item{arm}{the name: the class and its parameters in the order below, as in
#'     `"rbfsvm-1-0.1-0.05"`}
#'   \item{class}{`lasso` (8 models), `forest` (64), `linsvm` (16), `rbfsvm` (64) or `knn` (8)}
#'   \item{alpha}{lasso: the penalty}
#'   \item{n_estimators, min_samples_split, min_samples_leaf}{forests: the number of trees, the
#'     examples a node needs to be split, and those in a leaf}
#'   \item{C, epsilon, gamma}{support vector machines: the cost, the width of the tube without
#'     cost, and (`rbfsvm`) the coefficient of the kernel}
#'   \item{n_neighbors}{nearest neighbours: their number}
#'   \item{step1, step2, step3}{where the model stands on the grid of its class: 1, 2, ... along
#'     its first, second and third parameter, 1 where there is none}
#' }
#' A parameter that a class does not have is `NA`. The steps are what a kernel can use:
#' `k_by(~ class, k_se(~ step1 + step2 + step3, lengthscale = 1 / sqrt(2)))` is the paper's, which
#' does not say in what units.
#'
#' @source Hoffman, Shahriari and de Freitas (2014), section 6.2, see [bayesgap-package]; the
#'   names of the parameters are scikit-learn's. [wine_objective()] says how they map to R.
#' @seealso [wine_objective()], [wine_rmse]; `vignette("wine")`.
#' @examples
#' table(wine_models$class)
#' subset(wine_models, class == "linsvm" & C == 1)
"wine_models"

#' Test errors of the 160 wine models on 200 splits
#'
#' The root mean squared error of every model of [wine_models] on 200 random splits of the [wine]
#' data, so that studies of the wine problem take seconds: a pull is a random entry of a model's
#' row (see [problem_pool()]), and the mean of the row is its ground truth.
#'
#' Each column is one split, the same for all models. Its name is the seed: `wine_rmse[i, "7"]` is
#' what `set.seed(7)` and then `wine_objective()(wine_models[i, ])` give, rounded to four decimals.
#' The forests were grown with version 0.18.0 of the package ranger; versions before 0.15 give
#' others (see [wine_objective()]). Forests that cannot differ, because a node below `2 *
#' min_samples_leaf` examples is never split, have the same errors.
#'
#' @format A numeric matrix, 160 models by 200 splits. The row names are those of
#'   `wine_models$arm`, the column names the seeds.
#'
#' @source Computed from [wine] by `data-raw/wine.R` in the source repository.
#' @seealso [wine_objective()] for the pull itself, `vignette("wine")` for the study.
#' @examples
#' truth <- rowMeans(wine_rmse)
#' sort(tapply(truth, wine_models$class, min))
#'
#' # How sure these means are
#' se <- apply(wine_rmse, 1, sd) / sqrt(ncol(wine_rmse))
#' range(se)
"wine_rmse"
