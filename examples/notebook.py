# %% [markdown]
# # A first release in Python
#
# Baskets of a made-up shop are published so that nobody who knows two products of a basket is left
# with fewer than 10 baskets that may be it. Open this file in Jupyter (with jupytext) or in an editor
# that knows cells, or run it as it is: `python examples/notebook.py`.
#
# It needs the wheel (docs/python.md says how to get it), pandas and matplotlib.

# %%
import csv
import subprocess
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

import mingle

# %% [markdown]
# ## The data
#
# The command is in the package. It makes the shop's baskets, and its catalogue: which product is
# below which group.

# %%
folder = Path(tempfile.mkdtemp(prefix="shop-"))
baskets, catalogue = folder / "baskets.csv", folder / "catalogue.csv"
made = f"generate shop --transactions 4000 --items 130 --seed 7 -o {baskets} --catalogue {catalogue}"
subprocess.run([mingle.program(), *made.split()], check=True, capture_output=True)

with baskets.open(newline="") as lines:
    rows = [(i, product) for i, row in enumerate(csv.reader(lines)) for product in row if product]
df = pd.DataFrame(rows, columns=["invoice", "item"])
df.head()

# %% [markdown]
# ## Is there a danger?
#
# How many baskets does somebody single out who knows one, two, three products of it? What
# `inspect` tells is of the original: keep it to yourself.

# %%
before = mingle.inspect(df, items="item", by="invoice", m=3)
share = [unique / before["transactions"] for unique in before["unique"]]
[f"{known + 1} known: {one:.1%}" for known, one in enumerate(share)]

# %% [markdown]
# ## The release
#
# Every combination of at most 2 published labels is in at least 10 baskets. Before it is returned, an
# independent verifier has judged it. What the notebook shows of it is safe to publish.

# %%
release = mingle.anonymize(df, items="item", by="invoice", k=10, m=2, hierarchy=catalogue)
release

# %%
release.frame.head()

# %% [markdown]
# Anybody can judge it again, with the original or without. A breach would be an exception.

# %%
mingle.verify(release, df, k=10, m=2)

# %% [markdown]
# ## Who is still singled out?
#
# Nobody by one or two known products: that was promised. By three somebody may be: that was not.

# %%
after = mingle.inspect(release.frame, items="item", by="invoice", m=3)
known = [1, 2, 3]
left = [100 * unique / after["transactions"] for unique in after["unique"]]

fig, ax = plt.subplots(figsize=(7, 3.4), layout="constrained")
for values, offset, colour, name in [
    ([100 * one for one in share], -0.2, "#8a5a00", "original"),
    (left, 0.2, "#1b7f4b", "release"),
]:
    bars = ax.bar([n + offset for n in known], values, 0.38, color=colour, label=name)
    ax.bar_label(bars, fmt="%.1f %%", padding=2)
ax.axvline(2.5, color="0.6", linestyle=":")
ax.annotate("promised", (2.47, 0.94), xycoords=("data", "axes fraction"), ha="right", color="0.35")
ax.annotate("not promised", (2.53, 0.94), xycoords=("data", "axes fraction"), color="0.35")
ax.set_xticks(known, ["1 product known", "2 products known", "3 products known"])
ax.set_ylabel("baskets singled out (%)")
ax.set_ylim(0, 1.3 * max(100 * share[-1], *left))
ax.legend(frameon=False, loc="upper left")
ax.spines[["top", "right"]].set_visible(False)
plt.show()

# %% [markdown]
# ## What can still be counted?
#
# A basket surely has a product that is published as itself, and may have one of which a group is
# published. So the true count lies between two bounds that are certain. The dot is the usual guess:
# each product of a group of n is there with 1/n, but for what a line tells more exactly.

# %%
sold = df.groupby("item")["invoice"].nunique().sort_values(ascending=False)
shown = list(sold.index[5::9])
found = mingle.estimate.supports(release, [[item] for item in shown])
most = [len(df) if f.upper is None else f.upper for f in found]  # None: no bound
at = range(len(shown))

fig, ax = plt.subplots(figsize=(7, 4.6), layout="constrained")
ax.hlines(
    at, [f.lower for f in found], most, color="#9bb7d4", linewidth=7, label="certain bounds",
)  # fmt: skip
ax.plot([f.uniform for f in found], at, "o", color="#1f4e79", label="usual guess")
ax.plot([sold[item] for item in shown], at, "|", color="black", markersize=13, label="true (secret)")
ax.set_yticks(at, shown)
ax.invert_yaxis()
ax.set_xlim(left=0)
ax.set_xlabel("baskets with the product")
ax.legend(frameon=False)
ax.spines[["top", "right"]].set_visible(False)
plt.show()

# %% [markdown]
# ## What does a larger k cost?
#
# NCP is the share of detail that is lost: 0 for the original, 1 where only the root is published.
# These losses are against the original, and secret too.

# %%
tried = [2, 5, 10, 20, 50, 100]
lost = [
    mingle.anonymize(df, items="item", by="invoice", k=k, m=2, hierarchy=catalogue).losses["NCP"]
    for k in tried
]

fig, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
ax.plot(tried, [100 * loss for loss in lost], "o-", color="#1f4e79")
ax.set_xscale("log")
ax.set_xticks(tried, [str(k) for k in tried])
ax.minorticks_off()
ax.set_ylim(bottom=0)
ax.set_xlabel("k: baskets that every published pair is in, at least")
ax.set_ylabel("NCP (%)")
ax.spines[["top", "right"]].set_visible(False)
plt.show()

# %% [markdown]
# ## Files
#
# The bytes that were judged, the report that names them, and the page to sign.

# %%
release.save(
    folder / "published.arrows", report=folder / "report.json", page=folder / "page.html"
)
[path.name for path in sorted(folder.iterdir())]
