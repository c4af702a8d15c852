#!/bin/sh
# Publishes the baskets of one day: extract, mingle run, and only then the files appear in
# public/DAY, all of them at once. What is published stays as it was where anything goes wrong.
#
# Exit codes: 0 it is published; 3 it was stopped: a threshold, or a promise that cannot be kept;
# any other: a fault, such as an extract that cannot be read. Whoever watches the job must see 3.
#
# A day must not be published twice, nor a basket in two releases: no promise covers several
# releases of the same people's data taken together.
#
# usage: nightly.sh DAY      such as 2026-11-21
set -eu
day=${1:?the day, such as 2026-11-21}
cd "$(dirname "$0")"
case $day in *[!0-9-]*) echo "nightly: $day is no day" >&2; exit 2 ;; esac
if [ -e "public/$day" ]; then
	echo "nightly: $day is published already" >&2
	exit 2
fi

umask 022
mkdir -p public
umask 077 # the extract and the audit file are secret
rm -rf work public/.new-*
mkdir -p work secret
trap 'rm -rf work' EXIT

sh ./extract.sh "$day" >work/baskets.csv

code=0
mingle run release.yaml --quiet || code=$?
if [ "$code" -ne 0 ]; then
	echo "nightly: $day is not published (exit code $code)" >&2
	exit "$code"
fi
mv secret/audit.json "secret/$day.json"

# the report and the published file appear together: a directory is renamed. It is moved first, for
# public may be another file system, as in a container.
rm work/baskets.csv
chmod 644 work/*
chmod 755 work
mv work "public/.new-$day"
mv "public/.new-$day" "public/$day"
echo "nightly: $day is published"
