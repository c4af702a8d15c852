#!/bin/sh
# PostgreSQL for tests: a private server, of whose socket nobody else knows. Without an argument it
# installs Debian's package where there is no server; where it cannot be had, the tests that need it
# skip and say so.
#
#   tools/postgres.sh            install it, within a time limit; never fails
#   tools/postgres.sh find       print the folder of its programs, or fail
#   tools/postgres.sh run DIR    make a server in the empty folder DIR and run it until it is ended;
#                                its socket is in DIR, it has no other way in, and its user is mingle
set -eu

find_programs() {
	for dir in "${MINGLE_POSTGRES:-/nowhere}" /usr/lib/postgresql/*/bin /usr/local/bin /usr/bin \
		/usr/pgsql-*/bin /opt/homebrew/opt/postgresql*/bin; do
		if [ -x "$dir/initdb" ] && [ -x "$dir/postgres" ]; then
			echo "$dir"
			return 0
		fi
	done
	return 1
}

# The server refuses to run as root; another user of the system takes its place.
as_user() {
	if [ "$(id -u)" -ne 0 ]; then
		exec "$@"
	fi
	exec setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups --pdeathsig TERM "$@"
}
user=nobody
if id postgres >/dev/null 2>&1; then user=postgres; fi

case ${1:-install} in
find) find_programs ;;
run)
	dir=$2
	programs=$(find_programs)
	if [ "$(id -u)" -eq 0 ]; then chown "$user" "$dir"; fi
	cd "$dir"
	(as_user "$programs/initdb" -D "$dir/data" -U mingle -A trust -E UTF8 --locale=C --no-sync) >"$dir/initdb.log"
	as_user "$programs/postgres" -D "$dir/data" -k "$dir" -h '' -c fsync=off -c max_connections=20 \
		-c shared_buffers=64MB -c logging_collector=off
	;;
install)
	if find_programs >/dev/null; then
		echo "postgres: is installed"
	elif [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null 2>&1 &&
		timeout 60 apt-get update -qq >/dev/null 2>&1 &&
		DEBIAN_FRONTEND=noninteractive timeout 300 apt-get install -y -qq --no-install-recommends postgresql \
			>/dev/null 2>&1 && find_programs >/dev/null; then
		echo "postgres: was installed"
	else
		echo "postgres: could not be installed; tests that need it are skipped"
	fi
	;;
*)
	echo "postgres: $1 is not known" >&2
	exit 2
	;;
esac
