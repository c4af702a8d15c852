#!/bin/sh
# Installs Dafny, with which the judge in proofs/ is proved, on Debian, where that can be done without asking. Where it cannot, the tests
# that need it are skipped and say so.
set -eu

install() {
	DEBIAN_FRONTEND=noninteractive timeout 150 apt-get install -y -qq --no-install-recommends dafny
}

if command -v dafny >/dev/null 2>&1; then
	echo "dafny: is installed"
elif [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
	echo "dafny: is not installed, and this cannot install it; tests that need it are skipped"
elif install >/dev/null 2>&1 || { timeout 60 apt-get update -qq && install; } >/dev/null 2>&1; then
	echo "dafny: was installed"
else
	echo "dafny: could not be installed; tests that need it are skipped"
fi
