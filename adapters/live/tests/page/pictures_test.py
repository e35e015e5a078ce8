# SPDX-License-Identifier: MIT
"""tools/pictures makes all committed pictures, pages show them, and they are small."""

import importlib.machinery
import importlib.util
import pathlib
import re
import struct

ROOT = pathlib.Path(__file__).resolve().parents[4]
IMAGES = ROOT / "docs/images"
MOST_BYTES, MOST_STRIP_BYTES, MOST_TOTAL_BYTES = 200_000, 12_000, 1_500_000
MOST_SIDE, MOST_WORDS = 1400, 300

loader = importlib.machinery.SourceFileLoader("pictures_tool", str(ROOT / "tools/pictures"))
tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("pictures_tool", loader))
loader.exec_module(tool)


def size_of(png):
    head = png.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n", png
    return struct.unpack(">II", head[16:])


files = [file for file in IMAGES.rglob("*") if file.is_file()]
names = {str(file.relative_to(IMAGES)) for file in files}
assert names == set(tool.FILES), names ^ set(tool.FILES)

for file in files:
    limit = MOST_STRIP_BYTES if file.parent.name == "noise" else MOST_BYTES
    assert file.stat().st_size <= limit, f"{file}: {file.stat().st_size} bytes, at most {limit}"
    if file.suffix == ".png":
        assert max(size_of(file)) <= MOST_SIDE, f"{file}: {size_of(file)} pixels"
total = sum(file.stat().st_size for file in files)
assert total <= MOST_TOTAL_BYTES, f"docs/images: {total} bytes, at most {MOST_TOTAL_BYTES}"

pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "examples").glob("*/README.md")]
shown = set(re.findall(r"images/([\w/]+\.\w+)[)\"]", "".join(page.read_text() for page in pages)))
assert shown == names, shown ^ names

models = re.findall(r"^## ([a-z_]+)$", (ROOT / "docs/noise.md").read_text(), re.M)
weather = {"fog", "rain", "snow"}  # docs/weather.md shows them: a table top is too small
assert len(models) > 10 and {*models, "correlation"} - weather == set(tool.STRIPS), {*models} ^ set(tool.STRIPS)

gallery = (ROOT / "docs/gallery.md").read_text()
assert len(gallery.split()) <= MOST_WORDS, f"docs/gallery.md has {len(gallery.split())} words, at most {MOST_WORDS}"
