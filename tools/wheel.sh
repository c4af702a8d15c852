#!/bin/sh
# Builds the Python wheel of this computer's system, which pip installs: the module and the command.
# "make dist" makes those of all systems. usage: wheel.sh [DIRECTORY] [GO]
set -eu
out=${1:-dist}
go=${2:-go}
cd "$(dirname "$0")/.."
"$go" run ./cmd/dist -make wheels -o "$out" -platforms "$("$go" env GOHOSTOS)/$("$go" env GOHOSTARCH)"
