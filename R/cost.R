# What pulls cost: where arms cost differently the budget is what may be spent in all, and an arm
# that costs more than is left of it is not asked for.

# One number an arm, or NULL: every pull counts as one. given: a number, one per arm, or the name of
# a column of the arms.
check_cost <- function(given, arms) {
  if (is.null(given)) {
    return(NULL)
  }
  must <- paste(
    "NULL, a number or one per arm, each from 1e-100 to 1e100, or the name of a column of the arms"
  )
  if (is.character(given) && is.null(dim(given))) {
    given <- cost_column(given, arms, must)
  }
  cost <- check_per_arm(given, "cost", "cost", must, arms)
  bad <- cost < 1e-100 | cost > 1e100
  if (any(bad)) {
    abort_argument("cost", "cost", must, cost[bad][1L])
  }
  cost <- rep_len(cost, n_arms(arms))
  check_no_other_cost(cost, arms)
  cost
}

cost_column <- function(name, arms, must) {
  if (length(name) != 1L || is.na(name)) {
    abort_argument("cost", "cost", must, name)
  }
  column <- arms$data[[name]]
  if (is.null(column)) {
    abort(
      "cost", "`cost` must be the name of a column of the arms; there is no column ", quoted(name),
      ".", suggest(name, names(arms$data))
    )
  }
  if (!is.numeric(column) || is.object(column)) {
    abort(
      "cost", "The column ", quoted(name), " that `cost` names must hold numbers, not ",
      describe(column), "."
    )
  }
  column
}

# The results of a run have a column `cost` of their own.
check_no_other_cost <- function(cost, arms) {
  own <- arms$data[["cost"]]
  if (!is.null(own) && !(is.numeric(own) && isTRUE(all.equal(as.double(own), cost)))) {
    abort(
      "cost", "`arms` must not have a column \"cost\" that is not what a pull costs: the run uses ",
      "that name for its own."
    )
  }
}

# ---- A budget --------------------------------------------------------------------------------

# Costs that add up to the budget but for rounding may be spent.
cent <- 1e-9

# A number of pulls, or, with costs, what may be spent.
check_budget <- function(budget, cost = NULL) {
  if (is.null(cost)) {
    return(check_count(budget, "budget"))
  }
  if (!is_number(budget) || budget <= 0 || is.infinite(budget)) {
    abort_argument("budget", "budget", "a number above 0, what may be spent in all", budget)
  }
  if (budget * (1 + cent) < min(cost)) {
    abort(
      "budget", "`budget` must be at least ", format(min(cost), digits = 4), ", what a pull of ",
      "the cheapest arm costs, not ", format(budget, digits = 4), "."
    )
  }
  if (budget / min(cost) > .Machine$integer.max) {
    abort(
      "budget", "`budget` must be at most ", format(min(cost) * .Machine$integer.max, digits = 4),
      ", which is ", grouped(.Machine$integer.max), " pulls of the cheapest arm, not ",
      format(budget, digits = 4), "."
    )
  }
  as.double(budget)
}

# The pulls that a policy takes a budget for: T. With costs, those of arms that cost the mean.
budget_in_pulls <- function(budget, cost) {
  if (is.null(cost)) budget else max(1L, as.integer(floor(budget / mean(cost) + cent)))
}

# The most that can be had for it.
most_pulls <- function(budget, cost) {
  if (is.null(cost)) budget else as.integer(floor(budget / min(cost) * (1 + cent)))
}

# For the C core, in units of their mean; NULL: all cost the same.
relative_cost <- function(cost) {
  if (!is.null(cost) && any(cost != cost[1L])) cost / mean(cost)
}

# ---- A run -----------------------------------------------------------------------------------

# Pulls that count against the budget, told and out.
counted <- function(x) x$last - x$freed

# Of the budget, in its units: by results told, at what they did cost, and by pulls that are out, at
# what they are to cost. x$promised: what the batch being asked costs so far.
spent <- function(x) {
  cost <- x$model$cost
  if (is.null(cost)) counted(x) else sum(x$paid, cost[x$open$arm], x$promised)
}

left <- function(x) x$budget - spent(x)

# No pull is left.
is_spent <- function(x) {
  cost <- x$model$cost
  if (is.null(cost)) left(x) < 1L else left(x) + cent * x$budget < min(cost)
}

# Arms that cost more than is left; NULL: there are none, or nothing is affordable any more, which
# is no reason to think otherwise of the arms.
too_dear <- function(x) {
  if (is.null(x$model$cost)) {
    return(NULL)
  }
  dear <- x$model$cost > left(x) + cent * x$budget
  if (any(dear) && !all(dear)) dear
}

# How far the numbers of pulls may go.
last_number <- function(x) {
  x$last + max(0L, most_pulls(left(x), x$model$cost))
}

# What pulls of these arms are to cost: 1 where there are no costs.
cost_of_arms <- function(x, arm) {
  cost <- x$model$cost
  if (is.null(cost)) rep(1, length(arm)) else cost[arm]
}

# What pulls did cost, where that was said; NA: what they were to cost.
true_costs <- function(x, arm, cost) {
  given <- cost_of_arms(x, arm)
  if (is.null(x$model$cost)) given else ifelse(is.na(cost), given, cost)
}

# The sum of costs as it comes about: one after another, whatever the order of the tells was.
add_costs <- function(paid, cost) {
  for (one in cost) {
    paid <- paid + one
  }
  paid
}

# ---- In words --------------------------------------------------------------------------------

# "12 of 40 pulls", or "12.5 of 60 spent".
spent_text <- function(x, done = spent(x)) {
  if (is.null(x$model$cost)) {
    sprintf("%d of %d pulls", done, x$budget)
  } else {
    paste(amount(done), "of", amount(x$budget), "spent")
  }
}

amount <- function(x) format(x, digits = 4, big.mark = ",", decimal.mark = ".")

# Once, when the run is made.
say_if_no_regard <- function(x) {
  if (!is.null(relative_cost(x$model$cost)) && is.null(x$policy$own) &&
    !.Call(bg_regards_costs, x$policy)) {
    inform(
      "cost", "Policy ", format(x$policy), " does not regard what pulls cost: it chooses as if ",
      "all cost the same, among those that are affordable. policies()$costs says which do."
    )
  }
  x
}
