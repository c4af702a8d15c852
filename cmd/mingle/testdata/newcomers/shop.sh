# A shop's engineer publishes baskets, for a competition. Run in an empty directory, with mingle on
# the path and the public data in $DATA; $ROWS rows of it are taken.

gzip -dc "$DATA/online-retail-ii/online_retail_ii_2009_2010.csv.gz" 2>/dev/null | head -n "${ROWS:-10000}" >orders.csv
columns="--transaction-column Invoice --item-column StockCode"
mingle inspect orders.csv $columns -m 2

# no tree of the products at hand: their codes begin alike where they are alike
mingle hierarchy prefix orders.csv $columns --lengths 4,3,2,1 -o products.csv

# which k and m? what would be lost is compared before anything leaves
for k in 3 5; do
	mingle anonymize km orders.csv $columns -H products.csv -k $k -m 2 --algorithm local -o try-$k.csv --quiet
	mingle measure orders.csv try-$k.csv $columns -H products.csv --support 0.05
done

mingle anonymize km orders.csv $columns -H products.csv -k 5 -m 2 --algorithm local \
    -o published.csv --report report.json --audit audit.json
mingle attack orders.csv published.csv $columns -H products.csv -k 5 -m 2

mingle report report.json -o statements.yaml
cat >said.json <<'END'
{
  "title": "Baskets for the recommendation challenge",
  "data-set": "invoices of the web shop, December 2009, product codes only",
  "owner": "Web shop Ltd, head of data",
  "recipient": "anybody: published on the web",
  "purpose": "to compare methods of recommendation",
  "date": "2026-11-30",
  "actor-publisher": "We can read the original; the audit file is destroyed after signing.",
  "actor-recipient": "Contestants have computers and other shops' data, months of time. They find at least five baskets for any two products.",
  "actor-outsider": "The same as the recipient: the file is public.",
  "unit": "An invoice. Frequent customers have many; what their invoices tell together is not covered, so customer numbers are not published.",
  "release-model": "public, cannot be called back",
  "controls": "none: the file must be safe by itself",
  "intruder-who": "two engineers of another team",
  "intruder-sources": "their own orders, reviews on the web",
  "intruder-effort": "one week",
  "intruder-result": "own orders of three and more products could be recognized, of two could not",
  "intruder-date": "2026-11-10",
  "residual-risk": "Orders known in more than two products may be recognized: accepted, nothing else is beside the products.",
  "other-releases": "none",
  "minimisation": "no prices, no times, no customers, no countries",
  "utility": "pairs of products are nearly as they were; single rare products are groups",
  "subgroups": "customized products have codes of their own; they are published as groups only",
  "expert": "the engineer with the help of the data protection officer",
  "expires": "never; the page is reviewed each year",
  "review-triggers": "a complaint, a published attack",
  "incident-plan": "the file is taken down, the officer is told",
  "source-fate": "the original stays in the shop's system; audit file and key are destroyed"
}
END
mingle report report.json --statements said.json --final -o page.html
mingle report report.json --statements said.json --audit audit.json -o custodian.html
mingle report --check page.html published.csv -H products.csv
