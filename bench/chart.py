#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws docs/images/speed.svg from the table of docs/benchmarks.md: a bar for each row that has a ratio.

    python3 bench/chart.py
"""

import html
import math
import pathlib
import re

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"
LABELS, WIDTH, ROW = 430, 950, 26  # px
LEAST, MOST = 0.5, 25.0  # of the logarithmic scale; longer bars are cut
TICKS = [0.5, 1, 2, 5, 10, 20]


def ratios(page):
    """The rows of the table that have a ratio: (label, times as fast)."""
    for line in page.split("\n"):
        cells = [re.sub(r"<[^>]*>|`", "", cell).strip() for cell in line.split("|")[1:-1]]
        if len(cells) == 6 and re.fullmatch(r"[0-9.]+", cells[3]):
            other = re.sub(r", [0-9].*$", "", cells[2])
            yield f"{cells[0]}, beside {other}", float(cells[3])


def across(value):
    share = math.log(min(value, MOST) / LEAST) / math.log(MOST / LEAST)
    return LABELS + share * (WIDTH - LABELS - 50)


def text(x, y, words, anchor="start"):
    return f'<text x="{x:.1f}" y="{y}" text-anchor="{anchor}">{html.escape(words)}</text>'


def chart(rows):
    height = ROW * len(rows) + 44
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}"',
             ' font-family="sans-serif" font-size="13">',
             f'<rect width="{WIDTH}" height="{height}" fill="white"/>']
    for tick in TICKS:
        colour = "#333333" if tick == 1 else "#dddddd"
        parts.append(f'<path d="M{across(tick):.1f} 8V{height - 30}" stroke="{colour}"/>')
        parts.append(text(across(tick), height - 12, f"{tick:g}", "middle"))
    for row, (label, ratio) in enumerate(rows):
        top = 12 + ROW * row
        begin, end = sorted((across(1), across(ratio)))
        colour = "#0072b2" if ratio >= 1 else "#d55e00"
        parts.append(text(LABELS - 8, top + 14, label, "end"))
        parts.append(f'<rect x="{begin:.1f}" y="{top}" width="{end - begin:.1f}" height="{ROW - 8}" fill="{colour}"/>')
        parts.append(text(max(end, across(1)) + 5, top + 14, f"{ratio:g}"))
    return "\n".join(parts + ["</svg>", ""])


def main():
    rows = list(ratios((DOCS / "benchmarks.md").read_text()))
    (DOCS / "images" / "speed.svg").write_text(chart(rows))


if __name__ == "__main__":
    main()
