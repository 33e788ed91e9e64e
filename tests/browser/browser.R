# A real browser, worked with as people do: pages are opened, controls found by their labels, keys
# pressed, files chosen, and what the page says is read. General: nothing here knows which pages.
# Needs: chromote, httpuv, jsonlite
#
#   browser <- start_browser()
#   page <- open_page(browser, "http://127.0.0.1:8080/")
#   type_into(page, "Name", "run.bgap"); click(page, "Begin"); await_text(page, "Ask for trials")
#   console_errors(page); screenshot(page, "page.png"); close_page(page); stop_browser(browser)

# ---- The browser and its pages ------------------------------------------------------------------

# The program: that of CHROMOTE_CHROME, or the first of these; "" where there is none.
browser_program <- function() {
  given <- Sys.getenv("CHROMOTE_CHROME")
  found <- Sys.which(c("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"))
  c(given[nzchar(given)], found[nzchar(found)], "")[[1L]]
}

# What is missing here, in words; character() where nothing is.
browser_lacks <- function() {
  packages <- c("chromote", "httpuv", "jsonlite")
  absent <- packages[!vapply(packages, requireNamespace, TRUE, quietly = TRUE)]
  c(
    if (!nzchar(browser_program())) "Chromium (Debian: chromium)",
    if (length(absent)) paste("the R package", absent)
  )
}

# Nothing of it leaves this machine, and nothing is left over: its profile is new and goes with it.
start_browser <- function() {
  profile <- tempfile("profile")
  dir.create(profile)
  chrome <- chromote::Chrome$new(path = browser_program(), args = c(
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--no-first-run", "--disable-quic", "--disable-extensions", "--mute-audio",
    "--force-color-profile=srgb", "--hide-scrollbars", "--lang=en-GB",
    paste0("--user-data-dir=", profile)
  ))
  list(chromote = chromote::Chromote$new(browser = chrome), chrome = chrome, profile = profile)
}

stop_browser <- function(browser) {
  try(browser$chromote$close(), silent = TRUE)
  try(browser$chrome$close(), silent = TRUE)
  unlink(browser$profile, recursive = TRUE)
}

# A window of its own, with a memory of its own for what a page keeps there. folder: where downloads
# go. What goes wrong on the page is kept from the first moment on.
open_page <- function(browser, url = NULL, width = 1280L, height = 900L, folder = tempfile("got")) {
  dir.create(folder, showWarnings = FALSE)
  session <- browser$chromote$new_session(width = width, height = height)
  page <- new.env()
  page$session <- session
  page$errors <- character()
  page$folder <- normalizePath(folder)
  say <- function(...) page$errors <- c(page$errors, paste(c(...), collapse = " "))
  session$Runtime$enable()
  session$Runtime$consoleAPICalled(function(m) {
    if (m$type %in% c("error", "warning", "assert")) {
      say(m$type, vapply(m$args, function(a) paste(c(a$value, a$description), collapse = " "), ""))
    }
  })
  session$Runtime$exceptionThrown(function(m) {
    say("exception", m$exceptionDetails$text, m$exceptionDetails$exception$description)
  })
  session$Log$enable()
  session$Log$entryAdded(function(m) {
    if (m$entry$level %in% c("error", "warning")) say(m$entry$level, m$entry$text, m$entry$url)
  })
  session$Page$enable()
  session$DOM$enable()
  session$Browser$setDownloadBehavior(behavior = "allow", downloadPath = page$folder)
  if (!is.null(url)) visit(page, url)
  page
}

close_page <- function(page) invisible(try(page$session$close(), silent = TRUE))

visit <- function(page, url) {
  loaded <- page$session$Page$loadEventFired(wait_ = FALSE)
  page$session$Page$navigate(url, wait_ = FALSE)
  page$session$wait_for(loaded)
  invisible(page)
}

reload <- function(page) {
  loaded <- page$session$Page$loadEventFired(wait_ = FALSE)
  page$session$Page$reload(wait_ = FALSE)
  page$session$wait_for(loaded)
  invisible(page)
}

resize <- function(page, width, height = 900L) {
  page$session$Emulation$setDeviceMetricsOverride(
    width = width, height = height, deviceScaleFactor = 1, mobile = FALSE
  )
  invisible(page)
}

# Errors and warnings of the page's scripts, its console and what it could not load.
console_errors <- function(page) {
  evaluate(page, "1") # what was sent before this is here after it
  page$errors
}

# whole: the page to its end, and not only what the window shows.
screenshot <- function(page, file, whole = TRUE) {
  area <- page$session$Page$getLayoutMetrics()$cssContentSize
  clip <- list(x = 0, y = 0, width = area$width, height = area$height, scale = 1)
  shot <- if (whole) {
    page$session$Page$captureScreenshot(clip = clip, captureBeyondViewport = TRUE)
  } else {
    page$session$Page$captureScreenshot()
  }
  writeBin(jsonlite::base64_dec(shot$data), file)
  invisible(file)
}

# ---- What the page says -------------------------------------------------------------------------

# The value of an expression of JavaScript; what it throws is an error here.
evaluate <- function(page, code) {
  found <- page$session$Runtime$evaluate(code, returnByValue = TRUE, awaitPromise = TRUE)
  if (!is.null(found$exceptionDetails)) {
    stop(paste(
      c(found$exceptionDetails$text, found$exceptionDetails$exception$description), collapse = " "
    ), call. = FALSE)
  }
  found$result$value
}

# A value as JavaScript writes it.
js <- function(x) as.character(jsonlite::toJSON(x, auto_unbox = TRUE, null = "null"))

# The visible text of the first element that a selector finds; NULL where there is none.
read_text <- function(page, selector = "body") {
  evaluate(page, sprintf(
    "(() => { const e = document.querySelector(%s); return e ? e.innerText : null; })()",
    js(selector)
  ))
}

# How many elements a selector finds.
count_elements <- function(page, selector) {
  evaluate(page, sprintf("document.querySelectorAll(%s).length", js(selector)))
}

has_text <- function(page, text, selector = "body") {
  found <- read_text(page, selector)
  !is.null(found) && grepl(squeeze(text), squeeze(found), fixed = TRUE)
}

squeeze <- function(text) trimws(gsub("\\s+", " ", text))

# Is it so, or does it become so? A page that is being replaced is asked again. A busy machine is no
# failure: what is waited for comes long before.
await_page <- function(condition, seconds = 60) {
  condition <- substitute(condition)
  frame <- parent.frame()
  end <- Sys.time() + seconds
  repeat {
    if (isTRUE(tryCatch(eval(condition, frame), error = function(e) FALSE))) return(TRUE)
    if (Sys.time() > end) return(FALSE)
    Sys.sleep(0.05)
  }
}

await_text <- function(page, text, selector = "body", seconds = 60) {
  await_page(has_text(page, text, selector), seconds)
}

# ---- What is found by its label -----------------------------------------------------------------

# Scripts that every page is given: labelled(text, kinds) is the element that people find by this
# text, which is its label, its aria-label or what stands on it; in whole, or else its beginning.
finders <- "(() => {
  const squeeze = s => (s || '').replace(/\\s+/g, ' ').trim();
  const shown = e => !!(e.offsetWidth || e.offsetHeight || e.getClientRects().length);
  const named = e => {
    const by = e.getAttribute('aria-labelledby');
    const text = i => (document.getElementById(i) || {}).textContent;
    if (by) return squeeze(by.split(/\\s+/).map(text).join(' '));
    if (e.getAttribute('aria-label')) return squeeze(e.getAttribute('aria-label'));
    const labels = e.labels ? [...e.labels] : [];
    if (labels.length) return squeeze(labels.map(l => l.textContent).join(' '));
    if (/^(input)$/i.test(e.tagName) && /^(submit|button)$/i.test(e.type)) return squeeze(e.value);
    return squeeze(e.textContent) || squeeze(e.title);
  };
  const fields = 'input:not([type=hidden]), select, textarea';
  const buttons = 'button, a[href], summary, [role=button], [role=tab], input[type=submit]';
  window.__named = named;
  window.__labelled = (text, kinds) => {
    const wanted = squeeze(text);
    const all = [...document.querySelectorAll(kinds === 'field' ? fields :
      kinds === 'button' ? buttons : fields + ', ' + buttons)];
    const seen = all.filter(e => shown(e) || e.type === 'file' ||
      (e.labels && [...e.labels].some(shown)));
    return seen.find(e => named(e) === wanted) ||
      seen.find(e => named(e).startsWith(wanted)) || null;
  };
})()"

# As an expression; the page may have been loaded anew since it was last asked.
element <- function(label, kind = "any") {
  sprintf("(%s, window.__labelled(%s, %s))", finders, js(label), js(kind))
}

has_control <- function(page, label, kind = "any") {
  evaluate(page, paste("!!", element(label, kind)))
}

find_control <- function(page, label, kind = "any") {
  if (!await_page(has_control(page, label, kind), 20)) {
    stop("The page has nothing that is labelled \"", label, "\".", call. = FALSE)
  }
  element(label, kind)
}

# What an element has, such as value, checked, disabled, or an attribute.
property <- function(page, label, name, kind = "any") {
  evaluate(page, sprintf("%s[%s]", find_control(page, label, kind), js(name)))
}
attribute <- function(page, label, name, kind = "any") {
  evaluate(page, sprintf("%s.getAttribute(%s)", find_control(page, label, kind), js(name)))
}

# The label of what has the focus.
focused <- function(page) {
  evaluate(page, sprintf("(%s, window.__named(document.activeElement))", finders))
}

# ---- What people do -----------------------------------------------------------------------------

# With the mouse, in the middle of what is labelled so, when it stands still: a page that is being
# drawn moves what is on it. What is covered by something else cannot be clicked.
click <- function(page, label, kind = "button") {
  found <- find_control(page, label, kind)
  at <- evaluate(page, sprintf("(async () => {
    let target, x, y, before = '';
    for (let i = 0; i < 40; i++) {
      const e = %s;
      target = e.getClientRects().length && e.offsetWidth > 1 ? e : e.labels[0];
      target.scrollIntoView({block: 'center', behavior: 'instant'});
      const box = target.getBoundingClientRect();
      x = box.left + box.width / 2, y = box.top + box.height / 2;
      if (before === x + ',' + y) break;
      before = x + ',' + y;
      await new Promise(done => setTimeout(done, 80));
    }
    const top = document.elementFromPoint(x, y);
    const same = top && (target.contains(top) || top.contains(target));
    return {x: x, y: y, free: !!same, over: top ? top.outerHTML.slice(0, 120) : ''};
  })()", found))
  if (!at$free) {
    stop("\"", label, "\" cannot be clicked: it is covered by ", at$over, call. = FALSE)
  }
  mouse <- page$session$Input$dispatchMouseEvent
  for (type in c("mousePressed", "mouseReleased")) {
    mouse(type = type, x = at$x, y = at$y, button = "left", clickCount = 1L)
  }
  invisible(page)
}

# What was there is replaced.
type_into <- function(page, label, text) {
  found <- find_control(page, label, "field")
  evaluate(page, sprintf(
    "(() => { const e = %s; e.focus(); if (e.select) e.select(); return true; })()", found
  ))
  if (nzchar(text)) write_text(page, text) else press(page, "Delete")
}

# Where the focus is.
write_text <- function(page, text) {
  page$session$Input$insertText(text = text)
  invisible(page)
}

key_codes <- c(
  Tab = 9L, Enter = 13L, Escape = 27L, Space = 32L, ArrowLeft = 37L, ArrowUp = 38L,
  ArrowRight = 39L, ArrowDown = 40L, Delete = 46L, Backspace = 8L, Home = 36L, End = 35L
)

# A key by its name, times over; shift: with that held.
press <- function(page, key, times = 1L, shift = FALSE) {
  text <- switch(key, Enter = "\r", Space = " ")
  for (i in seq_len(times)) {
    for (type in c(if (is.null(text)) "rawKeyDown" else "keyDown", "keyUp")) {
      page$session$Input$dispatchKeyEvent(
        type = type, key = if (key == "Space") " " else key, code = key,
        windowsVirtualKeyCode = key_codes[[key]], nativeVirtualKeyCode = key_codes[[key]],
        text = if (type == "keyDown") text, modifiers = if (shift) 8L else 0L
      )
    }
  }
  invisible(page)
}

# With the key Tab, until what is labelled so has the focus; most: presses. The number of presses,
# NA where it is never reached.
tab_to <- function(page, label, most = 200L, shift = FALSE) {
  for (i in seq_len(most)) {
    press(page, "Tab", shift = shift)
    if (startsWith(focused(page), label)) return(i)
  }
  NA_integer_
}

# An option of a select, by its text.
choose <- function(page, label, option) {
  found <- find_control(page, label, "field")
  done <- evaluate(page, sprintf("(() => {
    const e = %s, squeeze = s => s.replace(/\\s+/g, ' ').trim();
    const o = [...e.options].find(o => squeeze(o.text) === squeeze(%s));
    if (!o) return false;
    e.value = o.value;
    e.dispatchEvent(new Event('input', {bubbles: true}));
    e.dispatchEvent(new Event('change', {bubbles: true}));
    return true;
  })()", found, js(option)))
  if (!done) stop("\"", label, "\" has no option \"", option, "\".", call. = FALSE)
  invisible(page)
}

upload <- function(page, label, file) {
  found <- page$session$Runtime$evaluate(find_control(page, label, "field"))
  page$session$DOM$setFileInputFiles(
    files = as.list(normalizePath(file)), objectId = found$result$objectId
  )
  invisible(page)
}

# The path of what was downloaded under a name, when it is there; NULL where it does not come.
downloaded <- function(page, name, seconds = 60) {
  file <- file.path(page$folder, name)
  if (await_page(file.exists(file), seconds)) file
}

# ---- Pages of one's own -------------------------------------------------------------------------

# A folder as a web site on this machine alone: list(url, stop).
serve_folder <- function(folder) {
  port <- httpuv::randomPort()
  server <- httpuv::startServer("127.0.0.1", port, list(
    call = function(request) list(status = 404L, headers = list(), body = "not found"),
    staticPaths = list("/" = normalizePath(folder))
  ))
  list(url = sprintf("http://127.0.0.1:%d/", port), stop = function() server$stop())
}

# ---- Rules of accessibility ---------------------------------------------------------------------

# axe-core, where it is: AXE_FILE names it, or tools/need.sh has put it into the user's cache.
axe_file <- function() {
  cached <- file.path(
    tools::R_user_dir("bayesgap", "cache"), "axe", "node_modules", "axe-core", "axe.min.js"
  )
  found <- c(Sys.getenv("AXE_FILE"), cached)
  c(found[nzchar(found) & file.exists(found)], "")[[1L]]
}

# What breaks a rule of WCAG 2.1 A and AA or of good practice, one line each: the rule, what is to
# be mended, and the first elements that break it.
axe_faults <- function(page, file = axe_file()) {
  if (!isTRUE(evaluate(page, "!!window.axe"))) {
    evaluate(page, paste0(
      paste(readLines(file, warn = FALSE, encoding = "UTF-8"), collapse = "\n"), "; true"
    ))
  }
  # Half way from one colour to another a text is not as it is to be read.
  evaluate(page, "Promise.all(document.getAnimations()
    .filter(a => a.effect && a.effect.getComputedTiming().endTime < Infinity)
    .map(a => a.finished.catch(() => null))).then(() => true)")
  found <- evaluate(page, "axe.run(document, {resultTypes: ['violations']}).then(r =>
    r.violations.map(v => v.id + ' (' + v.impact + '): ' + v.help + ': ' +
      v.nodes.slice(0, 3).map(n => n.html.slice(0, 160)).join(' | ')))")
  unlist(found)
}

# Without axe: fields and buttons that have no name at all.
nameless_controls <- function(page) {
  unlist(evaluate(page, sprintf("(%s, [...document.querySelectorAll(
    'input:not([type=hidden]), select, textarea, button, a[href], summary')]
    .filter(e => e.getClientRects().length && !window.__named(e) && !e.placeholder)
    .map(e => e.outerHTML.slice(0, 160)))", finders)))
}
