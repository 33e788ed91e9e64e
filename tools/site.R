# The site in build/site: pkgdown's pages, with everything that they load beside them, so that they work
# without a network, search included. It is built in a copy of the sources.
# Needs: pkgdown, knitr, rmarkdown, ggplot2, openssl, xml2, yaml

site <- file.path(normalizePath("build"), "site")
sources <- "build/src/site/bayesgap"
stopifnot(system2("tools/copy.sh", sources) == 0L)
setwd(sources)

# ---- pkgdown ------------------------------------------------------------------------------------

# What the configuration names and is not there is left out; what is there must be named.
here <- list(
  reference = function() sub("[.]Rd$", "", list.files("man", "[.]Rd$")),
  articles = function() {
    sub("[.]Rmd$", "", list.files("vignettes", "[.]Rmd$", recursive = TRUE))
  }
)
config <- yaml::read_yaml("_pkgdown.yml")
for (part in names(here)) {
  there <- here[[part]]()
  named <- unlist(lapply(config[[part]], `[[`, "contents"))
  if (!all(there %in% named)) {
    stop("Not in _pkgdown.yml, ", part, ": ", toString(setdiff(there, named)))
  }
  config[[part]] <- lapply(config[[part]], function(group) {
    group$contents <- as.list(intersect(group$contents, there))
    group
  })
}
config$destination <- site
yaml::write_yaml(config, "_pkgdown.yml")

# Addresses of packages that a text names and that are not here are looked up in CRAN's list. The pages
# are to be the same without a network.
if (exists("CRAN_urls", asNamespace("downlit"))) {
  utils::assignInNamespace(
    "CRAN_urls", function() data.frame(Package = character(), URL = character()), "downlit"
  )
}

unlink(site, recursive = TRUE)
options(pkgdown.internet = FALSE, rmarkdown.html_vignette.check_title = FALSE)
pkgdown::build_site(
  ".", install = FALSE, new_process = FALSE, preview = FALSE, devel = FALSE,
  examples = TRUE, run_dont_run = FALSE, seed = 1
)

# The cheat sheet is a page of its own, to be printed.
rmarkdown::render(
  "vignettes/cheatsheet.Rmd", output_dir = file.path(site, "articles"),
  intermediates_dir = tempdir(), quiet = TRUE
)

# ---- What pages load ----------------------------------------------------------------------------

# Names on the server from which pkgdown's pages load, in npm's registry, and where a file of a library
# is in its package.
libraries <- list(
  "font-awesome" = c("@fortawesome/fontawesome-free", ""),
  headroom = c("headroom.js", "dist/"), "clipboard.js" = c("clipboard", "dist/"),
  "fuse.js" = c("fuse.js", "dist/"), "autocomplete.js" = c("autocomplete.js", "dist/"),
  "mark.js" = c("mark.js", "dist/")
)
from <- "^https://cdnjs[.]cloudflare[.]com/ajax/libs/([^/]+)/([^/]+)/(.+)$"

cache <- file.path(tools::R_user_dir("bayesgap", "cache"), "site")

# The folder of a package of npm's registry, kept for the next time.
fetch <- function(package, version) {
  folder <- file.path(cache, paste0(gsub("/", "-", package), "-", version))
  if (!dir.exists(folder)) {
    dir.create(part <- tempfile("part", cache), recursive = TRUE)
    before <- setwd(part)
    archive <- system2("npm", c("pack", "--silent", paste0(package, "@", version)), stdout = TRUE)
    utils::untar(utils::tail(archive, 1L))
    setwd(before)
    file.rename(file.path(part, "package"), folder)
    unlink(part, recursive = TRUE)
  }
  folder
}

# The path in the site of what a page loads by this address. What a style sheet itself loads comes along.
settle <- function(url) {
  parts <- regmatches(url, regexec(from, url))[[1L]][-1L]
  library <- if (length(parts)) libraries[[parts[1L]]]
  if (is.null(library)) {
    stop("A page loads ", url, ", which is not among the libraries of tools/site.R")
  }
  folder <- fetch(library[1L], parts[2L])
  home <- file.path("libs", paste0(parts[1L], "-", parts[2L]))
  copied <- file.path(site, home, parts[3L])
  if (!file.exists(copied)) {
    dir.create(dirname(copied), showWarnings = FALSE, recursive = TRUE)
    stopifnot(file.copy(file.path(folder, paste0(library[2L], parts[3L])), copied))
    if (parts[1L] == "font-awesome") {
      file.copy(file.path(folder, "webfonts"), file.path(site, home), recursive = TRUE)
    }
  }
  file.path(home, parts[3L])
}

# pkgdown says what the file is to be, by its checksum.
check_integrity <- function(file, tag) {
  said <- regmatches(tag, regexec("integrity=\"(sha256|sha384|sha512)-([^\"]*)\"", tag))[[1L]]
  if (length(said)) {
    hash <- switch(said[2L],
      sha256 = openssl::sha256, sha384 = openssl::sha384, sha512 = openssl::sha512
    )
    found <- openssl::base64_encode(hash(readBin(file, "raw", file.size(file))))
    if (!identical(found, said[3L])) stop("The checksum of ", file, " is not what pkgdown expects")
  }
}

# ---- Formulas -----------------------------------------------------------------------------------

# Formulas in TeX as MathML, which browsers show by themselves, by one call of pandoc.
as_mathml <- function(tex) {
  file <- tempfile(fileext = ".md")
  writeLines(paste0(tex, "\n"), file)
  out <- system2("pandoc", c("-f", "markdown", "-t", "html", "--mathml", file), stdout = TRUE)
  found <- regmatches(
    paste(out, collapse = " "), gregexpr("<math.*?</math>", paste(out, collapse = " "), perl = TRUE)
  )[[1L]]
  stopifnot(length(found) == length(tex))
  found
}

replace_formulas <- function(page) {
  spans <- xml2::xml_find_all(page, "//span[contains(@class, 'math')]")
  # Help pages have them as text between \( and \).
  for (node in xml2::xml_find_all(page, "//main//text()[contains(., '\\(')]")) {
    if (length(xml2::xml_find_all(node, "ancestor::pre|ancestor::code|ancestor::span[@class]"))) next
    text <- xml2::xml_text(node)
    tex <- regmatches(text, gregexpr("\\\\\\((.*?)\\\\\\)", text, perl = TRUE))[[1L]]
    if (!length(tex)) next
    maths <- as_mathml(paste0("$", gsub("^\\\\\\(|\\\\\\)$", "", tex), "$"))
    for (i in seq_along(tex)) text <- sub(tex[i], maths[i], text, fixed = TRUE)
    new <- xml2::read_html(paste0("<span>", text, "</span>"))
    xml2::xml_replace(node, xml2::xml_find_first(new, "//span"))
  }
  if (length(spans)) {
    tex <- gsub("^\\s*\\\\[(\\[]|\\\\[])]\\s*$", "", xml2::xml_text(spans))
    maths <- as_mathml(paste0("$", trimws(tex), "$"))
    for (i in seq_along(spans)) {
      new <- xml2::read_html(paste0("<span>", maths[i], "</span>"))
      xml2::xml_replace(spans[[i]], xml2::xml_find_first(new, "//span"))
    }
  }
  page
}

# ---- Every page ---------------------------------------------------------------------------------

# A page with what it loads beside it.
localise <- function(file) {
  text <- paste(readLines(file, encoding = "UTF-8", warn = FALSE), collapse = "\n")
  text <- gsub("(?s)<!--\\[if.*?<!\\[endif\\]-->", "", text, perl = TRUE) # for browsers long gone
  text <- gsub("<script[^>]*/mathjax/[^>]*></script>", "", text)
  text <- gsub("<img src=\"\"[^>]*>", "", text) # a logo that is not there
  up <- strrep("../", lengths(strsplit(substring(file, nchar(site) + 2L), "/")) - 1L)
  tags <- unique(regmatches(
    text, gregexpr("<(script|link)\\b[^>]*(src|href)=\"https?://[^\"]*\"[^>]*>", text)
  )[[1L]])
  for (old in tags[!grepl("rel=\"(canonical|preconnect)\"", tags)]) {
    url <- sub(".*(src|href)=\"([^\"]*)\".*", "\\2", old)
    if (grepl("/bootstrap-toc[.]", url)) { # which is in no registry
      text <- gsub(old, sprintf("<script src=\"%slibs/site.js\">", up), text, fixed = TRUE)
      next
    }
    path <- settle(url)
    check_integrity(file.path(site, path), old)
    new <- sub(url, paste0(up, path), old, fixed = TRUE)
    # A page that is opened from a disk may ask for nothing that has these.
    new <- gsub(" (integrity|crossorigin|referrerpolicy)=\"[^\"]*\"", "", new)
    text <- gsub(old, new, text, fixed = TRUE)
  }
  icon <- sprintf("<link rel=\"icon\" type=\"image/svg+xml\" href=\"%sfavicon.svg\"></head>", up)
  text <- sub("</head>", icon, text, fixed = TRUE)
  writeLines(enc2utf8(text), file, useBytes = TRUE)
  if (grepl("class=\"math|\\\\\\(", text)) {
    page <- xml2::read_html(file, encoding = "UTF-8")
    xml2::write_html(replace_formulas(page), file)
  }
}
dir.create(file.path(site, "libs"), showWarnings = FALSE)
stopifnot(file.copy("tools/site.js", file.path(site, "libs", "site.js"), overwrite = TRUE))
# Three arms with their intervals, one of them the best.
writeLines(c(
  "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 32 32\">",
  "<path d=\"M7 14v14M25 11v15\" stroke=\"#0072B2\" stroke-width=\"4\"/>",
  "<path d=\"M16 4v17\" stroke=\"#D55E00\" stroke-width=\"4\"/>",
  "<circle cx=\"7\" cy=\"21\" r=\"4\" fill=\"#0072B2\"/><circle cx=\"25\" cy=\"18\" r=\"4\" fill=\"#0072B2\"/>",
  "<path d=\"M16 6l6 6-6 6-6-6z\" fill=\"#D55E00\"/></svg>"
), file.path(site, "favicon.svg"))

for (file in list.files(site, "[.]html$", recursive = TRUE, full.names = TRUE)) {
  localise(file)
}

# The index of the search as a script, and addresses that do not depend on where the site is.
scripts <- file.path(site, "pkgdown.js")
code <- paste(readLines(scripts, encoding = "UTF-8"), collapse = "\n")
asks <- "var response = await fetch\\(([^;]*)\\);\\s*var data = await response[.]json\\(\\);"
writeLines(enc2utf8(gsub(asks, "var data = await siteIndex(\\1);", code)), scripts, useBytes = TRUE)
index <- paste(
  readLines(file.path(site, "search.json"), encoding = "UTF-8", warn = FALSE), collapse = "\n"
)
writeLines(
  enc2utf8(paste0("window.siteEntries = ", index, ";")), file.path(site, "search-index.js"),
  useBytes = TRUE
)

file.create(file.path(site, ".nojekyll")) # GitHub serves the files as they are
cat("The site is in build/site: open build/site/index.html\n")
