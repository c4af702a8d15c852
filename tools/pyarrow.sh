#!/bin/sh
# Installs pyarrow, the other implementation of Parquet and Arrow, which tests of dataset compare
# with. Where it cannot be had, they skip and say so. The package index is pip's own.
set -u
dir=${1:-"${XDG_CACHE_HOME:-$HOME/.cache}/mingle-pyarrow"}
python3 -c 'import pyarrow' 2>/dev/null && exit 0
[ -x "$dir/bin/python" ] || python3 -m venv "$dir" || exit 0
"$dir/bin/python" -c 'import pyarrow' 2>/dev/null || "$dir/bin/pip" install -q pyarrow || exit 0
echo "tests use it with MINGLE_PYTHON=$dir/bin/python"
