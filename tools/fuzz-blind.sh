#!/bin/sh
# Tries inputs made by random changes from the seeds of every fuzz target, for so long after each
# seed, and adds them up in the last column of a file; internal/soak/fuzz.go says how they are made.
# Two processes at once. What fails is told as a file of seeds, and ends this script.
# usage: fuzz-blind.sh GO TIME [FILE [WORD]]; TIME: as 500ms; WORD: only targets whose package or
# name has it; MINGLE_SOAK=n is another turn, with other inputs
set -eu
go=$1
export MINGLE_BLIND="$2"
counts=${3:-docs/fuzz-executions.txt}
word=${4:-}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
touch "$counts"
export dir GOGC=off GOMEMLIMIT=500MiB # inputs are small: collecting after each few would be most

grep -rl --include='*_test.go' '^func Fuzz' . | sort | while read -r file; do
	sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$file" | while read -r target; do
		echo "$(dirname "$file") $target"
	done
done | grep -e "$word" >"$dir/targets"

cut -d ' ' -f 1 "$dir/targets" | uniq | while read -r package; do
	program=$dir/$(echo "$package" | tr / _)
	GOGC=100 $go test -vet=off -c -o "$program" "$package" </dev/null
done

status=0
xargs -L 1 -P 2 sh -c '
	program=$dir/$(echo "$1" | tr / _)
	cd "$1"
	if ! "$program" -test.run="^$2\$" -test.v -test.timeout 0 >"$program.$2.log" 2>&1; then
		tail -n 40 "$program.$2.log" >&2
		exit 255
	fi
	n=$(sed -n "s/.*: \([0-9]*\) inputs$/\1/p" "$program.$2.log")
	echo "$1 $2 $n"
' sh <"$dir/targets" >"$dir/done" || status=$?
cat "$dir/done"

awk 'NR == FNR { n[$1 " " $2] = $3; next }
	{ k = $1 " " $2; print k, $3, $4 + n[k]; delete n[k] }
	END { for (k in n) print k, 0, n[k] }' "$dir/done" "$counts" | LC_ALL=C sort >"$dir/counts"
cp "$dir/counts" "$counts"
awk '{ g += $3; b += $4 } END { printf "%d of the fuzzer, %d blind\n", g, b }' "$counts"
exit $status
