test_that("text is escaped, and HTML is not escaped again", {
  expect_identical(
    escape_html("<a href=\"x\">'&amp;'</a>"),
    "&lt;a href=&quot;x&quot;&gt;&#39;&amp;amp;&#39;&lt;/a&gt;"
  )
  expect_identical(as_html(tag("b", "1 < 2")), "<b>1 &lt; 2</b>")
  expect_identical(as_html(tag("p", tag("b", "&"), " & ")), "<p><b>&amp;</b> &amp; </p>")
  expect_identical(
    as_html(tag("a", href = "\"><script>", class = NULL, "x")),
    "<a href=\"&quot;&gt;&lt;script&gt;\">x</a>"
  )
  expect_identical(as_html(tag("img", src = "x")), "<img src=\"x\">")
  expect_identical(as_html(join_html(tag("b", "1"), NULL, "<")), "<b>1</b>\n&lt;")
})

test_that("characters that HTML does not allow are told by their number", {
  expect_identical(escape_html("a\u0007b\u0085c\td\ne"), "a&lt;07&gt;b&lt;85&gt;c\td\ne")
  expect_identical(escape_html("\r"), "&lt;0D&gt;")
  latin <- "caf\xe9"
  Encoding(latin) <- "latin1"
  expect_identical(escape_html(c(latin, "\u4e2d")), c("caf\u00e9", "\u4e2d"))
})

test_that("a table has a head, a cell for every value and marks", {
  frame <- data.frame(a = c("<", NA), b = c(1.5, NA), check.names = FALSE)
  frame$l <- list(1:3, NULL)
  page <- as_html(html_table(frame, "A \"table\"", c(TRUE, FALSE), c(FALSE, TRUE)))
  expect_identical(tag_faults(page), character())
  expect_match(page, "aria-label=\"A &quot;table&quot;\"", fixed = TRUE)
  first <- "<tr class=\"marked\"><td>&lt;</td><td class=\"number\">1.5</td>"
  expect_match(page, first, fixed = TRUE)
  expect_match(page, "<td>an? [a-z]+ vector of length 3</td>")
  expect_match(page, "<tr class=\"past\"><td></td><td class=\"number\"></td><td></td></tr>", fixed = TRUE)
  expect_identical(lengths(regmatches(page, gregexpr("<th ", page))), 3L)
  none <- as_html(html_table(frame[0, ], "none"))
  expect_identical(tag_faults(none), character())
  expect_false(grepl("<td", none))
})

test_that("cells are short, and a column of any class has them", {
  expect_identical(nchar(column_text(strrep("x", 1e4))), 204L)
  expect_identical(column_text(as.Date("2024-02-03")), "2024-02-03")
  expect_identical(column_text(c(TRUE, NA)), c("TRUE", ""))
  strange <- structure(1:2, class = "no_such_class_that_formats")
  registerS3method("format", "no_such_class_that_formats", function(x, ...) stop("no"))
  expect_identical(column_text(strange), c("?", "?"))
})

test_that("base64 is what decoders read", {
  expect_identical(base64(charToRaw("Man")), "TWFu")
  expect_identical(base64(charToRaw("Ma")), "TWE=")
  expect_identical(base64(charToRaw("M")), "TQ==")
  expect_identical(base64(raw()), "")
  set.seed(1)
  for (n in c(1:9, 1000)) {
    bytes <- as.raw(sample(0:255, n, TRUE))
    expect_identical(decode64(base64(bytes)), bytes)
  }
})

test_that("csv gives numbers back to the last bit, and text as it was", {
  skip_if_read_inexactly()
  frame <- data.frame(
    "a, \"b\"" = c("x,y", "\"q\"", NA, "li\nne"), n = c(1 / 3, 1e-300, NA, 123456789.123456789),
    k = c(1L, NA, 3L, 4L), b = c(TRUE, NA, FALSE, TRUE), check.names = FALSE
  )
  file <- tempfile()
  writeBin(csv_bytes(frame), file)
  expect_identical(read.csv(file, check.names = FALSE, na.strings = ""), frame)
  expect_identical(rawToChar(csv_bytes(frame[0, ])), "\"a, \"\"b\"\"\",\"n\",\"k\",\"b\"\n")
  frame$list <- list(1, "a", NULL, 1:9)
  writeBin(csv_bytes(frame), file)
  expect_identical(
    read.csv(file)$list, c("1", "a", "", "an integer vector of length 9"[FALSE], describe(1:9))
  )
})

test_that("numbers are written as short as they are exact", {
  x <- c(0.1, 1 / 3, 1e22, -0.5, NA, Inf)
  expect_identical(exact_number(x), c("0.1", "0.33333333333333331", "1e+22", "-0.5", "NA", "Inf"))
  expect_identical(size_text(999), "999 bytes")
  expect_identical(size_text(1001), "2 kB")
})
