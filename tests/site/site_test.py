# SPDX-License-Identifier: MIT
"""site_test.py BUILD"""

import contextlib
import importlib.machinery
import importlib.util
import io
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


def test_what_is_built_is_said(build):
    calls = []
    site.call = lambda command, **more: calls.append([str(word) for word in command])
    for library, text in ((False, "with the library, about 14 minutes of one core"), (True, "the library is there")):
        if library:
            (build / "lib").mkdir()
            (build / "lib/libfathom.so").touch()
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            assert site.python_package(build) == build / "python"
        assert said.getvalue() == f"site: building the Python package in {build}; {text}\n"
        assert [call[:2] for call in calls] == [["cmake", "-S"], ["cmake", "--build"]] and str(build) in calls[0]
        calls.clear()
    (build / "python/fathom").mkdir(parents=True)
    (build / "python/fathom/_fathom.so").touch()
    site.python_package(build)
    assert not calls, calls


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
    for name in ("set_entity_poses", "render", "add_mesh"):  # of bound classes, and of classes that inherit
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
    test_what_is_built_is_said(pathlib.Path(temporary))
with tempfile.TemporaryDirectory(prefix="fathom-site-") as temporary:
    test_site(pathlib.Path(temporary) / "site")
print("site: ok")
