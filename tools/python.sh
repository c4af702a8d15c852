#!/bin/sh
# Installs what the tests of the Python module need (python/requirements.txt), in a folder of its
# own. Where that cannot be had, the tests skip and say so.
set -u
dir=${1:-"${XDG_CACHE_HOME:-${HOME:-/nowhere}/.cache}/mingle-python"}
wanted=$(dirname "$0")/../python/requirements.txt
cmp -s "$wanted" "$dir/installed.txt" && exit 0
[ -x "$dir/bin/python" ] || timeout 60 python3 -m venv "$dir" || exit 0
timeout 600 "$dir/bin/pip" install -q -r "$wanted" && cp "$wanted" "$dir/installed.txt"
exit 0
