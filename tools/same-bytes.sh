#!/bin/sh
# Runs some 200 commands of all families with two builds, and tells where the two differ: in an exit
# code, or in a byte of a file that was written. What "local" publishes may differ ("auto" takes it, too).
# Times and the program's version, which reports and audit files hold, are left out of the comparison.
# usage: same-bytes.sh OLD NEW
set -eu
old=$(realpath "$1")
new=$(realpath "$2")
dir=$(mktemp -d)
[ -n "${KEEP:-}" ] || trap 'rm -rf "$dir"' EXIT
list=$dir/commands

# c NAME ARGUMENTS: one command; its files are called NAME.*
c() { printf '%s\n' "$*" >>"$list"; }

c base generate shop --transactions 600 --items 80 --seed 3 --catalogue catalogue.csv -o shop.csv
c zipf generate zipf --transactions 400 --items 40 --seed 4 -o zipf.dat
c quest generate quest --transactions 400 --items 60 --seed 5 --length 7 -o quest.dat
c shape generate shape --transactions 300 --items 50 --longest 12 --average 4 --seed 6 -o shape.jsonl
c long generate zipf --transactions 200 --items 30 --seed 7 -o long.csv --format long
c table generate zipf --transactions 200 --items 30 --seed 8 -o table.csv --format table
c spmf generate zipf --transactions 200 --items 30 --seed 9 -o spmf.txt --format spmf
c income generate income -n 400 --seed 3 -o income.csv
for f in arx pairs amnesia json; do
	c fan-$f hierarchy fanout zipf.dat -f 4 -o zipf-$f.h --format $f
done
c fan-quest hierarchy fanout quest.dat -f 3 -o quest.h
c fan-shape hierarchy fanout shape.jsonl -f 5 -o shape.h
c fan-long hierarchy fanout long.csv --input-format long -f 5 -o long.h
c fan-table hierarchy fanout table.csv --input-format table -f 5 -o table.h
c fan-spmf hierarchy fanout spmf.txt -f 5 -o spmf.h
c prefix hierarchy prefix quest.dat --lengths 2,1 -o prefix.h
c ranges hierarchy ranges income.csv --width 1000 -o income.h
c convert hierarchy convert catalogue.csv -o catalogue.json --format json
c hcheck hierarchy check zipf-arx.h zipf.dat
for f in shop.csv zipf.dat quest.dat shape.jsonl spmf.txt; do
	case $f in *.csv) how="--input-format basket" ;; *) how= ;; esac
	c inspect-$f inspect $f -m 2 $how
done

for a in aa da oa exact lra vpa partition core local auto; do
	case $a in oa) data="zipf.dat -H zipf-arx.h" ;; *) data="shop.csv --input-format basket -H catalogue.csv" ;; esac
	more=
	case $a in core) more="--adversary algorithm" ;; auto) more="--effort 1 --time-limit 20s" ;; esac
	for m in 1 2 3; do
		c km-$a-$m anonymize km $data -k 3 -m $m --algorithm $a $more --seed s -o km-$a-$m.out --output-format basket --report km-$a-$m.report.json
	done
	c km-$a-audit anonymize km $data -k 5 -m 2 --algorithm $a $more --seed s -o km-$a-audit.csv --audit km-$a-audit.audit.json --workers 1
	c check-$a verify km ${data%%-H*} km-$a-2.out --output-format basket -H ${data##*-H } -k 3 -m 2
	c less-$a verify km ${data%%-H*} km-$a-1.out --output-format basket -H ${data##*-H } -k 4 -m 2
	c measure-$a measure ${data%%-H*} km-$a-2.out --output-format basket -H ${data##*-H }
	c attack-$a attack ${data%%-H*} km-$a-2.out --output-format basket -H ${data##*-H } -m 2
done
for a in aa da exact partition lra vpa; do
	c l-$a anonymize km zipf.dat -H zipf-pairs.h --sensitive secret.txt -k 3 -m 2 -l 2 --algorithm $a -o l-$a.dat --report l-$a.report.json
	c lcheck-$a verify km zipf.dat l-$a.dat -H zipf-pairs.h --sensitive secret.txt -k 3 -m 2 -l 2
	c neg-$a anonymize km quest.dat -H quest.h -k 3 -m 2 --negative-knowledge --algorithm $a -o neg-$a.dat --report neg-$a.report.json
	c negcheck-$a verify km quest.dat neg-$a.dat -H quest.h -k 3 -m 2 --negative-knowledge
	c sup-$a anonymize km quest.dat -H quest.h -k 3 -m 2 --algorithm $a --suppress items --max-suppressed 5% -o sup-$a.dat --report sup-$a.report.json --audit sup-$a.audit.json
	c drop-$a anonymize km quest.dat -H quest.h -k 3 -m 2 --algorithm $a --suppress transactions --max-suppressed 5% --drop -o drop-$a.dat
done
c drop-audit anonymize km quest.dat -H quest.h -k 3 -m 2 --algorithm exact --suppress transactions --max-suppressed 5% --drop -o drop-audit.dat --audit drop-audit.audit.json
c gap anonymize km zipf.dat -H zipf-json.h -k 3 -m 2 --algorithm aa --gap -o gap.dat --audit gap.audit.json
c certificate verify km zipf.dat gap.dat -H zipf-json.h -k 3 -m 2 --certificate gap.audit.json
for p in "zipf.dat zipf-amnesia.h" "quest.dat prefix.h" "shape.jsonl shape.h" "spmf.txt spmf.h"; do
	set -- $p
	for o in fimi basket long table jsonl spmf; do
		c format-$1-$o anonymize km $1 -H $2 -k 2 -m 2 --algorithm aa -o format-$1-$o.out --output-format $o
	done
done
c format-long anonymize km long.csv --input-format long -H long.h -k 2 -m 2 --algorithm partition -o format-long.csv
c format-table anonymize km table.csv --input-format table -H table.h -k 2 -m 2 --algorithm exact -o format-table.csv.gz
c stdout anonymize km zipf.dat -H zipf-arx.h -k 2 -m 1 --algorithm aa -o -
for k in 2 5 10; do
	for a in acd local; do
		c cont-$a-$k anonymize continuous income.csv -k $k -m 2 --algorithm $a -o cont-$a-$k.csv --report cont-$a-$k.report.json --audit cont-$a-$k.audit.json
		c contcheck-$a-$k verify continuous income.csv cont-$a-$k.csv -k $k -m 2
		c contless-$a-$k verify continuous income.csv cont-$a-$k.csv -k $((k + 7)) -m 3
		c contmeasure-$a-$k measure continuous income.csv cont-$a-$k.csv
	done
	c cont-aa-$k anonymize continuous income.csv -k $k -m 2 --algorithm aa -H income.h -o cont-aa-$k.csv
	c contattack-$k attack income.csv cont-acd-$k.csv --kind continuous -m 2 --input-format basket --output-format basket
done
c cont-jsonl anonymize continuous income.csv -k 3 -m 1 -o cont.jsonl --output-format jsonl
c cont-long anonymize continuous income.csv -k 3 -m 1 -o cont-long.csv --output-format long
for k in 2 4 8; do
	for g in nearest ring; do
		c nr-$g-$k anonymize nonreciprocal shop.csv --input-format basket -k $k --graph $g --seed s -o nr-$g-$k.jsonl --report nr-$g-$k.report.json
		c nrcheck-$g-$k verify nonreciprocal shop.csv nr-$g-$k.jsonl --input-format basket -k $k
		c nrmeasure-$g-$k measure nonreciprocal shop.csv nr-$g-$k.jsonl --input-format basket
	done
	c cahd-$k anonymize nonreciprocal zipf.dat -k $k --algorithm cahd --seed s -o cahd-$k.jsonl --audit cahd-$k.audit.json
done
c nr-l anonymize nonreciprocal labels.jsonl -l 3 --label d --seed s -o nr-l.jsonl --report nr-l.report.json
c nr-lcheck verify nonreciprocal labels.jsonl nr-l.jsonl -l 3 --label d
c nr-lattack attack labels.jsonl nr-l.jsonl --kind nonreciprocal -m 2
for s in 5 2%; do
	for p in 1 2 3; do
		c coh-$s-$p anonymize coherence zipf.dat --private secret.txt --h 0.5 -k 3 -p $p --nugget-support $s -o coh-$s-$p.dat --report coh-$s-$p.report.json --audit coh-$s-$p.audit.json
		c cohcheck-$s-$p verify coherence zipf.dat coh-$s-$p.dat --private secret.txt --h 0.5 -k 3 -p $p
		c cohless-$s-$p verify coherence zipf.dat coh-$s-$p.dat --private secret.txt --h 0.2 -k 9 -p 3
	done
done
c coh-ignore anonymize coherence quest.dat --private secret.txt --h 0.6 -k 2 -p 2 --nugget-support 4 --ignore-nuggets -o coh-ignore.dat
c coh-attack attack zipf.dat coh-5-2.dat --kind coherence -m 2
for r in km-aa-2 cont-acd-5 nr-ring-4 coh-5-2 l-exact; do
	c page-$r report $r.report.json -o page-$r.html
	c text-$r report $r.report.json -o page-$r.txt
done
c tie report --check km-aa-2.report.json km-aa-2.out -H catalogue.csv
c untied report --check km-aa-2.report.json km-da-1.out -H catalogue.csv
c bad-k anonymize km zipf.dat -H zipf-arx.h -k 1 -m 2 -o bad.dat
c bad-file anonymize km none.dat -H zipf-arx.h -k 2 -m 2 -o bad.dat
c bad-h anonymize km zipf.dat -H catalogue.csv -k 2 -m 2 -o bad.dat
c bad-flag anonymize km zipf.dat --kk 2
c infeasible anonymize km zipf.dat -H zipf-arx.h -k 500 -m 2 --algorithm aa -o infeasible.dat
c compare compare plan.yaml -o compared --quiet

for build in old new; do
	mkdir "$dir/$build"
	cd "$dir/$build"
	printf '3\n5\n9\n' >secret.txt
	awk 'BEGIN { for (i = 0; i < 90; i++) printf "{\"items\":[\"%d\",\"%d\",\"%d\"],\"d\":\"%s\"}\n", i%7, 7+i%5, 12+i%3, substr("uvwxyz", i%6+1, 1) }' >labels.jsonl
	cat >plan.yaml <<-PLAN
		data: [{name: zipf, file: zipf.dat, hierarchy: zipf-arx.h}]
		runs: [{data: zipf, algorithm: [aa, partition, lra], k: [2, 4], m: [1, 2], measure: [ml2, queries]}]
	PLAN
	eval "program=\$$build"
	while read -r name line; do
		code=0
		$program $line >"out-$name.stdout" 2>"out-$name.stderr" </dev/null || code=$?
		echo "$code" >"out-$name.code"
	done <"$list"
done

# shown FILE: its text without what differs from run to run: phases, times, memory, version, keyed
# hashes.
shown() {
	case $1 in
	*/results.csv) cut -d, -f1-18,22-40 "$1" ;;
	*) sed -E '/"phases"/,/\]/d; s/"mingle.(report|audit).[0-9]+"/SCHEMA/; s/keyed: <code>[0-9a-f]*//g; s/data-keyed="[0-9a-f]*"//g; s/"([a-z_]*(seconds|bytes|key|sha256|version))": *("[^"]*"|[0-9.e+-]+)/"\1":0/g; s/[0-9.]+ (s|ms|MB|kB)\b/TIME/g' "$1" ;;
	esac
}
cd "$dir/old"
differ=0 same=0 free=0
for f in $(find . -type f | sort); do
	case $f in *.stderr | ./compared/*.svg | ./compared/index.html) continue ;; esac
	shown "$f" >"$dir/a"
	if [ -f "../new/$f" ] && shown "../new/$f" >"$dir/b" && cmp -s "$dir/a" "$dir/b"; then
		same=$((same + 1))
		continue
	fi
	case $f in *km-local* | *km-auto* | *-local.stdout | *-auto.stdout) free=$((free + 1)); continue ;; esac
	differ=$((differ + 1))
	echo "differs: $f"
	diff "$dir/a" "$dir/b" 2>/dev/null | head -n 4 || true
done
n=$(wc -l <"$list")
echo "$n commands, exit codes: $(cat out-*.code | sort | uniq -c | awk '{ printf "%s times %s; ", $1, $2 }')"
echo "$same files the same, $free of local and auto different, $differ others different"
[ "$differ" = 0 ]
