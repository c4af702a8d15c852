#!/bin/sh
# Installs pyarrow and openpyxl, the other implementations of Parquet, Arrow and Excel, which tests
# of dataset compare with. Where they cannot be had, the tests skip and say so.
set -u
dir=${1:-"${XDG_CACHE_HOME:-${HOME:-/nowhere}/.cache}/mingle-pyarrow"}
python3 -c 'import pyarrow, openpyxl' 2>/dev/null && exit 0
[ -x "$dir/bin/python" ] || timeout 60 python3 -m venv "$dir" || exit 0
"$dir/bin/python" -c 'import pyarrow, openpyxl' 2>/dev/null ||
	timeout 200 "$dir/bin/pip" install -q pyarrow openpyxl || exit 0
