#!/bin/sh
# What l^m-diversity costs: NCP of local and of exact with k=5 and m=2, for three lists of sensitive
# items, with l=2, 3 and 5, beside NCP of the same data without these items and without l. Lists: the
# two items nearest to 1 % of the lines, the five nearest to 2 %, the three nearest to 8 %. With
# BEFORE=PROGRAM another mingle is measured beside, as "before". What takes more than LIMIT seconds
# (150) is "-".
# usage: diversity.sh MINGLE DIRECTORY-OF-THE-DATA [DATA...]
set -euf
mingle=$(realpath "$1") data=$(realpath "$2") before=${BEFORE:+$(realpath "$BEFORE")}
shift 2
[ $# -gt 0 ] ||
	set -- groceries mimic3-demo foodmart chess mushroom bms-webview-1 bms-webview-2 retail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

# list N SHARE: the N items whose share of the lines is nearest.
list() {
	zcat "$file" | awk -v n="$1" -v share="$2" '
		{ for (i = 1; i <= NF; i++) has[$i]++ }
		END { for (x in has) { d = has[x] / NR - share; printf "%.9f %s\n", d < 0 ? -d : d, x } }
	' | LC_ALL=C sort -k1,1 -k2,2 | head -n "$1" | cut -d' ' -f2
}

# rest: the data without the sensitive items.
rest() {
	zcat "$file" | awk 'NR == FNR { secret[$1]; next } {
		line = ""
		for (i = 1; i <= NF; i++) if (!($i in secret)) line = line (line == "" ? "" : " ") $i
		print line
	}' secret -
}

# ncp PROGRAM ALGORITHM ARGUMENTS: what is lost.
ncp() {
	program=$1 how=$2
	shift 2
	if [ -z "$program" ]; then
		printf -- -
		return
	fi
	# shellcheck disable=SC2086
	timeout "${LIMIT:-150}" "$program" anonymize km "$@" $tree -k 5 -m 2 --algorithm "$how" --seed table \
		--output-format basket -o out --force 2>&1 |
		awk '$1 == "NCP" { n = $2 } END { printf "%s", n == "" ? "-" : n }'
}

echo "| data | sensitive | l | without l | before | times | local | times | exact without l | exact | times |"
echo "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
for name; do
	file=$data/$name/$name.dat.gz tree="-H tree.csv"
	case $name in
	groceries)
		tree="-H $data/groceries/groceries_items_hierarchy.csv
			--hierarchy-columns item,level2,level1 --add-root *"
		;;
	mimic3-demo)
		file=$data/mimic3-demo/mimic3-demo-admissions.dat.gz
		tree="-H $data/mimic3-demo/items.csv --hierarchy-columns item,category3 --add-root *"
		;;
	*) "$mingle" hierarchy fanout "$file" -f 5 -o tree.csv --force >/dev/null ;;
	esac
	for which in "2 0.01" "5 0.02" "3 0.08"; do
		# shellcheck disable=SC2086
		list $which >secret
		rest >rest.dat
		base=$(ncp "$mingle" local rest.dat) least=$(ncp "$mingle" exact rest.dat)
		for l in 2 3 5; do
			set -- "$file" --sensitive secret -l $l
			echo "$name $which $l $base $(ncp "$before" local "$@") $(ncp "$mingle" local "$@")" \
				"$least $(ncp "$mingle" exact "$@")" | awk '
				function times(a, b) { return a == "-" || b == "-" || b == 0 ? "-" : sprintf("%.2f", a / b) }
				{ printf "| %s | %s near %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n",
					$1, $2, $3, $4, $5, $6, times($6, $5), $7, times($7, $5), $8, $9, times($9, $8) }'
		done
	done
done
