# A release from R: a data frame goes to the command as an Arrow stream through its standard input,
# so that the original is never on a disk, and the release is read as one.
#
#   Rscript examples/release.R
#
# It needs the command mingle on the path and the package arrow (install.packages("arrow")).

library(arrow)

# Makes a release of a data frame in which a row is an item, and returns it as a data frame.
# Further flags of the command are given as texts: c("--person-column=customer").
mingle_anonymize <- function(df, item, by, k, m, hierarchy, flags = character(),
                             report = NULL, program = "mingle") {
  place <- tempfile("mingle-")
  dir.create(place, mode = "0700")
  on.exit(unlink(place, recursive = TRUE), add = TRUE)
  published <- file.path(place, "release.arrows")
  words <- c(
    "anonymize", "km", "-", "--input-format=arrow", "--quiet",
    paste0("--item-column=", item), paste0("--transaction-column=", by),
    paste0("--k=", k), paste0("--m=", m), paste0("--hierarchy=", hierarchy),
    paste0("--output=", published), flags
  )
  said <- file.path(place, "report.json")
  if (!is.null(report)) words <- c(words, paste0("--report=", said))

  # Only the columns that the command is told of leave this process.
  named <- sub("^--(person-column|sensitive-column|keep-columns)=", "", grep(
    "^--(person-column|sensitive-column|keep-columns)=", flags, value = TRUE
  ))
  columns <- unique(c(by, item, unlist(strsplit(named, ","))))
  absent <- setdiff(columns, names(df))
  if (length(absent) > 0) stop("the data frame has no column ", paste(absent, collapse = ", "))

  # What goes wrong the command says on standard error, and the exit code is not 0.
  command <- pipe(paste(shQuote(c(program, words)), collapse = " "), open = "wb")
  sent <- tryCatch(write_ipc_stream(df[columns], command), error = identity)
  code <- close(command)
  if (inherits(sent, "error") && (is.null(code) || code == 0)) stop(sent) # it got a part alone
  if (!is.null(code) && code != 0) {
    if (code > 255) code <- code %/% 256 # as wait(2) has it
    stop("mingle ended with ", code, ": nothing was published; its message is above")
  }
  release <- as.data.frame(read_ipc_stream(published))
  if (!is.null(report)) stopifnot(file.copy(said, report, overwrite = TRUE))
  release
}

# The baskets of a made-up shop, and its catalogue as hierarchy.
shop <- tempfile("shop-")
dir.create(shop)
baskets <- file.path(shop, "baskets.csv")
catalogue <- file.path(shop, "catalogue.csv")
stopifnot(system2("mingle", c(
  "generate", "shop", "--transactions", 4000, "--items", 130,
  "-o", shQuote(baskets), "--catalogue", shQuote(catalogue)
)) == 0)
sets <- strsplit(readLines(baskets, encoding = "UTF-8"), ",", fixed = TRUE)
df <- data.frame(invoice = rep(seq_along(sets), lengths(sets)), item = unlist(sets))

release <- mingle_anonymize(df, "item", "invoice",
  k = 5, m = 2, hierarchy = catalogue, report = file.path(shop, "report.json")
)
print(head(release))
print(head(sort(table(release$item), decreasing = TRUE), 10))
