# SPDX-License-Identifier: MIT
"""Draws docs/images/silhouette.png from the run out/table_top: the can without errors and as a D435 sees it."""

import matplotlib.pyplot as plt
import numpy as np

clean, depth = (np.load(f"out/table_top/camera/{name}_000000.npy") for name in ("clean_depth", "depth"))
rows, cols = slice(186, 266), slice(632, 737)
area = (cols.start, cols.stop, rows.stop, rows.start)
colours = plt.get_cmap("viridis_r").copy()
colours.set_bad("#20242c")
figure, axes = plt.subplots(1, 2, figsize=(10, 4.3), dpi=96)
for ax, image, title in zip(axes, (clean, depth), ("without errors (clean_depth)", "D435 (depth); white: the true outline")):
    ax.imshow(image[rows, cols], cmap=colours, vmin=0.5, vmax=0.8, interpolation="nearest", extent=area)
    ax.set_title(title)
    ax.tick_params(labelsize=8)
centres = np.arange(cols.start, cols.stop) + 0.5, np.arange(rows.start, rows.stop) + 0.5
axes[1].contour(*centres, clean[rows, cols] < 0.64, [0.5], colors="white", linewidths=1)
figure.tight_layout()
figure.savefig("silhouette.png")
