# SPDX-License-Identifier: MIT
"""site_test.py BUILD"""

import importlib.machinery
import importlib.util
import pathlib
import re
import subprocess
import sys
import tempfile

BUILD = pathlib.Path(sys.argv[1])
TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "site"
loader = importlib.machinery.SourceFileLoader("site_tool", str(TOOL))
site = importlib.util.module_from_spec(importlib.util.spec_from_loader("site_tool", loader))
loader.exec_module(site)


def fails(text, call, *arguments):
    try:
        call(*arguments)
    except SystemExit as stopped:
        assert text in str(stopped), stopped
        return
    raise AssertionError(f"'{text}' was not said")


def words_of(path):
    assert path.is_file(), f"no {path}"
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", path.read_text()))


def test_what_is_wrong_is_said(folder):
    pages = site.Pages(folder, {"include/fathom/noise/distance.hpp": "cpp/distance_8hpp.html"})
    assert pages.target("docs/noise.md", "sensors.md#ranges") == "sensors.md#ranges"
    assert pages.target("docs/noise.md", "../README.md") == "../index.md"
    assert pages.target("docs/noise.md", "../examples/02_my_noise") == "../examples/02_my_noise/README.md"
    assert pages.target("docs/noise.md", "../include/fathom/noise/distance.hpp") == "../cpp/distance_8hpp.html"
    assert pages.target("README.md", "packages.txt") == "files/packages.txt.txt"
    assert (folder / "extra/files/packages.txt.txt").is_file()
    fails("README.md links to docs/none.md, which is not there", pages.target, "README.md", "docs/none.md")
    fails("which is not there", pages.target, "README.md", "../outside.md")
    (folder / "a.html").write_text('<p id="here"><a href="b.html#there"><a href="#here"><a href="https://example.org/">')
    (folder / "b.html").write_text('<p id="there">')
    assert site.check_links(folder) == 2
    (folder / "b.html").write_text('<p id="elsewhere">')
    fails("a.html: b.html#there leads nowhere", site.check_links, folder)


def test_site(out):
    done = subprocess.run([sys.executable, str(TOOL), "--build", str(BUILD), "--out", str(out)], capture_output=True, text=True)
    if done.returncode == 77:
        print(done.stdout, end="")
        sys.exit(77)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "warning" not in (done.stdout + done.stderr).lower(), done.stdout + done.stderr
    root = TOOL.parents[1]
    for page in [*(root / "docs").glob("*.md"), *(root / "examples").glob("*/README.md"), root / "CHANGELOG.md"]:
        title = re.search(r"^# (.*)$", page.read_text(), re.MULTILINE)[1].replace("`", "")
        assert title in words_of(out / page.relative_to(root).with_suffix(".html")).replace("&amp;", "&"), page
    assert "Two commands" in words_of(out / "index.html")
    assert "standard deviation at range 0" in words_of(out / "reference/fathom.noise.html")
    assert "Casts the sensors of a scene" in words_of(out / "reference/fathom.html")
    for name in ("set_entity_poses", "render", "add_mesh"):  # of classes that are bound, and of those that inherit
        assert f".{name}" in (out / "reference/fathom.html").read_text(), name
    headers = {str(path.relative_to(root)) for path in (root / "include").rglob("*.hpp")}
    listed = (out / "reference/cpp.html").read_text()
    missing = [name for name in headers if f"{pathlib.PurePath(name).name}</code>" not in listed]
    assert not missing, missing
    assert "A batch of environments" in words_of(out / "cpp/classfathom_1_1Environments.html")
    index = (out / "searchindex.js").read_text()
    for word in ("disparity", "keyframes", "reflectivity"):
        assert word[:6] in index, word  # it holds stems
    assert any((out / "cpp/search").glob("classes_*.js"))


with tempfile.TemporaryDirectory(prefix="fathom-site-") as temporary:
    test_what_is_wrong_is_said(pathlib.Path(temporary))
with tempfile.TemporaryDirectory(prefix="fathom-site-") as temporary:
    test_site(pathlib.Path(temporary) / "site")
print("site: ok")
