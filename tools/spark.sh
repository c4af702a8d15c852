#!/bin/sh
# A standalone cluster of Apache Spark on this machine, a master and workers as processes on
# loopback, for tests and for trying things out:
#
#   eval "$(sh tools/spark.sh start)"   sets SPARK_HOME and MINGLE_SPARK_MASTER
#   sh tools/spark.sh stop
#   sh tools/spark.sh home              downloads it where it is not there, and prints its folder
#   sh tools/spark.sh found             prints its folder if it is there
#
# Spark is taken from the package pyspark of the Python package index, through pip, into a folder
# outside this repository. Needs Java 17 or newer, and pip for the download.
#
#   MINGLE_SPARK_VERSION   3.5.* unless given; 4.0.* and later work, too
#   MINGLE_SPARK_CACHE     the folder for downloads
#   MINGLE_SPARK_RUN       the folder for logs and process numbers of the cluster
#   MINGLE_SPARK_WORKERS   how many workers, of 1 core and 1 GB each; 2 unless given
set -eu

version=${MINGLE_SPARK_VERSION:-3.5.*}
cache=${MINGLE_SPARK_CACHE:-${XDG_CACHE_HOME:-${HOME:?}/.cache}/mingle/spark}
run=${MINGLE_SPARK_RUN:-$cache/run}
workers=${MINGLE_SPARK_WORKERS:-2}

fail() {
	echo "spark: $1" >&2
	exit 3
}

# found prints the folder of the version, if it is there.
found() {
	for d in "$cache"/pyspark-$version/deps; do
		if [ -x "$d/bin/spark-class" ]; then
			echo "$d"
			return
		fi
	done
	return 1
}

home() {
	if [ -n "${SPARK_HOME:-}" ] && [ -x "$SPARK_HOME/bin/spark-class" ]; then
		echo "$SPARK_HOME"
		return
	fi
	command -v java >/dev/null 2>&1 || fail "Java is not installed"
	found && return
	command -v python3 >/dev/null 2>&1 || fail "python3 with pip is needed to download Spark"
	mkdir -p "$cache"
	new=$(mktemp -d "$cache/download.XXXXXX")
	if ! python3 -m pip download -q --no-deps --no-binary :all: \
		-d "$new" "pyspark==$version" >"$new/log" 2>&1; then
		rm -rf "$new"
		fail "pyspark $version could not be downloaded"
	fi
	tar xzf "$new"/pyspark-*.tar.gz -C "$new" || fail "the package cannot be unpacked"
	rm -f "$new"/pyspark-*.tar.gz
	for d in "$new"/pyspark-*; do
		mv "$d" "$cache/" 2>/dev/null || true # somebody else was first
	done
	rm -rf "$new"
	found || fail "the package does not hold Spark"
}

# launched waits until a line with some text is in a log.
launched() {
	for _ in $(seq 600); do
		grep -q "$2" "$1" 2>/dev/null && return
		sleep 0.1
	done
	cat "$1" >&2
	stop
	fail "the cluster does not start"
}

start() {
	home=$(home)
	mkdir -p "$run"
	[ ! -f "$run/pids" ] || stop
	export SPARK_HOME="$home" SPARK_NO_DAEMONIZE=1 SPARK_LOCAL_IP=127.0.0.1
	export SPARK_DAEMON_MEMORY=256m
	class="$home/bin/spark-class org.apache.spark.deploy"
	: >"$run/master.log"
	# ports that the system chooses: several clusters may be on one machine
	setsid $class.master.Master --host 127.0.0.1 --port 0 --webui-port 0 >"$run/master.log" 2>&1 &
	echo $! >"$run/pids"
	launched "$run/master.log" "I have been elected leader"
	master=$(sed -n 's|.*Starting Spark master at \(spark://[0-9.:]*\).*|\1|p' "$run/master.log")
	[ -n "$master" ] || fail "the master does not say where it is"
	for i in $(seq "$workers"); do
		: >"$run/worker$i.log"
		SPARK_WORKER_DIR="$run/work$i" setsid $class.worker.Worker --host 127.0.0.1 --port 0 --webui-port 0 --cores 1 \
			--memory 1g --work-dir "$run/work$i" "$master" >"$run/worker$i.log" 2>&1 &
		echo $! >>"$run/pids"
	done
	for i in $(seq "$workers"); do
		launched "$run/worker$i.log" "Successfully registered with master"
	done
	echo "export SPARK_HOME='$home' MINGLE_SPARK_MASTER='$master'"
}

stop() {
	[ -f "$run/pids" ] || return 0
	while read -r p; do
		kill -- "-$p" 2>/dev/null || kill "$p" 2>/dev/null || true
	done <"$run/pids"
	rm -rf "$run/pids" "$run"/work*
}

case "${1:-}" in
home) home ;;
found) found || fail "pyspark $version is not in $cache; sh tools/spark.sh home downloads it" ;;
start) start ;;
stop) stop ;;
*) fail "say home, found, start or stop" ;;
esac
