#!/bin/sh
# Makes the release that a file says. What was published before stays as it was where anything goes
# wrong: mingle puts the table and the files in place together, at the end, or none of them.
#
# Exit codes: 0 it is published; 3 it was stopped: a threshold, or a promise that cannot be kept;
# any other: a fault, such as a server that does not answer. Whoever watches the job must see 3.
#
# usage: nightly.sh RELEASE.yaml
set -eu
release=${1:?the release file}
cd "$(dirname "$0")"
umask 022
mkdir -p public
(umask 077 && mkdir -p secret)

code=0
mingle run "$release" --quiet || code=$?
if [ "$code" -ne 0 ]; then
	echo "nightly: $release is not published (exit code $code)" >&2
	exit "$code"
fi
# the audit file of each night is kept: it says which line is of which transaction
mv secret/audit.json "secret/$(date -u +%Y-%m-%dT%H%M%SZ)-$$.json"
echo "nightly: $release is published"
