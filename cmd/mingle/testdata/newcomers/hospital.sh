# A hospital's steward publishes the diagnoses of stays, for a university course. Run in an empty
# directory, with mingle on the path and the public data in $DATA.

# the table of diagnoses as it comes out of the hospital's system: which columns are which?
stays=$DATA/mimic3-demo/DIAGNOSES_ICD.csv
columns="--transaction-column HADM_ID --item-column ICD9_CODE"
mingle inspect "$stays" $columns -m 2

# codes are grouped by their first digits
mingle hierarchy prefix "$stays" $columns --lengths 4,3,2,1 -o icd9.csv
mingle hierarchy check icd9.csv "$stays" $columns

# against somebody who knows two diagnoses; a patient with many stays is no crowd
promise="-H icd9.csv -k 5 -m 2 --person-column SUBJECT_ID"
mingle anonymize km "$stays" $columns $promise -o first.csv

# where that says that little is left, it also says what leaves more: here, leaving out rare codes
mingle anonymize km "$stays" $columns $promise --suppress items --max-suppressed 5% \
    -o published.csv --report report.json --audit audit.json
mingle verify km "$stays" published.csv $columns $promise --suppressed --audit audit.json

# a draft to be discussed, then the statements, then the page that is signed
mingle report report.json -o draft.html
mingle report report.json -o statements.yaml --title "Diagnoses of hospital stays" \
    --owner "St. Elsewhere, data steward" --date 2026-11-30
cat >said.yaml <<'END'
title: Diagnoses of hospital stays
data-set: ICD-9 codes of all stays of the demonstration data, one line a stay
owner: St. Elsewhere, data steward
recipient: University of Example, course 4711
purpose: teaching how diagnoses occur together
date: 2026-11-30
actor-publisher: >-
  The steward has the original and the audit file and can find everybody at no cost. Both lie on
  the clinical network; access is logged.
actor-recipient: >-
  Students have the file, the tree of codes and public news. With two diagnoses of a patient at
  hand, stays of at least five patients match. We judge the risk acceptable.
actor-outsider: Somebody who finds the file has no more than the recipient.
release-model: under a contract, to one course
controls: no sharing, no attempt at finding people, deletion after the course
intruder-who: the hospital's security team, which did not make the release
intruder-sources: newspapers, social networks, ten colleagues' own stays
intruder-effort: two people, two days
intruder-result: nobody was found with certainty
intruder-date: 2026-11-15
residual-risk: one in five at most, as counted; the threshold of the hospital is one in five
other-releases: none before; the next needs a new judgement
minimisation: codes only; no dates, no ages, no numbers of stays
utility: chapters and most groups of codes can be counted; single rare codes cannot
subgroups: codes of rare diseases are left out, or published as chapters only
expert: J. Doe, statistician, ten years of disclosure control
expires: 2027-11-30
review-triggers: a second release, a new attack, another recipient
incident-plan: the steward withdraws the file and tells the data protection officer within a day
source-fate: the original stays; the audit file is kept with it for ten years, then destroyed
END
mingle report report.json --statements said.yaml --final -o page.html
mingle report report.json --statements said.yaml --audit audit.json -o custodian.html
mingle report --check page.html published.csv -H icd9.csv
mingle report --check page.html published.csv "$stays" --audit audit.json
