#!/bin/sh
# Runs cmd/mutants with the arguments given where a mutant can do no harm: some replace or remove
# what they should not, and the tests hand them the null device. On Linux it has devices that can
# neither be replaced nor removed, and a folder for temporary files in memory, both its own.
set -eu

if [ -z "${MINGLE_APART:-}" ] && [ "$(uname)" = Linux ]; then
	kind=-m
	[ "$(id -u)" = 0 ] || kind=-rm
	MINGLE_APART=1 exec unshare $kind --propagation private sh "$0" "$@"
fi

if [ -n "${MINGLE_APART:-}" ]; then
	mount -t tmpfs mutants /mnt
	mkdir /mnt/dev /mnt/tmp
	for device in null zero full random urandom; do
		touch "/mnt/dev/$device"
		mount --bind "/dev/$device" "/mnt/dev/$device"
	done
	for link in fd stdin stdout stderr; do ln -s "$(readlink "/dev/$link")" "/mnt/dev/$link"; done
	mount --rbind /mnt/dev /dev
	export TMPDIR=/mnt/tmp
fi
exec nice go run ./cmd/mutants "$@"
