#!/bin/sh
# Installs VeriPB 3.0.2, the checker of the proofs that --proof writes, below the user's cache directory, where there is cargo. Where it
# cannot be installed, the tests that need it are skipped and say so. MINGLE_VERIPB names another.
set -eu

version=3.0.2
dir=${XDG_CACHE_HOME:-${HOME:-/nowhere}/.cache}/mingle/veripb

if command -v "${MINGLE_VERIPB:-veripb}" >/dev/null 2>&1 || [ -x "$dir/bin/veripb" ]; then
	echo "veripb: is installed"
elif ! command -v cargo >/dev/null 2>&1; then
	echo "veripb: there is no cargo to install it; tests that need it are skipped"
elif mkdir -p "$dir" 2>/dev/null && timeout 400 cargo install veripb --version "$version" --locked --quiet --root "$dir" \
	--target-dir "$dir/target" >/dev/null 2>&1; then
	rm -rf "$dir/target"
	echo "veripb: $version was installed in $dir/bin"
else
	echo "veripb: could not be installed; tests that need it are skipped"
fi
