# The sections of a report: what a run's own functions say, as HTML.

# Rows of a table that a page shows; all are in the file beside it.
most_shown <- 60L

most_logged <- 400L

# What is left out of a table, in words; NULL: nothing is.
rows_left_out <- function(shown, all, which, file) {
  if (shown < all) {
    note_of(
      which, " ", grouped(shown), " of ", grouped(all), " rows are shown here; all of them are in ",
      file, " below."
    )
  }
}

# The words of print(), under those of the pictures.
answer_section <- function(x, table, found) {
  join_html(
    tag("p", class = "answer", best_title(x, found)),
    lines_of(format_run(x, table, found)), figure_of(x, "arms"), no_pictures_note()
  )
}

# ---- What it rests on ---------------------------------------------------------------------------

ground_section <- function(x, table, found) {
  about <- summary(x)
  join_html(
    tag("h3", "The arms, best first"), arms_table(about, x),
    rows_left_out(min(nrow(table), most_shown), nrow(table), "The best", "posterior.csv"),
    tag("h3", "The model in use"), lines_of(trimws(format_model(about), "left")),
    tag("h3", "How the pulls were chosen"), lines_of(format_policy_used(about)),
    tag("h3", "What keeping the recommended arm may lose"), regret_quantiles(about, x),
    open_section(x)
  )
}

arms_table <- function(about, x) {
  table <- utils::head(about$arms, most_shown)
  best <- seq_len(nrow(table)) == 1L & !nothing_worked(x)
  table$p_best <- probability_text(table$p_best, about$draws, about$certain)
  if (!is.null(table$p_better)) {
    exact <- table$vs_lower == table$vs_upper
    table$p_better <- ifelse(is.na(table$p_better), "", exact_text(table$p_better, exact))
  }
  if (all(about$arms$status == "active")) {
    table$status <- NULL
  }
  names(table) <- gsub("_", " ", names(table), fixed = TRUE)
  html_table(table, "Arms, best first", best)
}

regret_quantiles <- function(about, x) {
  if (nothing_worked(x) || isTRUE(attr(x$learned, "guess"))) {
    return(note_of("Not known: there are no rewards to compare."))
  }
  html_table(
    quick_frame(list(
      probability = sub("%", " %", names(about$regret), fixed = TRUE),
      "loses at most" = unname(signif(about$regret, 3))
    )),
    "Quantiles of the regret"
  )
}

open_section <- function(x) {
  table <- open_trials(x)
  if (nrow(table)) {
    shown <- utils::head(table, most_shown)
    join_html(
      tag("h3", "Trials that are still out"), html_table(shown, "Trials that are still out"),
      if (nrow(shown) < nrow(table)) {
        note_of("The first ", nrow(shown), " of ", grouped(nrow(table)), " are shown.")
      }
    )
  }
}

# ---- Pictures, blocks, log ----------------------------------------------------------------------

# NULL: there is none besides those of other sections.
pictures_section <- function(x) {
  if (x$observed) {
    figures <- lapply(c("certainty", "surface", "importance", "pulls"), figure_of, x = x)
    figures <- Filter(Negate(is.null), figures)
    if (length(figures)) do.call(join_html, figures)
  }
}

blocks_section <- function(x) {
  if (length(x$blocks)) {
    shown <- drawn_blocks(x, 0.95)
    all <- length(x$blocks)
    join_html(
      lines_of(trimws(format_blocks(x))), figure_of(x, "blocks"),
      html_table(shown, "Effects of the blocks"),
      if (nrow(shown) < all) {
        note_of("The ", nrow(shown), " of ", grouped(all), " blocks with most pulls are shown.")
      }
    )
  }
}

log_section <- function(x) {
  table <- as.data.frame(x, all = TRUE)
  if (!nrow(table)) {
    return(note_of("Nothing was told yet."))
  }
  # Columns that say nothing, but for the result itself.
  kept <- vapply(table, function(column) is.list(column) || !all(is.na(column)), TRUE)
  kept[["y"]] <- TRUE
  changed <- all_rows(x)$what # columns of the arms may have any name
  shown <- utils::tail(seq_len(nrow(table)), most_logged)
  join_html(
    if (x$observed) figure_of(x, "log"),
    html_table(table[shown, kept, drop = FALSE], "The log", past = !is.na(changed[shown])),
    rows_left_out(length(shown), nrow(table), "The last", "log.csv"),
    if (!all(is.na(changed))) {
      note_of(
        "Rows in italics tell what was there before, or was done to arms and trials: \"change\" ",
        "says what became of it, and \"changed\" when."
      )
    }
  )
}

# ---- Assumptions, and their check ---------------------------------------------------------------

check_section <- function(x) {
  join_html(
    tag("p", "The certainty above is as good as these assumptions:"),
    do.call(tag, c("ul", lapply(assumptions(x), function(words) tag("li", words)))),
    lines_of(format(x$model)),
    tag("h3", "Does the prior predict what was seen?"),
    lines_of(format(predictive_check(x))), if (x$observed) figure_of(x, "check")
  )
}

assumptions <- function(x) {
  model <- x$model
  family <- family_of(model)
  c(
    "The mean of an arm stays what it is while the run goes on.",
    if (is.null(family)) {
      "Rewards of an arm scatter about its mean by Gaussian noise."
    } else if (family$name == "binomial") {
      "Successes are independent, with the rate of their arm."
    } else {
      "Counts are those of independent events, with the rate of their arm."
    },
    if (length(x$blocks)) "Results of one block share its luck; blocks differ by chance.",
    if (prior_kind(model$prior) == "independent") {
      "What is seen of one arm tells nothing about another, but for how much arms differ."
    } else {
      "Arms resemble each other in the way that was said; it is shown below."
    },
    if (has_unknowns(model, x$blocks)) {
      "What was not given was learned from the rewards, and may be wrong."
    },
    "All results were told, whether they pleased or not."
  )
}

# ---- How to have it again -----------------------------------------------------------------------

reproduce_section <- function(x, table) {
  again <- reproduction(x)
  files <- c(again$files, list(
    "posterior.csv" = csv_bytes(table), "log.csv" = csv_bytes(as.data.frame(x, all = TRUE))
  ))
  links <- Map(function(name, bytes) {
    type <- if (grepl("[.]csv$", name)) "text/csv;charset=utf-8" else "application/octet-stream"
    tag("li", download_link(name, bytes, type), " ", file_words[[name]])
  }, names(files), files)
  session <- utils::capture.output(print(utils::sessionInfo(), locale = FALSE))
  join_html(
    tag("p", "These files are inside of this page; a click saves one."),
    do.call(tag, c("ul", unname(links))),
    tag("p", "In the folder where they are, this gives the run:"), lines_of(again$lines),
    missing_words(again, x), tag("h3", "The session in which this report was made"),
    lines_of(session)
  )
}

file_words <- c(
  "results.csv" = "every result that stands, as as.data.frame() has it",
  "arms.csv" = "the arms",
  "run.bgap" = "the run itself, for read_run()",
  "posterior.csv" = "what is known of the arms now, as posterior() has it",
  "log.csv" = "every result, also those that were changed"
)

# What the code names and no file holds.
missing_words <- function(again, x) {
  own <- c(
    if (x$model$arms$kind == "item") "the arms, elements of a list",
    if (!is.null(x$policy$own)) "the policy, whose functions are your own",
    setdiff(covariance_names(x$model), "kernel")
  )
  join_html(
    if (is.null(again$files[["run.bgap"]])) {
      note_of("The run itself is not inside: it is too large, or holds what a file cannot keep.")
    },
    if (x$unknowns && x$observed) {
      note_of(
        "Told all at once, results may give other last digits: prior and noise are learned when ",
        "they are told."
      )
    },
    if (length(own)) {
      note_of("Not written out in the code, but named there: ", paste(own, collapse = "; "), ".")
    },
    note_of("The objective, if there was one, is not kept by a run.")
  )
}

covariance_names <- function(model) {
  text <- covariance_argument(model)
  if (!is.null(text)) sub(" = .*", "", text)
}
