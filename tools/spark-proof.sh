#!/bin/sh
# Proves that releases made on a cluster are those of one machine, byte for byte: aa, exact and vpa,
# or the algorithms that are named, m from 1 to 3, on groceries, BMS-WebView-1 and -2 and retail, or
# on the data sets that are named, with a comma between them; quest-5000000 is so many transactions
# that are generated. local and partition are in one part, where that fits. The standalone cluster
# of two workers is started here and stopped again.
#
#   sh tools/spark-proof.sh [groceries,bms-webview-1,bms-webview-2,retail [aa,exact,vpa]]
#
#   MINGLE_SPARK_VERSION   chooses Spark, see tools/spark.sh
#   MINGLE_SPARK_TIME      how long it may take, 60m unless given; what is left then is skipped
#   MINGLE_SOAK            1: also with some items sensitive, and l=8
#
# Needs Java 17 and the public data sets (MINGLE_DATA).
set -eu
cd "$(dirname "$0")/.."
sh tools/spark.sh home >/dev/null
MINGLE_SPARK_PROOF=${1:-groceries,bms-webview-1,bms-webview-2,retail} MINGLE_SPARK_ALGORITHMS=${2:-} \
	exec go test -count=1 -timeout "${MINGLE_SPARK_TIME:-60m}" -v \
	-run TestSparkPublishesAsOneMachine ./cluster/spark
