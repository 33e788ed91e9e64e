# A prior from past occasions: the means of the columns, and their covariance shrunk towards
# its diagonal. A covariance of fewer occasions than arms is singular, and a model that takes
# it for the truth is certain of much that is wrong.

# history: rows past occasions, columns arms. noise_sd: of a twentieth of the mean variance.
# note: what a model keeps of its history; code: a checksum of it.
read_history <- function(history, arms) {
  history <- check_history(history, arms)
  centred <- centre_history(history)
  found <- pair_moments(centred$x)
  check_history_varies(diag(found$cov))
  least <- shrink_intensity(found)
  missing <- sum(is.na(history))
  intensity <- if (missing) definite_intensity(found$cov, least) else least
  variance <- diag(found$cov)
  list(
    mean = centred$mean, cov = shrink_cov(found$cov, intensity),
    noise_sd = sqrt(0.05 * mean(variance[variance > 0])),
    note = list(
      occasions = nrow(history), intensity = intensity, missing = missing,
      raised = intensity > least, code = checksum(serialize(history, NULL, version = 2L))
    )
  )
}

# ---- What may be given ------------------------------------------------------------------------

# A matrix of the arms in order, missing values NA.
check_history <- function(history, arms) {
  k <- n_arms(arms)
  must <- gettextf("a numeric matrix or data frame with %d column%s (one an arm) and at least %s",
                  k, if (k == 1L) "" else "s", "2 rows (one an occasion)")
  if (is.data.frame(history)) {
    history <- history_matrix(history)
  }
  if (!is.matrix(history) || !is.numeric(history)) {
    abort_argument("history", "history", must, history)
  }
  order <- match_to_arms(colnames(history), arms, "history", "history")
  if (ncol(history) != k || nrow(history) < 2L) {
    abort_argument("history", "history", must, history)
  }
  check_history_size(k)
  check_history_entries(history)
  if (!is.null(order)) {
    history <- history[, order, drop = FALSE]
  }
  history <- matrix(as.double(history), nrow(history))
  history[is.na(history)] <- NA # NaN too
  check_history_counts(history, arms)
  history
}

# A column of nothing but NA is logical.
history_matrix <- function(history) {
  numeric <- vapply(history, function(column) {
    is.null(dim(column)) && (is.numeric(column) || all(is.na(column)))
  }, TRUE)
  if (!all(numeric)) {
    abort(
      "history", "The columns of `history` must be numeric, one an arm; not numeric: ",
      quoted(names(history)[!numeric]), "."
    )
  }
  out <- as.double(unlist(lapply(history, as.double)))
  matrix(out, nrow(history), length(history), dimnames = list(NULL, names(history)))
}

most_history_arms <- 20000

# While the model is made, about six matrices of all pairs of arms are in memory.
check_history_size <- function(k) {
  if (k > most_history_arms) {
    gigabytes <- function(n) grouped(signif(n * 8 * k^2 / 1e9, 2))
    abort(
      "history", "A `history` may have at most ", grouped(most_history_arms),
      " arms, not ", grouped(k), ": every matrix of all pairs of arms would take ",
      gigabytes(1), " GB, and ", gigabytes(6), " GB be needed together. Give `features` or a ",
      "`kernel` instead, which need no such matrix."
    )
  }
}

check_history_entries <- function(history) {
  bad <- !is.na(history) & abs(history) > 1e50
  if (any(bad)) {
    at <- which(bad, arr.ind = TRUE)[1L, ]
    abort("history", gettextf(
      "The entries of `history` must be NA or numbers up to 1e50; entry [%d, %d] is %s.",
      at[1L], at[2L], format(history[at[1L], at[2L]])
    ))
  }
}

check_history_counts <- function(history, arms) {
  count <- colSums(!is.na(history))
  few <- which(count < 2L)
  if (length(few)) {
    abort(
      "history", "Every arm must have at least 2 values in `history`; ",
      if (length(few) == 1L) c(quoted(arms$names[few]), " has ", count[few])
      else c("fewer have ", quoted(arms$names[few])),
      ". Leave the arm out of the arms and of the history, or give more occasions."
    )
  }
}

check_history_varies <- function(variance) {
  most <- max(variance)
  if (most == 0) {
    abort(
      "history", "`history` must vary: every arm has one and the same value on all occasions, ",
      "so that nothing can be learned from it. Give `prior_mean` instead."
    )
  }
  if (most < 1e-100) {
    abort(
      "history", "`history` must have a variance of at least 1e-100; its largest is ",
      format(most), "."
    )
  }
}

# ---- Moments and shrinkage --------------------------------------------------------------------

# Deviations from the mean of each column. Where these are no more than rounding of the
# values, the column is constant. Entries from 1e-100 to 1e50 keep all products below in range.
centre_history <- function(x) {
  mean <- colMeans(x, na.rm = TRUE)
  size <- largest(x)
  x <- x - rep(mean, each = nrow(x))
  flat <- largest(x) <= pmax(8 * .Machine$double.eps * size, 1e-100)
  x[, flat] <- 0 * x[, flat]
  list(mean = mean, x = x)
}

largest <- function(x) apply(abs(x), 2L, max, na.rm = TRUE)

# Covariances s_ij over the n_ij occasions that two arms have in common, 0 where there is at
# most one, and sums over the pairs of arms: of their squares, and of the variances of these
# estimates, which are, with w the products of the deviations,
# n / (n - 1)^3 sum_k (w_k - mean(w))^2 = n / (n - 1)^3 sum_k w_k^2 - s^2 / (n - 1)
# (Schaefer and Strimmer 2005, target D). Two occasions give equal products and thus tell
# nothing of that variance: their covariance counts as all error.
# `size` columns at a time: a whole matrix of many arms could not be interrupted.
pair_moments <- function(x, size = max(4, 1e7 %/% length(x))) {
  there <- !is.na(x) + 0
  x[there == 0] <- 0
  missing <- any(there == 0)
  n <- nrow(x)
  cov <- matrix(0, ncol(x), ncol(x))
  square <- x^2
  signal <- noise <- 0
  for (some in blocks_of(ncol(x), size)) {
    Sys.sleep(0) # looks for Ctrl-C, which products of matrices do not
    if (missing) {
      n <- crossprod(there, there[, some, drop = FALSE])
    }
    part <- crossprod(x, x[, some, drop = FALSE]) / (n - 1)
    part[n < 2] <- 0
    cov[, some] <- part
    error <- n / (n - 1)^3 * crossprod(square, square[, some, drop = FALSE]) - part^2 / (n - 1)
    error[n < 3] <- part[n < 3]^2
    self <- cbind(some, seq_along(some))
    part[self] <- error[self] <- 0
    signal <- signal + sum(part^2)
    noise <- noise + sum(error)
  }
  list(cov = cov, signal = signal, noise = noise)
}

blocks_of <- function(k, size) split(seq_len(k), (seq_len(k) - 1L) %/% size)

# Ledoit and Wolf's intensity for the target "diagonal, unequal variances"; 1 where no arm
# varies with another.
shrink_intensity <- function(moments) {
  if (moments$signal > 0) min(max(moments$noise / moments$signal, 0), 1) else 1
}

shrink_cov <- function(cov, intensity) {
  by_column(cov, function(x, j) replace((1 - intensity) * x, j, x[j]))
}

# Covariances from different occasions need not fit together. The smallest intensity from
# `least` on at which they do: shrinkage takes every eigenvalue e of the correlations to
# (1 - intensity) e + intensity, which is to be at least a millionth, well above rounding.
definite_intensity <- function(cov, least) {
  vary <- diag(cov) > 0
  sd <- sqrt(diag(cov)[vary])
  cor <- by_column(cov[vary, vary, drop = FALSE], function(x, j) x / (sd * sd[j]))
  cor <- shrink_cov(cor, least)
  e <- .Call(bg_smallest_eigenvalue, cor)
  if (e >= -length(sd) * .Machine$double.eps) {
    return(least)
  }
  least + (1 - least) * (1e-6 - e) / (1 - e)
}

# ---- In words ---------------------------------------------------------------------------------

history_words <- function(note) {
  sprintf(
    "a history of %s occasions, shrunk by %.2f towards its diagonal",
    grouped(note$occasions), note$intensity
  )
}

# What else is to be said of it: a line, or nothing.
history_remark <- function(note) {
  if (note$missing) {
    paste0(
      "  missing     ", grouped(note$missing), " of the history's values",
      if (note$raised) "; shrunk more, for its covariances to fit together"
    )
  }
}
