#!/bin/sh
# Buildah for tests, which builds and runs containers without a daemon. It installs Debian's package
# where there is none, and busybox, the system of the containers of examples/; where these cannot be
# had, the tests that need them skip and say so.
#
#   tools/container.sh           install it, within a time limit; never fails
#   tools/container.sh find      print the paths of buildah and of busybox, or fail
set -eu

find_programs() {
	command -v buildah && command -v busybox
}

case ${1:-install} in
find) find_programs ;;
install)
	if find_programs >/dev/null; then
		echo "container: buildah is installed"
	elif [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null 2>&1 &&
		timeout 60 apt-get update -qq >/dev/null 2>&1 &&
		DEBIAN_FRONTEND=noninteractive timeout 300 apt-get install -y -qq --no-install-recommends \
			buildah busybox-static >/dev/null 2>&1 && find_programs >/dev/null; then
		echo "container: buildah was installed"
	else
		echo "container: buildah could not be installed; tests that need it are skipped"
	fi
	;;
*)
	echo "container: $1 is not known" >&2
	exit 2
	;;
esac
