#!/bin/sh
# Runs every fuzz target of the module, one after another. The targets of a package share one
# program. In it this module's code alone tells the fuzzer what an input reaches: the rest is
# compiled as for all tests, and fuzz-long.sh has all of it tell. What the targets find interesting
# is kept where "go test -fuzz" keeps it.
# usage: fuzz.sh GO TIME
#
# Little time goes into making interesting inputs smaller: it would eat the few seconds there are,
# and a target that is at it when its time ends is reported as "context deadline exceeded" with no
# failing input. That alone is no failure.
set -eu
go=$1
time=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
kept=$($go env GOCACHE)/fuzz/

# fuzz PACKAGE TARGET
fuzz() {
	(cd "$1" && "$dir/program" -test.run='^$' -test.fuzz="^$2\$" -test.fuzztime="$time" \
		-test.fuzzminimizetime=10x -test.fuzzcachedir="$kept$($go list .)") </dev/null >"$dir/log" 2>&1
}

ended() {
	! grep -q 'Failing input' "$dir/log" && grep -q '^    context deadline exceeded$' "$dir/log"
}

grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u | while read -r package; do
	$go test -vet=off -c -gcflags='mingle/...=-d=libfuzzer' -o "$dir/program" "$package" </dev/null
	sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$package"/*_test.go | while read -r target; do
		echo "fuzz $package $target for $time"
		if ! fuzz "$package" "$target" && ! ended; then
			cat "$dir/log"
			exit 1
		fi
		grep execs: "$dir/log" | tail -n 1
	done
done
