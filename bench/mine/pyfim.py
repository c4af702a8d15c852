# Counts itemsets with Borgelt's pyfim: file, target, absolute support, longest itemset (0: any) -> "count seconds".
# Both eclat and fpgrowth are run; the faster one's time is given.
import gzip, sys, time
import fim
path, target, support, longest = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
opener = gzip.open if path.endswith(".gz") else open
with opener(path, "rt") as f:
    rows = [line.split() for line in f]
best = None
for run in (fim.fpgrowth, fim.eclat):
    start = time.time()
    # report "=" asks for the numbers of itemsets by size and support only: no list of itemsets is built
    found = run(rows, target=target[0].replace("f", "s"), supp=-support, zmin=1, zmax=longest or -1, report="=")
    seconds = time.time() - start
    best = seconds if best is None else min(best, seconds)
print(int(sum(x[2] for x in found)), best)
