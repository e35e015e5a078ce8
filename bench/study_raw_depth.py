#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Figures of raw frames of a D400 camera, of a real one and of presets. Not `measure depth`: an independent program.

    python3 bench/study_raw_depth.py --frame ../shared/data/depth/d435i_raw_1280x720.png
    PYTHONPATH=build/release/python python3 bench/study_raw_depth.py [--preset D435 D455] [--seeds 6]

The second command prints a table: the raw frames, and the range over the seeds for each preset, on leaves before a wall
and on a table top. A frame is 16-bit millimetres, and 0 is a hole. Frames of presets are rounded too: plants to
millimetres, the table top to 0.1 mm. Errors are in px of disparity, d = f B / z. "near" is nearer than 1.5 m, "wall" is
beyond 2 m.
"""

import argparse

import numpy as np

FB_PX_M = 32.10
NEAR_M, WALL_M = 1.5, 2.0
STEP_PX = 6.0  # of disparity, at a silhouette

# Of two raw frames of a D435i.
RAW = {"residual": "0.057 to 0.083", "across 1": "0.77 to 0.90", "down 1": "0.71 to 0.83", "across 3": "0.37 to 0.63",
       "down 3": "0.32 to 0.37", "wall 24": "0.098", "wall 48": "0.184", "wall 72": "0.218", "right": "8", "top": "8",
       "bottom": "8 to 9", "left": "4.6 to 7", "left band": "7 to 12", "specks near": "284", "specks wall": "63",
       "row 0": "14", "last row": "35", "last column": "44", "holes": "", "in time": "high"}


def polynomial(side, degree):
    """Orthonormal columns that span the polynomials of a patch."""
    v, u = (np.mgrid[0:side, 0:side] - (side - 1) / 2) / side
    terms = [(u**i * v**j).ravel() for i in range(degree + 1) for j in range(degree + 1 - i)]
    return np.linalg.qr(np.stack(terms, 1))[0]


def patches(d, side, keep, least_valid=1.0):
    """Patches of a disparity image without steps, at least `least_valid` of their pixels valid."""
    rows, cols = d.shape
    for r in range(rows % side // 2, rows - side + 1, side):
        for c in range(cols % side // 2, cols - side + 1, side):
            p = d[r:r + side, c:c + side]
            valid = p > 0
            if valid.mean() < least_valid or not keep(p[valid]):
                continue
            jumps = [np.abs(a - b)[(a > 0) & (b > 0)] > 0.1 * np.maximum(a, b)[(a > 0) & (b > 0)]
                     for a, b in ((p[1:], p[:-1]), (p[:, 1:], p[:, :-1]))]
            if not any(j.any() for j in jumps):
                yield p


def residuals(d, side, degree, keep, least_valid=1.0):
    """[patches, side, side]: disparities without their best polynomial; NaN in holes."""
    basis = polynomial(side, degree)
    found = []
    for p in patches(d, side, keep, least_valid):
        flat, ok = p.ravel(), p.ravel() > 0
        fit = basis @ np.linalg.lstsq(basis[ok], flat[ok], rcond=None)[0]
        found.append(np.where(ok, flat - fit, np.nan).reshape(side, side))
    return np.array(found).reshape(-1, side, side)


def smooth(r):
    """Without the patches twice as rough as the median: edges and creases."""
    if len(r) == 0:
        return r
    means = r.reshape(len(r), 4, r.shape[1] // 4, 4, r.shape[2] // 4).mean((2, 4))
    rough = (means**2).mean((1, 2))
    return r[rough <= 4 * np.median(rough)]


def correlation(r, lag, down):
    a, b = (r[:, lag:], r[:, :-lag]) if down else (r[:, :, lag:], r[:, :, :-lag])
    return float(np.nanmean(a * b) / np.nanmean(r * r))


def gaps(d):
    """Lost pixels at steps of disparity along rows of `d`: near before far, and far before near beyond the shadow."""
    after, before = [], []
    for row in d:
        at = np.flatnonzero(row > 0)
        left, right = row[at[:-1]], row[at[1:]]
        lost = np.diff(at) - 1
        falls, rises = left - right > STEP_PX, right - left > STEP_PX
        after += list(lost[falls])
        before += list((lost - (right - left))[rises])
    return after, before


def middle(values):
    return float(np.median(values)) if len(values) else np.nan


def blobs(hole, most):
    """[blobs]: pixels of one hole of up to `most` pixels, connected over 4 neighbours, inside the image."""
    seen = np.zeros(hole.shape, bool)
    found = []
    for start in zip(*np.nonzero(hole)):
        if seen[start]:
            continue
        seen[start] = True
        blob, border = [start], False
        for r, c in blob:
            for a, b in ((r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)):
                if not (0 <= a < hole.shape[0] and 0 <= b < hole.shape[1]):
                    border = True
                elif hole[a, b] and not seen[a, b]:
                    seen[a, b] = True
                    blob.append((a, b))
        if len(blob) <= most and not border:
            found.append(blob)
    return found


def specks(d, valid, fb):
    """Holes of 1 to 3 px per 100 000 px, near and on the wall."""
    z = np.where(valid, fb / np.where(valid, d, 1), np.nan)
    near = far = 0
    for blob in blobs(~valid, 3):
        r, c = blob[0]
        depth = np.nanmedian(z[max(r - 3, 0):r + 4, max(c - 3, 0):c + 4])
        near, far = near + (depth < NEAR_M), far + (depth > WALL_M)
    per = [1e5 / max(np.count_nonzero(z < NEAR_M), 1), 1e5 / max(np.count_nonzero(z > WALL_M), 1)]
    return near * per[0], far * per[1]


def figures(depth_m, fb):
    """The rows of the table of a frame."""
    valid = np.isfinite(depth_m) & (depth_m > 0)
    d = np.where(valid, fb / np.where(valid, depth_m, 1), 0)
    r = smooth(residuals(d, 24, 3, lambda p: True))
    out = {"residual": float(np.sqrt(np.nanmean(r * r)))}
    for lag in (1, 3):
        out[f"across {lag}"], out[f"down {lag}"] = correlation(r, lag, False), correlation(r, lag, True)
    on_wall = lambda p: len(p) and np.median(fb / p) > WALL_M
    for side in (24, 48, 72):
        w = residuals(d, side, 2, on_wall, 0.97)
        out[f"wall {side}"] = float(np.sqrt(np.nanmedian(np.nanmean(w * w, (1, 2))))) if len(w) else np.nan
    right, left = gaps(d)
    bottom, top = gaps(d.T)
    top = gaps(d.T[:, ::-1])[0]
    out.update({"right": middle(right), "top": middle(top), "bottom": middle(bottom), "left": middle(left)})
    first = [np.flatnonzero(row > 0)[0] - row[row > 0][0] for row in d if (row > 0).any()]
    out["left band"] = middle(first)
    out["specks near"], out["specks wall"] = specks(d, valid, fb)
    for name, line in (("row 0", d[0]), ("last row", d[-1]), ("last column", d[:, -1])):
        out[name] = 100 * float(np.mean(line <= 0))
    out["holes"] = 100 * float(np.mean(~valid))
    return out


def plants(fa):
    """Leaves at 0.5 to 1.3 m before a wall at 2.45 m; most of the image is plants."""
    scene = fa.Scene()
    scene.add_entity("wall", fa.box([0.1, 8, 6]), [2.5, 0, 0])
    leaf = fa.sphere(1.0)
    rng = np.random.default_rng(3)
    for k in range(150):
        x = rng.uniform(0.5, 1.3)
        place = [x, x * rng.uniform(-1.05, 0.95), x * rng.uniform(-0.62, 0.28)]
        size = [0.004, *(x * rng.uniform(0.05, 0.13, 2))]
        scene.add_entity(f"leaf{k}", leaf, fa.Pose(place, rpy_deg=rng.uniform(-55, 55, 3)), scale=size)
    return scene, fa.Pose([0, 0, 0])


def table(fa):
    setup = fa.load("examples/12_table_top/table_top.yaml")
    return setup.scene, fa.Pose([0, 0, 0.45], rpy_deg=[0, 45, 0])


def simulated(preset, which, seeds):
    """For each seed f B and two depth images of a still camera, rounded."""
    import fathom as fa
    scene, pose = {"plants": plants, "table": table}[which](fa)
    model = fa.preset(preset)
    fb = model.width / 2 / np.tan(model.horizontal_fov_rad / 2) * model.baseline_m
    digits = 3 if which == "plants" else 4
    for seed in range(seeds):
        simulator = fa.Simulator(scene, [fa.Sensor("camera", model, pose, noise="preset")], seed=seed + 1)
        yield fb, [np.round(simulator.render("camera", k, channels=("depth",)).depth.astype(float), digits)
                   for k in (0, 7)]


def in_time(a, b, fb):
    """The correlation of two frames of a still camera."""
    keep = lambda p: True
    both = np.where((a > 0) & (b > 0), 1.0, np.nan)
    r, s = (residuals(np.nan_to_num(fb / (z * both)), 24, 3, keep) for z in (a, b))
    return float(np.mean(r * s) / np.sqrt(np.mean(r * r) * np.mean(s * s)))


def spread(columns, name):
    values = [column[name] for column in columns if np.isfinite(column[name])]
    return f"{min(values):.3g} to {max(values):.3g}" if values else ""


def print_presets(presets, seeds):
    columns = {}
    for preset in presets:
        for scene in ("plants", "table"):
            columns[f"{preset}, {scene}"] = [
                {**figures(first, fb), "in time": in_time(first, second, fb)}
                for fb, (first, second) in simulated(preset, scene, seeds)]
    print("| | raw frames |", " | ".join(columns), "|\n|---|---|" + "---|" * len(columns))
    for name, raw in RAW.items():
        print(f"| {name} | {raw} |", " | ".join(spread(c, name) for c in columns.values()), "|")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--frame", nargs="*", default=[])
    parser.add_argument("--preset", nargs="*", default=["D435", "D435i", "D455", "D405"])
    parser.add_argument("--seeds", type=int, default=6)
    args = parser.parse_args()
    if not args.frame:
        return print_presets(args.preset, args.seeds)
    from PIL import Image
    columns = [figures(np.asarray(Image.open(f), float) / 1000, FB_PX_M) for f in args.frame]
    for name in columns[0]:
        print(f"{name:12}", *(f"{c[name]:8.3f}" for c in columns))


if __name__ == "__main__":
    main()
