# What a block does to some arms and not to others: y = f_arm + b_block + g_block(arm) + noise, g of
# every block a draw of its own, with the arms' own correlations. A fold on which wide kernels are
# lucky is lucky for all of them.

# The coordinates of a block besides the first, at most.
tilt_width <- 24L

# What of the variance may be left to the noise.
tilt_left <- 0.01

# The fit with the loadings by which the arms have a share in the coordinates of a block, one column
# an arm: block2 crossprod(loading) is tilt2 G but for a rest, which is noise of each arm.
tilted <- function(fit, prior, tilt2) {
  if (!(tilt2 > 1e-12 * fit$block2) || fit$block2 == 0) {
    return(fit)
  }
  if (prior_kind(prior) == "independent") {
    fit$noise2 <- fit$noise2 + tilt2 * prior$diagonal
    return(fit)
  }
  factor <- tilt_factor(prior)
  rest <- pmax(prior$diagonal - rowSums(factor^2), 0)
  fit$loading <- t(factor) * sqrt(tilt2 / fit$block2)
  fit$noise2 <- fit$noise2 + tilt2 * rest
  fit$tilt2 <- tilt2
  fit
}

tilt_factor <- function(prior) {
  most <- min(tilt_width, length(prior$diagonal))
  if (prior_kind(prior) == "kernel") {
    left <- tilt_left * max(prior$diagonal)
    return(.Call(bg_kernel_factor, prior$kernel, left, as.integer(most))$factor)
  }
  prior$factor[, seq_len(min(most, ncol(prior$factor))), drop = FALSE]
}

# What of it there may be in a run.
widest_block <- function(model) if (identical(model$block_arm_sd, 0)) 1L else 1L + tilt_width

# How many coordinates a block has.
block_width <- function(fit) 1L + NROW(fit$loading) * !is.null(fit$loading)

# What blocks add to the variance of a pull of some arms, and to the covariance of two in the same
# block.
block_prior_var <- function(fit, arm) {
  if (is.null(fit$loading)) fit$block2 else fit$block2 * (1 + colSums(fit$loading^2)[arm])
}

block_cov <- function(fit, arm) {
  if (is.null(fit$loading)) {
    return(fit$block2)
  }
  fit$block2 * (1 + crossprod(fit$loading[, arm, drop = FALSE]))
}

# What some coordinates of blocks are to pulls of these arms in these blocks.
seen_of_blocks <- function(fit, arm, block, coordinates) {
  if (is.null(fit$loading)) {
    return(coordinates[block])
  }
  of_block <- matrix(coordinates, block_width(fit))[, block, drop = FALSE]
  colSums(rbind(1, fit$loading[, arm, drop = FALSE]) * of_block)
}

# The first coordinates: what a block has in store for all arms.
common_to_arms <- function(fit, coordinates) {
  width <- block_width(fit)
  if (width == 1L) coordinates else coordinates[seq_along(coordinates) %% width == 1L]
}
