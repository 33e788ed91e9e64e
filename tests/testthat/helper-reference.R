# Slow, obvious twins of the C core in plain R, and problems to compare them on.

# The posterior from all observations at once, by the pseudo-inverse: legal for singular
# covariances and exact observations.
twin_posterior <- function(mean, cov, arm, y, noise2) {
  if (!length(arm)) {
    return(list(mean = mean, cov = cov))
  }
  seen <- cov[, arm, drop = FALSE]
  s <- seen[arm, , drop = FALSE] + diag(noise2, length(arm))
  e <- eigen(s, symmetric = TRUE)
  keep <- e$values > 1e-11 * max(e$values)
  inverse <- e$vectors[, keep, drop = FALSE] %*%
    (t(e$vectors[, keep, drop = FALSE]) / e$values[keep])
  gain <- seen %*% inverse
  list(mean = mean + drop(gain %*% (y - mean[arm])), cov = cov - gain %*% t(seen))
}

max_of_others <- function(x) vapply(seq_along(x), function(k) max(-Inf, x[-k]), 0)

# One round of BayesGap for noise equal in all arms; margin: how clear every choice was.
twin_bayesgap <- function(mean, sd, prior_var, noise2, budget, epsilon = 0, paper = FALSE) {
  active <- prior_var > pmin(1e-12 * max(prior_var), 1e-6 * noise2)
  upper <- mean + 3 * sd
  lower <- mean - 3 * sd
  delta <- max_of_others(upper) - lower
  if (!paper) {
    delta <- pmax(delta, upper - max_of_others(lower))
  }
  floor <- sqrt(64 * .Machine$double.eps) * max(sd)
  h <- pmax((delta + epsilon) / 2, epsilon, floor)
  k <- sum(active)
  spend <- if (paper) budget - k else max(budget - k, min(budget, k))
  beta <- sqrt((spend / noise2 + sum(1 / prior_var[active])) / (4 * sum(h[active]^-2)))
  u <- mean + beta * sd
  b <- max_of_others(u) - (mean - beta * sd)
  leader <- which.min(b)
  rivals <- u
  rivals[leader] <- -Inf
  rival <- which.max(rivals)
  margin <- min(
    diff(sort(b)[1:2]), -diff(sort(rivals, decreasing = TRUE)[1:2]),
    abs(sd[leader] - sd[rival]) * beta
  )
  list(
    beta = beta, gap = b[leader], leader = leader, rival = rival, hardness = sum(h[active]^-2),
    arm = if (sd[rival] > sd[leader]) rival else leader,
    margin = margin / max(abs(b[leader]), 1e-300)
  )
}

# A random prior: of full or deficient rank, with duplicate arms and known arms now and then.
random_problem <- function(k = sample.int(60L, 1L), budget = sample.int(120L, 1L)) {
  rank <- if (runif(1) < 0.5) k else sample.int(k, 1L)
  x <- matrix(rnorm(k * rank), k)
  if (k > 2L && runif(1) < 0.2) {
    x[2L, ] <- x[1L, ]
  }
  if (k > 2L && runif(1) < 0.2) {
    x[k, ] <- 0
  }
  list(
    k = k, budget = budget, features = x, cov = tcrossprod(x), mean = rnorm(k),
    prior_sd = exp(rnorm(1)), noise_sd = exp(rnorm(1, -1))
  )
}

# A new run for ask() and tell() with everything known.
known_run <- function(p, ..., cov = p$cov) {
  bayesgap(p$k,
    budget = p$budget, cov = cov, prior_mean = p$mean, prior_sd = p$prior_sd,
    noise_sd = p$noise_sd, ...
  )
}

note_of <- function(x) {
  structure(as.list(x$belief$note), names = note_names)
}

known_run_with <- function(p, policy, objective, seed) {
  bayesgap(p$k, objective,
    budget = p$budget, features = p$features, prior_mean = p$mean, prior_sd = p$prior_sd,
    noise_sd = p$noise_sd, policy = policy, seed = seed
  )
}

# The smallest budget with which a policy runs on arms with these features.
least_budget <- function(name, features, noise_sd = 1) {
  model <- arm_model(nrow(features),
    features = features, prior_mean = 0, prior_sd = 1, noise_sd = noise_sd
  )
  fit <- first_fit(model)
  .Call(bg_least, model$prior, fit, policy(name), list(1L, NULL))
}

nobs_of <- function(x) sum(!is.na(x$log$reward))
