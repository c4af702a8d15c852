#!/bin/sh
# Writes the baskets of a day, one a line, to standard output. This one finds a file a day in
# $BASKETS; a query of a database, or a Parquet file, takes its place here.
# usage: extract.sh DAY
set -eu
exec cat "${BASKETS:?the directory of the baskets}/$1.csv"
