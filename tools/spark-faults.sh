#!/bin/sh
# Makes releases on a cluster of two workers on this machine, and has something happen in each: a
# worker of Go, an executor, a whole machine of the cluster, the driver's Spark or the driver is
# killed while sets are counted, while lines are published, while the release is judged, or at any
# moment; or the disk of one machine takes no more. What comes of it must be the release of one
# machine, byte for byte, or no output at all; and the run after it must make the release, and leave
# nothing else behind.
#
# A disk that takes no more is a limit on the files of that machine's processes, set by prlimit while
# they work: 15 kB, more than a job's plan has and less than the files that jobs shuffle and publish.
# By then the program is there, so what cannot be written is Spark's own. It is told what that was.
#
#   sh tools/spark-faults.sh [ROUNDS [FIRST]]
#   sh tools/spark-faults.sh driver [TIMES]
#
# 24 rounds, from 1 on, unless given: all of these. A round takes half a minute to two. With "driver"
# the driver is killed TIMES times (20 unless given), at moments spread at random over the time that
# a release takes; after all of these a release is made.
#
# Needs Java 17, see tools/spark.sh, and prlimit of util-linux.
set -eu
cd "$(dirname "$0")/.."
rounds=${1:-24}
first=${2:-1}
dir=$(mktemp -d)
export MINGLE_SPARK_RUN="$dir/run" SPARK_LOCAL_IP=127.0.0.1
# these processes live for minutes: compiling thoroughly costs more than it saves
brief="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
export SPARK_DAEMON_JAVA_OPTS="$brief"
trap 'sh tools/spark.sh stop; rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM

CGO_ENABLED=0 go build -trimpath -o "$dir/mingle" ./cmd/mingle
mingle="$dir/mingle"
"$mingle" generate quest --transactions 20000 --items 300 --seed 20 --quiet -o "$dir/in.dat"
"$mingle" hierarchy fanout "$dir/in.dat" -f 5 -o "$dir/tree.csv" --quiet
"$mingle" anonymize km "$dir/in.dat" -H "$dir/tree.csv" -k 20 -m 2 --algorithm aa --quiet -o "$dir/one.dat"

children() { pgrep -P "$1" 2>/dev/null || true; }

# machines are the processes of the two workers of the cluster; their children are executors, of
# which the shells that run our workers are children.
machines() { tail -n +2 "$MINGLE_SPARK_RUN/pids"; }
executors() { for m in $(machines); do children "$m"; done; }
workers() {
	for e in $(executors); do
		for s in $(children "$e"); do
			children "$s"
			echo "$s"
		done
	done
}

# hit kills what a round is about. $1 is the shell of the driver, which is two processes; Spark is a
# child of the second.
hit() {
	first=$(children "$1")
	second=$(for c in $first; do children "$c"; done)
	case $2 in
	worker) kill -9 $(workers) 2>/dev/null || true ;;
	executor) kill -9 $(executors | tail -1) 2>/dev/null || true ;;
	machine)
		m=$(machines | tail -1)
		kill -9 "$m" $(children "$m") 2>/dev/null || true
		;;
	spark) kill -9 $(for c in $second; do children "$c"; done) 2>/dev/null || true ;;
	driver) kill -9 $first $second 2>/dev/null || true ;;
	disk)
		for p in $(machines | tail -1) $(executors | tail -1); do
			prlimit --pid "$p" --fsize=15000 2>/dev/null || true
		done
		;;
	esac
}

# unwritten tells what Spark could not write: files of its shuffle, of the output, or what it is
# sent, by where it says so.
unwritten() {
	grep -A 40 'File too large' "$dir/log" | grep -oE \
		'Cannot unpack|ShuffleWriter|ShuffleExternalSorter|DiskBlockObjectWriter|TextOutputWriter|FileFormatWriter|doFetchFile' |
		sort | uniq -c | tr '\n' ' '
}

release() {
	"$mingle" spark anonymize km "$dir/in.dat" -H "$dir/tree.csv" -k 20 -m 2 --json \
		--master "$MINGLE_SPARK_MASTER" -o "$dir/out" --conf spark.ui.enabled=false \
		--conf spark.executor.memory=768m --conf spark.sql.files.maxPartitionBytes=128k \
		--conf "spark.driver.extraJavaOptions=$brief" --conf "spark.executor.extraJavaOptions=$brief" \
		--conf spark.sql.shuffle.partitions=4 --spark-log "$dir/log" >"$dir/told"
}

# cluster starts one, unless a whole one is there.
whole=no
cluster() {
	[ "$whole" = no ] || return 0
	eval "$(sh tools/spark.sh start)"
	whole=yes
}

# right tells whether the output is that of one machine.
right() { cat "$dir"/out/part-* | cmp -s - "$dir/one.dat"; }

# reached waits until the release is at a stage.
reached() {
	while kill -0 "$run" 2>/dev/null && ! grep -q "\"stage\":\"$1" "$dir/told"; do
		sleep 0.1
	done
}

if [ "$rounds" = driver ]; then
	cluster
	begun=$(date +%s)
	release 2>"$dir/errors"
	takes=$(($(date +%s) - begun))
	right || { echo "another release"; exit 1; }
	for time in $(seq "${2:-20}"); do
		rm -rf "$dir/out"
		release 2>"$dir/errors" &
		run=$!
		after=$(awk -v s="$time$$" -v t="$takes" 'BEGIN { srand(s); printf "%d", rand() * t * 10 }')
		n=0
		while kill -0 "$run" 2>/dev/null && [ "$n" -lt "$after" ]; do
			sleep 0.1
			n=$((n + 1))
		done
		hit "$run" driver
		code=0
		wait "$run" || code=$?
		if [ -e "$dir/out" ]; then
			right || { echo "time $time: another release, or part of it"; exit 1; }
			echo "time $time: the release was there when the driver was killed"
		else
			[ "$code" != 0 ] || { echo "time $time: no output, and no error"; exit 1; }
			echo "time $time: killed after $((after / 10)) of $takes seconds" \
				"($(grep -o '"stage":"[^"(]*' "$dir/told" | tail -1 | cut -d'"' -f4)): no output"
		fi
	done
	rm -rf "$dir/out"
	release 2>"$dir/errors" || { tail -1 "$dir/errors"; echo "the next run fails"; exit 1; }
	right || { echo "the next run makes another release"; exit 1; }
	! ls -d "$dir"/_mingle-* >/dev/null 2>&1 || { echo "something was left behind"; exit 1; }
	echo "the release, or none; the run after all these made it, and left nothing behind"
	exit 0
fi

for round in $(seq "$first" $((first + rounds - 1))); do
	rm -rf "$dir/out"
	what=$(echo "worker executor machine spark driver disk" | cut -d' ' -f$(((round - 1) % 6 + 1)))
	when=$(echo "counting publishing verifying any" | cut -d' ' -f$(((round - 1) / 6 % 4 + 1)))
	cluster
	: >"$dir/told"
	release 2>"$dir/errors" &
	run=$!
	after=$(awk -v s="$round$$" 'BEGIN { srand(s); printf "%.1f", rand() * 2 }')
	while kill -0 "$run" 2>/dev/null && [ -z "$(executors)" ]; do sleep 0.2; done
	if [ "$when" = any ]; then
		after=$(awk -v s="$after" 'BEGIN { print s * 12 }')
	elif [ "$what $when" = "disk counting" ]; then
		reached "counting sets" # libraries of Spark have been unpacked by then
	else
		reached "$when"
	fi
	[ "$what" != disk ] || [ "$when" = any ] || after=0
	n=0
	while kill -0 "$run" 2>/dev/null && awk "BEGIN { exit !($n < $after * 5) }"; do
		sleep 0.2
		n=$((n + 1))
	done
	while [ "$what" = worker ] && kill -0 "$run" 2>/dev/null && [ -z "$(workers)" ]; do sleep 0.1; done
	alive=no
	if kill -0 "$run" 2>/dev/null; then
		alive=yes
		hit "$run" "$what"
	fi
	code=0
	wait "$run" || code=$?
	if [ "$code" = 0 ]; then
		right || { echo "round $round: another release"; exit 1; }
	elif [ -e "$dir/out" ]; then
		echo "round $round: an output after code $code"
		exit 1
	fi
	echo "round $round: $what, ${after}s into $when (running: $alive): exit code $code"
	if [ "$code" != 0 ]; then
		tail -1 "$dir/errors"
	fi
	[ "$what" != disk ] || echo "what could not be written: $(unwritten)"
	case $what in disk | machine) whole=no ;; esac
	if [ "$code" != 0 ]; then
		cluster
		release 2>"$dir/errors" || { tail -1 "$dir/errors"; echo "round $round: the next run fails"; exit 1; }
		right || { echo "round $round: the next run makes another release"; exit 1; }
	fi
	if ls -d "$dir"/_mingle-* >/dev/null 2>&1; then
		echo "round $round: something was left behind"
		exit 1
	fi
done
echo "all rounds ended with the right release, or with none"
