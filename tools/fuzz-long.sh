#!/bin/sh
# Goes on with every fuzz target in turn until the time is over, at the lowest priority, and adds the executions up in a file:
# a line a target: its package, its name, how often it was executed in all runs of this script so far, and how often by
# fuzz-blind.sh.
# What fuzzing has found interesting is kept where Go keeps it (go env GOCACHE, fuzz/), so that the next run goes on from there.
# What fails is a file below testdata/fuzz, and the end of this script.
# usage: fuzz-long.sh GO SECONDS [FILE [WORD]]; WORD: only targets whose package or name has it
set -eu
go=$1
end=$(($(date +%s) + $2))
counts=${3:-docs/fuzz-executions.txt}
word=${4:-}
turn=60 # seconds a target, before the next one has its turn
log=$(mktemp)
trap 'rm -f "$log" "$log.counts"' EXIT
touch "$counts"

targets() {
	grep -rl --include='*_test.go' '^func Fuzz' . | sort | while read -r file; do
		sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$file" | while read -r target; do
			echo "$(dirname "$file") $target"
		done
	done | grep -e "$word"
}

# add PACKAGE TARGET EXECUTIONS
add() {
	awk -v p="$1" -v t="$2" -v n="$3" '
		$1 == p && $2 == t { $3 += n; seen = 1 }
		{ print $1, $2, $3, $4 + 0 }
		END { if (!seen) print p, t, n, 0 }' "$counts" | LC_ALL=C sort >"$log.counts"
	cp "$log.counts" "$counts"
}

while [ "$(date +%s)" -lt "$end" ]; do
	targets | while read -r package target; do
		left=$((end - $(date +%s)))
		[ "$left" -gt 0 ] || break
		[ "$left" -lt "$turn" ] || left=$turn
		status=0
		nice -n 19 "$go" test -run='^$' -fuzz="^$target\$" -fuzztime="${left}s" -fuzzminimizetime=10x "$package" \
			</dev/null >"$log" 2>&1 || status=$?
		n=$(sed -n 's/.*execs: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
		add "$package" "$target" "${n:-0}"
		echo "$package $target: ${n:-0}"
		if [ "$status" -ne 0 ] && grep -q 'Failing input' "$log"; then
			cat "$log"
			exit 1
		fi
	done || exit 1
done
awk '{ n += $3 } END { printf "%d executions in all, of %d targets\n", n, NR }' "$counts"
