# The site, as a browser on a machine without a network has it: every page is opened, every link of
# its own followed, no picture is missing, no script complains, nothing comes from elsewhere, and the
# search finds things. The report and the cheat sheet are looked at in the same way.
# Needs: pkgdown

# Beside the errors of the page: what it asks other machines for.
watch_requests <- function(page) {
  page$outside <- character()
  page$session$Network$enable()
  page$session$Network$requestWillBeSent(function(m) {
    url <- m$request$url
    if (!grepl("^(data:|blob:|file:|http://127[.]0[.]0[.]1[:/])", url)) {
      page$outside <- c(page$outside, url)
    }
  })
  page
}

# Pictures that are not there; an empty one is as bad.
missing_images <- function(page) {
  unlist(evaluate(page, "(async () => {
    const all = [...document.images];
    all.forEach(i => { i.loading = 'eager'; });
    await Promise.all(all.map(i => i.decode().catch(() => {})));
    return all.filter(i => !i.naturalWidth).map(i => i.src.slice(0, 200));
  })()"))
}

# Pictures without words for those who cannot see them.
mute_images <- function(page) {
  unlist(evaluate(page, "[...document.images].filter(i => !i.hasAttribute('alt')).map(i => i.src)"))
}

# Where links of this page lead that stay in the site: addresses with their anchors.
inner_links <- function(page, root) {
  links <- evaluate(page, "[...document.querySelectorAll('a[href]')].map(a => a.href)")
  links <- as.character(unlist(links))
  unique(links[startsWith(links, root)])
}

anchors <- function(page) {
  unlist(evaluate(page, "[...document.querySelectorAll('[id], a[name]')].map(e => e.id || e.name)"))
}

# How many sheets of paper a page is, printed as it wishes.
printed_pages <- function(page) {
  pdf <- page$session$Page$printToPDF(preferCSSPageSize = TRUE, printBackground = TRUE)
  text <- rawToChar(Filter(function(b) b != 0L, jsonlite::base64_dec(pdf$data)))
  lengths(regmatches(text, gregexpr("/Type ?/Page[^s]", text, useBytes = TRUE)))
}

sound <- function(page, name) {
  check(!length(missing_images(page)), paste(name, "has no picture for", toString(missing_images(page))))
  errors <- console_errors(page)
  check(!length(errors), paste0(name, ": ", toString(errors)))
  check(!length(page$outside), paste(name, "asks for", toString(unique(page$outside))))
}

# The widest thing on the page is not wider than the window, but for what scrolls by itself.
fits <- function(page) {
  evaluate(page, "document.documentElement.scrollWidth <= document.documentElement.clientWidth + 1")
}

# ---- The site -----------------------------------------------------------------------------------

try_site <- function(site) {
  server <- serve_folder(site)
  on.exit(server$stop())
  files <- list.files(site, "[.]html$", recursive = TRUE)
  page <- watch_requests(open_page(browser))
  on.exit(close_page(page), add = TRUE)
  links <- list()
  known <- list()
  case(paste(length(files), "pages"), {
    check(length(files) > 60L, "the site has its pages")
    for (file in files) {
      page$errors <- page$outside <- character()
      visit(page, paste0(server$url, file))
      sound(page, file)
      check(nzchar(evaluate(page, "document.title")), paste(file, "has a title"))
      links[[file]] <- inner_links(page, server$url)
      known[[file]] <- anchors(page)
    }
  })
  case("links", {
    for (file in files) {
      paths <- utils::URLdecode(substring(links[[file]], nchar(server$url) + 1L))
      target <- sub("[?#].*", "", paths)
      target <- ifelse(grepl("(^|/)$", target), paste0(target, "index.html"), target)
      lost <- !file.exists(file.path(site, target))
      check(!any(lost), paste(file, "leads to", toString(paths[lost])))
      anchor <- ifelse(grepl("#.", paths), sub(".*#", "", paths), NA)
      astray <- !lost & !is.na(anchor) & !mapply(function(a, f) {
        is.null(known[[f]]) || a %in% known[[f]]
      }, anchor, target)
      check(!any(astray), paste(file, "leads to no such place:", toString(paths[astray])))
    }
  })
  case("the start page", {
    visit(page, server$url)
    check(has_text(page, "best arm"), "it shows the first answer")
    check(evaluate(page, "[...document.querySelectorAll('main img')].some(i => i.naturalWidth > 300)"),
          "it shows a picture")
    for (word in c("Get started", "Articles", "Reference", "Gallery", "Cheat sheet")) {
      check(has_control(page, word), paste("it leads to", word))
    }
  })
  case("articles in three groups, and the reference in more", {
    visit(page, paste0(server$url, "articles/index.html"))
    for (word in c("Start", "At work", "Studies")) {
      check(has_text(page, word, "main"), paste("a group of articles is called", word))
    }
    visit(page, paste0(server$url, "reference/index.html"))
    check(count_elements(page, "main h2") >= 6L, "the reference has groups")
    check(has_text(page, "report()", "main"), "it has report()")
  })
  case("search, without a network", {
    for (from in c("index.html", "reference/index.html")) {
      visit(page, paste0(server$url, from))
      page$errors <- page$outside <- character()
      evaluate(page, "document.querySelector('#search-input').focus()")
      write_text(page, "amend")
      found <- await_page(count_elements(page, ".aa-suggestion") > 0L)
      check(found, paste("something is found from", from))
      if (found) {
        check(evaluate(page, "(() => {
          const box = document.querySelector('.aa-dropdown-menu').getBoundingClientRect();
          return box.left >= 0 && box.right <= document.documentElement.clientWidth;
        })()"), "what is found is in the window")
        press(page, "ArrowDown")
        press(page, "Enter")
        check(await_page(grepl("amend", evaluate(page, "location.href"))), "and is opened")
        check(startsWith(evaluate(page, "location.href"), server$url), "on this site")
        check(await_page(evaluate(page, "fetch(location.href).then(r => r.status)") == 200L),
              "as a page that is there")
      }
      sound(page, paste("search from", from))
    }
  })
  case("small windows", {
    for (file in c("index.html", "articles/get-started.html", "reference/bayesgap.html",
                   "articles/cheatsheet.html")) {
      resize(page, 400L)
      visit(page, paste0(server$url, file))
      check(fits(page), paste(file, "fits a window of 400 points"))
    }
    resize(page, 1280L)
  })
  case("the cheat sheet", {
    visit(page, paste0(server$url, "articles/cheatsheet.html"))
    check(printed_pages(page) == 1L, "the cheat sheet is one sheet of paper")
  })
  for (name in c("index", "reference/index", "articles/gallery", "articles/cheatsheet")) {
    visit(page, paste0(server$url, name, ".html"))
    screenshot(page, file.path("build/logs", paste0("site-", gsub("/", "-", name), ".png")))
  }
}

# ---- A report -----------------------------------------------------------------------------------

try_report <- function() {
  folder <- tempfile("report")
  dir.create(folder)
  arms <- c("<b>bold</b>", "caf\u00e9", "a & \"b\"", strrep("long ", 60))
  x <- bayesgap(data.frame(arm = arms, dose = 1:4), budget = 12, seed = 1)
  x <- tell(x, data.frame(pull = 1:6, arm = arms[c(1:4, 2, 2)], y = c(1, 3, 2, 1, 2.8, 3.1)))
  report(amend(x, 3, y = NA), file.path(folder, "report.html"), title = "A <report>")
  page <- watch_requests(open_page(browser, paste0("file://", folder, "/report.html"), folder = folder))
  on.exit(close_page(page))
  case("a report, opened from the disk", {
    sound(page, "the report")
    check(!length(mute_images(page)), "its pictures have words")
    check(identical(read_text(page, "h1"), "A <report>"), "its title is what was given")
    check(count_elements(page, "main b") == 0L, "names are text, and nothing else")
    for (link in unlist(evaluate(page, "[...document.querySelectorAll('nav a')].map(a => a.hash)"))) {
      check(count_elements(page, link) == 1L, paste("its section", link, "is there"))
    }
    click(page, "results.csv")
    saved <- downloaded(page, "results.csv")
    check(identical(utils::read.csv(saved, encoding = "UTF-8")$y, as.data.frame(amend(x, 3, y = NA))$y),
          "a click saves the results")
    click(page, "run.bgap")
    check(inherits(read_run(downloaded(page, "run.bgap")), "bayesgap"), "and the run")
    resize(page, 400L)
    check(fits(page), "it fits a window of 400 points")
    resize(page, 1280L)
    if (nzchar(axe_file())) {
      faults <- axe_faults(page)
      check(!length(faults), paste("rules of accessibility:", toString(faults)))
    } else {
      skip("axe-core is not here: no rules of accessibility for the report.")
    }
    screenshot(page, "build/logs/report.png")
  })
}

try_report()
if (!requireNamespace("pkgdown", quietly = TRUE)) {
  skip("There is no pkgdown here: the site is not tried.")
} else if (!nzchar(Sys.which("npm"))) {
  skip("There is no npm here, which brings what pages load: the site is not tried.")
} else if (system("tools/site.sh") != 0L) {
  check(FALSE, "the site can be built")
} else {
  try_site(normalizePath("build/site"))
}
