#!/bin/sh
# Installs Chromium, with which tests open the pages that the program writes, where that can be done without asking. Where it cannot,
# the tests that need a browser are skipped and say so.
set -eu
for name in "${MINGLE_BROWSER:-}" chromium chromium-browser google-chrome chrome; do
	if [ -n "$name" ] && command -v "$name" >/dev/null 2>&1; then
		echo "browser: $name is installed"
		exit 0
	fi
done
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
	echo "browser: none is installed, and this cannot install one; tests that need it are skipped"
	exit 0
fi
install() {
	DEBIAN_FRONTEND=noninteractive timeout 150 apt-get install -y -qq --no-install-recommends chromium fonts-liberation
}
if install >/dev/null 2>&1 || { timeout 60 apt-get update -qq && install; } >/dev/null 2>&1; then
	echo "browser: chromium was installed"
else
	echo "browser: chromium could not be installed; tests that need it are skipped"
fi
