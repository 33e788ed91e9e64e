# What a block does to some arms and not to others: y = f_arm + b_block + g_block(arm) + noise, g of
# every block a draw of its own, with the arms' own correlations. A fold on which wide kernels are
# lucky is lucky for all of them.

# The coordinates of a block besides the first, at most.
tilt_width <- 24L

# What of the variance may be left to the noise.
tilt_left <- 0.01

# The fit with the loadings by which the arms have a share in the coordinates of a block, one column
# an arm: block2 crossprod(loading) is tilt2 G but for a rest, a variance of each arm, which every
# pull has besides its noise.
tilted <- function(fit, prior, tilt2) {
  if (!(tilt2 > 1e-12 * fit$block2) || fit$block2 == 0) {
    return(fit)
  }
  factor <- tilt_factor(prior)
  rest <- prior$diagonal - if (is.null(factor)) 0 else rowSums(factor^2)
  rest[rest < 1e-10 * prior$diagonal] <- 0 # rounding
  if (!is.null(factor)) {
    fit$loading <- t(factor) * sqrt(tilt2 / fit$block2)
  }
  if (any(rest > 0)) {
    fit$rest <- tilt2 * rest
  }
  fit$tilt2 <- tilt2
  fit
}

# G but for a rest, in as many columns as there may be; NULL where it would be all rest.
tilt_factor <- function(prior) {
  k <- length(prior$diagonal)
  most <- min(tilt_width, k)
  left <- tilt_left * max(prior$diagonal)
  switch(prior_kind(prior),
    independent = if (k <= most) diag(sqrt(prior$diagonal), k),
    kernel = .Call(bg_kernel_factor, prior$kernel, left, as.integer(most))$factor,
    cov = first_columns(prior$factor, prior$diagonal, left, most), # of a pivoted factor
    features = first_columns(principal(prior$factor, most), prior$diagonal, left, most)
  )
}

first_columns <- function(factor, diagonal, left, most) {
  n <- 0L
  while (n < min(most, ncol(factor)) && max(diagonal) > left) {
    n <- n + 1L
    diagonal <- diagonal - factor[, n]^2
  }
  factor[, seq_len(n), drop = FALSE]
}

# Features turned so that the first few hold most.
principal <- function(features, most) {
  if (ncol(features) <= most) {
    return(features)
  }
  found <- eigen(crossprod(features), symmetric = TRUE)
  features %*% found$vectors[, seq_len(most), drop = FALSE]
}

# The rest of some arms.
tilt_rest <- function(fit, arm = TRUE) if (is.null(fit$rest)) 0 else fit$rest[arm]

# How many coordinates a block may have in a run, and has.
widest_block <- function(model) {
  k <- n_arms(model$arms)
  none <- identical(model$block_arm_sd, 0) || (model$prior$kind == 0L && k > tilt_width)
  if (none) 1L else 1L + min(tilt_width, k)
}

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
  of_block[1L, ] + colSums(fit$loading[, arm, drop = FALSE] * of_block[-1L, , drop = FALSE])
}

# What they are to the average of all arms, block by block.
common_to_arms <- function(fit, coordinates) {
  if (is.null(fit$loading)) {
    return(coordinates)
  }
  colSums(average_loading(fit) * matrix(coordinates, block_width(fit)))
}

average_loading <- function(fit) c(1, rowMeans(fit$loading))

# The variance of that.
common_var <- function(fit, belief) {
  if (is.null(fit$loading)) {
    return(belief$block_var)
  }
  n <- length(belief$block_mean) / block_width(fit)
  var <- rep(fit$block2 * sum(average_loading(fit)^2), n)
  k <- length(belief$mean)
  for (column in belief$columns) {
    var <- var - common_to_arms(fit, column[-seq_len(k)])^2
  }
  pmax(var, 0)
}
