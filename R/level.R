# The level that arms have in common: where it was learned it is not known, and its doubt is in
# everything that is said of the arms.

# The variance of the level by generalised least squares, 1 / (1' S^-1 1), and how far the mean of
# each arm follows it, 1 - (S_0 S^-1 1)_i, and the effect of each block. NULL: the level is given,
# or nothing was learned of it.
level_doubt <- function(x) {
  if (!is.null(x$model$prior_mean) || !x$observed) {
    return(NULL)
  }
  if (length(x$belief$columns)) level_by_columns(x) else level_by_arms(x)
}

# The columns are gone through as if they had been made by rewards of 1 about a mean of 0.
level_by_columns <- function(x) {
  belief <- x$belief
  k <- length(belief$mean)
  seen <- double(length(belief$columns[[1L]]))
  total <- 0
  for (i in seq_along(belief$columns)) {
    block <- belief$block[i]
    known <- seen[belief$arm[i]]
    if (length(block) && !is.na(block)) {
      known <- known + seen_of_blocks(x$fit, belief$arm[i], block, seen[-seq_len(k)])
    }
    new <- (1 - known) / sqrt(belief$d[i])
    total <- total + new^2
    seen <- seen + new * belief$columns[[i]]
  }
  if (is_level_known(x, seen)) {
    total <- Inf
  }
  # Where blocks tell nothing the columns have none.
  blocks <- if (length(seen) > k) -seen[-seq_len(k)] else double(length(x$blocks))
  list(var = 1 / total, arms = 1 - seen[seq_len(k)], blocks = blocks)
}

# An exact reward of what others told already has no column. Where it is not one that they expect
# of a level of 1, it tells the level.
is_level_known <- function(x, seen) {
  exact <- which(!is.na(x$log$reward) & pull_noise2(x) == 0)
  k <- length(x$belief$mean)
  expected <- seen[x$log$arm] + if (length(seen) > k) by_row(x, seen[-seq_len(k)]) else 0
  any(abs(1 - expected[exact]) > 1e-6)
}

# Independent arms have no columns: each reward tells of its own arm only.
level_by_arms <- function(x) {
  good <- which(!is.na(x$log$reward))
  prior <- x$fit$scale * run_prior(x)$diagonal
  arm <- x$log$arm[good]
  seen <- unique(arm)
  noise2 <- 1 / sum_by(1 / pull_noise2(x)[good], match(arm, seen))
  arms <- rep(1, length(prior))
  own <- prior[seen] + noise2
  arms[seen] <- ifelse(own > 0, noise2 / own, 0)
  list(var = 1 / sum(1 / own), arms = arms, blocks = double(length(x$blocks)))
}

# The squared scales of the arms' means, the doubt about the level in them.
arm_variances <- function(x, doubt = level_doubt(x)) {
  if (is.null(doubt)) x$belief$var else x$belief$var + doubt$var * doubt$arms^2
}

# The same of the blocks' effects.
block_variances <- function(x) {
  doubt <- level_doubt(x)
  known <- block_belief(x)$var
  if (is.null(doubt)) known else known + doubt$var * common_to_arms(x$fit, doubt$blocks)^2
}

# How far the means of some arms go with a standard deviation of the level; NULL: it is known.
level_shift <- function(x, rows, doubt = level_doubt(x)) {
  if (!is.null(doubt)) sqrt(doubt$var) * doubt$arms[rows]
}
