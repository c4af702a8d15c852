#!/bin/sh
# Proves that releases made on a cluster are those of one machine, byte for byte: aa, exact and vpa,
# m from 1 to 3, without sensitive items and with some, on groceries, BMS-WebView-1 and -2 and
# retail, or on the data sets that are named, with a comma between them, on a standalone cluster of
# two workers that it starts here and stops again. MINGLE_SPARK_VERSION chooses Spark, see tools/spark.sh. Takes some minutes, Java 17 and the
# public data sets (MINGLE_DATA).
#
#   sh tools/spark-proof.sh [groceries,bms-webview-1,bms-webview-2,retail]
set -eu
cd "$(dirname "$0")/.."
sh tools/spark.sh home >/dev/null
MINGLE_SPARK_PROOF=${1:-groceries,bms-webview-1,bms-webview-2,retail} \
	exec go test -count=1 -timeout "${MINGLE_SPARK_TIME:-60m}" -v \
	-run TestSparkPublishesAsOneMachine ./cluster/spark
