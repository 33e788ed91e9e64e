# P(best) is right as often as it says; bench/CALIBRATION.md has the numbers with less error.

case("P(best) under the model, a wrong kernel and wrong noise", {
  k <- 10L
  smooth <- function(scale) exp(-outer(seq_len(k), seq_len(k), "-")^2 / (2 * scale^2))
  root <- t(chol(smooth(2) + 1e-10 * diag(k)))
  measure <- function(runs, cov, noise_sd) {
    rowMeans(vapply(seq_len(runs), function(i) {
      set.seed(i)
      truth <- drop(root %*% rnorm(k))
      x <- bayesgap(k, function(arm) truth[arm] + rnorm(1), budget = 30, cov = cov,
        prior_mean = 0, prior_sd = 1, noise_sd = noise_sd, seed = i)
      best <- best_arm(x)
      c(said = bayesgap:::certainty(x, 1000L)$best[best], right = truth[best] == max(truth))
    }, numeric(2)))
  }
  good <- measure(400L, smooth(2), 1)
  note("under the model: said %.3f, right %.3f", good[1], good[2])
  check(abs(good[[1]] - good[[2]]) < 0.05, "calibrated under the model")
  wrong <- list(
    "a length scale 3 times too long" = measure(100L, smooth(6), 1),
    "a length scale 3 times too short" = measure(100L, smooth(2 / 3), 1),
    "noise said half" = measure(100L, smooth(2), 0.5),
    "noise said twice" = measure(100L, smooth(2), 2)
  )
  for (name in names(wrong)) {
    note("under %s: said %.3f, right %.3f", name, wrong[[name]][1], wrong[[name]][2])
  }
  check(all(is.finite(unlist(wrong))), "measured under wrong models")
})
