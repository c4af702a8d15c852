#!/bin/sh
# Runs every fuzz target of the module, as many at once as there are processors, each with one
# worker. The targets of a package share one program. In it this module's code alone tells the
# fuzzer what an input reaches: the rest is compiled as for all tests, and fuzz-long.sh has all of
# it tell. What the targets find interesting is kept where "go test -fuzz" keeps it.
# usage: fuzz.sh GO TIME
#
# Little time goes into making interesting inputs smaller: it would eat the few seconds there are,
# and a target that is at it when its time ends is reported as "context deadline exceeded" with no
# failing input. That alone is no failure.
set -eu
go=$1
export time="$2"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
kept=$($go env GOCACHE)/fuzz
export dir kept

grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u >"$dir/packages"
while read -r package; do
	program=$dir/$(echo "$package" | tr / _)
	$go test -vet=off -c -gcflags='mingle/...=-d=libfuzzer' -o "$program" "$package" </dev/null
	path=$($go list "$package")
	sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$package"/*_test.go | while read -r target; do
		echo "$program $package $path $target"
	done
done <"$dir/packages" >"$dir/targets"

# shellcheck disable=SC2016
xargs -L 1 -P "$(getconf _NPROCESSORS_ONLN)" sh -c '
	program=$1 package=$2 path=$3 target=$4 log=$dir/$4.log.$$
	cd "$package"
	status=0
	"$program" -test.run="^\$" -test.fuzz="^$target\$" -test.fuzztime="$time" -test.parallel=1 \
		-test.fuzzminimizetime=10x -test.fuzzcachedir="$kept/$path" </dev/null >"$log" 2>&1 || status=$?
	if [ $status -ne 0 ] && { grep -q "Failing input" "$log" ||
		! grep -q "^    context deadline exceeded\$" "$log"; }; then
		echo "fuzz $package $target:"
		cat "$log"
		exit 255
	fi
	echo "fuzz $package $target for $time: $(grep execs: "$log" | tail -n 1)"
' sh <"$dir/targets"
