test_that("the checksum is the published CRC-64/XZ, of parts as of the whole", {
  # The check value of the catalogue of CRCs, for the digits 1 to 9.
  expect_identical(checksum(charToRaw("123456789")), "995dc9bbdf1939fa")
  expect_identical(checksum(raw()), "0000000000000000")
  bytes <- as.raw(c(0:255, 255:0))
  for (cut in c(0, 1, 7, 256, 511, 512)) {
    before <- checksum(head(bytes, cut))
    expect_identical(checksum(tail(bytes, length(bytes) - cut), before), checksum(bytes))
  }
  sums <- vapply(seq_along(bytes), function(i) {
    checksum(replace(bytes, i, xor(bytes[i], as.raw(1))))
  }, "")
  expect_identical(anyDuplicated(c(sums, checksum(bytes))), 0L)
})

test_that("code is known by how it reads, not by where it was written", {
  made <- function(source) eval(parse(text = source, keep.source = TRUE)[[1]], new.env())
  f <- made("function(a, b) exp(-abs(a - b)) # near")
  expect_identical(fingerprint(f), fingerprint(made("function(a,b)   exp( -abs(a - b) )")))
  expect_false(fingerprint(f) == fingerprint(made("function(a, b) exp(-abs(a - b)) * 1")))
  expect_false(fingerprint(f) == fingerprint(made("function(b, a) exp(-abs(a - b))")))
  formula <- function() ~ u + log(v)
  expect_identical(fingerprint(formula()), fingerprint(~ u + log(v)))
  expect_false(fingerprint(formula()) == fingerprint(~ log(v) + u))
})

test_that("so are the values beside it, to the last bit", {
  of <- function(...) fingerprint(list(f = function(x) x, ...))
  expect_identical(of(scale = 0.1), of(scale = 0.1))
  expect_false(of(scale = 0.1) == of(scale = 0.1 + 2^-56))
  expect_false(of(scale = 1) == of(scale = 1L))
  expect_false(of(scale = NA_real_) == of(scale = NA))
  # What a function finds elsewhere is not seen.
  expect_identical(of(where = new.env()), of(where = globalenv()))
})
