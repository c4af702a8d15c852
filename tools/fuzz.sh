#!/bin/sh
# Runs every fuzz target of the module, one after another.
# usage: fuzz.sh GO TIME
#
# Little time goes into making interesting inputs smaller: it would eat the few seconds there are, and a target that is at it
# when its time ends is reported as "context deadline exceeded" with no failing input. That alone is tried once more.
set -eu
go=$1
time=$2
log=$(mktemp)
trap 'rm -f "$log"' EXIT

fuzz() {
	$go test -run='^$' -fuzz="^$2\$" -fuzztime="$time" -fuzzminimizetime=10x "$1" </dev/null >"$log" 2>&1
}

grep -rl --include='*_test.go' '^func Fuzz' . | sort | while read -r file; do
	package=$(dirname "$file")
	sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$file" | while read -r target; do
		echo "fuzz $package $target for $time"
		if ! fuzz "$package" "$target"; then
			if grep -q 'Failing input' "$log" || ! grep -q 'context deadline exceeded' "$log" || ! fuzz "$package" "$target"; then
				cat "$log"
				exit 1
			fi
		fi
		tail -n 1 "$log"
	done
done
