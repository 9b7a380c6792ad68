"""Draw seconds over resources, both logarithmic, from JSON on standard input to an SVG: `plot.py FILE`.

It runs in the environment of the peers, which has matplotlib.
"""

from __future__ import annotations

import json
import sys

import matplotlib as mpl
from matplotlib import pyplot as plt

mpl.use("svg")
mpl.rcParams["svg.hashsalt"] = "expand-vars"  # the same figures give the same bytes
figure, axes = plt.subplots(figsize=(9, 6))
for name, row in json.load(sys.stdin).items():
    ours = name.startswith("expand-vars")
    axes.loglog([int(count) for count in row], [*row.values()], marker="o", linewidth=3 if ours else 1, label=name)
axes.set_xlabel("resources")
axes.set_ylabel("seconds of the processor")
axes.grid(visible=True, which="major", linewidth=0.3)
axes.legend(fontsize="small")
figure.savefig(sys.argv[1], metadata={"Date": None})
