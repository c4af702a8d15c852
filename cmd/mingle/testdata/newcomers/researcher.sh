# A researcher publishes the baskets that a paper is about. Run in an empty directory, with mingle on
# the path and the public data in $DATA.

gzip -dc "$DATA/groceries/groceries_named.csv.gz" >baskets.csv
# the tree: item, group, department; groups are named apart from the items in them
tail -n +2 "$DATA/groceries/groceries_items_hierarchy.csv" |
	awk -F, '{ gsub(/"/, ""); gsub(/ +,/, ","); print $2 ";" $3 " (group);" $4 " (department);everything" }' >tree.csv
mingle inspect baskets.csv --input-format long -m 2
mingle hierarchy check tree.csv baskets.csv --input-format long

# alcohol is not to be inferred
printf '%s\n' "liquor" "brandy" >sensitive.txt
mingle anonymize km baskets.csv --input-format long -H tree.csv -k 5 -m 2 --algorithm aa --gap \
    --sensitive sensitive.txt -l 2 -o published.csv --report report.json --audit audit.json

mingle verify km baskets.csv published.csv --input-format long -H tree.csv -k 5 -m 2 \
    --sensitive sensitive.txt -l 2
mingle report report.json -o statements.yaml
# the researcher fills in every empty text of that file
sed '/^release-id/!s/: ""$/: "see section 4 of the paper"/' statements.yaml >said.yaml
mingle report report.json --statements said.yaml --final -o page.html \
    --title "Groceries, generalized" --owner "A. Researcher" --recipient "readers of the paper" \
    --purpose "to reproduce the figures" --date 2026-11-30 --data-set "Groceries, 9,835 baskets"
mingle report report.json --statements said.yaml --audit audit.json -o custodian.html
mingle report --check page.html published.csv -H tree.csv
