# Writes NAMESPACE without the package being installed, which a stale NAMESPACE could prevent.
load_code_and_data <- function(path) {
  env <- roxygen2::load_source(path)
  for (file in Sys.glob(file.path(path, "data", "*.rda"))) load(file, env)
  env
}
roxygen2::roxygenise(roclets = "namespace", load_code = load_code_and_data)
