#!/bin/sh
# Installs Chromium, with which tests open the pages that the program writes, and axe-core, which looks at them as somebody does who
# cannot see them well, where that can be done without asking. Where it cannot, the tests that need them are skipped and say so.
set -eu

axe() {
	dir=${XDG_CACHE_HOME:-${HOME:-/nowhere}/.cache}/mingle/axe
	if [ -f "$dir/node_modules/axe-core/axe.min.js" ] || [ -n "${MINGLE_AXE:-}" ]; then
		echo "browser: axe-core is installed"
	elif command -v npm >/dev/null 2>&1 && mkdir -p "$dir" 2>/dev/null &&
		timeout 60 npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$dir" axe-core@4 >/dev/null 2>&1; then
		echo "browser: axe-core was installed"
	else
		echo "browser: axe-core could not be installed (npm does it); tests that need it are skipped"
	fi
}

browser() {
	for name in "${MINGLE_BROWSER:-}" chromium chromium-browser google-chrome chrome; do
		if [ -n "$name" ] && command -v "$name" >/dev/null 2>&1; then
			echo "browser: $name is installed"
			return
		fi
	done
	if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
		echo "browser: none is installed, and this cannot install one; tests that need it are skipped"
		return
	fi
	if install >/dev/null 2>&1 || { timeout 60 apt-get update -qq && install; } >/dev/null 2>&1; then
		echo "browser: chromium was installed"
	else
		echo "browser: chromium could not be installed; tests that need it are skipped"
	fi
}

install() {
	DEBIAN_FRONTEND=noninteractive timeout 150 apt-get install -y -qq --no-install-recommends chromium fonts-liberation
}

browser
axe
