#!/bin/sh
# Runs the race detector on the packages that share work between goroutines, found by reading the source. It needs a C
# compiler; a machine without one skips it and says so. The enumerations are left out: they say nothing
# more about goroutines, and are run by "go test" itself.
# usage: race.sh GO
set -eu
go=$1
if ! command -v "$($go env CC)" >/dev/null 2>&1; then
	echo "race detector skipped: it needs a C compiler ($($go env CC)), and there is none"
	exit 0
fi
packages=$(grep -rlE --include='*.go' '\.Go\(func|go func|par\.(Each|Map)' . | grep -v -e _test.go -e '^./cmd/' -e '^./bench/' | xargs -n1 dirname | sort -u)
echo "race detector:" $packages
CGO_ENABLED=1 $go test -race -vet=off -short -skip 'Soak|Bomb|FullEnumeration' -timeout 20m $packages
