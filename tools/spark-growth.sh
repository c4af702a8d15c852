#!/bin/sh
# How a release grows with the data: so many generated transactions of ten of a thousand items, aa,
# k=5 and m=2, on one machine and on a cluster of two workers of one core each on this one, and
# whether the published lines are the same bytes. Of each it prints processor seconds, seconds, the
# largest memory of each kind of process, and the bytes that were shuffled.
#
#   sh tools/spark-growth.sh [MILLIONS...]       1 10 unless given
#
#   MINGLE_GROWTH_DIR    where the data lie meanwhile: 40 MB a million lines, and thrice as much for
#                        what is published
#   MINGLE_GROWTH_ONLY   cluster: leave out the one machine
#
# Needs Java 17; see tools/spark.sh.
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- 1 10
dir=$(mktemp -d "${MINGLE_GROWTH_DIR:-${TMPDIR:-/tmp}}/growth.XXXXXX")
export MINGLE_SPARK_RUN="$dir/run" SPARK_LOCAL_IP=127.0.0.1
trap 'sh tools/spark.sh stop; rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM

CGO_ENABLED=0 go build -trimpath -o "$dir/mingle" ./cmd/mingle
mingle="$dir/mingle"

children() { pgrep -P "$1" 2>/dev/null || true; }

# ticks is the processor time so far of processes and of their children that ended, in hundredths.
ticks() {
	for p; do cat "/proc/$p/stat" 2>/dev/null || true; done |
		sed 's/.*) //' | awk '{ t += $12 + $13 + $14 + $15 } END { print t + 0 }'
}

# most prints the largest memory of any of some processes in kB, or of what was told before.
most() {
	was=$1
	shift
	for p; do sed -n 's/VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$p/status" 2>/dev/null || true; done |
		awk -v m="$was" '$1 > m { m = $1 } END { print m + 0 }'
}

# watch looks at the processes of a release while it runs: $1 is the command.
watch() {
	driver=0 jvm=0 executor=0 worker=0 spent=0
	while kill -0 "$1" 2>/dev/null; do
		machines=$(tail -n +2 "$MINGLE_SPARK_RUN/pids")
		executors=$(for m in $machines; do children "$m"; done)
		shells=$(for e in $executors; do children "$e"; done)
		# mingle is two processes, of which the second does the work
		workers=$(for s in $shells; do for w in $(children "$s"); do children "$w"; done; done)
		second=$(children "$1")
		sparks=$(for s in $second; do children "$s"; done)
		driver=$(most $driver $second)
		jvm=$(most $jvm $sparks)
		executor=$(most $executor $executors)
		worker=$(most $worker $workers)
		now=$(ticks $second $sparks $executors)
		[ "$now" -lt "$spent" ] || spent=$now
		sleep 1
	done
	echo "$driver $jvm $executor $worker $spent" >"$dir/watched"
}

for millions; do
	"$mingle" generate quest --transactions $((millions * 1000000)) --items 1000 --seed 7 --quiet \
		-o "$dir/in.dat"
	"$mingle" hierarchy fanout "$dir/in.dat" -f 10 -o "$dir/tree.csv" --quiet --memory 16GB
	if [ "${MINGLE_GROWTH_ONLY:-}" != cluster ]; then
		/usr/bin/time -f "%U %S %e %M" -o "$dir/time" "$mingle" anonymize km "$dir/in.dat" \
			-H "$dir/tree.csv" -k 5 -m 2 --algorithm aa --memory 16GB --quiet -o "$dir/one.dat"
		awk -v n="$millions" '{ printf "%d million, one machine: %.0f processor seconds, %.0f seconds, " \
			"%.0f MB\n", n, $1 + $2, $3, $4 / 1024 }' "$dir/time"
	fi
	eval "$(sh tools/spark.sh start)"
	mkdir "$dir/events"
	begun=$(date +%s)
	"$mingle" spark anonymize km "$dir/in.dat" -H "$dir/tree.csv" -k 5 -m 2 --json \
		--master "$MINGLE_SPARK_MASTER" -o "$dir/out" --conf spark.ui.enabled=false \
		--conf spark.driver.memory=768m --conf spark.executor.memory=768m \
		--conf spark.eventLog.enabled=true --conf "spark.eventLog.dir=file:$dir/events" >"$dir/told" &
	run=$!
	watch $run
	wait $run
	seconds=$(($(date +%s) - begun))
	read -r driver jvm executor worker spent <"$dir/watched"
	shuffled=$(cat "$dir"/events/* "$dir"/events/*/* 2>/dev/null | grep '"Event":"SparkListenerTaskEnd"' |
		grep -o '"Shuffle Bytes Written":[0-9]*' | cut -d: -f2 | awk '{ s += $1 } END { print s + 0 }')
	tasks=$(cat "$dir"/events/* "$dir"/events/*/* 2>/dev/null | grep -c '"Event":"SparkListenerTaskEnd"')
	awk -v n="$millions" -v d="$driver" -v j="$jvm" -v e="$executor" -v w="$worker" -v s="$spent" \
		-v t="$seconds" -v b="$shuffled" -v k="$tasks" 'BEGIN { printf "%d million, cluster: %.0f " \
		"processor seconds, %d seconds, %d tasks; driver %.0f MB, its Spark %.0f MB, executor %.0f MB, " \
		"worker %.0f MB; %.1f MB shuffled\n", n, s / 100, t, k, d / 1024, j / 1024, e / 1024, w / 1024, b / 1e6 }'
	if [ -e "$dir/one.dat" ]; then
		cat "$dir"/out/part-* | cmp - "$dir/one.dat"
		echo "the same bytes"
	fi
	sh tools/spark.sh stop
	rm -rf "$dir/events" "$dir/out" "$dir/one.dat" "$dir/in.dat"
done
