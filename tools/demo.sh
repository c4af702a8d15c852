#!/bin/sh
# The demonstration: the bundled shop, anonymized, verified once more, measured, reported.
set -eu
out=demo-out
shop=examples/shop
say() { printf '\n$ %s\n' "$*"; "$@"; }

mkdir -p "$out"
say ./mingle inspect "$shop/baskets.csv" --input-format basket -m 2
say ./mingle anonymize km "$shop/baskets.csv" --input-format basket -H "$shop/catalogue.csv" -k 5 -m 2 --force \
	-o "$out/published.csv" --report "$out/report.json" --audit "$out/audit.json"
say ./mingle verify km "$shop/baskets.csv" "$out/published.csv" --input-format basket -H "$shop/catalogue.csv" -k 5 -m 2
say ./mingle measure "$shop/baskets.csv" "$out/published.csv" --input-format basket -H "$shop/catalogue.csv"
say ./mingle report "$out/report.json" -o "$out/report.html" --force

echo
echo "The first baskets, before and after:"
head -n 3 "$shop/baskets.csv"
echo "..."
head -n 3 "$out/published.csv"
echo
echo "Open $out/report.html in a browser: that is the page to sign."
