#!/bin/sh
# Copies of what fuzzing found to be interesting, and Go keeps outside the repository, the smallest
# to testdata/fuzz, where every run of the tests tries them: up to so many a target, with those that
# are there, each of at most 400 bytes.
# usage: fuzz-corpus.sh GO NUMBER
set -eu
go=$1
most=$2
module=$($go list -m)
kept=$($go env GOCACHE)/fuzz/$module
find "$kept" -mindepth 1 -type d -name 'Fuzz*' | LC_ALL=C sort | while read -r from; do
	target=${from##*/}
	package=.${from#"$kept"}
	package=${package%/*}
	grep -qs "^func $target(" "$package"/*_test.go || continue
	to=$package/testdata/fuzz/$target
	mkdir -p "$to"
	left=$((most - $(find "$to" -type f | wc -l)))
	[ "$left" -gt 0 ] || continue
	find "$from" -type f -size -401c -printf '%s %f\n' | LC_ALL=C sort -n | head -n "$left" |
		while read -r _ name; do cp "$from/$name" "$to/$name"; done
done
