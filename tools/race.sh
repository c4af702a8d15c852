#!/bin/sh
# The race detector needs a C compiler; a machine without one skips it and says so.
# usage: race.sh GO PACKAGE...
set -eu
go=$1
shift
if ! command -v "$($go env CC)" >/dev/null 2>&1; then
	echo "race detector skipped: it needs a C compiler ($($go env CC)), and there is none"
	exit 0
fi
echo "$go test -race -short" "$@"
$go test -race -short "$@"
