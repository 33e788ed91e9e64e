# What a run is made of, at random, as code: arms, priors, policies and objectives. `wild` worlds
# have values at the ends of what is allowed, and some beyond.

# arms: their code and number, the names they go by and the values of their columns; prior: code
# of arguments of arm_model(); root: code of the covariance, or of a root of it where that is what
# the package gets (exact). Kernels are known by kernel_matrix().
# family: "binomial" or "poisson" where rewards are rates; the prior has it too.
make_world <- function(wild = chance(0.4)) {
  arms <- make_arms()
  world <- c(arms, make_prior(arms, wild), list(wild = wild))
  if (chance(0.25)) with_family(world) else world
}

# Some are refused: with a noise, or a prior that is no rate.
with_family <- function(world) {
  prior <- world$prior
  if (chance(0.95)) prior$noise_sd <- NULL
  if (!is.null(prior$prior_mean) && chance(0.9)) {
    prior$prior_mean <- pick(0.05, 0.5, signif(runif(world$k), 2), 0, 1)
  }
  if (!is.null(prior$history)) {
    prior$history <- bquote(1 / (1 + exp(-.(prior$history))))
  }
  world$family <- prior$family <- pick("binomial", "binomial", "poisson")
  world$prior <- prior
  world
}

# ---- Arms ---------------------------------------------------------------------------------------

odd_names <- c(
  "a b", "\u00e9t\u00e9", "\u65e5\u672c", "NA", "1", "-", "%s", "\\", "\"", "'", "TRUE", "arm",
  "\t", "a\nb", "NULL", " ", "1e5", "01", "\U1F600", "`", "$x", "sim_1", "a", "A", "Inf", "@",
  strrep("long ", 60L)
)

make_arms <- function() {
  k <- pick(1L, 2L, number_between(3L, 6L), number_between(3L, 12L), number_between(13L, 24L))
  names <- some_names(k)
  pick(
    list(arms = k, k = k, names = as.character(seq_len(k))),
    list(arms = names, k = k, names = names),
    make_rows(k, NULL), make_rows(k, NULL), make_rows(k, names), make_values(max(k, 2L)),
    list(arms = bquote(structure(as.list(.(names)), names = .(names))), k = k, names = names)
  )
}

some_names <- function(k) {
  plain <- paste0("arm", seq_len(k))
  if (chance(0.6)) plain else c(sample(odd_names, min(k, length(odd_names))), plain)[seq_len(k)]
}

make_values <- function(k) {
  code <- pick(
    list(call("/", call("seq_len", k), 4), exact(seq_len(k) / 4)),
    list(call("+", quote(as.Date("2024-01-31")), call("seq_len", k)),
         as.character(as.Date("2024-01-31") + seq_len(k)))
  )
  list(arms = code[[1L]], k = k, names = code[[2L]], columns = "value")
}

exact <- function(x) if (is.numeric(x)) sprintf("%.15g", x) else as.character(x)

make_rows <- function(k, names) {
  columns <- list(
    u = seq_len(k) / 4, v = signif(rnorm(k), 3), w = sample.int(9L, k, TRUE),
    g = call("factor", sample(c("x", "y", "z"), k, TRUE)), h = sample(c("p", "q"), k, TRUE),
    l = sample(c(TRUE, FALSE), k, TRUE),
    d = call("as.Date", paste0("2024-01-", sprintf("%02d", sample.int(28L, k, TRUE)))),
    "odd name" = signif(runif(k), 3), constant = rep(1, k), gaps = c(NA, seq_len(k))[seq_len(k)]
  )
  some <- sort(sample.int(length(columns), number_between(1L, 5L)))
  columns <- columns[if (is.null(names)) union(1L, some) else some] # u tells rows apart
  code <- as.call(c(
    quote(data.frame), if (!is.null(names)) list(arm = names), columns, list(check.names = FALSE)
  ))
  list(
    arms = code, k = k, names = if (is.null(names)) row_values(columns) else names,
    columns = names(columns), rows = TRUE
  )
}

row_values <- function(columns) {
  text <- lapply(columns, function(column) if (is.call(column)) column[[2L]] else exact(column))
  do.call(paste, c(unname(text), sep = ", "))
}

# ---- Priors -------------------------------------------------------------------------------------

make_prior <- function(arms, wild) {
  k <- arms$k
  way <- pick(
    list(root = call("diag", 1, k, k), exact = TRUE), make_cov(arms, wild), make_features(k, wild),
    make_kernel_prior(arms, wild), make_kernel_prior(arms, wild), make_history(arms, wild)
  )
  learned <- chance(0.4)
  given <- list(
    prior_mean = pick(
      if (!learned) 0, 0, round(rnorm(1), 2), round(rnorm(k), 2),
      if (wild) sample(c(-1, 1), 1L) * extreme() else 1
    ),
    prior_sd = pick(
      if (!learned) 1, 1, signif(exp(rnorm(1)), 3), if (wild) abs(extreme()) else 2
    ),
    noise_sd = pick(
      if (!learned) 1, 0.5, signif(exp(rnorm(1, -1)), 3), signif(exp(rnorm(k, -1)), 3), 0,
      if (wild) abs(extreme()) else 0.1
    )
  )
  prior <- Filter(Negate(is.null), c(way$prior, given))
  c(way[c("root", "exact")], list(prior = prior, given = given))
}

# Far from 1, allowed or not.
extreme <- function() {
  if (chance(0.7)) {
    return(signif(10^runif(1, -9, 9), 3))
  }
  pick(0, 1e-12, 1e12, 1e-50, 1e50, 1e-100, 1e100, -1e100, 1e101, NA_real_, Inf)
}

# A matrix as code: k x n numbers.
make_matrix <- function(k, n, digits = 3) call("matrix", signif(rnorm(k * n), digits), k, n)

make_cov <- function(arms, wild) {
  k <- arms$k
  rank <- number_between(1L, k)
  line <- seq_len(k)
  code <- pick(
    call("tcrossprod", make_matrix(k, k)), call("tcrossprod", make_matrix(k, rank)),
    bquote(exp(-outer(.(line), .(line), "-")^2 / .(pick(2, 20, 200)))),
    bquote(tcrossprod(.(make_matrix(k, k))[.(sample.int(rank, k, TRUE)), ])),
    bquote(tcrossprod(.(make_matrix(k, k)) * .(rbinom(k, 1L, 0.7)))),
    if (wild) make_wild_cov(k) else bquote(diag(.(signif(rexp(k), 3)), .(k)))
  )
  shuffled <- maybe(0.2, if (is.character(arms$arms)) sample(k))
  given <- code
  if (!is.null(shuffled)) {
    names <- arms$names[shuffled]
    given <- bquote(structure((.(code))[.(shuffled), .(shuffled)], dim = c(.(k), .(k)),
                              dimnames = list(.(names), .(names))))
  }
  list(prior = list(cov = given), root = code)
}

make_wild_cov <- function(k) {
  scales <- signif(10^runif(k, -pick(2, 6, 30), pick(2, 6, 30)), 3)
  pick(
    bquote(tcrossprod(.(make_matrix(k, k)) * .(scales))),
    bquote(tcrossprod(.(make_matrix(k, 1L)) * .(scales))),
    bquote(matrix(1, .(k), .(k)) - diag(.(pick(1e-17, 1e-12, 1e-9, 1e-3)), .(k))),
    bquote(diag(.(sample(c(1, 0, -1e-17), k, TRUE)), .(k))),
    bquote(tcrossprod(.(make_matrix(k, k)) * .(rbinom(k, 1L, 0.5))) - .(pick(1e-17, 1e-12))),
    bquote(matrix(0, .(k), .(k))), make_matrix(k, k),
    bquote(round(tcrossprod(.(make_matrix(k, 2L))), .(pick(2, 6, 12)))),
    bquote(.(pick(1e90, 1e-90, 1e100, 1e-100)) * tcrossprod(.(make_matrix(k, k)))),
    bquote(.(make_matrix(k, k + 1L)))
  )
}

make_features <- function(k, wild) {
  n <- number_between(1L, 4L)
  code <- pick(
    make_matrix(k, n), make_matrix(k, k + 2L), bquote(.(make_matrix(k, n)) * .(rbinom(k, 1L, 0.7))),
    bquote(cbind(1, .(make_matrix(k, n)))),
    if (wild) {
      bquote(.(make_matrix(k, n)) * .(signif(10^runif(k, -pick(3, 30), pick(3, 30)), 3)))
    } else {
      bquote(matrix(.(sample.int(3L, k, TRUE)), .(k)))
    }
  )
  list(
    prior = list(features = if (chance(0.2)) call("as.data.frame", code) else code),
    root = code, exact = TRUE
  )
}

make_history <- function(arms, wild) {
  k <- arms$k
  n <- number_between(2L, 12L)
  values <- signif(rnorm(n * k) + rep(rnorm(n), k), 3)
  values[runif(n * k) < pick(0, 0, 0.1, 0.5)] <- NA
  if (wild) values <- values * pick(1, 1e-20, 1e20, 1e49, 0)
  code <- call("matrix", values, n, k)
  list(prior = list(
    history = if (chance(0.2)) bquote(structure(.(code), dimnames = list(NULL, .(arms$names))))
    else code
  ))
}

# ---- Kernels ------------------------------------------------------------------------------------

make_kernel_prior <- function(arms, wild) {
  kernel <- make_kernel(arms$columns, if (chance(0.5)) 0L else number_between(1L, 3L), wild)
  cov <- bquote(unname(kernel_matrix(.(kernel), .(arms$arms))))
  list(prior = list(kernel = kernel), root = if (!learns(kernel)) cov)
}

# Is a parameter of the kernel left to the rewards?
learns <- function(kernel) {
  text <- paste(deparse(kernel), collapse = " ")
  grepl("NULL|NA", text)
}

make_kernel <- function(columns, depth, wild) {
  if (depth == 0L) {
    return(make_leaf(columns, wild))
  }
  left <- make_kernel(columns, depth - 1L, wild)
  right <- make_kernel(columns, depth - 1L, wild)
  pick(
    call("+", left, right), call("*", left, right), call("*", signif(rexp(1) + 0.01, 2), left),
    call("k_by", classes(columns), left)
  )
}

classes <- function(columns) {
  of <- intersect(c("g", "h", "l", "w"), columns)
  call("~", if (length(of)) as.name(of[1L]) else quote(h))
}

make_leaf <- function(columns, wild) {
  scale <- pick(NULL, 1, signif(rexp(1) + 0.1, 2), if (wild) abs(extreme()))
  formula <- make_formula(columns)
  pick(
    call("k_se", formula, lengthscale = scale),
    call("k_matern", formula, nu = pick(0.5, 1.5, 2.5), lengthscale = scale),
    call("k_linear", formula),
    call("k_factor", classes(columns), similarity = pick(NULL, 0, 0.5, 1)),
    quote(k_white()), call("k_const", pick(NULL, 1, 2, if (wild) abs(extreme()))),
    quote(k_white() + function(a, b) 0.5 + 0 * outer(seq_len(nrow(a)), seq_len(nrow(b)))),
    if (wild) make_bad_function() else quote(k_const(0.5) + k_white())
  )
}

make_bad_function <- function() {
  call("+", quote(k_white()), pick(
    quote(function(a, b) stop("no")), quote(function(a, b) NULL), quote(function(a) diag(nrow(a))),
    quote(function(a, b) matrix(NA_real_, nrow(a), nrow(b))), quote(function(a, b) "a"),
    quote(function(a, b) -diag(nrow(a))), quote(function(a, b) as.data.frame(diag(nrow(a))))
  ))
}

make_formula <- function(columns) {
  numbers <- intersect(
    c("u", "v", "w", "l", "odd name", "constant", "gaps", "value"), columns
  )
  if (!length(numbers) || chance(0.1)) {
    return(pick(quote(~.), quote(~u), quote(~ poly(u, 2)), quote(~ u:v), quote(~1), quote(~ d)))
  }
  one <- as.name(sample(numbers, 1L))
  other <- as.name(sample(numbers, 1L))
  pick(
    call("~", one), bquote(~ .(one) + .(other)), bquote(~ I(.(one)^2)),
    bquote(~ log(1 + abs(.(one)))), bquote(~ as.numeric(.(one)) + .(other))
  )
}

# ---- Policies -----------------------------------------------------------------------------------

make_policy_code <- function(wild) {
  pick("bayesgap", "bayesgap", make_shipped(), make_shipped(), make_shipped(), make_own(wild))
}

# One from the table, some parameters inside their ranges.
make_shipped <- function() {
  table <- policies()
  at <- sample.int(nrow(table), 1L)
  params <- table$params[[at]]
  chosen <- which(runif(nrow(params)) < 0.3)
  if (!length(chosen)) {
    return(table$policy[at])
  }
  values <- lapply(chosen, function(i) make_parameter(params[i, ]))
  names(values) <- params$param[chosen]
  as.call(c(quote(policy), table$policy[at], values))
}

make_parameter <- function(param) {
  choices <- param$choices[[1L]]
  if (length(choices)) {
    return(sample(choices, 1L))
  }
  upper <- min(param$upper, 1e6)
  pick(
    param$lower, upper, signif(param$lower + (upper - param$lower) * runif(1), 3),
    signif(min(upper, param$lower + rexp(1)), 3)
  )
}

make_own <- function(wild) {
  good <- list(
    quote(function(s) which(s$open)[which.max((s$mean + s$sd)[s$open])]),
    quote(function(s) s$arms[which(s$open)[1L]]),
    quote(function(s) which(s$open)[ceiling(runif(1) * sum(s$open))]),
    quote(function(s) which.max(diag(s$cov()) * s$open - !s$open))
  )
  bad <- list(
    quote(function(s) NULL), quote(function(s) stop("no idea")), quote(function(s) 0),
    quote(function(s) NA), quote(function(s) "nobody"), quote(function(s) 1:2),
    quote(function(s) 1.5), quote(function(s) list(1)), quote(function() 1),
    quote(function(s) if (s$t > 3) stop("tired") else which(s$open)[1L]), quote(function(s) 1),
    quote(function(s) quote(x)), quote(function(s) emptyenv())
  )
  bquote(policy(
    "own", choose = .(sample(if (wild) c(good, bad) else good, 1L)[[1L]]),
    recommend = .(pick(
      NULL, quote(function(s) which.max(s$mean)), if (wild) sample(bad, 1L)[[1L]]
    ))
  ))
}

# ---- Objectives ---------------------------------------------------------------------------------

# The variables that an objective needs, and the code of one. `index` finds the arm's number.
make_objective <- function(world) {
  failing <- chance(0.3)
  objective <- make_working_objective(world)
  if (!failing) {
    return(objective)
  }
  # Certain arms always fail, perhaps all, or all do for a while.
  prepare(sort(sample.int(world$k, pick(1L, 1L, ceiling(world$k / 3), world$k))), "bad")
  prepare(objective, "working")
  outage <- pick(0L, 0L, number_between(1L, 6L))
  bquote(function(arm, pull) {
    if (index(arm) %in% bad) stop("never works")
    if (pull$index <= .(outage)) stop("an outage")
    if (length(formals(working)) == 2L) working(arm, pull) else working(arm)
  })
}

make_working_objective <- function(world) {
  prepare(bquote(function(arm) {
    match(as.character(if (is.data.frame(arm)) arm$arm else arm), .(world$names))
  }), "index")
  if (!is.null(world$family)) {
    return(make_rate_objective(world))
  }
  size <- if (world$wild) pick(1, 1, 1e-90, 1e-20, 1e5, 1e20, 1e95) else 1
  prepare(signif(rnorm(world$k) * size, 3), "truth")
  prepare(signif(size * pick(0, 0.3, 1), 3), "noise")
  good <- quote(truth[index(arm)] + noise * rnorm(1))
  odd <- make_return(world$wild)
  how <- pick(1, 1, 0.2)
  if (is.null(odd)) {
    bquote(function(arm) .(good))
  } else if (how == 1) {
    bquote(function(arm, pull) {
      y <- .(good)
      .(odd)
    })
  } else {
    bquote(function(arm) {
      y <- .(good)
      if (runif(1) < .(how)) .(odd) else y
    })
  }
}

# The same for rates: so many trials a pull, or so much exposure.
make_rate_objective <- function(world) {
  binomial <- world$family == "binomial"
  rate <- pick(runif(world$k), 0.1 * runif(world$k), rep(0, world$k), rep(1, world$k))
  prepare(signif(rate * (if (binomial) 1 else pick(1, 50, 1e6)), 3), "truth")
  prepare(if (binomial) pick(1, 3, 40, 1e6) else pick(1, 0.01, 40, 1e-9), "size")
  good <- if (binomial) {
    pick(
      quote(c(successes = rbinom(1, size, truth[index(arm)]), trials = size)),
      quote(list(trials = size, successes = rbinom(1, size, truth[index(arm)]), note = "fine")),
      quote(list(successes = rbinom(1, 1 + pull$index, truth[index(arm)]), trials = 1 + pull$index)),
      quote(runif(1) < truth[index(arm)]), quote(rbinom(1, 1, truth[index(arm)]))
    )
  } else {
    pick(
      quote(c(count = rpois(1, size * truth[index(arm)]), exposure = size)),
      quote(list(exposure = size, count = rpois(1, size * truth[index(arm)]), d = 1:2)),
      quote(rpois(1, truth[index(arm)])), quote(list(y = 3L))
    )
  }
  bad <- list(
    quote(stop("broken")), 0.5, -1, 7, NA, NaN, "a", quote(list(successes = 3, trials = 2)),
    quote(c(successes = 1, trials = 0)), quote(c(count = 1, exposure = 0)),
    quote(list(successes = 1.5, trials = 2)), quote(c(count = -1, exposure = 1)),
    quote(list(successes = 1)), quote(list(y = 1, se = 1)), quote(c(y = 1, se = 0.1)),
    quote(list(successes = 1e300, trials = Inf)), quote(list(count = "1", exposure = 1)), TRUE,
    quote(list(successes = 1:2, trials = 3)), quote(data.frame(successes = 1, trials = 2)),
    quote(list(count = 1e15, exposure = 1e-50)), quote(list(successes = 1e15, trials = 1e15))
  )
  odd <- sample(bad, 1L)[[1L]]
  if (world$wild) {
    bquote(function(arm, pull) if (runif(1) < 0.3) .(odd) else .(good))
  } else {
    bquote(function(arm, pull) .(good))
  }
}

make_return <- function(wild) {
  fine <- list(
    NULL, NULL, quote(c(y = y, se = 0.5)), quote(c(se = 0, y = y)), quote(list(y = y)),
    quote(list(y = y, se = abs(y))), quote(list(y = y, note = "fine", n = 3L)),
    quote(list(y = y, cost = 0.3 + runif(1))), quote(c(cost = 2, y = y)),
    quote(list(y = y, at = as.Date("2024-02-29"), l = TRUE)),
    quote(list(y = y, part = list(1, "a"), f = factor("b"))), quote({
      warning("hm")
      y
    }), quote(c(value = y)), quote(as.integer(round(pmax(-9, pmin(9, y)))))
  )
  bad <- list(
    quote(stop("broken")), quote(NaN), NA, Inf, 1e101, quote(NULL), "text", quote(list()),
    quote(list(y = "a")), quote(c(y, y)), quote(c(y = y, se = -1)), quote(c(y = y, se = NA)),
    quote(list(y = y, se = "wide")), quote(c(y = y, cost = -1)), quote(list(y = y, cost = "a")),
    quote(list(y = y, cost = 1e300)), quote(list(y = y, se = 1e300)), quote(function() 1),
    quote(matrix(y)), TRUE, quote(as.Date("2024-01-01")), quote(data.frame(y = y, note = "a")),
    quote(data.frame(y = c(y, y))), quote(1i), quote(emptyenv()), quote(quote(y)),
    quote(list(y = y, pull = 9L, arm = "zz", error = "none")), quote(factor(3)), quote(stop()),
    quote(list(y = y, f = mean, e = globalenv())), quote(list(y, note = 1)),
    quote(list(y = y, m = diag(2), z = NULL, d = data.frame(a = 1:2))),
    quote(list(y = y, v = if (runif(1) < 0.5) 1L else "one")), quote(signalCondition("x")),
    quote(stop(structure(class = c("odd", "error", "condition"), list(message = character())))),
    quote(invokeRestart("abort_nothing")), quote(structure(y, class = "money"))
  )
  sample(if (wild || chance(0.2)) c(fine, bad) else fine, 1L)[[1L]]
}

# ---- The call -----------------------------------------------------------------------------------

# Arguments of bayesgap() for a world, but the objective. What draws a seed is rare.
make_run_arguments <- function(world, budget = number_between(1L, 12L)) {
  k <- world$k
  once <- chance(0.15)
  if (once) budget <- min(budget, k)
  model <- c(list(arms = world$arms), world$prior, list(cost = maybe(0.25, make_cost(world))))
  model <- Filter(Negate(is.null), model)
  if (chance(0.1)) model <- list(arms = as.call(c(quote(arm_model), model)))
  c(
    model, if (chance(0.35)) make_blocks(world),
    list(
      budget = budget, maximise = maybe(0.4, FALSE), policy = make_policy_code(world$wild),
      replace = if (once) FALSE,
      init = maybe(0.2, pick(1L, min(k, budget), 2 * k, sample(world$names, min(2L, k)))),
      stop_regret = maybe(0.2, pick(0, 0.1, 10)), seed = maybe(0.9, number_between(0L, 99L)),
      count_failures = maybe(0.2, FALSE)
    )
  )
}

# What pulls cost. The cheapest are no smaller part of the budget than patience allows.
make_cost <- function(world) {
  columns <- intersect(c("u", "w", "g", "h", "constant", "gaps", "d"), world$columns)
  pick(
    1, 0.5, signif(0.1 + exp(rnorm(world$k)), 2), signif(rexp(world$k) + 0.1, 3),
    if (length(columns)) sample(columns, 1L) else 2,
    if (world$wild) pick(0, -1, NA, Inf, 1e-101, 1e-100, 1e100, 50, "nothing", TRUE)
    else sample(c(0.1, 3), world$k, TRUE)
  )
}

# Blocks that are known beforehand, or come as they come: then there is a control.
make_blocks <- function(world) {
  fixed <- chance(0.6)
  sd <- pick(NULL, 0, 1.5, signif(exp(rnorm(1)), 3), if (world$wild) abs(extreme()))
  given <- Filter(Negate(is.null), list(
    blocks = if (fixed) pick(1L, 2L, 4L, c("p1", "p2"), c("p1", "b c", "NA")), block_sd = sd,
    block_arm_sd = if (chance(0.3)) round(if (is.null(sd)) rexp(1) else rexp(1) * sd, 3),
    control = maybe(if (fixed) 0.3 else 1, sample(world$names, 1L))
  ))
  c(given, if (is.null(given$block_arm_sd) && chance(0.3)) list(block_arm_sd = NULL))
}

# The block to ask for: where they come as they come one must be named.
make_block <- function(x) {
  if (is.null(x$model$blocks) && !bayesgap:::has_blocks(x)) {
    maybe(0.05, "p1")
  } else {
    maybe(if (is.null(x$model$blocks)) 0.95 else 0.3, pick("p1", "p1", "p2", 1, "new"))
  }
}
