# The column of sight: the answer in a sentence with its certainty, and what it rests on. Numbers
# are those of print(), posterior() and summary(); pictures those of autoplot() or plot().

# ---- The answer ---------------------------------------------------------------------------------

# list(head, more): a sentence, and further ones.
answer_words <- function(x) {
  if (nothing_worked(x)) {
    return(list(
      head = "There is no answer: no trial has worked yet.",
      more = paste0("The first one failed: ", first_error(x))
    ))
  }
  if (!x$observed) {
    return(list(
      head = "Nothing is known yet.", more = "Ask for trials, make them, and enter their results."
    ))
  }
  found <- certainty(x)
  table <- posterior_table(x, 0.95, found)
  list(head = best_words(x, found), more = c(
    regret_words(x, found), expected_words(x, table), control_words(x, table), set_aside_words(x)
  ))
}

best_words <- function(x, found) {
  sprintf(
    "%s%s is the best of %s with probability %s.", if (is_done(x)) "" else "So far, ",
    encodeString(x$model$arms$names[x$belief$best]),
    count_of(sum(arm_status(x) == "active"), "arm"),
    probability_words(best_text(x, found))
  )
}

# "> 0.99" in a sentence.
probability_words <- function(p) sub("^< ", "less than ", sub("^> ", "more than ", p))

regret_words <- function(x, found) {
  regret <- regret_bound(found)
  if (isTRUE(attr(x$learned, "guess")) && regret > 0) {
    "What would be lost by keeping it is not known: there are too few results to compare."
  } else if (regret > 0) {
    sprintf(
      "With probability 0.95, keeping it loses less than %s.",
      round_to(list(regret), regret)[[1L]]
    )
  } else {
    "With probability 0.95 nothing is lost by keeping it."
  }
}

expected_words <- function(x, table) {
  row <- table[x$belief$best, ]
  number <- round_to(row[c("mean", "lower", "upper")], row$sd)
  sprintf(
    "Its mean result is %s (%s to %s with probability 0.95), from %s.",
    number$mean, number$lower, number$upper, count_of(row$pulls, "trial")
  )
}

control_words <- function(x, table) {
  control <- x$model$control
  best <- x$belief$best
  if (is.null(control)) {
    return(NULL)
  }
  name <- encodeString(x$model$arms$names[control])
  if (best == control) {
    return(sprintf("No other arm is known to be better than %s, the control.", name))
  }
  row <- table[best, ]
  width <- row$vs_upper - row$vs_lower
  number <- round_to(row[c("vs_control", "vs_lower", "vs_upper")], width / 4)
  sprintf(
    "From %s it differs by %s (%s to %s with probability 0.95), and is better with probability %s.",
    name, number$vs_control, number$vs_lower, number$vs_upper,
    probability_words(exact_text(row$p_better, width == 0))
  )
}

set_aside_words <- function(x) {
  aside <- failed_arms(x)
  if (length(aside)) {
    more <- length(aside) - 3L
    sprintf(
      "Set aside, since %s: %s%s.", if (length(aside) == 1L) "it fails" else "they fail",
      paste(aside_words(x, utils::head(aside, 3L)), collapse = ", "),
      if (more > 0L) sprintf(", and %s more", grouped(more)) else ""
    )
  }
}

# words: as answer_words() has them.
answer_part <- function(words) {
  shiny::tags$section(
    class = "desk-part", id = "part-answer", `aria-label` = "The answer",
    shiny::tags$h3("The answer"), shiny::tags$p(class = "desk-answer", words$head),
    shiny::tags$p(paste(words$more, collapse = " "))
  )
}

# ---- Pictures -----------------------------------------------------------------------------------

picture_titles <- c(
  arms = "The arms", certainty = "How certainty grew", surface = "Over the columns of the arms",
  log = "Results as they came", blocks = "Plates and days"
)

# The types of pictures that there are of a run.
desk_pictures <- function(x) {
  if (!x$observed) {
    return(character()) # they would show what is believed of arms of which nothing is known
  }
  draw <- if (has_ggplot()) autoplot.bayesgap else plot.bayesgap
  known <- intersect(names(picture_titles), eval(formals(draw)$type))
  can <- vapply(known, function(type) can_draw(x, type), TRUE)
  known[can]
}

has_ggplot <- function() requireNamespace("ggplot2", quietly = TRUE)

can_draw <- function(x, type) {
  switch(type,
    blocks = length(x$blocks) > 0L,
    surface = any(vapply(as.list(x$model$arms$data), is.numeric, TRUE)),
    TRUE
  )
}

# On the device that is open. What cannot be drawn says why in its place.
draw_picture <- function(x, type) {
  tryCatch(
    if (has_ggplot()) print(autoplot.bayesgap(x, type)) else plot.bayesgap(x, type),
    bayesgap_error = function(e) {
      graphics::plot.new()
      graphics::text(0.5, 0.5, paste(strwrap(conditionMessage(e), 60L), collapse = "\n"))
    }
  )
  invisible()
}

# head: the answer, in a sentence.
picture_alt <- function(type, head) {
  paste0(
    switch(type,
      arms = "Expected results of the arms with their intervals, and the single results.",
      certainty = "How the probability of being the best grew with the trials.",
      surface = "Expected results over the columns of the arms.",
      log = "Every result in the order in which it came.",
      blocks = "How much results of each plate or day lie above or below the others."
    ), " ", head
  )
}

# ---- Tables -------------------------------------------------------------------------------------

# The arms, best first.
arms_columns <- function(x, most = 60L) {
  about <- summary(x)
  table <- utils::head(about$arms, most)
  number <- round_to(table[c("mean", "lower", "upper")], table$sd)
  known <- x$observed > 0L
  c(
    list(
      Arm = as.list(as.character(table$arm)),
      Expected = as.list(if (known) number$mean else rep("", nrow(table))),
      "95 % interval" = as.list(
        if (known) paste(number$lower, "to", number$upper) else rep("", nrow(table))
      ),
      Trials = shown_values(table$pulls),
      "P(best)" = as.list(probability_text(table$p_best, about$draws, about$certain))
    ),
    if (any(table$status != "active")) {
      list(Status = as.list(c(active = "", failed = "fails", dropped = "set aside")[table$status]))
    }
  )
}

# What was learned, in words; NULL: nothing yet.
learned_columns <- function(x) {
  model <- fitted_model(x)
  model <- model[row.names(model) != "constant", ]
  known <- c(
    "prior mean" = "A typical result", "prior sd" = "How far arms differ (sd)",
    "noise sd" = "How far trials of one arm differ (sd)",
    "block sd" = "How far plates or days differ (sd)",
    "  by arm" = "How far they differ by arm (sd)"
  )
  name <- row.names(model)
  words <- ifelse(name %in% names(known), known[name], kernel_words(trimws(name)))
  value <- vapply(model$value, format, "", digits = 3)
  value[is.na(model$value)] <- "one for each arm"
  value[model$from == "a default"] <- "not known yet"
  from <- sub("observation", "result", model$from)
  list(What = as.list(unname(words)), Value = as.list(value), From = as.list(from))
}

# Parameters of the kernel that the desk makes; others have their own names.
kernel_words <- function(name) {
  name <- sub("^lengthscale of (.*)$", "How far likeness reaches in \\1", name)
  sub("^similarity of (.*)$", "How alike arms are that differ in \\1 (0 to 1)", name)
}

# The log with what was changed, the latest first.
record_columns <- function(x, most = 200L) {
  table <- as.data.frame(x, all = TRUE)
  table <- utils::head(table[rev(seq_len(nrow(table))), ], most)
  result <- intersect(result_columns(x), names(table))
  c(
    list(
      Trial = as.list(ifelse(is.na(table$pull), "", as.character(table$pull))),
      Arm = as.list(as.character(table$arm))
    ),
    if (!is.null(table$block)) list(Block = shown_values(table$block)),
    structure(lapply(table[result], shown_values), names = result_headings[result]),
    list(
      Remark = as.list(record_remark(table)),
      When = as.list(ifelse(is.na(table$changed), "", format(table$changed, "%Y-%m-%d %H:%M")))
    )
  )
}

record_remark <- function(table) {
  said <- ifelse(is.na(table$error), "", table$error)
  change <- ifelse(is.na(table$change), "", table$change)
  change[change == "amended"] <- "was corrected"
  change[change == "withdrawn"] <- "was withdrawn"
  ifelse(nzchar(change), change, said)
}

# ---- The column ---------------------------------------------------------------------------------

# Its frame, drawn once; what is in it follows the file. types: the pictures, none where nothing is
# known yet.
sight_page <- function(types, name) {
  c(
    list(shiny::uiOutput("answer")), if (length(types)) picture_parts(types, name),
    list(
      desk_fold(
        "The log", if ("log" %in% types) picture("log"), shiny::uiOutput("record"),
        r_call("as.data.frame(read_run(\"", name, "\"), all = TRUE)"), id = "fold-log"
      ),
      desk_part(
        "Take it with you", id = "part-take",
        shiny::tags$div(
          class = "desk-buttons",
          download("report_html", "Download the report"),
          download("log_csv", "Download all results (csv)")
        )
      )
    )
  )
}

picture_parts <- function(types, name) {
  call <- function(type) r_call("autoplot(\"", name, "\", \"", type, "\")")
  folds <- lapply(setdiff(types, c("arms", "log")), function(type) {
    desk_fold(picture_titles[[type]], picture(type), call(type), id = paste0("fold-", type))
  })
  c(
    list(desk_part(picture_titles[["arms"]], picture("arms"), call("arms"), id = "part-picture")),
    folds,
    list(
      desk_fold(
        "All arms in a table", shiny::uiOutput("arms_table"), r_call("posterior(\"", name, "\")"),
        id = "fold-arms"
      ),
      desk_fold(
        "What was learned", shiny::uiOutput("learned"), r_call("summary(\"", name, "\")"),
        id = "fold-learned"
      )
    )
  )
}

picture <- function(type) {
  shiny::tags$div(
    class = "desk-picture", shiny::plotOutput(paste0("picture_", type), height = "23rem")
  )
}
