#!/bin/sh
# Runs every fuzz target of the module, one after another.
# usage: fuzz.sh GO TIME
set -eu
go=$1
time=$2
grep -rl --include='*_test.go' '^func Fuzz' . | sort | while read -r file; do
	package=$(dirname "$file")
	sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$file" | while read -r target; do
		echo "fuzz $package $target for $time"
		$go test -run='^$' -fuzz="^$target\$" -fuzztime="$time" "$package" </dev/null >/tmp/mingle-fuzz.$$ 2>&1 || {
			cat /tmp/mingle-fuzz.$$
			rm -f /tmp/mingle-fuzz.$$
			exit 1
		}
		tail -n 1 /tmp/mingle-fuzz.$$
		rm -f /tmp/mingle-fuzz.$$
	done
done
