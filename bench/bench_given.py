#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The noise of a D435 for a given depth image beside simkinect's method in NumPy, in turns, on one thread.

    cmake --preset release -DFATHOM_PYTHON=ON && cmake --build build/release --target fathom_python
    PYTHONPATH=build/release/python python3 bench/bench_given.py [rounds]

The twin follows add_noise.py of https://github.com/ankurhanda/simkinect (Handa and others, "A benchmark for RGB-D visual
odometry, 3D reconstruction and SLAM", 2014; filter after Bohg and others, "Robot arm pose estimation by pixel-wise
regression", 2014): shifted pixels, disparities in eighths, a window of 9 x 9 around each dot of the projector, and
disparities that are noisy again. Its pattern of dots is random here, with one dot in nine pixels. Like the original, it
visits the dots in a loop of Python.
"""

import statistics
import sys
import time

import numpy as np

import fathom as fa

ROWS, COLS, FX, BASELINE_M = 480, 640, 383.0, 0.05
WINDOW, INVALID = 9, 99999999.9


def clean_depth():
    """A floor, a wall and boxes before it, m."""
    v, u = np.meshgrid((np.arange(ROWS) + 0.5) / ROWS - 0.5, (np.arange(COLS) + 0.5) / COLS - 0.5, indexing="ij")
    depth = 4.0 / (1 + 0.3 * u)
    depth = np.where(v > 0, np.minimum(depth, 0.6 / np.maximum(v, 1e-6)), depth)
    depth = np.where((abs(u + 0.2) < 0.08) & (v > -0.1), np.minimum(depth, 2.0), depth)
    return np.where((abs(u - 0.15) < 0.12) & (v > 0.05), np.minimum(depth, 1.5), depth).astype(np.float32)


def shifted(depth, rng):
    """Every pixel shows a place half a pixel off, by bilinear interpolation."""
    y, x = np.meshgrid(np.arange(ROWS, dtype=np.float32), np.arange(COLS, dtype=np.float32), indexing="ij")
    y = np.clip(y + rng.normal(0, 0.5, depth.shape), 0, ROWS - 1.001)
    x = np.clip(x + rng.normal(0, 0.5, depth.shape), 0, COLS - 1.001)
    r, c = y.astype(np.int64), x.astype(np.int64)
    b, a = y - r, x - c
    top = depth[r, c] * (1 - a) + depth[r, c + 1] * a
    return top * (1 - b) + (depth[r + 1, c] * (1 - a) + depth[r + 1, c + 1] * a) * b


def matched(disparity, dots):
    """The disparity of each dot, where most dots of its window agree; its neighbours take it over."""
    half = WINDOW // 2
    y, x = np.mgrid[-half:half + 1, -half:half + 1]
    square = (x * x + y * y).astype(np.float64)
    weights = 1 / np.where(square == 0, 1, 1.44 * square)
    fill = np.where(square > 9, -1.0, 1 / (1 + square))
    out, taken = np.full_like(disparity, INVALID), np.zeros_like(disparity)
    for r in range(ROWS - WINDOW):
        for c in range(COLS - WINDOW):
            if not dots[r + half, c + half]:
                continue
            window, dot_window = disparity[r:r + WINDOW, c:c + WINDOW], dots[r:r + WINDOW, c:c + WINDOW]
            valid = window < INVALID
            wanted = np.sum(dot_window) / 1.2
            if np.sum(dot_window[valid]) <= wanted:
                continue
            near = abs(window - np.mean(window[valid])) * weights < 0.1
            if np.sum(dot_window & valid & near) <= wanted:
                continue
            value = round(window[half, half] * 8) / 8
            out[r + half, c + half] = value
            taken_window, out_window = taken[r:r + WINDOW, c:c + WINDOW], out[r:r + WINDOW, c:c + WINDOW]
            better = taken_window < fill
            taken_window[better], out_window[better] = fill[better], value
    return out


def simkinect(depth, dots, rng):
    disparity = np.round(FX * BASELINE_M / (shifted(depth, rng) + 1e-10) * 8) / 8
    found = matched(disparity, dots)
    metres = np.where(found == INVALID, 0, FX * BASELINE_M / found)
    centimetres = np.round(100 * metres)
    with np.errstate(divide="ignore"):
        steps = np.round(35130 / centimetres + rng.normal(size=depth.shape) / 6 + 0.5)
        return np.where(found == INVALID, 0, 35130 / steps / 100)


def seconds(work):
    began = time.process_time()
    work()
    return time.process_time() - began


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    rng = np.random.default_rng(1)
    depth, dots = clean_depth(), rng.random((ROWS, COLS)) < 1 / 9
    noise = fa.SensorNoise("D435", width=COLS, height=ROWS, fx=FX, threads=1)
    noise(depth)
    times = [(min(seconds(lambda: noise(depth)) for _ in range(5)), seconds(lambda: simkinect(depth, dots, rng)))
             for _ in range(rounds)]
    ours, theirs = (statistics.median(t[k] for t in times) for k in range(2))
    ratios = [t[1] / t[0] for t in times]
    print(f"D435, {COLS} x {ROWS}: fathom {1e3 * ours:.1f} ms, simkinect in NumPy {1e3 * theirs:.0f} ms, "
          f"{statistics.median(ratios):.0f} times as fast ({min(ratios):.0f} to {max(ratios):.0f})")


if __name__ == "__main__":
    main()
